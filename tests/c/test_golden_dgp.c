/* Golden cases of one-dimensional distance geometry: cycles, and all sums. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  gpugeo_dgp_options *options = g->own;
  if (strcmp(name, "tol") == 0)
    return golden_number(g, name, GG_FROM_ZERO, value, &options->tol);
  else if (strcmp(name, "max_solutions") == 0)
    return golden_whole(g, name, value, &options->max_solutions);
  else if (strcmp(name, "symmetric") == 0)
    options->symmetric = golden_flag(value);
  else if (strcmp(name, "exact") == 0)
    options->exact = golden_flag(value);
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

static double number(gpugeo_uint128 a) { return (double)a.high * 0x1p64 + (double)a.low; }

/* A line for each solution: row from 1, residual, count, expected; one of 0, 0 where only the count
   was asked for. */
static gpugeo_status cycle(golden *g, gpugeo_dgp_options *options, golden_result *result) {
  const double *d = g->x.data;
  const int64_t n = g->x.nrow;
  gpugeo_dgp_result found;
  int64_t size = 0;
  const char *algorithm = g->field[GOLDEN_METHOD];
  gpugeo_status status = GPUGEO_OK;
  if (algorithm[0])
    status = gpugeo_find(GPUGEO_ENUM_DGP_ALGORITHM, algorithm, (int32_t *)&options->algorithm,
                         &g->error);
  options->run = g->run;
  if (!status) status = gpugeo_dgp_size(d, n, options, &size, &g->error);
  if (status) return status;
  gpugeo_dgp_solution *solutions = malloc((size_t)(size + 1) * sizeof *solutions);
  status = gpugeo_dgp(d, n, options, &found, solutions, &result->report, &g->error);
  if (!status) {
    const int64_t lines = options->max_solutions ? found.returned : 1;
    double *values = malloc((size_t)(4 * lines + 1) * sizeof *values);
    const double beside[] = {number(found.count), found.expected};
    for (int64_t i = 0; i < lines; ++i) {
      values[i] = options->max_solutions ? number(solutions[i].row) + 1 : 0;
      values[i + lines] = options->max_solutions ? solutions[i].residual : 0;
      values[i + 2 * lines] = beside[0];
      values[i + 3 * lines] = beside[1];
    }
    result->values = values;
    result->rows = lines;
    result->columns = 4;
  }
  free(solutions);
  return status;
}

static gpugeo_status all_sums(golden *g, golden_result *result) {
  int64_t size = 0;
  gpugeo_status status = gpugeo_dgp_sums_size(g->x.data, g->x.nrow, &g->run, &size, &g->error);
  if (status) return status;
  result->values = malloc((size_t)size * sizeof(double));
  result->rows = size;
  result->columns = 1;
  return gpugeo_dgp_sums(g->x.data, g->x.nrow, &g->run, result->values, &result->report, &g->error);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  g->own = &options;
  gpugeo_status status = golden_options(g, take_option);
  if (status) return status;
  return strcmp(g->field[GOLDEN_FUNCTION], "dgp") == 0 ? cycle(g, &options, result)
                                                       : all_sums(g, result);
}

int main(int argc, char **argv) {
  static const golden_family family = {
      .functions = {"dgp", "dgp_sums"}, .least = 140, .compute = compute};
  return golden_main(argc, argv, &family);
}
