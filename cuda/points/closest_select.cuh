/*
 * Which of very many pairs are the k closest: what a search does with each pair that it tests.
 *
 * Searches are repeated until the pairs fit. With a good bound, one search collects the remaining
 * pairs. If ties make too many, histograms of their squares, and then of their rows, lower the
 * bound to the k-th pair.
 */
#ifndef GG_CUDA_CLOSEST_SELECT_CUH
#define GG_CUDA_CLOSEST_SELECT_CUH

#include "cuda/points/closest_candidate.cuh"
#include "cuda/points/point_set.cuh"

namespace gpugeo {

__host__ __device__ __forceinline__ square_word square_word_of(gg_point_kind kind, gg_square s) {
  if (kind != GG_POINT_INTEGER || (s.high == 0 && s.low < WIDE_SQUARE)) return s.low;
  return WIDE_SQUARE | s.high << 61 | s.low >> 3;
}

/* Returns an upper bound of the squared length, in the units of locations, of all squares up to
   this word. */
__device__ __forceinline__ double square_limit(gg_point_kind kind, square_word word) {
  if (kind == GG_POINT_INTEGER)
    return word < WIDE_SQUARE ? (double)word : 8 * ((double)(word - WIDE_SQUARE) + 1);
  const double most = (double)INFINITY;
  const square_word infinite = (square_word)__double_as_longlong(most);
  const double square = word < infinite ? __longlong_as_double((long long)word) : most;
  return kind == GG_POINT_SPHERE ? 4 * square : square;
}

enum select_mode {
  SELECT_LEAST,   /* lower the bound to the least square */
  SELECT_COLLECT, /* write down all pairs up to the bound */
  SELECT_SQUARES, /* count them by their squares */
  SELECT_ROWS,    /* count those at the bound by their rows */
  SELECT_WEIGH    /* count the row pairs that have the square of the bound */
};

enum { SELECT_BINS = 4096 };

/* In device memory. */
struct select_state {
  square_word bound; /* pairs above don't count; SELECT_COLLECT may lower it */
  square_word least; /* met by SELECT_COLLECT */
  square_word count; /* of pairs collected, also those there was no room for; or weighed */
  square_word bins[SELECT_BINS];
};

struct selection {
  gg_point_rule rule;
  int64_t nx;
  bool within, distinct;
  double slack, spread;  /* absolute error of lengths between locations, and 1 + the relative one */
  const int32_t *weight; /* points at the location of each row, or NULL: 1 */
  select_state *state;
  select_mode mode;
  bool shrink;           /* only the least square is wanted */
  square_word low, high; /* of what is counted in bins; SELECT_COLLECT: most rows at the bound */
  int shift;
  closest_candidate *found;
  int64_t room;

  __device__ __forceinline__ square_word bound() const {
    return *static_cast<volatile square_word *>(&state->bound);
  }

  /* Returns an upper bound of the length between two points whose square is at most that of this
     word. */
  __device__ __forceinline__ double reach(square_word word) const {
    return sqrt(square_limit(rule.kind, word)) * spread + slack;
  }

  /* True if it is a pair of the wanted sets. */
  __device__ __forceinline__ bool wanted(int32_t row, int32_t other) const {
    return within || (row < nx) != (other < nx);
  }

  /* Takes a pair of points with square `word`, at most the bound. */
  __device__ void take_pair(square_word word, int32_t row, int32_t other) const {
    if (distinct && word == 0) return;
    const int32_t i = row < other ? row : other, j = row < other ? other : row;
    const square_word rows = (square_word)i << 32 | (square_word)j;
    switch (mode) {
    case SELECT_LEAST:
      if (word < bound()) atomicMin(&state->bound, word);
      return;
    case SELECT_COLLECT:
      if (!shrink && word == state->bound && rows > high) return;
      if (shrink && word < bound()) atomicMin(&state->bound, word);
      if (word < *static_cast<volatile square_word *>(&state->least))
        atomicMin(&state->least, word);
      {
        const square_word slot = atomicAdd(&state->count, 1ull);
        if (slot < (square_word)room) found[slot] = {word, i, j, weighed(i, j)};
      }
      return;
    case SELECT_SQUARES:
      if (word >= low && word <= high) atomicAdd(&state->bins[(word - low) >> shift], 1ull);
      return;
    case SELECT_ROWS:
      if (word == state->bound && rows >= low && rows <= high)
        atomicAdd(&state->bins[(rows - low) >> shift], 1ull);
      return;
    case SELECT_WEIGH:
      if (word == state->bound) atomicAdd(&state->count, weighed(i, j));
      return;
    }
  }

private:
  __device__ square_word weighed(int32_t i, int32_t j) const {
    return weight ? (square_word)weight[i] * (square_word)weight[j] : 1;
  }
};

/* A point that is tested with others. PLAIN: squares are those of doubles without a box. */
template <bool PLAIN> class pair_tester {
public:
  double point[MOST_COLUMNS];
  int32_t row;
  square_word bound;

  __device__ __forceinline__ pair_tester(const selection &to,
                                         const double *const (&at)[MOST_COLUMNS],
                                         const int32_t *rows, int64_t p)
      : row(rows[p]), bound(to.bound()), to_(to), at_(at), rows_(rows) {
    load_point(at, p, point);
  }

  /* Tests the point at another position. */
  __device__ __forceinline__ void test(int64_t q) {
    double other[MOST_COLUMNS];
    load_point(at_, q, other);
    const square_word word = square(other);
    if (word > bound) return;
    const int32_t other_row = rows_[q];
    if (to_.wanted(row, other_row)) to_.take_pair(word, row, other_row);
  }

private:
  __device__ __forceinline__ square_word square(const double *other) const {
    if (PLAIN) {
      /* gg_point_square_double(); columns that are not there add 0 */
      double sum = 0;
#pragma unroll
      for (int k = 0; k < MOST_COLUMNS; ++k) {
        const double d = fabs(point[k] - other[k]);
        sum = fma(d, d, sum);
      }
      return (square_word)__double_as_longlong(sum);
    }
    gg_point_rule rule = to_.rule;
    rule.columns = MOST_COLUMNS; /* likewise, so that loops have a known end */
    return square_word_of(rule.kind, gg_point_square(&rule, point, other));
  }

  const selection &to_;
  const double *const (&at_)[MOST_COLUMNS];
  const int32_t *rows_;
};

} // namespace gpugeo

#endif
