/* Square matrices of distances: what is symmetric, and what becomes of elements that differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/error.h"
#include "distance/square.h"

enum { N = 150 /* more than two tiles of rows */ };

static gpugeo_matrix view_of(const void *data, gpugeo_type type, int64_t n) {
  return (gpugeo_matrix){.data = data, .type = type, .nrow = n, .ncol = n, .ld = n};
}

/* Returns element i, j of a symmetric matrix. */
static double element(int i, int j) {
  return i == j ? 0 : (double)((i < j ? i * N + j : j * N + i) % 97) / 8 + 1;
}

static double *symmetric(void) {
  double *d = malloc(N * N * sizeof *d);
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i)
      d[i + j * N] = element(i, j);
  return d;
}

/* The mean of both elements of a pair stands below the diagonal, column by column. */
static void test_condense(void) {
  double *d = symmetric(), *made = malloc(N * (N - 1) / 2 * sizeof *made);
  const gpugeo_matrix square = view_of(d, GPUGEO_TYPE_DOUBLE, N);
  d[140 + 3 * N] = 2;
  d[3 + 140 * N] = 2 + 0x1p-30;
  const gg_asymmetry found = gg_asymmetry_find(&square);
  CHECK(gg_is_symmetric(&square, &found), "%g", found.gap);
  CHECK(!gg_looks_like_distances(&square), "%g", found.gap);
  gg_square_condense(&square, made);
  int at = 0, wrong = 0;
  for (int j = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i)
      wrong += made[at++] != (i == 140 && j == 3 ? 2 + 0x1p-31 : element(i, j));
  CHECK(wrong == 0, "%d elements are wrong", wrong);
  free(made);
  free(d);
}

/* Of pairs with the largest difference, the first one by columns is found. */
static void test_gap(void) {
  double *d = symmetric();
  const gpugeo_matrix square = view_of(d, GPUGEO_TYPE_DOUBLE, N);
  CHECK(gg_looks_like_distances(&square), "symmetric");
  d[149 + 2 * N] += 1;
  d[5 + 4 * N] += 1;
  d[130 + 2 * N] -= 1;
  gg_asymmetry found = gg_asymmetry_find(&square);
  CHECK(found.gap == 1 && found.row == 130 && found.column == 2, "%g in %lld, %lld", found.gap,
        (long long)found.row, (long long)found.column);
  CHECK(found.largest == fmax(13, d[149 + 2 * N]), "%g", found.largest);
  d[7 + 6 * N] = NAN;
  found = gg_asymmetry_find(&square);
  CHECK(isinf(found.gap) && found.row == 7 && found.column == 6, "%g", found.gap);
  CHECK(!gg_is_symmetric(&square, &found), "%g", found.gap);
  gpugeo_error error;
  const gg_given above = gg_given_number(1.5), below = gg_given_number(NAN);
  gg_fail_asymmetric(&error, "D", &found, &above, &below, "; why");
  const char *message =
      "D must be symmetric, but element (7, 8) is 1.5 and element (8, 7) is NaN; why";
  CHECK(strcmp(error.message, message) == 0, "%s", error.message);
  free(d);
}

/* Both elements of a pair may be missing. A float has its own precision. */
static void test_small(void) {
  const double missing[] = {0, NAN, NAN, 0}, ones[] = {1, 1, 1, 1}, zeros[] = {0, 0, 0, 0};
  const double low[] = {0, -1, -1, 0};
  const float single[] = {0, 1, 1 + 0x1p-17F, 0};
  gpugeo_matrix square = view_of(missing, GPUGEO_TYPE_DOUBLE, 2);
  gg_asymmetry found = gg_asymmetry_find(&square);
  CHECK(found.gap == 0 && found.largest == 0 && gg_is_symmetric(&square, &found), "%g", found.gap);
  CHECK(!gg_looks_like_distances(&square), "nothing is positive");
  square.data = ones;
  CHECK(!gg_looks_like_distances(&square), "the diagonal is not 0");
  square.data = zeros;
  CHECK(!gg_looks_like_distances(&square), "all are 0");
  square.data = low;
  CHECK(!gg_looks_like_distances(&square), "some are negative");
  square = view_of(single, GPUGEO_TYPE_FLOAT, 2);
  found = gg_asymmetry_find(&square);
  float made = 0;
  gg_square_condense(&square, &made);
  CHECK(gg_is_symmetric(&square, &found) && made == 1 + 0x1p-18F, "%g", (double)made);
  square.nrow = 1;
  CHECK(!gg_looks_like_distances(&square), "not square");
}

int main(void) {
  test_condense();
  test_gap();
  test_small();
  return check_end();
}
