/* Golden cases of nearest neighbours and of neighbours within a radius. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct neighbor_case {
  gpugeo_knn_options options;
  table scale, cov; /* cov is symmetric, so that its rows are its columns */
} neighbor_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  neighbor_case *c = g->own;
  if (strcmp(name, "k") == 0) {
    return golden_whole(g, name, value, &c->options.k);
  } else if (strcmp(name, "radius") == 0) {
    return golden_number(g, name, GG_RADIUS, value, &c->options.radius);
  } else if (strcmp(name, "p") == 0) {
    return golden_number(g, name, GG_EXPONENT, value, &c->options.metric.p);
  } else if (strcmp(name, "sphere_radius") == 0) {
    return golden_number(g, name, GG_POSITIVE, value, &c->options.metric.sphere_radius);
  } else if (strcmp(name, "scale") == 0) {
    c->scale = golden_table(value);
    c->options.metric.scale = c->scale.values;
    c->options.metric.scale_length = c->scale.rows * c->scale.columns;
  } else if (strcmp(name, "cov") == 0) {
    c->cov = golden_table(value);
    c->options.metric.cov = (gpugeo_matrix){c->cov.values,  GPUGEO_TYPE_DOUBLE, c->cov.rows,
                                            c->cov.columns, c->cov.rows,        NULL};
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

static double *room(golden_result *result, int64_t rows, int64_t columns) {
  result->rows = rows;
  result->columns = columns;
  return result->values = malloc((size_t)(rows * columns) * sizeof(double) + 1);
}

/* A row a point: its neighbours' numbers from 1, then their distances. */
static gpugeo_status find_nearest(golden *g, const gpugeo_knn_options *options,
                                  golden_result *result) {
  int64_t size = 0;
  gpugeo_status status = gpugeo_knn_size(&g->x, g->y, options, &size, &g->error);
  if (status) return status;
  double *values = room(result, size / options->k, 2 * options->k);
  int32_t *index = malloc((size_t)size * sizeof *index + 1);
  status = gpugeo_knn(&g->x, g->y, options, index, values + size, &result->report, &g->error);
  for (int64_t e = 0; !status && e < size; ++e)
    values[e] = index[e] + 1.0;
  free(index);
  return status;
}

/* A row a neighbour: the point, the neighbour, their distance. */
static gpugeo_status find_near(golden *g, const gpugeo_knn_options *options,
                               golden_result *result) {
  gpugeo_neighbors found;
  const gpugeo_status status =
      gpugeo_radius(&g->x, g->y, options, &found, &result->report, &g->error);
  if (status) return status;
  const int64_t total = found.start[found.points];
  double *values = room(result, total, 3);
  for (int64_t i = 0; i < found.points; ++i)
    for (int64_t e = found.start[i]; e < found.start[i + 1]; ++e) {
      values[e] = (double)i + 1;
      values[e + total] = found.index[e] + 1.0;
      values[e + 2 * total] = found.distance[e];
    }
  gpugeo_neighbors_free(&found);
  return GPUGEO_OK;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  neighbor_case c = {0};
  gpugeo_knn_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.options.run = g->run;
  const bool nearest = strcmp(g->field[GOLDEN_FUNCTION], "knn") == 0;
  if (!status)
    status = nearest ? find_nearest(g, &c.options, result) : find_near(g, &c.options, result);
  g->own = NULL;
  table_free(&c.scale);
  table_free(&c.cov);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {
      .functions = {"knn", "radius"}, .least = 130, .compute = compute, .sparse = true};
  return golden_main(argc, argv, &family);
}
