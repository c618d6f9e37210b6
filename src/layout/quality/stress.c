/* Stress of a layout: compares its distances with those in the graph. */
#include "layout/quality/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/stress_sums.h"

/* Adds up the ratios of distances to the vertices that a pivot reaches, by a search breadth first.
 * queue and hops have room for all vertices. */
static gg_stress_sums measure_pivot(const gg_measured *m, int32_t pivot, int32_t *queue,
                                    int32_t *hops) {
  const gg_layout_graph *graph = &m->graph;
  gg_stress_sums sums = {0, 0, 0};
  memset(hops, 0xff, (size_t)graph->vertices * sizeof *hops); /* -1: not reached */
  hops[pivot] = 0;
  queue[0] = pivot;
  int64_t queued = 1;
  for (int64_t next = 0; next < queued; ++next) {
    const int32_t v = queue[next];
    if (v != pivot) {
      const double ratio = sqrt(gg_measured_square(m, pivot, v)) / hops[v];
      sums.ratio += ratio;
      sums.square += ratio * ratio;
    }
    for (int64_t e = graph->start[v]; e < graph->start[v + 1]; ++e) {
      const int32_t w = graph->neighbor[e];
      if (hops[w] >= 0) continue;
      hops[w] = hops[v] + 1;
      queue[queued++] = w;
    }
  }
  sums.pairs = queued - 1;
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

typedef struct stress_job {
  const gg_measured *measured;
  const int32_t *pivots;
  int32_t *scratch;     /* 2 words for each vertex and thread */
  gg_stress_sums *sums; /* of each pivot */
} stress_job;

/* Measures the stress of a range of pivots. */
static void measure_some(void *data, gg_range range) {
  const stress_job *job = data;
  const int64_t n = job->measured->graph.vertices;
  int32_t *queue = job->scratch + 2 * n * range.worker;
  for (int64_t p = range.first; p < range.last; ++p)
    job->sums[p] = measure_pivot(job->measured, job->pivots[p], queue, queue + n);
}

/* Measures the stress of all pivots. */
static gpugeo_status measure_pivots(stress_job *job, int64_t count) {
  return gg_call_loop(job->measured->call, (gg_loop){.threads = job->measured->threads,
                                                     .count = count,
                                                     .grain = 1,
                                                     .work = measure_some,
                                                     .job = job,
                                                     .share = 0.6});
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
  const int64_t n = m->graph.vertices, words = n + 2 * n * m->threads;
  int32_t *chosen = gg_allocate(words, sizeof *chosen);
  gg_stress_sums *sums = gg_allocate(pivots, sizeof *sums);
  if (!chosen || !sums) {
    call->status = gg_fail_memory(call->error,
                                  words * (int64_t)sizeof *chosen + pivots * (int64_t)sizeof *sums);
  } else {
    choose_pivots(n, pivots, seed, chosen);
    stress_job job = {m, chosen, chosen + n, sums};
    if (!measure_pivots(&job, pivots)) add_up(sums, pivots, quality);
  }
  gg_free(chosen);
  gg_free(sums);
  return call->status;
}
