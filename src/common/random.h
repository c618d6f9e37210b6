/* Random numbers without a state: each is a function of a seed and its number, in whatever order
   they are drawn. */
#ifndef GG_RANDOM_H
#define GG_RANDOM_H

#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define GG_RANDOM static __host__ __device__ __forceinline__
#else
#define GG_RANDOM static inline
#endif

/* The step and the finalizer of SplitMix64 (Steele, Lea and Flood 2014); as a hash, the finalizer
   maps 64 bits to 64 others, one to one. */
#define GG_RANDOM_STEP 0x9e3779b97f4a7c15u

GG_RANDOM uint64_t gg_random_mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Adds words of 64 bits to a running hash. */
GG_RANDOM uint64_t gg_random_hash(uint64_t hash, const void *words, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    uint64_t word;
    memcpy(&word, (const char *)words + 8 * k, sizeof word);
    hash = gg_random_mix(hash + GG_RANDOM_STEP) ^ gg_random_mix(word + 1);
  }
  return hash;
}

/* Returns the number-th (from 0) 64 bits of SplitMix64 from this seed. */
GG_RANDOM uint64_t gg_random(uint64_t seed, uint64_t number) {
  return gg_random_mix(seed + (number + 1) * GG_RANDOM_STEP);
}

/* Returns the same number as a double in [0, 1). */
GG_RANDOM double gg_random_unit(uint64_t seed, uint64_t number) {
  return (double)(gg_random(seed, number) >> 11) * 0x1p-53;
}

#endif
