/* Distances in a graph: checks the arguments, and searches from many vertices on all threads. */
#include <math.h>

#include "common/atomic.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "layout/lengths.h"
#include "layout/paths.h"

GG_OPTIONS_INIT(graph_distances, 0)

static const gg_option option_rows[] = {
    {GG_OPTION_ARRAY("from", DOUBLES, gpugeo_graph_distances_options, from, from_length)},
    {GG_OPTION_ARRAY("lengths", DOUBLES, gpugeo_graph_distances_options, lengths, lengths_length)},
};

GG_DEFINE_OPTIONS(graph_distances, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the vertices from which distances are asked for. */
static gpugeo_status check_from(const gpugeo_graph *graph,
                                const gpugeo_graph_distances_options *options,
                                gpugeo_error *error) {
  if (!options->from) return GPUGEO_OK;
  for (int64_t i = 0; i < options->from_length; ++i) {
    const double number = options->from[i] - (double)graph->first;
    if (number >= 0 && number < (double)graph->vertices && number == floor(number)) continue;
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "from",
                   "from must be whole numbers between %lld and %lld (the vertices), not %s",
                   (long long)graph->first, (long long)(graph->vertices - 1 + graph->first),
                   gg_number(options->from[i]).text);
  }
  return GPUGEO_OK;
}

/* Returns the number of vertices from which distances are computed. */
static int64_t count_sources(const gpugeo_graph *graph,
                             const gpugeo_graph_distances_options *options) {
  return options->from ? options->from_length : graph->vertices;
}

/* Bytes of working memory while and after the CSR is built, for a vertex and for each of the two
   entries of an edge, as those of layouts; an entry's length; a source. */
enum { VERTEX_BYTES = 32, ENTRY_BYTES = 26, LENGTH_BYTES = 8, SOURCE_BYTES = 4 };

/* Returns the bytes of a search of one thread. */
static double search_bytes(const gpugeo_graph *graph,
                           const gpugeo_graph_distances_options *options) {
  const gg_path_graph paths = {.length = options->lengths};
  return (double)gg_paths_vertex_bytes(&paths) * (double)graph->vertices;
}

/* Returns the bytes of working memory without searches. */
static double graph_bytes(const gpugeo_graph *graph,
                          const gpugeo_graph_distances_options *options) {
  const double entries = 2 * (double)graph->edges.nrow;
  return VERTEX_BYTES * (double)graph->vertices +
         (ENTRY_BYTES + (options->lengths ? LENGTH_BYTES : 0)) * entries +
         SOURCE_BYTES * (double)count_sources(graph, options);
}

/* Checks the memory of the graph, of one search and of the result. */
static gpugeo_status check_room(const gpugeo_graph *graph,
                                const gpugeo_graph_distances_options *options,
                                gpugeo_error *error) {
  const double working = graph_bytes(graph, options) + search_bytes(graph, options);
  gpugeo_status status = gg_check_work(&options->run, working, error,
                                       "the distances in a graph of %lld vertices and %lld edges",
                                       (long long)graph->vertices, (long long)graph->edges.nrow);
  if (status) return status;
  const double elements = (double)count_sources(graph, options) * (double)graph->vertices;
  return gg_check_result(elements, GPUGEO_TYPE_DOUBLE, working, error);
}

/* Checks all arguments. */
static gpugeo_status check_arguments(const gpugeo_graph *graph,
                                     const gpugeo_graph_distances_options *options, gg_call *call) {
  gpugeo_error *error = call->error;
  GG_TRY(call, gg_check_run(&options->run, error));
  GG_TRY(call, gg_layout_graph_check(graph, gg_threads(options->run.threads), error));
  GG_TRY(call, gg_check_family(&options->run, GG_FAMILY_GRAPH_DISTANCES, error));
  GG_TRY(call,
         gg_layout_lengths_check(graph, options->lengths, options->lengths_length, false, error));
  GG_TRY(call, check_from(graph, options, error));
  return GG_TRY(call, check_room(graph, options, error));
}

gpugeo_status gpugeo_graph_distances_size(const gpugeo_graph *graph,
                                          const gpugeo_graph_distances_options *options,
                                          int64_t *size, gpugeo_error *error) {
  gpugeo_graph_distances_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(graph_distances_options, options, taken, error);
  if (status) return status;
  gg_call call = {.error = error};
  if (!check_arguments(graph, options, &call))
    *size = count_sources(graph, options) * graph->vertices;
  return call.status;
}

/* --- Searches --------------------------------------------------------------------------------- */

/* Searches from all sources, in batches. */
typedef struct searching {
  gg_path_graph graph;
  int32_t *sources;
  int64_t count;
  int64_t batch;     /* sources of a search */
  char *work;        /* of each thread */
  int64_t work_size; /* of one thread */
  double *distances;
  gg_clock *clock;
  bool stopped; /* a search was not completed */
} searching;

/* Searches from a range of batches. */
static void search_batches(void *job, gg_range range) {
  searching *s = job;
  for (int64_t b = range.first; b < range.last; ++b) {
    const int64_t first = b * s->batch, left = s->count - first;
    if (!gg_paths_search(&s->graph, s->sources + first, (int)gg_smaller(left, s->batch),
                         s->work + range.worker * s->work_size, s->distances + first, s->count,
                         s->clock))
      gg_atomic_store(&s->stopped, true);
  }
}

/* The backend of a call. */
typedef struct chosen_backend {
  const gg_backend *backend;
  int32_t device, threads;
} chosen_backend;

/* Returns the work of all searches in 0.1 ns: about 5 ns for an entry of a search breadth first, of
   which 64 sources share some, and 20 ns with lengths. */
static double search_work(const gpugeo_graph *graph,
                          const gpugeo_graph_distances_options *options) {
  const double entries = (double)graph->vertices + 2 * (double)graph->edges.nrow;
  return (options->lengths ? 200 : 10) * (double)count_sources(graph, options) * entries;
}

/* Returns how many threads search at the same time: their memory is at most the limit or, without
   one, at most 256 MiB or that of the result. */
static int32_t count_threads(const gpugeo_graph *graph,
                             const gpugeo_graph_distances_options *options) {
  const double n = (double)graph->vertices, sources = (double)count_sources(graph, options);
  const int32_t threads = gg_threads_for(options->run.threads, search_work(graph, options));
  const double limit = options->run.work_bytes
                           ? (double)options->run.work_bytes - graph_bytes(graph, options)
                           : fmax(GG_WORK_BYTES, 8 * n * sources);
  const double room = fmax(1, floor(limit / fmax(1, search_bytes(graph, options))));
  return (int32_t)fmin(fmin(threads, room), fmax(1, sources));
}

/* Lists the sources, numbered from 0. */
static gpugeo_status list_sources(searching *s, const gpugeo_graph *graph,
                                  const gpugeo_graph_distances_options *options, gg_call *call) {
  s->count = count_sources(graph, options);
  s->sources = gg_call_allocate(call, s->count, sizeof *s->sources);
  for (int64_t i = 0; s->sources && i < s->count; ++i)
    s->sources[i] = (int32_t)(options->from ? options->from[i] - (double)graph->first : (double)i);
  return call->status;
}

/* Runs the searches on the host. */
static gpugeo_status search_on_host(searching *s, int32_t threads, gg_call *call) {
  s->work_size = gg_paths_vertex_bytes(&s->graph) * s->graph.csr.vertices / 64 * 64 + 64;
  s->work = gg_call_allocate(call, threads, s->work_size);
  if (!s->work || s->count == 0) return call->status;
  s->batch = gg_smaller((s->count + threads - 1) / threads, GG_PATHS_SOURCES);
  s->clock = call->clock;
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = (s->count + s->batch - 1) / s->batch,
                               .grain = 1,
                               .work = search_batches,
                               .job = s,
                               .share = 1});
  return gg_call_require(call, !s->stopped);
}

/* Estimates, in seconds: of a step of a search on a device, of which there are about as many as a
   square of vertices has on two sides. */
static const double step_seconds = 6e-6;

/* Chooses the backend and the threads. */
static gpugeo_status choose_backend(const gpugeo_graph *graph,
                                    const gpugeo_graph_distances_options *options, gg_call *call,
                                    chosen_backend *chosen) {
  const double n = (double)graph->vertices, sources = (double)count_sources(graph, options);
  const double graph_size = graph_bytes(graph, options);
  const gg_request request = {.family = GG_FAMILY_GRAPH_DISTANCES,
                              .work = search_work(graph, options),
                              .bytes = 8 * n * sources + graph_size,
                              .latency =
                                  2 * sqrt(n) * step_seconds * ceil(sources / GG_PATHS_SOURCES),
                              .resident = 8 * n * fmin(sources, GG_PATHS_SOURCES) + graph_size};
  chosen->threads = count_threads(graph, options);
  GG_TRY(call, gg_backend_choose(&options->run, &request, &chosen->backend, &chosen->device,
                                 call->error));
  if (!call->status)
    *call->report = gg_report_of(chosen->backend, chosen->device, 1, chosen->threads);
  return call->status;
}

/* Runs the searches. */
static gpugeo_status search_all(searching *s, const chosen_backend *chosen, gg_call *call) {
  if (!call->status && chosen->backend->graph_distances) {
    const gg_paths_plan plan = {.graph = s->graph,
                                .sources = s->sources,
                                .count = s->count,
                                .distances = s->distances,
                                .threads = chosen->threads,
                                .device = chosen->device,
                                .work_bytes = call->run->work_bytes};
    return GG_TRY(call, chosen->backend->graph_distances(&plan, call));
  }
  return search_on_host(s, chosen->threads, call);
}

gpugeo_status gpugeo_graph_distances(const gpugeo_graph *graph,
                                     const gpugeo_graph_distances_options *options,
                                     double *distances, gpugeo_report *report,
                                     gpugeo_error *error) {
  gpugeo_graph_distances_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(graph_distances_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  chosen_backend chosen = {.device = -1};
  if (check_arguments(graph, options, &call) || choose_backend(graph, options, &call, &chosen))
    return call.status;
  searching s = {.distances = distances};
  GG_TRY(&call, gg_layout_graph_make(graph, gg_threads(options->run.threads), &s.graph.csr, error));
  double *length = gg_layout_lengths_make(graph, options->lengths, &s.graph.csr, &call);
  s.graph.length = length;
  list_sources(&s, graph, options, &call);
  search_all(&s, &chosen, &call);
  gg_free(s.work);
  gg_free(s.sources);
  gg_free(length);
  gg_layout_graph_free(&s.graph.csr);
  return gg_call_end(&call);
}
