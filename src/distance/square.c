/*
 * Square matrices of distances.
 *
 * Limit: the memory. Pairs are visited in tiles, because one element of each is far away.
 */
#include "distance/square.h"

#include <float.h>
#include <math.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"

enum { TILE = 64 /* rows and columns: both tiles of doubles take 64 KiB */ };

/* Returns the difference of the elements of a pair: 0 if both are missing or equal, infinity if
   only one is missing. */
static double gap_of(double a, double b) {
  if (isnan(a) != isnan(b)) return INFINITY;
  const double gap = fabs(a - b);
  return isnan(gap) ? 0 : gap;
}

/* Takes a pair into account. */
static void compare_pair(const gpugeo_matrix *square, int64_t i, int64_t j, gg_asymmetry *found) {
  const double below = gg_element(square, i, j), above = gg_element(square, j, i);
  const double gap = gap_of(below, above);
  const bool first = j < found->column || (j == found->column && i < found->row);
  if (gap > found->gap || (gap == found->gap && gap > 0 && first)) {
    found->gap = gap;
    found->row = i;
    found->column = j;
  }
  if (isfinite(below)) found->largest = fmax(found->largest, fabs(below));
  if (isfinite(above)) found->largest = fmax(found->largest, fabs(above));
}

gg_asymmetry gg_asymmetry_find(const gpugeo_matrix *square) {
  const int64_t n = square->nrow;
  gg_asymmetry found = {0};
  for (int64_t column = 0; column < n; column += TILE)
    for (int64_t row = column; row < n; row += TILE)
      for (int64_t j = column; j < gg_smaller(column + TILE, n); ++j)
        for (int64_t i = gg_larger(row, j); i < gg_smaller(row + TILE, n); ++i)
          compare_pair(square, i, j, &found);
  return found;
}

/* Returns 100 times the machine's precision. */
static double precision_of(const gpugeo_matrix *square) {
  return 100 * (square->type == GPUGEO_TYPE_FLOAT ? FLT_EPSILON : DBL_EPSILON);
}

bool gg_is_symmetric(const gpugeo_matrix *square, const gg_asymmetry *found) {
  return found->gap <= fmax(1e-8, precision_of(square)) * found->largest;
}

gpugeo_status gg_fail_asymmetric(gpugeo_error *error, const char *name, const gg_asymmetry *found,
                                 const gg_given *above, const gg_given *below, const char *hint) {
  const long long row = found->row + 1, column = found->column + 1;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                 "%s must be symmetric, but element (%lld, %lld) is %s and element (%lld, %lld) is "
                 "%s%s",
                 name, column, row, gg_show(above).text, row, column, gg_show(below).text, hint);
}

/* Returns the mean of the elements of a pair that differ, in the precision of the matrix. */
static double mean_of(const gpugeo_matrix *square, int64_t i, int64_t j) {
  const double below = gg_element(square, i, j), above = gg_element(square, j, i);
  if (gap_of(below, above) == 0) return below;
  const double sum = below + above;
  return square->type == GPUGEO_TYPE_FLOAT ? (float)sum / 2 : sum / 2;
}

void gg_square_condense(const gpugeo_matrix *square, void *condensed) {
  const int64_t n = square->nrow;
  for (int64_t column = 0; column < n; column += TILE)
    for (int64_t row = column; row < n; row += TILE)
      for (int64_t j = column; j < gg_smaller(column + TILE, n); ++j)
        for (int64_t i = gg_larger(row, j + 1); i < gg_smaller(row + TILE, n); ++i) {
          const int64_t at = gg_condensed_column(n, j) + i - j - 1;
          const double value = mean_of(square, i, j);
          if (square->type == GPUGEO_TYPE_FLOAT)
            ((float *)condensed)[at] = (float)value;
          else
            ((double *)condensed)[at] = value;
        }
}

/* True if no element is negative, and one is positive. */
static bool has_magnitudes(const gpugeo_matrix *x) {
  bool positive = false;
  for (int64_t j = 0; j < x->ncol; ++j)
    for (int64_t i = 0; i < x->nrow; ++i) {
      const double value = gg_element(x, i, j);
      if (value < 0) return false;
      positive = positive || value > 0;
    }
  return positive;
}

bool gg_looks_like_distances(const gpugeo_matrix *x) {
  if (x->sparse || x->nrow != x->ncol || x->nrow < 2) return false;
  for (int64_t i = 0; i < x->nrow; ++i)
    if (!(gg_element(x, i, i) == 0)) return false;
  if (!has_magnitudes(x)) return false;
  const gg_asymmetry found = gg_asymmetry_find(x);
  return found.gap <= precision_of(x) * found.largest;
}
