#include "common/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gpugeo.h"

double gg_parse_double(const char *text, char **end) { return gg_strtod_c(text, end); }

/* Converts a letter from A to Z to lower case. */
static char lower_case(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool gg_same_text(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (lower_case(a[i]) != lower_case(b[i])) return false;
    if (!a[i]) return true;
  }
  return true;
}

int gg_print_list(char *text, size_t size, const char *format, va_list arguments) {
  return gg_vsnprintf_c(text, size, format, arguments);
}

int gg_print(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = gg_print_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}

/* True if value is the NaN that R, or Octave, shows as NA. Computing with R's sets its quiet bit.
 */
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

/* Formats a number in decimal by long division by ten, 32 bits at a time. */
gpugeo_decimal gpugeo_uint128_decimal(gpugeo_uint128 number) {
  uint32_t part[4] = {(uint32_t)(number.high >> 32), (uint32_t)number.high,
                      (uint32_t)(number.low >> 32), (uint32_t)number.low};
  char digits[40];
  int at = (int)sizeof digits;
  digits[--at] = 0;
  do {
    uint64_t rest = 0;
    for (int i = 0; i < 4; ++i) {
      rest = rest << 32 | part[i];
      part[i] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    digits[--at] = (char)('0' + rest);
  } while (part[0] | part[1] | part[2] | part[3]);
  gpugeo_decimal decimal = {{0}};
  memcpy(decimal.digits, digits + at, sizeof digits - (size_t)at);
  return decimal;
}
