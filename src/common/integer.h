/* Arithmetic of counts. */
#ifndef GG_INTEGER_H
#define GG_INTEGER_H

#include <stdint.h>

/* Returns the smaller of two numbers. */
static inline int64_t gg_smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the larger of two numbers. */
static inline int64_t gg_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Returns how many elements to allocate for a result of so many: none if the computation refuses
   the number, as it is not between 0 and `most`. */
static inline int64_t gg_room(int64_t count, int64_t most) {
  return count >= 0 && count <= most ? count : 0;
}

/* Does the same for the pairs of n points, of which there may be at most `most`. */
static inline int64_t gg_pairs_room(int64_t n, int64_t most) {
  const int64_t points = gg_room(n, most);
  return points * (points - 1) / 2;
}

#endif
