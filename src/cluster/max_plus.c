/*
 * Products of matrices with maxima of sums, compiled once for each instruction set, see lanes.h. A
 * lane is a column of the right matrix.
 *
 * Limited by additions and maxima, one of each for a sum: a tile of 4 rows and 3 vectors stays in
 * registers over 128 sums, for which the right matrix is packed to columns side by side.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <math.h>

typedef double real;

#include "cluster/max_plus.h"
#include "common/vector.h"

#define UNROLL _Pragma("GCC unroll 4")
enum {
  ROWS = GG_MAX_PLUS_ROWS,
  VECTORS = 3,
  COLUMNS = VECTORS * GG_LANES,
  DEPTH = 128 /* COLUMNS of the widest instructions times this is GG_MAX_PLUS_ROOM */
};

/* Packs a part of the right matrix: `depth` rows of COLUMNS elements. The last column stands for
   those beyond it. */
static GG_TARGET void pack_right(const gg_matrix_view *right, int64_t depth, int64_t columns,
                                 double *room) {
  if (right->column == 1 && columns >= COLUMNS) {
    for (int64_t k = 0; k < depth; ++k)
      UNROLL
    for (int v = 0; v < VECTORS; ++v)
      v_store(room + k * COLUMNS + v * GG_LANES, v_load(right->at + k * right->row + v * GG_LANES));
    return;
  }
  for (int64_t j = 0; j < COLUMNS; ++j) {
    const double *from = right->at + (j < columns ? j : columns - 1) * right->column;
    for (int64_t k = 0; k < depth; ++k)
      room[k * COLUMNS + j] = from[k * right->row];
  }
}

/* Raises the elements of a tile of ROWS rows, which are out_row apart, to the maxima of `depth`
   sums. */
static GG_TARGET void raise_tile(const double *left, const double *right, int64_t depth,
                                 double *out, int64_t out_row) {
  V best[ROWS][VECTORS];
  UNROLL
  for (int r = 0; r < ROWS; ++r)
    UNROLL
  for (int v = 0; v < VECTORS; ++v)
    best[r][v] = v_load(out + r * out_row + v * GG_LANES);
  for (int64_t k = 0; k < depth; ++k)
    UNROLL
  for (int r = 0; r < ROWS; ++r) {
    const V a = v_set(left[k * ROWS + r]);
    UNROLL
    for (int v = 0; v < VECTORS; ++v)
      best[r][v] = v_max(best[r][v], v_add(a, v_load(right + k * COLUMNS + v * GG_LANES)));
  }
  UNROLL
  for (int r = 0; r < ROWS; ++r)
    UNROLL
  for (int v = 0; v < VECTORS; ++v)
    v_store(out + r * out_row + v * GG_LANES, best[r][v]);
}

/* Does the same for a tile of fewer rows or columns. */
static GG_TARGET void raise_part(const double *left, const double *right, int64_t depth,
                                 double *out, int64_t out_row, int64_t rows, int64_t columns) {
  double tile[ROWS * COLUMNS] = {0};
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j)
      tile[r * COLUMNS + j] = out[r * out_row + j];
  raise_tile(left, right, depth, tile, COLUMNS);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j)
      out[r * out_row + j] = tile[r * COLUMNS + j];
}

/* Raises all rows of at most COLUMNS columns from `column` on by rows [first, first + depth) of the
   right matrix, which are packed. */
static GG_TARGET void raise_columns(const gg_max_plus *product, int64_t first, int64_t depth,
                                    int64_t column, const double *room) {
  const int64_t rest = product->columns - column, columns = rest < COLUMNS ? rest : COLUMNS;
  for (int64_t i = 0; i < product->rows; i += ROWS) {
    const double *left = product->left + i * product->depth + first * ROWS;
    double *out = product->out + i * product->out_row + column;
    const int64_t rows = product->rows - i;
    if (rows >= ROWS && columns == COLUMNS)
      raise_tile(left, room, depth, out, product->out_row);
    else
      raise_part(left, room, depth, out, product->out_row, rows < ROWS ? rows : ROWS, columns);
  }
}

/* Computes a product of one column, for which no lanes are filled. */
static void multiply_column(const gg_max_plus *product) {
  for (int64_t i = 0; i < product->rows; i += ROWS) {
    const double *left = product->left + i * product->depth, *right = product->right.at;
    double best[ROWS] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < product->depth; ++k)
      for (int r = 0; r < ROWS; ++r) {
        const double sum = left[k * ROWS + r] + right[k * product->right.row];
        best[r] = sum < best[r] ? best[r] : sum;
      }
    for (int64_t r = 0; r < ROWS && i + r < product->rows; ++r)
      product->out[(i + r) * product->out_row] = best[r];
  }
}

/* Computes a product; see max_plus.h. */
GG_TARGET void GG_FORM_OF(gg_max_plus_multiply)(const gg_max_plus *product, double *room) {
  if (product->columns == 1) {
    multiply_column(product);
    return;
  }
  for (int64_t i = 0; i < product->rows; ++i)
    for (int64_t j = 0; j < product->columns; ++j)
      product->out[i * product->out_row + j] = -INFINITY;
  for (int64_t first = 0; first < product->depth; first += DEPTH) {
    const int64_t rest = product->depth - first, depth = rest < DEPTH ? rest : DEPTH;
    for (int64_t column = 0; column < product->columns; column += COLUMNS) {
      const gg_matrix_view part = {product->right.at + first * product->right.row +
                                       column * product->right.column,
                                   product->right.row, product->right.column};
      pack_right(&part, depth, product->columns - column, room);
      raise_columns(product, first, depth, column, room);
    }
  }
}

#endif
