/* Distances of texts: edit distances, those of aligned proteins. */
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "entry.h"

/* Describes a character vector, for as long as the call lasts: its characters, or with `bytes`
   those of its encoding. */
static gpugeo_texts read_texts(SEXP value, bool bytes) {
  const R_xlen_t count = XLENGTH(value);
  const char **text = (const char **)R_alloc((size_t)count + 1, sizeof *text);
  for (R_xlen_t i = 0; i < count; ++i) {
    const SEXP string = STRING_ELT(value, i);
    text[i] = string == NA_STRING ? NULL : bytes ? CHAR(string) : Rf_translateCharUTF8(string);
  }
  return (gpugeo_texts){.count = (int64_t)count, .text = text};
}

/* The inputs and options of a call. */
typedef struct edit_input {
  gpugeo_dist_edit_options options;
  gpugeo_texts x, second;
  const gpugeo_texts *y; /* NULL: within x */
} edit_input;

/* Reads them. */
static void read_input(gg_r_call *call, edit_input *in) {
  gpugeo_dist_edit_options_init(&in->options, sizeof in->options);
  gg_r_read_options(call, &gg_dist_edit_options, &in->options);
  gg_r_settings(call, &in->options.run);
  gg_r_require(call);
  in->options.missing = NA_REAL;
  in->x = read_texts(gg_r_input(call, 0), in->options.use_bytes);
  in->y = NULL;
  if (gg_r_input(call, 1) == R_NilValue) return;
  in->second = read_texts(gg_r_input(call, 1), in->options.use_bytes);
  in->y = &in->second;
}

SEXP gg_r_dist_edit(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  edit_input in;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  read_input(&call, &in);
  const double n = (double)in.x.count;
  const double size = in.y ? n * (double)in.y->count : n > 0 ? n * (n - 1) / 2 : 0;
  gg_r_check(&call, gg_check_result(size, GPUGEO_TYPE_DOUBLE, 0, &call.error));
  gg_r_require(&call);
  const char *names[] = {"distances", "method", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP out = SET_VECTOR_ELT(made, 0, Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call,
              gpugeo_dist_edit(&in.x, in.y, &in.options, REAL(out), &call.report, &call.error));
  SET_VECTOR_ELT(made, 1, Rf_mkString(gpugeo_name(GPUGEO_ENUM_EDIT_METHOD, in.options.method)));
  gg_r_report(&call, "gpu_dist_edit", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_edit_neighbors(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  edit_input in;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  read_input(&call, &in);
  SEXP holder = PROTECT(gg_r_hold_neighbors());
  gpugeo_neighbors *found = gg_r_held(holder);
  const gpugeo_status status =
      gpugeo_edit_neighbors(&in.x, in.y, &in.options, found, &call.report, &call.error);
  if (!status) R_SetExternalPtrAddr(holder, found);
  gg_r_finish(&call, status);
  SEXP made = PROTECT(gg_r_list_neighbors(holder, in.options.run.threads));
  gg_r_report(&call, "gpu_dist_edit", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_dist_aa(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_aa_options read;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_dist_aa_options_init(&read, sizeof read);
  gg_r_read_options(&call, &gg_dist_aa_options, &read);
  gg_r_settings(&call, &read.run);
  gg_r_require(&call);
  const gpugeo_texts x = read_texts(gg_r_input(&call, 0), true);
  const double size = x.count > 0 ? (double)x.count * (double)(x.count - 1) / 2 : 0;
  gg_r_check(&call, gg_check_result(size, GPUGEO_TYPE_DOUBLE, 0, &call.error));
  gg_r_require(&call);
  const char *names[] = {"distances", "model", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP out = SET_VECTOR_ELT(made, 0, Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, gpugeo_dist_aa(&x, &read, REAL(out), &call.report, &call.error));
  SET_VECTOR_ELT(made, 1, Rf_mkString(gpugeo_name(GPUGEO_ENUM_AA_MODEL, read.model)));
  gg_r_report(&call, "gpu_dist_aa", NULL);
  UNPROTECT(2);
  return made;
}
