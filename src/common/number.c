#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l() in glibc */
#endif
#include "common/number.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

/* glibc and musl return an object that they never free, so repeated loading leaks nothing. */
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
