/* What nearest neighbours and neighbours within a radius share: distances block by block. */
#ifndef GG_CUDA_NEIGHBORS_CUH
#define GG_CUDA_NEIGHBORS_CUH

#include "dist.cuh"
#include "knn.h"
#include "pieces.cuh"

namespace gpugeo {

/* Which points of x count as candidates for a point of y, or of x itself. */
enum class candidate_side { all, others, before, after };

/* Distances of some queries, points of y, to some candidates, points of x, in device memory; NaN
   where missing. */
struct distance_block {
  const double *value;
  int64_t query_step, candidate_step; /* from one's value to the next one's */
  int64_t query, queries;             /* the first, and how many */
  int64_t candidate, candidates;
  candidate_side side;

  /* May the candidate be a neighbour of the query? */
  __device__ __forceinline__ bool counts(int64_t of, int64_t neighbor) const {
    switch (side) {
    case candidate_side::others:
      return neighbor != of;
    case candidate_side::before:
      return neighbor < of;
    case candidate_side::after:
      return neighbor > of;
    default:
      return true;
    }
  }
};

/*
 * Brings all points to the device and computes their distances in blocks, by the tile kernels.
 *
 * Within x all pairs are computed from both sides, except where a distance depends in its last bits
 * on which of its points is the row: then candidates before a query take another block, with the
 * queries as rows.
 *
 * All points, prepared, must fit into the device's memory.
 */
class neighbor_blocks {
public:
  /* point_bytes: device memory that the caller takes for each query of a block. */
  neighbor_blocks(const gg_dist_plan &plan, gg_clock *clock, kept &kept, double point_bytes);

  /* Queries of a block, at most. */
  int64_t queries() const { return queries_; }

  cudaStream_t stream() const { return pieces_.stream(); }
  double seconds() const { return pieces_.seconds(); }

  /* Orders the distances of queries [first, end), at most queries(), to all points of x, block by
     block; take(block) orders what is done with one. All queries are gone through `passes` times.
   */
  template <class Take> void visit(int64_t first, int64_t end, double passes, Take take) {
    for (int64_t c = 0; c < plan_.nx; c += candidates_) {
      const int64_t last = smaller(c + candidates_, plan_.nx);
      if (!one_sided_) {
        take(compute(first, end, c, last,
                     plan_.symmetric ? candidate_side::others : candidate_side::all));
        finish_block();
      } else {
        if (last > first + 1) {
          take(compute(first, end, c, last, candidate_side::after));
          finish_block();
        }
        if (c < end - 1) {
          take(compute(first, end, c, last, candidate_side::before));
          finish_block();
        }
      }
      done_ += (double)(end - first) * (double)(last - c) /
               ((double)plan_.nx * (double)plan_.ny * passes);
    }
  }

  /* Waits for all that was ordered. */
  void drain() { pieces_.drain(done_); }
  double fraction() const { return done_; }

private:
  struct store {
    device_memory memory;
    int64_t ld = 0;
    points view() const { return {memory.as(), ld, 0}; }
  };

  void allocate(store &points, int64_t n);
  void load(const gpugeo_matrix &x, store &points, int64_t n);
  void load_all();
  distance_block compute(int64_t query, int64_t query_end, int64_t candidate, int64_t candidate_end,
                         candidate_side side);
  void finish_block() { pieces_.end(); }

  const gg_dist_plan &plan_;
  gg_clock *clock_;
  kept &kept_;
  const bool one_sided_;
  int64_t queries_ = 0, candidates_ = 0; /* of a block */
  tile_kernel kernel_;
  int64_t launch_tiles_ = 0;
  tile_job job_ = {};
  store x_, y_;
  device_memory values_, weight_, flat_;
  double done_ = 0;
  pieces pieces_;
};

} // namespace gpugeo

#endif
