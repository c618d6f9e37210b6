/* The loops over bits of Kendall's correlations, for each instruction set. */
#ifndef GG_PAIR_BITS_H
#define GG_PAIR_BITS_H

#include <stdint.h>

#include "common/simd.h"

enum {
  GG_BITS_COLUMNS = 8, /* columns of a group: word w of column c is at w * 8 + c */
  GG_BITS_WORDS = 8,   /* the number of words is a multiple of this */
  /* Beyond, merge sorts are faster: a pair of 3,000 values takes 34 us in AVX-512 and 65 in SSE2,
     by merge sort 170; of 8,000 values 1,020, 1,710 and 520 (50 columns of an EPYC 9R14). */
  GG_BITS_MOST_ROWS = 4096
};

typedef struct gg_bits_kernels {
  /*
   * Writes the bits of all pairs of n values of a column of a group: 1 in `greater` where the first
   * value is the larger one, 1 in `untied`, unless it is NULL, where they differ. All columns have
   * the pairs in the same order. room: gg_bits_room(n) bytes.
   */
  void (*compare)(const int16_t *code, int64_t n, unsigned char *room, uint64_t *greater,
                  uint64_t *untied);
  /* Adds to count[8 * b + a] the number of bits in which column a of one group differs from column
     b of another. */
  void (*differing)(const uint64_t *a, const uint64_t *b, int64_t words, int64_t *count);
  /* Does the same with the concordant less the discordant pairs. The `untied` bits of a group
     follow its `greater` ones. */
  void (*concordant)(const uint64_t *a, const uint64_t *b, int64_t words, int64_t *count);
} gg_bits_kernels;

extern const gg_bits_kernels GG_SIMD_FORMS(gg_bits_kernels);

/* Returns the bytes of room that the comparison of a column of n rows needs. */
static inline int64_t gg_bits_room(int64_t n) { return 2 * (n + 128); }

/* Returns the words of all pairs of n values. */
static inline int64_t gg_bits_words(int64_t n) {
  const int64_t words = (n * (n - 1) / 2 + 63) / 64;
  return (words + GG_BITS_WORDS - 1) / GG_BITS_WORDS * GG_BITS_WORDS;
}

#endif
