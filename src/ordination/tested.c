#include "ordination/tested.h"

#include <math.h>

#include "common/error.h"
#include "common/memory.h"

gpugeo_status gg_tested_open(const char *name, const gpugeo_distances *x,
                             const gpugeo_metric_options *metric, gpugeo_points points,
                             const gpugeo_run *run, gg_family family, double bytes,
                             gg_dist_source *source, gpugeo_error *error) {
  *source = (gg_dist_source){.n = 0};
  gpugeo_status status = gg_check_family(run, family, error);
  if (!status) status = gg_dist_source_open(name, x, metric, points, run, false, source, error);
  if (status) return status;
  if (source->n < 2 || source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name, "%s must have 2 to %d points, not %lld",
                   name, INT32_MAX, (long long)source->n);
  const double n = (double)source->n, working = gg_dist_source_working(source, 1024, 1024);
  return gg_check_memory(working + 256 * n + bytes * n * (n - 1) / 2, "", error,
                         "a test of %lld points needs", (long long)source->n);
}

static gpugeo_status check_basis(const gpugeo_design *design, gpugeo_error *error) {
  if (design->columns < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "columns",
                   "columns must be a whole number of at least 0, not %lld",
                   (long long)design->columns);
  for (int64_t i = 0; i < design->points * design->columns; ++i)
    if (!isfinite(design->basis[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "basis",
                     "basis must be finite, but column %lld is %s for point %lld",
                     (long long)(i / design->points) + 1, gg_number(design->basis[i]).text,
                     (long long)(i % design->points) + 1);
  return GPUGEO_OK;
}

static gpugeo_status check_group(const gpugeo_design *design, gpugeo_error *error) {
  for (int64_t i = 0; i < design->points; ++i)
    if (design->group[i] < 0 || design->group[i] >= design->groups)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                     "group must have numbers of at least 0 and less than %lld, but that of point "
                     "%lld is %d",
                     (long long)design->groups, (long long)i + 1, design->group[i]);
  return GPUGEO_OK;
}

gpugeo_status gg_check_order(const int32_t *order, int64_t n, int64_t permutations,
                             gpugeo_error *error) {
  if (permutations < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                   "permutations must be a whole number of at least 0, not %lld",
                   (long long)permutations);
  int64_t *last = gg_allocate_zeros(n, sizeof *last); /* permutation, from 1, that has a point */
  gpugeo_status status = last ? GPUGEO_OK : gg_fail_memory(error, n * (int64_t)sizeof *last);
  for (int64_t p = 1; !status && p <= permutations; ++p)
    for (int64_t i = 0; !status && i < n; ++i) {
      const int64_t at = order[i + (p - 1) * n];
      const bool there = at >= 0 && at < n;
      if (!there || last[at] == p)
        status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                         "permutations must have each of the numbers 1 to %lld once, but "
                         "permutation %lld has %s%lld",
                         (long long)n, (long long)p, there ? "two of " : "", (long long)at + 1);
      else
        last[at] = p;
    }
  gg_free(last);
  return status;
}

gpugeo_status gg_check_design(const gpugeo_design *design, int64_t n, gpugeo_error *error) {
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
  return status ? status : gg_check_order(design->order, n, design->permutations, error);
}

gpugeo_status gg_check_groups(const gpugeo_design *design, int64_t n, gpugeo_error *error) {
  const gpugeo_status status = gg_check_design(design, n, error);
  if (status || design->group) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design", "design must have groups");
}

void gg_count_points(const gpugeo_design *design, double *count) {
  for (int64_t g = 0; g < design->groups; ++g)
    count[g] = 0;
  for (int64_t i = 0; i < design->points; ++i)
    ++count[design->group[i]];
}

gpugeo_status gg_tested_condensed(gg_dist_source *source, const char *name, bool infinite,
                                  double *out, gg_clock *clock, double done, double share,
                                  gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status status = gg_dist_source_start(source, clock, error);
  if (!status) status = gg_dist_source_condensed(source, out, clock, done, share, report, error);
  gg_bad_distances bad = {.count = 0};
  const double *value = out;
  for (int64_t j = 0; !status && j < source->n; ++j)
    for (int64_t i = j + 1; i < source->n; ++i, ++value)
      if ((isnan(*value) || (isinf(*value) && !infinite)) && bad.count++ == 0)
        bad = (gg_bad_distances){.count = 1, .i = i, .j = j, .value = *value};
  return status || bad.count == 0 ? status : gg_fail_distances(name, &bad, error);
}
