/* Distances as input of a call: those of points, of an object of class "dist", of a file, or on a
   device. */
#ifndef GG_R_DISTANCES_H
#define GG_R_DISTANCES_H

#include "call.h"

/* The kind of external pointers to distances on a device. */
#define GG_R_DIST_DEVICE "gpugeo_dist_device"

typedef struct gg_r_distances {
  gpugeo_distances given;
  gpugeo_matrix x;
  SEXP holder; /* of the open file */
} gg_r_distances;

/* Begins as an empty source. Returns a value that the caller must protect. */
SEXP gg_r_begin_distances(gg_r_distances *distances);

/* Reads the inputs by the option `source`: "points", a matrix, which messages call `name`; "dist",
   distances and the number of their points, both doubles; "file", a file and the name of its
   dataset; "device", an external pointer; "sequences", "unifrac" and "overlap", as
   gg_r_make_lazy(), gg_r_make_unifrac() and gg_r_make_overlap() take them. For points reads the
   metric, too. */
void gg_r_read_distances(gg_r_call *call, const char *name, gg_r_distances *distances,
                         gpugeo_metric_options *metric);

/* Does the same for distances that are not of points, by the option of a name and from input
   `first` on. */
void gg_r_read_stored(gg_r_call *call, const char *name, const char *option, int first,
                      gg_r_distances *distances);

/* Returns the distances of an external pointer, which messages call `name`; NULL and an error if
   there are none. */
const gpugeo_dist_device *gg_r_dist_device(gg_r_call *call, SEXP pointer, const char *name);

/* Returns numbers of points from 1, doubles that the R code has checked, as numbers from 0, for as
   long as the call lasts. */
int64_t *gg_r_points_from_one(SEXP numbers);

/* Returns the number of points for whose results the caller allocates memory: 0 if there are more
   than any function takes. Raises the call's error if there is one. */
int64_t gg_r_count_points(gg_r_call *call, const gg_r_distances *distances);

/* Does what a call on one source of distances begins with: reads the distances, the options of the
   table, which are filled with the defaults before, and the settings. table NULL: the options have
   their defaults, and there are none to read. metric and run are fields of the options. Returns
   gg_r_count_points(). gg_r_finish() closes the file, if there is one. */
int64_t gg_r_open_distances(gg_r_call *call, const char *name, gg_r_distances *distances,
                            const gg_option_table *table, void *options,
                            gpugeo_metric_options *metric, gpugeo_run *run);

/* Closes the file, if there is one. R does so after an error. */
void gg_r_close_distances(gg_r_distances *distances);

#endif
