/* Multidimensional scaling and principal coordinates. */
#include "common/call.h"
#include "common/context.h"
#include "common/integer.h"
#include "common/memory.h"
#include "distances.h"
#include "entry.h"
#include "ordination/eigengenes.h"
#include "ordination/nmds.h"
#include "ordination/ranks.h"

SEXP gg_r_mds(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mds_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_mds_options, &options,
                                        &options.metric, &options.run);

  const char *names[] = {"conf", "stress", "iterations", "converged", "disparities", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_mds_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k)))};
  if (options.type == GPUGEO_MDS_TYPE_ORDINAL)
    result.disparities = REAL(gg_r_set_vector(made, 4, REALSXP, gg_pairs_room(n, GG_RANKS_POINTS)));
  gg_r_finish(&call, gpugeo_mds(&distances.given, &options, &result, &call.report, &call.error));
  gg_r_set_number(made, 1, result.stress);
  gg_r_set_number(made, 2, (double)result.iterations);
  SET_VECTOR_ELT(made, 3, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_mds", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_pcoa(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_pcoa_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_pcoa_options, &options,
                                        &options.metric, &options.run);

  const char *names[] = {"points",   "eigenvalue", "residual", "positive",  "trace", "negative",
                         "smallest", "constant",   "passes",   "converged", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_pcoa_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k))),
      .eigenvalue = REAL(gg_r_set_vector(made, 1, REALSXP, k)),
      .residual = REAL(gg_r_set_vector(made, 2, REALSXP, k))};
  gg_r_finish(&call, gpugeo_pcoa(&distances.given, &options, &result, &call.report, &call.error));
  gg_r_set_number(made, 3, (double)result.positive);
  gg_r_set_number(made, 4, result.trace);
  gg_r_set_number(made, 5, result.negative_sum);
  gg_r_set_number(made, 6, result.smallest);
  gg_r_set_number(made, 7, result.constant);
  gg_r_set_number(made, 8, (double)result.passes);
  SET_VECTOR_ELT(made, 9, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_pcoa", NULL);
  UNPROTECT(2);
  return made;
}

/* Returns a number among the options. */
static double number_of(const gg_r_call *call, const char *name) {
  return Rf_asReal(gg_r_option(call, name));
}

/* Reads the pairs, the starts and what ends a search. */
static gg_nmds_plan read_starts(const gg_r_call *call, const gpugeo_run *run) {
  const SEXP starts = gg_r_option(call, "starts"), delta = gg_r_option(call, "delta");
  const int *shape = INTEGER_RO(Rf_getAttrib(starts, R_DimSymbol));
  return (gg_nmds_plan){.n = shape[0],
                        .k = shape[1],
                        .starts = shape[2],
                        .pairs = XLENGTH(delta),
                        .row = INTEGER_RO(gg_r_option(call, "row")),
                        .column = INTEGER_RO(gg_r_option(call, "column")),
                        .delta = REAL_RO(delta),
                        .linear = Rf_asLogical(gg_r_option(call, "linear")),
                        .strong = Rf_asLogical(gg_r_option(call, "strong")),
                        .most = (int64_t)number_of(call, "maxit"),
                        .least_stress = number_of(call, "smin"),
                        .least_gradient = number_of(call, "sfgrmin"),
                        .largest_ratio = number_of(call, "sratmax"),
                        .threads = gg_threads(run->threads),
                        .start = REAL_RO(starts)};
}

/* Checks the memory and searches. */
static gpugeo_status search_starts(const gg_nmds_plan *plan, const gpugeo_run *run,
                                   gg_r_call *call) {
  gg_call own;
  const double threads = (double)(plan->threads < plan->starts ? plan->threads : plan->starts);
  gg_call_begin(&own, run, &call->report, &call->error);
  GG_TRY(&own, gg_check_memory(threads * gg_nmds_working(plan), "", own.error,
                               "nonmetric scaling of %lld points on %d threads needs",
                               (long long)plan->n, (int)threads));
  if (!own.status) gg_nmds(plan, &own);
  return gg_call_end(&own);
}

SEXP gg_r_nmds(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_nmds_plan plan = read_starts(&call, &run);
  const char *names[] = {"points", "stress", "iterations", "cause", "distance", "fitted", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  plan.points = REAL(gg_r_set_vector(made, 0, REALSXP, plan.n * plan.k * plan.starts));
  plan.stress = REAL(gg_r_set_vector(made, 1, REALSXP, plan.starts));
  plan.iterations = INTEGER(gg_r_set_vector(made, 2, INTSXP, plan.starts));
  plan.cause = INTEGER(gg_r_set_vector(made, 3, INTSXP, plan.starts));
  plan.distance = REAL(gg_r_set_vector(made, 4, REALSXP, plan.pairs));
  plan.fitted = REAL(gg_r_set_vector(made, 5, REALSXP, plan.pairs));
  gg_r_finish(&call, search_starts(&plan, &run, &call));
  gg_r_report(&call, "gpu_metamds", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_eigengenes(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_run run;
  gg_eigengene_plan plan = {0};
  int32_t scale = 1, align = 1;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_read_points(&call, "y", &in);
  gg_r_doubles(&call, gg_r_option(&call, "module"), "colors", &plan.module, &plan.genes);
  gg_r_whole(&call, "modules", 1, INT32_MAX, &plan.modules);
  gg_r_whole(&call, "nPC", 1, INT32_MAX, &plan.components);
  gg_r_flag(&call, "scale", &scale);
  gg_r_flag(&call, "align", &align);
  gg_r_settings(&call, &run);
  gg_r_require(&call);

  plan.x = &in.x;
  plan.scale = scale;
  plan.align = align;
  const int n = (int)in.x.nrow, modules = (int)plan.modules;
  SEXP made = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, n, modules));
  SET_VECTOR_ELT(made, 1, Rf_allocMatrix(REALSXP, n, modules));
  SET_VECTOR_ELT(made, 2, Rf_allocMatrix(REALSXP, (int)plan.components, modules));
  const gg_eigengene_result result = {.eigengene = REAL(VECTOR_ELT(made, 0)),
                                      .average = REAL(VECTOR_ELT(made, 1)),
                                      .explained = REAL(VECTOR_ELT(made, 2))};
  gg_r_finish(&call, gg_eigengenes(&plan, &run, &result, &call.report, &call.error));
  gg_r_report(&call, "gpu_module_eigengenes", NULL);
  UNPROTECT(2);
  return made;
}
