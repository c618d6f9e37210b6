/* Distances in a file: where each value is, and how tiles get there and values come back. */
#ifndef GG_DIST_STORE_H
#define GG_DIST_STORE_H

#include "h5_dist.h"

/* Of memory and of files. */
enum { GG_STORE_PAGE = 4096 };

/* To be called once with the values of a finished tile before they are stored. They begin at a
   page; those that follow each other in the file are moved together, by way of the page before. */
void gg_dist_store_pack(const gg_h5_dist *about, const gpugeo_tile *tile, void *values);

/* Writes a tile, both sides of the diagonal where the file has both. `scratch` has room for one
   chunk. Returns 0 or the system's error number. */
int gg_dist_store_tile(int handle, const gg_h5_dist *about, const gpugeo_tile *tile, void *values,
                       void *scratch);

/* Bytes of one chunk; 0 where there are none. */
int64_t gg_dist_chunk_bytes(const gg_h5_dist *about);

/* Bytes of all distances. */
int64_t gg_dist_bytes(const gg_h5_dist *about);

/* Reads `count` values from one column of the matrix, rows from `row` on; all below the diagonal
   where the file has only that. Returns 0 or the system's error number. */
int gg_dist_fetch(int handle, const gg_h5_dist *about, int64_t row, int64_t column, int64_t count,
                  double *values);

/* All bytes, or the system's error number; ENODATA where the file ends too early. */
int gg_write_at(int handle, const void *from, int64_t bytes, int64_t place);
int gg_read_at(int handle, void *to, int64_t bytes, int64_t place);

#endif
