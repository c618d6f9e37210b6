/* Pairs of points that share neighbours. */
#include <R_ext/Utils.h>
#include <stdint.h>
#include <string.h>

#include "entry.h"

/* The members of a point are itself, at rank 0, and its neighbours, at ranks from 1. The hosts of a
   point are the points whose member it is. All are numbered from 0. */
typedef struct members {
  const int *index; /* count by k, column-major, from 1; NA: no neighbour */
  int count, k;
  int64_t *start; /* count + 1: the hosts of point v are start[v] to start[v + 1] - 1 of the next */
  int *host, *rank;
} members;

/* What point i shares with later ones. `found` has those it shares members with. */
typedef struct sharing {
  int *times, *least; /* shared members, and the smallest sum of their ranks, for each point */
  int *found, found_count;
} sharing;

static int member(const members *m, int point, int rank) {
  if (rank == 0) return point;
  const int number = m->index[point + (int64_t)(rank - 1) * m->count];
  return number == NA_INTEGER ? -1 : number - 1;
}

static void find_hosts(members *m) {
  m->start = (int64_t *)R_alloc((size_t)m->count + 1, sizeof *m->start);
  memset(m->start, 0, ((size_t)m->count + 1) * sizeof *m->start);
  for (int rank = 0; rank <= m->k; ++rank)
    for (int i = 0; i < m->count; ++i) {
      const int v = member(m, i, rank);
      if (v >= 0) ++m->start[v + 1];
    }
  for (int v = 0; v < m->count; ++v)
    m->start[v + 1] += m->start[v];
  const size_t total = (size_t)m->start[m->count];
  int64_t *next = (int64_t *)R_alloc((size_t)m->count + 1, sizeof *next);
  memcpy(next, m->start, (size_t)m->count * sizeof *next);
  m->host = (int *)R_alloc(total, sizeof *m->host);
  m->rank = (int *)R_alloc(total, sizeof *m->rank);
  for (int i = 0; i < m->count; ++i)
    for (int rank = 0; rank <= m->k; ++rank) {
      const int v = member(m, i, rank);
      if (v < 0) continue;
      m->host[next[v]] = i;
      m->rank[next[v]++] = rank;
    }
}

/* Finds the later points that share members with point i, and clears what was found before. */
static void find_sharing(const members *m, int i, sharing *s) {
  for (int e = 0; e < s->found_count; ++e)
    s->times[s->found[e]] = 0;
  s->found_count = 0;
  for (int rank = 0; rank <= m->k; ++rank) {
    const int v = member(m, i, rank);
    if (v < 0) continue;
    for (int64_t h = m->start[v]; h < m->start[v + 1]; ++h) {
      const int j = m->host[h], sum = rank + m->rank[h];
      if (j <= i) continue;
      if (s->times[j]++ == 0) {
        s->found[s->found_count++] = j;
        s->least[j] = sum;
      } else if (sum < s->least[j]) {
        s->least[j] = sum;
      }
    }
  }
}

SEXP gg_r_shared_neighbors(SEXP index) {
  members m = {.index = INTEGER_RO(index), .count = Rf_nrows(index), .k = Rf_ncols(index)};
  sharing s = {0};
  find_hosts(&m);
  s.times = (int *)R_alloc((size_t)m.count + 1, sizeof *s.times);
  s.least = (int *)R_alloc((size_t)m.count + 1, sizeof *s.least);
  s.found = (int *)R_alloc((size_t)m.count + 1, sizeof *s.found);
  memset(s.times, 0, (size_t)m.count * sizeof *s.times);
  R_xlen_t pairs = 0;
  for (int i = 0; i < m.count; ++i) {
    if (i % 1024 == 0) R_CheckUserInterrupt();
    find_sharing(&m, i, &s);
    pairs += s.found_count;
  }
  const char *names[] = {"from", "to", "number", "rank", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  int *column[4];
  for (int c = 0; c < 4; ++c) {
    SET_VECTOR_ELT(made, c, Rf_allocVector(INTSXP, pairs));
    column[c] = INTEGER(VECTOR_ELT(made, c));
  }
  R_xlen_t at = 0;
  for (int i = 0; i < m.count; ++i) {
    if (i % 1024 == 0) R_CheckUserInterrupt();
    find_sharing(&m, i, &s);
    R_isort(s.found, s.found_count);
    for (int e = 0; e < s.found_count; ++e, ++at) {
      column[0][at] = i + 1;
      column[1][at] = s.found[e] + 1;
      column[2][at] = s.times[s.found[e]];
      column[3][at] = s.least[s.found[e]];
    }
  }
  UNPROTECT(1);
  return made;
}
