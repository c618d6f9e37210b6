#include "distance/missing_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/inspect.h"
#include "common/sparse.h"

/* --- Finding them ----------------------------------------------------------------------------- */

/* Adds a row to the list, or only counts it if the list is full. */
static void add_row(gg_missing_rows *rows, int64_t row, int32_t reason) {
  if (rows->count < GPUGEO_MISSING_ROWS_MAX) rows->first[rows->count] = row;
  ++rows->count;
  rows->reasons |= reason;
}

/* True if all coordinates of a point are finite. */
static bool is_finite_point(const gpugeo_matrix *x, gpugeo_points points, int64_t i) {
  const int64_t m = gg_point_size(x, points);
  for (int64_t k = 0; k < m; ++k)
    if (!isfinite(gg_any_coordinate(x, points, i, k))) return false;
  return true;
}

/* True if the points seen so far, of which the first value that is not missing is *first or NaN,
   still have no distance with another value. */
static bool still_without(gg_row_test test, double value, double *first) {
  if (isnan(value)) return true;
  if (isnan(*first)) *first = value;
  return test == GG_ROW_CONSTANT ? value == *first : test == GG_ROW_ZERO && value == 0;
}

enum { BLOCK = 1024 }; /* points whose coordinates are read together */

/* Adds those of `count` points, from `point` on, that have no distance. Reads coordinate by
   coordinate until no such point is left. */
static void sift_block(const gpugeo_matrix *x, gpugeo_points points, gg_row_test test,
                       int64_t point, int64_t count, int64_t row, gg_missing_rows *rows) {
  const int64_t m = gg_point_size(x, points);
  int64_t left[BLOCK] = {0};
  double first[BLOCK] = {0}; /* value of each point that is not missing, or NaN */
  for (int64_t i = 0; i < count; ++i) {
    left[i] = i;
    first[i] = NAN;
  }
  for (int64_t k = 0; k < m && count > 0; ++k) {
    int64_t kept = 0;
    for (int64_t a = 0; a < count; ++a) {
      const double value = gg_any_coordinate(x, points, point + left[a], k);
      if (still_without(test, value, &first[left[a]])) left[kept++] = left[a];
    }
    count = kept;
  }
  const int32_t reason = test == GG_ROW_ZERO ? GPUGEO_MISSING_ZERO : GPUGEO_MISSING_CONSTANT;
  for (int64_t a = 0; a < count; ++a)
    add_row(rows, row + left[a], isnan(first[left[a]]) ? GPUGEO_MISSING_EMPTY : reason);
}

void gg_missing_rows_add(const gpugeo_matrix *x, int64_t row, const gpugeo_dist_options *options,
                         int found, gg_missing_rows *rows) {
  const bool any = gg_point_size(x, options->points) > 0; /* else gpugeo_dist() is silent */
  const gg_row_test test = any ? gg_row_test_of(options->metric.kind, found) : GG_ROW_NONE;
  const int64_t n = gg_point_count(x, options->points);
  rows->points += n;
  if (test == GG_ROW_NOT_FINITE) {
    for (int64_t i = 0; i < n; ++i)
      if (!is_finite_point(x, options->points, i))
        add_row(rows, row + i, GPUGEO_MISSING_NOT_FINITE);
  } else if (test != GG_ROW_NONE) {
    for (int64_t i = 0; i < n; i += BLOCK)
      sift_block(x, options->points, test, i, BLOCK < n - i ? BLOCK : n - i, row + i, rows);
  }
}

/* --- Counting --------------------------------------------------------------------------------- */

/* Returns the number of pairs of n points, without overflow. */
static int64_t pairs_of(int64_t n) { return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1); }

/* Copies the rows of x and y to the result. */
static void give_rows(gpugeo_missing *missing, const gg_missing_rows *x, const gg_missing_rows *y) {
  missing->reasons = x->reasons | y->reasons;
  missing->x_rows = x->count;
  missing->y_rows = y->count;
  memcpy(missing->x_first, x->first, sizeof x->first);
  memcpy(missing->y_first, y->first, sizeof y->first);
}

gpugeo_missing gg_missing_within(const gg_missing_rows *x) {
  const gg_missing_rows none = {0};
  gpugeo_missing missing = {.distances = pairs_of(x->points) - pairs_of(x->points - x->count)};
  if (missing.distances > 0) give_rows(&missing, x, &none);
  return missing;
}

gpugeo_missing gg_missing_between(const gg_missing_rows *x, const gg_missing_rows *y) {
  const int64_t good_x = x->points - x->count, good_y = y->points - y->count;
  gpugeo_missing missing = {.distances = x->points * y->points - good_x * good_y};
  if (missing.distances > 0) give_rows(&missing, x, y);
  return missing;
}

void gg_missing_in_one_matrix(gpugeo_missing *missing) {
  int64_t first[GPUGEO_MISSING_ROWS_MAX], count = 0;
  for (int64_t i = 0; i < missing->y_rows && count < GPUGEO_MISSING_ROWS_MAX; ++i)
    first[count++] = missing->y_first[i];
  for (int64_t i = 0; i < missing->x_rows && count < GPUGEO_MISSING_ROWS_MAX; ++i)
    first[count++] = missing->x_first[i];
  memcpy(missing->x_first, first, (size_t)count * sizeof *first);
  missing->x_rows += missing->y_rows;
  missing->y_rows = 0;
}

gpugeo_missing gg_missing_neighbors(const gg_missing_rows *x, const gg_missing_rows *query,
                                    int64_t k) {
  const gg_missing_rows none = {0};
  const gg_missing_rows *asked = query ? query : x;
  const int64_t candidates = x->points - x->count - (query ? 0 : 1); /* of a good point */
  const int64_t lacking = k > candidates ? k - (candidates > 0 ? candidates : 0) : 0;
  gpugeo_missing missing = {.distances =
                                asked->count * k + (asked->points - asked->count) * lacking};
  if (missing.distances > 0)
    give_rows(&missing, query && lacking == 0 ? &none : x, query ? query : &none);
  return missing;
}

/* --- Describing ------------------------------------------------------------------------------- */

/* Appends text to a message, cut at the end of the buffer. */
static void append_text(gg_missing_text *message, const char *text) {
  const size_t used = strlen(message->text);
  snprintf(message->text + used, sizeof message->text - used, "%s", text);
}

/* Appends " 3, 7, 8, ...". */
static void append_numbers(gg_missing_text *message, int64_t count, const int64_t *first) {
  for (int64_t i = 0; i < count && i < GPUGEO_MISSING_ROWS_MAX; ++i) {
    char number[32];
    snprintf(number, sizeof number, "%s %lld", i ? "," : "", (long long)first[i] + 1);
    append_text(message, number);
  }
  if (count > GPUGEO_MISSING_ROWS_MAX) append_text(message, ", ...");
}

/* Appends "rows 3, 7, 8, ... of x". */
static void append_rows(gg_missing_text *message, int64_t count, const int64_t *first,
                        const char *of) {
  append_text(message, count == 1 ? "row" : "rows");
  append_numbers(message, count, first);
  if (of) append_text(message, " of "), append_text(message, of);
}

/* Appends "is constant", "have no values" or "are zero or have no values". */
static void append_reason(gg_missing_text *message, int32_t reasons, bool one) {
  const char *equal = reasons & GPUGEO_MISSING_CONSTANT ? "constant" : "zero";
  if (reasons & GPUGEO_MISSING_NOT_FINITE) {
    append_text(message, one ? " has" : " have");
    append_text(message, " missing or infinite values");
    return;
  }
  if (reasons & (GPUGEO_MISSING_CONSTANT | GPUGEO_MISSING_ZERO)) {
    append_text(message, one ? " is " : " are ");
    append_text(message, equal);
    if (reasons & GPUGEO_MISSING_EMPTY) append_text(message, " or");
  }
  if (reasons & GPUGEO_MISSING_EMPTY)
    append_text(message, one ? " has no values" : " have no values");
}

gg_missing_text gg_describe_missing(const gpugeo_missing *missing, const char *y_name) {
  gg_missing_text message;
  const bool one = missing->distances == 1;
  snprintf(message.text, sizeof message.text, "%lld %s missing: ", (long long)missing->distances,
           one ? "distance is" : "distances are");
  if (missing->x_rows > 0)
    append_rows(&message, missing->x_rows, missing->x_first, y_name ? "x" : NULL);
  if (missing->x_rows > 0 && missing->y_rows > 0) append_text(&message, " and ");
  if (missing->y_rows > 0) append_rows(&message, missing->y_rows, missing->y_first, y_name);
  append_reason(&message, missing->reasons, missing->x_rows + missing->y_rows == 1);
  return message;
}

/* Appends "4 columns of x: 3, 7, 8, ...". */
static void append_columns(gg_missing_text *message, int64_t count, const int64_t *first,
                           const char *of) {
  char text[64];
  snprintf(text, sizeof text, "%lld %s of %s:", (long long)count, count == 1 ? "column" : "columns",
           of);
  append_text(message, text);
  append_numbers(message, count, first);
}

/* Describes the columns whose median absolute deviation is 0. */
static gg_missing_text describe_zero_mad(const gpugeo_missing *found) {
  const int64_t x = found->x_rows, y = found->y_rows;
  gg_missing_text message = {"the median absolute deviation is 0 in "};
  if (x > 0) append_columns(&message, x, found->x_first, "x");
  if (x > 0 && y > 0) append_text(&message, " and ");
  if (y > 0) append_columns(&message, y, found->y_first, "y");
  append_text(&message, found->reasons == GPUGEO_PEARSON_FALLBACK_NONE
                            ? "; their correlations are missing"
                        : found->reasons == GPUGEO_PEARSON_FALLBACK_ALL
                            ? "; Pearson's correlation replaces bicor for the whole matrix"
                            : "; Pearson's correlation replaces bicor for them");
  return message;
}

int gg_describe_notes(const gpugeo_report *report, const char *y_name, gg_note notes[GG_NOTES]) {
  int count = 0;
  if (report->notes & GPUGEO_NOTE_NONFINITE)
    notes[count++] = (gg_note){"nonfinite", {"treating non-finite values as NA"}};
  if (report->notes & GPUGEO_NOTE_ZERO_DEVIATION)
    notes[count++] = (gg_note){"deviation", {"the standard deviation is zero"}};
  if (report->notes & GPUGEO_NOTE_ZERO_MAD)
    notes[count++] = (gg_note){"mad", describe_zero_mad(&report->missing)};
  if (report->notes & GPUGEO_NOTE_MISSING)
    notes[count++] = (gg_note){"missing", gg_describe_missing(&report->missing, y_name)};
  return count;
}
