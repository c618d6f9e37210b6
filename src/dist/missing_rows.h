/* Points without any distance: whose coordinates are all missing, or all equal where the metric
   needs them to differ. */
#ifndef GG_MISSING_ROWS_H
#define GG_MISSING_ROWS_H

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds these points in x and, unless it is NULL, y, and counts the distances that they make
   missing: within x, or between x and y. `found` is GG_HAS_... of both. Metrics that stats::dist
   has are left out, because it is silent. Reads two coordinates of a point as a rule, and all only
   of a point that has no distance. */
gpugeo_status gg_missing_distances(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                   const gpugeo_dist_options *options, int found,
                                   gpugeo_missing *missing, gpugeo_error *error);

/* Likewise for the k nearest points of x for each point of the query, or, where that is NULL, of x.
 */
gpugeo_status gg_missing_neighbors(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                   const gpugeo_dist_options *options, int64_t k, int found,
                                   gpugeo_missing *missing, gpugeo_error *error);

/* "12 distances are missing: rows 3, 7, 8, ... are constant", rows counted from 1. y_name is that
   of the second matrix, NULL where there is none. */
typedef struct gg_missing_text {
  char text[320];
} gg_missing_text;
gg_missing_text gg_describe_missing(const gpugeo_missing *missing, const char *y_name);

#ifdef __cplusplus
}
#endif

#endif
