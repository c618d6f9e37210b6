#include "call.h"

#include "common/error.h"
#include "distance/missing_rows.h"

SEXP gg_r_begin(gg_r_call *call, SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  call->inputs = inputs;
  call->options = options;
  call->settings = settings;
  call->call = r_call;
  call->status = GPUGEO_OK;
  call->report = (gpugeo_report){.device = -1};
  call->jumping = false;
  call->kept = PROTECT(Rf_allocVector(VECSXP, 2));
  call->held = SET_VECTOR_ELT(call->kept, 0, R_MakeUnwindCont());
  UNPROTECT(1);
  return call->kept;
}

bool gg_r_check(gg_r_call *call, gpugeo_status status) {
  call->status = status;
  return status == GPUGEO_OK;
}

void gg_r_require(gg_r_call *call) {
  if (call->status) gg_r_stop(&call->error, call->call);
}

void gg_r_continue(gg_r_call *call, gpugeo_status status) {
  if (call->jumping) R_ContinueUnwind(call->held);
  gg_r_check(call, status);
  gg_r_require(call);
}

void gg_r_close_file(SEXP holder) {
  if (holder == R_NilValue) return;
  void *held = R_ExternalPtrAddr(holder);
  if (R_ExternalPtrTag(holder) == R_NilValue)
    gpugeo_dist_file_close(held);
  else
    gpugeo_dist_lazy_free(held);
  R_ClearExternalPtr(holder);
}

void gg_r_finish(gg_r_call *call, gpugeo_status status) {
  gg_r_close_file(VECTOR_ELT(call->kept, 1));
  gg_r_continue(call, status);
}

/* --- Hooks ------------------------------------------------------------------------------------ */

/* Raises R's interrupt if the user asked for one. */
static SEXP check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* Shows the progress by the function of the settings. */
static SEXP show_progress(void *data) {
  const gg_r_call *call = data;
  SEXP fraction = PROTECT(Rf_ScalarReal(call->fraction));
  SEXP show = PROTECT(Rf_lang2(gg_r_element(call->settings, "bar"), fraction));
  Rf_eval(show, R_BaseEnv);
  UNPROTECT(2);
  return R_NilValue;
}

/* Returns to the hook instead of leaving C code, when R raises an error. */
static void hold_jump(void *data, Rboolean jump) {
  gg_r_call *call = data;
  if (jump) longjmp(call->back, 1);
}

bool gg_r_evaluate(gg_r_call *call, SEXP (*code)(void *), void *data) {
  if (call->jumping) return false;
  if (setjmp(call->back)) {
    call->jumping = true;
    return false;
  }
  R_UnwindProtect(code, data, hold_jump, call, call->held);
  return true;
}

/* Returns whether the call is interrupted, or R has raised an error. */
static int interrupt_hook(void *data) { return !gg_r_evaluate(data, check_interrupt, NULL); }

/* Shows the progress. */
static void progress_hook(double fraction, void *data) {
  gg_r_call *call = data;
  call->fraction = fraction;
  gg_r_evaluate(call, show_progress, call);
}

/* --- Reading ---------------------------------------------------------------------------------- */

SEXP gg_r_input(const gg_r_call *call, int number) { return VECTOR_ELT(call->inputs, number); }

SEXP gg_r_option(const gg_r_call *call, const char *name) {
  SEXP value = gg_r_element(call->options, name);
  return value == R_NilValue ? gg_r_element(call->settings, name) : value;
}

bool gg_r_has(const gg_r_call *call, const char *name) {
  return !call->status && gg_r_option(call, name) != R_NilValue;
}

void gg_r_matrix(gg_r_call *call, SEXP value, const char *name, gpugeo_matrix *view) {
  if (!call->status) gg_r_check(call, gg_r_view(value, name, view, &call->error));
}

/* Returns the element of a single string; NULL and an error if it is none. */
static SEXP single_string(gg_r_call *call, SEXP value, const char *name) {
  if (call->status) return NULL;
  if (TYPEOF(value) == STRSXP && XLENGTH(value) == 1 && STRING_ELT(value, 0) != NA_STRING)
    return STRING_ELT(value, 0);
  const gg_given given = gg_r_given(value);
  gg_r_check(call, gg_fail_string(&call->error, name, &given));
  return NULL;
}

const char *gg_r_text(gg_r_call *call, SEXP value, const char *name) {
  SEXP string = single_string(call, value, name);
  return string ? Rf_translateCharUTF8(string) : NULL;
}

const char *gg_r_path(gg_r_call *call, SEXP value, const char *name) {
  SEXP string = single_string(call, value, name);
  return string ? gg_r_expand(string) : NULL;
}

const char *gg_r_word(gg_r_call *call, const char *name) {
  return gg_r_text(call, gg_r_option(call, name), name);
}

int32_t gg_r_choice(gg_r_call *call, const char *name, gpugeo_enum kind) {
  int32_t value = 0;
  const char *word = gg_r_word(call, name);
  if (word) gg_r_check(call, gpugeo_find(kind, word, &value, &call->error));
  return value;
}

void gg_r_flag(gg_r_call *call, const char *name, int32_t *flag) {
  if (call->status) return;
  const gg_given given = gg_r_given(gg_r_option(call, name));
  gg_r_check(call, gg_flag_given(name, &given, flag, &call->error));
}

void gg_r_whole(gg_r_call *call, const char *name, int64_t least, int64_t most, int64_t *number) {
  if (call->status) return;
  const gg_given given = gg_r_given(gg_r_option(call, name));
  gg_r_check(call, gg_whole_number(name, &given, least, most, number, &call->error));
}

void gg_r_any_whole(gg_r_call *call, const char *name, int64_t *number) {
  if (call->status) return;
  const gg_given given = gg_r_given(gg_r_option(call, name));
  gg_r_check(call, gg_any_whole_number(name, &given, number, &call->error));
}

void gg_r_doubles(gg_r_call *call, SEXP value, const char *name, const double **data,
                  int64_t *length) {
  gpugeo_matrix view = {0};
  if (value != R_NilValue) gg_r_matrix(call, value, name, &view);
  if (view.sparse) gg_r_check(call, gg_fail_matrix(&call->error, name, "a sparse matrix"));
  if (!call->status && value != R_NilValue && view.type != GPUGEO_TYPE_DOUBLE)
    gg_r_check(call, gg_fail_matrix(&call->error, name, "whole numbers")); /* R made no doubles */
  if (call->status) return;
  *data = view.data;
  *length = view.nrow * view.ncol;
}

void gg_r_read_points(gg_r_call *call, const char *y_name, gg_r_points *points) {
  SEXP y = gg_r_input(call, 1);
  points->y = y == R_NilValue ? NULL : &points->second;
  gg_r_matrix(call, gg_r_input(call, 0), "x", &points->x);
  if (points->y) gg_r_matrix(call, y, y_name, &points->second);
}

/* Returns the value of an option, or where that is NULL, of a setting; a NULL pointer if the call
   has none of the name. */
static SEXP find_option(const gg_r_call *call, const char *name) {
  SEXP value = gg_r_find(call->options, name);
  if (value && value != R_NilValue) return value;
  SEXP setting = gg_r_find(call->settings, name);
  return setting ? setting : value;
}

/* Reads an option that is several numbers. */
static void read_array(gg_r_call *call, const gg_option *option, SEXP value, void *options) {
  const double *data = NULL;
  int64_t length = 0;
  if (option->kind == GG_OPTION_MATRIX) {
    gg_r_matrix(call, value, option->name, gg_option_field(option, options));
  } else if (option->kind == GG_OPTION_INT32S) {
    gg_option_take_array(option, INTEGER_RO(value), XLENGTH(value), options);
  } else {
    gg_r_doubles(call, value, option->name, &data, &length);
    if (!call->status) gg_option_take_array(option, data, length, options);
  }
}

void gg_r_read_options(gg_r_call *call, const gg_option_table *table, void *options) {
  for (int32_t i = 0; i < table->count && !call->status; ++i) {
    const gg_option *option = &table->options[i];
    const bool array = gg_option_is_array(option);
    SEXP value = find_option(call, option->name);
    if (!value || (value == R_NilValue && (array || option->may_be_null))) continue;
    if (array) {
      read_array(call, option, value, options);
    } else {
      const gg_given given = gg_r_given(value);
      gg_r_check(call, gg_option_take(option, &given, options, &call->error));
    }
  }
}

/* --- Settings --------------------------------------------------------------------------------- */

void gg_r_settings(gg_r_call *call, gpugeo_run *run) {
  int32_t progress = 0;
  gg_r_read_options(call, &gg_run_options, run);
  gg_r_flag(call, "progress", &progress);
  run->interrupt = interrupt_hook;
  run->progress = progress ? progress_hook : NULL;
  run->hook_data = call;
}

/* --- Reports ---------------------------------------------------------------------------------- */

void gg_r_report(gg_r_call *call, const char *function, const char *y_name) {
  const gpugeo_report *report = &call->report;
  const char *names[] = {"function", "backend",        "device",  "threads",
                         "seconds",  "device_seconds", "devices", ""};
  SEXP last = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(last, 0, Rf_mkString(function));
  SET_VECTOR_ELT(last, 1, Rf_mkString(gpugeo_name(GPUGEO_ENUM_BACKEND, report->backend)));
  SET_VECTOR_ELT(last, 2, Rf_ScalarInteger(report->device < 0 ? NA_INTEGER : report->device));
  SET_VECTOR_ELT(last, 3, Rf_ScalarInteger(report->threads));
  gg_r_set_number(last, 4, report->seconds);
  gg_r_set_number(last, 5, report->device_seconds);
  SET_VECTOR_ELT(last, 6, Rf_ScalarInteger(report->devices));
  Rf_defineVar(Rf_install("last"), last, gg_r_element(call->settings, "state"));
  UNPROTECT(1);
  gg_r_warn(call, y_name);
}

void gg_r_warn(gg_r_call *call, const char *y_name) {
  gg_note notes[GG_NOTES];
  const int count = gg_describe_notes(&call->report, y_name, notes);
  for (int i = 0; i < count; ++i)
    Rf_warningcall(call->call, "%s", notes[i].text.text);
}
