#include "ordination/tested.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

gpugeo_status gg_tested_check_memory(const gg_dist_source *source, double bytes,
                                     gpugeo_error *error) {
  const double n = (double)source->n, working = gg_dist_source_working(source, 1024, 1024);
  return gg_check_memory(working + 256 * n + bytes * n * (n - 1) / 2, "", error,
                         "a test of %lld points needs", (long long)source->n);
}

gpugeo_status gg_check_distances(const char *name, const gg_bad_distances *unfit,
                                 const gg_bad_distances *negative, gpugeo_error *error) {
  if (unfit->count > 0) return gg_fail_distances(name, unfit, error);
  if (negative->count == 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_DATA, name,
                 "%s must have distances of at least 0, but %lld %s negative; the first is %s, "
                 "between points %lld and %lld",
                 name, (long long)negative->count, negative->count == 1 ? "is" : "are",
                 gg_number(negative->value).text, (long long)negative->j + 1,
                 (long long)negative->i + 1);
}

/* Checks a number of columns or groups, of which the points are the most. */
static gpugeo_status check_count(const char *name, int64_t count, int64_t points,
                                 gpugeo_error *error) {
  if (count >= 0 && count <= points) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                 "%s must be a whole number between 0 and %lld, the number of points, not %lld",
                 name, (long long)points, (long long)count);
}

/* Checks that there are at most as many columns as points and all numbers of the basis are finite.
 */
static gpugeo_status check_basis(const gpugeo_design *design, gpugeo_error *error) {
  const gpugeo_status status = check_count("columns", design->columns, design->points, error);
  if (status) return status;
  for (int64_t i = 0; i < design->points * design->columns; ++i)
    if (!isfinite(design->basis[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "basis",
                     "basis must be finite, but column %lld is %s for point %lld",
                     (long long)(i / design->points) + 1, gg_number(design->basis[i]).text,
                     (long long)(i % design->points) + 1);
  return GPUGEO_OK;
}

/* Checks that there are at most as many groups as points, numbered from 0 to groups - 1. */
static gpugeo_status check_group(const gpugeo_design *design, gpugeo_error *error) {
  const gpugeo_status status = check_count("groups", design->groups, design->points, error);
  if (status) return status;
  for (int64_t i = 0; i < design->points; ++i)
    if (design->group[i] < 0 || design->group[i] >= design->groups)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                     "group must have numbers of at least 0 and less than %lld, but that of point "
                     "%lld is %d",
                     (long long)design->groups, (long long)i + 1, design->group[i]);
  return GPUGEO_OK;
}

/* Permutations of n points that are checked. */
typedef struct order_job {
  const int32_t *order;
  int64_t n, permutations;
  gg_lock lock; /* of: */
  int64_t first_bad;
  bool without_memory;
} order_job;

/* Returns the first element that is none of the numbers from 0 to n - 1, or is there before it; n
   if there is none. seen: room for n bits. */
static int64_t find_wrong(const int32_t *order, int64_t n, uint64_t *seen) {
  memset(seen, 0, (size_t)(n / 64 + 1) * sizeof *seen);
  for (int64_t i = 0; i < n; ++i) {
    if (order[i] < 0 || order[i] >= n) return i;
    const uint64_t bit = (uint64_t)1 << order[i] % 64;
    if (seen[order[i] / 64] & bit) return i;
    seen[order[i] / 64] |= bit;
  }
  return n;
}

/* Looks for the first permutation of a range that has a number twice or none of it; the loop's
   work. */
static void check_orders(void *own, gg_range range) {
  order_job *job = own;
  uint64_t *seen = gg_allocate(job->n / 64 + 1, sizeof *seen);
  int64_t p = range.first;
  while (seen && p < range.last && find_wrong(job->order + p * job->n, job->n, seen) == job->n)
    ++p;
  gg_lock_take(&job->lock);
  job->without_memory = job->without_memory || !seen;
  if (p < range.last && p < job->first_bad) job->first_bad = p;
  gg_lock_give(&job->lock);
  gg_free(seen);
}

/* Fails with the number that the permutation has twice or that is out of range. */
static gpugeo_status fail_order(const int32_t *order, int64_t n, int64_t permutation,
                                gpugeo_error *error) {
  uint64_t *seen = gg_allocate(n / 64 + 1, sizeof *seen);
  if (!seen) return gg_fail_memory(error, n / 8);
  const int64_t at = order[find_wrong(order, n, seen)];
  gg_free(seen);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                 "permutations must have each of the numbers 1 to %lld once, but permutation %lld "
                 "has %s%lld",
                 (long long)n, (long long)permutation + 1, at >= 0 && at < n ? "two of " : "",
                 (long long)at + 1);
}

gpugeo_status gg_check_order(const int32_t *order, int64_t n, int64_t permutations, int32_t threads,
                             gpugeo_error *error) {
  if (permutations < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                   "permutations must be a whole number of at least 0, not %lld",
                   (long long)permutations);
  if (permutations > 0 && !order)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "order", "order must not be NULL");
  if (permutations > INT64_MAX / 16 / n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                   "permutations must be at most %lld for %lld points, not %lld",
                   (long long)(INT64_MAX / 16 / n), (long long)n, (long long)permutations);
  order_job job = {.order = order, .n = n, .permutations = permutations, .first_bad = permutations};
  gg_lock_make(&job.lock);
  gg_parallel_for(
      &(gg_loop){.threads = gg_threads_for(threads, 10 * (double)n * (double)permutations),
                 .count = permutations,
                 .grain = 1 + 500000 / n, /* at most some 1 ms */
                 .work = check_orders,
                 .job = &job});
  gg_lock_free(&job.lock);
  if (job.without_memory) return gg_fail_memory(error, n / 8);
  if (job.first_bad == permutations) return GPUGEO_OK;
  return fail_order(order + job.first_bad * n, n, job.first_bad, error);
}

gpugeo_status gg_check_design(const gpugeo_design *design, int64_t n, int32_t threads,
                              gpugeo_error *error) {
  if (!design || (design->basis != NULL) + (design->group != NULL) != 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design", "design must have a basis or groups");
  for (size_t i = 0; i < sizeof design->reserved / sizeof *design->reserved; ++i)
    if (design->reserved[i])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design",
                     "design must have 0 in what is reserved");
  if (design->points != n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design",
                   "design must have a row for each of the %lld points, not %lld", (long long)n,
                   (long long)design->points);
  const gpugeo_status status =
      design->basis ? check_basis(design, error) : check_group(design, error);
  return status ? status : gg_check_order(design->order, n, design->permutations, threads, error);
}

gpugeo_status gg_check_groups(const gpugeo_design *design, int64_t n, int32_t threads,
                              gpugeo_error *error) {
  const gpugeo_status status = gg_check_design(design, n, threads, error);
  if (status || design->group) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design", "design must have groups");
}

void gg_count_points(const gpugeo_design *design, double *count) {
  for (int64_t g = 0; g < design->groups; ++g)
    count[g] = 0;
  for (int64_t i = 0; i < design->points; ++i)
    ++count[design->group[i]];
}

/* Fails if one of the condensed distances is missing or, unless infinite ones are allowed,
 * infinite.
 */
static gpugeo_status check_condensed(const double *value, int64_t n, const char *name,
                                     bool infinite, gpugeo_error *error) {
  gg_bad_distances bad = {.count = 0};
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i, ++value)
      if (isnan(*value) || (isinf(*value) && !infinite)) gg_bad_distances_add(&bad, i, j, *value);
  return bad.count == 0 ? GPUGEO_OK : gg_fail_distances(name, &bad, error);
}

gpugeo_status gg_tested_condensed(const gg_dist_source *source, const char *name, bool infinite,
                                  const double **value, double **own, double done, double share,
                                  gg_call *call) {
  if (call->status) return call->status;
  const int64_t pairs = source->n * (source->n - 1) / 2;
  *own = NULL;
  if (!source->condensed) {
    *own = gg_allocate_large(pairs, sizeof **own);
    if (!*own) return GG_TRY(call, gg_fail_memory(call->error, pairs * (int64_t)sizeof **own));
    gg_dist_source_condensed(source, *own, done, share, call);
  }
  *value = *own ? *own : source->condensed;
  return GG_TRY(call, check_condensed(*value, source->n, name, infinite, call->error));
}
