/* The working matrix: filled from the source, and merged row by row. All passes over it are
   contiguous; the limit is the bandwidth of memory. */
#include "cluster/cpu/working.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
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

void gg_working_search(gg_working *w, int64_t cluster) {
  gg_clusters *all = &w->clusters;
  int64_t nearest;
  all->distance[cluster] =
      gg_least(w, gg_working_row(w, cluster), all->dead, all->active, &nearest);
  all->nearest[cluster] = (int32_t)nearest;
}

/* --- The distances ---------------------------------------------------------------------------- */

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

/* Scales a range of rows, squares them if asked, and notes the largest value; the loop's work. */
static void prepare_rows(void *own, gg_range range) {
  const preparation *p = own;
  gg_working *w = p->w;
  survey *seen = &p->surveys[range.worker];
  const int64_t n = w->plan->n;
  const double scale = w->clusters.scale;
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
    w->clusters.distance[i] = gg_least(w, row, NULL, n, &nearest);
    w->clusters.nearest[i] = (int32_t)nearest;
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

/* Prepares all rows, and returns what they have had. */
static survey prepare_matrix(gg_working *w, double done, double share) {
  gg_call *call = w->call;
  const gg_hclust_plan *plan = w->plan;
  survey all = {.most = 0};
  if (call->status) return all;
  survey *surveys = gg_allocate_zeros(plan->threads, sizeof *surveys);
  if (surveys) {
    preparation p = {w, surveys};
    gg_call_loop(call, (gg_loop){.threads = plan->threads,
                                 .count = plan->n,
                                 .grain = 1 + ((int64_t)1 << 17) / plan->n,
                                 .work = prepare_rows,
                                 .job = &p,
                                 .begun = done,
                                 .share = share});
    all = join_surveys(surveys, plan->threads);
  } else {
    call->status = gg_fail_memory(call->error, plan->threads * (int64_t)sizeof *surveys);
  }
  gg_free(surveys);
  return all;
}

gpugeo_status gg_working_fill(gg_working *w, double share) {
  gg_call *call = w->call;
  for (double scale = 0; !call->status && scale != w->clusters.scale;) {
    scale = w->clusters.scale;
    gg_dist_source_square(w->plan->source, w->values, 0, 0.8 * share, call);
    const survey seen = prepare_matrix(w, 0.8 * share, 0.2 * share);
    if (seen.bad.count > 0) GG_TRY(call, gg_fail_distances(w->plan->name, &seen.bad, call->error));
    if (!call->status) gg_clusters_set_scale(&w->clusters, w->plan->linkage, seen.most);
  }
  return call->status;
}

/* --- Memory ----------------------------------------------------------------------------------- */

gpugeo_status gg_working_make(const gg_hclust_plan *plan, gg_merge *merges, gg_working *w,
                              gg_call *call) {
  const int64_t n = plan->n;
  *w = (gg_working){.plan = plan, .call = call};
  w->kernels = GG_SIMD_CHOOSE(const gg_linkage_kernels, gg_linkage_kernels);
  GG_TRY(call, gg_clusters_make(plan, merges, &w->clusters, call->error));
  if (call->status) return call->status;
  w->values = gg_allocate_large(n * n, sizeof *w->values);
  w->scratch = gg_allocate(2 * n * plan->threads, sizeof *w->scratch);
  if (!w->values || !w->scratch)
    call->status =
        gg_fail_memory(call->error, (n + 2 * plan->threads) * n * (int64_t)sizeof *w->values);
  return call->status;
}

void gg_working_free(gg_working *w) {
  gg_clusters_free(&w->clusters);
  gg_free(w->values);
  gg_free(w->scratch);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Computes the distances between pair `own` and all pairs before it, whose columns are merged
   first. */
static void join_earlier(const gg_working *w, int64_t own, const double *di, const double *dj,
                         double *merged, double *room) {
  const gg_column_pairs *p = &w->clusters.pair;
  const gpugeo_linkage linkage = w->plan->linkage;
  const gg_joined joined = {p->ni[own], p->nj[own], p->dij[own]};
  w->kernels->join_columns(linkage, p, di, joined.ni, 0, own, merged);
  w->kernels->join_columns(linkage, p, dj, joined.nj, 0, own, room);
  w->kernels->join_rows(linkage, &joined, merged, room, w->clusters.pair_size, own, merged);
}

/*
 * Replaces the row of a pair's first cluster by that of the union, but for the columns of pairs,
 * which are in `merged`. Pairs are merged one after the other, in their order: columns of pairs
 * before this row's own are merged before the rows are, and columns of later pairs after them. An
 * element and its mirror image then have the same bits.
 */
static void merge_pair_row(const gg_working *w, int64_t own, double *merged) {
  const gg_clusters *all = &w->clusters;
  const gpugeo_linkage linkage = w->plan->linkage;
  double *di = gg_working_row(w, all->pair.low[own]);
  const double *dj = gg_working_row(w, all->pair.high[own]);
  const gg_joined pair = {all->pair.ni[own], all->pair.nj[own], all->pair.dij[own]};
  join_earlier(w, own, di, dj, merged, merged + w->plan->n / 2);
  w->kernels->join_rows(linkage, &pair, di, dj, all->size, all->active, di);
  w->kernels->join_columns(linkage, &all->pair, di, pair.ni + pair.nj, own + 1, all->pairs, merged);
}

/* Computes the new row of a cluster, which replaces the old one. */
static void merge_row(const gg_working *w, int64_t column, double *scratch) {
  const gg_clusters *all = &w->clusters;
  const int64_t c = all->from[column];
  double *out = gg_working_row(w, c), *merged = scratch + w->plan->n;
  if (all->pair_of[c] < 0)
    w->kernels->join_columns(w->plan->linkage, &all->pair, out, all->size[c], 0, all->pairs,
                             merged);
  else
    merge_pair_row(w, all->pair_of[c], merged);
  w->kernels->gather(out, all->from, all->columns, scratch);
  for (int64_t k = 0; k < all->pairs; ++k)
    scratch[all->at[k]] = merged[k];
  scratch[column] = INFINITY;
  memcpy(out, scratch, (size_t)all->columns * sizeof *out);
}

/* Returns the number of rows that a thread takes at a time: about 0.1 ms. */
static int64_t rows_at_a_time(const gg_working *w) {
  return 1 + ((int64_t)1 << 16) / w->clusters.active;
}

/* Merges the pairs of the round in a range of rows and notes their nearest clusters; the loop's
   work. */
static void merge_rows(void *own, gg_range range) {
  gg_working *w = own;
  gg_clusters *all = &w->clusters;
  for (int64_t c = range.first; c < range.last; ++c) {
    double *scratch = w->scratch + 2 * w->plan->n * range.worker;
    int64_t nearest;
    merge_row(w, c, scratch);
    all->distance[c] = gg_least(w, scratch, NULL, all->columns, &nearest);
    all->nearest[c] = (int32_t)nearest;
  }
}

gpugeo_status gg_working_rewrite(gg_working *w, double done, double share) {
  if (!gg_call_loop(w->call, (gg_loop){.threads = w->plan->threads,
                                       .count = w->clusters.columns,
                                       .grain = rows_at_a_time(w),
                                       .work = merge_rows,
                                       .job = w,
                                       .begun = done,
                                       .share = share}))
    gg_clusters_take_columns(&w->clusters);
  return w->call->status;
}

/* --- In place --------------------------------------------------------------------------------- */

/* Runs work over `count` indices. */
static gpugeo_status run_loop(gg_working *w, int64_t count, int64_t grain,
                              void (*work)(void *, gg_range)) {
  const double done = gg_clusters_fraction(&w->clusters, gg_clusters_alive(&w->clusters));
  return gg_call_loop(w->call, (gg_loop){.threads = w->plan->threads,
                                         .count = count,
                                         .grain = grain,
                                         .work = work,
                                         .job = w,
                                         .begun = done});
}

/* Writes the rows of a range of the round's pairs; the loop's work. */
static void merge_pairs(void *own, gg_range range) {
  gg_working *w = own;
  const gg_clusters *all = &w->clusters;
  double *merged = w->scratch + 2 * w->plan->n * range.worker;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int32_t low = all->pair.low[k];
    double *row = gg_working_row(w, low);
    merge_pair_row(w, k, merged);
    for (int64_t other = 0; other < all->pairs; ++other)
      row[all->pair.low[other]] = merged[other];
    row[low] = INFINITY;
  }
}

enum { BLOCK = 16 /* rows whose columns of pairs are written together: two lines of the cache */ };

/* Copies the columns of pairs to rows [first, first + count), and compares them with the nearest
   clusters. Rows of pairs have them. */
static void take_columns(gg_working *w, int64_t first, int64_t count) {
  gg_clusters *all = &w->clusters;
  gg_nearest best[BLOCK];
  double *row[BLOCK];
  int32_t cluster[BLOCK], rows = 0;
  bool lost[BLOCK] = {false}, taken[BLOCK] = {false};
  for (int64_t c = first; c < first + count; ++c) {
    const int32_t nearest = all->nearest[c];
    if (all->size[c] == 0 || all->pair_of[c] != -1) continue;
    lost[rows] = nearest == GG_UNKNOWN || all->pair_of[nearest] != -1;
    best[rows] = nearest == GG_UNKNOWN ? (gg_nearest){-INFINITY, 0}
                                       : gg_nearest_begin(all->distance[c], nearest, lost[rows]);
    row[rows] = gg_working_row(w, c);
    cluster[rows++] = (int32_t)c;
  }
  for (int64_t k = 0; k < all->pairs; ++k) {
    const int32_t low = all->pair.low[k];
    const double *values = gg_working_row(w, low);
    for (int32_t r = 0; r < rows; ++r) {
      row[r][low] = values[cluster[r]];
      taken[r] |= gg_nearest_take(&best[r], values[cluster[r]], low);
    }
  }
  for (int32_t r = 0; r < rows; ++r) {
    if (taken[r]) all->distance[cluster[r]] = best[r].distance;
    if (taken[r] || lost[r]) all->nearest[cluster[r]] = taken[r] ? best[r].cluster : GG_UNKNOWN;
  }
}

/* Takes a range of columns in blocks of BLOCK; the loop's work. */
static void take_rows(void *own, gg_range range) {
  for (int64_t c = range.first; c < range.last; c += BLOCK)
    take_columns(own, c, range.last - c < BLOCK ? range.last - c : BLOCK);
}

/* Searches the nearest clusters of a range of the rows to search; the loop's work. */
static void search_rows(void *own, gg_range range) {
  gg_working *w = own;
  for (int64_t k = range.first; k < range.last; ++k)
    gg_working_search(w, w->clusters.search[k]);
}

gpugeo_status gg_working_merge(gg_working *w) {
  gg_clusters *all = &w->clusters;
  const int64_t elements = (int64_t)1 << 14; /* of columns, at 5 ns */
  run_loop(w, all->pairs, rows_at_a_time(w), merge_pairs);
  if (all->pairs > 0) run_loop(w, all->active, BLOCK + elements / all->pairs, take_rows);
  if (w->call->status) return w->call->status;
  gg_clusters_end_round(all);
  return run_loop(w, all->searches, rows_at_a_time(w), search_rows);
}

/* --- One pair --------------------------------------------------------------------------------- */

/* Two clusters whose rows and columns are merged in place. */
typedef struct single_job {
  gg_working *w;
  int64_t low, high;
  gg_joined joined;
  double *di;
  const double *dj;
} single_job;

/* Merges a pair in a range of clusters; the loop's work. */
static void merge_part(void *own, gg_range range) {
  const single_job *s = own;
  const gg_working *w = s->w;
  const int64_t first = range.first, count = range.last - first;
  w->kernels->join_rows(w->plan->linkage, &s->joined, s->di + first, s->dj + first,
                        w->clusters.size + first, count, s->di + first);
  for (int64_t c = first; c < range.last; ++c)
    if (w->clusters.size[c] > 0 && c != s->high) gg_working_row(w, c)[s->low] = s->di[c];
}

void gg_working_merge_one(gg_working *w, int64_t low, int64_t high) {
  single_job s = {.w = w,
                  .low = low,
                  .high = high,
                  .di = gg_working_row(w, low),
                  .dj = gg_working_row(w, high)};
  s.joined = (gg_joined){w->clusters.size[low], w->clusters.size[high], s.di[high]};
  const gg_loop loop = {.threads = w->plan->threads,
                        .count = w->clusters.active,
                        .grain = 4096, /* 20 us: an element of a column is a miss of the cache */
                        .work = merge_part,
                        .job = &s};
  gg_parallel_for(&loop);
  s.di[low] = INFINITY;
  gg_clusters_merge(&w->clusters, low, high, s.joined.dij);
}
