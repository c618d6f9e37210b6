/* The working matrix of a clustering on a device, and the kernels on it. */
#ifndef GG_CUDA_CLUSTER_WORKING_CUH
#define GG_CUDA_CLUSTER_WORKING_CUH

#include "cluster/round_step.h"
#include "cuda/common/device.cuh"

struct gg_clusters;

namespace gpugeo {

enum { NO_PAIR = -1, REMOVED = -2 /* in pair_of, as in clusters.c */ };

/* The lists of gg_clusters in device memory, and rows [first, first + rows) of the matrix, which is
   symmetric, n by n: row r is at values + (r - first) * n. */
struct working_view {
  double *values;
  int64_t n, first, rows, active, columns;
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

/* Copies the pairs and columns that are listed to the lists in device memory, when all kernels
   there have ended. */
void send_round(working_view &w, const gg_clusters &c);

/* Merges the pairs that are listed, takes the listed columns, and finds the nearest clusters. */
void merge_rows(const working_view &w, gpugeo_linkage linkage, cudaStream_t stream);

/* A row that is merged: of a column of the next matrix, or in place of the first cluster of a pair.
 */
struct row_task {
  int32_t number;      /* of the column or pair */
  const double *other; /* the row of the pair's second cluster, on this device; NULL: no pair */
};

/* Does so for rows of these columns only, and leaves the nearest clusters of others. */
void merge_listed_rows(const working_view &w, gpugeo_linkage linkage, const row_task *tasks,
                       int64_t count, cudaStream_t stream);

/* Finds for each point the nearest one of another component, the first of several. Rows whose last
   one is still in another component are not read. nearest begins as -1. */
void find_outside(const working_view &w, const int32_t *component, cudaStream_t stream);

/* --- Rounds in place -------------------------------------------------------------------------- */

/* Two clusters that are merged. */
struct merge_step {
  int32_t low, high;
  double distance;
};

/* What the kernels of a round leave for the next ones. */
struct round_state {
  int64_t alive, credit; /* as in gg_clusters */
  int64_t merged;        /* in the list of merges */
  int32_t pairs;
  int32_t wanted;   /* the cluster to be searched if not all are, or GG_UNKNOWN */
  int32_t lost;     /* clusters whose nearest one is not known, without those of pairs */
  int32_t searches; /* rows to be searched: those of pairs, then all lost ones or the wanted one */
  int32_t parts;    /* of each of these rows, by a block each */
  int32_t done;     /* the next round rewrites the matrix: these kernels do nothing */
  unsigned blocks;  /* of a launch that have ended */
};

enum {
  ROUND_BLOCKS = 1024 /* of a launch, at most; an H200 runs 1,056 of 256 threads at a time */
};

/* The memory of rounds in place of w.active clusters. */
struct round_view {
  round_state *state;
  uint32_t *firsts;   /* a bit for each cluster: it is the first of a pair */
  gg_nearest *found;  /* by blocks; room for w.active and for ROUND_BLOCKS */
  int32_t *lost;      /* a list of clusters */
  unsigned *ended;    /* for ROUND_BLOCKS rows: blocks that have ended, 0 between launches */
  merge_step *merges; /* of all rounds since round_state.merged was 0 */
};

/* Enqueues so many rounds in place. */
void merge_in_place(const working_view &w, const round_view &view, gpugeo_linkage linkage,
                    int rounds, cudaStream_t stream);

/* Merges the rows of these pairs in place, but for the columns of other rows. */
void merge_listed_in_place(const working_view &w, gpugeo_linkage linkage, const row_task *tasks,
                           int64_t count, cudaStream_t stream);

} // namespace gpugeo

#endif
