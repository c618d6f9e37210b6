/* Points without any distance: whose coordinates are all missing, or all equal where the metric
   needs them to differ. */
#ifndef GG_MISSING_ROWS_H
#define GG_MISSING_ROWS_H

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points that have been inspected, and those of them without any distance. Begins as {0}. */
typedef struct gg_missing_rows {
  int64_t points; /* all that have been looked at */
  int64_t count;  /* those without any distance */
  int64_t first[GPUGEO_MISSING_ROWS_MAX];
  int32_t reasons; /* GPUGEO_ROW_... of any */
} gg_missing_rows;

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

/* Counts them for whole matrices; y may be NULL. */
gpugeo_missing gg_missing_distances(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                    const gpugeo_dist_options *options, int found);

/* Counts the missing distances of the k nearest points of x for each point of the query, or of x
   if query is NULL. */
gpugeo_missing gg_missing_neighbors(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                    const gpugeo_dist_options *options, int64_t k, int found);

/* Describes them: "12 distances are missing: rows 3, 7, 8, ... are constant", rows counted from
   1. y_name is that of the second matrix, NULL where there is none. */
typedef struct gg_missing_text {
  char text[320];
} gg_missing_text;
gg_missing_text gg_describe_missing(const gpugeo_missing *missing, const char *y_name);

#ifdef __cplusplus
}
#endif

#endif
