/*
 * Drawing of permutations. Included once per instruction set, after defining GG_KERNELS, the name
 * of the table, and perhaps GG_LANES_AVX512.
 */
#include <stdbool.h>

#include "common/integer.h"
#include "twister.h"

typedef double real;
#include "common/vector.h"

enum {
  WORDS = GG_R_TWISTER_WORDS,
  MIDDLE = 397,
  TRIES = 16,        /* that a vector takes */
  LEAST_MASK = 0x3ff /* from it on, at most one vector in four is taken try by try */
};

/* Returns a word of the next state of the Mersenne Twister. */
VFN uint32_t twist(uint32_t word, uint32_t next, uint32_t other) {
  const uint32_t both = (word & 0x80000000u) | (next & 0x7fffffffu);
  return other ^ both >> 1 ^ ((0 - (both & 1)) & 0x9908b0dfu);
}

/* Writes the upper halves of numbers. The last step of tempering does not change them. */
VFN void temper_words(const uint32_t *word, int count, uint16_t *half) {
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
VFN void renew(gg_r_twister *numbers) {
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
  temper_words(word, WORDS, numbers->half + left);
  numbers->at = 0;
  numbers->count = left + WORDS;
}

/* Returns the number that a try draws. */
VFN uint32_t number_of(const uint16_t *half, int halves, uint32_t mask) {
  return ((uint32_t)half[0] << 16 | half[halves - 1]) & mask;
}

/* Takes so many tries, of as many halves each: numbers of at least n are rejected, and the one
   below n goes to end[-n] before n goes down. Returns the next n. */
VFN uint32_t draw_each(const uint16_t *half, int halves, int64_t tries, uint32_t mask, uint32_t n,
                       int32_t *end) {
  for (int64_t k = 0; k < tries; ++k, half += halves) {
    const uint32_t number = number_of(half, halves, mask);
    end[-(int64_t)n] = (int32_t)number;
    n -= number < n;
  }
  return n;
}

#if defined(GG_LANES_AVX512)
/* Does the same with TRIES tries, n being larger. If no number is below n and at least n - TRIES,
   it does not matter how many were taken before it. */
VFN uint32_t draw_together(const uint16_t *half, int halves, uint32_t mask, uint32_t n,
                           int32_t *end) {
  const __m512i limit = _mm512_set1_epi32((int)(n - TRIES)), all = _mm512_set1_epi32((int)mask);
  const __m512i bits = halves == 1
                           ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)half))
                           : _mm512_rol_epi32(_mm512_loadu_si512(half), 16);
  const __m512i number = _mm512_and_si512(bits, all), above = _mm512_sub_epi32(number, limit);
  if (_mm512_cmplt_epu32_mask(above, _mm512_set1_epi32(TRIES)))
    return draw_each(half, halves, TRIES, mask, n, end);
  const __mmask16 below = _mm512_cmplt_epu32_mask(number, limit);
  _mm512_storeu_si512(end - n, _mm512_maskz_compress_epi32(below, number));
  return n - (uint32_t)__builtin_popcount(below);
}
#endif

/* Takes so many tries, together where that is possible. */
VFN uint32_t draw_some(const uint16_t *half, int halves, int64_t tries, uint32_t mask, uint32_t n,
                       int32_t *end) {
  int64_t k = 0;
#if defined(GG_LANES_AVX512)
  for (; mask >= LEAST_MASK && k + TRIES <= tries; k += TRIES)
    n = draw_together(half + k * halves, halves, mask, n, end);
#endif
  return draw_each(half + k * halves, halves, tries - k, mask, n, end);
}

/* Draws numbers below n, n - 1, ..., last + 1, all of which have the bits of the mask. The one
   below m goes to end[-m]. */
VFN void draw_bits(gg_r_twister *numbers, int halves, uint32_t mask, uint32_t n, uint32_t last,
                   int32_t *end) {
  while (n > last) {
    if (numbers->count - numbers->at < halves) renew(numbers);
    const int64_t tries = gg_smaller((numbers->count - numbers->at) / halves, n - last);
    n = draw_some(numbers->half + numbers->at, halves, tries, mask, n, end);
    numbers->at += (int)tries * halves;
  }
}

GG_TARGET static void temper(const uint32_t *word, int count, uint16_t *half) {
  temper_words(word, count, half);
}

GG_TARGET static void draw(gg_r_twister *numbers, uint32_t n, int32_t *drawn) {
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

const gg_r_twister_kernels GG_KERNELS = {temper, draw};
