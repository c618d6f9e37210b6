/* Golden cases of k-medoids. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct pam_case {
  gpugeo_pam_options options;
  int32_t medoids[64];
} pam_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  pam_case *c = g->own;
  if (strcmp(name, "p") == 0)
    return golden_number(g, name, GG_EXPONENT, value, &c->options.metric.p);
  if (strcmp(name, "k") == 0) return golden_count(g, name, value, 1, INT32_MAX, &c->options.k);
  if (strcmp(name, "variant") == 0) {
    c->options.eager = strcmp(value, "faster") == 0;
  } else if (strcmp(name, "swap") == 0) {
    c->options.swap = strcmp(value, "true") == 0;
  } else if (strcmp(name, "medoids") == 0) {
    table from = golden_table(value);
    c->options.medoids = c->medoids;
    c->options.medoids_length = from.rows;
    for (int64_t m = 0; m < from.rows; ++m)
      c->medoids[m] = (int32_t)from.values[m] - 1;
    table_free(&from);
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

/* A row a point: its cluster, its medoid and the distance from that. */
static gpugeo_status find_medoids(golden *g, const gpugeo_pam_options *options,
                                  golden_result *result) {
  const gpugeo_distances x = {.x = &g->x};
  int64_t n = 0;
  gpugeo_status status = gpugeo_distances_points(&x, options->points, &n, &g->error);
  if (status) return status;
  result->rows = n;
  result->columns = 3;
  double *values = result->values = malloc((size_t)n * 3 * sizeof *values + 1);
  int32_t *medoid = malloc((size_t)n * sizeof *medoid),
          *cluster = malloc((size_t)n * sizeof *cluster);
  gpugeo_pam_result parts = {.medoid = medoid, .cluster = cluster, .distance = values + 2 * n};
  status = gpugeo_pam(&x, options, &parts, &result->report, &g->error);
  for (int64_t i = 0; !status && i < n; ++i) {
    values[i] = cluster[i];
    values[n + i] = medoid[cluster[i] - 1] + 1.0;
  }
  free(medoid);
  free(cluster);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  pam_case c;
  gpugeo_pam_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.options.run = g->run;
  if (!status) status = find_medoids(g, &c.options, result);
  g->own = NULL;
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"pam"}, .least = 30, .compute = compute};
  return golden_main(argc, argv, &family);
}
