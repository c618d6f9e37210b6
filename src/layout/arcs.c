/* Rows of a graph by sorting its arcs: in parallel, and equal ones stay in their order. */
#include "layout/arcs.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

gpugeo_status gg_layout_arcs_make(int64_t vertices, int64_t count, int32_t threads,
                                  gg_layout_arcs *arcs, gpugeo_error *error) {
  *arcs = (gg_layout_arcs){.count = count, .vertices = vertices, .threads = threads};
  while (vertices >> arcs->bits)
    ++arcs->bits;
  if (gg_radix_allocate(&arcs->sort, count, threads)) return GPUGEO_OK;
  return gg_fail_memory(error, 24 * count);
}

void gg_layout_arcs_free(gg_layout_arcs *arcs) { gg_radix_free(&arcs->sort); }

/* Loops come last, in a row beyond all others. */
void gg_layout_arcs_put(gg_layout_arcs *arcs, int64_t at, int32_t row, int32_t neighbor,
                        float weight) {
  const uint64_t first = row == neighbor ? (uint64_t)arcs->vertices : (uint64_t)row;
  arcs->sort.key[at] = first << arcs->bits | (uint64_t)neighbor;
  memcpy(&arcs->sort.value[at], &weight, sizeof weight);
}

/* --- Sorted arcs ---------------------------------------------------------------------------------
 */

static int64_t row_of(const gg_layout_arcs *arcs, int64_t at) {
  return (int64_t)(arcs->sort.key[at] >> arcs->bits);
}

static float weight_of(const gg_layout_arcs *arcs, int64_t at) {
  float weight;
  memcpy(&weight, &arcs->sort.value[at], sizeof weight);
  return weight;
}

/* Is it the first of those that are equal? */
static bool is_first(const gg_layout_arcs *arcs, int64_t at) {
  return at == 0 || arcs->sort.key[at] != arcs->sort.key[at - 1];
}

/* The weights of all arcs that are equal to this one, the first of them. */
static float sum_of(const gg_layout_arcs *arcs, int64_t at) {
  float sum = weight_of(arcs, at);
  for (int64_t next = at + 1; next < arcs->count && !is_first(arcs, next); ++next)
    sum += weight_of(arcs, next);
  return sum;
}

/* --- Rows ----------------------------------------------------------------------------------------
 */

enum { BLOCK = 1 << 14 }; /* arcs that a thread takes at a time */

/* Rows under way. */
typedef struct making {
  const gg_layout_arcs *arcs;
  int64_t loops_at; /* where the loops begin */
  int64_t blocks;
  int64_t
      *before; /* of each block, how many different arcs there are before it; the last: in all */
  int64_t *start;
  int32_t *neighbor;
  float *weight; /* NULL: all 1 */
  bool others;   /* some weight is not 1 */
} making;

static int64_t block_end(const making *m, int64_t block) {
  const int64_t end = (block + 1) * BLOCK;
  return end < m->loops_at ? end : m->loops_at;
}

static void each_block(making *m, void (*work)(void *job, gg_range range)) {
  gg_parallel_for(&(gg_loop){
      .threads = m->arcs->threads, .count = m->blocks, .grain = 1, .work = work, .job = m});
}

static void count_blocks(void *job, gg_range range) {
  making *m = job;
  bool others = false;
  for (int64_t block = range.first; block < range.last; ++block) {
    int64_t count = 0;
    for (int64_t at = block * BLOCK; at < block_end(m, block); ++at) {
      if (!is_first(m->arcs, at)) continue;
      ++count;
      others |= sum_of(m->arcs, at) != 1;
    }
    m->before[block + 1] = count;
  }
  if (others) gg_atomic_store(&m->others, true);
}

/* Counts different arcs. */
static void count_arcs(making *m) {
  each_block(m, count_blocks);
  m->before[0] = 0;
  for (int64_t block = 0; block < m->blocks; ++block)
    m->before[block + 1] += m->before[block];
}

/* Rows after that of the arc before, up to this one's, begin at `filled`. */
static void start_rows(const making *m, int64_t at, int64_t row, int64_t filled) {
  for (int64_t v = at > 0 ? row_of(m->arcs, at - 1) + 1 : 0; v <= row; ++v)
    m->start[v] = filled;
}

static void fill_blocks(void *job, gg_range range) {
  const making *m = job;
  const gg_layout_arcs *arcs = m->arcs;
  const uint64_t lower = ((uint64_t)1 << arcs->bits) - 1;
  for (int64_t block = range.first; block < range.last; ++block) {
    int64_t filled = m->before[block];
    for (int64_t at = block * BLOCK; at < block_end(m, block); ++at) {
      if (!is_first(arcs, at)) continue;
      start_rows(m, at, row_of(arcs, at), filled);
      m->neighbor[filled] = (int32_t)(arcs->sort.key[at] & lower);
      if (m->weight) m->weight[filled] = sum_of(arcs, at);
      ++filled;
    }
  }
}

static void fill_rows(making *m) {
  each_block(m, fill_blocks);
  start_rows(m, m->loops_at, m->arcs->vertices, m->before[m->blocks]);
}

/* The first of the sorted arcs that is a loop. */
static int64_t find_loops(const gg_layout_arcs *arcs) {
  int64_t first = 0, last = arcs->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (row_of(arcs, middle) < arcs->vertices)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

gpugeo_status gg_layout_arcs_rows(gg_layout_arcs *arcs, gg_layout_graph *rows,
                                  gpugeo_error *error) {
  gg_radix_sort(&arcs->sort, arcs->count, 2 * arcs->bits, arcs->threads);
  making m = {.arcs = arcs, .loops_at = find_loops(arcs)};
  m.blocks = (m.loops_at + BLOCK - 1) / BLOCK;
  m.before = gg_allocate(m.blocks + 1, sizeof *m.before);
  m.start = gg_allocate(arcs->vertices + 1, sizeof *m.start);
  bool there = m.before && m.start;
  if (there) {
    count_arcs(&m);
    m.neighbor = gg_allocate(m.before[m.blocks], sizeof *m.neighbor);
    if (m.others) m.weight = gg_allocate(m.before[m.blocks], sizeof *m.weight);
    there = m.neighbor && (!m.others || m.weight);
  }
  if (there) fill_rows(&m);
  free(m.before);
  *rows = (gg_layout_graph){arcs->vertices, m.start, m.neighbor, m.weight};
  return there ? GPUGEO_OK : gg_fail_memory(error, 8 * (arcs->vertices + arcs->count));
}
