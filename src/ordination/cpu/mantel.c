/*
 * Mantel tests on the CPU. Distances of the caller stay where they are, and ranks are stored as 32
 * bits: a distance is standardized where it is read, but for y and z if they fit into half of the
 * working memory. Rows of x, as many as fit into the rest, are written as a panel of the square
 * matrix. Then threads draw batches of permutations, and each row of x stays in the cache for all
 * permutations of a batch: its elements are taken in the order of the permutation, next to the row
 * of y of the point at its position.
 *
 * Limited by loads: a number of a point, which is in the second cache, an element of x from the
 * first, and one of y, in order from memory, for each product. Gathers of vector instructions are
 * not faster. A product with an element of y that is standardized again takes 15 % more time with
 * 2,000 points, where y is in the caches, and 3 % with 10,000.
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
  STRIP = 32,             /* rows of x that are written together: squares fit into the cache */
  OFTEN = 64,             /* rows of one permutation between two polls of the clock */
  BATCH_NUMBERS = 1 << 17 /* numbers of points of a batch, half of a second cache of 1 MiB */
};

/* What is stored of a side. */
typedef enum kind { DISTANCES, RANKS, STANDARDIZED } kind;

/* Distances of x, y or z, condensed, or their ranks. */
typedef struct side {
  kind kind;
  const double *value;   /* distances, or standardized numbers; or NULL, and */
  const uint32_t *twice; /* twice the ranks */
  double mean, norm;     /* a number is standardized as (number - mean) / norm */
  double *own_value;     /* what must be freed */
  uint32_t *own_twice;
} side;

typedef struct job {
  const gg_mantel_plan *plan;
  gg_call *call;
  int64_t pairs;
  side side[GG_MANTEL_SIDES];
  /* The pass over a side: */
  gg_mantel_pass pass;
  const side *v, *other;
  double number;
  double *chunk;    /* sums of chunks */
  double *standard; /* gets standardized numbers */
  int64_t room;     /* bytes for those of y, and as many of z */
  /* The sums: */
  int64_t sums, batch; /* all sums, and those of a batch */
  int32_t *identity;   /* n */
  int32_t *positions;  /* batch by n for each thread: the position of each point */
  double *panel;       /* rows by n: standardized rows of x */
  int64_t rows;        /* of the panel, at most */
  int64_t first, end;  /* rows of x that are in the panel */
  double begun, share; /* of the call's progress: the sums of the panel */
} job;

/* Returns the sum of the lanes, added pairwise; changes them. */
static double add_lanes(double *sum) {
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      sum[l] += sum[l + half];
  return sum[0];
}

/* --- Standardized distances ------------------------------------------------------------------- */

/* Returns a distance, or its rank. */
static inline double number_of(const side *s, kind kind, int64_t k) {
  return kind == RANKS ? 0.5 * (double)s->twice[k] : s->value[k];
}

/* Returns the same standardized. */
static inline double standardized(const side *s, kind kind, int64_t k) {
  return kind == STANDARDIZED ? s->value[k] : (number_of(s, kind, k) - s->mean) / s->norm;
}

/* Returns what a pass adds up for one distance. */
static inline double term_of(const job *j, gg_mantel_pass pass, kind kind, int64_t k) {
  if (pass == GG_MANTEL_PRODUCT)
    return standardized(j->v, kind, k) * standardized(j->other, kind, k);
  const double centered = number_of(j->v, kind, k) - j->number;
  return pass == GG_MANTEL_SUM ? centered : centered * centered;
}

/* Returns the sum of the terms of a pass over the pairs of a chunk. */
static inline double add_chunk(const job *j, gg_mantel_pass pass, kind kind, int64_t chunk) {
  const int64_t first = chunk * CHUNK, last = gg_smaller(j->pairs, first + CHUNK);
  double sum[LANES] = {0};
  int64_t k = first;
  for (; k + LANES <= last; k += LANES)
    for (int l = 0; l < LANES; ++l)
      sum[l] += term_of(j, pass, kind, k + l);
  for (int l = 0; k + l < last; ++l)
    sum[l] += term_of(j, pass, kind, k + l);
  return add_lanes(sum);
}

/* Returns the same, by a call for each pass, so the compiler makes a loop for each. */
static inline double add_chunk_of(const job *j, kind kind, int64_t chunk) {
  return j->pass == GG_MANTEL_SUM      ? add_chunk(j, GG_MANTEL_SUM, kind, chunk)
         : j->pass == GG_MANTEL_CENTER ? add_chunk(j, GG_MANTEL_CENTER, kind, chunk)
                                       : add_chunk(j, GG_MANTEL_PRODUCT, kind, chunk);
}

/* Writes the sums of a range of chunks; the loop's work. */
static void add_chunks(void *own, gg_range range) {
  const job *j = own;
  for (int64_t c = range.first; c < range.last; ++c)
    j->chunk[c] = j->v->kind == DISTANCES ? add_chunk_of(j, DISTANCES, c)
                  : j->v->kind == RANKS   ? add_chunk_of(j, RANKS, c)
                                          : add_chunk(j, GG_MANTEL_PRODUCT, STANDARDIZED, c);
}

/* Runs a pass over side s, and returns its sum. */
static double run_pass(job *j, int s, gg_mantel_pass pass, double number) {
  const int64_t chunks = (j->pairs + CHUNK - 1) / CHUNK;
  j->pass = pass;
  j->v = &j->side[s];
  j->number = number;
  gg_parallel_for(&(gg_loop){.threads = j->plan->threads,
                             .count = chunks,
                             .grain = 16, /* some 50 us */
                             .work = add_chunks,
                             .job = j});
  return gg_mantel_add(j->chunk, chunks);
}

/* True if all distances of a side, or their ranks, are equal. */
static bool all_equal(const side *s, int64_t count) {
  const double first = number_of(s, s->kind, 0);
  for (int64_t k = 1; k < count; ++k)
    if (number_of(s, s->kind, k) != first) return false;
  return true;
}

/* Frees what a side has of its own. */
static void free_side(side *s) {
  gg_free(s->own_value);
  gg_free(s->own_twice);
  s->own_value = NULL;
  s->own_twice = NULL;
}

/* Replaces the distances of side s by their ranks. */
static gpugeo_status rank_side(job *j, int s) {
  gg_call *call = j->call;
  if (call->status) return call->status;
  side *here = &j->side[s];
  uint32_t *twice = gg_allocate_large(j->pairs, sizeof *twice);
  if (!twice) return call->status = gg_fail_memory(call->error, j->pairs * (int64_t)sizeof *twice);
  gg_rank_distances(here->value, j->pairs, (gg_ranks){.twice = twice}, j->plan->threads,
                    j->plan->work_bytes, (s + 1) * gg_mantel_side_share, call);
  free_side(here);
  *here = (side){.kind = RANKS, .twice = twice, .own_twice = twice};
  return call->status;
}

/* Writes standardized numbers of a range of chunks; the loop's work. */
static void standardize_chunks(void *own, gg_range range) {
  const job *j = own;
  const int64_t last = gg_smaller(j->pairs, range.last * CHUNK);
  for (int64_t k = range.first * CHUNK; k < last; ++k)
    j->standard[k] = standardized(j->v, j->v->kind, k);
}

/* Replaces what is stored of a side by standardized numbers, if it is y or z and there is room. */
static gpugeo_status standardize_side(job *j, int s) {
  side *here = &j->side[s];
  if (s == 0 || j->pairs * (int64_t)sizeof(double) > j->room) return GPUGEO_OK;
  j->standard = gg_allocate_large(j->pairs, sizeof *j->standard);
  if (!j->standard)
    return j->call->status =
               gg_fail_memory(j->call->error, j->pairs * (int64_t)sizeof *j->standard);
  j->v = here;
  gg_parallel_for(&(gg_loop){.threads = j->plan->threads,
                             .count = (j->pairs + CHUNK - 1) / CHUNK,
                             .grain = 16,
                             .work = standardize_chunks,
                             .job = j});
  free_side(here);
  *here = (side){.kind = STANDARDIZED, .value = j->standard, .own_value = j->standard};
  return GPUGEO_OK;
}

/* Reads one side: its distances or their ranks, and what standardizes them. */
static gpugeo_status read_side(job *j, int s) {
  const gg_mantel_plan *plan = j->plan;
  side *here = &j->side[s];
  gg_tested_condensed(&plan->source[s], plan->name[s], false, &here->value, &here->own_value,
                      s * gg_mantel_side_share, gg_mantel_side_share, j->call);
  if (plan->ranked) rank_side(j, s);
  if (j->call->status) return j->call->status;
  double mean = run_pass(j, s, GG_MANTEL_SUM, 0) / (double)j->pairs;
  mean += run_pass(j, s, GG_MANTEL_SUM, mean) / (double)j->pairs;
  const double squares = run_pass(j, s, GG_MANTEL_CENTER, mean);
  here->mean = mean;
  here->norm = all_equal(here, j->pairs) ? NAN : sqrt(squares);
  return standardize_side(j, s);
}

/* --- Rows of x -------------------------------------------------------------------------------- */

/* Writes the rows first to last - 1 of x, at most STRIP, 0 on the diagonal: the part after it is a
   column of the condensed matrix, and the part before it is transposed. */
static inline void copy_rows(const job *j, kind kind, int64_t first, int64_t last) {
  const int64_t n = j->plan->n;
  const side *x = &j->side[0];
  double *panel = j->panel - j->first * n; /* row i of it is that of x */
  for (int64_t c0 = 0; c0 < last; c0 += STRIP)
    for (int64_t i = first; i < last; ++i)
      for (int64_t c = c0; c < c0 + STRIP && c < i; ++c)
        panel[i * n + c] = number_of(x, kind, gg_condensed_at(n, i, c));
  for (int64_t i = first; i < last; ++i) {
    const int64_t after = gg_condensed_at(n, i + 1, i);
    panel[i * n + i] = 0;
    for (int64_t c = i + 1; c < n; ++c)
      panel[i * n + c] = number_of(x, kind, after + c - i - 1);
  }
}

/* Writes strips of standardized rows of x into the panel; the loop's work. What stands on the
   diagonal is not used. */
static void fill_strips(void *own, gg_range range) {
  const job *j = own;
  const int64_t n = j->plan->n;
  const side *x = &j->side[0];
  for (int64_t strip = range.first; strip < range.last; ++strip) {
    const int64_t first = j->first + strip * STRIP, last = gg_smaller(j->end, first + STRIP);
    if (x->kind == RANKS)
      copy_rows(j, RANKS, first, last);
    else
      copy_rows(j, DISTANCES, first, last);
    double *number = j->panel + (first - j->first) * n;
    for (int64_t k = 0; k < (last - first) * n; ++k)
      number[k] = (number[k] - x->mean) / x->norm;
  }
}

/* --- Sums of products ------------------------------------------------------------------------- */

/* Returns the permutation of a sum, borrowed from the plan. */
static const int32_t *order_of(const job *j, int64_t sum) {
  const int64_t p = sum % (1 + j->plan->permutations);
  return p > 0 ? j->plan->order + (p - 1) * j->plan->n : j->identity;
}

/* Returns the sum of row[at[k]] * y[first + k], with y standardized. */
static inline double add_row(const double *row, const int32_t *at, const side *y, kind kind,
                             int64_t first, int64_t count) {
  double sum[LANES] = {0};
  int64_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (int l = 0; l < LANES; ++l)
      sum[l] += row[at[k + l]] * standardized(y, kind, first + k + l);
  for (int l = 0; k + l < count; ++l)
    sum[l] += row[at[k + l]] * standardized(y, kind, first + k + l);
  return add_lanes(sum);
}

/* Adds the products of row r of x to the sums of a batch. */
static void add_products(const job *j, int64_t first, int64_t count, int64_t r,
                         const int32_t *positions) {
  const gg_mantel_plan *plan = j->plan;
  const int64_t n = plan->n;
  const double *row = j->panel + (r - j->first) * n;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t at = positions[b * n + r], column = gg_condensed_column(n, at);
    const int32_t *order = order_of(j, first + b) + at + 1;
    const side *y = &j->side[first + b > plan->permutations ? 2 : 1];
    const int64_t later = n - 1 - at;
    plan->sums[first + b] += y->kind == STANDARDIZED
                                 ? add_row(row, order, y, STANDARDIZED, column, later)
                             : y->kind == RANKS ? add_row(row, order, y, RANKS, column, later)
                                                : add_row(row, order, y, DISTANCES, column, later);
  }
}

/* Adds the rows of the panel to the sums of a batch. Stops early if the call must. */
static void take_batch(const job *j, int64_t first, int32_t worker) {
  const int64_t n = j->plan->n, count = gg_smaller(j->sums - first, j->batch);
  int32_t *positions = j->positions + worker * j->batch * n;
  const double done = j->begun + j->share * (double)first / (double)j->sums;
  for (int64_t b = 0; b < count; ++b) {
    const int32_t *order = order_of(j, first + b);
    for (int64_t i = 0; i < n; ++i)
      positions[b * n + order[i]] = (int32_t)i;
  }
  for (int64_t r = j->first, added = 0; r < j->end; ++r) {
    add_products(j, first, count, r, positions);
    added += count;
    if (added >= OFTEN && gg_clock_poll(j->call->clock, done)) break;
    if (added >= OFTEN) added = 0;
  }
}

/* Adds to the sums of a range of batches of permutations; the loop's work. */
static void take_batches(void *own, gg_range range) {
  const job *j = own;
  for (int64_t k = range.first; k < range.last; ++k)
    take_batch(j, k * j->batch, range.worker);
}

/* Writes the panel and adds its rows to the sums of all permutations. */
static gpugeo_status add_panel(job *j) {
  gg_loop loop = {.threads = j->plan->threads,
                  .count = (j->end - j->first + STRIP - 1) / STRIP,
                  .grain = 1,
                  .work = fill_strips,
                  .job = j,
                  .begun = j->begun};
  gg_call_loop(j->call, loop);
  loop.count = (j->sums + j->batch - 1) / j->batch;
  loop.work = take_batches;
  loop.share = j->share;
  return gg_call_loop(j->call, loop);
}

/* Computes the sums of products of all permutations, panel by panel. */
static gpugeo_status add_all(job *j) {
  const int64_t n = j->plan->n;
  const double left = 1 - gg_mantel_sums_begin;
  for (int64_t k = 0; k < j->sums; ++k)
    j->plan->sums[k] = 0;
  for (j->first = 0; !j->call->status && j->first < n; j->first = j->end) {
    j->end = gg_smaller(n, j->first + j->rows);
    j->begun = gg_mantel_sums_begin + left * (double)j->first / (double)n;
    j->share = left * (double)(j->end - j->first) / (double)n;
    add_panel(j);
  }
  return j->call->status;
}

/* --- A call ----------------------------------------------------------------------------------- */

/* Returns the number of sums of a batch, so each thread has some batches. */
static int64_t size_of_batch(const gg_mantel_plan *plan, int64_t sums) {
  const int64_t fits = BATCH_NUMBERS / plan->n, fair = sums / (4 * plan->threads);
  const int64_t size = gg_smaller(fits, fair);
  return size > 1 ? size : 1;
}

/* Divides the working memory: half of it for y and z, if they fit there, and the rest for rows of
   x, at least STRIP. */
static void divide_memory(job *j) {
  const gg_mantel_plan *plan = j->plan;
  const int64_t bytes = plan->work_bytes ? plan->work_bytes : GG_WORK_BYTES;
  const int64_t pairs = j->pairs * (int64_t)sizeof(double), all = pairs * (plan->sides - 1);
  const bool fits = all <= bytes / 2;
  j->room = fits ? pairs : 0;
  const int64_t left = bytes - (fits ? all : 0);
  const int64_t strips = left / (plan->n * (int64_t)sizeof(double)) / STRIP;
  j->rows = gg_smaller(plan->n, STRIP * (strips > 1 ? strips : 1));
}

/* Allocates the job's arrays, but those of sides; fails without memory. */
static gpugeo_status allocate_job(job *j) {
  const int64_t n = j->plan->n, numbers = j->plan->threads * j->batch * n;
  const int64_t chunks = (j->pairs + CHUNK - 1) / CHUNK;
  j->chunk = gg_allocate(chunks, sizeof *j->chunk);
  j->identity = gg_allocate(n, sizeof *j->identity);
  j->positions = gg_allocate(numbers, sizeof *j->positions);
  for (int64_t i = 0; j->identity && i < n; ++i)
    j->identity[i] = (int32_t)i;
  if (j->chunk && j->identity && j->positions) return GPUGEO_OK;
  return j->call->status = gg_fail_memory(j->call->error, 8 * chunks + 4 * (n + numbers));
}

/* Allocates the panel and computes all sums. */
static gpugeo_status add_panels(job *j) {
  gg_call *call = j->call;
  if (call->status) return call->status;
  const int64_t count = j->rows * j->plan->n;
  j->panel = gg_allocate_large(count, sizeof *j->panel);
  if (!j->panel)
    return call->status = gg_fail_memory(call->error, count * (int64_t)sizeof *j->panel);
  add_all(j);
  gg_free(j->panel);
  return call->status;
}

gpugeo_status gg_cpu_mantel(const gg_mantel_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = plan->n, sums = (plan->sides - 1) * (1 + plan->permutations);
  job j = {.plan = plan,
           .call = call,
           .pairs = n * (n - 1) / 2,
           .sums = sums,
           .batch = size_of_batch(plan, sums)};
  divide_memory(&j);
  allocate_job(&j);
  for (int s = 0; !call->status && s < plan->sides; ++s)
    read_side(&j, s);
  if (!call->status && plan->sides > 2) {
    j.other = &j.side[2];
    *plan->yz = run_pass(&j, 1, GG_MANTEL_PRODUCT, 0);
  }
  add_panels(&j);
  for (int s = 0; s < plan->sides; ++s)
    free_side(&j.side[s]);
  gg_free(j.chunk);
  gg_free(j.identity);
  gg_free(j.positions);
  return call->status;
}
