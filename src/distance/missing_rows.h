/* Points without any distance: whose coordinates are all missing, or all equal where the metric
   needs them to differ. */
#ifndef GG_MISSING_ROWS_H
#define GG_MISSING_ROWS_H

#include "common/c_linkage.h"
#include "common/inspect.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Points that have been inspected, and those of them without any distance. Begins as {0}. */
typedef struct gg_missing_rows {
  int64_t points; /* all that have been looked at */
  int64_t count;  /* those without any distance */
  int64_t first[GPUGEO_MISSING_ROWS_MAX];
  int32_t reasons; /* GPUGEO_ROW_... of any */
} gg_missing_rows;

/* The property of a point that makes all its distances missing in a metric. */
typedef enum gg_row_test {
  GG_ROW_NONE,
  GG_ROW_EMPTY, /* all coordinates are missing */
  GG_ROW_CONSTANT,
  GG_ROW_ZERO,
  GG_ROW_NOT_FINITE
} gg_row_test;

/* Returns the test by which points without distances are found, for data with these flags. */
static inline gg_row_test gg_row_test_of(gpugeo_metric metric, int found) {
  switch (metric) {
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_MANHATTAN:
  case GPUGEO_METRIC_MAXIMUM:
  case GPUGEO_METRIC_CANBERRA:
  case GPUGEO_METRIC_BINARY:
  case GPUGEO_METRIC_MINKOWSKI:
    return GG_ROW_NONE; /* as stats::dist */
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    return GG_ROW_CONSTANT;
  case GPUGEO_METRIC_COSINE:
    return GG_ROW_ZERO;
  case GPUGEO_METRIC_MAHALANOBIS:
  case GPUGEO_METRIC_GREAT_CIRCLE:
    return found & (GG_HAS_MISSING | GG_HAS_INFINITE) ? GG_ROW_NOT_FINITE : GG_ROW_NONE;
  default:
    return found & GG_HAS_MISSING ? GG_ROW_EMPTY : GG_ROW_NONE;
  }
}

/* Inspects the points of a matrix or panel, the first of which is point `row` of all, in
   ascending order of the points. `found` is GG_HAS_... of at least these points. Metrics that
   stats::dist has are left out, because it is silent. Reads two coordinates of most points, and
   all coordinates only of a point that has no distance. */
void gg_missing_rows_add(const gpugeo_matrix *x, int64_t row, const gpugeo_dist_options *options,
                         int found, gg_missing_rows *rows);

/* Counts the distances that these points make missing: within x, or between x and y. */
gpugeo_missing gg_missing_within(const gg_missing_rows *x);
gpugeo_missing gg_missing_between(const gg_missing_rows *x, const gg_missing_rows *y);

/* Lists the rows of x and y as rows of x, those of y first: both are parts of one matrix, and y is
   the first part. */
void gg_missing_in_one_matrix(gpugeo_missing *missing);

/* Counts the missing distances of the k nearest points of x for each point of the query, or of x
   if query is NULL. */
gpugeo_missing gg_missing_neighbors(const gg_missing_rows *x, const gg_missing_rows *query,
                                    int64_t k);

/* Describes them: "12 distances are missing: rows 3, 7, 8, ... are constant", rows counted from
   1. y_name is that of the second matrix, NULL where there is none. */
typedef struct gg_missing_text {
  char text[320];
} gg_missing_text;
gg_missing_text gg_describe_missing(const gpugeo_missing *missing, const char *y_name);

/* A note of a report as wrappers warn of it. */
typedef struct gg_note {
  const char *name; /* one word: "nonfinite" */
  gg_missing_text text;
} gg_note;

enum { GG_NOTES = 4 /* that a report can have */ };

/* Describes the notes of a report and returns their number. */
int gg_describe_notes(const gpugeo_report *report, const char *y_name, gg_note notes[GG_NOTES]);

GG_C_END

#endif
