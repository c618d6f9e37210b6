/*
 * Contracts a matching: matched vertices become one vertex of the coarser graph, and the weights of
 * edges that become one are added. Each thread makes whole rows. It finds the neighbours that a row
 * already has by a hash table, and keeps them in the order of the rows of the two parts.
 */
#include "layout/contraction.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/call.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/csr.h"
#include "layout/matching.h"

enum { ROWS = 128 }; /* grain of loops over rows */

/* The rows of a coarser graph while they are made. */
typedef struct contracting {
  const gg_layout_graph *fine;
  const int32_t *partner, *parent;
  int64_t vertices;
  int32_t threads;
  int32_t *first; /* of each coarse vertex, the first of its one or two parts */
  int64_t *room;  /* row v may use entries room[v] to room[v + 1] - 1 */
  int64_t *start;
  int32_t *neighbor; /* with unused entries at the end of rows */
  float *weight;
  int32_t *tables; /* hash table of each thread: index of a neighbour in its row, -1: empty */
  int bits;        /* a table has 2^bits slots */
} contracting;

/* Bits of the slots of a table for a row made of so many entries: there are twice as many as
   neighbours, or more. */
static int bits_for(const contracting *m, int64_t entries) {
  const int64_t most = entries < m->vertices ? entries : m->vertices;
  int bits = 1;
  while ((int64_t)1 << bits < 2 * most)
    ++bits;
  return bits;
}

/* Computes room and bits. */
static void make_room(contracting *m) {
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

typedef struct row {
  int32_t *neighbor, *table;
  float *weight;
  int32_t count;
  int bits;
} row;

/* Adds an entry to a row, or its weight to that of the same neighbour. */
static void add_neighbor(row *r, int32_t neighbor, float weight) {
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

/* Adds the row of a part, without the edge between the parts. */
static void add_part(const contracting *m, int32_t part, row *r) {
  const gg_layout_graph *fine = m->fine;
  const int32_t own = m->parent[part];
  for (int64_t at = fine->start[part]; at < fine->start[part + 1]; ++at) {
    const int32_t neighbor = m->parent[fine->neighbor[at]];
    if (neighbor != own) add_neighbor(r, neighbor, fine->weight ? fine->weight[at] : 1);
  }
}

/* Makes a row, and returns its number of neighbours. */
static int64_t make_row(const contracting *m, int64_t v, int32_t *table) {
  row r = {.neighbor = m->neighbor + m->room[v],
           .weight = m->weight + m->room[v],
           .table = table,
           .bits = bits_for(m, m->room[v + 1] - m->room[v])};
  memset(table, 0xff, sizeof *table << r.bits);
  add_part(m, m->first[v], &r);
  if (m->partner[m->first[v]] >= 0) add_part(m, m->partner[m->first[v]], &r);
  return r.count;
}

/* Makes a range of rows of the coarse graph, and notes their lengths. */
static void make_some_rows(void *job, gg_range range) {
  const contracting *m = job;
  int32_t *table = m->tables + ((int64_t)range.worker << m->bits);
  for (int64_t v = range.first; v < range.last; ++v)
    m->start[v + 1] = make_row(m, v, table);
}

/* Makes all rows of the coarse graph, and sums up their lengths. */
static void make_rows(contracting *m) {
  gg_parallel_for(&(gg_loop){.threads = m->threads,
                             .count = m->vertices,
                             .grain = ROWS,
                             .work = make_some_rows,
                             .job = m});
  m->start[0] = 0;
  for (int64_t v = 0; v < m->vertices; ++v)
    m->start[v + 1] += m->start[v];
}

typedef struct closing {
  const contracting *made;
  int32_t *neighbor;
  float *weight;
  bool others; /* some weight is not 1 */
} closing;

/* Copies a range of rows next to each other, and notes if a weight is not 1. */
static void close_some_rows(void *job, gg_range range) {
  closing *c = job;
  const contracting *m = c->made;
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

/* Copies the rows without unused entries. True if all weights are 1. */
static bool close_rows(const contracting *m, int32_t *neighbor, float *weight) {
  closing c = {.made = m, .neighbor = neighbor, .weight = weight};
  gg_parallel_for(&(gg_loop){.threads = m->threads,
                             .count = m->vertices,
                             .grain = ROWS,
                             .work = close_some_rows,
                             .job = &c});
  return !c.others;
}

/* Fills in the error of a contraction without memory. */
static gpugeo_status fail_memory(const contracting *m, gpugeo_error *error) {
  return gg_fail_memory(error, 16 * (m->vertices + m->fine->start[m->fine->vertices]));
}

/* Makes the coarse graph, without weights if all are 1. */
static gpugeo_status make_graph(contracting *m, gg_layout_graph *coarse, gpugeo_error *error) {
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
  if (ones) gg_free(weight);
  coarse->neighbor = neighbor;
  coarse->weight = ones ? NULL : weight;
  return there ? GPUGEO_OK : fail_memory(m, error);
}

/* Builds the coarser graph of `vertices` vertices; parent[v] is the one that v is part of. To be
   freed by gg_layout_graph_free(), also after a failure. */
static gpugeo_status contract(const gg_layout_graph *fine, const int32_t *partner, int32_t threads,
                              const int32_t *parent, int64_t vertices, gg_layout_graph *coarse,
                              gpugeo_error *error) {
  contracting m = {.fine = fine,
                   .partner = partner,
                   .parent = parent,
                   .vertices = vertices,
                   .threads = threads,
                   .start = gg_allocate(vertices + 1, sizeof *m.start)};
  *coarse = (gg_layout_graph){.vertices = vertices, .start = m.start};
  gpugeo_status status = make_graph(&m, coarse, error);
  gg_free(m.first);
  gg_free(m.room);
  gg_free(m.neighbor);
  gg_free(m.weight);
  gg_free(m.tables);
  return status;
}

/* --- The coarser graph ------------------------------------------------------------------------ */

/* Numbers the coarse vertices by their first parts, and returns their number. On one thread, as a
   step takes less than 1 ns. */
static int64_t number_parents(const int32_t *partner, int64_t n, int32_t *parent) {
  int64_t count = 0;
  for (int64_t v = 0; v < n; ++v)
    if (partner[v] < 0 || partner[v] > v) parent[v] = (int32_t)count++;
  for (int64_t v = 0; v < n; ++v)
    if (partner[v] >= 0 && partner[v] < v) parent[v] = parent[partner[v]];
  return count;
}

/* Sums up the masses of the vertices that are joined. */
static gpugeo_status add_masses(const int32_t *partner, const float *fine, int64_t n, int64_t count,
                                gg_layout_coarse *coarse, gpugeo_error *error) {
  coarse->mass = gg_allocate(count, sizeof *coarse->mass);
  if (!coarse->mass) return gg_fail_memory(error, count * (int64_t)sizeof *coarse->mass);
  for (int64_t v = 0; v < n; ++v) {
    const int64_t other = partner[v];
    if (other >= 0 && other < v) continue;
    float mass = fine ? fine[v] : 1;
    if (other >= 0) mass += fine ? fine[other] : 1;
    coarse->mass[coarse->parent[v]] = mass;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                int32_t threads, gg_layout_coarse *coarse, gpugeo_error *error) {
  const int64_t n = fine->vertices;
  *coarse = (gg_layout_coarse){.parent = gg_allocate(n, sizeof *coarse->parent)};
  int32_t *partner = gg_allocate(n, sizeof *partner);
  gg_call call = {.error = error};
  if (!coarse->parent || !partner) call.status = gg_fail_memory(error, 8 * n);
  threads = gg_layout_threads(threads, n + fine->start[n]);
  GG_TRY(&call, gg_layout_matching(fine, fine_mass, threads, partner, error));
  const int64_t count = call.status ? 0 : number_parents(partner, n, coarse->parent);
  GG_TRY(&call, add_masses(partner, fine_mass, n, count, coarse, error));
  GG_TRY(&call, contract(fine, partner, threads, coarse->parent, count, &coarse->graph, error));
  gg_free(partner);
  return call.status;
}

void gg_layout_coarse_free(gg_layout_coarse *coarse) {
  gg_layout_graph_free(&coarse->graph);
  gg_free(coarse->mass);
  gg_free(coarse->parent);
  *coarse = (gg_layout_coarse){0};
}
