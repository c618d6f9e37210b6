/*
 * Mantel tests on the CPU. Each side is read, ranked and standardized; then threads draw batches of
 * permutations, and each row of x stays in the cache for all permutations of a batch: its elements
 * are taken in the order of the permutation, next to the row of y of the point at its position.
 *
 * Limited by loads: a number of a point, which is in the second cache, an element of x from the
 * first, and one of y, in order from memory, for each product. Gathers of vector instructions are
 * not faster.
 */
#include "ordination/mantel.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum {
  LANES = GG_MANTEL_LANES,
  CHUNK = GG_MANTEL_CHUNK,
  OFTEN = 64,             /* rows of one permutation between two polls of the clock */
  BATCH_NUMBERS = 1 << 17 /* numbers of points of a batch, half of a second cache of 1 MiB */
};

typedef struct job {
  const gg_mantel_plan *plan;
  gg_clock *clock;
  gpugeo_report *report;
  int64_t pairs;
  double *value[GG_MANTEL_SIDES]; /* of each side, condensed */
  double *square;                 /* x, n by n */
  /* The pass over a side: */
  gg_mantel_pass pass;
  double *v;
  const double *other;
  double number;
  double *chunk; /* sums of chunks */
  /* The sums: */
  int64_t sums, batch; /* all sums, and those of a batch */
  int32_t *identity;   /* n */
  int32_t *positions;  /* batch by n for each thread: the position of each point */
} job;

/* Returns the sum of the lanes, added pairwise; changes them. */
static double add_lanes(double *sum) {
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      sum[l] += sum[l + half];
  return sum[0];
}

/* --- Standardized distances ------------------------------------------------------------------- */

/* Returns what a pass adds up for one distance, which it may change. */
static inline double term_of(const job *j, gg_mantel_pass pass, int64_t k) {
  double *v = j->v + k;
  switch (pass) {
  case GG_MANTEL_SUM:
    return *v - j->number;
  case GG_MANTEL_CENTER:
    *v -= j->number;
    return *v * *v;
  case GG_MANTEL_SCALE:
    *v /= j->number;
    return 0;
  default:
    return *v * j->other[k];
  }
}

/* Returns the sum of the terms of a pass over the pairs first to last - 1. */
static inline double add_chunk(const job *j, gg_mantel_pass pass, int64_t first, int64_t last) {
  double sum[LANES] = {0};
  int64_t k = first;
  for (; k + LANES <= last; k += LANES)
    for (int l = 0; l < LANES; ++l)
      sum[l] += term_of(j, pass, k + l);
  for (int l = 0; k + l < last; ++l)
    sum[l] += term_of(j, pass, k + l);
  return add_lanes(sum);
}

/* Writes the sums of a range of chunks; the loop's work. */
static void add_chunks(void *own, gg_range range) {
  const job *j = own;
  for (int64_t c = range.first; c < range.last; ++c) {
    const int64_t first = c * CHUNK, last = gg_smaller(j->pairs, first + CHUNK);
    /* A call for each pass, so that the compiler makes a loop for each. */
    j->chunk[c] = j->pass == GG_MANTEL_SUM      ? add_chunk(j, GG_MANTEL_SUM, first, last)
                  : j->pass == GG_MANTEL_CENTER ? add_chunk(j, GG_MANTEL_CENTER, first, last)
                  : j->pass == GG_MANTEL_SCALE  ? add_chunk(j, GG_MANTEL_SCALE, first, last)
                                                : add_chunk(j, GG_MANTEL_PRODUCT, first, last);
  }
}

/* Runs a pass over side s, and returns its sum. */
static double run_pass(job *j, int s, gg_mantel_pass pass, double number) {
  const int64_t chunks = (j->pairs + CHUNK - 1) / CHUNK;
  j->pass = pass;
  j->v = j->value[s];
  j->number = number;
  gg_parallel_for(&(gg_loop){.threads = j->plan->threads,
                             .count = chunks,
                             .grain = 16, /* some 50 us */
                             .work = add_chunks,
                             .job = j});
  return gg_mantel_add(j->chunk, chunks);
}

/* True if all values are equal. */
static bool all_equal(const double *value, int64_t count) {
  for (int64_t k = 1; k < count; ++k)
    if (value[k] != value[0]) return false;
  return true;
}

/* Reads one side: its distances or their ranks, standardized. */
static gpugeo_status read_side(job *j, int s, gpugeo_error *error) {
  const gg_mantel_plan *plan = j->plan;
  gpugeo_status status =
      gg_tested_condensed(&plan->source[s], plan->name[s], false, j->value[s], j->clock,
                          s * gg_mantel_side_share, gg_mantel_side_share, j->report, error);
  if (!status && plan->ranked)
    status = gg_rank_distances(j->value[s], j->pairs, plan->threads, error);
  if (status) return status;
  const bool equal = all_equal(j->value[s], j->pairs);
  double mean = run_pass(j, s, GG_MANTEL_SUM, 0) / (double)j->pairs;
  mean += run_pass(j, s, GG_MANTEL_SUM, mean) / (double)j->pairs;
  const double squares = run_pass(j, s, GG_MANTEL_CENTER, mean);
  run_pass(j, s, GG_MANTEL_SCALE, equal ? NAN : sqrt(squares));
  return GPUGEO_OK;
}

/* --- Sums of products ------------------------------------------------------------------------- */

/* Returns the permutation of a sum. */
static const int32_t *order_of(const job *j, int64_t sum) {
  const int64_t p = sum % (1 + j->plan->permutations);
  return p > 0 ? j->plan->order + (p - 1) * j->plan->n : j->identity;
}

/* Returns the sum of row[at[k]] * y[k]. */
static double add_row(const double *row, const int32_t *at, const double *y, int64_t count) {
  double sum[LANES] = {0};
  int64_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (int l = 0; l < LANES; ++l)
      sum[l] += row[at[k + l]] * y[k + l];
  for (int l = 0; k + l < count; ++l)
    sum[l] += row[at[k + l]] * y[k + l];
  return add_lanes(sum);
}

/* Adds the products of row r of x to the sums of a batch. */
static void add_products(const job *j, int64_t first, int64_t count, int64_t r,
                         const int32_t *positions) {
  const gg_mantel_plan *plan = j->plan;
  const int64_t n = plan->n;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t at = positions[b * n + r], later = n - 1 - at;
    const double *y = j->value[first + b > plan->permutations ? 2 : 1];
    plan->sums[first + b] += add_row(j->square + r * n, order_of(j, first + b) + at + 1,
                                     y + gg_condensed_column(n, at), later);
  }
}

/* Computes the sums of a batch. Stops early if the call must. */
static void take_batch(const job *j, int64_t first, int32_t worker) {
  const int64_t n = j->plan->n, count = gg_smaller(j->sums - first, j->batch);
  int32_t *positions = j->positions + worker * j->batch * n;
  const double begun = gg_mantel_sums_begin, share = (1 - begun) / (double)j->sums;
  for (int64_t b = 0; b < count; ++b) {
    const int32_t *order = order_of(j, first + b);
    for (int64_t i = 0; i < n; ++i)
      positions[b * n + order[i]] = (int32_t)i;
    j->plan->sums[first + b] = 0;
  }
  for (int64_t r = 0, added = 0; r < n; ++r) {
    add_products(j, first, count, r, positions);
    added += count;
    if (added >= OFTEN && gg_clock_poll(j->clock, begun + share * (double)first)) break;
    if (added >= OFTEN) added = 0;
  }
}

/* Computes the sums of a range of batches of permutations; the loop's work. */
static void take_batches(void *own, gg_range range) {
  const job *j = own;
  for (int64_t k = range.first; k < range.last; ++k)
    take_batch(j, k * j->batch, range.worker);
}

/* Writes x as a square matrix and computes the sums of products of all permutations. */
static gpugeo_status add_all(job *j, gpugeo_error *error) {
  const gg_dist_source x = {.kind = GG_DIST_SOURCE_CONDENSED,
                            .n = j->plan->n,
                            .options = j->plan->source[0].options,
                            .condensed = j->value[0]};
  const gpugeo_status status =
      gg_dist_source_square(&x, j->square, j->clock, gg_mantel_sums_begin, 0, j->report, error);
  if (status) return status;
  const gg_loop loop = {.threads = j->plan->threads,
                        .count = (j->sums + j->batch - 1) / j->batch,
                        .grain = 1,
                        .work = take_batches,
                        .job = j,
                        .clock = j->clock,
                        .begun = gg_mantel_sums_begin,
                        .share = 1 - gg_mantel_sums_begin};
  return gg_parallel_for(&loop) && !gg_clock_stopped(j->clock) ? GPUGEO_OK
                                                               : gg_fail_interrupt(error);
}

/* --- A call ----------------------------------------------------------------------------------- */

/* Returns the number of sums of a batch, so that each thread has some batches. */
static int64_t size_of_batch(const gg_mantel_plan *plan, int64_t sums) {
  const int64_t fits = BATCH_NUMBERS / plan->n, fair = sums / (4 * plan->threads);
  const int64_t size = gg_smaller(fits, fair);
  return size > 1 ? size : 1;
}

/* Allocates the job's arrays; fails without memory. */
static gpugeo_status allocate(job *j, gpugeo_error *error) {
  const int64_t n = j->plan->n, numbers = j->plan->threads * j->batch * n;
  const int64_t chunks = (j->pairs + CHUNK - 1) / CHUNK;
  bool there = true;
  for (int s = 0; s < j->plan->sides; ++s) {
    j->value[s] = gg_allocate_large(j->pairs, sizeof *j->value[s]);
    there = there && j->value[s];
  }
  j->square = gg_allocate_large(n * n, sizeof *j->square);
  j->chunk = gg_allocate(chunks, sizeof *j->chunk);
  j->identity = gg_allocate(n, sizeof *j->identity);
  j->positions = gg_allocate(numbers, sizeof *j->positions);
  for (int64_t i = 0; j->identity && i < n; ++i)
    j->identity[i] = (int32_t)i;
  if (there && j->square && j->chunk && j->identity && j->positions) return GPUGEO_OK;
  return gg_fail_memory(error, 8 * (j->plan->sides * j->pairs + n * n) + 4 * numbers);
}

gpugeo_status gg_cpu_mantel(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error) {
  const int64_t n = plan->n, sums = (plan->sides - 1) * (1 + plan->permutations);
  job j = {.plan = plan,
           .clock = clock,
           .report = report,
           .pairs = n * (n - 1) / 2,
           .sums = sums,
           .batch = size_of_batch(plan, sums)};
  gpugeo_status status = allocate(&j, error);
  for (int s = 0; !status && s < plan->sides; ++s)
    status = read_side(&j, s, error);
  if (!status && plan->sides > 2) {
    j.other = j.value[2];
    *plan->yz = run_pass(&j, 1, GG_MANTEL_PRODUCT, 0);
  }
  if (!status) status = add_all(&j, error);
  for (int s = 0; s < plan->sides; ++s)
    gg_free(j.value[s]);
  gg_free(j.square);
  gg_free(j.chunk);
  gg_free(j.identity);
  gg_free(j.positions);
  return status;
}
