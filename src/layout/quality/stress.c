/* Stress of a layout: compares its distances with those in the graph. */
#include "layout/quality/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/paths.h"
#include "layout/stress_sums.h"

typedef struct stress_job {
  const gg_measured *measured;
  const int32_t *pivots;
  int32_t *queue;       /* a word for each vertex and thread */
  double *hops;         /* likewise */
  gg_stress_sums *sums; /* of each pivot */
  bool stopped;
} stress_job;

/* Adds up the ratios of distances to the vertices that a pivot reaches. queue and hops have room
   for all vertices. */
static gg_stress_sums measure_pivot(stress_job *job, int32_t pivot, int32_t *queue, double *hops) {
  const gg_measured *m = job->measured;
  gg_stress_sums sums = {0, 0, 0};
  const int64_t reached = gg_paths_visit(&m->graph, pivot, queue, hops, m->call->clock);
  if (reached < 0) gg_atomic_store(&job->stopped, true);
  for (int64_t i = 1; i < reached; ++i) {
    const double ratio = sqrt(gg_measured_square(m, pivot, queue[i])) / hops[queue[i]];
    gg_stress_add(&sums, &(gg_stress_sums){ratio, ratio * ratio, 1});
  }
  return sums;
}

/* Fills the pivots: the first `count` vertices of a random permutation; all in increasing order if
   count is their number. */
static void choose_pivots(int64_t vertices, int64_t count, uint64_t seed, int32_t *pivots) {
  for (int64_t v = 0; v < vertices; ++v)
    pivots[v] = (int32_t)v;
  for (int64_t p = 0; p < count && count < vertices; ++p) {
    const int64_t other = p + (int64_t)(gg_random(seed, (uint64_t)p) % (uint64_t)(vertices - p));
    const int32_t swap = pivots[p];
    pivots[p] = pivots[other];
    pivots[other] = swap;
  }
}

/* Measures the stress of a range of pivots. */
static void measure_some(void *data, gg_range range) {
  stress_job *job = data;
  const int64_t n = job->measured->graph.vertices;
  for (int64_t p = range.first; p < range.last; ++p)
    job->sums[p] = measure_pivot(job, job->pivots[p], job->queue + n * range.worker,
                                 job->hops + n * range.worker);
}

/* Measures the stress of all pivots. */
static gpugeo_status measure_pivots(stress_job *job, int64_t count) {
  gg_call_loop(job->measured->call, (gg_loop){.threads = job->measured->threads,
                                              .count = count,
                                              .grain = 1,
                                              .work = measure_some,
                                              .job = job,
                                              .share = 0.6});
  return gg_call_require(job->measured->call, !job->stopped);
}

/* Computes stress and scale. If all vertices are at one point, there is no scale. */
static void add_up(const gg_stress_sums *sums, int64_t count,
                   gpugeo_layout_quality_result *quality) {
  gg_stress_sums all = {0, 0, 0};
  for (int64_t p = 0; p < count; ++p)
    gg_stress_add(&all, &sums[p]);
  quality->stress = gg_stress_of(&all);
  quality->scale = gg_stress_scale(&all);
}

gpugeo_status gg_layout_stress(const gg_measured *m, int64_t pivots, uint64_t seed,
                               gpugeo_layout_quality_result *quality) {
  gg_call *call = m->call;
  if (call->status) return call->status;
  const int64_t n = m->graph.vertices;
  int32_t *chosen = gg_call_allocate(call, n, sizeof *chosen);
  stress_job job = {.measured = m, .pivots = chosen};
  job.queue = gg_call_allocate(call, n * m->threads, sizeof *job.queue);
  job.hops = gg_call_allocate(call, n * m->threads, sizeof *job.hops);
  job.sums = gg_call_allocate(call, pivots, sizeof *job.sums);
  if (!call->status) {
    choose_pivots(n, pivots, seed, chosen);
    if (!measure_pivots(&job, pivots)) add_up(job.sums, pivots, quality);
  }
  gg_free(job.queue);
  gg_free(job.hops);
  gg_free(job.sums);
  gg_free(chosen);
  return call->status;
}
