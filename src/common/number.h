/* Numbers and words in text, read alike in any locale, and numbers as messages show them. */
#ifndef GG_NUMBER_H
#define GG_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/c_linkage.h"
#include "common/platform.h"

GG_C_BEGIN

/* Reads a number at the beginning of text as strtod() does in the "C" locale: the decimal point is
   ".", whatever locale the process has. *end, unless NULL, becomes the first character after the
   number, or text where there is none. */
double gg_parse_double(const char *text, char **end);

/* True if two texts, or their first `length` bytes, are equal but for upper and lower case, as
   strncasecmp() finds in the "C" locale. In Turkish, "I" is not the capital of "i". */
bool gg_same_text(const char *a, const char *b, size_t length);

/* Writes text as snprintf() and vsnprintf() do in the "C" locale. Locales of other threads, and of
   this one after the call, are not changed. */
GG_PRINTF(3, 4)
int gg_print(char *text, size_t size, const char *format, ...);
int gg_print_list(char *text, size_t size, const char *format, va_list arguments);

/* Formats a number for a message: "0.5", "Inf", "NaN", or "NA" for the NaN that R and Octave
   show so. */
typedef struct gg_number_text {
  char text[32];
} gg_number_text;
gg_number_text gg_number(double value);

GG_C_END

#endif
