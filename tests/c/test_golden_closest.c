/* Golden cases of closest pairs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct closest_case {
  gpugeo_closest_options options;
  table box;
} closest_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  closest_case *c = g->own;
  if (strcmp(name, "k") == 0) {
    return golden_whole(g, name, value, &c->options.k);
  } else if (strcmp(name, "distinct") == 0) {
    c->options.distinct = golden_flag(value);
  } else if (strcmp(name, "metric") == 0) {
    return gpugeo_closest_metric_find(value, &c->options.metric, &g->error);
  } else if (strcmp(name, "sphere_radius") == 0) {
    return golden_number(g, name, GG_POSITIVE, value, &c->options.sphere_radius);
  } else if (strcmp(name, "box") == 0) {
    c->box = golden_table(value);
    c->options.box = c->box.values;
    c->options.box_length = c->box.rows * c->box.columns;
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

/* Lines i, j, distance, ties, rows from 1. */
static void write_lines(golden_result *result, const gpugeo_pair *pairs, int64_t found,
                        int64_t ties) {
  double *values = malloc((size_t)found * 4 * sizeof *values + 1);
  result->values = values;
  result->rows = found;
  result->columns = 4;
  for (int64_t p = 0; p < found; ++p) {
    values[p] = (double)pairs[p].i + 1;
    values[p + found] = (double)pairs[p].j + 1;
    values[p + 2 * found] = pairs[p].distance;
    values[p + 3 * found] = (double)ties;
  }
}

static gpugeo_status find(golden *g, closest_case *c, golden_result *result) {
  const char *algorithm = g->field[GOLDEN_METHOD];
  int64_t size = 0, found = 0, ties = 0;
  gpugeo_status status = golden_options(g, take_option);
  if (!status && algorithm[0])
    status = gpugeo_closest_algorithm_find(algorithm, &c->options.algorithm, &g->error);
  c->options.run = g->run;
  if (!status) status = gpugeo_closest_pair_size(&g->x, g->y, &c->options, &size, &g->error);
  if (status) return status;
  gpugeo_pair *pairs = malloc((size_t)size * sizeof *pairs);
  status = gpugeo_closest_pair(&g->x, g->y, &c->options, pairs, &found, &ties, &result->report,
                               &g->error);
  if (!status) write_lines(result, pairs, found, ties);
  free(pairs);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  closest_case c = {0};
  gpugeo_closest_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  const gpugeo_status status = find(g, &c, result);
  g->own = NULL;
  table_free(&c.box);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"closest"}, .least = 100, .compute = compute};
  return golden_main(argc, argv, &family);
}
