/* Rows of a coarser graph. Each thread makes whole rows, in which it finds the neighbours there are
   by a table of their places: in the order in which the rows of the parts have them. */
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/parts.h"

enum { ROWS = 128 }; /* that a thread takes at a time */

/* Rows under way. */
typedef struct merging {
  const gg_layout_graph *fine;
  const int32_t *partner, *parent;
  int64_t vertices;
  int32_t threads;
  int32_t *first; /* of each vertex, the first of its parts */
  int64_t *room;  /* row v has room from room[v] to room[v + 1] */
  int64_t *start;
  int32_t *neighbor; /* with gaps, as room says */
  float *weight;
  int32_t *tables; /* of each thread; -1: empty */
  int bits;        /* of the places in a table */
} merging;

/* Bits of the places in a table for a row made of so many entries: there are twice as many as
   neighbours, or more. */
static int bits_for(const merging *m, int64_t entries) {
  const int64_t most = entries < m->vertices ? entries : m->vertices;
  int bits = 1;
  while ((int64_t)1 << bits < 2 * most)
    ++bits;
  return bits;
}

/* Makes room for each row, and finds how large the tables must be. */
static void make_room(merging *m) {
  const int64_t *start = m->fine->start;
  int64_t longest = 0;
  for (int64_t v = 0; v < m->fine->vertices; ++v)
    if (m->partner[v] < 0 || m->partner[v] > v) m->first[m->parent[v]] = (int32_t)v;
  m->room[0] = 0;
  for (int64_t v = 0; v < m->vertices; ++v) {
    const int32_t part = m->first[v], other = m->partner[part];
    int64_t length = start[part + 1] - start[part];
    if (other >= 0) length += start[other + 1] - start[other];
    m->room[v + 1] = m->room[v] + length;
    if (length > longest) longest = length;
  }
  m->bits = bits_for(m, longest);
}

/* A row under way. */
typedef struct row {
  int32_t *neighbor, *table;
  float *weight;
  int32_t count;
  int bits;
} row;

static void add(row *r, int32_t neighbor, float weight) {
  const uint32_t mask = ((uint32_t)1 << r->bits) - 1;
  uint32_t at = (uint32_t)neighbor * 2654435769u >> (32 - r->bits);
  while (r->table[at] >= 0 && r->neighbor[r->table[at]] != neighbor)
    at = (at + 1) & mask;
  if (r->table[at] >= 0) {
    r->weight[r->table[at]] += weight;
    return;
  }
  r->table[at] = r->count;
  r->neighbor[r->count] = neighbor;
  r->weight[r->count++] = weight;
}

static void add_part(const merging *m, int32_t part, row *r) {
  const gg_layout_graph *fine = m->fine;
  const int32_t own = m->parent[part];
  for (int64_t at = fine->start[part]; at < fine->start[part + 1]; ++at) {
    const int32_t neighbor = m->parent[fine->neighbor[at]];
    if (neighbor != own) add(r, neighbor, fine->weight ? fine->weight[at] : 1);
  }
}

/* Makes a row; returns how many neighbours it has. */
static int64_t make_row(const merging *m, int64_t v, int32_t *table) {
  row r = {.neighbor = m->neighbor + m->room[v],
           .weight = m->weight + m->room[v],
           .table = table,
           .bits = bits_for(m, m->room[v + 1] - m->room[v])};
  memset(table, 0xff, sizeof *table << r.bits);
  add_part(m, m->first[v], &r);
  if (m->partner[m->first[v]] >= 0) add_part(m, m->partner[m->first[v]], &r);
  return r.count;
}

static void make_some_rows(void *job, gg_range range) {
  const merging *m = job;
  int32_t *table = m->tables + ((int64_t)range.worker << m->bits);
  for (int64_t v = range.first; v < range.last; ++v)
    m->start[v + 1] = make_row(m, v, table);
}

static void make_rows(merging *m) {
  gg_parallel_for(&(gg_loop){.threads = m->threads,
                             .count = m->vertices,
                             .grain = ROWS,
                             .work = make_some_rows,
                             .job = m});
  m->start[0] = 0;
  for (int64_t v = 0; v < m->vertices; ++v)
    m->start[v + 1] += m->start[v];
}

/* Rows that are copied. */
typedef struct closing {
  const merging *merging;
  int32_t *neighbor;
  float *weight;
  bool others; /* some weight is not 1 */
} closing;

static void close_some_rows(void *job, gg_range range) {
  closing *c = job;
  const merging *m = c->merging;
  bool others = false;
  for (int64_t v = range.first; v < range.last; ++v) {
    const int64_t from = m->start[v], count = m->start[v + 1] - from;
    memcpy(c->neighbor + from, m->neighbor + m->room[v], (size_t)count * sizeof *c->neighbor);
    memcpy(c->weight + from, m->weight + m->room[v], (size_t)count * sizeof *c->weight);
    for (int64_t at = from; at < from + count; ++at)
      others |= c->weight[at] != 1;
  }
  if (others) gg_atomic_store(&c->others, true);
}

/* Copies the rows without the gaps. Returns whether all weights are 1. */
static bool close_rows(const merging *m, int32_t *neighbor, float *weight) {
  closing c = {.merging = m, .neighbor = neighbor, .weight = weight};
  gg_parallel_for(&(gg_loop){.threads = m->threads,
                             .count = m->vertices,
                             .grain = ROWS,
                             .work = close_some_rows,
                             .job = &c});
  return !c.others;
}

static gpugeo_status fail_memory(const merging *m, gpugeo_error *error) {
  return gg_fail_memory(error, 16 * (m->vertices + m->fine->start[m->fine->vertices]));
}

static gpugeo_status merge(merging *m, gg_layout_graph *coarse, gpugeo_error *error) {
  const int64_t entries = m->fine->start[m->fine->vertices];
  m->first = gg_allocate(m->vertices, sizeof *m->first);
  m->room = gg_allocate(m->vertices + 1, sizeof *m->room);
  m->neighbor = gg_allocate_large(entries, sizeof *m->neighbor);
  m->weight = gg_allocate_large(entries, sizeof *m->weight);
  if (!m->first || !m->room || !m->start || !m->neighbor || !m->weight)
    return fail_memory(m, error);
  make_room(m);
  m->tables = gg_allocate((int64_t)m->threads << m->bits, sizeof *m->tables);
  if (!m->tables) return fail_memory(m, error);
  make_rows(m);
  const int64_t count = m->start[m->vertices];
  int32_t *neighbor = gg_allocate_large(count, sizeof *neighbor);
  float *weight = gg_allocate_large(count, sizeof *weight);
  const bool there = neighbor && weight, ones = there && close_rows(m, neighbor, weight);
  if (ones) free(weight);
  coarse->neighbor = neighbor;
  coarse->weight = ones ? NULL : weight;
  return there ? GPUGEO_OK : fail_memory(m, error);
}

gpugeo_status gg_layout_merge(const gg_layout_graph *fine, const int32_t *partner, int32_t threads,
                              const int32_t *parent, int64_t vertices, gg_layout_graph *coarse,
                              gpugeo_error *error) {
  merging m = {.fine = fine,
               .partner = partner,
               .parent = parent,
               .vertices = vertices,
               .threads = threads,
               .start = gg_allocate(vertices + 1, sizeof *m.start)};
  *coarse = (gg_layout_graph){.vertices = vertices, .start = m.start};
  gpugeo_status status = merge(&m, coarse, error);
  free(m.first);
  free(m.room);
  free(m.neighbor);
  free(m.weight);
  free(m.tables);
  return status;
}
