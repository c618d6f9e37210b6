/* The HDF5 part of BIOM tables. */
#ifndef GG_H5_TABLE_H
#define GG_H5_TABLE_H

#include "communities/arena.h"

/* A matrix compressed by its majors: the elements of major k are numbers start[k] to start[k + 1] -
   1, and `index` has their minors. */
typedef struct gg_compressed {
  int64_t majors, minors, stored;
  int32_t *start, *index;
  double *value;
} gg_compressed;

/* Allocates a matrix of these sizes, and frees one. */
gpugeo_status gg_compressed_make(gg_compressed *matrix, int64_t majors, int64_t minors,
                                 int64_t stored, gg_call *call);
void gg_compressed_free(gg_compressed *matrix);

/* What a file has, whose matrix is not yet checked. */
typedef struct gg_h5_table {
  gpugeo_biom_axis samples, taxa; /* in the arena */
  bool by_samples;                /* the majors of the matrix are samples, else taxa */
  gg_compressed matrix;           /* owned */
  gg_arena *arena;                /* borrowed */
} gg_h5_table;

/* Reads a file. The arena and the matrix are to be freed also after a failure. */
gpugeo_status gg_h5_table_read(const char *path, gg_h5_table *table, gg_call *call);

#endif
