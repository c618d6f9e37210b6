/*
 * Comparison of trees by their clades (Day 1985, J. Classif. 2, 7). Tips are numbered in the order
 * of the first tree, so that each of its clades is an interval. A set of tips of another tree is a
 * clade of the first one if it is an interval, which its lowest and highest number and its size
 * tell, and if this interval is one of the list. A bipartition is the part without the first tip,
 * which is an interval as well. Nothing is hashed. O(n log n) for a tree of n tips.
 */
#include "trees/split_counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* No tips. */
static const gg_span none = {INT32_MAX, -1, 0};

/* Adds the tips of a span to those of another one. */
static void join_span(gg_span *to, gg_span more) {
  if (more.low < to->low) to->low = more.low;
  if (more.high > to->high) to->high = more.high;
  to->size += more.size;
}

/* Lists the nodes from the first tip to the root, and marks them. Returns their number. */
static int64_t mark_path(gg_split_counts *s) {
  int64_t length = 0;
  memset(s->on_path, 0, (size_t)(s->tips + s->nodes) * sizeof *s->on_path);
  for (int32_t node = s->first;; node = s->above[node]) {
    s->on_path[node] = true;
    s->path[length++] = node;
    if (node == s->tips) return length;
  }
}

/* Replaces the spans of the nodes on the path, which have what is below them but not below the next
   node of the path, by the tips that are not below them. */
static void turn_path(gg_split_counts *s, int64_t length) {
  gg_span outside = none;
  for (int64_t k = length - 1; k > 0; --k) {
    const gg_span side = s->span[s->path[k]];
    s->span[s->path[k]] = outside;
    join_span(&outside, side);
  }
}

/* Finds the spans of all nodes of a tree. */
static void find_spans(gg_split_counts *s, int64_t edges, const int32_t *edge) {
  for (int64_t k = 0; k < s->tips + s->nodes; ++k)
    s->span[k] = k < s->tips ? (gg_span){s->number[k], s->number[k], 1} : none;
  for (int64_t e = 0; e < edges; ++e)
    s->above[edge[e + edges]] = edge[e];
  const int64_t length = s->rooted ? 0 : mark_path(s);
  for (int64_t e = edges - 1; e >= 0; --e) {
    const int32_t below = edge[e + edges];
    if (s->rooted || !s->on_path[below]) join_span(&s->span[edge[e]], s->span[below]);
  }
  turn_path(s, length);
}

/* True if a span is an interval and a split: each part of a bipartition has two tips. */
static bool is_split(const gg_split_counts *s, gg_span span) {
  return span.size > 1 && span.high - span.low + 1 == span.size &&
         (s->rooted || span.size < s->tips - 1);
}

/* Returns the key of an interval. */
static uint64_t key_of(gg_span span) { return (uint64_t)span.low << 32 | (uint32_t)span.high; }

/* Compares keys. */
static int compare_keys(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

/* Returns the split of a span, or -1. */
static int32_t find_split(const gg_split_counts *s, gg_span span) {
  const uint64_t key = key_of(span);
  const uint64_t *found =
      is_split(s, span) ? bsearch(&key, s->keys, (size_t)s->splits, sizeof *s->keys, compare_keys)
                        : NULL;
  return found ? (int32_t)(found - s->keys) : -1;
}

/* Numbers the tips in the order of a tree. */
static void number_tips(gg_split_counts *s, int64_t edges, const int32_t *edge) {
  int32_t next = 0;
  for (int64_t e = 0; e < edges; ++e) {
    const int32_t below = edge[e + edges];
    if (below >= s->tips) continue;
    if (next == 0) s->first = below;
    s->number[below] = next++;
  }
}

/* Lists the splits of the spans, each once. */
static void list_splits(gg_split_counts *s) {
  int64_t count = 0;
  for (int64_t k = s->tips; k < s->tips + s->nodes; ++k)
    if (is_split(s, s->span[k])) s->keys[count++] = key_of(s->span[k]);
  qsort(s->keys, (size_t)count, sizeof *s->keys, compare_keys);
  for (int64_t k = 0; k < count; ++k)
    if (k == 0 || s->keys[k] != s->keys[k - 1]) s->keys[s->splits++] = s->keys[k];
  for (int64_t k = 0; k < s->nodes; ++k) {
    s->split_of[k] = find_split(s, s->span[s->tips + k]);
    s->times[k] = 0;
    s->seen[k] = -1;
  }
}

gpugeo_status gg_split_counts_make(gg_split_counts *s, int64_t tips, int64_t edges, bool rooted,
                                   const int32_t *edge, gg_call *call) {
  *s = (gg_split_counts){.tips = tips, .nodes = edges + 1 - tips, .rooted = rooted};
  const int64_t all = tips + s->nodes;
  s->number = gg_call_allocate(call, tips, sizeof *s->number);
  s->span = gg_call_allocate(call, all, sizeof *s->span);
  s->above = gg_call_allocate(call, all, sizeof *s->above);
  s->path = gg_call_allocate(call, all, sizeof *s->path);
  s->on_path = gg_call_allocate(call, all, sizeof *s->on_path);
  s->keys = gg_call_allocate(call, s->nodes, sizeof *s->keys);
  s->split_of = gg_call_allocate(call, s->nodes, sizeof *s->split_of);
  s->times = gg_call_allocate(call, s->nodes, sizeof *s->times);
  s->seen = gg_call_allocate(call, s->nodes, sizeof *s->seen);
  if (call->status) return call->status;
  number_tips(s, edges, edge);
  find_spans(s, edges, edge);
  list_splits(s);
  return GPUGEO_OK;
}

void gg_split_counts_free(gg_split_counts *s) {
  gg_free(s->number);
  gg_free(s->span);
  gg_free(s->above);
  gg_free(s->path);
  gg_free(s->on_path);
  gg_free(s->keys);
  gg_free(s->split_of);
  gg_free(s->times);
  gg_free(s->seen);
}

void gg_split_counts_add(gg_split_counts *s, int64_t edges, const int32_t *edge) {
  find_spans(s, edges, edge);
  for (int64_t k = s->tips; k < s->tips + s->nodes; ++k) {
    const int32_t split = find_split(s, s->span[k]);
    if (split < 0 || s->seen[split] == s->trees) continue;
    s->seen[split] = s->trees;
    ++s->times[split];
  }
  ++s->trees;
}

void gg_split_counts_write(const gg_split_counts *s, int32_t *support) {
  for (int64_t k = 0; k < s->nodes; ++k)
    support[k] = s->split_of[k] < 0 ? -1 : s->times[s->split_of[k]];
}
