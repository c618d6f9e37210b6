/* Products of matrices whose sums are maxima and whose products are sums, for each instruction
   set. */
#ifndef GG_MAX_PLUS_H
#define GG_MAX_PLUS_H

#include <stdint.h>

#include "common/simd.h"

enum {
  GG_MAX_PLUS_ROWS = 4,    /* rows of the left matrix that are packed together */
  GG_MAX_PLUS_ROOM = 3072, /* doubles: 128 packed rows of the right matrix, 24 KB */
};

/* A matrix: element (i, j) is at[i row + j column]. */
typedef struct gg_matrix_view {
  const double *at;
  int64_t row, column;
} gg_matrix_view;

/* out(i, j) = max over k of left(i, k) + right(k, j). */
typedef struct gg_max_plus {
  int64_t rows, columns, depth; /* each at least 1 */
  const double *left;           /* packed: by gg_max_plus_pack() */
  gg_matrix_view right;
  double *out; /* its rows are out_row apart; it may share no memory with the others */
  int64_t out_row;
} gg_max_plus;

/* Packs a left matrix: GG_MAX_PLUS_ROWS rows after the other, each of their columns after the
   other. The last row stands for those beyond it. */
static inline void gg_max_plus_pack(const gg_matrix_view *from, int64_t rows, int64_t depth,
                                    double *packed) {
  for (int64_t first = 0; first < rows; first += GG_MAX_PLUS_ROWS)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t r = first; r < first + GG_MAX_PLUS_ROWS; ++r)
        *packed++ = from->at[(r < rows ? r : rows - 1) * from->row + k * from->column];
}

/* Computes a product of finite numbers; room: GG_MAX_PLUS_ROOM doubles. Each sum is rounded: all
   sets of instructions give the same bits. */
typedef void gg_max_plus_kernel(const gg_max_plus *product, double *room);
extern gg_max_plus_kernel GG_SIMD_FORMS(gg_max_plus_multiply);

#endif
