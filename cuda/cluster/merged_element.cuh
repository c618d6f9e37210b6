/* Elements of rows and columns that are merged in a round. */
#ifndef GG_CUDA_CLUSTER_MERGED_ELEMENT_CUH
#define GG_CUDA_CLUSTER_MERGED_ELEMENT_CUH

#include "cuda/cluster/working.cuh"

namespace gpugeo {

/* Returns the row of a cluster, n values. */
__device__ __forceinline__ double *row_of(const working_view &w, int32_t cluster) {
  return w.values + (w.row[cluster] - w.first) * w.n;
}

/* The pair of rows that are merged, or only one row. */
struct row_pair {
  const double *i, *j;
  int32_t pair; /* -1: only row i */
  gg_joined joined;
  double size; /* of the cluster of row i */
};

/* Returns the sizes and the distance of a pair that is merged. */
__device__ __forceinline__ gg_joined joined_pair(const working_view &w, int32_t pair) {
  return {w.ni[pair], w.nj[pair], w.dij[pair]};
}

/* Returns the two rows of a pair, with what merging them needs. */
__device__ __forceinline__ row_pair rows_of_pair(const working_view &w, int32_t pair) {
  const int32_t low = w.low[pair];
  return {row_of(w, low), row_of(w, w.high[pair]), pair, joined_pair(w, pair), w.size[low]};
}

/* Returns the row of a cluster, and that of the second cluster of its pair. */
__device__ __forceinline__ row_pair rows_of_task(const working_view &w, int32_t low,
                                                 const double *other) {
  const int32_t pair = w.pair_of[low];
  const double *row = row_of(w, low);
  if (pair < 0) return {row, row, pair, {0, 0, 0}, w.size[low]};
  return {row, other, pair, joined_pair(w, pair), w.size[low]};
}

/*
 * Returns the element of the next row for cluster `low` of the columns, which is not the second of
 * a pair. Pairs are merged one after the other, in their order: columns of pairs before the row's
 * own are merged before the rows are, and columns of later pairs after them. An element and its
 * mirror image then have the same bits.
 */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ double merged_element(const working_view &w, const row_pair &rows,
                                                 int32_t low) {
  const int32_t pair = w.pair_of[low];
  if (pair < 0) {
    if (rows.pair < 0) return rows.i[low];
    return gg_linkage_step(LINKAGE, &rows.joined, rows.i[low], rows.j[low], w.size[low]);
  }
  const int32_t high = w.high[pair];
  const gg_joined columns = joined_pair(w, pair);
  if (rows.pair < 0)
    return gg_linkage_step(LINKAGE, &columns, rows.i[low], rows.i[high], rows.size);
  if (pair < rows.pair) {
    const double i = gg_linkage_step(LINKAGE, &columns, rows.i[low], rows.i[high], rows.joined.ni);
    const double j = gg_linkage_step(LINKAGE, &columns, rows.j[low], rows.j[high], rows.joined.nj);
    return gg_linkage_step(LINKAGE, &rows.joined, i, j, w.pair_size[pair]);
  }
  const double i = gg_linkage_step(LINKAGE, &rows.joined, rows.i[low], rows.j[low], w.size[low]);
  const double j = gg_linkage_step(LINKAGE, &rows.joined, rows.i[high], rows.j[high], w.size[high]);
  return gg_linkage_step(LINKAGE, &columns, i, j, rows.joined.ni + rows.joined.nj);
}

} // namespace gpugeo

#endif
