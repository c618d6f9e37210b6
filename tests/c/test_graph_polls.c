/* Layouts by stress and distances of long and of wide graphs can be stopped at every stage: the
   hooks are asked at least once for each 2^18 steps of a search, and the call ends at the answer.
 */
#include <stdlib.h>

#include "check.h"
#include "common/test_hooks.h"
#include "gpugeo.h"
#include "witness.h"

enum {
  PIVOTS = 3,
  SOURCES = 2,
  STEPS = 1 << 18, /* of a search, of at most 100 ns each: 26 ms */
  STOPS = 6        /* polls at which a call is stopped */
};

static int64_t vertices; /* of the graph */
static int32_t *ends;    /* of all edges */

/* A path, or a star. */
static gpugeo_graph make_graph(bool is_star) {
  const int64_t m = vertices - 1;
  for (int64_t e = 0; e < m; ++e) {
    ends[e] = is_star ? 0 : (int32_t)e;
    ends[e + m] = (int32_t)(e + 1);
  }
  return (gpugeo_graph){.vertices = vertices, .edges = {ends, GPUGEO_TYPE_INT32, m, 2, m, NULL}};
}

/* What is called, on one thread, with the hooks of a witness; `values` has room for two numbers of
   each vertex. */
typedef gpugeo_status watched(const gpugeo_graph *graph, witness *w, double *values,
                              gpugeo_error *error);

static gpugeo_status lay_out(const gpugeo_graph *graph, witness *w, double *values,
                             gpugeo_error *error) {
  gpugeo_layout_options options;
  gpugeo_layout_result result;
  gpugeo_report report;
  gpugeo_layout_options_init(&options, sizeof options);
  options.algorithm = GPUGEO_LAYOUT_ALGORITHM_STRESS;
  options.pivots = PIVOTS;
  options.iterations = 2;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = 1;
  witness_watch(w, &options.run);
  return gpugeo_layout(graph, &options, values, &result, &report, error);
}

static gpugeo_status find_distances(const gpugeo_graph *graph, witness *w, double *values,
                                    gpugeo_error *error) {
  const double from[SOURCES] = {0, (double)(vertices - 1)};
  gpugeo_graph_distances_options options;
  gpugeo_report report;
  gpugeo_graph_distances_options_init(&options, sizeof options);
  options.from = from;
  options.from_length = SOURCES;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.threads = 1;
  witness_watch(w, &options.run);
  return gpugeo_graph_distances(graph, &options, values, &report, error);
}

/* Counts the questions of a whole call, and stops others at some of them, the first and the last
   among them. */
static void test_stops(const char *name, const gpugeo_graph *graph, watched *call, int searches,
                       double *values) {
  witness whole = {0};
  gpugeo_error error = {0};
  CHECK(!call(graph, &whole, values, &error), "%s: %s", name, error.message);
  CHECK(whole.asked >= searches * (vertices / STEPS) && whole.asked > 0,
        "%s: %d questions for %d searches", name, whole.asked, searches);
  CHECK(!whole.backwards && !whole.beyond, "%s: progress", name);
  for (int k = 0; k < STOPS && whole.asked > 0; ++k) {
    witness w = {.stop_at = 1 + k * (whole.asked - 1) / (STOPS - 1)};
    const gpugeo_status status = call(graph, &w, values, &error);
    CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == w.stop_at && w.after == 0,
          "%s, question %d of %d: status %d, asked %d times, %d after the answer", name, w.stop_at,
          whole.asked, status, w.asked, w.after);
  }
}

int main(void) {
  vertices = CHECK_SMALL ? 1 << 17 : 1 << 20;
  double *values = malloc(2 * (size_t)vertices * sizeof *values);
  ends = malloc(2 * (size_t)vertices * sizeof *ends);
  gg_clock_set_polls(1);
  for (int star = 0; star < 2; ++star) {
    const gpugeo_graph graph = make_graph(star == 1);
    test_stops(star ? "stress, star" : "stress, path", &graph, lay_out, PIVOTS + 1, values);
    test_stops(star ? "distances, star" : "distances, path", &graph, find_distances, 1, values);
  }
  gg_clock_set_polls(0);
  free(values);
  free(ends);
  return check_end();
}
