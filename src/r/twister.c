#include "twister.h"

#include "common/integer.h"

enum { WORDS = GG_R_TWISTER_WORDS, MIDDLE = 397 };

/* Returns a word of the next state of the Mersenne Twister. */
static inline uint32_t twist(uint32_t word, uint32_t next, uint32_t other) {
  const uint32_t both = (word & 0x80000000u) | (next & 0x7fffffffu);
  return other ^ both >> 1 ^ ((0 - (both & 1)) & 0x9908b0dfu);
}

/* Tempers words but for the last step, which does not change the upper halves, and writes these. */
void gg_r_twister_temper(const uint32_t *word, int count, uint16_t *half) {
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    uint32_t number = word[i];
    number ^= number >> 11;
    number ^= number << 7 & 0x9d2c5680u;
    number ^= number << 15 & 0xefc60000u;
    half[i] = (uint16_t)(number >> 16);
  }
}

/* Makes the next words. At most one half is left, which stays. */
static inline void renew(gg_r_twister *numbers) {
  uint32_t *word = numbers->word;
  const int wrap = WORDS - MIDDLE;
#pragma omp simd
  for (int i = 0; i < wrap; ++i)
    word[i] = twist(word[i], word[i + 1], word[i + MIDDLE]);
#pragma omp simd safelen(64)
  for (int i = wrap; i < WORDS - 1; ++i)
    word[i] = twist(word[i], word[i + 1], word[i - wrap]);
  word[WORDS - 1] = twist(word[WORDS - 1], word[0], word[MIDDLE - 1]);
  const int left = numbers->count - numbers->at;
  if (left > 0) numbers->half[0] = numbers->half[numbers->at];
  gg_r_twister_temper(word, WORDS, numbers->half + left);
  numbers->at = 0;
  numbers->count = left + WORDS;
}

/* Returns the number that a try draws. */
static inline uint32_t number_of(const uint16_t *half, int halves, uint32_t mask) {
  return ((uint32_t)half[0] << 16 | half[halves - 1]) & mask;
}

/* Takes so many tries, of as many halves each: numbers of at least n are rejected, and the one
   below n goes to end[-n] before n goes down. Returns the next n. */
static inline uint32_t draw_each(const uint16_t *half, int halves, int64_t tries, uint32_t mask,
                                 uint32_t n, int32_t *end) {
  for (int64_t k = 0; k < tries; ++k, half += halves) {
    const uint32_t number = number_of(half, halves, mask);
    end[-(int64_t)n] = (int32_t)number;
    n -= number < n;
  }
  return n;
}

/* Draws numbers below n, n - 1, ..., last + 1, all of which have the bits of the mask. The one
   below m goes to end[-m]. */
static inline void draw_bits(gg_r_twister *numbers, int halves, uint32_t mask, uint32_t n,
                             uint32_t last, int32_t *end) {
  while (n > last) {
    if (numbers->count - numbers->at < halves) renew(numbers);
    const int64_t tries = gg_smaller((numbers->count - numbers->at) / halves, n - last);
    n = draw_each(numbers->half + numbers->at, halves, tries, mask, n, end);
    numbers->at += (int)tries * halves;
  }
}

void gg_r_twister_draw(gg_r_twister *numbers, uint32_t n, int32_t *drawn) {
  int32_t *const end = drawn + n;
  while (n > 0) {
    int bits = 0;
    while ((uint32_t)1 << bits < n)
      ++bits;
    const uint32_t last = bits > 0 ? (uint32_t)1 << (bits - 1) : 0;
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    if (bits < 16)
      draw_bits(numbers, 1, mask, n, last, end);
    else
      draw_bits(numbers, 2, mask, n, last, end);
    n = last;
  }
}
