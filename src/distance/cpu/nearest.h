/* The k nearest of a sequence of neighbours, as a heap with the furthest on top. */
#ifndef GG_CPU_NEAREST_H
#define GG_CPU_NEAREST_H

#include "distance/knn.h"

/* Sifts the element at `at` of a heap down. */
static inline void gg_nearest_sink(gg_neighbor *heap, int64_t count, int64_t at) {
  const gg_neighbor moved = heap[at];
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && gg_neighbor_before(heap[child], heap[child + 1])) ++child;
    if (!gg_neighbor_before(moved, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

/* Offers a neighbour to a list with room for k that holds `count`, a heap once it is full.
   Returns how many the list then holds. */
static inline int64_t gg_nearest_offer(gg_neighbor *list, int64_t k, int64_t count,
                                       gg_neighbor offered) {
  if (count == k) {
    if (gg_neighbor_before(offered, list[0])) {
      list[0] = offered;
      gg_nearest_sink(list, k, 0);
    }
    return k;
  }
  list[count++] = offered;
  for (int64_t at = k / 2; count == k && at-- > 0;)
    gg_nearest_sink(list, k, at);
  return count;
}

/* Sorts a heap, the nearest first. */
static inline void gg_nearest_sort(gg_neighbor *heap, int64_t count) {
  while (count-- > 1) {
    const gg_neighbor furthest = heap[0];
    heap[0] = heap[count];
    heap[count] = furthest;
    gg_nearest_sink(heap, count, 0);
  }
}

#endif
