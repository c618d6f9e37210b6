/* Distance geometry in one dimension: cycles. */
#include <string.h>

#include "common/error.h"
#include "common/uint128.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

static void read_options(gg_mex_call *call, gpugeo_dgp_options *options) {
  gpugeo_dgp_options_init(options, sizeof *options);
  gg_mex_read_options(call, &gg_dgp_options, options);
  gg_mex_settings(call, false, &options->run);
  options->run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
}

/* The distances around a cycle. */
typedef struct cycle {
  const double *d;
  int64_t n;
} cycle;

/* Writes the rows' numbers, from 1, as text. */
static void set_rows(mxArray *made, const gpugeo_dgp_solution *solutions, int64_t found) {
  mxArray *rows = mxCreateCellMatrix((mwSize)found, 1);
  for (int64_t i = 0; i < found; ++i) {
    const gpugeo_uint128 number = gg_uint128_add(solutions[i].row, gg_uint128_make(1, 0));
    mxSetCell(rows, (mwIndex)i, mxCreateString(gpugeo_uint128_decimal(number).digits));
  }
  gg_mex_set(made, "rows", rows);
}

/* Writes signs, positions and residuals, a row for each solution. */
static void set_solutions(gg_mex_call *call, mxArray *made, const cycle *of,
                          const gpugeo_dgp_solution *solutions, int64_t found) {
  const int64_t n = of->n;
  double *signs = gg_mex_set_doubles(call, made, "signs", found, n);
  double *positions = gg_mex_set_doubles(call, made, "positions", found, n + 1);
  double *residual = gg_mex_set_doubles(call, made, "residual", found, 1);
  double *row = gg_mex_allocate(call, n + 1, sizeof *row);
  if (call->status) return;
  for (int64_t i = 0; i < found; ++i) {
    residual[i] = solutions[i].residual;
    gpugeo_dgp_positions(of->d, n, solutions[i].row, row);
    for (int64_t j = 0; j <= n; ++j)
      positions[i + j * found] = row[j];
    for (int64_t j = 0; j < n; ++j)
      signs[i + j * found] = gg_uint128_bit(solutions[i].row, (int)j) ? 1 : -1;
  }
}

void gg_mex_dgp(gg_mex_call *call) {
  gpugeo_dgp_options options;
  cycle of = {NULL, 0};
  gg_mex_doubles(call, call->inputs[0], "d", &of.d, &of.n);
  read_options(call, &options);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_dgp_size(of.d, of.n, &options, &size, &call->error))) return;
  gpugeo_dgp_solution *solutions = gg_mex_allocate(call, size, sizeof *solutions);
  if (!solutions) return;
  gpugeo_dgp_result result;
  call->status = gpugeo_dgp(of.d, of.n, &options, &result, solutions, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;

  mxArray *made = gg_mex_structure_result(call, 0);
  gg_mex_set_number(made, "count", gg_uint128_double(result.count));
  gg_mex_set_text(made, "count_text", gpugeo_uint128_decimal(result.count).digits);
  gg_mex_set_number(made, "expected", result.expected);
  set_rows(made, solutions, result.returned);
  set_solutions(call, made, &of, solutions, result.returned);
  gg_mex_set_text(made, "algorithm", gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, result.algorithm));
  gg_mex_set_text(made, "backend", gpugeo_name(GPUGEO_ENUM_BACKEND, call->report.backend));
  gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_dgp_sums(gg_mex_call *call) {
  gpugeo_run run;
  cycle of = {NULL, 0};
  gpugeo_run_init(&run, sizeof run);
  gg_mex_doubles(call, call->inputs[0], "d", &of.d, &of.n);
  gg_mex_settings(call, false, &run);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_dgp_sums_size(of.d, of.n, &run, &size, &call->error))) return;
  double *sums = gg_mex_doubles_result(call, 0, size, 1);
  if (call->status) return;
  call->status = gpugeo_dgp_sums(of.d, of.n, &run, sums, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_dgp_instance(gg_mex_call *call) {
  int64_t n = 0, seed = 0;
  double distances[GPUGEO_DGP_DISTANCES_MAX];
  const gg_given n_given = gg_mex_given(call->inputs[0]);
  const gg_given seed_given = gg_mex_given(call->inputs[1]);
  if (!gg_mex_check(call, gg_any_whole_number("n", &n_given, &n, &call->error)) ||
      !gg_mex_check(
          call, gg_whole_number("seed", &seed_given, 0, (int64_t)1 << 53, &seed, &call->error)) ||
      !gg_mex_check(call, gpugeo_dgp_instance(n, (uint64_t)seed, distances, &call->error)))
    return;
  double *made = gg_mex_doubles_result(call, 0, n, 1);
  if (made) memcpy(made, distances, (size_t)n * sizeof *made);
}
