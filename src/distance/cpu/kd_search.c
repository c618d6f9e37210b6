/*
 * The kernels of searches in k-d trees, compiled once for each instruction set, see lanes.h.
 *
 * Lanes are the eight boxes of a node's children, the queries of a group, or the points of a leaf.
 * All sums are those of the steps, see sum_limit.h.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <math.h>
#include <stdbool.h>

typedef double real;

#include "common/vector.h"
#include "distance/cpu/kd_search.h"
#include "distance/power.h"

#include "distance/metric_step.h" /* after what it uses */

#if defined(__GNUC__)
#define KD_INLINE static inline __attribute__((always_inline)) GG_TARGET
#else
#define KD_INLINE static inline
#endif

enum { VECTORS = GG_KD_LEAF / GG_LANES, HALVES = GG_KD_NODES / GG_LANES };

KD_INLINE void take_step(gg_step step, V a, V b, V w, const step_run *run, V *s) {
  switch (step) {
  case GG_STEP_euclidean:
    euclidean_step(a, b, w, run, s);
    break;
  case GG_STEP_seuclidean:
    seuclidean_step(a, b, w, run, s);
    break;
  case GG_STEP_manhattan:
    manhattan_step(a, b, w, run, s);
    break;
  case GG_STEP_maximum:
    maximum_step(a, b, w, run, s);
    break;
  case GG_STEP_halves:
    halves_step(a, b, w, run, s);
    break;
  default:
    power_step(a, b, w, run, s);
  }
}

KD_INLINE V take_finish(gg_step step, V s, const step_run *run) {
  switch (step) {
  case GG_STEP_euclidean:
  case GG_STEP_seuclidean:
    return euclidean_root(s, run);
  case GG_STEP_manhattan:
  case GG_STEP_maximum:
    return s;
  default:
    return power_root(s, run);
  }
}

/* A search of one group. */
typedef struct walk {
  gg_kd_group *group;
  step_run run;
  int64_t m;
  /* Of all queries: the largest limit, and the furthest neighbour with the largest index. */
  double limit, furthest;
  int32_t furthest_index;
} walk;

/* A node to go to. */
typedef struct visit {
  double sum; /* of its box */
  int32_t least;
  int32_t level;
  int64_t node;
} visit;

/* Returns the sum from which on points may be as far as the furthest neighbour, or further. */
KD_INLINE double tie_sum(gg_sum_finish finish, double limit, double furthest) {
  if (gg_sum_keeps_order(finish)) return limit * (1 - 0x1p-48);
  return furthest == 0 ? 0 : INFINITY;
}

/* True if points with at least this sum, which is no less than tie_sum(), are no nearer than the
   furthest neighbour. */
KD_INLINE bool is_as_far(gg_step step, const walk *walk, double sum, double furthest) {
  if (!gg_sum_keeps_order(walk->group->sum_finish)) return true;
  real distance[GG_LANES];
  v_store(distance, take_finish(step, v_set(sum), &walk->run));
  return distance[0] >= furthest;
}

/* True if no query has any use for points with at least these sum and index. */
KD_INLINE bool is_left_out(gg_step step, const walk *walk, double sum, int32_t least) {
  if (sum > walk->limit) return true;
  if (least <= walk->furthest_index) return false;
  return sum >= tie_sum(walk->group->sum_finish, walk->limit, walk->furthest) &&
         is_as_far(step, walk, sum, walk->furthest);
}

KD_INLINE void find_limits(walk *walk) {
  const gg_kd_group *group = walk->group;
  walk->limit = -1;
  walk->furthest = 0;
  walk->furthest_index = -1;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    if (group->limit[q] < 0) continue;
    if (group->limit[q] > walk->limit) walk->limit = group->limit[q];
    if (group->furthest[q] > walk->furthest) walk->furthest = group->furthest[q];
    if (group->furthest_index[q] > walk->furthest_index)
      walk->furthest_index = group->furthest_index[q];
  }
}

/* Computes the sums of the gaps between intervals [low, high] and [from, to]. */
KD_INLINE V add_gap(gg_step step, const walk *walk, int64_t k, V low, V high, V from, V to, V s) {
  const V gap = v_max(v_max(v_sub(low, to), v_sub(from, high)), v_set(0));
  take_step(step, gap, v_set(0), v_set(walk->group->weight[k]), &walk->run, &s);
  return s;
}

/* Puts the children of a node that are not left out on the stack, the nearest on top. Returns the
   new depth. */
KD_INLINE int put_children(gg_step step, walk *walk, int level, int64_t node, visit *stack,
                           int depth) {
  gg_kd_group *group = walk->group;
  const gg_kd_level *nodes = &group->tree->level[level];
  const double *box = nodes->box + node * 16 * walk->m;
  V s[HALVES];
  real sums[GG_KD_NODES];
  for (int h = 0; h < HALVES; ++h)
    s[h] = v_set(0);
  for (int64_t k = 0; k < walk->m; ++k) {
    const V from = v_set(group->box[16 * k]), to = v_set(group->box[16 * k + 8]);
    for (int h = 0; h < HALVES; ++h)
      s[h] = add_gap(step, walk, k, v_load(box + 16 * k + h * GG_LANES),
                     v_load(box + 16 * k + 8 + h * GG_LANES), from, to, s[h]);
  }
  unsigned bits = 0;
  for (int h = 0; h < HALVES; ++h) {
    bits |= m_bits(m_not(v_lt(v_set(walk->limit), s[h]))) << (h * GG_LANES);
    v_store(sums + h * GG_LANES, s[h]);
  }
  const int64_t first = node * GG_KD_NODES, rest = nodes->count - first;
  if (rest < GG_KD_NODES) bits &= (1u << rest) - 1;
  const int bottom = depth;
  const double *uniform = group->component ? group->uniform[level] + first : NULL;
  for (; bits; bits &= bits - 1) {
    const int child = __builtin_ctz(bits);
    if (uniform && uniform[child] == group->own_component) continue;
    const int32_t least = nodes->least[first + child];
    if (is_left_out(step, walk, sums[child], least)) continue;
    int at = depth++;
    for (; at > bottom && (stack[at - 1].sum < sums[child] ||
                           (stack[at - 1].sum == sums[child] && stack[at - 1].least < least));
         --at)
      stack[at] = stack[at - 1];
    stack[at] = (visit){sums[child], least, level, first + child};
  }
  ++group->work.eights;
  return depth;
}

/* Returns the points of a leaf that are not of a query's component, as bits. */
KD_INLINE unsigned find_foreign(const gg_kd_group *group, int query, int64_t leaf) {
  unsigned bits = (1u << gg_kd_leaf_size(group->tree, leaf)) - 1;
  if (leaf == group->own) bits &= ~(1u << query);
  if (!group->component) return bits;
  const double *component = group->component + leaf * GG_KD_LEAF;
  const V own = v_set(group->components[query]);
  unsigned same = 0;
  for (int v = 0; v < VECTORS; ++v)
    same |= m_bits(v_eq(v_load(component + v * GG_LANES), own)) << (v * GG_LANES);
  return bits & ~same;
}

/* Compares a query with the points of a leaf. Returns whether any of them was taken. */
KD_INLINE bool scan_leaf(gg_step step, walk *walk, int query, int64_t leaf) {
  gg_kd_group *group = walk->group;
  const gg_kd_tree *tree = group->tree;
  const double *panel = tree->panel + leaf * walk->m * GG_KD_LEAF;
  V s[VECTORS];
  real sums[GG_KD_LEAF], taken[GG_KD_LEAF];
  int32_t index[GG_KD_LEAF];
  const unsigned foreign = find_foreign(group, query, leaf);
  if (!foreign) return false;
  for (int v = 0; v < VECTORS; ++v)
    s[v] = v_set(0);
  for (int64_t k = 0; k < walk->m; ++k) {
    const V b = v_set(group->panel[k * GG_KD_LEAF + query]), w = v_set(group->weight[k]);
    for (int v = 0; v < VECTORS; ++v)
      take_step(step, v_load(panel + k * GG_KD_LEAF + v * GG_LANES), b, w, &walk->run, &s[v]);
  }
  ++group->work.scans;
  const V limit = v_set(group->limit[query]);
  unsigned bits = 0;
  for (int v = 0; v < VECTORS; ++v)
    bits |= m_bits(m_not(v_lt(limit, s[v]))) << (v * GG_LANES);
  bits &= foreign;
  if (!bits) return false;
  for (int v = 0; v < VECTORS; ++v)
    v_store(sums + v * GG_LANES, s[v]);
  int count = 0;
  for (; bits; bits &= bits - 1) {
    const int at = __builtin_ctz(bits);
    /* cppcheck-suppress uninitvar ; v_store() has filled sums */
    taken[count] = sums[at];
    index[count++] = tree->index[leaf * GG_KD_LEAF + at];
  }
  for (int i = count; i < GG_KD_LEAF && i % GG_LANES; ++i)
    taken[i] = 0;
  for (int i = 0; i < count; i += GG_LANES)
    v_store(taken + i, take_finish(step, v_load(taken + i), &walk->run));
  group->take(group, query, count, taken, index);
  return true;
}

/* Compares all queries with a leaf's box, and those that it may be near with its points. */
KD_INLINE void visit_leaf(gg_step step, walk *walk, int64_t leaf) {
  gg_kd_group *group = walk->group;
  const gg_kd_level *leaves = &group->tree->level[0];
  const double *box = gg_kd_box(leaves, leaf, walk->m);
  V s[VECTORS];
  real sums[GG_KD_LEAF];
  for (int v = 0; v < VECTORS; ++v)
    s[v] = v_set(0);
  for (int64_t k = 0; k < walk->m; ++k) {
    const V low = v_set(box[16 * k]), high = v_set(box[16 * k + 8]);
    for (int v = 0; v < VECTORS; ++v) {
      const V at = v_load(group->panel + k * GG_KD_LEAF + v * GG_LANES);
      s[v] = add_gap(step, walk, k, low, high, at, at, s[v]);
    }
  }
  unsigned bits = 0;
  for (int v = 0; v < VECTORS; ++v) {
    bits |= m_bits(m_not(v_lt(v_load(group->limit + v * GG_LANES), s[v]))) << (v * GG_LANES);
    v_store(sums + v * GG_LANES, s[v]);
  }
  const int32_t least = leaves->least[leaf];
  bool any = false;
  for (; bits; bits &= bits - 1) {
    const int query = __builtin_ctz(bits);
    if (least > group->furthest_index[query] &&
        sums[query] >= tie_sum(group->sum_finish, group->limit[query], group->furthest[query]) &&
        is_as_far(step, walk, sums[query], group->furthest[query]))
      continue;
    any |= scan_leaf(step, walk, query, leaf);
  }
  if (any) find_limits(walk);
  ++group->work.leaves;
}

KD_INLINE void search(gg_step step, int64_t m, gg_kd_group *group) {
  visit stack[GG_KD_LEVELS * GG_KD_NODES];
  walk walk = {.group = group, .run = step_run_make(m, group->p, group->finish), .m = m};
  find_limits(&walk);
  int depth = put_children(step, &walk, group->tree->levels - 1, 0, stack, 0);
  int64_t until_asked = 4096;
  while (depth > 0) {
    const visit next = stack[--depth];
    if (is_left_out(step, &walk, next.sum, next.least)) continue;
    if (next.level > 0) {
      depth = put_children(step, &walk, next.level - 1, next.node, stack, depth);
      continue;
    }
    visit_leaf(step, &walk, next.node);
    if (--until_asked > 0) continue;
    if (group->stopped(group)) return;
    until_asked = 4096;
  }
}

/* Puts each neighbour at its rank, the number of those before it: no branch depends on distances.
 */
GG_TARGET static void rank_list(gg_kd_list *list, int64_t k, int added) {
  const int64_t n = list->count + added;
  real distance[GG_KD_ROOM], index[GG_KD_ROOM], rank[GG_KD_ROOM];
  for (int64_t i = 0; i < n; i += GG_LANES) {
    const V d = v_load(list->distance + i), at = v_load(list->index + i);
    v_store(distance + i, d);
    v_store(index + i, at);
    V before = v_set(0);
    for (int64_t j = 0; j < n; ++j) {
      const V other = v_set(list->distance[j]);
      const M tied = m_and(v_eq(other, d), v_lt(v_set(list->index[j]), at));
      before = v_add(before, v_keep(m_or(v_lt(other, d), tied), v_set(1)));
    }
    v_store(rank + i, before);
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t to = (int64_t)rank[i];
    list->distance[to] = distance[i];
    list->index[to] = index[i];
  }
  list->count = n < k ? n : k;
}

#define SEARCH(name)                                                                               \
  GG_TARGET static void search_##name(gg_kd_group *group) {                                        \
    search(GG_STEP_##name, group->tree->m, group);                                                 \
  }
SEARCH(euclidean)
SEARCH(seuclidean)
SEARCH(manhattan)
SEARCH(maximum)
SEARCH(halves)
SEARCH(power)

GG_TARGET static void search_euclidean_2(gg_kd_group *group) {
  search(GG_STEP_euclidean, 2, group);
}
GG_TARGET static void search_euclidean_3(gg_kd_group *group) {
  search(GG_STEP_euclidean, 3, group);
}

#define ENTRY(name) [GG_STEP_##name] = search_##name
const gg_kd_kernels GG_FORM_OF(gg_kd_kernels) = {
    .rank = rank_list,
    .search = {ENTRY(euclidean), ENTRY(seuclidean), ENTRY(manhattan), ENTRY(maximum), ENTRY(halves),
               ENTRY(power)},
    .euclidean_2 = search_euclidean_2,
    .euclidean_3 = search_euclidean_3,
};

#endif
