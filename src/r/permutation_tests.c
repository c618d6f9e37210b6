#include "distances.h"
#include "entry.h"

/* Reads the design, whose shapes the R code has made. */
static gpugeo_design read_design(const gg_r_call *call) {
  const SEXP basis = gg_r_option(call, "basis"), group = gg_r_option(call, "group");
  const SEXP order = gg_r_option(call, "order");
  gpugeo_design design = {
      .points = Rf_nrows(order), .order = INTEGER_RO(order), .permutations = Rf_ncols(order)};
  if (basis != R_NilValue) {
    design.basis = REAL_RO(basis);
    design.columns = Rf_ncols(basis);
  } else {
    design.group = INTEGER_RO(group);
    design.groups = Rf_asInteger(gg_r_option(call, "groups"));
  }
  return design;
}

SEXP gg_r_permanova(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_permanova_options options;
  int64_t n = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_permanova_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_flag(&call, "root", &options.root);
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call, gpugeo_permanova_size(&distances.given, &options, &n, &call.error));
  gg_r_require(&call);

  const gpugeo_design design = read_design(&call);
  const char *names[] = {"sums", "total", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP sums =
      Rf_allocMatrix(REALSXP, (int)design.permutations + 1, design.basis ? (int)design.columns : 1);
  SET_VECTOR_ELT(made, 0, sums);
  SEXP total = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, 1));
  const gpugeo_status status = gpugeo_permanova(&distances.given, &options, &design, REAL(sums),
                                                REAL(total), &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_adonis2", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_anosim(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_anosim_options options;
  int64_t n = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_anosim_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call, gpugeo_anosim_size(&distances.given, &options, &n, &call.error));
  gg_r_require(&call);

  const gpugeo_design design = read_design(&call);
  const char *names[] = {"statistic", "ranks", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP statistic =
      SET_VECTOR_ELT(made, 0, Rf_allocVector(REALSXP, (R_xlen_t)design.permutations + 1));
  SEXP ranks = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, (R_xlen_t)(n * (n - 1) / 2)));
  const gpugeo_status status = gpugeo_anosim(&distances.given, &options, &design, REAL(statistic),
                                             REAL(ranks), &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_anosim", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_mrpp(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mrpp_options options;
  int64_t n = 0, type = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_mrpp_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_whole(&call, "weight.type", 1, 3, &type);
  options.weight_type = (int32_t)type;
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call, gpugeo_mrpp_size(&distances.given, &options, &n, &call.error));
  gg_r_require(&call);

  const gpugeo_design design = read_design(&call);
  const char *names[] = {"delta", "group_mean", "mean", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP delta = SET_VECTOR_ELT(made, 0, Rf_allocVector(REALSXP, (R_xlen_t)design.permutations + 1));
  SEXP within = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, (R_xlen_t)design.groups));
  SEXP mean = SET_VECTOR_ELT(made, 2, Rf_allocVector(REALSXP, 1));
  const gpugeo_status status = gpugeo_mrpp(&distances.given, &options, &design, REAL(delta),
                                           REAL(within), REAL(mean), &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_mrpp", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_mantel(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  enum { SIDES = 3 };
  static const char *const names[] = {"x", "y", "z"};
  static const char *const sources[] = {"source", "source_y", "source_z"};
  gg_r_call call;
  gg_r_distances side[SIDES];
  gpugeo_mantel_options options;
  const int sides = Rf_length(inputs) / 2;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  for (int s = 0; s < SIDES; ++s)
    PROTECT(gg_r_begin_distances(&side[s]));
  gpugeo_mantel_options_init(&options, sizeof options);
  for (int s = 0; s < sides; ++s)
    gg_r_read_stored(&call, names[s], sources[s], 2 * s, &side[s]);
  options.method = gg_r_choice(&call, "method", GPUGEO_ENUM_COR_METHOD);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);

  const SEXP order = gg_r_option(&call, "order");
  SEXP statistic = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)Rf_ncols(order) + 1));
  const gpugeo_status status =
      gpugeo_mantel(&side[0].given, &side[1].given, sides > 2 ? &side[2].given : NULL, &options,
                    INTEGER_RO(order), Rf_ncols(order), REAL(statistic), &call.report, &call.error);
  for (int s = 0; s < SIDES; ++s)
    gg_r_close_distances(&side[s]);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_mantel", NULL);
  UNPROTECT(SIDES + 2);
  return statistic;
}
