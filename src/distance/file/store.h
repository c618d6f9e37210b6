/* Distances in a file: offsets of values, and writing and reading them. */
#ifndef GG_DIST_STORE_H
#define GG_DIST_STORE_H

#include "distance/file/h5_dist.h"

/* The file that is written. */
typedef struct gg_dist_store {
  int handle;
  int direct; /* the same file opened to be written past the page cache, in whole pages; or -1 */
  const gg_h5_dist *about;
} gg_dist_store;

/* Packs the values of a finished tile, once, before they are stored. They begin at a page;
   values that are contiguous in the file become contiguous, beginning in the page before. */
void gg_dist_store_pack(const gg_h5_dist *about, const gpugeo_tile *tile, void *values);

/* Writes a tile, both sides of the diagonal where the file has both. `scratch` has
   gg_dist_store_bytes() and begins at a page. Returns 0 or the system's error number. */
int gg_dist_store_tile(const gg_dist_store *to, const gpugeo_tile *tile, void *values,
                       void *scratch);
int64_t gg_dist_store_bytes(const gg_h5_dist *about);

/* Reads `count` values from one column of the matrix, rows from `row` on; all below the diagonal
   where the file has only that. Returns 0 or the system's error number. */
int gg_dist_fetch(int handle, const gg_h5_dist *about, int64_t row, int64_t column, int64_t count,
                  double *values);

#endif
