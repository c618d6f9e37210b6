#include "layout/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/random.h"
#include "layout/sum.h"

static const double most_exact = 12.5e6; /* pairs: 5000^2 / 2 */
enum { samples = 1 << 20 };

/* What the sums read. */
typedef struct energy_job {
  const gg_layout_graph *csr;
  const gg_layout_components *components;
  const double *positions;
  int32_t dim;
  const double *pairs; /* of components, how many pairs those before have; the last: of all */
} energy_job;

static double square_between(const energy_job *job, int64_t u, int64_t v) {
  double square = 0;
  for (int k = 0; k < job->dim; ++k) {
    const double difference =
        job->positions[u + k * job->csr->vertices] - job->positions[v + k * job->csr->vertices];
    square += difference * difference;
  }
  return square;
}

/* Returns the energy of the edges from a vertex to later ones. */
static double energy_of_edges(const energy_job *job, int64_t v) {
  double sum = 0;
  for (int64_t at = job->csr->start[v]; at < job->csr->start[v + 1]; ++at) {
    const int64_t w = job->csr->neighbor[at];
    if (w < v) continue;
    const double square = square_between(job, v, w);
    sum += (job->csr->weight ? (double)job->csr->weight[at] : 1) * square * sqrt(square) / 3;
  }
  return sum;
}

static double edge_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += energy_of_edges(data, v);
  return sum;
}

/* The component that holds a number: the last one whose entry in `before` is not beyond it. */
static int64_t find_component(const energy_job *job, const double *before, double number) {
  int64_t low = 0, high = job->components->count;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (before[middle] <= number)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/*
 * A sum of logarithms of positive numbers, as that of a product: a logarithm takes ten times as
 * long as a product. Each number goes to one of several products, which do not wait for each other,
 * as a fraction in [1, 2) and an exponent of 2.
 */
enum { PRODUCTS = 8, FACTORS = 1000 /* of a product, at most: it is less than 2^FACTORS */ };
typedef struct logs {
  double product[PRODUCTS];
  int64_t exponents[PRODUCTS];
  double sum; /* of the logarithms of what has no such fraction: 0, tiny numbers, infinity */
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

/* Adds the products to the sum, and starts new ones. */
static void close_logs(logs *l) {
  for (int k = 0; k < PRODUCTS; ++k) {
    l->sum += log(l->product[k]) + (double)l->exponents[k] * M_LN2;
    l->exponents[k] = 0;
  }
  start_logs(l);
}

/* The pairs of the vertex that stands at `at` among the members, with those before it in its
   component. */
static double energy_of_pairs(const energy_job *job, int64_t at) {
  const int32_t *member = job->components->member;
  const int64_t v = member[at];
  logs l = {.sum = 0};
  start_logs(&l);
  for (int64_t first = at - job->components->rank[v]; first < at; first += FACTORS) {
    const int64_t last = first + FACTORS < at ? first + FACTORS : at;
    for (int64_t k = first; k < last; ++k)
      add_log(&l, (int)(k % PRODUCTS), square_between(job, v, member[k]));
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

/* Returns the squared distance of one pair out of the number-th part of all pairs. */
static double sample_square(const energy_job *job, int64_t number) {
  const double all = job->pairs[job->components->count], part = all / samples;
  double pair = floor(((double)number + gg_random_unit(0, (uint64_t)number)) * part);
  if (pair >= all) pair = all - 1;
  const int64_t c = find_component(job, job->pairs, pair);
  const int64_t within = (int64_t)(pair - job->pairs[c]);
  /* Pair i (i - 1) / 2 + j is that of members i and j < i. */
  int64_t i = (int64_t)((1 + sqrt(1 + 8 * (double)within)) / 2);
  while (i * (i - 1) / 2 > within)
    --i;
  while (i * (i + 1) / 2 <= within)
    ++i;
  const int32_t *member = job->components->member + job->components->start[c];
  return square_between(job, member[i], member[within - i * (i - 1) / 2]);
}

/* The part of all pairs that some numbers stand for. */
static double sample_term(const void *data, int64_t first, int64_t last) {
  const energy_job *job = data;
  logs l = {.sum = 0};
  start_logs(&l);
  for (int64_t number = first; number < last; ++number)
    add_log(&l, (int)(number % PRODUCTS), sample_square(job, number));
  close_logs(&l);
  return -job->pairs[job->components->count] / samples * l.sum / 2;
}

gpugeo_status gg_layout_energy(const gg_layout_graph *csr, const gg_layout_components *components,
                               const double *positions, int32_t dim, int32_t threads,
                               gg_clock *clock, double *energy, gpugeo_error *error) {
  const int64_t count = components->count;
  double *pairs = gg_allocate(count + 1, sizeof *pairs);
  if (!pairs) return gg_fail_memory(error, (count + 1) * (int64_t)sizeof *pairs);
  pairs[0] = 0;
  for (int64_t c = 0; c < count; ++c) {
    const double size = (double)gg_layout_component_size(components, c);
    pairs[c + 1] = pairs[c] + size * (size - 1) / 2;
  }
  const energy_job job = {csr, components, positions, dim, pairs};
  *energy = 0;
  gpugeo_status status =
      gg_layout_sum(edge_term, &job, csr->vertices, threads, clock, energy, error);
  const bool exact = pairs[count] <= most_exact;
  if (!status)
    status = gg_layout_sum(exact ? pair_term : sample_term, &job, exact ? csr->vertices : samples,
                           threads, clock, energy, error);
  free(pairs);
  return status;
}
