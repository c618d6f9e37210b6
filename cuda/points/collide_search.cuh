/* What all searches for collisions share: when points collide, what becomes of a collision, and
   how blocks draw their work. */
#ifndef GG_CUDA_COLLIDE_SEARCH_CUH
#define GG_CUDA_COLLIDE_SEARCH_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/points/grid.cuh"
#include "points/collide_plan.h"
#include "points/collide_step.h"
#include "points/point_step.h"

namespace gpugeo {

/* --- When points collide ---------------------------------------------------------------------- */

/* One set of points in device memory, in the order of the user's rows. */
struct collide_points {
  point_columns points; /* times the rule's scale */
  const double *radius; /* times it, too; or NULL */
  const int32_t *group; /* or NULL */
};

struct collide_rule {
  gg_point_rule point;
  bool within, periodic, radii;
  int64_t exclude;
  double radius, limit; /* of every pair, without radii; see collide_step.h */

  /* True if not periodic and without radii (PLAIN). */
  bool plain() const { return !periodic && !radii; }

  /* True if two points collide. s is the sum of their radii, which the plain case doesn't look at;
     without BOXED no column is periodic. */
  template <int COLUMNS, bool PLAIN, bool BOXED = !PLAIN>
  __device__ __forceinline__ bool collide(const double *a, const double *b, double s) const {
    double sum = 0;
#pragma unroll
    for (int k = 0; k < COLUMNS; ++k) {
      const double d = gg_point_difference(a[k], b[k], BOXED ? point.box[k] : 0);
      sum = fma(d, d, sum);
    }
    return !PLAIN && radii ? gg_collide_near(sum, s) : sum <= limit;
  }

  /* True if a pair is excluded by its rows. */
  __device__ __forceinline__ bool excluded(int64_t i, int64_t j) const {
    return within && (i < j ? j - i : i - j) <= exclude;
  }
};

/* --- What becomes of a collision -------------------------------------------------------------- */

enum { SMALL_TABLE = 256 }; /* numbers */

enum collide_task {
  TASK_COUNT,
  TASK_PER_POINT,
  TASK_TABLE,
  TASK_ROWS, /* how many pairs each row of the result has */
  TASK_FILL  /* the pairs of some rows of the result */
};

struct collide_sink {
  collide_task task;
  unsigned long long *number; /* PER_POINT: nx; TABLE: groups by groups */
  const int32_t *group_x, *group_y;
  int64_t groups;
  int32_t *row_count;   /* ROWS: nx. FILL: from row `begin` on, how many of a row are there */
  int64_t begin, end;   /* FILL: rows */
  const int64_t *first; /* FILL: where each row's partners begin, among all */
  uint64_t *pair;       /* FILL: of these rows, (row - begin) << partner_bits | partner */
  int partner_bits;

  /* True if a table is so small that each block sums it in shared memory first, because atomic
     additions to the same addresses wait for each other. */
  __device__ __forceinline__ bool small() const {
    return task == TASK_TABLE && groups * groups <= SMALL_TABLE;
  }

  /* Stores a collision, except for COUNT and PER_POINT: row i of x and row j of y, or two rows
     of x. */
  __device__ __forceinline__ void store_pair(bool within, int64_t i, int64_t j,
                                             unsigned *table) const {
    if (within && j < i) {
      const int64_t other = i;
      i = j;
      j = other;
    }
    if (task == TASK_TABLE) {
      const int64_t offset = group_x[i] + group_y[j] * groups;
      if (small())
        atomicAdd(table + offset, 1u);
      else
        atomicAdd(number + offset, 1ull);
    } else if (task == TASK_ROWS) {
      atomicAdd(row_count + i, 1);
    } else if (i >= begin && i < end) {
      const int32_t position = atomicAdd(row_count + (i - begin), 1);
      pair[first[i] - first[begin] + position] =
          (uint64_t)(i - begin) << partner_bits | (uint64_t)j;
    }
  }

  /* Clear the block's table and add it to the whole one; all threads call them, each for its own
     numbers. An item has fewer than 2^32 collisions. */
  __device__ __forceinline__ void clear(unsigned *table) const {
    for (int e = threadIdx.x; e < SMALL_TABLE; e += blockDim.x)
      table[e] = 0;
  }
  __device__ __forceinline__ void add_up(unsigned *table) const {
    if (!small()) return;
    for (int e = threadIdx.x; e < groups * groups; e += blockDim.x) {
      if (table[e]) atomicAdd(number + e, (unsigned long long)table[e]);
      table[e] = 0;
    }
  }
};

/* --- Work in items ---------------------------------------------------------------------------- */

/* Of a search, in device memory. */
struct collide_state {
  unsigned long long next;    /* item to be taken */
  unsigned long long count;   /* collisions found, for PER_POINT in a grid both ways */
  unsigned long long longest; /* run of positions that was left for later */
};

constexpr uint64_t LAUNCH_NANOSECONDS = 50000000;

__device__ __forceinline__ uint64_t nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/* Takes one item after the other in a block, until none is left or the time of a launch is over;
   the next launch continues from there. Therefore all blocks end together, which bounds the
   delay of an interrupt. work(item, table) may return early in some threads; its collisions go
   to sink.store_pair(..., table). */
template <class Work>
__device__ __forceinline__ void take_items(collide_state *state, int64_t items,
                                           const collide_sink &sink, Work work) {
  __shared__ int64_t item;
  __shared__ unsigned table[SMALL_TABLE];
  const uint64_t start = nanoseconds();
  sink.clear(table);
  for (;;) {
    __syncthreads();
    sink.add_up(table);
    if (threadIdx.x == 0)
      item = nanoseconds() - start < LAUNCH_NANOSECONDS ? (int64_t)atomicAdd(&state->next, 1ull)
                                                        : items;
    __syncthreads();
    if (item >= items) return;
    work(item, table);
  }
}

/* Adds what each thread of the block has counted. */
__device__ __forceinline__ void add_count(collide_state *state, unsigned long long count) {
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0 && count) atomicAdd(&state->count, count);
}

/* --- Searches --------------------------------------------------------------------------------- */

struct collide_problem {
  collide_points x, y; /* y is x within x */
  collide_rule rule;
  point_bounds bounds; /* of all points */
  gpugeo_collisions_algorithm algorithm;
  int multiprocessors;
};

/* A way to find each collision once. May be run again, for another sink. */
class collide_search {
public:
  virtual ~collide_search() = default;
  /* Runs the search and returns the number of collisions. */
  virtual int64_t run(const collide_sink &sink) = 0;
};

} // namespace gpugeo

#endif
