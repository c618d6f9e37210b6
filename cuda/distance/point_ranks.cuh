/* Ranks of points on the device. */
#ifndef GG_CUDA_POINT_RANKS_CUH
#define GG_CUDA_POINT_RANKS_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {

/* The codes of points, as gg_kendall_columns has them for columns: that of coordinate k of point i
   is code[k + i * m]. */
struct point_codes {
  int32_t *code;
  unsigned long long *present, *untied; /* of each point */
  int32_t *kinds;                       /* gets POINTS_HAVE_... of any */
};
enum { POINTS_HAVE_GAPS = 1, POINTS_HAVE_TIES = 2 };

/* The order of each point's coordinates, as gg_rank_order has it for columns: element k of point i
   is at [k + i * m]. */
struct point_orders {
  int32_t *order, *first, *last;
};

/* Replaces the coordinates of points by their ranks, as gg_rank_points() does: ties are averaged,
   missing values stay missing. */
class point_ranker {
public:
  /* Makes room for so many points of m coordinates, fewer than 2^31, at a time. To be called
     once. */
  void allocate(int64_t points, int64_t m);

  /* Returns the device memory that it takes, but for the scratch memory of the sort. */
  static int64_t device_bytes(int64_t points, int64_t m) {
    return points * m * 2 * (int64_t)(sizeof(uint64_t) + sizeof(int32_t));
  }

  /* Ranks `count` points in place; coordinate k of point i is at z[i + k * ld]. Does not wait. */
  void rank(double *z, int64_t ld, int64_t count, cudaStream_t stream);

  /* Writes the codes of `count` points, the first of which is the first of `to`, too. */
  void code(const double *z, int64_t ld, int64_t count, const point_codes &to, cudaStream_t stream);

  /* Writes their orders in the same way. */
  void order(const double *z, int64_t ld, int64_t count, const point_orders &to,
             cudaStream_t stream);

private:
  /* Sorts points that fit into the room. */
  void sort(const double *z, int64_t ld, int64_t count, double_buffer<uint64_t> &keys,
            double_buffer<int32_t> &positions, cudaStream_t stream);

  int64_t points_ = 0, m_ = 0;
  device_memory key_memory_[2], position_memory_[2], scratch_;
  size_t scratch_bytes_ = 0;
};

/* Replaces many values by their ranks from 1, the mean of those of equal ones, by one sort. */
class value_ranker {
public:
  /* Makes room for n values, fewer than 2^31. */
  explicit value_ranker(int64_t n);

  /* Returns the device memory that it takes, but for the scratch memory of the sort. */
  static int64_t device_bytes(int64_t n) { return point_ranker::device_bytes(1, n); }

  /* Room for n doubles, which may be the values of rank(). */
  void *room() const { return key_memory_[0].as(); }

  /* Ranks values, none of them NaN, to memory that `to` owns then. Does not wait. */
  template <class T> void rank(const T *values, device_memory &to, cudaStream_t stream);

private:
  const int64_t n_;
  device_memory key_memory_[2], position_memory_[2], scratch_;
  size_t scratch_bytes_ = 0;
};

} // namespace gpugeo

#endif
