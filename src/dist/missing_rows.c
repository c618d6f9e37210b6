#include "dist/missing_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/scan.h"
#include "dist/dist.h"

/* --- Finding them ----------------------------------------------------------------------------- */

/* What gives a point no distance in a metric. */
typedef enum test { NONE, EMPTY, CONSTANT, ZERO, NOT_FINITE } test;

static test test_of(gpugeo_metric metric, int found) {
  switch (metric) {
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_MANHATTAN:
  case GPUGEO_METRIC_MAXIMUM:
  case GPUGEO_METRIC_CANBERRA:
  case GPUGEO_METRIC_BINARY:
  case GPUGEO_METRIC_MINKOWSKI:
    return NONE; /* as stats::dist */
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    return CONSTANT;
  case GPUGEO_METRIC_COSINE:
    return ZERO;
  case GPUGEO_METRIC_MAHALANOBIS:
    return found & (GG_HAS_MISSING | GG_HAS_INFINITE) ? NOT_FINITE : NONE;
  default:
    return found & GG_HAS_MISSING ? EMPTY : NONE;
  }
}

typedef struct rows_found {
  int64_t count;
  int64_t first[GPUGEO_MISSING_ROWS_MAX];
  int32_t reasons;
} rows_found;

static void add_row(rows_found *rows, int64_t row, int32_t reason) {
  if (rows->count < GPUGEO_MISSING_ROWS_MAX) rows->first[rows->count] = row;
  ++rows->count;
  rows->reasons |= reason;
}

static bool is_finite_point(const gpugeo_matrix *x, gpugeo_points points, int64_t i) {
  const int64_t m = gg_point_size(x, points);
  for (int64_t k = 0; k < m; ++k)
    if (!isfinite(gg_coordinate(x, points, i, k))) return false;
  return true;
}

/* True if the points seen so far, of which the first value that is not missing is *first or NaN,
   still have no distance with another value. */
static bool still_without(test test, double value, double *first) {
  if (isnan(value)) return true;
  if (isnan(*first)) *first = value;
  return test == CONSTANT ? value == *first : test == ZERO && value == 0;
}

/* Leaves those of the points in `left` that have no distance, going along the coordinates until
   none is left; first has a value for each point. Returns how many are left. */
static int64_t sift(const gpugeo_matrix *x, gpugeo_points points, test test, int64_t *left,
                    double *first) {
  int64_t count = gg_point_count(x, points);
  const int64_t m = gg_point_size(x, points);
  for (int64_t i = 0; i < count; ++i) {
    left[i] = i;
    first[i] = NAN;
  }
  for (int64_t k = 0; k < m && count > 0; ++k) {
    int64_t kept = 0;
    for (int64_t a = 0; a < count; ++a)
      if (still_without(test, gg_coordinate(x, points, left[a], k), &first[left[a]]))
        left[kept++] = left[a];
    count = kept;
  }
  return count;
}

static gpugeo_status sift_points(const gpugeo_matrix *x, gpugeo_points points, test test,
                                 rows_found *rows, gpugeo_error *error) {
  const int64_t n = gg_point_count(x, points);
  int64_t *left = gg_allocate(n, sizeof *left);
  double *first = gg_allocate(n, sizeof *first);
  if (left && first) {
    const int64_t count = sift(x, points, test, left, first);
    const int32_t reason = test == ZERO ? GPUGEO_MISSING_ZERO : GPUGEO_MISSING_CONSTANT;
    for (int64_t a = 0; a < count; ++a)
      add_row(rows, left[a], isnan(first[left[a]]) ? GPUGEO_MISSING_EMPTY : reason);
  }
  const bool done = left && first;
  free(left);
  free(first);
  return done ? GPUGEO_OK : gg_fail_memory(error, 16 * n);
}

static gpugeo_status find_rows(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                               int found, rows_found *rows, gpugeo_error *error) {
  const test test = test_of(options->metric, found);
  *rows = (rows_found){0};
  if (test == NONE) return GPUGEO_OK;
  if (test != NOT_FINITE) return sift_points(x, options->points, test, rows, error);
  for (int64_t i = 0; i < gg_point_count(x, options->points); ++i)
    if (!is_finite_point(x, options->points, i)) add_row(rows, i, GPUGEO_MISSING_NOT_FINITE);
  return GPUGEO_OK;
}

/* --- Counting --------------------------------------------------------------------------------- */

static int64_t pairs_of(int64_t n) { return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1); }

static void give_rows(gpugeo_missing *missing, const rows_found *x, const rows_found *y) {
  missing->reasons = x->reasons | y->reasons;
  missing->x_rows = x->count;
  missing->y_rows = y->count;
  memcpy(missing->x_first, x->first, sizeof x->first);
  memcpy(missing->y_first, y->first, sizeof y->first);
}

gpugeo_status gg_missing_distances(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                   const gpugeo_dist_options *options, int found,
                                   gpugeo_missing *missing, gpugeo_error *error) {
  rows_found rows_x, rows_y = {0};
  *missing = (gpugeo_missing){0};
  gpugeo_status status = find_rows(x, options, found, &rows_x, error);
  if (!status && y) status = find_rows(y, options, found, &rows_y, error);
  if (status) return status;
  const int64_t nx = gg_point_count(x, options->points);
  const int64_t ny = y ? gg_point_count(y, options->points) : 0;
  const int64_t good_x = nx - rows_x.count, good_y = ny - rows_y.count;
  missing->distances = y ? nx * ny - good_x * good_y : pairs_of(nx) - pairs_of(good_x);
  if (missing->distances > 0) give_rows(missing, &rows_x, &rows_y);
  return GPUGEO_OK;
}

gpugeo_status gg_missing_neighbors(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                   const gpugeo_dist_options *options, int64_t k, int found,
                                   gpugeo_missing *missing, gpugeo_error *error) {
  rows_found rows_x, rows_y = {0};
  *missing = (gpugeo_missing){0};
  gpugeo_status status = find_rows(x, options, found, &rows_x, error);
  if (!status && query) status = find_rows(query, options, found, &rows_y, error);
  if (status) return status;
  const int64_t asked = gg_point_count(query ? query : x, options->points);
  const int64_t bad = query ? rows_y.count : rows_x.count;
  const int64_t candidates =
      gg_point_count(x, options->points) - rows_x.count - (query ? 0 : 1); /* of a good point */
  const int64_t lacking = k > candidates ? k - (candidates > 0 ? candidates : 0) : 0;
  missing->distances = bad * k + (asked - bad) * lacking;
  if (query && lacking == 0) rows_x = (rows_found){0}; /* they are nobody's neighbours */
  if (missing->distances > 0) give_rows(missing, &rows_x, &rows_y);
  return GPUGEO_OK;
}

/* --- Describing ------------------------------------------------------------------------------- */

static void append(gg_missing_text *message, const char *text) {
  const size_t used = strlen(message->text);
  snprintf(message->text + used, sizeof message->text - used, "%s", text);
}

/* "rows 3, 7, 8, ... of x" */
static void append_rows(gg_missing_text *message, int64_t count, const int64_t *first,
                        const char *of) {
  append(message, count == 1 ? "row" : "rows");
  for (int64_t i = 0; i < count && i < GPUGEO_MISSING_ROWS_MAX; ++i) {
    char number[32];
    snprintf(number, sizeof number, "%s %lld", i ? "," : "", (long long)first[i] + 1);
    append(message, number);
  }
  if (count > GPUGEO_MISSING_ROWS_MAX) append(message, ", ...");
  if (of) append(message, " of "), append(message, of);
}

/* "is constant", "have no values", "are zero or have no values" */
static void append_reason(gg_missing_text *message, int32_t reasons, bool one) {
  const char *equal = reasons & GPUGEO_MISSING_CONSTANT ? "constant" : "zero";
  if (reasons & GPUGEO_MISSING_NOT_FINITE) {
    append(message, one ? " has" : " have");
    append(message, " missing or infinite values");
    return;
  }
  if (reasons & (GPUGEO_MISSING_CONSTANT | GPUGEO_MISSING_ZERO)) {
    append(message, one ? " is " : " are ");
    append(message, equal);
    if (reasons & GPUGEO_MISSING_EMPTY) append(message, " or");
  }
  if (reasons & GPUGEO_MISSING_EMPTY) append(message, one ? " has no values" : " have no values");
}

gg_missing_text gg_describe_missing(const gpugeo_missing *missing, const char *y_name) {
  gg_missing_text message;
  const bool one = missing->distances == 1;
  snprintf(message.text, sizeof message.text, "%lld %s missing: ", (long long)missing->distances,
           one ? "distance is" : "distances are");
  if (missing->x_rows > 0)
    append_rows(&message, missing->x_rows, missing->x_first, y_name ? "x" : NULL);
  if (missing->x_rows > 0 && missing->y_rows > 0) append(&message, " and ");
  if (missing->y_rows > 0) append_rows(&message, missing->y_rows, missing->y_first, y_name);
  append_reason(&message, missing->reasons, missing->x_rows + missing->y_rows == 1);
  return message;
}
