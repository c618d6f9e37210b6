/* A source of points: a matrix in memory, which may be sparse, or a dataset of an HDF5 file that
   may be larger than memory. */
#ifndef GG_POINT_SOURCE_H
#define GG_POINT_SOURCE_H

#include <stdbool.h>

#include "common/sparse.h"
#include "distance/file/h5_points.h"
#include "gpugeo.h"

typedef struct gg_point_source {
  gpugeo_matrix view; /* data NULL: only the sizes and the type of the dataset */
  gpugeo_points points;
  gg_h5_points *dataset; /* NULL: in memory */
} gg_point_source;

/* Returns the source of a checked matrix in memory. It need not be closed. */
gg_point_source gg_point_source_of(const gpugeo_matrix *x, gpugeo_points points);

/* What a caller gave as the argument, checked. To be closed by gg_point_source_close() if this
 * succeeds.
 */
gpugeo_status gg_point_source_open(const char *argument, const gpugeo_point_source *given,
                                   gpugeo_points points, gg_point_source *source,
                                   gpugeo_error *error);
void gg_point_source_close(gg_point_source *source);

/* Return the number of points, and of their coordinates. */
int64_t gg_point_source_count(const gg_point_source *source);
int64_t gg_point_source_coordinates(const gg_point_source *source);

/* Returns how many points (or coordinates) of `length` values fit into so many bytes, at least 1
   and at most `all`; all of them if they are in memory already, and dense. */
int64_t gg_point_source_fit(const gg_point_source *source, int64_t all, int64_t length,
                            int64_t bytes);

/* Room that gg_point_source_block() needs for so many points and coordinates, in values; 0 for a
   dense matrix in memory. */
int64_t gg_point_source_room(const gg_point_source *source, int64_t points, int64_t coordinates);

/* Allocates that room, to be freed by gg_free(); NULL if none is needed. */
gpugeo_status gg_point_source_make_room(const gg_point_source *source, int64_t points,
                                        int64_t coordinates, double **room, gpugeo_error *error);

/* Returns a dense view of that part, in the source's own orientation: of the matrix itself, or of
   the part that was read or expanded into the room (of doubles). */
gpugeo_status gg_point_source_block(const gg_point_source *source, gg_block block, double *room,
                                    gpugeo_matrix *view, gpugeo_error *error);

#endif
