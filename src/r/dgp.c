#include "call.h"
#include "common/error.h"
#include "common/uint128.h"
#include "entry.h"

/* Returns list(count, count_text, expected, rows, signs, positions, residual, algorithm,
   backend). */
static SEXP as_list(const double *d, int64_t n, const gpugeo_dgp_result *result,
                    const gpugeo_dgp_solution *solutions, const gpugeo_report *report) {
  const char *names[] = {"count",     "count_text", "expected",  "rows",    "signs",
                         "positions", "residual",   "algorithm", "backend", ""};
  const int64_t found = result->returned;
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  gg_r_set_number(list, 0, gg_uint128_double(result->count));
  SET_VECTOR_ELT(list, 1, Rf_mkString(gpugeo_uint128_decimal(result->count).digits));
  gg_r_set_number(list, 2, result->expected);
  SEXP rows = Rf_allocVector(STRSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 3, rows);
  SEXP signs = Rf_allocMatrix(INTSXP, (int)found, (int)n);
  SET_VECTOR_ELT(list, 4, signs);
  SEXP positions = Rf_allocMatrix(REALSXP, (int)found, (int)n + 1);
  SET_VECTOR_ELT(list, 5, positions);
  SEXP residual = Rf_allocVector(REALSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 6, residual);
  SET_VECTOR_ELT(list, 7, Rf_mkString(gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, result->algorithm)));
  SET_VECTOR_ELT(list, 8, Rf_mkString(gpugeo_name(GPUGEO_ENUM_BACKEND, report->backend)));
  double *line = (double *)R_alloc((size_t)n + 1, sizeof *line);
  for (int64_t i = 0; i < found; ++i) {
    const gpugeo_uint128 row = solutions[i].row;
    const gpugeo_decimal number =
        gpugeo_uint128_decimal(gg_uint128_add(row, gg_uint128_make(1, 0)));
    SET_STRING_ELT(rows, (R_xlen_t)i, Rf_mkChar(number.digits));
    REAL(residual)[i] = solutions[i].residual;
    gpugeo_dgp_positions(d, n, row, line);
    for (int64_t j = 0; j <= n; ++j)
      REAL(positions)[i + j * found] = line[j];
    for (int64_t j = 0; j < n; ++j)
      INTEGER(signs)[i + j * found] = gg_uint128_bit(row, (int)j) ? 1 : -1;
  }
  UNPROTECT(1);
  return list;
}

SEXP gg_r_dgp(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dgp_options options;
  gpugeo_dgp_result result;
  const double *distances = NULL;
  int64_t n = 0, size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dgp_options_init(&options, sizeof options);
  gg_r_doubles(&call, gg_r_input(&call, 0), "d", &distances, &n);
  gg_r_read_options(&call, &gg_dgp_options, &options);
  gg_r_settings(&call, &options.run);
  if (!call.status) gg_r_check(&call, gpugeo_dgp_size(distances, n, &options, &size, &call.error));
  gg_r_require(&call);

  /* R frees this when the call ends, also after an error. */
  gpugeo_dgp_solution *solutions = (gpugeo_dgp_solution *)R_alloc((size_t)size, sizeof *solutions);
  gg_r_finish(&call,
              gpugeo_dgp(distances, n, &options, &result, solutions, &call.report, &call.error));
  SEXP made = PROTECT(as_list(distances, n, &result, solutions, &call.report));
  gg_r_report(&call, "gpu_dgp", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_dgp_sums(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  const double *distances = NULL;
  int64_t n = 0, size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_doubles(&call, gg_r_input(&call, 0), "d", &distances, &n);
  gg_r_settings(&call, &run);
  if (!call.status) gg_r_check(&call, gpugeo_dgp_sums_size(distances, n, &run, &size, &call.error));
  gg_r_require(&call);

  SEXP sums = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, gpugeo_dgp_sums(distances, n, &run, REAL(sums), &call.report, &call.error));
  gg_r_report(&call, "gpu_dgp_sums", NULL);
  UNPROTECT(2);
  return sums;
}

SEXP gg_r_dgp_instance(SEXP list, SEXP r_call) {
  gg_r_call call;
  double distances[GPUGEO_DGP_DISTANCES_MAX];
  int64_t count = 0, start = 0;
  PROTECT(gg_r_begin(&call, R_NilValue, list, R_NilValue, r_call));
  gg_r_any_whole(&call, "n", &count);
  gg_r_whole(&call, "seed", 0, (int64_t)1 << 53, &start);
  if (!call.status)
    gg_r_check(&call, gpugeo_dgp_instance(count, (uint64_t)start, distances, &call.error));
  gg_r_require(&call);
  SEXP made = Rf_allocVector(REALSXP, (R_xlen_t)count);
  for (int64_t j = 0; j < count; ++j)
    REAL(made)[j] = distances[j];
  UNPROTECT(1);
  return made;
}
