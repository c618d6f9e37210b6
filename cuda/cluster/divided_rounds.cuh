/* The working matrix of a clustering in parts: some rows on each of several devices. */
#ifndef GG_CUDA_CLUSTER_DIVIDED_ROUNDS_CUH
#define GG_CUDA_CLUSTER_DIVIDED_ROUNDS_CUH

#include "cuda/cluster/working.cuh"

namespace gpugeo {

/* A pair that is merged, as gg_clusters describes it. */
struct pair_record {
  int32_t low, high;
  double ni, nj, dij, size;
};

/* A cluster's nearest one, or GG_UNKNOWN and a bound. */
struct nearest_record {
  double distance;
  int32_t cluster, nearest;
};

/* Put pairs into the lists, as those that are merged, and end their round. */
void list_pairs(const working_view &w, const pair_record *pairs, int64_t count,
                cudaStream_t stream);
void end_pairs(const working_view &w, int64_t count, cudaStream_t stream);

/* Merges the columns of so many pairs in the rows of these clusters that are in no pair, and
   appends those whose nearest cluster becomes another one, or unknown, to a list: the number of its
   records is found[0].cluster, and they begin at found[1]. */
void merge_columns_in_place(const working_view &w, gpugeo_linkage linkage, const int32_t *clusters,
                            int64_t count, int64_t pairs, nearest_record *found,
                            cudaStream_t stream);

/* Finds the nearest clusters of these; found: one for each. */
void search_listed_rows(const working_view &w, const int32_t *clusters, int64_t count,
                        nearest_record *found, cudaStream_t stream);

} // namespace gpugeo

#endif
