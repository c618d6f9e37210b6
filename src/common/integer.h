/* Arithmetic of counts. */
#ifndef GG_INTEGER_H
#define GG_INTEGER_H

#include <stdint.h>

/* Returns the smaller of two numbers. */
static inline int64_t gg_smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the larger of two numbers. */
static inline int64_t gg_larger(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
