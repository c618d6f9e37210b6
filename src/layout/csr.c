/* Checks the edges of a graph and builds its CSR: each edge becomes two entries, which are sorted
   by all threads; equal entries stay in the order of the edges. */
#include "layout/csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/radix.h"

/* --- Checks ----------------------------------------------------------------------------------- */

enum { EDGES = 1 << 14 }; /* grain of loops over edges */

/* Forces are of single precision: w d^2 must stay in its range for any distance. */
static const double most_weight = 1e9;

/* Checks all of a graph but the values of its edges. */
static gpugeo_status check_shape(const gpugeo_graph *graph, gpugeo_error *error) {
  if (!graph) return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph", "graph must not be NULL");
  if (graph->vertices < 0 || graph->vertices > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                   "graph must have between 0 and 2147483647 vertices, not %lld",
                   (long long)graph->vertices);
  if (graph->first != 0 && graph->first != 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first", "first must be 0 or 1, not %lld",
                   (long long)graph->first);
  gpugeo_status status = gg_check_matrix("edges", &graph->edges, error);
  if (status) return status;
  if (graph->edges.ncol != 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must have 2 columns, the vertices that each joins, not %lld",
                   (long long)graph->edges.ncol);
  if (graph->edges.type == GPUGEO_TYPE_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must be of type double or int32, not float");
  if (graph->weights && graph->weights_length != graph->edges.nrow)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have a value for each of the %lld edges, not %lld values",
                   (long long)graph->edges.nrow, (long long)graph->weights_length);
  return GPUGEO_OK;
}

/* Returns a vertex of an edge, numbered from 0. */
static int32_t end_of(const gpugeo_graph *graph, int64_t e, int k) {
  return (int32_t)(gg_element(&graph->edges, e, k) - (double)graph->first);
}

/* True if `end` is the number of a vertex. */
static bool is_vertex(const gpugeo_graph *graph, double end) {
  const double number = end - (double)graph->first;
  return number >= 0 && number < (double)graph->vertices && number == floor(number);
}

/* True if both vertices and the weight of an edge are allowed. */
static bool is_edge(const gpugeo_graph *graph, int64_t e) {
  return is_vertex(graph, gg_element(&graph->edges, e, 0)) &&
         is_vertex(graph, gg_element(&graph->edges, e, 1)) &&
         (!graph->weights || (graph->weights[e] >= 0 && graph->weights[e] <= most_weight));
}

/* Fails with the first of an edge's vertices and weight that is not allowed. */
static gpugeo_status fail_edge(const gpugeo_graph *graph, int64_t e, gpugeo_error *error) {
  for (int k = 0; k < 2; ++k) {
    const double end = gg_element(&graph->edges, e, k);
    if (!is_vertex(graph, end))
      return gg_fail(
          error, GPUGEO_ERROR_ARGUMENT, "edges",
          "edge %lld: the %s vertex must be a whole number between %lld and %lld (the vertices), "
          "not %s",
          (long long)e + 1, k ? "second" : "first", (long long)graph->first,
          (long long)(graph->vertices - 1 + graph->first), gg_number(end).text);
  }
  const gg_vertex_text u = gg_vertex(graph->labels, end_of(graph, e, 0), graph->first);
  const gg_vertex_text v = gg_vertex(graph->labels, end_of(graph, e, 1), graph->first);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                 "edge %lld (%s, %s): weight must be between 0 and %s, not %s", (long long)e + 1,
                 u.text, v.text, gg_number(most_weight).text, gg_number(graph->weights[e]).text);
}

typedef struct checking {
  const gpugeo_graph *graph;
  int64_t first; /* the first edge that is not allowed; the number of edges if all are */
} checking;

/* Checks a range of edges, and notes the first one that is none. */
static void check_edges(void *job, gg_range range) {
  checking *c = job;
  int64_t e = range.first;
  while (e < range.last && is_edge(c->graph, e))
    ++e;
  int64_t first = gg_atomic_load(&c->first);
  while (e < range.last && e < first && !gg_atomic_replace(&c->first, &first, e)) {
  }
}

gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, int32_t threads,
                                    gpugeo_error *error) {
  gpugeo_status status = check_shape(graph, error);
  if (status) return status;
  checking c = {graph, graph->edges.nrow};
  gg_parallel_for(&(gg_loop){.threads = gg_layout_threads(threads, graph->edges.nrow),
                             .count = graph->edges.nrow,
                             .grain = EDGES,
                             .work = check_edges,
                             .job = &c});
  return c.first < graph->edges.nrow ? fail_edge(graph, c.first, error) : GPUGEO_OK;
}

gpugeo_status gg_layout_positions_check(const gpugeo_matrix *positions, int64_t vertices,
                                        gpugeo_error *error) {
  gpugeo_status status = gg_check_matrix("layout", positions, error);
  if (status) return status;
  if (positions->ncol != 2 && positions->ncol != 3)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "layout",
                   "layout must have 2 or 3 columns, not %lld", (long long)positions->ncol);
  if (positions->nrow != vertices)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "layout",
                   "layout must have a row for each of the %lld vertices, not %lld rows",
                   (long long)vertices, (long long)positions->nrow);
  return GPUGEO_OK;
}

/* --- Entries ---------------------------------------------------------------------------------- */

/* The entries of a CSR while they are sorted: the key holds row and column, the value the weight.
 */
typedef struct entries {
  gg_radix sort;
  int64_t count;
  int64_t vertices;
  int bits; /* of a vertex number, and of the number of vertices */
  int32_t threads;
} entries;

/* Allocates entries for both directions of each edge. */
static gpugeo_status entries_make(int64_t vertices, int64_t count, int32_t threads, entries *all,
                                  gpugeo_error *error) {
  *all = (entries){.count = count, .vertices = vertices, .threads = threads};
  while (vertices >> all->bits)
    ++all->bits;
  if (gg_radix_allocate(&all->sort, count, threads)) return GPUGEO_OK;
  return gg_fail_memory(error, 24 * count);
}

/* Stores entry `at`. Those from a vertex to itself are sorted last, into a row after all others. */
static void put_entry(entries *all, int64_t at, int32_t row, int32_t column, float weight) {
  const uint64_t first = row == column ? (uint64_t)all->vertices : (uint64_t)row;
  all->sort.key[at] = first << all->bits | (uint64_t)column;
  memcpy(&all->sort.value[at], &weight, sizeof weight);
}

typedef struct putting {
  const gpugeo_graph *graph;
  entries *all;
} putting;

/* Writes the entries of a range of edges, in both directions. */
static void put_edges(void *job, gg_range range) {
  const putting *p = job;
  for (int64_t e = range.first; e < range.last; ++e) {
    const int32_t u = end_of(p->graph, e, 0), v = end_of(p->graph, e, 1);
    const float weight = p->graph->weights ? (float)p->graph->weights[e] : 1;
    put_entry(p->all, 2 * e, u, v, weight);
    put_entry(p->all, 2 * e + 1, v, u, weight);
  }
}

/* Returns the row of an entry. */
static int64_t row_of(const entries *all, int64_t at) {
  return (int64_t)(all->sort.key[at] >> all->bits);
}

/* Returns the weight of an entry. */
static float weight_of(const entries *all, int64_t at) {
  float weight;
  memcpy(&weight, &all->sort.value[at], sizeof weight);
  return weight;
}

/* True if entry `at` is the first of the entries that are equal to it. */
static bool is_first(const entries *all, int64_t at) {
  return at == 0 || all->sort.key[at] != all->sort.key[at - 1];
}

/* Returns the sum of the weights of all entries equal to `at`, the first of them. */
static float sum_of(const entries *all, int64_t at) {
  float sum = weight_of(all, at);
  for (int64_t next = at + 1; next < all->count && !is_first(all, next); ++next)
    sum += weight_of(all, next);
  return sum;
}

/* --- Rows ------------------------------------------------------------------------------------- */

enum { BLOCK = 1 << 14 }; /* entries that a thread takes at a time */

/* A CSR that is being filled from sorted entries. */
typedef struct filling {
  const entries *all;
  int64_t loops_at; /* the first entry from a vertex to itself */
  int64_t blocks;
  int64_t *before; /* different entries before each block; the last: in total */
  int64_t *start;
  int32_t *neighbor;
  float *weight; /* NULL: all 1 */
  bool others;   /* some weight is not 1 */
} filling;

/* Returns the end of a block of entries, without the loops behind them. */
static int64_t block_end(const filling *f, int64_t block) {
  const int64_t end = (block + 1) * BLOCK;
  return end < f->loops_at ? end : f->loops_at;
}

/* Runs work for all blocks. */
static void each_block(filling *f, void (*work)(void *job, gg_range range)) {
  gg_parallel_for(&(gg_loop){
      .threads = f->all->threads, .count = f->blocks, .grain = 1, .work = work, .job = f});
}

/* Counts the different entries of a range of blocks, and notes if a weight is not 1. */
static void count_blocks(void *job, gg_range range) {
  filling *f = job;
  bool others = false;
  for (int64_t block = range.first; block < range.last; ++block) {
    int64_t count = 0;
    for (int64_t at = block * BLOCK; at < block_end(f, block); ++at) {
      if (!is_first(f->all, at)) continue;
      ++count;
      others |= sum_of(f->all, at) != 1;
    }
    f->before[block + 1] = count;
  }
  if (others) gg_atomic_store(&f->others, true);
}

/* Counts different entries. */
static void count_entries(filling *f) {
  each_block(f, count_blocks);
  f->before[0] = 0;
  for (int64_t block = 0; block < f->blocks; ++block)
    f->before[block + 1] += f->before[block];
}

/* Sets the start of `row`, and of the empty rows before it that follow entry at - 1. */
static void start_rows(const filling *f, int64_t at, int64_t row, int64_t filled) {
  for (int64_t v = at > 0 ? row_of(f->all, at - 1) + 1 : 0; v <= row; ++v)
    f->start[v] = filled;
}

/* Writes the rows of a range of blocks. */
static void fill_blocks(void *job, gg_range range) {
  const filling *f = job;
  const entries *all = f->all;
  const uint64_t lower = ((uint64_t)1 << all->bits) - 1;
  for (int64_t block = range.first; block < range.last; ++block) {
    int64_t filled = f->before[block];
    for (int64_t at = block * BLOCK; at < block_end(f, block); ++at) {
      if (!is_first(all, at)) continue;
      start_rows(f, at, row_of(all, at), filled);
      f->neighbor[filled] = (int32_t)(all->sort.key[at] & lower);
      if (f->weight) f->weight[filled] = sum_of(all, at);
      ++filled;
    }
  }
}

/* Returns the first of the sorted entries that is from a vertex to itself. */
static int64_t find_loops(const entries *all) {
  int64_t first = 0, last = all->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (row_of(all, middle) < all->vertices)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/* Fills the rows from all entries. False if memory is short. */
static bool fill_rows(filling *f) {
  f->before = gg_allocate(f->blocks + 1, sizeof *f->before);
  f->start = gg_allocate(f->all->vertices + 1, sizeof *f->start);
  if (!f->before || !f->start) return false;
  count_entries(f);
  const int64_t count = f->before[f->blocks];
  f->neighbor = gg_allocate(count, sizeof *f->neighbor);
  if (f->others) f->weight = gg_allocate(count, sizeof *f->weight);
  if (!f->neighbor || (f->others && !f->weight)) return false;
  each_block(f, fill_blocks);
  start_rows(f, f->loops_at, f->all->vertices, count);
  return true;
}

/* Sorts the entries and makes the graph of them. */
static gpugeo_status sort_into_rows(entries *all, gg_layout_graph *csr, gpugeo_error *error) {
  gg_radix_sort(&all->sort, all->count, 2 * all->bits, all->threads);
  filling f = {.all = all, .loops_at = find_loops(all)};
  f.blocks = (f.loops_at + BLOCK - 1) / BLOCK;
  const bool filled = fill_rows(&f);
  gg_free(f.before);
  *csr = (gg_layout_graph){all->vertices, f.start, f.neighbor, f.weight};
  return filled ? GPUGEO_OK : gg_fail_memory(error, 8 * (all->vertices + all->count));
}

gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, int32_t threads, gg_layout_graph *csr,
                                   gpugeo_error *error) {
  const int64_t edges = graph->edges.nrow;
  *csr = (gg_layout_graph){.vertices = graph->vertices};
  entries all;
  threads = gg_layout_threads(threads, 8 * edges);
  gpugeo_status status = entries_make(graph->vertices, 2 * edges, threads, &all, error);
  if (!status) {
    gg_parallel_for(&(gg_loop){.threads = threads,
                               .count = edges,
                               .grain = EDGES,
                               .work = put_edges,
                               .job = &(putting){graph, &all}});
    status = sort_into_rows(&all, csr, error);
  }
  gg_radix_free(&all.sort);
  return status;
}

void gg_layout_graph_free(gg_layout_graph *csr) {
  gg_free((void *)csr->start);
  gg_free((void *)csr->neighbor);
  gg_free((void *)csr->weight);
  *csr = (gg_layout_graph){0};
}
