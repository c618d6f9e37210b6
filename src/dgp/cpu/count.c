/*
 * The inner loop of the exhaustive algorithm: counts the sums of a table that lie in a window.
 * Compiled once for each instruction set, see lanes.h.
 *
 * Limited by a subtraction and a comparison for each row.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "dgp/cpu/count.h"

#if defined(GG_LANES_AVX512)

#include <immintrin.h>
GG_TARGET int64_t GG_FORM_OF(gg_cpu_dgp_count)(const int64_t *sums, int64_t size, int64_t low,
                                               uint64_t width) {
  const __m512i first = _mm512_set1_epi64(low), span = _mm512_set1_epi64((int64_t)width);
  const __m512i one = _mm512_set1_epi64(1);
  __m512i count = _mm512_setzero_si512(), other = count;
  for (int64_t i = 0; i < size; i += 16) {
    const __m512i a = _mm512_sub_epi64(_mm512_load_si512(sums + i), first);
    const __m512i b = _mm512_sub_epi64(_mm512_load_si512(sums + i + 8), first);
    count = _mm512_mask_add_epi64(count, _mm512_cmple_epu64_mask(a, span), count, one);
    other = _mm512_mask_add_epi64(other, _mm512_cmple_epu64_mask(b, span), other, one);
  }
  return _mm512_reduce_add_epi64(_mm512_add_epi64(count, other));
}

#elif defined(GG_LANES_AVX2)

#include <immintrin.h>
/* Counts by signed comparisons: unsigned numbers less 2^63 compare as signed ones. */
GG_TARGET int64_t GG_FORM_OF(gg_cpu_dgp_count)(const int64_t *sums, int64_t size, int64_t low,
                                               uint64_t width) {
  const __m256i first = _mm256_set1_epi64x((int64_t)((uint64_t)low + ((uint64_t)1 << 63)));
  const __m256i span = _mm256_set1_epi64x((int64_t)(width - ((uint64_t)1 << 63)));
  __m256i outside = _mm256_setzero_si256(), other = outside;
  for (int64_t i = 0; i < size; i += 8) {
    const __m256i a = _mm256_sub_epi64(_mm256_load_si256((const __m256i *)(sums + i)), first);
    const __m256i b = _mm256_sub_epi64(_mm256_load_si256((const __m256i *)(sums + i + 4)), first);
    outside = _mm256_add_epi64(outside, _mm256_cmpgt_epi64(a, span));
    other = _mm256_add_epi64(other, _mm256_cmpgt_epi64(b, span));
  }
  int64_t lane[4];
  _mm256_storeu_si256((__m256i *)lane, _mm256_add_epi64(outside, other));
  return size + lane[0] + lane[1] + lane[2] + lane[3];
}

#elif defined(GG_LANES_128) && defined(__aarch64__)

#include <arm_neon.h>
int64_t GG_FORM_OF(gg_cpu_dgp_count)(const int64_t *sums, int64_t size, int64_t low,
                                     uint64_t width) {
  const uint64x2_t first = vdupq_n_u64((uint64_t)low), span = vdupq_n_u64(width);
  uint64x2_t outside = vdupq_n_u64(0), other = outside;
  for (int64_t i = 0; i < size; i += 4) {
    const uint64x2_t a = vsubq_u64(vreinterpretq_u64_s64(vld1q_s64(sums + i)), first);
    const uint64x2_t b = vsubq_u64(vreinterpretq_u64_s64(vld1q_s64(sums + i + 2)), first);
    outside = vaddq_u64(outside, vcgtq_u64(a, span)); /* -1 for each */
    other = vaddq_u64(other, vcgtq_u64(b, span));
  }
  return size + (int64_t)vaddvq_u64(vaddq_u64(outside, other));
}

#else

/* Counts without vectors, for SSE2 as well, which cannot compare numbers of 64 bits: vectors take
   as many instructions. */
int64_t GG_FORM_OF(gg_cpu_dgp_count)(const int64_t *sums, int64_t size, int64_t low,
                                     uint64_t width) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i)
    count += (uint64_t)sums[i] - (uint64_t)low <= width;
  return count;
}

#endif

#endif
