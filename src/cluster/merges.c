/* From the merges of a backend to a dendrogram: their order, the numbers of clusters, and the order
   of the points. */
#include <stdlib.h>

#include "cluster/merges.h"
#include "common/error.h"
#include "common/memory.h"

/* --- The order of merges ---------------------------------------------------------------------- */

/* True if merge a comes before b. */
static bool is_before(const gg_merge *a, const gg_merge *b) {
  if (a->height != b->height) return a->height < b->height;
  return a->low != b->low ? a->low < b->low : a->high < b->high;
}

/* Compares merges for qsort(), by is_before(). */
static int compare(const void *a, const void *b) {
  return is_before(a, b) ? -1 : is_before(b, a) ? 1 : 0;
}

/* Merges that wait for those of which they consist, and a heap of those that do not. */
typedef struct sorter {
  const gg_merge *merges;
  int32_t *parent;  /* of each merge the one that consists of it; -1: none */
  int32_t *waiting; /* for so many merges */
  int32_t *last;    /* of each point the last merge that has it as its lowest member */
  int32_t *heap;
  int64_t count; /* in the heap */
} sorter;

/* Swaps two numbers. */
static void swap(int32_t *a, int32_t *b) {
  const int32_t kept = *a;
  *a = *b;
  *b = kept;
}

/* True if the merge at position a of the heap is before that at b. */
static bool heap_is_before(const sorter *s, int64_t a, int64_t b) {
  return is_before(&s->merges[s->heap[a]], &s->merges[s->heap[b]]);
}

/* Adds a merge to the heap. */
static void push(sorter *s, int32_t merge) {
  int64_t at = s->count++;
  s->heap[at] = merge;
  for (; at > 0 && heap_is_before(s, at, (at - 1) / 2); at = (at - 1) / 2)
    swap(&s->heap[at], &s->heap[(at - 1) / 2]);
}

/* Removes the first merge from the heap and returns it. */
static int32_t pop(sorter *s) {
  const int32_t first = s->heap[0];
  s->heap[0] = s->heap[--s->count];
  for (int64_t at = 0, child; (child = 2 * at + 1) < s->count; at = child) {
    if (child + 1 < s->count && heap_is_before(s, child + 1, child)) ++child;
    if (!heap_is_before(s, child, at)) break;
    swap(&s->heap[at], &s->heap[child]);
  }
  return first;
}

/* Notes that merge k consists of the last one that has the point as its lowest member. */
static void link_child(sorter *s, int32_t point, int32_t k) {
  const int32_t child = s->last[point];
  if (child < 0) return;
  s->parent[child] = k;
  ++s->waiting[k];
}

/* Sorts the merges by height, no merge before those it depends on. Returns false if the call must
   stop. */
static bool sort_by_height(sorter *s, int64_t n, gg_merge *sorted, gg_clock *clock) {
  for (int64_t i = 0; i < n; ++i)
    s->parent[i] = s->last[i] = -1;
  for (int32_t k = 0; k < n - 1; ++k) {
    if (gg_clock_poll_loop(clock, k)) return false;
    link_child(s, s->merges[k].low, k);
    link_child(s, s->merges[k].high, k);
    s->last[s->merges[k].low] = k;
  }
  for (int32_t k = 0; k < n - 1; ++k)
    if (s->waiting[k] == 0) push(s, k);
  for (int64_t at = 0; s->count > 0; ++at) {
    if (gg_clock_poll_loop(clock, at)) return false;
    const int32_t k = pop(s), parent = s->parent[k];
    sorted[at] = s->merges[k];
    if (parent >= 0 && --s->waiting[parent] == 0) push(s, parent);
  }
  return true;
}

/* True if no merge is before its predecessor by is_before(). */
static bool are_sorted(const gg_merge *merges, int64_t count) {
  for (int64_t k = 1; k < count; ++k)
    if (is_before(&merges[k], &merges[k - 1])) return false;
  return true;
}

gpugeo_status gg_merges_sort(gg_merge *merges, int64_t n, gpugeo_linkage linkage, gg_call *call) {
  if (call->status) return call->status;
  if (linkage == GPUGEO_LINKAGE_SINGLE && !are_sorted(merges, n - 1))
    qsort(merges, (size_t)(n - 1), sizeof *merges, compare);
  if (linkage == GPUGEO_LINKAGE_SINGLE || !gg_linkage_is_reducible(linkage)) return GPUGEO_OK;
  int32_t *room = gg_allocate_zeros(4 * n, sizeof *room);
  gg_merge *sorted = gg_allocate(n, sizeof *sorted);
  if (room && sorted) {
    sorter s = {merges, room, room + n, room + 2 * n, room + 3 * n, 0};
    if (!sort_by_height(&s, n, sorted, call->clock)) GG_TRY(call, gg_fail_interrupt(call->error));
    for (int64_t k = 0; !call->status && k < n - 1; ++k)
      merges[k] = sorted[k];
  } else {
    GG_TRY(call, gg_fail_memory(call->error, n * (int64_t)(4 * sizeof *room + sizeof *sorted)));
  }
  gg_free(room);
  gg_free(sorted);
  return call->status;
}

/* --- Numbers and order ------------------------------------------------------------------------ */

/* Returns the root of a point's tree, and halves the path to it. */
static int32_t find_root(int32_t *above, int32_t point) {
  while (above[point] != point)
    point = above[point] = above[above[point]];
  return point;
}

/* Writes the order of the points. stack has room for all of them. Returns false if the call must
   stop. */
static bool write_order(const int32_t *merge, int64_t n, int32_t *order, int32_t *stack,
                        gg_clock *clock) {
  int64_t depth = 0, at = 0;
  stack[depth++] = (int32_t)(2 * n - 2);
  for (int64_t step = 0; depth > 0; ++step) {
    if (gg_clock_poll_loop(clock, step)) return false;
    const int32_t cluster = stack[--depth];
    if (cluster < n) {
      order[at++] = cluster;
    } else {
      stack[depth++] = merge[cluster - n + n - 1];
      stack[depth++] = merge[cluster - n];
    }
  }
  return true;
}

/* Numbers clusters. above and cluster have room for all points. Returns false if the call must
   stop. */
static bool number_clusters(const gg_merge *merges, int64_t n, int32_t *merge, int32_t *above,
                            int32_t *cluster, gg_clock *clock) {
  for (int64_t i = 0; i < n; ++i)
    above[i] = cluster[i] = (int32_t)i;
  for (int64_t k = 0; k < n - 1; ++k) {
    if (gg_clock_poll_loop(clock, k)) return false;
    const int32_t a = find_root(above, merges[k].low), b = find_root(above, merges[k].high);
    const int32_t first = cluster[a], second = cluster[b];
    merge[k] = first < second ? first : second;
    merge[k + n - 1] = first < second ? second : first;
    above[b] = a;
    cluster[a] = (int32_t)(n + k);
  }
  return true;
}

gpugeo_status gg_merges_number(const gg_merge *merges, int64_t n, int32_t *merge, int32_t *order,
                               gg_call *call) {
  if (call->status) return call->status;
  int32_t *room = gg_call_allocate(call, 2 * n, sizeof *room);
  if (!room) return call->status;
  const bool done = number_clusters(merges, n, merge, room, room + n, call->clock) &&
                    write_order(merge, n, order, room, call->clock);
  gg_free(room);
  return gg_call_require(call, done);
}

/* --- Merges that are given -------------------------------------------------------------------- */

gpugeo_status gg_merges_check(const int32_t *merge, int64_t n, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  bool *used = gg_allocate_zeros(2 * n, sizeof *used);
  if (!used) return gg_fail_memory(error, 2 * n * (int64_t)sizeof *used);
  for (int64_t k = 0; !status && k < n - 1; ++k)
    for (int side = 0; !status && side < 2; ++side) {
      const int32_t cluster = merge[k + side * (n - 1)];
      if (cluster < 0 || cluster >= n + k || used[cluster])
        status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, "merge",
                         "merge must have each point and each earlier merge once, but row %lld "
                         "does not",
                         (long long)k + 1);
      else
        used[cluster] = true;
    }
  gg_free(used);
  return status;
}

void gg_merges_lay_out(const int32_t *merge, int64_t n, int32_t *size, int32_t *start) {
  for (int64_t i = 0; i < n; ++i)
    size[i] = 1;
  for (int64_t k = 0; k < n - 1; ++k)
    size[n + k] = size[merge[k]] + size[merge[k + n - 1]];
  start[2 * n - 2] = 0;
  for (int64_t k = n - 2; k >= 0; --k) {
    start[merge[k]] = start[n + k];
    start[merge[k + n - 1]] = start[n + k] + size[merge[k]];
  }
}
