/* The HDF5 part of a file of distances: creates it with everything except the distances, and
   finds their offset in the file. They are then written and read without the library, so a
   call that is killed at any moment leaves a valid HDF5 file. */
#ifndef GG_H5_DIST_H
#define GG_H5_DIST_H

#include <stdbool.h>

#include "common/h5_file.h"
#include "gpugeo.h"

/* Points of a file at most: the bytes of their square matrix can be counted in 64 bits. */
#define GG_H5_MOST_POINTS ((int64_t)1 << 29)

typedef struct gg_h5_dist {
  char name[128]; /* of the dataset */
  char metric[32];
  int64_t points;
  gpugeo_shape shape; /* full: in chunks of chunk by chunk, one after the other by columns */
  gpugeo_type type;   /* double or float */
  int64_t chunk;
  int64_t side;         /* of the tiles that are written one after the other */
  uint64_t fingerprint; /* of the points and all settings that the distances depend on */
  int64_t data;         /* where in the file the distances begin */
  int64_t marker;       /* where the number of tiles that are there is, as an int64_t */
  gg_file_identity identity;
} gg_h5_dist;

/* Tiles of more points than 256 are cut into whole chunks of this side. */
enum { GG_H5_CHUNK = 256 };

/* Returns the side of the chunks of a square file for tiles of a side. */
static inline int64_t gg_h5_chunk_of(int64_t side) {
  return side % GG_H5_CHUNK == 0 ? GG_H5_CHUNK : side;
}

/* Returns the largest side of the tiles of so many points. */
static inline int64_t gg_h5_side_most(int64_t points) {
  const int64_t chunks = (points + GG_H5_CHUNK - 1) / GG_H5_CHUNK;
  return points > GG_H5_CHUNK ? chunks * GG_H5_CHUNK : points > 0 ? points : 1;
}

/* Returns the bytes of one distance. */
static inline int64_t gg_h5_value_bytes(const gg_h5_dist *about) {
  return about->type == GPUGEO_TYPE_FLOAT ? 4 : 8;
}

/* Returns the bytes of all distances: of whole chunks in a square file. */
int64_t gg_h5_dist_bytes(const gg_h5_dist *about);

/* Creates a file. labels: one for each point, or NULL. */
gpugeo_status gg_h5_dist_create(const char *file, gg_h5_dist *about, const char *const *labels,
                                gpugeo_error *error);

/* Reads the description from a file, and checks it: numbers that contradict each other or the
   file's size, and distances stored in another file, are errors. name: of the dataset; NULL or
   "": the first of the default names that exists. */
gpugeo_status gg_h5_dist_inspect(const char *file, const char *name, gg_h5_dist *about,
                                 gpugeo_error *error);

/* Reads the labels, each in `width` bytes that end with a 0, to be freed; NULL without any. */
gpugeo_status gg_h5_dist_labels(const char *file, const gg_h5_dist *about, char **labels,
                                int64_t *width, gpugeo_error *error);

#endif
