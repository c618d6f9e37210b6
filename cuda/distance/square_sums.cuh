/* Sums over many terms for a square of 64 by 64, by one thread block. */
#ifndef GG_CUDA_SQUARE_SUMS_CUH
#define GG_CUDA_SQUARE_SUMS_CUH

#include <cstdint>

namespace gpugeo {

/* Side of a square, threads of its block, terms that are in shared memory at a time, and doubles
   from one term to the next: rows remain aligned to 16 bytes, and stores meet few banks twice. */
enum { SQUARE_SIDE = 64, SQUARE_THREADS = 256, SQUARE_DEPTH = 16, SQUARE_PITCH = SQUARE_SIDE + 2 };

/* The terms of rows and columns: SQUARE_DEPTH for each. */
struct square_terms {
  double rows[SQUARE_DEPTH][SQUARE_PITCH], columns[SQUARE_DEPTH][SQUARE_PITCH];
};

/* Returns the number in the square of a row; a thread has four rows and four columns. */
__device__ __forceinline__ int square_row(int a) { return (int)threadIdx.x / 16 * 4 + a; }
__device__ __forceinline__ int square_column(int b) {
  return (int)threadIdx.x % 16 * 2 + b / 2 * 32 + b % 2;
}

/* Replaces each sum by take(row term, column term, sum). */
template <class Take>
__device__ __forceinline__ void add_term(const square_terms &terms, int l, double (&sum)[4][4],
                                         Take take) {
  double row[4], column[4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const double2 r = *reinterpret_cast<const double2 *>(&terms.rows[l][square_row(2 * half)]);
    const double2 c =
        *reinterpret_cast<const double2 *>(&terms.columns[l][square_column(2 * half)]);
    row[2 * half] = r.x;
    row[2 * half + 1] = r.y;
    column[2 * half] = c.x;
    column[2 * half + 1] = c.y;
  }
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b)
      sum[a][b] = take(row[a], column[b], sum[a][b]);
}

} // namespace gpugeo

#endif
