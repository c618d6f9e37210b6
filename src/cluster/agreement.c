/* What two clusterings have in common: their contingency table is counted in sorted pairs, in
   O(n log n) time. Counts of pairs are exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/portable_log.h"
#include "gpugeo.h"

/* The counts of a clustering, or of the table of both. */
typedef struct counts {
  int64_t groups;
  double pairs;   /* of points in one group */
  double entropy; /* in nats */
} counts;

/* Compares keys, for qsort(). */
static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Counts runs of equal keys, which it sorts. */
static counts count_groups(uint64_t *key, int64_t n) {
  counts made = {0, 0, 0};
  int64_t pairs = 0;
  qsort(key, (size_t)n, sizeof *key, compare_keys);
  for (int64_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && key[last] == key[first]; ++last) {
    }
    const int64_t size = last - first;
    const double part = (double)size / (double)n;
    ++made.groups;
    pairs += size * (size - 1) / 2;
    made.entropy -= part * gg_log(part);
  }
  made.pairs = (double)pairs;
  return made;
}

/* Returns the adjusted Rand index: 1 if the pairs that are expected are as many as there can be. */
static double adjusted_rand(double both, double a, double b, double all) {
  const double expected = a * b, most = (a + b) / 2 * all; /* times all */
  return expected == most ? 1 : (both * all - expected) / (most - expected);
}

/* Returns the information as part of a mean of the entropies, at most 1. */
static double normalize(double information, double mean) {
  return mean > 0 ? fmin(information / mean, 1) : 0;
}

/* Sets the result by the counts of both clusterings and of their table. */
static void set_result(const counts *a, const counts *b, const counts *both, int64_t n,
                       gpugeo_agreement_result *r) {
  const double h = a->entropy, g = b->entropy;
  const bool same = both->groups == a->groups && both->groups == b->groups;
  r->entropy[0] = h;
  r->entropy[1] = g;
  r->information = same ? h : fmax(h + g - both->entropy, 0);
  r->rand =
      same ? 1 : adjusted_rand(both->pairs, a->pairs, b->pairs, (double)n * (double)(n - 1) / 2);
  r->nmi_arithmetic = same ? 1 : normalize(r->information, (h + g) / 2);
  r->nmi_geometric = same ? 1 : normalize(r->information, sqrt(h * g));
  r->nmi_min = same ? 1 : normalize(r->information, fmin(h, g));
  r->nmi_max = same ? 1 : normalize(r->information, fmax(h, g));
}

/* Fills the keys: of a, of b, or of both where a and b are given. */
static void fill_keys(const int32_t *a, const int32_t *b, int64_t n, uint64_t *key) {
  for (int64_t i = 0; i < n; ++i)
    key[i] = (a ? (uint64_t)(uint32_t)a[i] << 32 : 0) | (b ? (uint32_t)b[i] : 0);
}

gpugeo_status gpugeo_agreement(const int32_t *a, const int32_t *b, int64_t n,
                               gpugeo_agreement_result *result, gpugeo_error *error) {
  if (n < 0 || n > INT32_MAX || ((!a || !b) && n > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "n",
                   "n must be between 0 and %ld, the number of points of both clusterings, not "
                   "%lld",
                   (long)INT32_MAX, (long long)n);
  uint64_t *key = gg_allocate(n, sizeof *key);
  if (!key) return gg_fail_memory(error, 8 * n);
  fill_keys(a, NULL, n, key);
  const counts of_a = count_groups(key, n);
  fill_keys(NULL, b, n, key);
  const counts of_b = count_groups(key, n);
  fill_keys(a, b, n, key);
  const counts both = count_groups(key, n);
  gg_free(key);
  set_result(&of_a, &of_b, &both, n, result);
  return GPUGEO_OK;
}
