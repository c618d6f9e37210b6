/* Columns of a matrix that are brought to the device and ranked there. */
#ifndef GG_CUDA_COLUMN_RANKS_CUH
#define GG_CUDA_COLUMN_RANKS_CUH

#include "cuda/common/pairs.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/distance/point_ranks.cuh"

namespace gpugeo {

/* How much of the device's memory ranking takes. */
struct column_ranks_size {
  int64_t slot;  /* bytes of pinned memory filled at a time, and of each of three on the device */
  int64_t count; /* columns that are ranked together */
  int64_t bytes; /* in all */

  /* Of columns of n observations, `longest` of which are ranked at most; about a sixth of the
     budget. */
  column_ranks_size(int64_t budget, int64_t n, int64_t longest) {
    const int64_t least_slot = 1 << 16, most_slot = 1 << 24, most = 1 << 30;
    const int64_t column = n * (int64_t)sizeof(double) + point_ranker::device_bytes(1, n);
    slot = smaller(most_slot, larger(least_slot, budget / 64));
    count = larger(1, smaller(smaller(budget / 8, most) / column, longest));
    bytes = count * column + uploader::device_bytes(GPUGEO_POINTS_COLUMNS, slot, true);
  }
};

/* Brings columns of n observations, some at a time. */
class column_ranker {
public:
  column_ranker(device_resources &resources, int64_t n, const column_ranks_size &size,
                int32_t threads, gg_clock *clock)
      : resources_(resources), n_(n), count_(size.count),
        uploader_(resources, GPUGEO_POINTS_COLUMNS, n, threads, clock, size.slot, true) {
    values_.allocate(count_ * n * (int64_t)sizeof(double));
    ranker_.allocate(count_, n);
  }

  /* Brings columns [first, first + count). take(ranker, z, ld, i, here) writes what it needs of
     `here` of them, from number first + i on; observation k of the j-th is at z[j + k * ld]. Does
     not wait. */
  template <class Take>
  void load(const gpugeo_matrix &from, int64_t first, int64_t count, double fraction, Take take) {
    for (int64_t i = 0; i < count; i += count_) {
      const int64_t here = smaller(count_, count - i);
      uploader_.load(from, first + i, here, values_.as<double>(), count_, fraction);
      take(ranker_, values_.as<double>(), count_, i, here);
    }
  }

  cudaStream_t stream() const { return resources_.upload; }
  int64_t observations() const { return n_; }

private:
  device_resources &resources_;
  const int64_t n_, count_;
  uploader uploader_;
  device_memory values_;
  point_ranker ranker_;
};

} // namespace gpugeo

#endif
