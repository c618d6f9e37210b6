/* A file of distances as a source for the core. */
#ifndef GG_DIST_FILE_H
#define GG_DIST_FILE_H

#include "gpugeo.h"

/* Sets the number of points of an open file. Fails if some of its distances are not written. */
gpugeo_status gg_dist_file_points(const gpugeo_dist_file *file, int64_t *points,
                                  gpugeo_error *error);

/* Reads the distances between a point and all later ones. */
gpugeo_status gg_dist_file_column(const gpugeo_dist_file *file, int64_t point, double *out,
                                  gpugeo_error *error);

#endif
