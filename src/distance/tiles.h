/* Tiles of a distance matrix, for callers that compute many of them. */
#ifndef GG_TILES_H
#define GG_TILES_H

#include "common/call.h"
#include "distance/point_source.h"

/* Checks all arguments of gpugeo_dist_tile() except the index; y may be NULL. */
gpugeo_status gg_tiles_check(const gg_point_source *x, const gg_point_source *y,
                             const gpugeo_tiles *tiles, gpugeo_error *error);

/* Returns the bytes of working memory that a limit (0: the default) leaves for the backend after
   tiles, panels of points and ranks. */
int64_t gg_tiles_backend_bytes(int64_t memory);

/* Returns the side of the largest tile of 8-byte values of which memory holds `copies`; 0 if it
   holds not even a single pair. */
int64_t gg_tiles_side(int64_t m, int64_t copies, int64_t memory);

/* Returns the limit of memory in bytes that allows tiles of a side: the inverse of
   gg_tiles_side(). */
double gg_tiles_limit(int64_t m, int64_t side, int64_t copies);

/* Returns the rows of the largest tile of so many columns. */
int64_t gg_tiles_rows(int64_t m, int64_t columns, int64_t copies, int64_t memory);

/* Opens x and, unless it is NULL, y, and checks all arguments. To be closed also after a failure.
 */
gpugeo_status gg_tiles_open(const gpugeo_point_source *x, const gpugeo_point_source *y,
                            const gpugeo_dist_options *options, gpugeo_type type,
                            gg_point_source *source_x, gg_point_source *source_y,
                            gpugeo_error *error);

/* What the tiles of a matrix have in common; arguments have been checked. */
typedef struct gg_tile_setting {
  const gg_point_source *x, *y; /* y: NULL within x, where a tile of as many rows as columns that
                                   begins on the diagonal is a symmetric matrix */
  const gpugeo_dist_options *options;
  const double *shared; /* the metric's parameters of all points (metric_params.h) */
  gpugeo_type type;     /* of the distances */
} gg_tile_setting;

/* Computes one tile. The clock is that of the call, of whose progress this tile is
   [done, done + share]. missing: unless NULL, the distances of this tile that points without any
   distance make missing. */
gpugeo_status gg_tile_compute(const gg_tile_setting *setting, const gpugeo_tile *tile, void *out,
                              double done, double share, gpugeo_missing *missing, gg_call *call);

#endif
