/* Samples on trees. */
#include "unifrac.h"

#include "common/memory.h"
#include "entry.h"
#include "phylo.h"

/* The inputs and options of a call. */
typedef struct unifrac_input {
  gpugeo_matrix x;
  gpugeo_tree tree;
  int32_t *tip;
  gpugeo_unifrac_options options;
} unifrac_input;

/* Reads inputs from `first` on, the options of `list` and the settings. */
static void read_input(gg_r_call *call, int first, SEXP list, unifrac_input *in) {
  const SEXP tip = gg_r_input(call, first + 2), others = call->options;
  gpugeo_unifrac_options_init(&in->options, sizeof in->options);
  gg_r_matrix(call, gg_r_input(call, first), "x", &in->x);
  gg_r_read_phylo(call, gg_r_input(call, first + 1), &in->tree);
  in->tip = (int32_t *)R_alloc((size_t)XLENGTH(tip) + 1, sizeof *in->tip);
  for (R_xlen_t k = 0; k < XLENGTH(tip); ++k)
    in->tip[k] = INTEGER_RO(tip)[k] - 1;
  call->options = list;
  gg_r_read_options(call, &gg_unifrac_options, &in->options);
  call->options = others;
  gg_r_settings(call, &in->options.run);
  gg_r_require(call);
}

SEXP gg_r_unifrac(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  unifrac_input in;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  read_input(&call, 0, options, &in);
  const double n = (double)in.x.nrow, pairs = n > 0 ? n * (n - 1) / 2 : 0;
  gg_r_check(&call, gg_check_result(pairs, GPUGEO_TYPE_DOUBLE, 0, &call.error));
  gg_r_require(&call);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)pairs));
  gg_r_finish(&call, gpugeo_unifrac(&in.x, &in.tree, in.tip, &in.options, REAL(out), &call.report,
                                    &call.error));
  gg_r_report(&call, "gpu_unifrac", NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_faith(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  unifrac_input in;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  read_input(&call, 0, options, &in);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)in.x.nrow));
  gg_r_finish(&call, gpugeo_faith(&in.x, &in.tree, in.tip, &in.options, REAL(out), &call.report,
                                  &call.error));
  gg_r_report(&call, "gpu_diversity", NULL);
  UNPROTECT(2);
  return out;
}

const gpugeo_dist_lazy *gg_r_make_unifrac(gg_r_call *call, int first, SEXP holder) {
  unifrac_input in;
  gpugeo_dist_lazy *made = NULL;
  read_input(call, first, gg_r_input(call, first + 3), &in);
  const gpugeo_status status =
      gpugeo_unifrac_lazy(&in.x, &in.tree, in.tip, &in.options, &made, &call->report, &call->error);
  R_SetExternalPtrAddr(holder, made);
  R_SetExternalPtrTag(holder, Rf_install("unifrac"));
  R_RegisterCFinalizer(holder, gg_r_close_file);
  gg_r_continue(call, status);
  return made;
}
