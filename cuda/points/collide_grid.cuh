/* Collisions by a grid or a lattice. */
#ifndef GG_CUDA_COLLIDE_GRID_CUH
#define GG_CUDA_COLLIDE_GRID_CUH

#include <memory>

#include "cuda/points/collide_launches.cuh"

namespace gpugeo {

/* Returns a search, which borrows `launches`. */
std::unique_ptr<collide_search> search_grid(const collide_problem &problem,
                                            collide_launches &launches);

} // namespace gpugeo

#endif
