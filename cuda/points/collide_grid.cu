/*
 * Collisions by a grid, and by a lattice: each point is compared with the points in the cells
 * around it, or, in a lattice, in its own cell only, where points with whole coordinates that
 * collide are equal.
 *
 * A thread takes a point, in the order of the cells, so that the threads of a warp read the same
 * points. Long runs of points, in crowded cells, are left for a second pass. That has the bounds of
 * blocks of 32, 32^2, ... successive points: a block that lies within the radius as a whole is
 * counted as one, so that coincident points take no n^2 time.
 *
 * Limit: with a few points to a cell the latency of the reads that follow from each other for each
 * row of cells, which the L2 cache answers, and the device's memory for the sort; on one H200 a
 * million points take 0.3 ms, a hundred million 26 ms. With hundreds of points to a cell the FP64
 * pipes: seven instructions for a pair.
 */
#include "cuda/points/collide_grid.cuh"

#include <climits>

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 128, LEVELS = 6 };
constexpr int64_t LONG_RUN = 1024; /* positions */
constexpr int64_t PART = 1 << 18;  /* of a long run, to an item */

/* The least and greatest coordinates of whole blocks of 32^level successive positions. */
struct block_bounds {
  const point_bounds *level[LEVELS + 1]; /* 1 to LEVELS */
};

struct grid_job {
  point_columns query;                      /* the grid's own points within x, else those of x */
  const double *radius_query, *radius_grid; /* by position; radius_query by row with y */
  grid_view grid;
  collide_rule rule;
  collide_sink sink;
  collide_state *state;
  block_bounds bounds;
  int64_t items, part;
  bool own_cell;     /* lattice */
  bool both_ways;    /* within x: look at all points around, not only at those after */
  bool count_only;   /* no one asks which points collide */
  bool numbers_only; /* of these, nor are any left out by their rows */
};

/* --- Blocks of positions ---------------------------------------------------------------------- */

/* Computes the bounds of 32 successive points. */
__global__ void __launch_bounds__(THREADS)
    bound_points(const point_columns points, int columns, int64_t blocks, point_bounds *bounds) {
  const int64_t b = this_item();
  if (b >= blocks) return;
  point_bounds mine = {};
  for (int k = 0; k < columns; ++k) {
    const double *at = points.at[k] + 32 * b;
    mine.low[k] = mine.high[k] = at[0];
    for (int p = 1; p < 32; ++p) {
      mine.low[k] = fmin(mine.low[k], at[p]);
      mine.high[k] = fmax(mine.high[k], at[p]);
    }
  }
  bounds[b] = mine;
}

/* Computes the bounds of 32 successive blocks. */
__global__ void __launch_bounds__(THREADS)
    bound_blocks(const point_bounds *from, int columns, int64_t blocks, point_bounds *bounds) {
  const int64_t b = this_item();
  if (b >= blocks) return;
  point_bounds mine = from[32 * b];
  for (int p = 1; p < 32; ++p)
    for (int k = 0; k < columns; ++k) {
      mine.low[k] = fmin(mine.low[k], from[32 * b + p].low[k]);
      mine.high[k] = fmax(mine.high[k], from[32 * b + p].high[k]);
    }
  bounds[b] = mine;
}

/* True if all points within the bounds collide with one at `location`. The computed distance to any
   of them is at most that to the farthest corner, because each operation rounds monotonically.
   With radii, and in periodic columns, this is known only for coincident points. */
template <int COLUMNS, bool PLAIN>
__device__ __forceinline__ bool all_collide(const collide_rule &rule, const double *location,
                                            const point_bounds &bounds) {
  double corner[MOST_COLUMNS];
  bool same = true;
#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    const bool low = fabs(location[k] - bounds.low[k]) > fabs(location[k] - bounds.high[k]);
    corner[k] = low ? bounds.low[k] : bounds.high[k];
    same = same && location[k] == bounds.low[k] && location[k] == bounds.high[k];
  }
  if (!PLAIN) return same;
  return rule.collide<COLUMNS, true>(location, corner, 0);
}

/* Returns how many of the ascending rows row[first] to before row[last] are excluded with row i. */
__device__ int64_t excluded_rows(const int32_t *row, int64_t first, int64_t last, int64_t i,
                                 int64_t exclude) {
  const auto before = [&](int64_t least) { /* rows less than that */
                                           int64_t low = first, high = last;
                                           while (low < high) {
                                             const int64_t middle = (low + high) / 2;
                                             if (row[middle] < least)
                                               low = middle + 1;
                                             else
                                               high = middle;
                                           }
                                           return low;
  };
  return before(i + exclude + 1) - before(i - exclude);
}

/* --- The kernel ------------------------------------------------------------------------------- */

/* One point and the points that it is compared with. */
template <int COLUMNS, bool PLAIN> struct looker {
  const grid_job &job;
  double location[MOST_COLUMNS];
  double radius;
  int64_t i;       /* its row */
  unsigned *table; /* the block's */
  unsigned long long count;

  __device__ __forceinline__ bool collides(int64_t q) const {
    double other[MOST_COLUMNS];
#pragma unroll
    for (int k = 0; k < COLUMNS; ++k)
      other[k] = job.grid.at[k][q];
    const double s = PLAIN ? 0 : job.rule.radii ? radius + job.radius_grid[q] : job.rule.radius;
    return job.rule.collide<COLUMNS, PLAIN>(location, other, s);
  }

  /* Tests all positions of a run. */
  __device__ __forceinline__ void look(int64_t first, int64_t last) {
    if (job.numbers_only) {
      unsigned here = 0;
#pragma unroll 4
      for (int64_t q = first; q < last; ++q)
        here += collides(q);
      count += here;
      return;
    }
    for (int64_t q = first; q < last; ++q) {
      if (!collides(q)) continue;
      const int64_t j = job.grid.row[q];
      if (job.rule.exclude > 0 && job.rule.excluded(i, j)) continue;
      ++count;
      if (!job.count_only) job.sink.store_pair(job.rule.within, i, j, table);
    }
  }

  /* Returns how many positions from q on, before `last`, certainly collide and are not excluded:
     those of a whole block, whose size is `size`; 0 if no block certainly collides. */
  __device__ __forceinline__ int64_t whole_block(int64_t q, int64_t last, int64_t *size) const {
#pragma unroll 1
    for (int level = LEVELS; level > 0; --level) {
      const int64_t length = (int64_t)1 << (5 * level);
      if ((q & (length - 1)) != 0 || last - q < length) continue;
      if (!all_collide<COLUMNS, PLAIN>(job.rule, location, job.bounds.level[level][q / length]))
        continue;
      /* Within a cell rows ascend. */
      if (!job.numbers_only && job.grid.key[q] != job.grid.key[q + length - 1]) continue;
      *size = length;
      return job.numbers_only
                 ? length
                 : length - excluded_rows(job.grid.row, q, q + length, i, job.rule.exclude);
    }
    *size = 0;
    return 0;
  }

  __device__ __forceinline__ void look_long(int64_t first, int64_t last) {
    for (int64_t q = first; q < last;) {
      if (job.count_only && q % 32 == 0) {
        int64_t size;
        count += whole_block(q, last, &size);
        q += size;
        if (size > 0) continue;
      }
      const int64_t end = smaller(last, q + 32 - q % 32);
      look(q, end);
      q = end;
    }
  }
};

/* Stores the longest run, with at most one atomic operation for most threads. */
__device__ __forceinline__ void tell_longest(collide_state *state, int64_t length) {
  const unsigned long long known = *(volatile unsigned long long *)&state->longest;
  if ((unsigned long long)length > known) atomicMax(&state->longest, (unsigned long long)length);
}

/* Blocks of look_around() on a multiprocessor, where the compiler's choice (5 blocks, 96 registers)
   takes 1.08 times as long for points in space on an H200. 0: the compiler's choice. */
constexpr int least_blocks(int columns, bool plain, bool is_long) {
  return columns == 3 && plain && !is_long ? 7 : 0;
}

/* Tests the points of an item. LONG: the second pass, for long runs only. */
template <int COLUMNS, bool PLAIN, bool LONG>
__global__ void __launch_bounds__(THREADS, least_blocks(COLUMNS, PLAIN, LONG))
    look_around(const grid_job job) {
  unsigned long long total = 0;
  take_items(job.state, job.items, job.sink, [&](int64_t item, unsigned *table) {
    const int64_t p = item * THREADS + threadIdx.x;
    if (p >= job.query.n) return;
    looker<COLUMNS, PLAIN> mine = {job, {}, 0, 0, table, 0};
#pragma unroll
    for (int k = 0; k < COLUMNS; ++k)
      mine.location[k] = job.query.at[k][p];
    mine.i = job.rule.within ? job.grid.row[p] : p;
    if (!PLAIN && job.rule.radii) mine.radius = job.radius_query[p];
    const auto visit = [&](int64_t first, int64_t last) {
      if (!LONG) {
        if (last - first <= LONG_RUN)
          mine.look(first, last);
        else
          tell_longest(job.state, last - first);
      } else if (last - first > LONG_RUN) {
        const int64_t begin = first + job.part * PART;
        mine.look_long(begin, smaller(begin + PART, last));
      }
    };
    const bool after = job.rule.within && !job.both_ways;
    const int64_t least = after ? p + 1 : 0;
    const uint64_t least_key = after ? job.grid.key[p] : 0;
    near_cells near[MOST_COLUMNS] = {{0, 1}, {0, 1}, {0, 1}};
    if (job.own_cell)
      near[0].first =
          (int64_t)(job.rule.within ? job.grid.key[p] : cell_key(job.grid.shape, mine.location));
    else
      find_near(job.grid.shape, mine.location, near);
    visit_cells(job.grid, near, least, least_key, visit);
    /* In one of the passes it finds itself, too, unless that is left out. */
    if (!LONG && job.both_ways && job.rule.exclude == 0) --mine.count;
    total += mine.count;
    if (job.sink.task == TASK_PER_POINT && mine.count) job.sink.number[mine.i] += mine.count;
  });
  add_count(job.state, total);
}

__global__ void __launch_bounds__(THREADS)
    gather(const double *from, const int32_t *row, int64_t n, double *to) {
  const int64_t p = this_item();
  if (p < n) to[p] = from[row[p]];
}

/* --- The search ------------------------------------------------------------------------------- */

typedef void (*grid_kernel)(grid_job job);

template <int COLUMNS> grid_kernel kernel_of(bool plain, bool for_long) {
  if (for_long) return plain ? look_around<COLUMNS, true, true> : look_around<COLUMNS, false, true>;
  return plain ? look_around<COLUMNS, true, false> : look_around<COLUMNS, false, false>;
}

/* Returns the kernel for the number of columns. */
grid_kernel kernel_for(const collide_rule &rule, bool for_long) {
  switch (rule.point.columns) {
  case 1:
    return kernel_of<1>(rule.plain(), for_long);
  case 2:
    return kernel_of<2>(rule.plain(), for_long);
  default:
    return kernel_of<3>(rule.plain(), for_long);
  }
}

class grid_search : public collide_search {
public:
  grid_search(const collide_problem &problem, collide_launches &launches)
      : problem_(problem), launches_(launches) {
    const collide_rule &rule = problem.rule;
    const int64_t n = problem.y.points.n;
    grid_.allocate(n, rule.point.columns);
    if (rule.radii) radius_.allocate(n * (int64_t)sizeof(double));
    launches.begin();
    grid_.build(problem.y.points, shape(), launches.stream());
    if (rule.radii)
      gather<<<blocks_for(n, THREADS), THREADS, 0, launches.stream()>>>(
          problem.y.radius, grid_.view().row, n, radius_.as<double>());
  }

  int64_t run(const collide_sink &sink) override {
    const collide_rule &rule = problem_.rule;
    grid_job job = {};
    job.grid = grid_.view();
    job.rule = rule;
    job.sink = sink;
    job.own_cell = problem_.algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE;
    job.both_ways = rule.within && sink.task == TASK_PER_POINT;
    job.count_only = sink.task == TASK_COUNT || sink.task == TASK_PER_POINT;
    job.numbers_only = job.count_only && rule.exclude == 0;
    if (rule.within) {
      for (int k = 0; k < rule.point.columns; ++k)
        job.query.at[k] = job.grid.at[k];
      job.query.n = job.grid.n;
    } else {
      job.query = problem_.x.points;
    }
    job.radius_grid = radius_.as<double>();
    job.radius_query = rule.within ? job.radius_grid : problem_.x.radius;
    job.items = divide_up(job.query.n, THREADS);
    collide_state state = run(job, false, 0.5);
    const int64_t longest = (int64_t)state.longest;
    if (longest > 0 && job.count_only) bound_all();
    job.bounds = bounds_;
    const int64_t parts = divide_up(longest, PART);
    for (job.part = 0; job.part < parts; ++job.part)
      state = run(job, true, 1 / (double)(parts - job.part));
    return (int64_t)state.count / (job.both_ways ? 2 : 1);
  }

private:
  collide_state run(grid_job job, bool for_long, double share) {
    const grid_kernel kernel = kernel_for(problem_.rule, for_long);
    int resident = 0;
    GG_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, 0));
    const int64_t blocks = smaller((int64_t)resident * problem_.multiprocessors, job.items);
    return launches_.run(job.items, !for_long, share, [&](collide_state *state) {
      job.state = state;
      kernel<<<(unsigned)blocks, THREADS, 0, launches_.stream()>>>(job);
    });
  }

  /* Cells of the radius; those of a lattice have room for one whole number only. */
  grid_shape shape() const {
    const gg_point_rule &point = problem_.rule.point;
    double length[MOST_COLUMNS];
    for (double &one : length)
      one = problem_.algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE ? point.scale / 2
                                                                      : problem_.rule.radius;
    return shape_grid(point.columns, problem_.bounds, length,
                      problem_.rule.periodic ? point.box : nullptr);
  }

  /* Computes the bounds of all blocks of positions, once. */
  void bound_all() {
    if (bounds_memory_.as()) return;
    const grid_view &grid = grid_.view();
    const int columns = problem_.rule.point.columns;
    int64_t blocks = 0;
    for (int64_t n = grid.n / 32; n > 0; n /= 32)
      blocks += n;
    bounds_memory_.allocate(blocks * (int64_t)sizeof(point_bounds));
    launches_.begin();
    point_bounds *next = bounds_memory_.as<point_bounds>();
    int64_t n = grid.n / 32;
    for (int level = 1; level <= LEVELS && n > 0; ++level, n /= 32) {
      if (level == 1) {
        const point_columns points = {{grid.at[0], grid.at[1], grid.at[2]}, grid.n};
        bound_points<<<blocks_for(n, THREADS), THREADS, 0, launches_.stream()>>>(points, columns, n,
                                                                                 next);
      } else {
        bound_blocks<<<blocks_for(n, THREADS), THREADS, 0, launches_.stream()>>>(
            bounds_.level[level - 1], columns, n, next);
      }
      bounds_.level[level] = next;
      next += n;
    }
  }

  const collide_problem problem_;
  collide_launches &launches_;
  grid grid_;
  device_memory radius_, bounds_memory_;
  block_bounds bounds_ = {};
};

} // namespace

std::unique_ptr<collide_search> search_grid(const collide_problem &problem,
                                            collide_launches &launches) {
  return std::unique_ptr<collide_search>(new grid_search(problem, launches));
}

} // namespace gpugeo
