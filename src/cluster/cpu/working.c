/* The working matrix: filled from the source, and merged row by row. All passes over it are
   contiguous; the limit is the bandwidth of memory. */
#include "cluster/cpu/working.h"

#include <math.h>
#include <string.h>

#include "cluster/cpu/linkage_step.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

double gg_least(const gg_working *w, const double *row, const double *dead, int64_t count,
                int64_t *column) {
  enum { RUN = 512 }; /* a run in which the column is searched */
  double least = INFINITY;
  int64_t at = 0;
  for (int64_t first = 0; first < count; first += RUN) {
    const int64_t run = first + RUN < count ? RUN : count - first;
    const double low = w->kernels->least(row + first, dead ? dead + first : NULL, run);
    if (low < least) {
      least = low;
      at = first;
    }
  }
  while (at < count && (row[at] != least || (dead && dead[at] > 0)))
    ++at;
  *column = at;
  return least;
}

/* --- The distances -----------------------------------------------------------------------------
 */

/* What one thread has seen of the rows. */
typedef struct survey {
  _Alignas(64) double most; /* the largest absolute value */
  gg_bad_distances bad;
} survey;

typedef struct preparation {
  gg_working *w;
  survey *surveys;
} preparation;

/* Counts the bad distances of a row, those to later points. */
static void count_bad(const double *row, int64_t n, int64_t i, gg_bad_distances *bad) {
  for (int64_t j = i + 1; j < n; ++j)
    if (!isfinite(row[j])) gg_bad_distances_add(bad, j, i, row[j]);
}

static void prepare_rows(void *own, gg_range range) {
  const preparation *p = own;
  gg_working *w = p->w;
  survey *seen = &p->surveys[range.worker];
  const int64_t n = w->plan->n;
  const double scale = w->scale;
  const bool squared = w->plan->squared;
  for (int64_t i = range.first; i < range.last; ++i) {
    double *row = w->values + i * n, most = seen->most, zero = 0;
    row[i] = 0;
#pragma omp simd reduction(max : most) reduction(+ : zero)
    for (int64_t j = 0; j < n; ++j) {
      const double v = fabs(row[j]), s = row[j] * scale;
      most = v > most ? v : most;
      zero += row[j] * 0;
      row[j] = squared ? s * s : s;
    }
    seen->most = most;
    if (zero != 0) count_bad(row, n, i, &seen->bad);
    row[i] = INFINITY;
    int64_t nearest;
    w->distance[i] = gg_least(w, row, NULL, n, &nearest);
    w->nearest[i] = (int32_t)nearest;
  }
}

/* Returns what all threads have seen together. */
static survey join_surveys(const survey *surveys, int32_t threads) {
  survey all = surveys[0];
  for (int32_t t = 1; t < threads; ++t) {
    all.most = gg_greater(all.most, surveys[t].most);
    gg_bad_distances_join(&all.bad, &surveys[t].bad);
  }
  return all;
}

/* Computes the distances, and prepares the rows. */
static gpugeo_status fill(gg_working *w, double share, survey *seen, gpugeo_report *report,
                          gpugeo_error *error) {
  const gg_hclust_plan *plan = w->plan;
  gpugeo_status status =
      gg_dist_source_square(plan->source, w->values, w->clock, 0, 0.8 * share, report, error);
  if (status) return status;
  survey *surveys = gg_allocate_zeros(plan->threads, sizeof *surveys);
  if (!surveys) return gg_fail_memory(error, plan->threads * (int64_t)sizeof *surveys);
  preparation p = {w, surveys};
  const bool done = gg_parallel_for(&(gg_loop){.threads = plan->threads,
                                               .count = plan->n,
                                               .grain = 1 + ((int64_t)1 << 17) / plan->n,
                                               .work = prepare_rows,
                                               .job = &p,
                                               .clock = w->clock,
                                               .begun = 0.8 * share,
                                               .share = 0.2 * share});
  *seen = join_surveys(surveys, plan->threads);
  gg_free(surveys);
  return done ? GPUGEO_OK : gg_fail_interrupt(error);
}

/* Returns the power of two by which distances are multiplied, so that sums and squares neither
   overflow nor vanish; 1 for all but extreme distances. */
static double scale_for(const gg_hclust_plan *plan, double most) {
  int exponent = 0;
  const bool adds = plan->linkage != GPUGEO_LINKAGE_COMPLETE;
  if (!adds || !(most > 0) || (most < 0x1p400 && most > 0x1p-400)) return 1;
  frexp(most, &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

static gpugeo_status fill_scaled(gg_working *w, double share, gpugeo_report *report,
                                 gpugeo_error *error) {
  survey seen;
  w->scale = 1;
  gpugeo_status status = fill(w, share, &seen, report, error);
  if (!status && seen.bad.count > 0) return gg_fail_distances(w->plan->name, &seen.bad, error);
  const double scale = status ? 1 : scale_for(w->plan, seen.most);
  if (status || scale == 1) return status;
  w->scale = scale;
  return fill(w, share, &seen, report, error);
}

/* --- Memory ------------------------------------------------------------------------------------
 */

enum { BYTES_OF_CLUSTER = 10 * sizeof(int32_t) + 6 * sizeof(double) };

double gg_working_bytes(int64_t n, int32_t threads) {
  const double rows = (double)n + 3.0 * threads;
  return 8 * rows * (double)n + BYTES_OF_CLUSTER * (double)n;
}

/* Points the lists to their parts of two blocks of memory. */
static void divide(gg_working *w, int32_t *whole, double *real) {
  const int64_t n = w->plan->n;
  int32_t **const lists[] = {&w->label, &w->row,     &w->nearest,     &w->from,      &w->low,
                             &w->high,  &w->pair_of, &w->spare_label, &w->spare_row, &w->at};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
    *lists[k] = whole + (int64_t)k * n;
  w->size = real;
  w->distance = real + n;
  w->spare_size = real + 2 * n;
  w->pair_size = real + 3 * n;
}

gpugeo_status gg_working_make(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                              double share, gg_working *w, gpugeo_report *report,
                              gpugeo_error *error) {
  const int64_t n = plan->n;
  *w = (gg_working){.plan = plan, .clock = clock, .active = n, .merges = merges};
  w->kernels = GG_SIMD_CHOOSE(const gg_linkage_kernels, gg_linkage_kernels);
  w->values = gg_allocate_large(n * n, sizeof *w->values);
  w->scratch = gg_allocate(3 * n * plan->threads, sizeof *w->scratch);
  w->whole = gg_allocate(10 * n, sizeof *w->whole);
  w->real = gg_allocate(4 * n, sizeof *w->real);
  w->joined = gg_allocate(3 * (n / 2 + 1), sizeof *w->joined);
  if (!w->values || !w->scratch || !w->whole || !w->real || !w->joined)
    return gg_fail_memory(error, (int64_t)gg_working_bytes(n, plan->threads));
  divide(w, w->whole, w->real);
  for (int64_t i = 0; i < n; ++i) {
    w->label[i] = w->row[i] = (int32_t)i;
    w->size[i] = plan->members ? plan->members[i] : 1;
  }
  return fill_scaled(w, share, report, error);
}

void gg_working_free(gg_working *w) {
  gg_free(w->values);
  gg_free(w->scratch);
  gg_free(w->whole);
  gg_free(w->real);
  gg_free(w->joined);
}

void gg_working_record(gg_working *w, int64_t low, int64_t high, double distance) {
  const double height = w->plan->squared ? sqrt(gg_greater(distance, 0)) : distance;
  w->merges[w->merged++] = (gg_merge){w->label[low], w->label[high], height / w->scale};
}

/* --- Rows --------------------------------------------------------------------------------------
 */

/* All pairs that are merged, and the new columns. */
typedef struct round_job {
  gg_working *w;
  int64_t pairs, columns;
  gg_column_pairs joined;
  int32_t *at; /* of each pair its new column */
} round_job;

enum { REMOVED = -2 /* in pair_of: the second cluster of a pair */ };

/* Computes the distances between pair `own` and all pairs before it, whose columns are merged
   first. */
static void join_earlier(const round_job *r, int64_t own, const double *di, const double *dj,
                         double *merged, double *room) {
  const gg_working *w = r->w;
  const gg_column_pairs *p = &r->joined;
  const gpugeo_linkage linkage = w->plan->linkage;
  const gg_joined joined = {p->ni[own], p->nj[own], p->dij[own]};
  w->kernels->join_columns(linkage, p, di, joined.ni, 0, own, merged);
  w->kernels->join_columns(linkage, p, dj, joined.nj, 0, own, room);
  w->kernels->join_rows(linkage, &joined, merged, room, w->pair_size, own, merged);
}

/*
 * Computes the new row of a cluster, which replaces the old one. Pairs are merged one after the
 * other, in their order: columns of pairs before this row's own are merged before the rows are, and
 * columns of later pairs after them. An element and its mirror image then have the same bits.
 */
static void merge_row(const round_job *r, int64_t column, double *scratch) {
  const gg_working *w = r->w;
  const gg_linkage_kernels *kernels = w->kernels;
  const gpugeo_linkage linkage = w->plan->linkage;
  const int64_t c = w->from[column], n = w->plan->n;
  const int32_t own = w->pair_of[c];
  double *out = gg_working_row(w, c), *merged = scratch + n, *joined = scratch + 2 * n;
  const double *t = out;
  if (own < 0) {
    kernels->join_columns(linkage, &r->joined, out, w->size[c], 0, r->pairs, merged);
  } else {
    const double *dj = gg_working_row(w, w->high[own]);
    const gg_joined pair = {r->joined.ni[own], r->joined.nj[own], r->joined.dij[own]};
    kernels->join_rows(linkage, &pair, out, dj, w->size, w->active, joined);
    join_earlier(r, own, out, dj, merged, merged + n / 2);
    kernels->join_columns(linkage, &r->joined, joined, pair.ni + pair.nj, own + 1, r->pairs,
                          merged);
    t = joined;
  }
  kernels->gather(t, w->from, r->columns, scratch);
  for (int64_t k = 0; k < r->pairs; ++k)
    scratch[r->at[k]] = merged[k];
  scratch[column] = INFINITY;
  memcpy(out, scratch, (size_t)r->columns * sizeof *out);
}

static void merge_rows(void *own, gg_range range) {
  const round_job *r = own;
  gg_working *w = r->w;
  for (int64_t c = range.first; c < range.last; ++c) {
    double *scratch = w->scratch + 3 * w->plan->n * range.worker;
    int64_t nearest;
    merge_row(r, c, scratch);
    w->distance[c] = gg_least(w, scratch, NULL, r->columns, &nearest);
    w->nearest[c] = (int32_t)nearest;
  }
}

/* Lists the columns of the next matrix, and where those of the pairs are. */
static void list_columns(round_job *r) {
  gg_working *w = r->w;
  for (int64_t c = 0; c < w->active; ++c)
    w->pair_of[c] = -1;
  for (int64_t k = 0; k < r->pairs; ++k) {
    const int32_t i = w->low[k], j = w->high[k];
    w->pair_of[i] = (int32_t)k;
    w->pair_of[j] = REMOVED;
    r->joined.ni[k] = w->size[i];
    r->joined.nj[k] = w->size[j];
    r->joined.dij[k] = gg_working_row(w, i)[j];
    w->pair_size[k] = w->size[i] + w->size[j];
  }
  r->columns = 0;
  for (int64_t c = 0; c < w->active; ++c) {
    if (w->pair_of[c] == REMOVED || w->size[c] == 0) continue;
    if (w->pair_of[c] >= 0) r->at[w->pair_of[c]] = (int32_t)r->columns;
    w->from[r->columns++] = (int32_t)c;
  }
}

/* Makes the new columns those of the matrix. */
static void take_columns(round_job *r) {
  gg_working *w = r->w;
  for (int64_t c = 0; c < r->columns; ++c) {
    const int32_t old = w->from[c], pair = w->pair_of[old];
    w->spare_label[c] = w->label[old];
    w->spare_row[c] = w->row[old];
    w->spare_size[c] = pair < 0 ? w->size[old] : w->pair_size[pair];
  }
  memcpy(w->label, w->spare_label, (size_t)r->columns * sizeof *w->label);
  memcpy(w->row, w->spare_row, (size_t)r->columns * sizeof *w->row);
  memcpy(w->size, w->spare_size, (size_t)r->columns * sizeof *w->size);
  w->active = r->columns;
}

bool gg_working_merge(gg_working *w, int64_t pairs, double done, double share) {
  const int64_t half = w->plan->n / 2 + 1;
  round_job r = {.w = w, .pairs = pairs, .at = w->at};
  r.joined = (gg_column_pairs){w->low, w->high, w->joined, w->joined + half, w->joined + 2 * half};
  list_columns(&r);
  const int64_t grain = 1 + ((int64_t)1 << 16) / w->active; /* 0.1 ms */
  const bool finished = gg_parallel_for(&(gg_loop){.threads = w->plan->threads,
                                                   .count = r.columns,
                                                   .grain = grain,
                                                   .work = merge_rows,
                                                   .job = &r,
                                                   .clock = w->clock,
                                                   .begun = done,
                                                   .share = share});
  if (finished) take_columns(&r);
  return finished;
}

/* --- One pair ----------------------------------------------------------------------------------
 */

/* Two clusters whose rows and columns are merged in place. */
typedef struct single_job {
  gg_working *w;
  int64_t low, high;
  gg_joined joined;
  double *di;
  const double *dj;
} single_job;

static void merge_part(void *own, gg_range range) {
  const single_job *s = own;
  const gg_working *w = s->w;
  const int64_t first = range.first, count = range.last - first;
  w->kernels->join_rows(w->plan->linkage, &s->joined, s->di + first, s->dj + first, w->size + first,
                        count, s->di + first);
  for (int64_t c = first; c < range.last; ++c)
    if (w->size[c] > 0 && c != s->high) gg_working_row(w, c)[s->low] = s->di[c];
}

void gg_working_merge_one(gg_working *w, int64_t low, int64_t high) {
  single_job s = {.w = w,
                  .low = low,
                  .high = high,
                  .di = gg_working_row(w, low),
                  .dj = gg_working_row(w, high)};
  s.joined = (gg_joined){w->size[low], w->size[high], s.di[high]};
  const gg_loop loop = {.threads = w->plan->threads,
                        .count = w->active,
                        .grain = 4096, /* 20 us: an element of a column is a miss of the cache */
                        .work = merge_part,
                        .job = &s};
  gg_parallel_for(&loop);
  s.di[low] = INFINITY;
  w->size[low] += w->size[high];
  w->size[high] = 0;
}
