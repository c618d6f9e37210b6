/* Golden cases of distance, correlation and covariance matrices. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct distance_case {
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  table scale, cov, types, weights;
  table cor_weights;
  double *cov_data, *weights_data; /* column-major */
} distance_case;

/* Copies a table as a matrix; *data is to be freed. */
static gpugeo_matrix copy_columns(const table *from, double **data) {
  const int64_t rows = from->rows, columns = from->columns;
  *data = malloc((size_t)(rows * columns + 1) * sizeof **data);
  for (int64_t i = 0; i < rows * columns; ++i)
    (*data)[i / columns + i % columns * rows] = from->values[i];
  return (gpugeo_matrix){*data, GPUGEO_TYPE_DOUBLE, rows, columns, rows, NULL};
}

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  distance_case *c = g->own;
  if (strcmp(name, "p") == 0) {
    return golden_number(g, name, GG_EXPONENT, value, &c->dist.metric.p);
  } else if (strcmp(name, "scale") == 0) {
    c->scale = golden_table(value);
    c->dist.metric.scale = c->scale.values;
    c->dist.metric.scale_length = c->scale.rows * c->scale.columns;
  } else if (strcmp(name, "types") == 0) {
    c->types = golden_table(value);
    c->dist.metric.types = c->types.values;
    c->dist.metric.types_length = c->types.rows * c->types.columns;
  } else if (strcmp(name, "column_weights") == 0) {
    c->weights = golden_table(value);
    c->dist.metric.column_weights = c->weights.values;
    c->dist.metric.weights_length = c->weights.rows * c->weights.columns;
  } else if (strcmp(name, "cov") == 0) {
    c->cov = golden_table(value);
    c->dist.metric.cov = copy_columns(&c->cov, &c->cov_data);
  } else if (strcmp(name, "weights") == 0) {
    c->cor_weights = golden_table(value);
    c->cor.weights_x = copy_columns(&c->cor_weights, &c->weights_data);
  } else if (strcmp(name, "cosine") == 0) {
    c->cor.cosine_x = c->cor.cosine_y = golden_flag(value);
  } else if (strcmp(name, "maxPOutliers") == 0) {
    return golden_number(g, name, GG_SHARE, value, &c->cor.max_outliers);
  } else if (strcmp(name, "use") == 0) {
    return gpugeo_find(GPUGEO_ENUM_COR_USE, value, (int32_t *)&c->cor.use, &g->error);
  } else if (strcmp(name, "opt") == 0) {
    int64_t opt = 0;
    const gpugeo_status status = golden_count(g, name, value, 0, 1, &opt);
    c->cor.covariance = opt ? GPUGEO_COVARIANCE_POPULATION : GPUGEO_COVARIANCE_MATLAB;
    return status;
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

static void *room(int64_t size) { return malloc((size_t)size * sizeof(double) + 1); }

static gpugeo_status correlations(golden *g, gpugeo_cor_options *options, golden_result *result) {
  int64_t size = 0;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_COR_METHOD, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options->method, &g->error);
  options->run = g->run;
  if (!status) status = gpugeo_cor_size(&g->x, g->y, options, g->type, &size, &g->error);
  if (status) return status;
  result->values = room(size);
  result->rows = g->x.ncol;
  result->columns = g->y ? g->y->ncol : g->x.ncol;
  return gpugeo_cor(&g->x, g->y, options, g->type, result->values, &result->report, &g->error);
}

static gpugeo_status distances(golden *g, gpugeo_dist_options *options, golden_result *result) {
  int64_t size = 0;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options->metric.kind, &g->error);
  const bool condensed = strcmp(g->field[GOLDEN_FUNCTION], "dist") == 0;
  options->shape = condensed ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL;
  options->run = g->run;
  if (!status) status = gpugeo_dist_size(&g->x, g->y, options, g->type, &size, &g->error);
  if (status) return status;
  result->values = room(size);
  result->rows = condensed ? size : g->x.nrow;
  result->columns = condensed ? 1 : g->y->nrow;
  return gpugeo_dist(&g->x, g->y, options, g->type, result->values, &result->report, &g->error);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  distance_case c = {0};
  gpugeo_dist_options_init(&c.dist, sizeof c.dist);
  gpugeo_cor_options_init(&c.cor, sizeof c.cor);
  const char *function = g->field[GOLDEN_FUNCTION];
  const bool covariances = strcmp(function, "cov") == 0;
  if (covariances) c.cor.covariance = GPUGEO_COVARIANCE_SAMPLE;
  g->own = &c;
  gpugeo_status status = golden_options(g, take_option);
  if (!status)
    status = covariances || strcmp(function, "cor") == 0 ? correlations(g, &c.cor, result)
                                                         : distances(g, &c.dist, result);
  table_free(&c.scale);
  table_free(&c.cov);
  table_free(&c.types);
  table_free(&c.weights);
  table_free(&c.cor_weights);
  free(c.cov_data);
  free(c.weights_data);
  return status;
}

int main(int argc, char **argv) {
  static const golden_family family = {.functions = {"dist", "cdist", "cor", "cov"},
                                       .least = 700,
                                       .compute = compute,
                                       .sparse = true};
  return golden_main(argc, argv, &family);
}
