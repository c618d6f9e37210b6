/* Distances as input of a call: those of points, a vector as gpu_pdist returns it, a file, or those
   on a device. */
#ifndef GG_MEX_DISTANCES_H
#define GG_MEX_DISTANCES_H

#include "call.h"
#include "common/option_table.h"
#include "dist_device.h"

typedef struct gg_mex_distances {
  gpugeo_distances given;
  gpugeo_matrix x;
  int64_t points; /* of distances; 0 if they are those of x */
} gg_mex_distances;

/* Reads distances, which messages call `name`: a vector as gpu_pdist returns it, or a structure of
   gpu_dist_file or gpu_pdist. A file is closed at the end of the call. */
void gg_mex_read_stored(gg_mex_call *call, const mxArray *value, const char *name,
                        gg_mex_distances *distances);

/* Reads the only input of the call, which messages call `name`: a structure that gpu_dist_file or
   gpu_pdist returns, a vector if the option `condensed` is there, or points, whose metric is read,
   too. */
void gg_mex_read_distances(gg_mex_call *call, const char *name, gg_mex_distances *distances,
                           gpugeo_metric_options *metric);

/* Does what a call on one source of distances begins with: reads the distances, the options of the
   table, which are filled with the defaults before, and the settings. table NULL: the options have
   their defaults, and there are none to read. metric and run are fields of the options. Returns
   gg_mex_count_points(). */
int64_t gg_mex_open_distances(gg_mex_call *call, gg_mex_distances *distances,
                              const gg_option_table *table, void *options,
                              gpugeo_metric_options *metric, gpugeo_run *run);

/* Returns the number of points for whose results the caller allocates memory: 0 after an error, and
   if there are more than any function takes. */
int64_t gg_mex_count_points(gg_mex_call *call, const gg_mex_distances *distances);

#endif
