/*
 * Repulsion between all vertices. They are sorted into Morton order, and divided into groups of
 * successive ones, whose forces are summed together: over all vertices, or over the cells of a tree
 * that are far from the whole group and the vertices of the other cells.
 */
#include "layout/cpu/repulsion.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/context.h"
#include "common/memory.h"

/* --- order ------------------------------------------------------------------------------------ */

/* Returns the bits of a coordinate in a key. */
static int key_bits(int dim) { return dim == 2 ? 31 : 21; }

/* Returns the bits of a number with dim - 1 zeros after each, by shifting halves of halves. */
static inline uint64_t spread(uint64_t x, int dim) {
  static const uint64_t halves[2][5] = {{0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f,
                                         0x3333333333333333, 0x5555555555555555},
                                        {0x001f00000000ffff, 0x001f0000ff0000ff, 0x100f00f00f00f00f,
                                         0x10c30c30c30c30c3, 0x1249249249249249}};
  _Pragma("GCC unroll 5") for (int i = 0; i < 5; ++i) x =
      (x | x << (16 >> i) * (dim - 1)) & halves[dim - 2][i];
  return x;
}

/* Returns the Morton key of a fine offset. */
static inline uint64_t key_of(const int32_t *fine, int dim) {
  uint64_t key = 0;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    const uint64_t x = (uint64_t)(fine[c] + (1 << 30)) >> (31 - key_bits(dim));
    key |= spread(x, dim) << c;
  }
  return key;
}

/* Writes the keys of a range of vertices. */
static inline void put_keys(gg_cpu_layout_state *state, int64_t first, int64_t last, int dim) {
  for (int64_t i = first; i < last; ++i) {
    state->order.key[i] = key_of(state->fine + i * dim, dim);
    state->order.value[i] = (int32_t)i;
  }
}

void gg_cpu_layout_put_keys(gg_cpu_layout_state *state, int64_t first, int64_t last) {
  if (state->dim == 2)
    put_keys(state, first, last, 2);
  else
    put_keys(state, first, last, 3);
}

/* Copies a range of vertices in the order of their keys. */
static void load_some_sources(void *job, gg_range range) {
  gg_cpu_layout_state *state = job;
  const float *mass = state->plan->mass;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int64_t i = state->order.value[k];
    for (int c = 0; c < state->dim; ++c)
      state->sources.fine[c][k] = state->fine[i * state->dim + c];
    state->sources.mass[k] = mass ? mass[i] : 1;
  }
}

/* Copies the vertices in the order of their keys, after sorting them if they are sorted anew. */
static void order_vertices(gg_cpu_layout_state *state) {
  if (state->renews)
    gg_radix_sort(&state->order, state->n, key_bits(state->dim) * state->dim, state->threads);
  const gg_loop loop = gg_cpu_layout_loop(state, state->n, 3, load_some_sources);
  gg_parallel_for(&loop);
}

/* --- memory ----------------------------------------------------------------------------------- */

bool gg_cpu_layout_repulsion_allocate(gg_cpu_layout_state *state) {
  const int64_t n = state->n, padded = n + GG_REPEL_PAD;
  gg_repel_sources *sources = &state->sources;
  sources->n = n;
  state->fine = gg_allocate(n * state->dim, sizeof *state->fine);
  state->repulsion = gg_allocate(n * state->dim, sizeof *state->repulsion);
  sources->mass = gg_allocate(padded, sizeof *sources->mass);
  bool there = gg_radix_allocate(&state->order, n, state->threads) && state->fine &&
               state->repulsion && sources->mass;
  if (sources->mass) memset(sources->mass + n, 0, GG_REPEL_PAD * sizeof *sources->mass);
  for (int c = 0; c < state->dim; ++c) {
    sources->fine[c] = gg_allocate(padded, sizeof *sources->fine[c]);
    if (sources->fine[c]) memset(sources->fine[c] + n, 0, GG_REPEL_PAD * sizeof *sources->fine[c]);
    there = there && sources->fine[c];
  }
  return there;
}

void gg_cpu_layout_repulsion_free(gg_cpu_layout_state *state) {
  gg_free(state->fine);
  gg_free(state->repulsion);
  gg_radix_free(&state->order);
  gg_free(state->sources.mass);
  for (int c = 0; c < state->dim; ++c)
    gg_free(state->sources.fine[c]);
  gg_layout_tree_free(&state->tree);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Returns the kernel of the plan for this machine. */
static gg_repel *kernel_of(const gg_layout_plan *plan) {
  const gg_repel_kernels *kernels = GG_SIMD_CHOOSE(const gg_repel_kernels, gg_repel);
  return plan->dim == 2 ? kernels->plane[plan->expansion_order / 2]
                        : kernels->space[plan->expansion_order / 2];
}

/* Returns the longest side of a box. */
static int64_t longest_side(const gg_layout_box *box, int dim) {
  int64_t longest = 0;
  for (int c = 0; c < dim; ++c) {
    const int64_t side = (int64_t)box->high[c] - box->low[c];
    if (side > longest) longest = side;
  }
  return longest;
}

/* Starts a group, and returns the bounding box of its vertices. */
static gg_layout_box start_group(const gg_repel_sources *sources, int dim, int64_t first,
                                 int64_t last, gg_repel_group *group) {
  gg_layout_box box = {.low = {0}, .high = {0}};
  for (int c = 0; c < dim; ++c) {
    box.low[c] = box.high[c] = sources->fine[c][first];
    for (int64_t i = first + 1; i < last; ++i) {
      const int32_t x = sources->fine[c][i];
      if (x < box.low[c]) box.low[c] = x;
      if (x > box.high[c]) box.high[c] = x;
    }
    group->middle[c] = box.low[c] / 2 + box.high[c] / 2;
  }
  group->target = (gg_repel_span){first, last};
  group->spans = group->cells = 0;
  memset(group->force, 0, sizeof group->force);
  return box;
}

/* Stores the forces of a group at its vertices. */
static void store_group(gg_cpu_layout_state *state, const gg_repel_group *group) {
  for (int64_t k = group->target.first; k < group->target.last; ++k) {
    const int64_t i = state->order.value[k];
    for (int c = 0; c < state->dim; ++c)
      state->repulsion[i * state->dim + c] = (float)group->force[c][k - group->target.first];
  }
}

typedef struct worker {
  gg_cpu_layout_state *state;
  gg_repel *repel;
  int64_t spread, work; /* of the groups of a range */
  gg_repel_group group;
} worker;

/* A cell takes as long as so many vertices, with the tests of the walk that lead to it. */
enum { CELL_WORK = 4 };

/* Returns the work of a group's spans and cells. */
static int64_t count_work(const gg_repel_group *group) {
  int64_t work = CELL_WORK * (int64_t)group->cells;
  for (int s = 0; s < group->spans; ++s)
    work += group->span[s].last - group->span[s].first;
  return work;
}

/* Adds up the forces of the spans and cells that are listed, and empties the lists. */
static void sum_forces(worker *w) {
  w->work += count_work(&w->group);
  w->repel(&w->state->sources, w->state->tree.cell, &w->group);
  w->group.spans = w->group.cells = 0;
}

/* Adds a span of sources to a group's list. */
static void add_span(worker *w, int64_t first, int64_t last) {
  gg_repel_group *group = &w->group;
  if (group->spans > 0 && group->span[group->spans - 1].last == first) {
    group->span[group->spans - 1].last = last;
    return;
  }
  if (group->spans == GG_REPEL_SPANS) sum_forces(w);
  group->span[group->spans++] = (gg_repel_span){first, last};
}

/* Returns the squared distance of an offset from a box. */
static inline float square_from_box(const gg_layout_box *box, const int32_t *offset, int dim) {
  float square = 0;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    const int32_t below = box->low[c] - offset[c], above = offset[c] - box->high[c];
    const int32_t outside = below > above ? below : above;
    const float d = outside > 0 ? (float)outside : 0;
    square += d * d;
  }
  return square;
}

/* Cells of up to FEW vertices are summed vertex by vertex, which is as fast. */
enum { FEW = 3 };

/* Collects the cells and vertices that repel a group with this box. The test of a cell is written
   without a branch, which could not be predicted. */
static inline void visit_box(worker *w, const gg_layout_box *box, int dim) {
  const gg_layout_node *nodes = w->state->tree.node;
  gg_repel_group *group = &w->group;
  int32_t stack[GG_LAYOUT_TREE_LEVELS * 8 + 1];
  int top = 1;
  stack[0] = 0;
  while (top > 0) {
    const gg_layout_node *node = &nodes[stack[--top]];
    if (group->cells + 8 > GG_REPEL_CELLS) sum_forces(w);
    const int32_t end = node->child + node->children;
    for (int32_t at = node->child; at < end; ++at) {
      const gg_layout_node *child = &nodes[at];
      const bool taken = square_from_box(box, child->centre, dim) > child->reach;
      if (child->last - child->first <= FEW || (!taken && child->children == 0)) {
        add_span(w, child->first, child->last);
        continue;
      }
      group->cell[group->cells] = at;
      group->cells += taken;
      stack[top] = at;
      top += !taken;
      __builtin_prefetch(&nodes[child->child]);
    }
  }
}

/* Tests the root, which may be a leaf, and walks the tree below it. */
static void walk_tree(worker *w, const gg_layout_box *box) {
  const gg_layout_node *root = w->state->tree.node;
  if (root->children == 0 && root->reach < 0)
    w->group.cell[w->group.cells++] = 0;
  else if (root->children == 0)
    add_span(w, root->first, root->last);
  else if (w->state->dim == 2)
    visit_box(w, box, 2);
  else
    visit_box(w, box, 3);
}

/* Computes the repulsion of a group of vertices. */
static void repel_group(worker *w, int64_t first, int64_t last) {
  gg_cpu_layout_state *state = w->state;
  const gg_layout_box box = start_group(&state->sources, state->dim, first, last, &w->group);
  w->spread += longest_side(&box, state->dim);
  if (state->plan->repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT)
    walk_tree(w, &box);
  else
    add_span(w, 0, state->n);
  sum_forces(w);
  store_group(state, &w->group);
}

/* Computes the repulsion of a range of groups. */
static void repel_groups(void *job, gg_range range) {
  worker w;
  w.state = job;
  w.spread = w.work = 0;
  w.repel = kernel_of(w.state->plan);
  for (int64_t g = range.first; g < range.last; ++g) {
    const int64_t first = g * GG_REPEL_GROUP, last = first + GG_REPEL_GROUP;
    repel_group(&w, first, last < w.state->n ? last : w.state->n);
  }
  (void)gg_atomic_add(&w.state->spread, w.spread);
  (void)gg_atomic_add(&w.state->work, w.work);
}

/* Returns the number of groups of n vertices. */
static int64_t group_count(int64_t n) { return (n + GG_REPEL_GROUP - 1) / GG_REPEL_GROUP; }

/* Sums the forces of all groups. A group takes about 4 us by a tree, 4 ns a vertex exactly. */
static void repel_all(gg_cpu_layout_state *state) {
  const bool tree = state->plan->repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT;
  const int64_t groups = group_count(state->n);
  gg_loop loop =
      gg_cpu_layout_loop(state, groups, tree ? 4000 : 4 * (double)state->n, repel_groups);
  loop.clock = state->clock;
  loop.begun = gg_cpu_layout_progress(state, state->iteration);
  loop.share = gg_cpu_layout_progress(state, state->iteration + 1) - loop.begun;
  gg_parallel_for(&loop);
}

/* Builds the tree, or sums up its cells for the present offsets. False if memory is short. */
static bool make_tree(gg_cpu_layout_state *state) {
  const gg_layout_plan *plan = state->plan;
  state->tree.dim = plan->dim;
  state->tree.expansion_order = plan->expansion_order;
  state->tree.theta = plan->theta;
  if (state->renews && !gg_layout_tree_divide(&state->tree, state->order.key, state->n))
    return false;
  gg_layout_tree_sum(&state->tree, &state->sources, state->threads);
  return true;
}

/* Sorting and dividing take as long as this work for each vertex. */
enum { RENEWAL_WORK = 2 };

/* In mean longest sides of groups: after longer moves the next iteration sorts. On Wiki-Vote, whose
   moves are longer until the last iterations, the work doubled in one iteration without sorting. */
static const double most_move = 0.045;

/* True if moves as long as the last ones are longer than most_move. */
static bool moves_far(const gg_cpu_layout_state *state) {
  const double groups = (double)group_count(state->n);
  const double side = (double)state->spread / groups / GG_LAYOUT_FINE * state->frame.unit;
  return !(state->longest_move <= most_move * side);
}

void gg_cpu_layout_decide_renewal(gg_cpu_layout_state *state) {
  if (state->renews) {
    state->renewed_work = state->work;
    state->extra_work = 0;
  }
  if (state->work > state->renewed_work) state->extra_work += state->work - state->renewed_work;
  state->renews =
      state->plan->repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT &&
      (state->tree.has_alike || state->extra_work > RENEWAL_WORK * state->n || moves_far(state));
}

bool gg_cpu_layout_repulsion(gg_cpu_layout_state *state) {
  if (state->n == 0) return true;
  order_vertices(state);
  if (state->plan->repulsion == GPUGEO_LAYOUT_REPULSION_BARNES_HUT && !make_tree(state))
    return false;
  state->spread = state->work = 0;
  repel_all(state);
  return true;
}
