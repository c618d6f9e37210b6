#include "distance/cpu/kd_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "distance/cpu/tiles.h"

/* Returns the number of leaves for n points, of which the last may not be full. */
static int64_t whole_leaves(int64_t n) { return (n + GG_KD_LEAF - 1) / GG_KD_LEAF; }

double gg_kd_bytes(int64_t n, int64_t m) {
  const double point = 8 * (double)(2 * m + 1) + 4; /* record, panel, index */
  const double box = (16 * (double)m + 4) / 7 * 8 / GG_KD_LEAF + 1;
  return (double)n * (point + box) + 16384 * (double)m;
}

/* --- Records ---------------------------------------------------------------------------------- */

/* A point on its way into the tree is a record: its m coordinates and its index, as doubles. */
typedef struct build {
  const gg_dist_plan *plan;
  const gpugeo_matrix *x;
  const gg_cpu_kernels *kernels;
  gg_kd_tree *tree;
  int64_t all;     /* points of x */
  double *records; /* of all points: first those of the tree, then the odd ones */
  double *panels;  /* of each thread: one panel */
  gg_call *call;
} build;

/* True if all coordinates of a record are finite. */
static bool is_finite_record(const double *record, int64_t m) {
  double zero = 0;
  for (int64_t k = 0; k < m; ++k)
    zero += record[k] * 0;
  return zero == 0;
}

/* Writes the prepared coordinates and the indices of the points of a range of panels. */
static void write_records(void *job, gg_range panels) {
  const build *b = job;
  const int64_t m = b->tree->m, width = m + 1;
  double *z = b->panels + panels.worker * m * GG_KD_LEAF;
  for (int64_t p = panels.first; p < panels.last; ++p) {
    const int64_t first = p * GG_KD_LEAF, rest = b->all - first;
    const int64_t count = rest < GG_KD_LEAF ? rest : GG_KD_LEAF;
    gg_cpu_load_points(b->x, b->plan->points, (gg_block){first, count, 0, m}, GG_KD_LEAF, z);
    if (b->plan->prepare != GG_PREPARE_NOTHING)
      b->kernels->prepare(z, m, b->plan->prepare, b->plan->centre, b->plan->factor, GG_KD_LEAF);
    for (int64_t i = 0; i < count; ++i) {
      double *record = b->records + (first + i) * width;
      for (int64_t k = 0; k < m; ++k)
        record[k] = z[k * GG_KD_LEAF + i];
      record[m] = (double)(first + i);
    }
  }
}

/* Moves the records that are not finite behind the others, both in the order of the points, and
   counts them. */
static gpugeo_status set_odd_apart(build *b, gpugeo_error *error) {
  gg_kd_tree *tree = b->tree;
  const int64_t width = tree->m + 1, bytes = width * (int64_t)sizeof(double);
  for (int64_t i = 0; i < b->all; ++i)
    tree->odd += !is_finite_record(b->records + i * width, tree->m);
  tree->n = b->all - tree->odd;
  if (tree->odd == 0) return GPUGEO_OK;
  double *odd = gg_allocate(tree->odd, bytes);
  if (!odd) return gg_fail_memory(error, tree->odd * bytes);
  int64_t good = 0, odd_count = 0;
  for (int64_t i = 0; i < b->all; ++i) {
    const double *record = b->records + i * width;
    if (is_finite_record(record, tree->m))
      memmove(b->records + width * good++, record, (size_t)bytes);
    else
      memcpy(odd + width * odd_count++, record, (size_t)bytes);
  }
  memcpy(b->records + width * good, odd, (size_t)(odd_count * bytes));
  gg_free(odd);
  return GPUGEO_OK;
}

/* --- Division by medians ---------------------------------------------------------------------- */

/* Records between two positions, and what orders them: a coordinate, then the index. No two are
   equal. */
typedef struct records {
  double *first; /* of all */
  int64_t m, key;
} records;

typedef struct order {
  double key, index;
} order;

/* Returns the key of a record and its index, by which records are in order. */
static inline order order_of(const records *r, int64_t at) {
  const double *record = r->first + at * (r->m + 1);
  return (order){record[r->key], record[r->m]};
}

/* True if a comes before b: by key, then by index. */
static inline bool is_before(order a, order b) {
  return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
}

enum { SAMPLE = 128 }; /* records, at most, of which a pivot is chosen */

/* Returns the position of the record to divide [first, last) by: of a sample the one that comes
   just before or behind `middle`, on its far side, so the part that remains is small. */
static int64_t choose_pivot(const records *r, int64_t first, int64_t last, int64_t middle) {
  const int64_t n = last - first, size = n > 8192 ? SAMPLE : n > 1024 ? 32 : n > 64 ? 8 : 3;
  order sample[SAMPLE];
  int64_t position[SAMPLE];
  uint64_t random = gg_random_mix((uint64_t)(first ^ last << 32));
  for (int64_t s = 0; s < size; ++s) {
    random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's generator */
    const int64_t at = first + (int64_t)((random >> 32) * (uint64_t)n >> 32);
    const order here = order_of(r, at);
    int64_t to = s;
    for (; to > 0 && is_before(here, sample[to - 1]); --to) {
      sample[to] = sample[to - 1];
      position[to] = position[to - 1];
    }
    sample[to] = here;
    position[to] = at;
  }
  const double share = (double)(middle - first) / (double)n, margin = 0.5 * sqrt((double)size);
  int64_t rank = (int64_t)(share * (double)size + (share < 0.5 ? margin : -margin));
  if (rank < 0) rank = 0;
  /* cppcheck-suppress uninitvar ; size is at least 3 */
  return position[rank < size ? rank : size - 1];
}

/* Exchanges two records. */
static inline __attribute__((always_inline)) void swap_records(double *a, double *b,
                                                               int64_t width) {
  for (int64_t k = 0; k < width; ++k) {
    const double kept = a[k];
    a[k] = b[k];
    b[k] = kept;
  }
}

/* Moves the records of [first, last) that come before that at `pivot` to the front. Returns its new
   position, behind them. There are no branches that a processor could not foresee. */
static inline __attribute__((always_inline)) int64_t
part(const records *r, int64_t first, int64_t last, int64_t pivot, int64_t width) {
  double *end = r->first + (last - 1) * width, *to = r->first + first * width;
  swap_records(r->first + pivot * width, end, width);
  const order at = order_of(r, last - 1);
  for (double *record = to; record < end; record += width) {
    const bool before = is_before((order){record[r->key], record[width - 1]}, at);
    swap_records(to, record, width);
    to += before ? width : 0;
  }
  swap_records(to, end, width);
  return (to - r->first) / width;
}

/* Divides the records [first, last) at `middle`: those before it come before all others. */
static inline __attribute__((always_inline)) void
divide_width(const records *r, int64_t first, int64_t last, int64_t middle, int64_t width) {
  while (last - first > 1) {
    const int64_t at = part(r, first, last, choose_pivot(r, first, last, middle), width);
    if (at == middle) return;
    if (at < middle)
      first = at + 1;
    else
      last = at;
  }
}

/* Moves the smallest records before `middle`, with a constant width for two and three coordinates.
 */
static void divide_range(const records *r, int64_t first, int64_t last, int64_t middle) {
  switch (r->m) {
  case 2:
    divide_width(r, first, last, middle, 3);
    break;
  case 3:
    divide_width(r, first, last, middle, 4);
    break;
  default:
    divide_width(r, first, last, middle, r->m + 1);
  }
}

enum { TOGETHER = 4 }; /* coordinates whose extents are found in one pass over the records */

/* Finds the extents of `count` coordinates of n records. */
static inline __attribute__((always_inline)) void find_extents(const double *record, int64_t n,
                                                               int64_t width, int64_t count,
                                                               double *low, double *high) {
  for (int64_t k = 0; k < count; ++k)
    low[k] = high[k] = record[k];
  for (int64_t i = 1; i < n; ++i)
    for (int64_t k = 0; k < count; ++k) {
      const double value = record[i * width + k];
      low[k] = value < low[k] ? value : low[k];
      high[k] = value > high[k] ? value : high[k];
    }
}

/* Finds the extents of up to TOGETHER coordinates, with a constant number of them. */
static void find_few_extents(const double *record, int64_t n, int64_t width, int64_t count,
                             double *low, double *high) {
  switch (count) {
  case 1:
    find_extents(record, n, width, 1, low, high);
    break;
  case 2:
    find_extents(record, n, width, 2, low, high);
    break;
  case 3:
    find_extents(record, n, width, 3, low, high);
    break;
  default:
    find_extents(record, n, width, TOGETHER, low, high);
  }
}

/* Returns the coordinate of the largest extent. An extent may be infinite. */
static int64_t widest(const build *b, int64_t first, int64_t last) {
  const int64_t m = b->tree->m, width = m + 1;
  int64_t best = 0;
  double extent = -1, lows[TOGETHER] = {0}, highs[TOGETHER] = {0};
  for (int64_t k = 0; k < m; ++k) {
    if (k % TOGETHER == 0)
      find_few_extents(b->records + first * width + k, last - first, width, m - k, lows, highs);
    const double low = lows[k % TOGETHER], high = highs[k % TOGETHER];
    const double weight = b->plan->weight ? b->plan->weight[k] : 1;
    if ((high - low) * weight > extent) {
      extent = (high - low) * weight;
      best = k;
    }
  }
  return best;
}

/* Returns where leaves [first, last) are divided: the first part is a power of two. */
static int64_t middle_leaf(int64_t first, int64_t last) {
  int64_t half = 1;
  while (2 * half < last - first)
    half *= 2;
  return first + half;
}

/* Returns the first record of a leaf. */
static int64_t record_of(const build *b, int64_t leaf) {
  return leaf < b->tree->leaves ? leaf * GG_KD_LEAF : b->tree->n;
}

/* Divides the records of some leaves at their middle leaf, by their widest coordinate. */
static void divide_leaves(const build *b, int64_t first, int64_t last) {
  const int64_t begin = record_of(b, first), end = record_of(b, last);
  const records r = {b->records, b->tree->m, widest(b, begin, end)};
  divide_range(&r, begin, end, record_of(b, middle_leaf(first, last)));
}

/* Divides the records of some leaves until each leaf has its own. */
static void divide_all(const build *b, int64_t first, int64_t last) {
  if (last - first < 2 || gg_clock_poll(b->call->clock, 0)) return;
  divide_leaves(b, first, last);
  const int64_t middle = middle_leaf(first, last);
  divide_all(b, first, middle);
  divide_all(b, middle, last);
}

/* Blocks of `span` leaves, a power of two, each of which one thread divides: once, or entirely. */
typedef struct blocks {
  const build *build;
  int64_t span;
  bool entirely;
} blocks;

/* Divides a range of blocks of leaves, once or entirely. */
static void divide_blocks(void *job, gg_range range) {
  const blocks *s = job;
  for (int64_t i = range.first; i < range.last; ++i) {
    const int64_t first = i * s->span, leaves = s->build->tree->leaves;
    const int64_t last = first + s->span < leaves ? first + s->span : leaves;
    if (s->entirely)
      divide_all(s->build, first, last);
    else if (last - first > 1 && middle_leaf(first, last) - first == s->span / 2)
      divide_leaves(s->build, first, last);
  }
}

/* Divides level by level until there are blocks for all threads, then each block by itself. A block
   that has no more leaves than half of `span` is divided later. */
static void divide_records(const build *b) {
  const int64_t leaves = b->tree->leaves;
  const int32_t threads = b->plan->threads;
  int64_t span = 1;
  while (span < leaves)
    span *= 2;
  for (; span > 1; span /= 2) {
    const int64_t count = (leaves + span - 1) / span;
    blocks s = {b, span, count >= 8 * threads || span * GG_KD_LEAF <= 4096};
    gg_call_loop(b->call, (gg_loop){.threads = threads,
                                    .count = count,
                                    .grain = 1 + count / (16 * (int64_t)threads),
                                    .work = divide_blocks,
                                    .job = &s});
    if (s.entirely || b->call->status) return;
  }
}

/* --- Leaves and levels ------------------------------------------------------------------------ */

/* Writes the panel, the indices and the box of a leaf; the last record fills up its panel. */
static void pack_leaf(const build *b, int64_t leaf) {
  gg_kd_tree *tree = b->tree;
  const int64_t m = tree->m, width = m + 1, count = gg_kd_leaf_size(tree, leaf);
  double *panel = tree->panel + leaf * m * GG_KD_LEAF, *box = gg_kd_box(&tree->level[0], leaf, m);
  int32_t *index = tree->index + leaf * GG_KD_LEAF, least = INT32_MAX;
  for (int64_t i = 0; i < GG_KD_LEAF; ++i) {
    const int64_t from = leaf * GG_KD_LEAF + (i < count ? i : count - 1);
    const double *record = b->records + from * width;
    for (int64_t k = 0; k < m; ++k)
      panel[k * GG_KD_LEAF + i] = record[k];
    index[i] = i < count ? (int32_t)record[m] : -1;
    if (i < count && index[i] < least) least = index[i];
  }
  for (int64_t k = 0; k < m; ++k) {
    const double *at = panel + k * GG_KD_LEAF;
    double low = at[0], high = at[0];
    for (int64_t i = 1; i < GG_KD_LEAF; ++i) {
      low = at[i] < low ? at[i] : low;
      high = at[i] > high ? at[i] : high;
    }
    box[16 * k] = low;
    box[16 * k + 8] = high;
  }
  tree->level[0].least[leaf] = least;
}

/* Packs a range of leaves. */
static void pack_leaves(void *job, gg_range leaves) {
  for (int64_t leaf = leaves.first; leaf < leaves.last; ++leaf)
    pack_leaf(job, leaf);
}

/* Sets a node from its children, those of the level below. */
static void join_children(const gg_kd_level *below, gg_kd_level *level, int64_t node, int64_t m) {
  const int64_t first = node * GG_KD_NODES;
  const int64_t last = first + GG_KD_NODES < below->count ? first + GG_KD_NODES : below->count;
  double *box = gg_kd_box(level, node, m);
  level->least[node] = below->least[first];
  for (int64_t child = first; child < last; ++child) {
    const double *part = gg_kd_box(below, child, m);
    for (int64_t k = 0; k < m; ++k) {
      double *low = box + 16 * k, *high = low + 8;
      if (child == first || part[16 * k] < *low) *low = part[16 * k];
      if (child == first || part[16 * k + 8] > *high) *high = part[16 * k + 8];
    }
    if (below->least[child] < level->least[node]) level->least[node] = below->least[child];
  }
}

/* Allocates a level of `count` nodes. Returns false without memory. */
static bool allocate_level(gg_kd_level *level, int64_t count, int64_t m) {
  const int64_t eights = (count + GG_KD_NODES - 1) / GG_KD_NODES;
  level->count = count;
  level->box = gg_allocate(eights * m, 16 * sizeof(double));
  level->least = gg_allocate(eights * GG_KD_NODES, sizeof(int32_t));
  if (!level->box || !level->least) return false;
  memset(level->box, 0, (size_t)(eights * m) * 16 * sizeof(double)); /* nodes that are not there */
  return true;
}

/* Allocates the leaves and levels of a tree. Returns false without memory. */
static bool allocate_tree(gg_kd_tree *tree) {
  const int64_t m = tree->m;
  tree->leaves = whole_leaves(tree->n);
  tree->panel = gg_allocate_large(tree->leaves * GG_KD_LEAF, m * (int64_t)sizeof(double));
  tree->index = gg_allocate(tree->leaves * GG_KD_LEAF, sizeof(int32_t));
  if (!tree->panel || !tree->index) return false;
  int64_t count = tree->leaves;
  do {
    if (!allocate_level(&tree->level[tree->levels++], count, m)) return false;
    count = (count + GG_KD_NODES - 1) / GG_KD_NODES;
  } while (tree->level[tree->levels - 1].count > GG_KD_NODES);
  return true;
}

/* Fills panels with the odd points, in the order of their indices. */
static bool pack_odd(const build *b) {
  gg_kd_tree *tree = b->tree;
  const int64_t m = tree->m, width = m + 1;
  tree->odd_panels = whole_leaves(tree->odd);
  const int64_t values = tree->odd_panels * m * GG_KD_LEAF;
  tree->odd_panel = gg_allocate(values, sizeof(double));
  tree->odd_index = gg_allocate(tree->odd_panels * GG_KD_LEAF, sizeof(int32_t));
  if (!tree->odd_panel || !tree->odd_index) return false;
  memset(tree->odd_panel, 0, (size_t)values * sizeof(double));
  for (int64_t i = 0; i < tree->odd; ++i) {
    const double *record = b->records + (tree->n + i) * width;
    double *panel = tree->odd_panel + i / GG_KD_LEAF * m * GG_KD_LEAF + i % GG_KD_LEAF;
    for (int64_t k = 0; k < m; ++k)
      panel[k * GG_KD_LEAF] = record[k];
    tree->odd_index[i] = (int32_t)record[m];
  }
  return true;
}

/* Divides the records and makes leaves and levels of them. */
static gpugeo_status make_levels(build *b) {
  gg_call *call = b->call;
  if (call->status) return call->status;
  gg_kd_tree *tree = b->tree;
  if (!pack_odd(b) || (tree->n > 0 && !allocate_tree(tree)))
    return call->status = gg_fail_memory(call->error, (int64_t)gg_kd_bytes(b->all, tree->m));
  if (tree->n == 0) return GPUGEO_OK;
  divide_records(b);
  const gg_loop loop = {.threads = b->plan->threads,
                        .count = tree->leaves,
                        .grain = 512,
                        .work = pack_leaves,
                        .job = b};
  if (gg_call_loop(call, loop)) return call->status;
  for (int l = 1; l < tree->levels; ++l)
    for (int64_t node = 0; node < tree->level[l].count; ++node)
      join_children(&tree->level[l - 1], &tree->level[l], node, tree->m);
  return GPUGEO_OK;
}

/* --- The tree --------------------------------------------------------------------------------- */

/* Reads all points into records, those that are not finite last. */
static gpugeo_status read_records(build *b) {
  gg_call *call = b->call;
  const int64_t m = b->tree->m;
  if (GG_TRY(call, gg_check_memory(gg_kd_bytes(b->all, m), "", call->error,
                                   "a tree of %lld points needs", (long long)b->all)))
    return call->status;
  b->records = gg_allocate_large(b->all, (m + 1) * (int64_t)sizeof(double));
  b->panels = gg_allocate(b->plan->threads, m * GG_KD_LEAF * (int64_t)sizeof(double));
  if (!b->records || !b->panels)
    return call->status = gg_fail_memory(call->error, (int64_t)gg_kd_bytes(b->all, m));
  gg_call_loop(call, (gg_loop){.threads = b->plan->threads,
                               .count = whole_leaves(b->all),
                               .grain = 1 + 4096 / m,
                               .work = write_records,
                               .job = b});
  return GG_TRY(call, set_odd_apart(b, call->error));
}

gpugeo_status gg_kd_make(const gg_dist_plan *plan, const gpugeo_matrix *x, gg_kd_tree *tree,
                         gg_call *call) {
  if (call->status) return call->status;
  *tree = (gg_kd_tree){.m = plan->m};
  build b = {.plan = plan,
             .x = x,
             .kernels = gg_cpu_kernels_for(false),
             .tree = tree,
             .all = gg_point_count(x, plan->points),
             .call = call};
  read_records(&b);
  make_levels(&b);
  gg_free(b.records);
  gg_free(b.panels);
  return call->status;
}

void gg_kd_free(gg_kd_tree *tree) {
  gg_free(tree->panel);
  gg_free(tree->index);
  for (int l = 0; l < tree->levels; ++l) {
    gg_free(tree->level[l].box);
    gg_free(tree->level[l].least);
  }
  gg_free(tree->odd_panel);
  gg_free(tree->odd_index);
  *tree = (gg_kd_tree){0};
}
