/* Closest pairs by sweeping along a column, the paper's way. */
#ifndef GG_CUDA_CLOSEST_SWEEP_CUH
#define GG_CUDA_CLOSEST_SWEEP_CUH

#include "cuda/points/closest_search.cuh"

namespace gpugeo {

/* The paper's scheme, along the first column, or another one where too many points share theirs.
   False where all columns are so. */
bool search_sweep(closest_call &call);

} // namespace gpugeo

#endif
