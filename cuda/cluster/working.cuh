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

/* What a step of the chain does; -1 where there is none. */
struct chain_order {
  int32_t last, last_row;    /* the cluster whose row is searched, and where that is */
  merge_step pair;           /* two clusters that are merged, low -1: none, */
  int32_t low_row, high_row; /* where their rows are, */
  gg_joined joined;          /* and their sizes */
  int32_t found;             /* the cluster whose nearest one the last step has found, */
  candidate found_nearest;   /* and that one */
};

/* The chain as each block has it. */
struct chain_state {
  gg_chain chain;
  double *size; /* of each cluster */
  chain_order order;
  unsigned steps; /* since the chain began */
  int64_t merged; /* in the list of merges */
};

/* The best candidate, and the cluster nearest to it, -1: not known. */
struct chain_found {
  candidate best;
  int32_t nearest;
};

/* What a block has found in a step: see tagged_words. */
struct chain_post {
  unsigned long long word[4];
};

enum { MOST_CHAIN_BLOCKS = 64 };

/* The memory of a chain of w.active clusters. */
struct chain_view {
  unsigned blocks;
  chain_state *states; /* of each block */
  chain_post *posts;   /* of each block twice; room for MOST_CHAIN_BLOCKS */
  int32_t *whole;      /* of each block two lists, */
  double *sizes;       /* and one of sizes */
  merge_step *merges;
};

/* Returns the number of blocks of a chain of so many clusters. */
unsigned chain_blocks(int64_t active);

/* Begins the chain. w.nearest and w.distance have the nearest cluster of each. */
void begin_chain(const working_view &w, const chain_view &view, cudaStream_t stream);

/* Enqueues so many steps of the chain; there are none after the last merge. */
void extend_chain(const working_view &w, const chain_view &view, gpugeo_linkage linkage, int steps,
                  cudaStream_t stream);

} // namespace gpugeo

#endif
