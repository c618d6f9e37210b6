/* The working matrix of a clustering on a device, and the kernels on it. */
#ifndef GG_CUDA_CLUSTER_WORKING_CUH
#define GG_CUDA_CLUSTER_WORKING_CUH

#include "cluster/chain_step.h"
#include "cuda/common/device.cuh"

namespace gpugeo {

/* The lists of gg_clusters in device memory, and the matrix, symmetric, n by n: row r is at
   values + r * n. */
struct working_view {
  double *values;
  int64_t n, active, columns;
  int32_t *row, *from, *pair_of, *low, *high;
  double *size, *ni, *nj, *dij, *pair_size;
  int32_t *nearest;
  double *distance;
};

/* What is known of all distances. */
struct survey {
  unsigned long long bad;   /* how many are not finite, */
  unsigned long long first; /* the first of them as j * 2^32 + i, i > j, or all ones, */
  unsigned long long most;  /* and the bits of the largest absolute value */
};

/* Adds all distances to a survey in device memory, which begins as {0, ~0, 0}. */
void survey_distances(const working_view &w, survey *found, cudaStream_t stream);

/* Multiplies all distances by the scale and squares them if `squared`, sets the diagonal to
   infinity, and finds the nearest cluster of each. */
void prepare_rows(const working_view &w, double scale, bool squared, cudaStream_t stream);

/* Merges the pairs that are listed, takes the listed columns, and finds the nearest clusters. */
void merge_rows(const working_view &w, gpugeo_linkage linkage, cudaStream_t stream);

/* Finds for each point the nearest one of another component, the first of several. Rows whose last
   one is still in another component are not read. nearest begins as -1. */
void find_outside(const working_view &w, const int32_t *component, cudaStream_t stream);

/* --- The chain -------------------------------------------------------------------------------- */

/* The distance of a cluster, and its number. */
struct candidate {
  double distance;
  int32_t cluster;
};

/* Two clusters that are merged. */
struct merge_step {
  int32_t low, high;
  double distance;
};

/* A chain of nearest neighbours in device memory. */
struct chain_state {
  gg_chain chain;
  int32_t waiting;  /* nonzero: two clusters are to be merged in the matrix by the next step */
  merge_step pair;  /* which ones, */
  gg_joined joined; /* and their sizes */
  unsigned blocks_done;
  int64_t merged; /* steps in the list of merges: */
  merge_step *merges;
  candidate *found; /* of each block, with room for MOST_CHAIN_BLOCKS */
};

enum { MOST_CHAIN_BLOCKS = 1024 };

/* Begins the chain; state has its pointers, with zeros at chain.offset, and its number of clusters
   alive, and all else is 0. */
void begin_chain(const working_view &w, chain_state *state, cudaStream_t stream);

/* Enqueues so many steps of the chain; there are none after the last merge. */
void extend_chain(const working_view &w, chain_state *state, gpugeo_linkage linkage, int steps,
                  cudaStream_t stream);

} // namespace gpugeo

#endif
