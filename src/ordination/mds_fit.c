/*
 * Disparities for multidimensional scaling. Monotone regression is by pool adjacent violators
 * (Kruskal 1964): pairs in the order of their given distance, those of the same distance in the
 * order of their distance in the configuration (the primary treatment of ties). A pair is added
 * with the blocks before it in one order, so the bits depend on neither the threads nor the
 * instructions.
 */
#include "ordination/mds_fit.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { FEW = 24 /* at most so many ties are sorted by insertion */ };

double gg_mds_fit_working(int64_t n, bool ordinal, bool squared) {
  const double pairs = (double)n * (double)(n - 1) / 2;
  const double order = sizeof(int32_t) + sizeof(bool), sorter = 2 * (8 + sizeof(int32_t));
  const double blocks = 2 * sizeof(double) + sizeof(int32_t), values = 2 * sizeof(double);
  return pairs *
             (values + (squared ? sizeof(double) : 0) + (ordinal ? order + blocks + sorter : 0)) +
         (double)n * GG_MDS_FIT_SUMS * sizeof(double);
}

/* Returns the scaled weight of a pair. */
static double weight_of(const gg_mds_fit *fit, int64_t at) {
  return fit->weight ? fit->weight[at] * fit->weight_scale : 1;
}

/* --- The order of pairs ----------------------------------------------------------------------- */

/* Sorts keys of `count` pairs, which the sorter's values name. Equal ones keep their order. */
static gpugeo_status sort_keys(gg_mds_fit *fit, int64_t count, gpugeo_error *error) {
  gg_radix *sorter = &fit->sorter;
  uint64_t smallest = UINT64_MAX, largest = 0;
  for (int64_t t = 0; t < count; ++t) {
    smallest = sorter->key[t] < smallest ? sorter->key[t] : smallest;
    largest = sorter->key[t] > largest ? sorter->key[t] : largest;
  }
  for (int64_t t = 0; t < count; ++t)
    sorter->key[t] -= smallest;
  return gg_radix_sort(sorter, count, gg_radix_bits(largest - smallest), fit->threads)
             ? GPUGEO_OK
             : gg_fail_interrupt(error);
}

/* Puts the pairs with a weight into the order of their given distance. */
static gpugeo_status order_pairs(gg_mds_fit *fit, gpugeo_error *error) {
  gg_radix *sorter = &fit->sorter;
  fit->count = 0;
  for (int64_t at = 0; at < fit->pairs; ++at) {
    if (!(weight_of(fit, at) > 0)) continue;
    sorter->key[fit->count] = gg_radix_key(fit->delta[at]);
    sorter->value[fit->count++] = (int32_t)at;
  }
  const gpugeo_status status = sort_keys(fit, fit->count, error);
  if (status) return status;
  for (int64_t t = 0; t < fit->count; ++t) {
    fit->order[t] = sorter->value[t];
    fit->tied[t] = t + 1 < fit->count && sorter->key[t] == sorter->key[t + 1];
  }
  return GPUGEO_OK;
}

/* Sorts a few pairs by their values. */
static void insert_ties(const gg_mds_fit *fit, int32_t *order, int64_t count) {
  for (int64_t t = 1; t < count; ++t) {
    const int32_t pair = order[t];
    int64_t at = t;
    for (; at > 0 && fit->value[order[at - 1]] > fit->value[pair]; --at)
      order[at] = order[at - 1];
    order[at] = pair;
  }
}

/* Sorts pairs of the same distance by their values. */
static gpugeo_status sort_ties(gg_mds_fit *fit, gpugeo_error *error) {
  gg_radix *sorter = &fit->sorter;
  for (int64_t first = 0, end; first < fit->count; first = end) {
    int32_t *order = fit->order + first;
    for (end = first; fit->tied[end];)
      ++end;
    const int64_t count = ++end - first;
    if (count <= FEW) {
      insert_ties(fit, order, count);
      continue;
    }
    for (int64_t t = 0; t < count; ++t) {
      sorter->key[t] = gg_radix_key(fit->value[order[t]]);
      sorter->value[t] = order[t];
    }
    const gpugeo_status status = sort_keys(fit, count, error);
    if (status) return status;
    memcpy(order, sorter->value, (size_t)count * sizeof *order);
  }
  return GPUGEO_OK;
}

/* --- Monotone regression ---------------------------------------------------------------------- */

/* Pools pairs in their order into blocks whose means rise. Returns the number of blocks. */
static int64_t pool_pairs(gg_mds_fit *fit) {
  const gg_mds_blocks b = fit->blocks;
  int64_t count = 0;
  for (int64_t t = 0; t < fit->count; ++t) {
    const int64_t at = fit->order[t];
    double weight = weight_of(fit, at), sum = weight * fit->value[at];
    for (; count > 0 && b.sum[count - 1] / b.weight[count - 1] >= sum / weight; --count) {
      sum += b.sum[count - 1];
      weight += b.weight[count - 1];
    }
    b.sum[count] = sum;
    b.weight[count] = weight;
    b.end[count++] = (int32_t)(t + 1);
  }
  return count;
}

/* Writes the means of blocks as disparities, at the scale where the sum of squares is the total. */
static void write_means(gg_mds_fit *fit, int64_t count) {
  const gg_mds_blocks b = fit->blocks;
  double squares = 0;
  for (int64_t block = 0; block < count; ++block)
    squares += b.sum[block] * (b.sum[block] / b.weight[block]);
  const double unit = fit->squared ? 1 : fit->scale;
  const double factor = squares > 0 ? sqrt(fit->total / squares) : 0;
  for (int64_t block = 0, t = 0; block < count; ++block) {
    const double mean = b.sum[block] / b.weight[block] * factor / unit;
    for (; t < b.end[block]; ++t)
      fit->fitted[fit->order[t]] = mean;
  }
}

/* --- Values ----------------------------------------------------------------------------------- */

/* A configuration whose pairs are measured. */
typedef struct measuring {
  const gg_mds_fit *fit;
  const double *x;
  int64_t padded, k;
} measuring;

/* Writes the values of columns of pairs; the loop's work. */
static void measure_columns(void *own, gg_range range) {
  const measuring *m = own;
  const gg_mds_fit *fit = m->fit;
  for (int64_t j = range.first; j < range.last; ++j) {
    const int64_t first = j * (2 * fit->n - j - 1) / 2, count = fit->n - 1 - j;
    double *value = fit->value + first;
    memset(value, 0, (size_t)count * sizeof *value);
    for (int64_t c = 0; c < m->k; ++c) {
      const double *x = m->x + c * m->padded + j + 1, own_x = x[-1];
      for (int64_t i = 0; i < count; ++i)
        value[i] += (x[i] - own_x) * (x[i] - own_x);
    }
    for (int64_t i = 0; !fit->squared && i < count; ++i)
      value[i] = sqrt(value[i]);
  }
}

gpugeo_status gg_mds_fit_to(gg_mds_fit *fit, const double *x, int64_t padded, int64_t k,
                            double progress, gpugeo_error *error) {
  measuring m = {.fit = fit, .x = x, .padded = padded, .k = k};
  const gg_loop loop = {.threads = fit->threads,
                        .count = fit->n - 1,
                        .work = measure_columns,
                        .job = &m,
                        .clock = fit->clock,
                        .begun = progress};
  if (!gg_parallel_for(&loop)) return gg_fail_interrupt(error);
  if (!fit->ordinal) return GPUGEO_OK;
  const gpugeo_status status = sort_ties(fit, error);
  if (!status) write_means(fit, pool_pairs(fit));
  return status;
}

/* --- A fit ------------------------------------------------------------------------------------ */

/* Allocates what a fit needs. */
static gpugeo_status allocate_fit(gg_mds_fit *fit, gpugeo_error *error) {
  const int64_t pairs = fit->pairs;
  fit->value = gg_allocate_large(pairs, sizeof *fit->value);
  fit->fitted = gg_allocate_large(pairs, sizeof *fit->fitted);
  fit->sums = gg_allocate(GG_MDS_FIT_SUMS * fit->n, sizeof *fit->sums);
  if (fit->squared) fit->residual = gg_allocate_large(pairs, sizeof *fit->residual);
  bool there = fit->value && fit->fitted && fit->sums && (fit->residual || !fit->squared);
  if (there && fit->ordinal) {
    fit->order = gg_allocate_large(pairs, sizeof *fit->order);
    fit->tied = gg_allocate_large(pairs, sizeof *fit->tied);
    fit->blocks.sum = gg_allocate_large(pairs, sizeof *fit->blocks.sum);
    fit->blocks.weight = gg_allocate_large(pairs, sizeof *fit->blocks.weight);
    fit->blocks.end = gg_allocate_large(pairs, sizeof *fit->blocks.end);
    there = fit->order && fit->tied && fit->blocks.sum && fit->blocks.weight && fit->blocks.end &&
            gg_radix_allocate(&fit->sorter, pairs, fit->threads);
    fit->sorter.clock = fit->clock;
  }
  return there ? GPUGEO_OK : gg_fail_memory(error, pairs * (int64_t)sizeof *fit->value);
}

/* Writes the given distances as disparities, and sets the total. */
static void start_from_distances(gg_mds_fit *fit) {
  fit->total = 0;
  for (int64_t at = 0; at < fit->pairs; ++at) {
    const double weight = weight_of(fit, at), d = fit->delta[at] * fit->scale;
    const double value = fit->squared ? d * d : d;
    fit->fitted[at] = !(weight > 0) ? 0 : fit->squared ? value : fit->delta[at];
    fit->total += weight * value * value;
  }
}

gpugeo_status gg_mds_fit_make(gg_mds_fit *fit, gg_mds_plan *plan, bool ordinal, bool squared,
                              gg_call *call) {
  if (call->status) return call->status;
  *fit = (gg_mds_fit){.ordinal = ordinal,
                      .squared = squared,
                      .n = plan->n,
                      .pairs = plan->n * (plan->n - 1) / 2,
                      .threads = plan->threads,
                      .clock = call->clock,
                      .delta = plan->delta,
                      .weight = plan->weight,
                      .scale = plan->scale,
                      .weight_scale = plan->weight_scale};
  if (GG_TRY(call, allocate_fit(fit, call->error))) return call->status;
  start_from_distances(fit);
  if (ordinal) GG_TRY(call, order_pairs(fit, call->error));
  plan->delta = fit->fitted;
  plan->squares = fit->total;
  if (squared) plan->weight = fit->residual, plan->weight_scale = 1;
  plan->fit = fit;
  return call->status;
}

void gg_mds_fit_free(gg_mds_fit *fit) {
  gg_free(fit->value);
  gg_free(fit->fitted);
  gg_free(fit->residual);
  gg_free(fit->sums);
  gg_free(fit->order);
  gg_free(fit->tied);
  gg_free(fit->blocks.sum);
  gg_free(fit->blocks.weight);
  gg_free(fit->blocks.end);
  gg_radix_free(&fit->sorter);
  *fit = (gg_mds_fit){.n = 0};
}

void gg_mds_fit_write(const gg_mds_fit *fit, double *disparities) {
  for (int64_t at = 0; at < fit->pairs; ++at)
    if (!(weight_of(fit, at) > 0))
      disparities[at] = NAN;
    else
      disparities[at] = fit->squared ? sqrt(fit->fitted[at]) / fit->scale : fit->fitted[at];
}
