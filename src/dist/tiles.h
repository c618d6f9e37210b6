/* Tiles of a distance matrix, for what computes many of them. */
#ifndef GG_TILES_H
#define GG_TILES_H

#include "common/clock.h"
#include "dist/point_source.h"

/* Checks everything that gpugeo_dist_tile() is told but for its index; y may be NULL. */
gpugeo_status gg_tiles_check(const gg_point_source *x, const gg_point_source *y,
                             const gpugeo_tiles *tiles, gpugeo_error *error);

/* Bytes of working memory, of those that a limit allows (0: the default), that are left for the
   backend beside tiles, panels of points and ranks. */
int64_t gg_tiles_backend_bytes(int64_t memory);

/* Side of the largest tile of which so many values of 8 bytes can be stored `copies` times; 0: not
   even one of a single pair. */
int64_t gg_tiles_side(int64_t m, int64_t copies, int64_t memory);

/* The limit of memory in bytes that allows tiles of a side: the inverse of gg_tiles_side(). */
double gg_tiles_limit(int64_t m, int64_t side, int64_t copies);

/* Likewise the rows of a tile of so many columns. */
int64_t gg_tiles_rows(int64_t m, int64_t columns, int64_t copies, int64_t memory);

/* Opens x and, unless it is NULL, y, and checks all arguments. To be closed also after a failure.
 */
gpugeo_status gg_tiles_open(const gpugeo_point_source *x, const gpugeo_point_source *y,
                            const gpugeo_dist_options *options, gpugeo_type type,
                            gg_point_source *source_x, gg_point_source *source_y,
                            gpugeo_error *error);

/* Computes one tile of what has been checked. The clock is of the call, and of its time [done, done
   + share] is this tile's. y: NULL within x, where a tile of as many rows as columns that begins on
   the diagonal is a symmetric matrix. missing: unless NULL, the distances of this tile that points
   without any distance make missing. */
gpugeo_status gg_tile_compute(const gg_point_source *x, const gg_point_source *y,
                              const gpugeo_dist_options *options, const double *shared,
                              const gpugeo_tile *tile, gpugeo_type type, void *out, gg_clock *clock,
                              double done, double share, gpugeo_missing *missing,
                              gpugeo_report *report, gpugeo_error *error);

#endif
