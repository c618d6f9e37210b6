/* From places in sorted sums back to the signs, and so to row numbers. */
#ifndef GG_CUDA_DGP_SIGNS_CUH
#define GG_CUDA_DGP_SIGNS_CUH

#include "cuda/dgp/sums.cuh"

namespace gpugeo {

/* A place in the sums of the first part, and one in those of the second part, turned. */
struct found_pair {
  int64_t a, b;
};

/* Sums of up to some 17 distances with their signs: of half the distances of a sequence. */
struct sign_table {
  int64_t size;
  const int64_t *sum;
  const uint32_t *signs;
};

/* Sequences don't keep the signs that make their sums, so they are found again: the r-th of the
   elements with an equal sum stands for the r-th choice of signs with that sum, which is met in the
   middle of the sequence's own distances. */
class row_reader {
public:
  /* The plan's first `first` distances make a, the next `second` make b. */
  row_reader(const gg_dgp_plan &plan, int first, int second, int64_t pairs_most);

  /* Room for pairs_most pairs. */
  found_pair *pairs() const { return pairs_.as<found_pair>(); }

  /* The rows of `count` pairs, with these outer signs and the last distance added. */
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
