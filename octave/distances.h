/* Distances as input of a call: those of points, a vector as gpu_pdist returns it, a file, or those
   on a device. */
#ifndef GG_MEX_DISTANCES_H
#define GG_MEX_DISTANCES_H

#include "call.h"

typedef struct gg_mex_distances {
  gpugeo_distances given;
  gpugeo_matrix x;
} gg_mex_distances;

/* Reads the only input of the call: a vector if the option `condensed` is there, a structure that
   gpu_dist_file or gpu_pdist returns, or points, which messages call `name` and whose metric is
   read, too. */
void gg_mex_read_distances(gg_mex_call *call, const char *name, gg_mex_distances *distances,
                           gpugeo_metric_options *metric);

/* Returns the distances on a device that a structure has the number of, which messages call `name`;
   NULL and an error if there are none. */
const gpugeo_dist_device *gg_mex_read_dist_device(gg_mex_call *call, const mxArray *value,
                                                  const char *name);

/* Reads numbers of points, from 1, as numbers from 0. */
const int64_t *gg_mex_points_from_one(gg_mex_call *call, const mxArray *value, const char *name,
                                      int64_t points, int64_t *count);

#endif
