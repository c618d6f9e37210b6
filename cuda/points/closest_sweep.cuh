/* Closest pairs by sweeping along a column, the paper's way. */
#ifndef GG_CUDA_CLOSEST_SWEEP_CUH
#define GG_CUDA_CLOSEST_SWEEP_CUH

#include "cuda/points/closest_search.cuh"

namespace gpugeo {

/* Searches by the paper's scheme along the first column, or along another one if too many points
   have equal coordinates there. Returns false if this holds for all columns. */
bool search_sweep(closest_call &call);

} // namespace gpugeo

#endif
