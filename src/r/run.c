#include "run.h"

#include "common/error.h"
#include "dist/missing_rows.h"

static SEXP check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return R_NilValue;
}

static SEXP show_progress(void *data) {
  const gg_r_hooks *hooks = data;
  SEXP fraction = PROTECT(Rf_ScalarReal(hooks->fraction));
  SEXP call = PROTECT(Rf_lang2(hooks->progress, fraction));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
  return R_NilValue;
}

static void hold_jump(void *data, Rboolean jump) {
  gg_r_hooks *hooks = data;
  if (jump) longjmp(hooks->back, 1);
}

bool gg_r_evaluate(gg_r_hooks *hooks, SEXP (*code)(void *), void *data) {
  if (hooks->jumping) return false;
  if (setjmp(hooks->back)) {
    hooks->jumping = true;
    return false;
  }
  R_UnwindProtect(code, data, hold_jump, hooks, hooks->held);
  return true;
}

static int interrupt_hook(void *data) { return !gg_r_evaluate(data, check_interrupt, NULL); }

static void progress_hook(double fraction, void *data) {
  gg_r_hooks *hooks = data;
  hooks->fraction = fraction;
  gg_r_evaluate(hooks, show_progress, hooks);
}

/* Reads a whole number; NULL stands for `otherwise`. */
static gpugeo_status whole_number(SEXP value, const char *argument, int64_t least, int64_t most,
                                  int32_t otherwise, int32_t *number, gpugeo_error *error) {
  int64_t given = otherwise;
  gpugeo_status status = GPUGEO_OK;
  if (value != R_NilValue) status = gg_r_whole(value, argument, least, most, &given, error);
  *number = (int32_t)given;
  return status;
}

/* Reads a device, "all" or a number; NULL stands for the default. */
static gpugeo_status device_number(SEXP value, int32_t *device, gpugeo_error *error) {
  if (value == R_NilValue) return GPUGEO_OK;
  const gg_given given = gg_r_given(value);
  return gg_device_number(&given, device, error);
}

gpugeo_status gg_r_run(SEXP settings, SEXP held, gg_r_hooks *hooks, gpugeo_run *run,
                       gpugeo_error *error) {
  const char *backend, *precision;
  gpugeo_status status = gg_r_string(gg_r_element(settings, "backend"), "backend", &backend, error);
  if (!status) status = gpugeo_backend_find(backend, &run->backend, error);
  if (!status)
    status = whole_number(gg_r_element(settings, "threads"), "threads", 1, GPUGEO_THREADS_MAX, 0,
                          &run->threads, error);
  if (!status) status = device_number(gg_r_element(settings, "device"), &run->device, error);
  if (!status)
    status = gg_r_string(gg_r_element(settings, "precision"), "precision", &precision, error);
  if (!status) status = gpugeo_precision_find(precision, &run->precision, error);
  SEXP limit = gg_r_element(settings, "memory_limit");
  if (!status && limit != R_NilValue)
    status = gg_r_whole(limit, "memory_limit", 1 << 20, (int64_t)1 << 53, &run->work_bytes, error);
  bool progress = false;
  if (!status) status = gg_r_flag(gg_r_element(settings, "progress"), "progress", &progress, error);
  if (status) return status;

  hooks->progress = gg_r_element(settings, "bar");
  hooks->held = held;
  hooks->jumping = false;
  run->interrupt = interrupt_hook;
  run->progress = progress ? progress_hook : NULL;
  run->hook_data = hooks;
  return GPUGEO_OK;
}

void gg_r_hooks_finish(gg_r_hooks *hooks) {
  if (hooks->jumping) R_ContinueUnwind(hooks->held);
}

void gg_r_report(const gpugeo_report *report, const char *function, SEXP call, SEXP environment) {
  gg_r_report_of(report, function, NULL, call, environment);
}

void gg_r_report_of(const gpugeo_report *report, const char *function, const char *y_name,
                    SEXP call, SEXP environment) {
  const char *names[] = {"function", "backend",        "device",  "threads",
                         "seconds",  "device_seconds", "devices", ""};
  SEXP last = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(last, 0, Rf_mkString(function));
  SET_VECTOR_ELT(last, 1, Rf_mkString(gpugeo_backend_name(report->backend)));
  SET_VECTOR_ELT(last, 2, Rf_ScalarInteger(report->device < 0 ? NA_INTEGER : report->device));
  SET_VECTOR_ELT(last, 3, Rf_ScalarInteger(report->threads));
  SET_VECTOR_ELT(last, 4, Rf_ScalarReal(report->seconds));
  SET_VECTOR_ELT(last, 5, Rf_ScalarReal(report->device_seconds));
  SET_VECTOR_ELT(last, 6, Rf_ScalarInteger(report->devices));
  Rf_defineVar(Rf_install("last"), last, environment);
  UNPROTECT(1);
  gg_r_warn(report, y_name, call);
}

void gg_r_warn(const gpugeo_report *report, const char *y_name, SEXP call) {
  if (report->notes & GPUGEO_NOTE_NONFINITE)
    Rf_warningcall(call, "treating non-finite values as NA");
  if (report->notes & GPUGEO_NOTE_ZERO_DEVIATION)
    Rf_warningcall(call, "the standard deviation is zero");
  if (report->notes & GPUGEO_NOTE_MISSING)
    Rf_warningcall(call, "%s", gg_describe_missing(&report->missing, y_name).text);
}
