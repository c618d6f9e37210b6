/*
 * Samples as lists of the branches of a tree above their individuals.
 *
 * The elements of a table are sorted by sample. For each sample the paths from its tips to the root
 * are marked in a set of bits, up to the first branch that is marked. From the last marked branch
 * to the first, each adds its individuals to the branch above it. Branches are in preorder, so that
 * all below a branch have been added when it is visited. Sums depend on the order of the columns
 * and on the tree alone.
 *
 * Cost: O(elements), and for each sample O(its branches + branches / 64), twice.
 */
#include "communities/branches.h"

#include <math.h>
#include <stdio.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/sparse.h"
#include "trees/tree_check.h"

/* --- The tree --------------------------------------------------------------------------------- */

/* Fails with "tree must ...". */
#define FAIL_TREE(call, ...)                                                                       \
  GG_TRY(call, gg_fail((call)->error, GPUGEO_ERROR_ARGUMENT, "tree", "tree must " __VA_ARGS__))

/* Checks that all lengths are numbers of at least 0. */
static gpugeo_status check_lengths(const gpugeo_tree *tree, gg_call *call) {
  if (call->status) return call->status;
  if (!tree->length) return FAIL_TREE(call, "have lengths of its edges, not none");
  for (int64_t e = 0; e < tree->edges; ++e) {
    if (isnan(tree->length[e]))
      return FAIL_TREE(call, "have a length for each edge, but edge %lld has none",
                       (long long)e + 1);
    if (!(tree->length[e] >= 0 && tree->length[e] < INFINITY))
      return FAIL_TREE(call, "have finite lengths of at least 0, but that of edge %lld is %.15g",
                       (long long)e + 1, tree->length[e]);
  }
  return call->status;
}

/* Checks that the tree has a root: at most two branches at its base, or an edge that ends there. */
static gpugeo_status check_root(const gpugeo_tree *tree, gg_call *call) {
  if (call->status) return call->status;
  int64_t at_base = 0;
  for (int64_t e = 0; e < tree->edges; ++e)
    at_base += tree->edge[e] == tree->tips;
  if (at_base <= 2 || !isnan(tree->root_length)) return call->status;
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "root",
                              "root must be true for a tree with %lld branches at its base, which "
                              "then is the root; trees without a root have such a base",
                              (long long)at_base));
}

/* Fills the branches, and finds the sums of lengths. depth: room for each branch. */
static void fill_tree(const gpugeo_tree *tree, const int32_t *edge, const int32_t *from,
                      int32_t *of_node, double *depth, gg_branch_tree *made) {
  of_node[tree->tips] = -1;
  for (int64_t k = 0; k < made->count; ++k) {
    const int32_t above = of_node[edge[k]], below = edge[k + made->count];
    of_node[below] = (int32_t)k;
    made->above[k] = above;
    made->length[k] = tree->length[from[k]];
    made->total += made->length[k];
    depth[k] = made->length[k] + (above < 0 ? 0 : depth[above]);
    if (depth[k] > made->height) made->height = depth[k];
  }
  for (int64_t i = 0; i < tree->tips; ++i)
    made->of_tip[i] = of_node[i];
}

gpugeo_status gg_branch_tree_make(const gpugeo_tree *tree, bool root, gg_branch_tree *made,
                                  gg_call *call) {
  int32_t *edge = NULL, *from = NULL;
  *made = (gg_branch_tree){.tips = tree->tips, .count = tree->edges};
  if (!call->status) gg_tree_check(tree, &edge, &from, call);
  if (!root) check_root(tree, call);
  check_lengths(tree, call);
  made->length = gg_call_allocate(call, made->count, sizeof *made->length);
  made->above = gg_call_allocate(call, made->count, sizeof *made->above);
  made->of_tip = gg_call_allocate(call, made->tips, sizeof *made->of_tip);
  int32_t *of_node = gg_call_allocate(call, made->count + 1, sizeof *of_node);
  double *depth = gg_call_allocate(call, made->count, sizeof *depth);
  if (!call->status) fill_tree(tree, edge, from, of_node, depth, made);
  if (!call->status && !(made->total < INFINITY)) FAIL_TREE(call, "have a finite sum of lengths");
  gg_free(of_node);
  gg_free(depth);
  gg_free(edge);
  gg_free(from);
  return call->status;
}

void gg_branch_tree_free(gg_branch_tree *tree) {
  gg_free(tree->length);
  gg_free(tree->above);
  gg_free(tree->of_tip);
}

/* --- The elements of the table ---------------------------------------------------------------- */

/* The elements that are not 0, by sample, in the order of their columns. */
typedef struct elements {
  const gpugeo_matrix *x;
  const int32_t *tip, *of_tip;
  int64_t *start;  /* of each sample, and of all elements; while they are counted, 2 further on */
  int32_t *branch; /* of its tip; NULL: elements are counted */
  double *value;
} elements;

/* Fails because of an element. */
static gpugeo_status fail_element(int64_t row, int64_t column, double value, gg_call *call) {
  char text[32] = "missing";
  if (!isnan(value)) snprintf(text, sizeof text, "%.15g", value);
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                              "x must be finite numbers of at least 0, but row %lld, column %lld "
                              "is %s",
                              (long long)row + 1, (long long)column + 1, text));
}

/* Checks and counts an element, or writes it. */
static void take_element(elements *all, int64_t row, int64_t column, double value, gg_call *call) {
  if (value == 0) return;
  if (!(value > 0 && value < INFINITY)) {
    fail_element(row, column, value, call);
  } else if (!all->branch) {
    ++all->start[row + 2];
  } else {
    const int64_t at = all->start[row + 1]++;
    all->branch[at] = all->of_tip[all->tip ? all->tip[column] : column];
    all->value[at] = value;
  }
}

/* Takes the stored elements of a slice of a sparse table. */
static void take_slice(elements *all, const gg_sparse_part *part, int64_t slice, gg_call *call) {
  enum { ROOM = 256 };
  gg_sparse_entry room[ROOM];
  int64_t begin, end;
  gg_sparse_part_find(part, slice, &begin, &end);
  for (; begin < end && !call->status; begin += ROOM) {
    const int64_t count = gg_smaller(ROOM, end - begin);
    gg_sparse_part_copy(part, slice, begin, begin + count, room);
    for (int64_t k = 0; k < count && !call->status; ++k)
      take_element(all, room[k].point, room[k].coordinate, room[k].value, call);
  }
}

/* Takes all elements, those of a row in the order of their columns. */
static gpugeo_status take_elements(elements *all, gg_call *call) {
  const gpugeo_matrix *x = all->x;
  const gg_sparse_part part = {x, GPUGEO_POINTS_ROWS, 0, x->nrow};
  const int64_t slices = call->status ? 0 : x->sparse ? gg_sparse_part_slices(&part) : x->ncol;
  for (int64_t k = 0; k < slices && !call->status; ++k) {
    gg_call_require(call, !gg_clock_poll_loop(call->clock, k));
    if (x->sparse) take_slice(all, &part, k, call);
    for (int64_t i = 0; !x->sparse && i < x->nrow && !call->status; ++i)
      take_element(all, i, k, gg_element(x, i, k), call);
  }
  return call->status;
}

/* Sorts the elements by sample. all: has x, tip and of_tip; to be freed, also after a failure. */
static gpugeo_status sort_elements(elements *all, gg_call *call) {
  const int64_t n = all->x->nrow;
  all->start = call->status ? NULL : gg_allocate_zeros(n + 2, sizeof *all->start);
  if (!all->start) return GG_TRY(call, gg_fail_memory(call->error, n + 2));
  take_elements(all, call);
  for (int64_t i = 2; i < n + 2; ++i)
    all->start[i] += all->start[i - 1];
  const int64_t count = all->start[n + 1];
  all->branch = gg_call_allocate(call, count, sizeof *all->branch);
  all->value = gg_call_allocate(call, count, sizeof *all->value);
  return take_elements(all, call);
}

/* Frees the elements. */
static void free_elements(elements *all) {
  gg_free(all->start);
  gg_free(all->branch);
  gg_free(all->value);
}

/* --- Branches of samples ---------------------------------------------------------------------- */

enum { BITS = 64 };

/* What threads make of the elements. */
typedef struct maker {
  const elements *all;
  gg_branches *made;
  int64_t words;  /* of a set of branches */
  uint64_t *sets; /* of each thread, empty */
  double *below;  /* of each thread and branch the individuals below it, 0 */
} maker;

/* Marks the branches above a sample's tips in an empty set. */
static void mark_branches(const maker *m, int64_t sample, uint64_t *set) {
  const int32_t *above = m->made->tree.above;
  for (int64_t e = m->all->start[sample]; e < m->all->start[sample + 1]; ++e)
    for (int32_t b = m->all->branch[e]; b >= 0 && !(set[b / BITS] >> b % BITS & 1); b = above[b])
      set[b / BITS] |= (uint64_t)1 << b % BITS;
}

/* Counts the branches of samples; the loop's work. */
static void count_branches(void *own, gg_range range) {
  const maker *m = own;
  uint64_t *set = m->sets + range.worker * m->words;
  for (int64_t i = range.first; i < range.last; ++i) {
    mark_branches(m, i, set);
    int64_t count = 0;
    for (int64_t w = 0; w < m->words; ++w) {
      count += __builtin_popcountll(set[w]);
      set[w] = 0;
    }
    m->made->start[i + 1] = count;
  }
}

/* Adds the individuals below each branch of a set. Returns those of the sample. */
static double add_individuals(const maker *m, const uint64_t *set, double *below) {
  const int32_t *above = m->made->tree.above;
  double total = 0;
  for (int64_t w = m->words - 1; w >= 0; --w)
    for (uint64_t word = set[w]; word;) {
      const int bit = BITS - 1 - __builtin_clzll(word);
      const int64_t b = w * BITS + bit;
      word ^= (uint64_t)1 << bit;
      *(above[b] < 0 ? &total : &below[above[b]]) += below[b];
    }
  return total;
}

/* Writes the branches of samples; the loop's work. */
static void write_branches(void *own, gg_range range) {
  const maker *m = own;
  uint64_t *set = m->sets + range.worker * m->words;
  double *below = m->below + range.worker * m->made->tree.count;
  for (int64_t i = range.first; i < range.last; ++i) {
    mark_branches(m, i, set);
    for (int64_t e = m->all->start[i]; e < m->all->start[i + 1]; ++e)
      below[m->all->branch[e]] += m->all->value[e];
    m->made->total[i] = add_individuals(m, set, below);
    int64_t at = m->made->start[i];
    for (int64_t w = 0; w < m->words; ++w)
      for (; set[w]; set[w] &= set[w] - 1) {
        const int64_t b = w * BITS + __builtin_ctzll(set[w]);
        m->made->branch[at] = (int32_t)b;
        m->made->value[at++] = below[b];
        below[b] = 0;
      }
  }
}

/* Checks that there is room for so many entries. */
static gpugeo_status check_room(const gg_branches *made, double bytes, gg_call *call) {
  const double all = call->status ? 0 : bytes * (double)made->start[made->samples];
  GG_TRY(call, gg_check_work(call->run, all, call->error, "%lld samples on a tree of %lld branches",
                             (long long)made->samples, (long long)made->tree.count));
  return GG_TRY(call, gg_check_memory(all, "x", call->error,
                                      "%lld samples on a tree of %lld branches need",
                                      (long long)made->samples, (long long)made->tree.count));
}

/* Makes the lists of branches. */
static gpugeo_status make_lists(maker *m, double bytes, int32_t threads, gg_call *call) {
  gg_branches *made = m->made;
  gg_loop loop = {
      .threads = threads, .count = made->samples, .work = count_branches, .job = m, .share = 0.1};
  if (call->status) return call->status;
  made->start[0] = 0;
  gg_call_loop(call, loop);
  for (int64_t i = 0; i < made->samples && !call->status; ++i)
    made->start[i + 1] += made->start[i];
  check_room(made, bytes, call);
  const int64_t count = call->status ? 0 : made->start[made->samples];
  made->branch = gg_call_allocate(call, count, sizeof *made->branch);
  made->value = gg_call_allocate(call, count, sizeof *made->value);
  loop.work = write_branches;
  loop.begun = 0.1;
  if (!call->status) gg_call_loop(call, loop);
  for (int64_t i = 0; i < made->samples && !call->status; ++i)
    if (!(made->total[i] < INFINITY))
      GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                           "x must have a finite sum in each row, but that of row %lld is not",
                           (long long)i + 1));
  return call->status;
}

/* Checks the settings and the table. */
static gpugeo_status check_table(const gpugeo_matrix *x, gg_call *call) {
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_any_matrix("x", x, call->error));
  if (call->status || x->nrow <= INT32_MAX) return call->status;
  return GG_TRY(call,
                gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                        "x must have at most %d rows, not %lld", INT32_MAX, (long long)x->nrow));
}

/* Checks the tips of columns. */
static gpugeo_status check_tips(const gpugeo_matrix *x, int64_t tips, const int32_t *tip,
                                gg_call *call) {
  if (!call->status && !tip && x->ncol > tips)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                         "x must have at most as many columns as the tree has tips, %lld, not %lld",
                         (long long)tips, (long long)x->ncol));
  for (int64_t k = 0; tip && !call->status && k < x->ncol; ++k)
    if (tip[k] < 0 || tip[k] >= tips)
      GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                           "x must have taxa that are tips of the tree, but column %lld has none",
                           (long long)k + 1));
  return call->status;
}

gpugeo_status gg_branches_make(const gpugeo_matrix *x, const gpugeo_tree *tree, const int32_t *tip,
                               const gpugeo_unifrac_options *options, double bytes,
                               gg_branches *made, gg_call *call) {
  *made = (gg_branches){.samples = 0};
  if (check_table(x, call)) return call->status;
  made->samples = x->nrow;
  gg_branch_tree_make(tree, options->root != 0, &made->tree, call);
  check_tips(x, tree->tips, tip, call);
  elements all = {.x = x, .tip = tip, .of_tip = made->tree.of_tip};
  sort_elements(&all, call);
  const int64_t count = call->status ? 0 : all.start[made->samples];
  const int32_t threads = gg_threads_for(call->run->threads, 400.0 * (double)count); /* 40 ns */
  maker m = {.all = &all, .made = made, .words = made->tree.count / BITS + 1};
  made->start = gg_call_allocate(call, made->samples + 1, sizeof *made->start);
  made->total = gg_call_allocate(call, made->samples, sizeof *made->total);
  m.sets = call->status ? NULL : gg_allocate_zeros(threads * m.words, sizeof *m.sets);
  m.below = call->status ? NULL : gg_allocate_zeros(threads * made->tree.count, sizeof *m.below);
  if (!m.sets || !m.below)
    GG_TRY(call, gg_fail_memory(call->error, threads * made->tree.count * 8));
  make_lists(&m, bytes, threads, call);
  gg_free(m.sets);
  gg_free(m.below);
  free_elements(&all);
  return call->status;
}

void gg_branches_free(gg_branches *made) {
  gg_branch_tree_free(&made->tree);
  gg_free(made->start);
  gg_free(made->branch);
  gg_free(made->value);
  gg_free(made->total);
}
