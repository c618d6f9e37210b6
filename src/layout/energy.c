/* The energy of a layout and the mean length of its edges. */
#include "layout/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"

/* --- Sums ----------------------------------------------------------------------------------------
 */

/* Returns the sum of the terms of the numbers [first, last), at most RUN of them. */
typedef double (*term_of)(const void *job, int64_t first, int64_t last);

enum { RUN = 256 }; /* terms that one thread adds up first */

typedef struct summing {
  term_of term;
  const void *job;
  int64_t count;
  double *of_run;
} summing;

static void sum_runs(void *job, gg_range range) {
  const summing *s = job;
  for (int64_t run = range.first; run < range.last; ++run) {
    const int64_t first = run * RUN, last = first + RUN;
    s->of_run[run] = s->term(s->job, first, last < s->count ? last : s->count);
  }
}

/* Adds the terms of all numbers from 0 to count - 1 to the sum: runs of RUN terms by all threads,
   then the runs in their order, so that the sum is the same on any number of threads. */
static gpugeo_status sum_terms(term_of term, const void *job, int64_t count, int32_t threads,
                               gg_clock *clock, double *sum, gpugeo_error *error) {
  const int64_t runs = (count + RUN - 1) / RUN;
  summing s = {term, job, count, gg_allocate(runs, sizeof *s.of_run)};
  if (!s.of_run) return gg_fail_memory(error, runs * (int64_t)sizeof *s.of_run);
  const bool done = gg_parallel_for(&(gg_loop){
      .threads = threads, .count = runs, .grain = 4, .work = sum_runs, .job = &s, .clock = clock});
  for (int64_t run = 0; run < runs && done; ++run)
    *sum += s.of_run[run];
  free(s.of_run);
  return done ? GPUGEO_OK : gg_fail_interrupt(error);
}

/* --- Edges ---------------------------------------------------------------------------------------
 */

/* A graph with positions: vertices by dim, column-major. */
typedef struct drawing {
  const gg_layout_graph *graph;
  int32_t dim;
  const double *positions;
} drawing;

static double square_between(const drawing *d, int64_t u, int64_t v) {
  double square = 0;
  for (int k = 0; k < d->dim; ++k) {
    const double *x = d->positions + k * d->graph->vertices;
    square += (x[u] - x[v]) * (x[u] - x[v]);
  }
  return square;
}

/* Returns the sum of the lengths of the edges from a vertex to later ones. */
static double lengths_from(const drawing *d, int64_t v) {
  const gg_layout_graph *graph = d->graph;
  double sum = 0;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at)
    if (graph->neighbor[at] >= v) sum += sqrt(square_between(d, v, graph->neighbor[at]));
  return sum;
}

/* Returns the energy of the edges from a vertex to later ones. */
static double energy_of_edges(const drawing *d, int64_t v) {
  const gg_layout_graph *graph = d->graph;
  double sum = 0;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    if (graph->neighbor[at] < v) continue;
    const double square = square_between(d, v, graph->neighbor[at]);
    sum += (graph->weight ? (double)graph->weight[at] : 1) * square * sqrt(square) / 3;
  }
  return sum;
}

static double length_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += lengths_from(data, v);
  return sum;
}

static double edge_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += energy_of_edges(data, v);
  return sum;
}

gpugeo_status gg_layout_mean_length(const gg_layout_graph *graph, const double *positions,
                                    int32_t dim, int32_t threads, gg_clock *clock, double *mean,
                                    gpugeo_error *error) {
  const drawing d = {graph, dim, positions};
  const int64_t n = graph->vertices, entries = graph->start[n];
  threads = gg_layout_threads(threads, n + entries);
  double sum = 0;
  gpugeo_status status = sum_terms(length_term, &d, n, threads, clock, &sum, error);
  *mean = 2 * sum / (double)entries;
  if (!(*mean > 0 && isfinite(*mean))) *mean = 1;
  return status;
}

/* --- Pairs ---------------------------------------------------------------------------------------
 */

/* Up to 5000^2 / 2 pairs are all summed, more are estimated from SAMPLES of them. */
static const double most_exact = 12.5e6;
enum { SAMPLES = 1 << 20 };

/* What the sums over pairs read. */
typedef struct pair_job {
  drawing drawn;
  const gg_layout_components *components;
  const double *before; /* pairs in the components before each; the last: in total */
} pair_job;

/* Returns the component that pair `pair` is in: the last one with before[c] <= pair. */
static int64_t find_component(const pair_job *job, double pair) {
  int64_t low = 0, high = job->components->count;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (job->before[middle] <= pair)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/*
 * A sum of logarithms of positive numbers, computed as the logarithm of their product: a logarithm
 * takes ten times as long as a multiplication. Each number is multiplied into one of several
 * independent products as a fraction in [1, 2) and an exponent of 2.
 */
enum { PRODUCTS = 8, FACTORS = 1000 /* of a product, at most: it is less than 2^FACTORS */ };
typedef struct logs {
  double product[PRODUCTS];
  int64_t exponents[PRODUCTS];
  double sum; /* of logarithms: of closed products, and of 0, subnormal numbers and infinity */
} logs;

static void start_logs(logs *l) {
  for (int k = 0; k < PRODUCTS; ++k)
    l->product[k] = 1;
}

/* Multiplies a product by a number. */
static inline void add_log(logs *l, int k, double number) {
  int64_t bits;
  memcpy(&bits, &number, sizeof bits);
  const int64_t exponent = bits >> 52, of_one = (int64_t)1023 << 52;
  double fraction;
  bits = (bits & (((int64_t)1 << 52) - 1)) | of_one;
  memcpy(&fraction, &bits, sizeof fraction);
  if (exponent < 1 || exponent > 2046) {
    l->sum += log(number);
    return;
  }
  l->product[k] *= fraction;
  l->exponents[k] += exponent - 1023;
}

/* Adds the logarithms of the products to the sum and starts new products. */
static void close_logs(logs *l) {
  for (int k = 0; k < PRODUCTS; ++k) {
    l->sum += log(l->product[k]) + (double)l->exponents[k] * M_LN2;
    l->exponents[k] = 0;
  }
  start_logs(l);
}

/* Returns the energy of the pairs that member `at` of all components has with the members before
   it in its component. */
static double energy_of_pairs(const pair_job *job, int64_t at) {
  const int32_t *member = job->components->member;
  const int64_t v = member[at];
  logs l = {.sum = 0};
  start_logs(&l);
  for (int64_t first = at - job->components->rank[v]; first < at; first += FACTORS) {
    const int64_t last = first + FACTORS < at ? first + FACTORS : at;
    for (int64_t k = first; k < last; ++k)
      add_log(&l, (int)(k % PRODUCTS), square_between(&job->drawn, v, member[k]));
    close_logs(&l);
  }
  return -l.sum / 2;
}

static double pair_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t at = first; at < last; ++at)
    sum += energy_of_pairs(data, at);
  return sum;
}

/* All pairs are divided into SAMPLES parts. Returns the squared distance of a pair drawn from part
   `number`. */
static double sample_square(const pair_job *job, int64_t number) {
  const double all = job->before[job->components->count], part = all / SAMPLES;
  double pair = floor(((double)number + gg_random_unit(0, (uint64_t)number)) * part);
  if (pair >= all) pair = all - 1;
  const int64_t c = find_component(job, pair);
  const int64_t within = (int64_t)(pair - job->before[c]);
  /* Pair i (i - 1) / 2 + j is that of members i and j < i. */
  int64_t i = (int64_t)((1 + sqrt(1 + 8 * (double)within)) / 2);
  while (i * (i - 1) / 2 > within)
    --i;
  while (i * (i + 1) / 2 <= within)
    ++i;
  const int32_t *member = job->components->member + job->components->start[c];
  return square_between(&job->drawn, member[i], member[within - i * (i - 1) / 2]);
}

/* Returns the estimated energy of the parts [first, last) of all pairs. */
static double sample_term(const void *data, int64_t first, int64_t last) {
  const pair_job *job = data;
  logs l = {.sum = 0};
  start_logs(&l);
  for (int64_t number = first; number < last; ++number)
    add_log(&l, (int)(number % PRODUCTS), sample_square(job, number));
  close_logs(&l);
  return -job->before[job->components->count] / SAMPLES * l.sum / 2;
}

gpugeo_status gg_layout_energy(const gg_layout_graph *csr, const gg_layout_components *components,
                               const double *positions, int32_t dim, int32_t threads,
                               gg_clock *clock, double *energy, gpugeo_error *error) {
  const int64_t count = components->count, n = csr->vertices;
  double *before = gg_allocate(count + 1, sizeof *before);
  if (!before) return gg_fail_memory(error, (count + 1) * (int64_t)sizeof *before);
  before[0] = 0;
  for (int64_t c = 0; c < count; ++c) {
    const double size = (double)gg_layout_component_size(components, c);
    before[c + 1] = before[c] + size * (size - 1) / 2;
  }
  const pair_job job = {{csr, dim, positions}, components, before};
  const bool exact = before[count] <= most_exact;
  *energy = 0;
  gpugeo_status status = sum_terms(edge_term, &job.drawn, n, threads, clock, energy, error);
  if (!status)
    status = sum_terms(exact ? pair_term : sample_term, &job, exact ? n : SAMPLES, threads, clock,
                       energy, error);
  free(before);
  return status;
}
