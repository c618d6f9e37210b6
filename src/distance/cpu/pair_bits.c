/*
 * The loops over bits of Kendall's correlations, compiled once for each instruction set, see
 * lanes.h.
 *
 * A lane is a column of a group. Bits are counted by full adders (R. W. Harley, in H. S. Warren,
 * Hacker's Delight, 5-1): three words become one with the sums and one with the carries, so
 * the bits of 8 words are counted in one. Limited by these logical operations.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <string.h>

#include "distance/cpu/pair_bits.h"

#if defined(GG_VECTOR_BYTES)
typedef uint64_t vector __attribute__((vector_size(GG_VECTOR_BYTES), aligned(8), may_alias));
#else
typedef uint64_t vector;
#endif
enum { LANES = sizeof(vector) / 8, CHUNK = 128 }; /* words whose byte counts stay below 256 */

#define INLINE GG_TARGET __attribute__((always_inline)) static inline

/* Adds three words bit by bit. */
typedef struct sums {
  vector low, high;
} sums;
INLINE sums add3(vector a, vector b, vector c) {
  return (sums){a ^ b ^ c, (a & b) | ((a ^ b) & c)};
}

/* Counts the bits of each byte. */
INLINE vector count_bytes(vector v) {
  const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333, m4 = 0x0f0f0f0f0f0f0f0f;
  v = v - ((v >> 1) & m1);
  v = (v & m2) + ((v >> 2) & m2);
  return (v + (v >> 4)) & m4;
}

/* Adds neighbouring bytes to numbers of 16 bits. */
INLINE vector add_bytes(vector v) {
  const uint64_t m = 0x00ff00ff00ff00ff;
  return (v & m) + ((v >> 8) & m);
}

/* Adds four numbers of 16 bits. */
INLINE vector add_quarters(vector v) {
  v += v >> 32;
  v += v >> 16;
  return v & 0xffff;
}

/* What is counted. */
typedef enum counted {
  DIFFERING,   /* greater bits that differ */
  BOTH_UNTIED, /* pairs without a tie in both */
  DISCORDANT   /* those whose greater bits differ */
} counted;

/* Returns the bits of word w. a: of several columns; b: of one; *_untied: offset of its untied
   bits. */
INLINE vector take(counted what, const uint64_t *a, const uint64_t *b, int64_t w, int64_t untied) {
  const int64_t at = w * GG_BITS_COLUMNS;
  const vector differing = *(const vector *)(a + at) ^ b[at];
  if (what == DIFFERING) return differing;
  const vector both = *(const vector *)(a + untied + at) & b[untied + at];
  if (what == BOTH_UNTIED) return both;
  return both & differing;
}

/* Counts the bits of at most CHUNK words. */
INLINE vector count_words(counted what, const uint64_t *a, const uint64_t *b, int64_t words,
                          int64_t untied) {
  vector ones = {0}, twos = {0}, fours = {0}, eights = {0};
  for (int64_t w = 0; w < words; w += 8) {
#define TAKE(i) take(what, a, b, w + (i), untied)
    const sums s0 = add3(ones, TAKE(0), TAKE(1)), s1 = add3(s0.low, TAKE(2), TAKE(3));
    const sums s2 = add3(s1.low, TAKE(4), TAKE(5)), s3 = add3(s2.low, TAKE(6), TAKE(7));
#undef TAKE
    const sums t0 = add3(twos, s0.high, s1.high), t1 = add3(t0.low, s2.high, s3.high);
    const sums f = add3(fours, t0.high, t1.high);
    ones = s3.low, twos = t1.low, fours = f.low;
    eights += count_bytes(f.high);
  }
  const vector rest = count_bytes(ones) + 2 * count_bytes(twos) + 4 * count_bytes(fours);
  return add_quarters(8 * add_bytes(eights) + add_bytes(rest));
}

/* Adds `factor` times the counts of all pairs of columns. */
INLINE void add_counts(counted what, const uint64_t *a, const uint64_t *b, int64_t words,
                       int64_t untied, int64_t factor, int64_t *count) {
  for (int r = 0; r < GG_BITS_COLUMNS; ++r)
    for (int l = 0; l < GG_BITS_COLUMNS; l += LANES) {
      const vector counted = count_words(what, a + l, b + r, words, untied);
      int64_t lanes[LANES];
      memcpy(lanes, &counted, sizeof counted);
      for (int t = 0; t < LANES; ++t)
        count[GG_BITS_COLUMNS * r + l + t] += factor * lanes[t];
    }
}

/* Returns the words of the chunk that begins at w. */
static int64_t chunk_at(int64_t words, int64_t w) { return words - w < CHUNK ? words - w : CHUNK; }

GG_TARGET static void differing(const uint64_t *a, const uint64_t *b, int64_t words,
                                int64_t *count) {
  for (int64_t w = 0; w < words; w += CHUNK)
    add_counts(DIFFERING, a + w * GG_BITS_COLUMNS, b + w * GG_BITS_COLUMNS, chunk_at(words, w), 0,
               1, count);
}

GG_TARGET static void concordant(const uint64_t *a, const uint64_t *b, int64_t words,
                                 int64_t *count) {
  const int64_t untied = words * GG_BITS_COLUMNS;
  for (int64_t w = 0; w < words; w += CHUNK) {
    const uint64_t *a_chunk = a + w * GG_BITS_COLUMNS, *b_chunk = b + w * GG_BITS_COLUMNS;
    const int64_t size = chunk_at(words, w);
    add_counts(BOTH_UNTIED, a_chunk, b_chunk, size, untied, 1, count);
    add_counts(DISCORDANT, a_chunk, b_chunk, size, untied, -2, count);
  }
}

/* Packs bytes of 0 and 1 to bits: 64 for each word. */
GG_TARGET static void pack(const unsigned char *bytes, int64_t words, uint64_t *to) {
  for (int64_t w = 0; w < words; ++w) {
    uint64_t eight[8], bits = 0;
    memcpy(eight, bytes + 64 * w, sizeof eight);
    for (int i = 0; i < 8; ++i)
      bits |= (eight[i] * 0x0102040810204080 >> 56) << (8 * i);
    to[w * GG_BITS_COLUMNS] = bits;
  }
}

/* Packs the first `words` of `filled` bytes, and moves the others to the front. */
GG_TARGET static void flush(unsigned char *bytes, int64_t filled, int64_t words, uint64_t *to) {
  pack(bytes, words, to);
  memmove(bytes, bytes + 64 * words, (size_t)(filled - 64 * words));
}

GG_TARGET static void compare(const int16_t *code, int64_t n, unsigned char *room,
                              uint64_t *greater, uint64_t *untied) {
  unsigned char *larger = room, *other = room + gg_bits_room(n) / 2;
  int64_t filled = 0, done = 0;
  for (int64_t a = 0; a + 1 < n; ++a) {
    const int16_t value = code[a], *next = code + a + 1;
    const int64_t count = n - a - 1;
#pragma omp simd
    for (int64_t t = 0; t < count; ++t) {
      larger[filled + t] = value > next[t];
      other[filled + t] = value != next[t];
    }
    filled += count;
    const int64_t words = filled / 64;
    flush(larger, filled, words, greater + done * GG_BITS_COLUMNS);
    if (untied) flush(other, filled, words, untied + done * GG_BITS_COLUMNS);
    done += words;
    filled -= 64 * words;
  }
  const int64_t last = gg_bits_words(n) - done; /* a part of a word, and words to a multiple */
  for (int64_t w = 0; w < last; ++w) {
    memset(larger + filled, 0, (size_t)(64 - filled));
    memset(other + filled, 0, (size_t)(64 - filled));
    pack(larger, 1, greater + (done + w) * GG_BITS_COLUMNS);
    if (untied) pack(other, 1, untied + (done + w) * GG_BITS_COLUMNS);
    filled = 0;
  }
}

const gg_bits_kernels GG_FORM_OF(gg_bits_kernels) = {compare, differing, concordant};

#endif
