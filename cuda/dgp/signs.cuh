/* Signs and row numbers of positions in sorted sums. */
#ifndef GG_CUDA_DGP_SIGNS_CUH
#define GG_CUDA_DGP_SIGNS_CUH

#include "cuda/dgp/sums.cuh"

namespace gpugeo {

/* A position in the sums of the first part, and one in the negated sums of the second part. */
struct found_pair {
  int64_t a, b;
};

/* Sums of up to about 17 distances, half of those of a sequence, with their signs. */
struct sign_table {
  int64_t size;
  const int64_t *sum;
  const uint32_t *signs;
};

/* Finds the signs of sums, which sequences do not store: the r-th of the elements with an equal
   sum has the r-th choice of signs with that sum, which is found by meet in the middle over the
   sequence's distances. */
class row_reader {
public:
  /* Prepares for the plan's first `first` distances as a and the next `second` as b. */
  row_reader(const gg_dgp_plan &plan, int first, int second, int64_t pairs_most);

  /* Returns room for pairs_most pairs. */
  found_pair *pairs() const { return pairs_.as<found_pair>(); }

  /* Returns the rows of `count` pairs, with these outer signs and the last distance added. */
  std::vector<gpugeo_uint128> read(const sums &a, const sums &b, uint64_t outer_signs,
                                   int64_t count, pieces &pieces, double fraction);

private:
  struct half {
    device_memory sum, signs;
    sign_table table;
    void make(const int64_t *d, int count, bool sorted);
  };

  const int n_, first_, second_;
  half halves_[4]; /* of a: any order, sorted; of b likewise */
  device_memory pairs_, rows_;
};

} // namespace gpugeo

#endif
