/*
 * The vector arithmetic in which each metric is written once for all machines: V is a vector of
 * reals with one point in each lane, M a mask, I the lanes' bits.
 *
 * The C backend includes this once per source file, for GG_LANES_AVX512, GG_LANES_AVX2,
 * GG_LANES_128 (SSE2 on x86-64, NEON on aarch64) or none, which lanes.h or the file defines, and
 * GG_SINGLE for float. The CUDA backend includes it within a namespace for each real type; a lane
 * is then a thread. Therefore there is no include guard.
 *
 * VFN_CALL functions are called on a device, and inlined like VFN in C: long ones that are used
 * once for a whole pair of points.
 *
 * m_bits(m) has a bit for each lane, the first one lowest (C only). v_max(a, b) is the larger one;
 * b where one is NaN. v_add_abs(a, b) is a + |b|, by fma(1, ...) on CPUs with separate units for
 * additions, to balance the ports. v_fma_positive(a, b, c) is v_fma(a, b, c)
 * where neither a b nor c is below 0. v_difference(a, b) is a[l] - b in lane l, whole numbers whose
 * difference has 32 bits, rounded to float (GG_SINGLE in C only). v_first(a, b) and v_second(a, b)
 * are the first and the second lanes of both, v_load_floats(a) two floats (vectors of two doubles
 * only). All operations round as IEEE 754 says and none is contracted (-ffp-contract=off,
 * --fmad=false), so a lane gives the same bits everywhere.
 */

#if !defined(__CUDACC__)
#include <stdbool.h>

#include "common/lanes.h"
#endif

#if defined(__CUDACC__)

#define VFN      static __device__ __forceinline__
#define VFN_CALL static __device__ __noinline__
typedef real V;
typedef bool M;
VFN V v_set(real a) { return a; }
VFN V v_load(const real *a) { return *a; }
VFN void v_store(real *a, V b) { *a = b; }
VFN V v_add(V a, V b) { return a + b; }
VFN V v_sub(V a, V b) { return a - b; }
VFN V v_mul(V a, V b) { return a * b; }
VFN V v_div(V a, V b) { return a / b; }
VFN V v_fma(V a, V b, V c) { return fma(a, b, c); }
VFN V v_abs(V a) { return fabs(a); }
VFN V v_add_abs(V a, V b) { return a + fabs(b); }
VFN V v_sqrt(V a) { return sqrt(a); }
VFN M v_lt(V a, V b) { return a < b; }
VFN M v_le(V a, V b) { return a <= b; }
VFN M v_eq(V a, V b) { return a == b; }
VFN M v_ne(V a, V b) { return !(a == b); }
VFN M m_and(M a, M b) { return a && b; }
VFN M m_or(M a, M b) { return a || b; }
VFN M m_not(M a) { return !a; }
VFN V v_select(M m, V a, V b) { return m ? a : b; }
VFN V v_max(V a, V b) { return b < a ? a : b; }
/* Returns whether a lane is set; the compiler moves a rare branch out of the way. */
VFN bool m_any(M m) { return __builtin_expect(m, false); }
VFN bool m_all(M m) { return __builtin_expect(m, true); }
typedef unsigned long long I;
#if !defined(GG_SINGLE)
VFN I i_set(unsigned long long a) { return a; }
VFN I i_bits(V a) { return (I)__double_as_longlong(a); }
VFN V v_bits(I a) { return __longlong_as_double((long long)a); }
VFN I i_add(I a, I b) { return a + b; }
VFN I i_and(I a, I b) { return a & b; }
VFN I i_or(I a, I b) { return a | b; }
#define i_shr(a, n) ((a) >> (n))
#define i_shl(a, n) ((a) << (n))
#endif

#elif defined(GG_LANES_128) && defined(__aarch64__)

#include <arm_neon.h>
#define VFN static inline __attribute__((always_inline))
#if defined(GG_SINGLE)
#define GG_LANES 4
typedef float32x4_t V;
typedef uint32x4_t M;
#define P(op)    v##op##q_f32
VFN V v_difference(const int32_t *a, int32_t b) {
  return vcvtq_f32_s32(vsubq_s32(vld1q_s32(a), vdupq_n_s32(b)));
}
VFN V v_set(real a) { return vdupq_n_f32(a); }
VFN bool m_any(M m) { return vmaxvq_u32(m) != 0; }
VFN bool m_all(M m) { return __builtin_expect(vminvq_u32(m) != 0, true); }
VFN unsigned m_bits(M m) { return vaddvq_u32(m & (M){1, 2, 4, 8}); }
#else
#define GG_LANES    2
typedef float64x2_t V;
typedef uint64x2_t M;
typedef uint64x2_t I;
#define P(op)       v##op##q_f64
VFN I i_set(uint64_t a) { return vdupq_n_u64(a); }
VFN I i_bits(V a) { return vreinterpretq_u64_f64(a); }
VFN V v_bits(I a) { return vreinterpretq_f64_u64(a); }
VFN I i_add(I a, I b) { return a + b; }
VFN I i_and(I a, I b) { return a & b; }
VFN I i_or(I a, I b) { return a | b; }
#define i_shr(a, n) vshrq_n_u64(a, n)
#define i_shl(a, n) vshlq_n_u64(a, n)
VFN V v_set(real a) { return vdupq_n_f64(a); }
VFN V v_first(V a, V b) { return vzip1q_f64(a, b); }
VFN V v_second(V a, V b) { return vzip2q_f64(a, b); }
VFN V v_load_floats(const float *a) { return vcvt_f64_f32(vld1_f32(a)); }
VFN bool m_any(M m) { return vmaxvq_u32(vreinterpretq_u32_u64(m)) != 0; }
VFN bool m_all(M m) { return __builtin_expect(vminvq_u32(vreinterpretq_u32_u64(m)) != 0, true); }
VFN unsigned m_bits(M m) { return (unsigned)vaddvq_u64(m & (M){1, 2}); }
#endif
VFN V v_load(const real *a) { return P(ld1)(a); }
VFN void v_store(real *a, V b) { P(st1)(a, b); }
VFN V v_add(V a, V b) { return P(add)(a, b); }
VFN V v_sub(V a, V b) { return P(sub)(a, b); }
VFN V v_mul(V a, V b) { return P(mul)(a, b); }
VFN V v_div(V a, V b) { return P(div)(a, b); }
VFN V v_fma(V a, V b, V c) { return P(fma)(c, a, b); }
VFN V v_abs(V a) { return P(abs)(a); }
VFN V v_add_abs(V a, V b) { return P(add)(a, P(abs)(b)); }
VFN V v_sqrt(V a) { return P(sqrt)(a); }
VFN M v_lt(V a, V b) { return P(clt)(a, b); }
VFN M v_le(V a, V b) { return P(cle)(a, b); }
VFN M v_eq(V a, V b) { return P(ceq)(a, b); }
VFN M v_ne(V a, V b) { return ~P(ceq)(a, b); }
VFN M m_and(M a, M b) { return a & b; }
VFN M m_or(M a, M b) { return a | b; }
VFN M m_not(M a) { return ~a; }
VFN V v_select(M m, V a, V b) { return P(bsl)(m, a, b); }
VFN V v_max(V a, V b) { return P(bsl)(P(cgt)(a, b), a, b); }

#elif defined(GG_LANES_AVX512) || defined(GG_LANES_AVX2) || defined(GG_LANES_128)

#if defined(GG_LANES_128)
#include <emmintrin.h> /* a tenth of the other one, which has all that was added to SSE2 */
#else
#include <immintrin.h>
#endif
#include <math.h>
#include <stdint.h>
#define VFN static inline __attribute__((always_inline)) GG_TARGET

/* The types, the words for integers, and P(op), an instruction for packed reals. */
#if defined(GG_LANES_AVX512)
#if defined(GG_SINGLE)
#define GG_LANES 16
typedef __m512 V;
typedef __mmask16 M;
#define P(op)    _mm512_##op##_ps
#define CMP(op)  _mm512_cmp_ps_mask(a, b, op)
VFN V v_difference(const int32_t *a, int32_t b) {
  return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(a), _mm512_set1_epi32(b)));
}
#else
#define GG_LANES    8
typedef __m512d V;
typedef __mmask8 M;
typedef __m512i I;
#define P(op)       _mm512_##op##_pd
#define CMP(op)     _mm512_cmp_pd_mask(a, b, op)
VFN I i_set(unsigned long long a) { return _mm512_set1_epi64((long long)a); }
VFN I i_bits(V a) { return _mm512_castpd_si512(a); }
VFN V v_bits(I a) { return _mm512_castsi512_pd(a); }
VFN I i_add(I a, I b) { return _mm512_add_epi64(a, b); }
VFN I i_and(I a, I b) { return _mm512_and_si512(a, b); }
VFN I i_or(I a, I b) { return _mm512_or_si512(a, b); }
#define i_shr(a, n) _mm512_srli_epi64(a, n)
#define i_shl(a, n) _mm512_slli_epi64(a, n)
#endif
#elif defined(GG_LANES_AVX2)
#if defined(GG_SINGLE)
#define GG_LANES 8
typedef __m256 V;
#define P(op)    _mm256_##op##_ps
VFN V v_difference(const int32_t *a, int32_t b) {
  return _mm256_cvtepi32_ps(
      _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)a), _mm256_set1_epi32(b)));
}
#else
#define GG_LANES    4
typedef __m256d V;
typedef __m256i I;
#define P(op)       _mm256_##op##_pd
VFN I i_set(unsigned long long a) { return _mm256_set1_epi64x((long long)a); }
VFN I i_bits(V a) { return _mm256_castpd_si256(a); }
VFN V v_bits(I a) { return _mm256_castsi256_pd(a); }
VFN I i_add(I a, I b) { return _mm256_add_epi64(a, b); }
VFN I i_and(I a, I b) { return _mm256_and_si256(a, b); }
VFN I i_or(I a, I b) { return _mm256_or_si256(a, b); }
#define i_shr(a, n) _mm256_srli_epi64(a, n)
#define i_shl(a, n) _mm256_slli_epi64(a, n)
#endif
#else
#if defined(GG_SINGLE)
#define GG_LANES   4
typedef __m128 V;
#define P(op)      _mm_##op##_ps
#define SCALAR(op) op##f
VFN V v_difference(const int32_t *a, int32_t b) {
  return _mm_cvtepi32_ps(_mm_sub_epi32(_mm_loadu_si128((const __m128i *)a), _mm_set1_epi32(b)));
}
#else
#define GG_LANES    2
typedef __m128d V;
typedef __m128i I;
#define P(op)       _mm_##op##_pd
#define SCALAR(op)  op
VFN I i_set(unsigned long long a) { return _mm_set1_epi64x((long long)a); }
VFN I i_bits(V a) { return _mm_castpd_si128(a); }
VFN V v_bits(I a) { return _mm_castsi128_pd(a); }
VFN I i_add(I a, I b) { return _mm_add_epi64(a, b); }
VFN I i_and(I a, I b) { return _mm_and_si128(a, b); }
VFN I i_or(I a, I b) { return _mm_or_si128(a, b); }
#define i_shr(a, n) _mm_srli_epi64(a, n)
#define i_shl(a, n) _mm_slli_epi64(a, n)
VFN V v_first(V a, V b) { return _mm_unpacklo_pd(a, b); }
VFN V v_second(V a, V b) { return _mm_unpackhi_pd(a, b); }
VFN V v_load_floats(const float *a) {
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)a)));
}
#endif
#endif

VFN V v_set(real a) { return P(set1)(a); }
VFN V v_load(const real *a) { return P(loadu)(a); }
VFN void v_store(real *a, V b) { P(storeu)(a, b); }
VFN V v_add(V a, V b) { return P(add)(a, b); }
VFN V v_sub(V a, V b) { return P(sub)(a, b); }
VFN V v_mul(V a, V b) { return P(mul)(a, b); }
VFN V v_div(V a, V b) { return P(div)(a, b); }
VFN V v_abs(V a) { return P(andnot)(P(set1)(-(real)0), a); }
VFN V v_sqrt(V a) { return P(sqrt)(a); }
VFN V v_max(V a, V b) { return P(max)(a, b); }

#if defined(GG_LANES_AVX512)
VFN M m_and(M a, M b) { return (M)(a & b); }
VFN M m_or(M a, M b) { return (M)(a | b); }
VFN bool m_any(M m) { return m != 0; }
VFN bool m_all(M m) { return __builtin_expect(m == (M)((1u << GG_LANES) - 1), true); }
VFN unsigned m_bits(M m) { return m; }
VFN V v_fma(V a, V b, V c) { return P(fmadd)(a, b, c); }
VFN V v_add_abs(V a, V b) { return P(fmadd)(v_abs(b), P(set1)(1), a); }
VFN M v_lt(V a, V b) { return CMP(_CMP_LT_OQ); }
VFN M v_le(V a, V b) { return CMP(_CMP_LE_OQ); }
VFN M v_eq(V a, V b) { return CMP(_CMP_EQ_OQ); }
VFN M v_ne(V a, V b) { return CMP(_CMP_NEQ_UQ); }
VFN M m_not(M a) { return (M)~a; }
VFN V v_select(M m, V a, V b) { return P(mask_mov)(b, m, a); }
#else
typedef V M;
VFN M m_and(M a, M b) { return P(and)(a, b); }
VFN M m_or(M a, M b) { return P(or)(a, b); }
VFN bool m_any(M m) { return P(movemask)(m) != 0; }
VFN bool m_all(M m) { return __builtin_expect(P(movemask)(m) == (1 << GG_LANES) - 1, true); }
VFN unsigned m_bits(M m) { return (unsigned)P(movemask)(m); }
#if defined(GG_LANES_AVX2)
VFN V v_fma(V a, V b, V c) { return P(fmadd)(a, b, c); }
VFN V v_add_abs(V a, V b) { return P(fmadd)(v_abs(b), P(set1)(1), a); }
VFN M v_lt(V a, V b) { return P(cmp)(a, b, _CMP_LT_OQ); }
VFN M v_le(V a, V b) { return P(cmp)(a, b, _CMP_LE_OQ); }
VFN M v_eq(V a, V b) { return P(cmp)(a, b, _CMP_EQ_OQ); }
VFN M v_ne(V a, V b) { return P(cmp)(a, b, _CMP_NEQ_UQ); }
VFN M m_not(M a) { return P(xor)(a, P(cmp)(a, a, _CMP_TRUE_UQ)); }
VFN V v_select(M m, V a, V b) { return P(blendv)(b, a, m); }
#else
VFN V v_add_abs(V a, V b) { return P(add)(a, v_abs(b)); }
VFN M v_lt(V a, V b) { return P(cmplt)(a, b); }
VFN M v_le(V a, V b) { return P(cmple)(a, b); }
VFN M v_eq(V a, V b) { return P(cmpeq)(a, b); }
VFN M v_ne(V a, V b) { return P(cmpneq)(a, b); }
VFN M m_not(M a) { return P(xor)(a, P(cmpeq)(v_set(0), v_set(0))); }
VFN V v_select(M m, V a, V b) { return P(or)(P(and)(m, a), P(andnot)(m, b)); }

/* Computes fma() lane by lane. SSE2 has no fma: v_fma() computes two bounds of a b + c that nearly
   always round to the same number, which is then the fma, and calls this function where they do
   not. */
static __attribute__((noinline, cold, unused)) V v_fma_slowly(V a, V b, V c) {
  real x[GG_LANES], y[GG_LANES], z[GG_LANES];
  v_store(x, a);
  v_store(y, b);
  v_store(z, c);
  for (int l = 0; l < GG_LANES; ++l) /* the function of a C library may be slow */
    z[l] = x[l] == 0 || y[l] == 0 ? x[l] * y[l] + z[l] : SCALAR(fma)(x[l], y[l], z[l]);
  return v_load(z);
}

#if defined(GG_SINGLE)
/* Products are exact in double, and the error of a sum is at most 2^-53 of it. */
VFN V v_fma(V a, V b, V c) {
  const __m128d less = _mm_set1_pd(1 - 0x1p-52), more = _mm_set1_pd(1 + 0x1p-52);
  __m128d s = _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)), _mm_cvtps_pd(c));
  V d = _mm_movehl_ps(a, a), e = _mm_movehl_ps(b, b), f = _mm_movehl_ps(c, c);
  __m128d t = _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(d), _mm_cvtps_pd(e)), _mm_cvtps_pd(f));
  V low = _mm_movelh_ps(_mm_cvtpd_ps(_mm_mul_pd(s, less)), _mm_cvtpd_ps(_mm_mul_pd(t, less)));
  V high = _mm_movelh_ps(_mm_cvtpd_ps(_mm_mul_pd(s, more)), _mm_cvtpd_ps(_mm_mul_pd(t, more)));
  return __builtin_expect(m_any(v_ne(low, high)), false) ? v_fma_slowly(a, b, c) : low;
}
#else
/*
 * Each factor is split into 26 leading bits and the rest, which has the factor's sign. The product
 * of the leading parts is exact, and so is its sum with c as sum + error. The remaining products
 * have one sign: they have a relative error below 2^-51, and small = error + products one of at
 * most 2^-46 if |small| > 2^-56 |sum|, below which it does not matter. Results below 2^-800 may
 * have lost bits to underflow. Overflow makes NaN, which is unequal.
 */
typedef struct split_product {
  V leading, rest;
} split_product;
VFN split_product split_multiply(V a, V b) {
  const V leading = v_bits(i_set(0xfffffffff8000000ull));
  V a_high = P(and)(a, leading), a_low = v_sub(a, a_high);
  V b_high = P(and)(b, leading), b_low = v_sub(b, b_high);
  return (split_product){v_mul(a_high, b_high), v_add(v_mul(a_low, b_high), v_mul(a, b_low))};
}
VFN V v_fma(V a, V b, V c) {
  split_product product = split_multiply(a, b);
  V sum = v_add(c, product.leading), added = v_sub(sum, c);
  V error = v_add(v_sub(c, v_sub(sum, added)), v_sub(product.leading, added));
  V small = v_add(error, product.rest);
  V low = v_add(sum, v_mul(small, v_set(1 - 0x1p-46)));
  V high = v_add(sum, v_mul(small, v_set(1 + 0x1p-46)));
  M unsure = m_or(v_ne(low, high), v_lt(v_abs(low), v_set(0x1p-800)));
  return __builtin_expect(m_any(unsure), false) ? v_fma_slowly(a, b, c) : low;
}
#define GG_FMA_POSITIVE
VFN V v_fma_positive(V a, V b, V c) {
  split_product product = split_multiply(a, b);
  V sum = v_add(c, product.leading);
  V larger = P(max)(c, product.leading), smaller = P(min)(c, product.leading);
  V small = v_add(v_sub(smaller, v_sub(sum, larger)), product.rest);
  V low = v_add(sum, v_mul(small, v_set(1 - 0x1p-46)));
  V high = v_add(sum, v_mul(small, v_set(1 + 0x1p-46)));
  M unsure = v_ne(low, v_max(high, v_set(0x1p-800)));
  return __builtin_expect(m_any(unsure), false) ? v_fma_slowly(a, b, c) : low;
}
#endif
#endif
#endif

#else

#include <math.h>
#include <stdint.h>
#include <string.h>
#define VFN      static inline
#define GG_LANES 1
typedef real V;
typedef bool M;
typedef uint64_t I;
#if defined(GG_SINGLE)
#define SCALAR(op) op##f
VFN V v_difference(const int32_t *a, int32_t b) { return (V)(*a - b); }
#else
#define SCALAR(op)  op
VFN I i_set(uint64_t a) { return a; }
VFN I i_bits(V a) {
  I b;
  memcpy(&b, &a, sizeof b);
  return b;
}
VFN V v_bits(I a) {
  V b;
  memcpy(&b, &a, sizeof b);
  return b;
}
VFN I i_add(I a, I b) { return a + b; }
VFN I i_and(I a, I b) { return a & b; }
VFN I i_or(I a, I b) { return a | b; }
#define i_shr(a, n) ((a) >> (n))
#define i_shl(a, n) ((a) << (n))
#endif
VFN V v_set(real a) { return a; }
VFN V v_load(const real *a) { return *a; }
VFN void v_store(real *a, V b) { *a = b; }
VFN V v_add(V a, V b) { return a + b; }
VFN V v_sub(V a, V b) { return a - b; }
VFN V v_mul(V a, V b) { return a * b; }
VFN V v_div(V a, V b) { return a / b; }
VFN V v_fma(V a, V b, V c) { return SCALAR(fma)(a, b, c); }
VFN V v_abs(V a) { return SCALAR(fabs)(a); }
VFN V v_add_abs(V a, V b) { return a + SCALAR(fabs)(b); }
VFN V v_sqrt(V a) { return SCALAR(sqrt)(a); }
VFN M v_lt(V a, V b) { return a < b; }
VFN M v_le(V a, V b) { return a <= b; }
VFN M v_eq(V a, V b) { return a == b; }
VFN M v_ne(V a, V b) { return !(a == b); }
VFN M m_and(M a, M b) { return a && b; }
VFN M m_or(M a, M b) { return a || b; }
VFN M m_not(M a) { return !a; }
VFN V v_select(M m, V a, V b) { return m ? a : b; }
VFN V v_max(V a, V b) { return b < a ? a : b; }
VFN bool m_any(M m) { return m; }
VFN bool m_all(M m) { return __builtin_expect(m, true); }
VFN unsigned m_bits(M m) { return m; }

#endif

#if !defined(VFN_CALL)
#define VFN_CALL VFN
#endif

#if !defined(GG_FMA_POSITIVE)
VFN V v_fma_positive(V a, V b, V c) { return v_fma(a, b, c); }
#endif

/* Returns a where m holds, else 0. */
VFN V v_keep(M m, V a) { return v_select(m, a, v_set(0)); }
VFN V v_nan(void) {
  V zero = v_set(0);
  return v_div(zero, zero);
}
