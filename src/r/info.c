#include <stdio.h>

#include "call.h"
#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/settings.h"
#include "entry.h"

/* Returns list(backend, available, reason) with an element for each backend. */
static SEXP backends(void) {
  const int count = gg_backend_count();
  const char *names[] = {"backend", "available", "reason", ""};
  SEXP table = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP backend = gg_r_set_vector(table, 0, STRSXP, count);
  SEXP available = gg_r_set_vector(table, 1, LGLSXP, count);
  SEXP reason = gg_r_set_vector(table, 2, STRSXP, count);
  for (int i = 0; i < count; ++i) {
    gpugeo_error error = {0};
    const gg_backend *listed = gg_backend_at(i);
    LOGICAL(available)[i] = gpugeo_backend_available(listed->id, &error) == GPUGEO_OK;
    SET_STRING_ELT(backend, i, Rf_mkChar(listed->name));
    SET_STRING_ELT(reason, i, Rf_mkChar(error.message));
  }
  UNPROTECT(1);
  return table;
}

/* Returns list(device, name, capability, multiprocessors, total_bytes, free_bytes) with an
   element for each CUDA device. */
static SEXP devices(void) {
  const int count = gpugeo_device_count();
  const char *names[] = {"device",     "name", "capability", "multiprocessors", "total_bytes",
                         "free_bytes", ""};
  SEXP table = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP device = gg_r_set_vector(table, 0, INTSXP, count);
  SEXP name = gg_r_set_vector(table, 1, STRSXP, count);
  SEXP capability = gg_r_set_vector(table, 2, STRSXP, count);
  SEXP multiprocessors = gg_r_set_vector(table, 3, INTSXP, count);
  SEXP total_bytes = gg_r_set_vector(table, 4, REALSXP, count);
  SEXP free_bytes = gg_r_set_vector(table, 5, REALSXP, count);
  for (int i = 0; i < count; ++i) {
    gpugeo_device info = {0};
    char version[32];
    gpugeo_device_get(i, &info, NULL); /* all 0 for a device that has gone since */
    snprintf(version, sizeof version, "%d.%d", info.major, info.minor);
    INTEGER(device)[i] = i;
    SET_STRING_ELT(name, i, Rf_mkChar(info.name));
    SET_STRING_ELT(capability, i, Rf_mkChar(version));
    INTEGER(multiprocessors)[i] = info.multiprocessors;
    REAL(total_bytes)[i] = (double)info.total_bytes;
    REAL(free_bytes)[i] = (double)info.free_bytes;
  }
  UNPROTECT(1);
  return table;
}

/* Returns list(file, version, architectures, reason). */
static SEXP cuda_library(void) {
  gpugeo_cuda_library library;
  gpugeo_cuda_library_get(&library);
  const char *names[] = {"file", "version", "architectures", "reason", ""};
  const char *values[] = {library.file, library.version, library.architectures, library.reason};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 4; ++i)
    SET_VECTOR_ELT(list, i, Rf_mkString(values[i]));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_name_cuda_library(SEXP file) {
  gpugeo_cuda_library_set(CHAR(STRING_ELT(file, 0)));
  return R_NilValue;
}

SEXP gg_r_info(void) {
  const char *names[] = {"version", "simd", "threads", "backends", "devices", "cuda_library", ""};
  SEXP info = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(info, 0, Rf_mkString(GPUGEO_VERSION));
  SET_VECTOR_ELT(info, 1, Rf_mkString(gpugeo_simd()));
  SET_VECTOR_ELT(info, 2, Rf_ScalarInteger(gpugeo_default_threads()));
  SET_VECTOR_ELT(info, 3, backends());
  SET_VECTOR_ELT(info, 4, devices());
  SET_VECTOR_ELT(info, 5, cuda_library());
  UNPROTECT(1);
  return info;
}

SEXP gg_r_show(SEXP value) {
  const gg_given given = gg_r_given(value);
  return Rf_ScalarString(Rf_mkCharCE(gg_show(&given).text, CE_UTF8));
}

SEXP gg_r_message(SEXP name, SEXP r_call) {
  gpugeo_error error;
  const char *message = gg_find_message(CHAR(STRING_ELT(name, 0)), &error);
  if (!message) gg_r_stop(&error, r_call);
  return Rf_mkString(message);
}

/* Returns the names of the values of a CHOICE. */
static SEXP choices_of(const gg_option *option) {
  int count = 0;
  while (gg_option_choice(option, count)[0])
    ++count;
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i)
    SET_STRING_ELT(names, i, Rf_mkChar(gg_option_choice(option, i)));
  UNPROTECT(1);
  return names;
}

/* Returns the value of an option in a struct of options as users give it; NULL for several numbers
   and where NULL stands for the default. */
static SEXP value_of(const gg_option *option, void *options) {
  const void *field = gg_option_field(option, options);
  const int64_t whole = option->width == sizeof(int32_t)   ? *(const int32_t *)field
                        : option->width == sizeof(int64_t) ? *(const int64_t *)field
                                                           : 0;
  switch (gg_option_is_array(option) ? GG_OPTION_MATRIX : option->kind) {
  case GG_OPTION_MATRIX:
    return R_NilValue;
  case GG_OPTION_CHOICE:
    return Rf_mkString(gg_option_choice(option, (int32_t)whole));
  case GG_OPTION_FLAG:
    return Rf_ScalarLogical(whole != 0);
  case GG_OPTION_FLAG_OR_AUTO:
    return whole < 0 ? Rf_mkString("auto") : Rf_ScalarLogical(whole != 0);
  case GG_OPTION_NUMBER:
    return Rf_ScalarReal(*(const double *)field);
  default:
    return Rf_ScalarReal((double)whole);
  }
}

/* Returns list(default, may_be_null, choices), choices NULL for what is no name of an enum. */
static SEXP describe_option(const gg_option *option, void *defaults) {
  const char *names[] = {"default", "may_be_null", "choices", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, value_of(option, defaults));
  SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(option->may_be_null || gg_option_is_array(option)));
  if (option->kind == GG_OPTION_CHOICE) SET_VECTOR_ELT(list, 2, choices_of(option));
  UNPROTECT(1);
  return list;
}

/* Returns a named list with an element for each option of a table. */
static SEXP describe_table(const gg_option_table *table) {
  void *defaults = R_alloc(table->size, 1);
  table->fill(defaults);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, table->count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, table->count));
  for (int32_t i = 0; i < table->count; ++i) {
    SET_VECTOR_ELT(list, i, describe_option(&table->options[i], defaults));
    SET_STRING_ELT(names, i, Rf_mkChar(table->options[i].name));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(2);
  return list;
}

SEXP gg_r_options(void) {
#define NAME_OF(family)  #family,
#define TABLE_OF(family) &gg_##family##_options,
  const char *names[] = {GG_OPTION_TABLES(NAME_OF) ""};
  const gg_option_table *const tables[] = {GG_OPTION_TABLES(TABLE_OF)};
  SEXP all = PROTECT(Rf_mkNamed(VECSXP, names));
  for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
    SET_VECTOR_ELT(all, (R_xlen_t)t, describe_table(tables[t]));
  UNPROTECT(1);
  return all;
}

SEXP gg_r_fail_given(SEXP value, SEXP argument, SEXP allowed, SEXP r_call) {
  gpugeo_error error;
  const gg_given given = gg_r_given(value);
  gg_fail_given(&error, CHAR(Rf_asChar(argument)), gg_r_texts(allowed)[0], &given);
  gg_r_stop(&error, r_call);
}

SEXP gg_r_choose(SEXP value, SEXP choices, SEXP argument, SEXP r_call) {
  gg_r_call call;
  int32_t which = 0;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const gg_given given = gg_r_given(value);
  gg_r_check(&call, gg_choose(CHAR(Rf_asChar(argument)), &given, gg_r_texts(choices),
                              Rf_length(choices), &which, &call.error));
  gg_r_require(&call);
  UNPROTECT(1);
  return Rf_ScalarInteger(which + 1);
}

SEXP gg_r_check_flag(SEXP value, SEXP argument, SEXP r_call) {
  gg_r_call call;
  int32_t flag = 0;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const gg_given given = gg_r_given(value);
  gg_r_check(&call, gg_flag_given(CHAR(Rf_asChar(argument)), &given, &flag, &call.error));
  gg_r_require(&call);
  UNPROTECT(1);
  return value;
}

SEXP gg_r_check_settings(SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  UNPROTECT(1);
  return R_NilValue;
}

SEXP gg_r_check_memory(SEXP bytes, SEXP what, SEXP argument, SEXP r_call) {
  gg_r_call call;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  gg_r_check(&call, gg_check_memory(Rf_asReal(bytes), CHAR(Rf_asChar(argument)), &call.error,
                                    "%.200s needs", CHAR(Rf_asChar(what))));
  gg_r_require(&call);
  UNPROTECT(1);
  return R_NilValue;
}

SEXP gg_r_invalid_variables(void) {
  gpugeo_error error;
  const bool invalid = gg_check_memory_variable(&error);
  SEXP messages = PROTECT(Rf_allocVector(STRSXP, invalid));
  if (invalid) {
    SET_STRING_ELT(messages, 0, Rf_mkCharCE(error.message, CE_UTF8));
    Rf_setAttrib(messages, R_NamesSymbol, PROTECT(Rf_mkString(GG_MEMORY_VARIABLE)));
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return messages;
}

SEXP gg_r_unknown_setting(void) {
  gg_setting_text warning;
  return gg_unknown_setting(&warning) ? Rf_mkString(warning.text) : R_NilValue;
}
