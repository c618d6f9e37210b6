/* The energy of a layout and the mean length of its edges. */
#include "layout/energy.h"

#include <math.h>
#include <stdlib.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/log_sum.h"
#include "layout/step.h"

/* --- Sums ------------------------------------------------------------------------------------- */

/* Returns the sum of the terms of the numbers [first, last), at most RUN of them. */
typedef double (*term_of)(const void *job, int64_t first, int64_t last);

enum { RUN = 256 }; /* terms that one thread adds up first */

typedef struct summing {
  term_of term;
  const void *job;
  int64_t count;
  double *of_run;
} summing;

/* Computes the sums of a range of runs. */
static void sum_runs(void *job, gg_range range) {
  const summing *s = job;
  for (int64_t run = range.first; run < range.last; ++run) {
    const int64_t first = run * RUN, last = first + RUN;
    s->of_run[run] = s->term(s->job, first, last < s->count ? last : s->count);
  }
}

/* Adds the terms of all numbers from 0 to count - 1 to the sum: runs of RUN terms by all threads,
   then the runs in their order, so the sum is the same on any number of threads. */
static gpugeo_status sum_terms(term_of term, const void *job, int64_t count, int32_t threads,
                               double *sum, gg_call *call) {
  const int64_t runs = (count + RUN - 1) / RUN;
  summing s = {term, job, count, gg_call_allocate(call, runs, sizeof *s.of_run)};
  gg_call_loop(
      call, (gg_loop){.threads = threads, .count = runs, .grain = 4, .work = sum_runs, .job = &s});
  for (int64_t run = 0; run < runs && !call->status; ++run)
    *sum += s.of_run[run];
  gg_free(s.of_run);
  return call->status;
}

/* --- Edges ------------------------------------------------------------------------------------ */

/* A graph with positions: vertices by dim, column-major. */
typedef struct drawing {
  const gg_layout_graph *graph;
  int32_t dim;
  const double *positions;
} drawing;

/* Returns the squared distance of two vertices. */
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

/* Returns the sum of the lengths of the edges from a range of vertices. */
static double length_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += lengths_from(data, v);
  return sum;
}

/* Returns the energy of the edges from a range of vertices. */
static double edge_term(const void *data, int64_t first, int64_t last) {
  double sum = 0;
  for (int64_t v = first; v < last; ++v)
    sum += energy_of_edges(data, v);
  return sum;
}

gpugeo_status gg_layout_mean_length(const gg_layout_graph *graph, const double *positions,
                                    int32_t dim, int32_t threads, double *mean, gg_call *call) {
  const drawing d = {graph, dim, positions};
  const int64_t n = graph->vertices, entries = graph->start[n];
  threads = gg_layout_threads(threads, n + entries);
  double sum = 0;
  sum_terms(length_term, &d, n, threads, &sum, call);
  *mean = 2 * sum / (double)entries;
  if (!(*mean > 0 && isfinite(*mean))) *mean = 1;
  return call->status;
}

/* --- Pairs ------------------------------------------------------------------------------------ */

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

/* Returns the component of a pair that is in component `from` or a later one. */
static int64_t next_component(const pair_job *job, double pair, int64_t from) {
  while (from + 1 < job->components->count && job->before[from + 1] <= pair)
    ++from;
  return from;
}

/* Positions of up to GG_LOG_SUM_NUMBERS successive members of a component, by column. */
typedef struct member_block {
  int64_t first, last;
  double x[GG_LAYOUT_DIMS][GG_LOG_SUM_NUMBERS];
} member_block;

/* Copies the positions of a block of a component's vertices. */
static void load_members(const pair_job *job, member_block *b) {
  const drawing *d = &job->drawn;
  for (int c = 0; c < d->dim; ++c)
    for (int64_t at = b->first; at < b->last; ++at)
      b->x[c][at - b->first] = d->positions[job->components->member[at] + c * d->graph->vertices];
}

/* Computes the squared distances of a position from the first `count` members of the block. */
static void find_squares(const member_block *b, const double *position, int64_t count, int dim,
                         double *square) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    const double x = position[0] - b->x[0][k], y = position[1] - b->x[1][k];
    square[k] = x * x + y * y;
  }
  if (dim < 3) return;
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    const double z = position[2] - b->x[2][k];
    square[k] += z * z;
  }
}

/* Adds the logarithms of the squared distances that member `at` of all components has from the
   members in the block that come before it. */
static void add_pairs(const pair_job *job, const member_block *b, int64_t at, double *sum) {
  const drawing *d = &job->drawn;
  const int64_t count = (at < b->last ? at : b->last) - b->first;
  double position[GG_LAYOUT_DIMS], square[GG_LOG_SUM_NUMBERS];
  for (int c = 0; c < d->dim; ++c)
    position[c] = d->positions[job->components->member[at] + c * d->graph->vertices];
  find_squares(b, position, count, d->dim, square);
  gg_layout_add_logs(square, count, sum);
}

/* Returns the end of the members among [at, last) that are in the component of `at`. */
static int64_t component_end(const pair_job *job, int64_t at, int64_t last) {
  const gg_layout_components *components = job->components;
  int64_t end = at + 1;
  while (end < last && components->rank[components->member[end]] > 0)
    ++end;
  return end;
}

/* Returns the energy of the pairs of each of the members [first, last) of all components, at most
   RUN of them, with those before it in its component. */
static double pair_term(const void *data, int64_t first, int64_t last) {
  const pair_job *job = data;
  double logs_of[RUN] = {0}, sum = 0;
  member_block b;
  for (int64_t from = first, end; from < last; from = end) {
    end = component_end(job, from, last);
    b.first = from - job->components->rank[job->components->member[from]];
    for (; b.first < end; b.first = b.last) {
      b.last = b.first + GG_LOG_SUM_NUMBERS < end ? b.first + GG_LOG_SUM_NUMBERS : end;
      load_members(job, &b);
      for (int64_t at = from > b.first ? from : b.first + 1; at < end; ++at)
        add_pairs(job, &b, at, &logs_of[at - first]);
    }
  }
  for (int64_t at = first; at < last; ++at)
    sum += -logs_of[at - first] / 2;
  return sum;
}

/* Returns the squared distance of pair `pair` of a component. */
static double square_of_pair(const pair_job *job, int64_t component, int64_t pair) {
  /* Pair i (i - 1) / 2 + j is that of members i and j < i. */
  int64_t i = (int64_t)((1 + sqrt(1 + 8 * (double)pair)) / 2);
  while (i * (i - 1) / 2 > pair)
    --i;
  while (i * (i + 1) / 2 <= pair)
    ++i;
  const int32_t *member = job->components->member + job->components->start[component];
  return square_between(&job->drawn, member[i], member[pair - i * (i - 1) / 2]);
}

/* Returns the number of a pair that is drawn from a part of all pairs, of which there are SAMPLES.
 */
static double draw_pair(const pair_job *job, int64_t part) {
  const double all = job->before[job->components->count];
  const double share = (double)part + gg_random_unit(0, (uint64_t)part);
  const double pair = (double)(int64_t)(share * (all / SAMPLES));
  return pair >= all ? all - 1 : pair;
}

/* Returns the estimated energy of the parts [first, last) of all pairs. */
static double sample_term(const void *data, int64_t first, int64_t last) {
  const pair_job *job = data;
  double square[RUN], sum = 0;
  int64_t component = find_component(job, draw_pair(job, first));
  for (int64_t part = first; part < last; ++part) {
    const double pair = draw_pair(job, part);
    component = next_component(job, pair, component);
    square[part - first] = square_of_pair(job, component, (int64_t)(pair - job->before[component]));
  }
  gg_layout_add_logs(square, last - first, &sum);
  return -job->before[job->components->count] / SAMPLES * sum / 2;
}

gpugeo_status gg_layout_energy(const gg_layout_graph *csr, const gg_layout_components *components,
                               const double *positions, int32_t dim, int32_t threads,
                               double *energy, gg_call *call) {
  const int64_t count = components->count, n = csr->vertices;
  double *before = gg_call_allocate(call, count + 1, sizeof *before);
  if (!before) return call->status;
  before[0] = 0;
  for (int64_t c = 0; c < count; ++c) {
    const double size = (double)gg_layout_component_size(components, c);
    before[c + 1] = before[c] + size * (size - 1) / 2;
  }
  const pair_job job = {{csr, dim, positions}, components, before};
  const bool exact = before[count] <= most_exact;
  *energy = 0;
  sum_terms(edge_term, &job.drawn, n, threads, energy, call);
  sum_terms(exact ? pair_term : sample_term, &job, exact ? n : SAMPLES, threads, energy, call);
  gg_free(before);
  return call->status;
}
