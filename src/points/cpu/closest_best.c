/* The k best pairs in a heap whose root is the last one: a pair takes O(log k), and one that is not
   among the best takes one comparison. */
#include "points/cpu/closest_best.h"

#include <stdlib.h>

void gg_best_start(gg_best *best, int64_t k, bool distinct, gg_closest_pair *pairs) {
  *best = (gg_best){.k = k, .distinct = distinct, .pairs = pairs};
}

bool gg_best_count(gg_best *best, gg_square square, int64_t count) {
  if (gg_square_zero(square)) {
    best->zeros += count;
    if (best->distinct) return false;
  }
  if (best->ties == 0 || gg_square_less(square, best->smallest)) {
    best->smallest = square;
    best->ties = count;
  } else if (gg_square_equal(square, best->smallest)) {
    best->ties += count;
  }
  return true;
}

/* Puts a pair into the heap from position `at` upwards. */
static void move_up(gg_best *best, int64_t at, gg_closest_pair pair) {
  for (int64_t above; at > 0; at = above) {
    above = (at - 1) / 2;
    if (!gg_closest_before(&best->pairs[above], &pair)) break;
    best->pairs[at] = best->pairs[above];
  }
  best->pairs[at] = pair;
}

/* Puts a pair into the heap from its root downwards. */
static void move_down(gg_best *best, gg_closest_pair pair) {
  int64_t at = 0;
  for (int64_t below; (below = 2 * at + 1) < best->size; at = below) {
    if (below + 1 < best->size && gg_closest_before(&best->pairs[below], &best->pairs[below + 1]))
      ++below;
    if (!gg_closest_before(&pair, &best->pairs[below])) break;
    best->pairs[at] = best->pairs[below];
  }
  best->pairs[at] = pair;
}

bool gg_best_take(gg_best *best, gg_square square, int64_t i, int64_t j) {
  const gg_closest_pair pair = {square, i, j};
  if (best->size < best->k) {
    move_up(best, best->size++, pair);
    return true;
  }
  if (!gg_closest_before(&pair, &best->pairs[0])) return false;
  move_down(best, pair);
  return true;
}

/* Takes pairs of row i with the rows of b from the `from`-th on. Returns false if one was not
   taken: later ones would not be taken either, as they come after it in the order of results. */
static bool take_row(gg_best *best, gg_square square, int64_t i, gg_best_rows b, int64_t from) {
  for (int64_t q = from; q < b.count; ++q)
    if (!gg_best_take(best, square, i, b.row[q])) return false;
  return true;
}

/* Offers the pairs of two lists of rows, until they are no longer good enough. */
static void take_between_sets(gg_best *best, gg_square square, gg_best_rows a, gg_best_rows b) {
  for (int64_t p = 0; p < a.count; ++p)
    if (!take_row(best, square, a.row[p], b, 0)) return;
}

/* Offers the pairs of rows at one location, until they are no longer good enough. */
static void take_one_location(gg_best *best, gg_square square, gg_best_rows a) {
  for (int64_t p = 0; p + 1 < a.count; ++p)
    if (!take_row(best, square, a.row[p], a, p + 1)) return;
}

/* Takes pairs of two locations. The smaller row of a pair may be of either location, so both are
   visited together in ascending order. */
static void take_two_locations(gg_best *best, gg_square square, gg_best_rows a, gg_best_rows b) {
  int64_t p = 0, q = 0;
  while (p < a.count && q < b.count) {
    const bool from_a = a.row[p] < b.row[q];
    if (!(from_a ? take_row(best, square, a.row[p], b, q) : take_row(best, square, b.row[q], a, p)))
      return;
    if (from_a)
      ++p;
    else
      ++q;
  }
}

void gg_best_offer_locations(gg_best *best, gg_square square, gg_best_rows a, gg_best_rows b,
                             bool within) {
  const bool same = within && a.row == b.row;
  const int64_t count = same ? a.count * (a.count - 1) / 2 : a.count * b.count;
  if (count == 0 || !gg_best_count(best, square, count)) return;
  if (!within)
    take_between_sets(best, square, a, b);
  else if (same)
    take_one_location(best, square, a);
  else
    take_two_locations(best, square, a, b);
}

void gg_best_join(gg_best *best, const gg_best *other) {
  if (other->ties > 0) {
    const int64_t zeros = best->zeros;
    (void)gg_best_count(best, other->smallest, other->ties);
    best->zeros = zeros;
  }
  best->zeros += other->zeros;
  for (int64_t p = 0; p < other->size; ++p)
    (void)gg_best_take(best, other->pairs[p].square, other->pairs[p].i, other->pairs[p].j);
}

/* Compares pairs for qsort(). */
static int in_order(const void *a, const void *b) {
  return gg_closest_before(a, b) ? -1 : gg_closest_before(b, a) ? 1 : 0;
}

void gg_best_finish(gg_best *best) {
  qsort(best->pairs, (size_t)best->size, sizeof *best->pairs, in_order);
}
