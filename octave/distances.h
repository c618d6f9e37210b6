/* Distances as input of a call: those of points, a vector as gpu_pdist returns it, or a file. */
#ifndef GG_MEX_DISTANCES_H
#define GG_MEX_DISTANCES_H

#include "call.h"

typedef struct gg_mex_distances {
  gpugeo_distances given;
  gpugeo_matrix x;
} gg_mex_distances;

/* Reads the only input of the call: a vector if the option `condensed` is there, a structure that
   gpu_dist_file returns, or points, which messages call `name` and whose metric is read, too. */
void gg_mex_read_distances(gg_mex_call *call, const char *name, gg_mex_distances *distances,
                           gpugeo_metric_options *metric);

#endif
