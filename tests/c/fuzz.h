/* What the fuzzers share: values made of any bytes, and a demand that ends the program. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpugeo.h"

/* The bytes not used yet; zeros when they are used up. */
typedef struct bytes {
  const uint8_t *next, *end;
} bytes;

static inline int take(bytes *b, int most) {
  return b->next < b->end ? *b->next++ % (most + 1) : 0;
}

/* Any 8 bytes, or mostly a small multiple of 1/2, so that ties and sums happen. */
static inline double take_double(bytes *b) {
  double value = (take(b, 32) - 16) / 2.0;
  if (take(b, 7) == 0 && b->end - b->next >= 8) {
    memcpy(&value, b->next, sizeof value);
    b->next += sizeof value;
  }
  return value;
}

/* The caller frees data. */
static inline gpugeo_matrix take_matrix(bytes *b, gpugeo_type type, int64_t rows, int64_t columns) {
  const int64_t ld = rows + take(b, 2), last = columns ? (columns - 1) * ld + rows : 0;
  void *data = malloc((size_t)last * (type == GPUGEO_DOUBLE ? 8 : 4) + 1);
  for (int64_t i = 0; i < last; ++i) {
    const double value = take_double(b);
    if (type == GPUGEO_DOUBLE) ((double *)data)[i] = value;
    if (type == GPUGEO_FLOAT) ((float *)data)[i] = (float)value;
    if (type == GPUGEO_INT32) ((int32_t *)data)[i] = fabs(value) < 2e9 ? (int32_t)value : INT32_MIN;
  }
  return (gpugeo_matrix){data, type, rows, columns, ld};
}

static inline void demand(int condition) {
  if (!condition) abort();
}

#endif
