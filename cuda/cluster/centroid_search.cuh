/* The centroids of a clustering without a matrix on a device, and the kernels on them. */
#ifndef GG_CUDA_CLUSTER_CENTROID_SEARCH_CUH
#define GG_CUDA_CLUSTER_CENTROID_SEARCH_CUH

#include "cluster/round_step.h"
#include "cuda/common/device.cuh"

namespace gpugeo {

constexpr int64_t CENTROID_TILE = 128; /* positions on both sides of a tile of a search */

/* Clusters in device memory. Coordinate k of cluster c is at k * ld + c. */
struct centroid_set {
  double *high, *low; /* the centroids, as centroid_step.h has them */
  double *size, *level, *distance;
};

/* What rules out pairs of a rounded cluster with others. */
struct alignas(16) centroid_bound {
  float norm;  /* half of its square, not too large; NaN: no cluster */
  float share; /* half of 1 / size */
  float limit; /* half of the distance beyond which no pair is of use, not too small; or below 0 */
  float unused;
};

/* Positions of two clusters in a search. */
struct centroid_pair {
  int32_t row, column;
};

/* Tiles of positions that are compared: rows by columns. */
struct tile_range {
  int64_t row0, row1, column0, column1;
  bool triangle; /* without the columns before a row's tile */
};

/* The clusters of a search: those that are searched come first, then, from the next tile on, all
   others. */
struct centroid_search {
  int64_t rows, positions; /* multiples of a tile's side */
  int32_t *cluster;        /* at each position, or -1 */
  centroid_bound *bound;
  bool fine;              /* coordinates are two halves each */
  int64_t columns;        /* of a rounded row */
  uint16_t *row, *column; /* rounded, as halves; the same unless `fine` */
  int64_t split;          /* pairs are compared once where both or none come before this position */
  centroid_pair *pair;    /* those that may be nearest, */
  double *distance;       /* and their distances */
  int64_t room;           /* and for how many there is room: at least for a tile */
  unsigned long long *count; /* the numbers of those of several ranges */
};

/* The clusters of a call, and lists of them. */
struct centroid_view {
  centroid_set set;
  int64_t m, ld, active;
  int32_t *nearest;
  double *settled;              /* the distance from `nearest`, where it is known */
  double *centre;               /* of all points */
  double *largest;              /* of each coordinate the largest absolute value, */
  double *reach;                /* and the largest distance from the centre */
  double scale;                 /* a power of two, of rounded coordinates */
  unsigned long long *low_norm; /* the bits of the largest norm of `low` of a centroid */

  /* Pairs that are merged. */
  int64_t pairs;
  int32_t *first, *second;
  double *ni, *nj, *dij;

  centroid_search search;

  int32_t *from; /* columns that stay */
};

/* Finds the centre of the points, the largest values, and how far they reach from the centre. */
void find_centre(const centroid_view &view, cudaStream_t stream);

/* Multiplies all coordinates by a power of two. */
void scale_centroids(const centroid_view &view, double scale, cudaStream_t stream);

/* Merges the listed pairs. */
void merge_centroids(const centroid_view &view, cudaStream_t stream);

/* Returns the columns of a rounded row of m coordinates. */
int64_t rounded_columns(int64_t m, bool fine);

/* Gives the clusters that are searched a first nearest one, of those that follow them. */
void try_first_clusters(const centroid_view &view, int64_t searches, cudaStream_t stream);

/* Rounds the clusters of a search and sets their bounds. */
void round_clusters(const centroid_view &view, cudaStream_t stream);

/* Compares the tiles of a range: counts and lists the pairs that may be nearest, computes those for
   which there is room, and then lowers the limits. */
void search_tiles(const centroid_view &view, const tile_range &range, unsigned long long *count,
                  cudaStream_t stream);

/* Copies the listed columns to another set. */
void copy_columns(const centroid_view &view, int64_t columns, const centroid_set &to,
                  cudaStream_t stream);

} // namespace gpugeo

#endif
