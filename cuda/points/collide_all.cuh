/* Collisions by comparing all pairs. */
#ifndef GG_CUDA_COLLIDE_ALL_CUH
#define GG_CUDA_COLLIDE_ALL_CUH

#include <memory>

#include "cuda/points/collide_launches.cuh"

namespace gpugeo {

/* Returns a search, which borrows `launches`. */
std::unique_ptr<collide_search> search_all_pairs(const collide_problem &problem,
                                                 collide_launches &launches);

} // namespace gpugeo

#endif
