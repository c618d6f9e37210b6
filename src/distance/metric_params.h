/* The parameters of a metric that all pairs of points share. They are computed once, so any
   part of the matrix has the bits of the whole. */
#ifndef GG_METRIC_PARAMS_H
#define GG_METRIC_PARAMS_H

#include "common/backend.h"
#include "common/call.h"
#include "distance/missing_rows.h"
#include "distance/point_facts.h"
#include "distance/point_source.h"

/* Returns the number of values that a metric shares for points of m coordinates: which
   GG_HAS_... hold; then seuclidean's m standard deviations, mahalanobis' centre (m) and its
   Cholesky factor (m by m), or what gg_gower_params() computes (3 m). */
int64_t gg_dist_metric_params_size(gpugeo_metric metric, int64_t m);

/*
 * Computes them from all points of x and, unless it is NULL, y. Arguments have been checked.
 *
 * backend      that computes the distances, on the device; NULL: not chosen, then points are
 *              inspected by the one that the run names
 * shared       the parameters, which the caller owns: to be freed by gg_free()
 * fingerprint  unless NULL: a hash of the points of x and of all settings but the metric that their
 *              distances depend on
 * missing      unless NULL: the points of x and of y without any distance, two of them
 */
gpugeo_status gg_dist_metric_params(const gg_point_source *x, const gg_point_source *y,
                                    const gpugeo_dist_options *options, const gg_backend *backend,
                                    int32_t device, double **shared, uint64_t *fingerprint,
                                    gg_missing_rows *missing, gg_call *call);

/* Does the same if GG_HAS_... is known already, and the backend (NULL: the host's) and device; and
   the facts of x, or NULL. */
gpugeo_status gg_dist_metric_params_found(const gg_point_source *x,
                                          const gpugeo_dist_options *options,
                                          const gg_backend *backend, int32_t device, int found,
                                          const gg_point_facts *facts, double **shared,
                                          gg_call *call);

/* Finds which of GG_HAS_... hold for points in memory that have coordinates, by the backend that
   the run names, if it can. */
gpugeo_status gg_find_flags(const gpugeo_matrix *x, const gpugeo_dist_options *options, int *found,
                            gg_call *call);

/* Checks points for Gower's metric, by their facts unless these are NULL. */
gpugeo_status gg_metric_check_gower(const gg_point_source *points,
                                    const gpugeo_dist_options *options, const gg_point_facts *facts,
                                    gg_call *call);

#endif
