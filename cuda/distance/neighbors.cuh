/* Shared parts of nearest neighbours and neighbours within a radius: distances block by block. */
#ifndef GG_CUDA_NEIGHBORS_CUH
#define GG_CUDA_NEIGHBORS_CUH

#include <atomic>
#include <memory>

#include "cuda/common/pieces.cuh"
#include "cuda/distance/dist.cuh"
#include "distance/knn.h"

namespace gpugeo {

/* Which points of x count as candidates for a point of y, or of x itself. */
enum class candidate_side { all, others, before, after };

/* Points whose neighbours are searched, at positions [first, end) of `at`: point index[i -
   first], or point i where that is NULL. */
struct query_set {
  points at;
  int64_t first, end;
  const int32_t *index;
};

/* Points that may be neighbours, at positions [0, end) of `at`: by their order, or if `index` is
   not NULL, points index[0], index[1], ... If the points are in panels and there is no `index`,
   `at` is not read: the panels of this order are. */
struct candidate_set {
  points at;
  int64_t end;
  point_order order;
  const int32_t *index = nullptr;
};

/* Distances of some queries, points of y, to some candidates, points of x, in device memory; NaN
   where missing. */
struct distance_block {
  const double *value;
  int64_t query_step, candidate_step; /* from one's value to the next one's */
  int64_t query, queries;             /* the first, and how many */
  int64_t candidate, candidates;
  candidate_side side;
  const int32_t *index;           /* of the queries, or NULL */
  point_order order;              /* of the candidates */
  const int32_t *candidate_index; /* of the candidates, or NULL */

  __device__ __forceinline__ int64_t query_at(int64_t q) const {
    return index ? index[q] : query + q;
  }
  __device__ __forceinline__ int32_t candidate_at(int64_t c) const {
    return candidate_index ? candidate_index[candidate + c] : (int32_t)order.at(candidate + c);
  }

  /* True if the candidate may be a neighbour of the query. */
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

/* The points and parameters from which distances of single pairs are computed. */
struct exact_points {
  points asking, candidates;
  const double *weight;
  int64_t m;
  int finish;
  bool by_position; /* the candidates are in the filter's order */
};

/* Queries of the tile kernels begin at multiples of it, since points are copied in words. */
constexpr int64_t QUERY_UNIT = 16;

/* Points in device memory, with rows as the tile kernels read them: aligned for all copies, and
   filled up with 0, which is read, though no result depends on it. */
class point_store {
public:
  /* Allocates room for n points with m coordinates, all 0 as soon as the stream gets there. To be
     called once. */
  void allocate(int64_t n, int64_t m, cudaStream_t stream);

  points view() const { return {memory_.as(), ld_, 0}; }
  double *data() const { return memory_.as<double>(); }
  int64_t ld() const { return ld_; }

private:
  device_memory memory_;
  int64_t ld_ = 0;
};

class sparse_panels;

/* The queries of a job, which its workers take range by range. */
class query_queue {
public:
  /* Several workers take at most a quarter of their share at a time, so that all end at about
     the same time. */
  query_queue(int64_t count, int workers)
      : count_(count), most_(workers > 1 ? round_up(divide_up(count, 4 * workers), 128) : count) {}

  /* Takes the next queries [*first, *end), at most so many. Returns false if none are left. */
  bool take(int64_t most, int64_t *first, int64_t *end) {
    most = smaller(most, most_);
    *first = next_.fetch_add(most);
    *end = smaller(*first + most, count_);
    return *first < count_;
  }

private:
  const int64_t count_, most_;
  std::atomic<int64_t> next_{0};
};

/*
 * Copies all points to the device and computes their distances in blocks, by the tile kernels.
 *
 * Within x all pairs are computed from both sides, except where a distance depends in its last bits
 * on which of its points is the row: then candidates before a query take another block, with the
 * queries as rows.
 *
 * All points, prepared, must fit into the device's memory, unless they are in panels.
 */
class neighbor_blocks {
public:
  /* point_bytes: device memory that the caller takes for each query of a block. panels: sparse
     points may be in panels, see sparse_panels; the caller then asks before it visits. */
  neighbor_blocks(const gg_dist_plan &plan, gg_clock *clock, device_resources &resources,
                  double point_bytes, bool panels = false);
  ~neighbor_blocks();

  /* Returns the largest number of queries of a block. */
  int64_t queries() const { return queries_; }

  cudaStream_t stream() const { return pieces_.stream(); }
  double seconds() const { return pieces_.seconds(); }

  /* Enqueues the distances of some queries, at most queries(), to candidates, block by block;
     take(block) enqueues the use of one. Each pair adds `share` to the finished work. */
  template <class Take>
  void visit(const query_set &queries, const candidate_set &candidates, double share, Take take) {
    const int64_t first = queries.first, end = queries.end;
    for (int64_t c = 0; c < candidates.end; c += candidates_) {
      const int64_t last = smaller(c + candidates_, candidates.end);
      candidate_set here = candidates;
      if (in_panels() && !candidates.index)
        piece(0, [&] { here.at = offer(candidates.order, c, last); });
      const auto block = [&](candidate_side side) {
        take(compute(queries, here, c, last, side));
        pieces_.end();
      };
      if (!one_sided_) {
        block(plan_.symmetric ? candidate_side::others : candidate_side::all);
      } else {
        if (queries.index || last > first + 1) block(candidate_side::after);
        if (queries.index || c < end - 1) block(candidate_side::before);
      }
      add_done((double)(end - first) * (double)(last - c) * share);
    }
  }

  /* Enqueues other work, launch(), as a piece that counts as so many pairs. */
  template <class Launch> void piece(double pairs, Launch launch) {
    pieces_.begin(done_);
    launch();
    pieces_.end();
    add_done(pairs);
  }

  /* Return the prepared points and the metric's weights, all on the device; of points in panels
     those of the last panels. */
  points candidates() const;
  points asking() const;
  const double *weight() const { return weight_.as<double>(); }

  /* True if only panels of the points are dense. */
  bool in_panels() const { return panels_ != nullptr; }

  /* Returns the points of a panel. */
  int64_t panel() const { return panel_; }

  /* Brings queries [first, end), at most queries(), to a panel if the points are in panels. */
  void ask(int64_t first, int64_t end);

  /* Return some queries of a list, and candidates at some positions of an order, at most panel()
     of either, in panels. To be called within a piece, and only if the points are in panels. */
  points ask_listed(const int32_t *index, int64_t count);
  points offer(const point_order &order, int64_t begin, int64_t end);

  /* Waits for all enqueued work. */
  void drain() { pieces_.drain(done_); }
  double fraction() const { return done_; }

private:
  void load(const gpugeo_matrix &x, const point_store &points, int64_t n);
  void load_all();
  distance_block compute(const query_set &queries, const candidate_set &candidates,
                         int64_t candidate, int64_t candidate_end, candidate_side side);
  void add_done(double pairs) { done_ += pairs / ((double)plan_.nx * (double)plan_.ny); }

  const gg_dist_plan &plan_;
  gg_clock *clock_;
  device_resources &resources_;
  const bool one_sided_;
  const int64_t panel_;                  /* points, 0 if they are not in panels */
  int64_t queries_ = 0, candidates_ = 0; /* of a block */
  tile_kernel kernel_;
  int64_t launch_tiles_ = 0;
  tile_job job_ = {};
  point_store x_, y_;
  std::unique_ptr<sparse_panels> panels_; /* instead of both, or NULL */
  device_memory values_, weight_, flat_;
  double done_ = 0;
  pieces pieces_;
};

} // namespace gpugeo

#endif
