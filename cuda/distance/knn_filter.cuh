/*
 * Ruling out pairs of points that cannot be neighbours, by products in half precision.
 *
 * Points are centred, scaled by a power of two and rounded to half precision: point x becomes h(x),
 * at most r(x) from x. The tensor cores multiply h(x) by h(y) with a known error, and a pair is
 * left out if it cannot be a neighbour for any rounding errors within these bounds:
 *
 *   |h(x) - h(y)| <= |x - y| + r(x) + r(y)      steps euclidean and seuclidean
 *   h(x) h(y) >= x y - |h(x)| r(y) - r(x) |h(y)| - r(x) r(y)      step product
 *
 * All other pairs survive and are computed in double. If a query has more survivors than there is
 * room for, it is called lost: its neighbours are found without the filter.
 */
#ifndef GG_CUDA_KNN_FILTER_CUH
#define GG_CUDA_KNN_FILTER_CUH

#include "cuda/distance/half_mma.cuh"
#include "cuda/distance/neighbors.cuh"

namespace gpugeo {

/* The bounds of a rounded point h: its error r and its length |h|, not too small, and base: half
   of |h|^2 - r^2 (0 for products), not too large. */
struct alignas(16) half_bound {
  float base, error, length, unused;
};

constexpr int FILTER_TILE = 128; /* points */

/* Rows of coordinates, as many as the products take at a time and zeros beyond the last. */
struct half_points {
  __half *row;
  half_bound *bound;
};

/* The bound for a query's candidates: a pair is left out if its product is less than least +
   base - reach * error - spread * length, by the candidate's bound. */
struct query_bound {
  float least, reach, spread;
};
__device__ constexpr query_bound LOST = {INFINITY, 0, 0};

/* Error of a sum of squares or products in double, for each coordinate. */
constexpr double STEP_ERROR = 0x1p-52;

/* For the queries of a turn: the number of survivors of each, and their positions. Those beyond
   `room` are not listed. */
struct survivor_lists {
  int32_t *count, *position;
  int64_t room;
};

/* The parameters that turn a distance into a bound. */
struct filter_scale {
  double scale;       /* from coordinates to halves */
  int64_t m, columns; /* coordinates of a point, and of a row */
  bool product;
  bool squared; /* distances are squares */

  /* Returns the bound of a query whose neighbours are at most at this distance, computed in
     double by the step; LOST if there is none. */
  __device__ __forceinline__ query_bound of(const half_bound &query, double distance) const {
    const double slack = 1 + STEP_ERROR * (double)(m + 16), most = 0x1p60;
    const double spread = PRODUCT_ERROR * (double)columns * query.length;
    if (product) {
      const double least = scale * scale * (1 - distance - (slack - 1));
      if (!(fabs(least) < most)) return LOST;
      return {__double2float_rd(least), __double2float_ru((double)query.length + query.error),
              __double2float_ru(spread + query.error)};
    }
    /* Squares below the smallest double vanish from the step's sum. */
    const double root = (squared ? sqrt(distance) : distance) * slack + 0x1p-536 * sqrt((double)m);
    const double reach = root * scale * slack + query.error;
    if (!(reach < most)) return LOST;
    const double up = __double2float_ru(reach), error = query.error;
    const double square = 2.0 * query.base + error * error, reached = up * up;
    return {__double2float_rd((square - reached) / 2 - STEP_ERROR * (fabs(square) + reached)),
            (float)up, __double2float_ru(spread)};
  }
};

/* Queries [first, end) in a turn of the filter. */
struct filter_turn {
  int64_t first, end;
  survivor_lists found;
  query_bound *bound;         /* of each, and LOST for more up to a whole tile */
  half_bound *rounded;        /* of each */
  int32_t *lost, *lost_count; /* queries that are lost to the filter, in any order, and how many */
};

/* The caller's requirements for the filter. */
struct filter_wish {
  int64_t room;       /* for survivors of a query */
  int64_t sample;     /* candidates that it looks through itself, or 0 */
  int64_t queries;    /* of a turn, at most */
  double query_bytes; /* of device memory that it takes for each of them */
  bool wanted;        /* false: the filter is not to be used */
};

class neighbor_filter {
public:
  /* Decides whether the filter is used: for a step with bounds, a device with tensor cores, at
     least PAIRS_LEAST pairs, and memory. If so, rounds all points. */
  neighbor_filter(const gg_dist_plan &plan, neighbor_blocks &blocks, const filter_wish &wish);

  /* True if the filter is used. If not, no function below may be called. */
  bool usable() const { return usable_; }

  /* Returns the largest number of queries of a turn. */
  int64_t queries() const { return queries_; }

  /* Returns the sample of candidates, and the order in which the filter takes all. */
  candidate_set sample() const { return {sample_.view(), sample_points_, order_}; }
  point_order order() const { return order_; }

  /* Returns the points of the last pass. */
  exact_points survivors() const;

  filter_scale scale() const { return scale_; }

  /* Begins a turn. If the points are in panels, the turn's queries must be there, and stay until
     lost(). */
  filter_turn begin(int64_t first, int64_t end);

  /* Returns the end of a block of about so many candidates from position `begin`, which bounds
     the delay of an interrupt. */
  int64_t block_end(const filter_turn &turn, int64_t begin, int64_t wanted) const;

  /* Enqueues adding the survivors of the candidates at positions [begin, end) to the turn's. */
  void pass(const filter_turn &turn, int64_t begin, int64_t end);

  /* Return how many queries the turn has lost, after waiting for all enqueued work, and `count`
     of them from number `at` on, at most as many as a block of distances takes. */
  int64_t count_lost(const filter_turn &turn) const;
  query_set lost(const filter_turn &turn, int64_t at, int64_t count);

private:
  struct half_store {
    device_memory row, bound;
    int64_t columns;
    void allocate(int64_t rows, int64_t columns, cudaStream_t stream);
    /* Returns the view in which the first row has this number. */
    half_points view(int64_t first = 0) const {
      return {row.as<__half>() - first * columns, bound.as<half_bound>() - first};
    }
  };

  bool divide();
  void choose_order();
  void allocate();
  void gather(const points &from, const int32_t *index, int64_t count, const point_store &to);
  bool find_scale();
  half_points asking(int64_t first) const;
  void find_largest_of(const points &x, int64_t n);
  void round(const points &x, const point_order &order, const half_store &to);
  void round_points();

  const gg_dist_plan &plan_;
  neighbor_blocks &blocks_;
  bool usable_ = false;
  const filter_wish wish_;
  const int64_t sample_points_; /* whole tiles */
  int64_t queries_ = 0;
  point_order order_ = {1, 1};
  int64_t inverse_ = 1; /* point i stands at position i * inverse_ % n */
  filter_scale scale_ = {};
  point_store sample_, lost_points_;
  half_store candidates_, asking_;
  device_memory centre_, largest_, count_, position_, bound_, lost_;
};

} // namespace gpugeo

#endif
