/*
 * Expected numbers of species in subsamples: the sum over species of 1 - q, where a species of c of
 * N individuals is absent from n of them with the probability q = choose(N - c, n) / choose(N, n).
 * Species with the same count are taken together. One thread.
 */
#include <stdlib.h>

#include "common/backend.h"
#include "common/compare.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/portable_log.h"
#include "communities/table.h"

enum { FACTORS_MOST = 32 /* q is a product of at most so many factors, which is exact enough */ };

/* Returns what Stirling's formula lacks of log(x!), for x of at least 16, within 1e-16. */
static double stirling_rest(double x) {
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

/* Returns log(q). With Stirling's formula for the four factorials, log(N) drops out, and what is
   left is of the size of c, not of N. */
static double log_absent(double total, double count, double n) {
  const double rest = total - count - n, fewer = count < n ? count : n;
  if (rest < 0) return -INFINITY;
  if (fewer > FACTORS_MOST && rest >= 16)
    return (total - count + 0.5) * gg_log1p(-count / total) + count * gg_log1p(-n / total) -
           (rest + 0.5) * gg_log1p(-count / (total - n)) + stirling_rest(total - count) +
           stirling_rest(total - n) - stirling_rest(total) - stirling_rest(rest);
  const double more = count < n ? n : count;
  double sum = 0;
  for (double k = 0; k < fewer; ++k)
    sum += gg_log1p(-more / (total - k));
  return sum;
}

/* A count of individuals, and how many species of a site have it. */
typedef struct abundance {
  double count, species, absent; /* absent: q */
} abundance;

/* Sorts the counts of a site and puts equal ones together. Returns how many there are. */
static int64_t find_abundances(double *count, int64_t species, abundance *found) {
  int64_t different = 0;
  qsort(count, (size_t)species, sizeof *count, gg_compare_doubles);
  for (int64_t k = 0; k < species; ++k)
    if (different > 0 && found[different - 1].count == count[k])
      ++found[different - 1].species;
    else
      found[different++] = (abundance){count[k], 1, 0};
  return different;
}

/* Returns the variance of the number of species. */
static double variance_of(const abundance *found, int64_t different, double total, double n) {
  double sum = 0;
  for (int64_t i = 0; i < different; ++i) {
    const abundance *a = found + i;
    sum += a->species * a->absent * (1 - a->absent);
    for (int64_t j = 0; j <= i; ++j) {
      const abundance *b = found + j;
      const double both = gg_exp(log_absent(total, a->count + b->count, n));
      const double pairs = i == j ? a->species * (a->species - 1) : 2 * a->species * b->species;
      sum += pairs * (both - a->absent * b->absent);
    }
  }
  return sum > 0 ? sum : 0;
}

/* The counts above 0 of all sites, those of site i from start[i] on. */
typedef struct site_counts {
  int64_t *start;
  double *count;
  abundance *found; /* for the largest site */
} site_counts;

/* Returns the number of individuals of a site. */
static double count_individuals(const abundance *found, int64_t different) {
  double total = 0;
  for (int64_t k = 0; k < different; ++k)
    total += found[k].count * found[k].species;
  return total;
}

/* Writes the numbers of a site with so many different abundances. */
static void rarefy_site(abundance *found, int64_t different, double n, double *species,
                        double *error) {
  const double total = count_individuals(found, different);
  *species = 0;
  for (int64_t k = 0; k < different; ++k) {
    const double absent = total > n ? log_absent(total, found[k].count, n) : -INFINITY;
    found[k].absent = gg_exp(absent);
    *species -= found[k].species * gg_expm1(absent);
  }
  if (error) *error = total > n ? sqrt(variance_of(found, different, total, n)) : 0;
}

/* Counts an element above 0. */
static void count_positive(double *value, int64_t index, void *own) {
  ((int64_t *)own)[index + 1] += *value > 0;
}

/* What place_count() writes to. */
typedef struct placement {
  int64_t *next;
  double *count;
} placement;

/* Writes an element above 0 to the counts of its site. */
static void place_count(double *value, int64_t index, void *own) {
  const placement *to = own;
  if (*value > 0) to->count[to->next[index]++] = *value;
}

/* Sorts the counts by sites. `next` has room for a number for each site. */
static void gather_sites(const gg_table *table, site_counts *sites, int64_t *next) {
  for (int64_t i = 0; i <= table->nrow; ++i)
    sites->start[i] = 0;
  gg_table_each(table, GG_MARGIN_ROWS, count_positive, sites->start);
  for (int64_t i = 0; i < table->nrow; ++i) {
    sites->start[i + 1] += sites->start[i];
    next[i] = sites->start[i];
  }
  gg_table_each(table, GG_MARGIN_ROWS, place_count, &(placement){next, sites->count});
}

/* Checks the sizes of subsamples. */
static gpugeo_status check_samples(const double *sample, int64_t samples, gg_call *call) {
  for (int64_t k = 0; k < samples && !call->status; ++k)
    if (gg_is_no_count(sample[k]))
      GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "sample",
                           "sample must be " GG_COUNTS ", not %s", gg_number(sample[k]).text));
  return call->status;
}

/* Computes all numbers from a copy of the table. */
static gpugeo_status compute(const gg_table *table, const double *sample, int64_t samples,
                             double *species, double *errors, gg_call *call) {
  const int64_t n = table->nrow, elements = gg_table_begin(table, table->lines);
  site_counts sites = {.start = gg_call_allocate(call, n + 1, sizeof *sites.start),
                       .count = gg_call_allocate(call, elements + 1, sizeof *sites.count),
                       .found = gg_call_allocate(call, table->ncol + 1, sizeof *sites.found)};
  int64_t *next = gg_call_allocate(call, n + 1, sizeof *next);
  if (!call->status) gather_sites(table, &sites, next);
  for (int64_t i = 0; i < n && !call->status; ++i) {
    const int64_t different = find_abundances(sites.count + sites.start[i],
                                              sites.start[i + 1] - sites.start[i], sites.found);
    for (int64_t k = 0; k < samples; ++k)
      rarefy_site(sites.found, different, sample[k], species + i + k * n,
                  errors ? errors + i + k * n : NULL);
    if (gg_clock_poll_loop(call->clock, i)) GG_TRY(call, gg_fail_interrupt(call->error));
  }
  gg_free(next);
  gg_free(sites.found);
  gg_free(sites.count);
  gg_free(sites.start);
  return call->status;
}

gpugeo_status gpugeo_rarefy(const gpugeo_matrix *x, const double *sample, int64_t samples,
                            const gpugeo_run *run, double *species, double *errors,
                            gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, run, report, error);
  *call.report = gg_report_of(gg_host_backend(), -1, 1, 1);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, gg_check_family(run, GG_FAMILY_COMMUNITIES, error));
  GG_TRY(&call, gg_table_check(x, error));
  check_samples(sample, samples, &call);
  double *value = NULL;
  if (!call.status) value = gg_call_allocate(&call, gg_table_room(x) + 1, sizeof *value);
  if (!call.status) {
    const gg_table table = gg_table_view(x, value);
    if (!gg_table_require(&table, GG_COUNTS, gg_is_no_count, &call))
      compute(&table, sample, samples, species, errors, &call);
  }
  gg_free(value);
  return gg_call_end(&call);
}
