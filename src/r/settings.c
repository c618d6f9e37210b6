#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "entry.h"

/* --- Options that do not exist ---------------------------------------------------------------- */

/* True if a name is one of a vector of names. */
static bool is_known(const char *name, SEXP known) {
  for (R_xlen_t i = 0; i < XLENGTH(known); ++i)
    if (strcmp(name, CHAR(STRING_ELT(known, i))) == 0) return true;
  return false;
}

/* True if the name of an option begins with "gpugeo.". */
static bool is_ours(const char *name) {
  static const char prefix[] = "gpugeo.";
  return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

SEXP gg_r_unknown_options(SEXP options, SEXP known) {
  SEXP names = R_NilValue;
  PROTECT_INDEX index;
  PROTECT_WITH_INDEX(names, &index);
  for (; options != R_NilValue; options = CDR(options)) {
    const char *name = CHAR(PRINTNAME(TAG(options)));
    if (is_ours(name) && !is_known(name, known))
      REPROTECT(names = Rf_cons(Rf_mkString(name), names), index);
  }
  UNPROTECT(1);
  return names;
}

/* --- Values ----------------------------------------------------------------------------------- */

enum { NAME_ROOM = 64 };

/* Returns the value of option gpugeo.<name>. */
static SEXP option_of(const char *name) {
  char option[NAME_ROOM];
  snprintf(option, sizeof option, "gpugeo.%s", name);
  return Rf_GetOption1(Rf_install(option));
}

/* Returns the text of GPUGEO_<NAME>; NULL if it is not set or is empty. */
static const char *variable_of(const char *name) {
  char variable[NAME_ROOM];
  int length = snprintf(variable, sizeof variable, "GPUGEO_%s", name);
  for (int i = 0; i < length; ++i)
    if (variable[i] >= 'a' && variable[i] <= 'z') variable[i] += 'A' - 'a'; /* in any locale */
  const char *text = getenv(variable);
  return text && *text ? text : NULL;
}

SEXP gg_r_any_setting(SEXP options, SEXP names) {
  for (; options != R_NilValue; options = CDR(options))
    if (is_ours(CHAR(PRINTNAME(TAG(options))))) return Rf_ScalarLogical(true);
  for (R_xlen_t i = 0; i < XLENGTH(names); ++i)
    if (variable_of(CHAR(STRING_ELT(names, i)))) return Rf_ScalarLogical(true);
  return Rf_ScalarLogical(false);
}

/* Returns a string of R for the bytes of a variable; those that are not UTF-8 are replaced. */
static SEXP utf8_of(const char *bytes) {
  char *text = strcpy(R_alloc(strlen(bytes) + 1, 1), bytes);
  gg_repair_utf8(text);
  return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

/* Returns convert(name, text). */
static SEXP converted(SEXP convert, const char *name, const char *text) {
  SEXP first = PROTECT(Rf_mkString(name)), second = PROTECT(utf8_of(text));
  SEXP call = PROTECT(Rf_lang3(convert, first, second));
  SEXP value = Rf_eval(call, R_BaseEnv);
  UNPROTECT(3);
  return value;
}

/* Returns the value of a setting. */
static SEXP setting_of(SEXP builtin, SEXP given, SEXP convert, const char *name) {
  if (given != R_NilValue) return given;
  SEXP option = option_of(name);
  if (option != R_NilValue) return option;
  const char *text = variable_of(name);
  return text ? converted(convert, name, text) : builtin;
}

SEXP gg_r_find_settings(SEXP builtin, SEXP given, SEXP convert) {
  SEXP names = Rf_getAttrib(builtin, R_NamesSymbol);
  SEXP all = PROTECT(Rf_allocVector(VECSXP, XLENGTH(builtin)));
  for (R_xlen_t i = 0; i < XLENGTH(builtin); ++i) {
    SEXP value = VECTOR_ELT(builtin, i);
    if (i < XLENGTH(given))
      value = setting_of(value, VECTOR_ELT(given, i), convert, CHAR(STRING_ELT(names, i)));
    SET_VECTOR_ELT(all, i, value);
  }
  Rf_setAttrib(all, R_NamesSymbol, names);
  UNPROTECT(1);
  return all;
}
