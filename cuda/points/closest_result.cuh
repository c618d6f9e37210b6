/* Turning candidates into the pairs of a result. */
#ifndef GG_CUDA_CLOSEST_RESULT_CUH
#define GG_CUDA_CLOSEST_RESULT_CUH

#include <vector>

#include "cuda/points/closest_candidate.cuh"
#include "cuda/points/locations.cuh"
#include "points/closest_plan.h"

namespace gpugeo {

/* Candidates that hold the k closest pairs and, unless `ties` is not negative, all pairs that share
   the least square; else that is their number. */
struct found_pairs {
  std::vector<closest_candidate> candidates;
  int64_t ties;
};

/* Writes the k closest of the pairs found, in their order. `rows` are those of the points in x and
   y, or empty; `joined` has the rows of points that were joined. */
void write_pairs(const gg_closest_plan &plan, const std::vector<int32_t> &rows,
                 const locations *joined, found_pairs pairs, gg_closest_result *result);

} // namespace gpugeo

#endif
