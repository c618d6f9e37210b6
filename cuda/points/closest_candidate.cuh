/* Pairs of points that may be among the closest, as searches on the device store them. */
#ifndef GG_CUDA_CLOSEST_CANDIDATE_CUH
#define GG_CUDA_CLOSEST_CANDIDATE_CUH

#include <cstdint>

namespace gpugeo {

/* A square as one word, in the order of squares: exact but for sums of integer squares of 2^63 and
   more, of which the last three bits are left out. */
typedef unsigned long long square_word;
constexpr square_word WIDE_SQUARE = 1ull << 63, NO_BOUND = ~0ull;

struct closest_candidate {
  square_word word;
  int32_t i, j; /* rows of the set of all points, i < j */
  square_word weight;
};

} // namespace gpugeo

#endif
