/* Quality of layouts: checks the arguments and computes the measures, each in its own file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "layout/energy.h"
#include "layout/quality/crossings.h"
#include "layout/quality/neighborhood.h"
#include "layout/quality/stress.h"
#include "points/points.h"

GG_OPTIONS_INIT(layout_quality, .pivots = -1, .crossings = -1)

static const gg_option option_rows[] = {
    {GG_OPTION("pivots", WHOLE, gpugeo_layout_quality_options, pivots), .may_be_null = true,
     .least = 0, .most = INT32_MAX},
    {GG_OPTION("crossings", WHOLE, gpugeo_layout_quality_options, crossings), .may_be_null = true,
     .least = 0, .most = INT32_MAX},
    {GG_OPTION("seed", WHOLE, gpugeo_layout_quality_options, seed), .least = 0,
     .most = (int64_t)1 << 53},
};

GG_DEFINE_OPTIONS(layout_quality, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the options of the measures. */
static gpugeo_status check_options(int64_t vertices, const gpugeo_layout_quality_options *options,
                                   gpugeo_error *error) {
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_QUALITY, error);
  if (status) return status;
  if (options->pivots < -1 || options->pivots > vertices)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "pivots",
                   "pivots must be between 0 and %lld (the vertices), not %lld",
                   (long long)vertices, (long long)options->pivots);
  if (options->crossings < -1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "crossings",
                   "crossings must be at least 0, not %lld", (long long)options->crossings);
  return GPUGEO_OK;
}

/* --- Preparation ------------------------------------------------------------------------------ */

/* All that a call holds. */
typedef struct quality_job {
  gg_measured measured;
  gg_layout_components components;
  double *positions; /* of the layout, vertices by dim */
  double *scaled;    /* the same times scale */
  double scale;      /* a power of two */
  int32_t *ends;
} quality_job;

/* Frees the memory of a job. */
static void job_free(quality_job *job) {
  gg_layout_graph_free(&job->measured.graph);
  gg_layout_components_free(&job->components);
  gg_free(job->positions);
  gg_free(job->scaled);
  gg_free(job->ends);
}

/* Returns the power of two that scales the largest coordinate to [1/2, 1); at most 2^1023. */
static double scale_of(const gg_point_range *range, int dim) {
  double most = 0;
  for (int c = 0; c < dim; ++c)
    most = fmax(most, fmax(fabs(range->low[c]), fabs(range->high[c])));
  int exponent;
  if (!(most > 0) || isinf(most)) return 1;
  frexp(most, &exponent);
  return ldexp(1, exponent < -1023 ? 1023 : -exponent);
}

/* Copies the positions, as they are and scaled. */
static gpugeo_status copy_positions(quality_job *job, const gpugeo_matrix *positions) {
  gg_measured *m = &job->measured;
  gg_call *call = m->call;
  gg_point_range range;
  gg_point_survey(positions, m->threads, &range, call);
  if (GG_TRY(call, gg_check_range("layout", positions, &range, false, call->error)))
    return call->status;
  const int64_t n = positions->nrow, count = n * m->dim;
  job->scale = scale_of(&range, m->dim);
  job->positions = gg_allocate(count, sizeof *job->positions);
  job->scaled = gg_allocate(count, sizeof *job->scaled);
  if (!job->positions || !job->scaled)
    return call->status = gg_fail_memory(call->error, 2 * count * (int64_t)sizeof *job->positions);
  for (int c = 0; c < m->dim; ++c) {
    m->at[c] = job->scaled + c * n;
    for (int64_t i = 0; i < n; ++i) {
      job->positions[c * n + i] = gg_element(positions, i, c);
      job->scaled[c * n + i] = job->positions[c * n + i] * job->scale;
    }
  }
  return GPUGEO_OK;
}

/* Lists the ends of each edge once. */
static gpugeo_status list_edges(quality_job *job) {
  gg_measured *m = &job->measured;
  if (m->call->status) return m->call->status;
  const gg_layout_graph *graph = &m->graph;
  m->edges = graph->start[graph->vertices] / 2;
  job->ends = gg_call_allocate(m->call, 2 * m->edges, sizeof *job->ends);
  if (!job->ends) return m->call->status;
  m->ends = job->ends;
  int32_t *next = job->ends;
  for (int64_t v = 0; v < graph->vertices; ++v)
    for (int64_t e = graph->start[v]; e < graph->start[v + 1]; ++e)
      if (graph->neighbor[e] > v) {
        *next++ = (int32_t)v;
        *next++ = graph->neighbor[e];
      }
  return GPUGEO_OK;
}

/* Checks the memory for the graph, its components and two copies of the positions: bytes for a
   vertex and for each direction of an edge, measured by the peak of graphs of 300,000 vertices. */
static gpugeo_status check_room(const gpugeo_graph *graph, int64_t dim, const gpugeo_run *run,
                                gpugeo_error *error) {
  const double n = (double)graph->vertices, entries = 2 * (double)graph->edges.nrow;
  const double working = (50 + 16 * (double)dim) * n + 26 * entries;
  gpugeo_status status =
      gg_check_work(run, working, error, "a layout of %lld vertices and %lld edges",
                    (long long)graph->vertices, (long long)graph->edges.nrow);
  if (status) return status;
  return gg_check_memory(working, "edges", error,
                         "measuring a layout of %lld vertices and %lld edges needs",
                         (long long)graph->vertices, (long long)graph->edges.nrow);
}

/* --- The call --------------------------------------------------------------------------------- */

/* Returns the standard deviation of the lengths of edges divided by their mean, in two passes to
   avoid cancellation; NaN if the mean is 0. */
static double edge_variation(const gg_measured *m) {
  double sum = 0, squares = 0;
  for (int64_t e = 0; e < m->edges; ++e)
    sum += sqrt(gg_measured_square(m, m->ends[2 * e], m->ends[2 * e + 1]));
  const double mean = sum / (double)m->edges;
  for (int64_t e = 0; e < m->edges; ++e) {
    const double d = sqrt(gg_measured_square(m, m->ends[2 * e], m->ends[2 * e + 1])) - mean;
    squares += d * d;
  }
  return mean > 0 ? sqrt(squares / (double)m->edges) / mean : NAN;
}

/* Computes all measures. */
static gpugeo_status compute_measures(const quality_job *job,
                                      const gpugeo_layout_quality_options *options,
                                      gpugeo_layout_quality_result *quality) {
  const gg_measured *m = &job->measured;
  if (m->call->status) return m->call->status;
  gg_layout_stress(m, quality->pivots, options->seed, quality);
  quality->scale *= job->scale;
  if (gg_layout_neighborhood(m, quality)) return m->call->status;
  quality->edge_variation = edge_variation(m);
  if (m->dim == 2 && options->crossings != 0) {
    const double all = 0.5 * (double)m->edges * (double)(m->edges - 1);
    const int64_t drawn = all <= 1e7 ? 10000000 : 1000000;
    gg_layout_crossings(m, options->crossings < 0 ? drawn : options->crossings, options->seed,
                        quality);
  }
  return gg_layout_energy(&m->graph, &job->components, job->positions, m->dim, m->threads,
                          &quality->energy, m->call);
}

/* Checks all arguments of the measures. */
static gpugeo_status check_arguments(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                     const gpugeo_layout_quality_options *options, gg_call *call) {
  gpugeo_error *error = call->error;
  GG_TRY(call, gg_check_run(&options->run, error));
  GG_TRY(call, gg_layout_graph_check(graph, gg_threads(options->run.threads), error));
  GG_TRY(call, gg_layout_positions_check(positions, graph->vertices, error));
  GG_TRY(call, check_options(graph->vertices, options, error));
  return GG_TRY(call, check_room(graph, positions->ncol, &options->run, error));
}

/* Fills the job: graph, components, positions and edges. */
static gpugeo_status prepare_job(quality_job *job, const gpugeo_graph *graph,
                                 const gpugeo_matrix *positions) {
  gg_measured *m = &job->measured;
  gg_call *call = m->call;
  GG_TRY(call, gg_layout_graph_make(graph, m->threads, &m->graph, call->error));
  GG_TRY(call, gg_layout_components_find(&m->graph, m->threads, &job->components, call->error));
  copy_positions(job, positions);
  return list_edges(job);
}

gpugeo_status gpugeo_layout_quality(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                    const gpugeo_layout_quality_options *options,
                                    gpugeo_layout_quality_result *quality, gpugeo_report *report,
                                    gpugeo_error *error) {
  gpugeo_layout_quality_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(layout_quality_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  if (check_arguments(graph, positions, options, &call)) return call.status;
  const double n = (double)graph->vertices, entries = 2 * (double)graph->edges.nrow;
  gpugeo_layout_quality_result made = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, options->pivots};
  if (made.pivots < 0) made.pivots = graph->vertices <= 5000 ? graph->vertices : 200;
  quality_job job = {.measured = {.dim = (int)positions->ncol, .call = &call}};
  /* About 5 ns for each step of a breadth-first search, and 1 us to find a nearest vertex. */
  job.measured.threads = gg_threads_for(options->run.threads,
                                        50 * (double)made.pivots * (n + entries) + 1e4 * entries);
  *call.report = gg_report_of(gg_host_backend(), -1, 1, job.measured.threads);
  prepare_job(&job, graph, positions);
  compute_measures(&job, options, &made);
  job_free(&job);
  if (!call.status) *quality = made;
  return gg_call_end(&call);
}
