/* The k best of all pairs offered so far, and how many share the smallest distance. */
#ifndef GG_CPU_CLOSEST_BEST_H
#define GG_CPU_CLOSEST_BEST_H

#include "points/closest_plan.h"

typedef struct gg_best {
  int64_t k, size;
  bool distinct;
  gg_closest_pair *pairs; /* a heap: none is before those it stands above; the last one first */
  gg_square smallest;     /* of all counted */
  int64_t ties;           /* pairs of that square */
  int64_t zeros;          /* pairs of square 0, counted or not */
} gg_best;

/* Starts an empty list; pairs has room for k. */
void gg_best_start(gg_best *best, int64_t k, bool distinct, gg_closest_pair *pairs);

/* True if there are k pairs. Then no pair with a square above pairs[0].square is among the best. */
static inline bool gg_best_full(const gg_best *best) { return best->size == best->k; }

/* Counts pairs of a square. Returns false if they need not be offered. */
bool gg_best_count(gg_best *best, gg_square square, int64_t count);

/* Takes a pair that has been counted. Returns false if it is not among the best so far. */
bool gg_best_take(gg_best *best, gg_square square, int64_t i, int64_t j);

/* Counts and takes the pair of two rows; within x in either order. */
static inline void gg_best_offer(gg_best *best, gg_square square, int64_t i, int64_t j,
                                 bool within) {
  if (!gg_best_count(best, square, 1)) return;
  if (within && j < i)
    (void)gg_best_take(best, square, j, i);
  else
    (void)gg_best_take(best, square, i, j);
}

/* Rows, in ascending order, of points that coincide. */
typedef struct gg_best_rows {
  const int32_t *row;
  int64_t count;
} gg_best_rows;

/* Counts and takes all pairs of one row of a and one of b. Within x, a and b are different
   locations, or the same one: then its rows with each other. The time is proportional to the pairs
   that are taken. */
void gg_best_offer_locations(gg_best *best, gg_square square, gg_best_rows a, gg_best_rows b,
                             bool within);

/* Adds the pairs and counts of another list. */
void gg_best_join(gg_best *best, const gg_best *other);

/* Sorts the pairs; no pair can be taken after that. */
void gg_best_finish(gg_best *best);

#endif
