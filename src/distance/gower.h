/* The parameters of Gower's coefficient: of each column its minimum, its range and its weight. */
#ifndef GG_GOWER_H
#define GG_GOWER_H

#include "common/call.h"
#include "distance/point_source.h"
#include "gpugeo.h"

/* Checks the types and weights of m columns. */
gpugeo_status gg_gower_check_options(const gpugeo_metric_options *metric, int64_t m,
                                     gpugeo_error *error);

/* Checks that nominal columns have whole numbers and asymmetric ones 0 and 1. At most `bytes` are
   read from a file together. */
gpugeo_status gg_gower_check_points(const gg_point_source *points,
                                    const gpugeo_metric_options *metric, int64_t bytes,
                                    int32_t threads, gg_call *call);

/* Fails if a column has a value that is none of its type, by what was found of m columns: for each
   the first point with such a value, -1 for none, and the value. */
gpugeo_status gg_gower_check_found(const double *found, int64_t m,
                                   const gpugeo_metric_options *metric, gpugeo_error *error);

/*
 * Computes m minima, m ranges and m weights from checked points x, one after the other. Columns
 * that are not numeric have minimum 0 and range 1. Infinite and missing values are left out; a
 * column with one value or none has range 1. The weight of an asymmetric column is negative.
 *
 * Fails with GPUGEO_ERROR_DATA if a range is larger than the largest number.
 */
gpugeo_status gg_gower_params(const gg_point_source *x, const gpugeo_metric_options *metric,
                              int64_t bytes, int32_t threads, double *params, gg_call *call);

/* Does the same from the minimum and the maximum of each column, 0 for columns without. */
gpugeo_status gg_gower_params_of(const double *extents, int64_t m,
                                 const gpugeo_metric_options *metric, double *params,
                                 gpugeo_error *error);

#endif
