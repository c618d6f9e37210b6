#include "backends/cuda_install.h"
#include "call.h"
#include "entry.h"

/* Reads the inputs from and downloaded, and the options sha256 and remove. */
static void read_source(gg_r_call *call, gg_cuda_source *source, gg_given *given) {
  SEXP sum = gg_r_option(call, "sha256");
  int32_t remove = 0;
  *given = gg_r_given(sum);
  *source = (gg_cuda_source){.sha256_given = given};
  if (gg_r_input(call, 0) != R_NilValue)
    source->from = gg_r_path(call, gg_r_input(call, 0), "from");
  if (gg_r_input(call, 1) != R_NilValue)
    source->downloaded = gg_r_path(call, gg_r_input(call, 1), "from");
  if (sum != R_NilValue) /* what is no text is no sum */
    source->sha256 = TYPEOF(sum) == STRSXP && XLENGTH(sum) == 1 ? CHAR(STRING_ELT(sum, 0)) : "";
  gg_r_flag(call, "remove", &remove);
  source->remove = remove;
}

/* Returns the list about a library that was removed. */
static SEXP list_removed(const gg_cuda_installed *installed, bool removed) {
  const char *names[] = {"removed", "text", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, Rf_ScalarLogical(removed));
  SET_VECTOR_ELT(list, 1, Rf_mkString(installed->text));
  UNPROTECT(1);
  return list;
}

/* Returns the list about a library that was installed. */
static SEXP list_installed(const gg_cuda_installed *installed) {
  const char *names[] = {"file",   "sha256", "version", "architectures",
                         "device", "reason", "text",    ""};
  const char *values[] = {installed->file,          installed->sha256,
                          installed->about.version, installed->about.architectures,
                          installed->device,        installed->reason,
                          installed->text};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 7; ++i)
    SET_VECTOR_ELT(list, i, Rf_mkString(values[i]));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_cuda_install(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_cuda_source source;
  gg_cuda_action action = GG_CUDA_DOWNLOAD;
  gg_given given;
  bool removed = false;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gg_cuda_installed *installed = (gg_cuda_installed *)R_alloc(1, sizeof *installed);
  read_source(&call, &source, &given);
  gg_r_require(&call);
  gg_r_finish(&call, gg_cuda_check_source(&source, &action, &call.error));
  if (action == GG_CUDA_REMOVE)
    gg_r_finish(&call, gg_cuda_remove(installed, &removed, &call.error));
  else if (action == GG_CUDA_INSTALL)
    gg_r_finish(&call, gg_cuda_install(&source, installed, &call.error));
  UNPROTECT(1);
  return action == GG_CUDA_DOWNLOAD ? R_NilValue
         : action == GG_CUDA_REMOVE ? list_removed(installed, removed)
                                    : list_installed(installed);
}

SEXP gg_r_cuda_download_failed(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  const gg_cuda_source source = {.from = gg_r_text(&call, gg_r_input(&call, 0), "from")};
  const char *why = gg_r_text(&call, gg_r_input(&call, 1), "why");
  gg_r_require(&call);
  gg_r_finish(&call, gg_cuda_fail_download(&source, why, &call.error));
  UNPROTECT(1);
  return R_NilValue;
}
