/*
 * The vector arithmetic in which each metric is written once for all machines: V is a vector of
 * reals with one point in each lane, M a mask, I the lanes' bits.
 *
 * The C backend includes this once per source file, after defining GG_LANES_AVX512, GG_LANES_AVX2
 * or neither, and GG_SINGLE for float. The CUDA backend includes it within a namespace for each
 * real type; a lane is then a thread. Therefore there is no include guard.
 *
 * VFN_CALL functions are called on a device, and inlined like VFN in C: long ones that are used
 * once for a whole pair of points.
 *
 * m_bits(m) has a bit for each lane, the first one lowest (C only). v_max(a, b) is the larger one;
 * b where one is NaN. v_add_abs(a, b) is a + |b|, by an fma with 1 where additions have pipes of
 * their own and a subtraction is waiting for them too. v_difference(a, b) is a[l] - b in lane l,
 * whole numbers whose difference has 32 bits, rounded to float (GG_SINGLE in C only). All
 * operations round as IEEE 754 says and none is contracted (-ffp-contract=off, --fmad=false), so a
 * lane gives the same bits everywhere.
 */

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
VFN bool m_any(M m) { return __builtin_expect(m, false); } /* keeps rare branches out of the way */
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

#elif defined(GG_LANES_AVX512)

#include <immintrin.h>
#define GG_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")))
#define VFN       static inline __attribute__((always_inline)) GG_TARGET
#if defined(GG_SINGLE)
#define GG_LANES   16
typedef __m512 V;
typedef __mmask16 M;
#define P512(op)   _mm512_##op##_ps
#define CMP512(op) _mm512_cmp_ps_mask(a, b, op)
VFN V v_difference(const int32_t *a, int32_t b) {
  return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(a), _mm512_set1_epi32(b)));
}
#else
#define GG_LANES    8
typedef __m512d V;
typedef __mmask8 M;
typedef __m512i I;
#define P512(op)    _mm512_##op##_pd
#define CMP512(op)  _mm512_cmp_pd_mask(a, b, op)
VFN I i_set(unsigned long long a) { return _mm512_set1_epi64((long long)a); }
VFN I i_bits(V a) { return _mm512_castpd_si512(a); }
VFN V v_bits(I a) { return _mm512_castsi512_pd(a); }
VFN I i_add(I a, I b) { return _mm512_add_epi64(a, b); }
VFN I i_and(I a, I b) { return _mm512_and_si512(a, b); }
VFN I i_or(I a, I b) { return _mm512_or_si512(a, b); }
#define i_shr(a, n) _mm512_srli_epi64(a, n)
#define i_shl(a, n) _mm512_slli_epi64(a, n)
#endif
VFN V v_set(real a) { return P512(set1)(a); }
VFN V v_load(const real *a) { return P512(loadu)(a); }
VFN void v_store(real *a, V b) { P512(storeu)(a, b); }
VFN V v_add(V a, V b) { return P512(add)(a, b); }
VFN V v_sub(V a, V b) { return P512(sub)(a, b); }
VFN V v_mul(V a, V b) { return P512(mul)(a, b); }
VFN V v_div(V a, V b) { return P512(div)(a, b); }
VFN V v_fma(V a, V b, V c) { return P512(fmadd)(a, b, c); }
VFN V v_abs(V a) { return P512(andnot)(P512(set1)(-(real)0), a); }
VFN V v_add_abs(V a, V b) { return P512(fmadd)(v_abs(b), P512(set1)(1), a); }
VFN V v_sqrt(V a) { return P512(sqrt)(a); }
VFN M v_lt(V a, V b) { return CMP512(_CMP_LT_OQ); }
VFN M v_le(V a, V b) { return CMP512(_CMP_LE_OQ); }
VFN M v_eq(V a, V b) { return CMP512(_CMP_EQ_OQ); }
VFN M v_ne(V a, V b) { return CMP512(_CMP_NEQ_UQ); }
VFN M m_and(M a, M b) { return (M)(a & b); }
VFN M m_or(M a, M b) { return (M)(a | b); }
VFN M m_not(M a) { return (M)~a; }
VFN V v_select(M m, V a, V b) { return P512(mask_mov)(b, m, a); }
VFN V v_max(V a, V b) { return P512(max)(a, b); }
VFN bool m_any(M m) { return m != 0; }
VFN unsigned m_bits(M m) { return m; }

#elif defined(GG_LANES_AVX2)

#include <immintrin.h>
#define GG_TARGET __attribute__((target("avx2,fma")))
#define VFN       static inline __attribute__((always_inline)) GG_TARGET
#if defined(GG_SINGLE)
#define GG_LANES 8
typedef __m256 V;
#define P256(op) _mm256_##op##_ps
VFN V v_difference(const int32_t *a, int32_t b) {
  return _mm256_cvtepi32_ps(
      _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)a), _mm256_set1_epi32(b)));
}
#else
#define GG_LANES    4
typedef __m256d V;
typedef __m256i I;
#define P256(op)    _mm256_##op##_pd
VFN I i_set(unsigned long long a) { return _mm256_set1_epi64x((long long)a); }
VFN I i_bits(V a) { return _mm256_castpd_si256(a); }
VFN V v_bits(I a) { return _mm256_castsi256_pd(a); }
VFN I i_add(I a, I b) { return _mm256_add_epi64(a, b); }
VFN I i_and(I a, I b) { return _mm256_and_si256(a, b); }
VFN I i_or(I a, I b) { return _mm256_or_si256(a, b); }
#define i_shr(a, n) _mm256_srli_epi64(a, n)
#define i_shl(a, n) _mm256_slli_epi64(a, n)
#endif
typedef V M;
VFN V v_set(real a) { return P256(set1)(a); }
VFN V v_load(const real *a) { return P256(loadu)(a); }
VFN void v_store(real *a, V b) { P256(storeu)(a, b); }
VFN V v_add(V a, V b) { return P256(add)(a, b); }
VFN V v_sub(V a, V b) { return P256(sub)(a, b); }
VFN V v_mul(V a, V b) { return P256(mul)(a, b); }
VFN V v_div(V a, V b) { return P256(div)(a, b); }
VFN V v_fma(V a, V b, V c) { return P256(fmadd)(a, b, c); }
VFN V v_abs(V a) { return P256(andnot)(P256(set1)(-(real)0), a); }
VFN V v_add_abs(V a, V b) { return P256(fmadd)(v_abs(b), P256(set1)(1), a); }
VFN V v_sqrt(V a) { return P256(sqrt)(a); }
VFN M v_lt(V a, V b) { return P256(cmp)(a, b, _CMP_LT_OQ); }
VFN M v_le(V a, V b) { return P256(cmp)(a, b, _CMP_LE_OQ); }
VFN M v_eq(V a, V b) { return P256(cmp)(a, b, _CMP_EQ_OQ); }
VFN M v_ne(V a, V b) { return P256(cmp)(a, b, _CMP_NEQ_UQ); }
VFN M m_and(M a, M b) { return P256(and)(a, b); }
VFN M m_or(M a, M b) { return P256(or)(a, b); }
VFN M m_not(M a) { return P256(xor)(a, P256(cmp)(a, a, _CMP_TRUE_UQ)); }
VFN V v_select(M m, V a, V b) { return P256(blendv)(b, a, m); }
VFN V v_max(V a, V b) { return P256(max)(a, b); }
VFN bool m_any(M m) { return P256(movemask)(m) != 0; }
VFN unsigned m_bits(M m) { return (unsigned)P256(movemask)(m); }

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define GG_TARGET
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
VFN unsigned m_bits(M m) { return m; }

#endif

#if !defined(VFN_CALL)
#define VFN_CALL VFN
#endif

/* Returns a where m holds, else 0. */
VFN V v_keep(M m, V a) { return v_select(m, a, v_set(0)); }
VFN V v_nan(void) {
  V zero = v_set(0);
  return v_div(zero, zero);
}
