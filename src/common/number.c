#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l() in glibc */
#endif
#include "common/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

/* Finds the "C" locale. glibc and musl return an object that they never free, so repeated
   loading does not leak memory. */
static void find_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double gg_parse_double(const char *text, char **end) {
  pthread_once(&once, find_c_locale);
  return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

int gg_print_list(char *text, size_t size, const char *format, va_list arguments) {
  pthread_once(&once, find_c_locale);
  const locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
  const int length = vsnprintf(text, size, format, arguments);
  if (before) uselocale(before);
  return length;
}

int gg_print(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = gg_print_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}

/* True for the NaN that R, or Octave, shows as NA. Computing with R's sets its quiet bit. */
static bool is_na(double value) {
  const uint64_t r = 0x7FF00000000007A2u, quiet = 0x0008000000000000u;
  const uint64_t octave = 0x7FF840F440000000u, sign = 0x8000000000000000u;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return ((bits | quiet) & ~sign) == (r | quiet) || (bits & ~sign) == octave;
}

gg_number_text gg_number(double value) {
  gg_number_text number;
  if (isnan(value))
    snprintf(number.text, sizeof number.text, is_na(value) ? "NA" : "NaN");
  else if (isinf(value))
    snprintf(number.text, sizeof number.text, value > 0 ? "Inf" : "-Inf");
  else
    gg_print(number.text, sizeof number.text, "%.15g", value);
  return number;
}
