/* Tables of communities: standardization, diversity, expected species, beta diversity. */
#include "common/error.h"
#include "communities/simper.h"
#include "entry.h"

/* Begins a call whose first input is a table. */
static SEXP begin_table(gg_r_call *call, gpugeo_matrix *x, SEXP inputs, SEXP options, SEXP settings,
                        SEXP r_call) {
  SEXP begun = gg_r_begin(call, inputs, options, settings, r_call);
  gg_r_matrix(call, gg_r_input(call, 0), "x", x);
  return begun;
}

SEXP gg_r_decostand(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix x = {0};
  gpugeo_decostand_options read;
  PROTECT(begin_table(&call, &x, inputs, options, settings, r_call));
  gpugeo_decostand_options_init(&read, sizeof read);
  gg_r_read_options(&call, &gg_decostand_options, &read);
  gg_r_settings(&call, &read.run);
  gg_r_require(&call);
  const bool stored = x.sparse && !gpugeo_standard_fills(read.method);
  const int64_t most = x.nrow > x.ncol ? x.nrow : x.ncol;
  const char *names[] = {"values",   "first",     "second", "number", "MARGIN", "method",
                         "negative", "undefined", "stored", "names",  ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP out = gg_r_set_vector(made, 0, REALSXP, stored ? x.sparse->stored : x.nrow * x.ncol);
  gpugeo_decostand_numbers numbers = {.first = REAL(gg_r_set_vector(made, 1, REALSXP, most)),
                                      .second = REAL(gg_r_set_vector(made, 2, REALSXP, most))};
  gg_r_finish(&call, gpugeo_decostand(&x, &read, REAL(out), &numbers, &call.report, &call.error));
  SET_VECTOR_ELT(made, 1, Rf_xlengthgets(VECTOR_ELT(made, 1), (R_xlen_t)numbers.first_length));
  SET_VECTOR_ELT(made, 2, Rf_xlengthgets(VECTOR_ELT(made, 2), (R_xlen_t)numbers.second_length));
  gg_r_set_number(made, 3, numbers.number);
  gg_r_set_number(made, 4, numbers.margin);
  SET_VECTOR_ELT(made, 5, Rf_mkString(gpugeo_name(GPUGEO_ENUM_STANDARD, read.method)));
  SET_VECTOR_ELT(made, 6, Rf_ScalarLogical(numbers.negative));
  SET_VECTOR_ELT(made, 7, Rf_ScalarLogical(numbers.undefined));
  SET_VECTOR_ELT(made, 8, Rf_ScalarLogical(stored));
  SEXP its_names = gg_r_set_vector(made, 9, STRSXP, 2);
  SET_STRING_ELT(its_names, 0, Rf_mkChar(numbers.first_name));
  SET_STRING_ELT(its_names, 1, Rf_mkChar(numbers.second_name));
  UNPROTECT(2);
  return made;
}

SEXP gg_r_diversity(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix x = {0};
  gpugeo_diversity_options read;
  PROTECT(begin_table(&call, &x, inputs, options, settings, r_call));
  gpugeo_diversity_options_init(&read, sizeof read);
  gg_r_read_options(&call, &gg_diversity_options, &read);
  gg_r_settings(&call, &read.run);
  gg_r_require(&call);
  int64_t count = read.groups ? 0 : x.nrow;
  for (int64_t i = 0; i < read.groups_length; ++i)
    if (read.groups[i] > count) count = read.groups[i];
  SEXP made = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  gg_r_finish(&call, gpugeo_diversity(&x, &read, REAL(made), &call.report, &call.error));
  UNPROTECT(2);
  return made;
}

SEXP gg_r_expected_species(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix x = {0};
  gpugeo_run run;
  int32_t se = 0;
  const double *sample = NULL;
  int64_t samples = 0;
  PROTECT(begin_table(&call, &x, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_doubles(&call, gg_r_input(&call, 1), "sample", &sample, &samples);
  gg_r_flag(&call, "se", &se);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  const char *names[] = {"S", "se", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  double *species = REAL(gg_r_set_vector(made, 0, REALSXP, x.nrow * samples));
  double *errors = REAL(gg_r_set_vector(made, 1, REALSXP, se ? x.nrow * samples : 0));
  gg_r_finish(&call, gpugeo_rarefy(&x, sample, samples, &run, species, se ? errors : NULL,
                                   &call.report, &call.error));
  UNPROTECT(2);
  return made;
}

SEXP gg_r_betadiver(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_betadiver_options read;
  const double *species = NULL, *d = NULL;
  int64_t n = 0, pairs = 0;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_betadiver_options_init(&read, sizeof read);
  gg_r_read_options(&call, &gg_betadiver_options, &read);
  gg_r_settings(&call, &read.run);
  gg_r_doubles(&call, gg_r_input(&call, 0), "species", &species, &n);
  gg_r_doubles(&call, gg_r_input(&call, 1), "d", &d, &pairs);
  gg_r_require(&call);
  SEXP made = PROTECT(Rf_duplicate(gg_r_input(&call, 1)));
  gg_r_finish(&call, gpugeo_betadiver(n, species, &read, REAL(made), &call.report, &call.error));
  UNPROTECT(2);
  return made;
}

/* Does the work of gg_r_simper(). */
static gpugeo_status count_or_average(const gg_simper_plan *plan, SEXP order, SEXP made,
                                      const gpugeo_run *run, gg_r_call *call) {
  gg_call own;
  double *first = REAL(VECTOR_ELT(made, 0)), *second = REAL(VECTOR_ELT(made, 1));
  gg_call_begin(&own, run, &call->report, &call->error);
  if (order == R_NilValue)
    gg_simper_averages(plan, first, second, &own);
  else
    gg_simper_count(plan, INTEGER_RO(order), Rf_ncols(order), REAL_RO(gg_r_option(call, "average")),
                    first, &own);
  return gg_call_end(&own);
}

SEXP gg_r_simper(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  gpugeo_matrix x = {0};
  PROTECT(begin_table(&call, &x, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  const SEXP group = gg_r_option(&call, "group"), order = gg_r_option(&call, "order");
  const gg_simper_plan plan = {.x = &x, .group = group == R_NilValue ? NULL : INTEGER_RO(group)};
  const char *names[] = {"first", "second", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gg_r_set_vector(made, 0, REALSXP, x.ncol);
  gg_r_set_vector(made, 1, REALSXP, x.ncol);
  gg_r_finish(&call, count_or_average(&plan, order, made, &run, &call));
  gg_r_report(&call, "gpu_simper", NULL);
  UNPROTECT(2);
  return made;
}
