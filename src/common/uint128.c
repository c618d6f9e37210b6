#include "common/uint128.h"

#include <string.h>

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
