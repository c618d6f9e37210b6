#include "common/error.h"
#include "common/uint128.h"
#include "entry.h"
#include "run.h"

static gpugeo_status read_options(SEXP tol, SEXP algorithm, SEXP max_solutions, SEXP exact,
                                  SEXP symmetric, SEXP prune, gpugeo_dgp_options *options,
                                  gpugeo_error *error) {
  const char *name;
  bool is_exact = false, is_symmetric = false, is_pruned = false;
  gpugeo_status status = gg_r_number(tol, "tol", GG_FROM_ZERO, &options->tol, error);
  if (!status) status = gg_r_string(algorithm, "algorithm", &name, error);
  if (!status) status = gpugeo_dgp_algorithm_find(name, &options->algorithm, error);
  if (!status)
    status = gg_r_any_whole(max_solutions, "max_solutions", &options->max_solutions, error);
  if (!status) status = gg_r_flag(exact, "exact", &is_exact, error);
  if (!status) status = gg_r_flag(symmetric, "symmetric", &is_symmetric, error);
  if (!status) status = gg_r_flag(prune, "prune", &is_pruned, error);
  options->exact = is_exact;
  options->symmetric = is_symmetric;
  options->prune = is_pruned;
  return status;
}

/* Returns list(count, count_text, expected, rows, signs, positions, residual, algorithm,
   backend). */
static SEXP as_list(const double *d, int64_t n, const gpugeo_dgp_result *result,
                    const gpugeo_dgp_solution *solutions, const gpugeo_report *report) {
  const char *names[] = {"count",     "count_text", "expected",  "rows",    "signs",
                         "positions", "residual",   "algorithm", "backend", ""};
  const int64_t found = result->returned;
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, Rf_ScalarReal(gg_uint128_double(result->count)));
  SET_VECTOR_ELT(list, 1, Rf_mkString(gpugeo_uint128_decimal(result->count).digits));
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal(result->expected));
  SEXP rows = Rf_allocVector(STRSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 3, rows);
  SEXP signs = Rf_allocMatrix(INTSXP, (int)found, (int)n);
  SET_VECTOR_ELT(list, 4, signs);
  SEXP positions = Rf_allocMatrix(REALSXP, (int)found, (int)n + 1);
  SET_VECTOR_ELT(list, 5, positions);
  SEXP residual = Rf_allocVector(REALSXP, (R_xlen_t)found);
  SET_VECTOR_ELT(list, 6, residual);
  SET_VECTOR_ELT(list, 7, Rf_mkString(gpugeo_dgp_algorithm_name(result->algorithm)));
  SET_VECTOR_ELT(list, 8, Rf_mkString(gpugeo_backend_name(report->backend)));
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

SEXP gg_r_dgp(SEXP d, SEXP tol, SEXP algorithm, SEXP max_solutions, SEXP exact, SEXP symmetric,
              SEXP prune, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_dgp_result result;
  gpugeo_report report;
  gg_r_hooks hooks;
  const double *distances;
  int64_t n = 0, size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  gpugeo_status status = gg_r_doubles(d, "d", &distances, &n, &error);
  if (!status)
    status = read_options(tol, algorithm, max_solutions, exact, symmetric, prune, &options, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status) status = gpugeo_dgp_size(distances, n, &options, &size, &error);
  if (status) gg_r_stop(&error, call);

  /* R frees this when the call ends, also after an error. */
  gpugeo_dgp_solution *solutions = (gpugeo_dgp_solution *)R_alloc((size_t)size, sizeof *solutions);
  status = gpugeo_dgp(distances, n, &options, &result, solutions, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  SEXP list = PROTECT(as_list(distances, n, &result, solutions, &report));
  gg_r_report(&report, "gpu_dgp", call, environment);
  UNPROTECT(2);
  return list;
}

SEXP gg_r_dgp_sums(SEXP d, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_report report;
  gpugeo_run run;
  gg_r_hooks hooks;
  const double *distances;
  int64_t n = 0, size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_run_init(&run, sizeof run);
  gpugeo_status status = gg_r_doubles(d, "d", &distances, &n, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &run, &error);
  if (!status) status = gpugeo_dgp_sums_size(distances, n, &run, &size, &error);
  if (status) gg_r_stop(&error, call);

  SEXP sums = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  status = gpugeo_dgp_sums(distances, n, &run, REAL(sums), &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  gg_r_report(&report, "gpu_dgp_sums", call, environment);
  UNPROTECT(2);
  return sums;
}

SEXP gg_r_dgp_instance(SEXP n, SEXP seed, SEXP call) {
  gpugeo_error error;
  double distances[GPUGEO_DGP_DISTANCES_MAX];
  int64_t count = 0, start = 0;
  gpugeo_status status = gg_r_any_whole(n, "n", &count, &error);
  if (!status) status = gg_r_whole(seed, "seed", 0, (int64_t)1 << 53, &start, &error);
  if (!status) status = gpugeo_dgp_instance(count, (uint64_t)start, distances, &error);
  if (status) gg_r_stop(&error, call);
  SEXP made = Rf_allocVector(REALSXP, (R_xlen_t)count);
  for (int64_t j = 0; j < count; ++j)
    REAL(made)[j] = distances[j];
  return made;
}
