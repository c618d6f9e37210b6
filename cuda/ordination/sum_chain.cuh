/* The sums of a lane's columns, added up in one order. */
#ifndef GG_CUDA_SUM_CHAIN_CUH
#define GG_CUDA_SUM_CHAIN_CUH

#include <type_traits>

#include "cuda/ordination/basis_sums.cuh"

namespace gpugeo {

/* What a point has in a lane: its group, or its element of a basis. */
template <bool GROUPS> struct of_point {
  typedef typename std::conditional<GROUPS, int32_t, double>::type type;
};

/* Enqueues additions to sums[lane]: the first `steps` sums of columns, in their order, times what
   the column's point has, its element of a basis or the weight of its group. */
template <bool GROUPS>
void add_chain(const sums_job &job, int steps, const double *weight, double *sums,
               cudaStream_t stream);

/* Enqueues additions to within[group]: the sums of columns of the first lane, whose points are as
   they are, in their order. */
void add_within(const sums_job &job, int steps, const int32_t *group, int64_t groups,
                double *within, cudaStream_t stream);

} // namespace gpugeo

#endif
