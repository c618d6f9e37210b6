/* Fuzzes gpugeo_layout(): any graph and options. Checks that positions do not depend on the way to
   compute, are finite, in each frame, too, and within their bounds, and that fixed vertices do not
   move. */
#include "fuzz.h"

enum { MOST_VERTICES = 40, MOST_EDGES = 60, MOST_VALUES = 3 * MOST_VERTICES };

/* Where positions begin and may be. */
typedef struct frame {
  double init[MOST_VALUES], lower[MOST_VALUES], upper[MOST_VALUES];
  int32_t fixed[MOST_VERTICES];
} frame;

/* A bound, or none. */
static double take_bound(bytes *b, double none) { return take(b, 1) ? take_double(b) : none; }

static void take_frame(bytes *b, int64_t vertices, gpugeo_layout_options *o, frame *f) {
  const int64_t values = vertices * (o->dim == 3 ? 3 : 2);
  const bool with_init = take(b, 1), with_fixed = take(b, 1), with_bounds = take(b, 3) == 3;
  for (int64_t i = 0; with_init && i < values; ++i)
    f->init[i] = take_double(b);
  for (int64_t v = 0; with_fixed && v < vertices; ++v)
    f->fixed[v] = take(b, 3) == 3;
  for (int64_t i = 0; with_bounds && i < values; ++i) {
    f->lower[i] = take_bound(b, -INFINITY);
    f->upper[i] = fmax(f->lower[i], take_bound(b, INFINITY));
  }
  if (with_init) o->init = f->init;
  if (with_fixed) o->fixed = f->fixed;
  if (with_bounds) o->lower = f->lower;
  if (with_bounds) o->upper = f->upper;
  o->init_length = with_init ? values : 0;
  o->fixed_length = with_fixed ? vertices : 0;
  o->lower_length = o->upper_length = with_bounds ? values : 0;
}

static void check_positions(const gpugeo_layout_options *o, int64_t vertices, const double *at) {
  for (int64_t i = 0; i < vertices * o->dim; ++i) {
    demand(isfinite(at[i]));
    const bool fixed = o->fixed && o->fixed[i % vertices];
    if (fixed) demand(at[i] == o->init[i]);
    if (o->lower && !fixed) demand(at[i] >= o->lower[i]);
    if (o->upper && !fixed) demand(at[i] <= o->upper[i]);
  }
}

/* Is shown the positions, of which there are *data. */
static int check_frame(int64_t iteration, double temperature, const double *positions, void *data) {
  demand(iteration >= 0 && !isnan(temperature));
  for (int64_t i = 0; i < *(const int64_t *)data; ++i)
    demand(isfinite(positions[i]));
  return 0;
}

static void check_layout(const gpugeo_graph *graph, gpugeo_layout_options *o, int64_t work_bytes) {
  double first[MOST_VALUES], other[MOST_VALUES] = {0};
  gpugeo_error error;
  gpugeo_status status = GPUGEO_OK;
  for (int way = 0; way < WAYS; ++way) {
    int64_t values = 0;
    gpugeo_layout_result result;
    set_way(&o->run, way, work_bytes);
    gpugeo_status now = gpugeo_layout_size(graph, o, &values, &error);
    demand_status(now, ALLOW_ARGUMENT, &error);
    if (!now) {
      demand(values == graph->vertices * o->dim);
      now = gpugeo_layout(graph, o, way ? other : first, &result, NULL, &error);
      demand_status(now, ALLOW_ARGUMENT, &error);
    }
    demand(way == 0 || now == status);
    status = now;
    if (status) continue;
    demand(!isnan(result.temperature) && result.iterations >= 0 && result.components >= 0);
    if (way == 0) check_positions(o, graph->vertices, first);
    if (way) demand(memcmp(first, other, (size_t)values * sizeof *first) == 0);
  }
}

/* Vertices, mostly in range, and weights. */
static void take_edges(bytes *b, gpugeo_graph *graph, int64_t edges, int32_t *ends,
                       double *weights) {
  for (int64_t e = 0; e < 2 * edges; ++e)
    ends[e] = (int32_t)graph->first + take(b, (int)graph->vertices - (graph->vertices > 0)) -
              (take(b, 255) == 255);
  graph->edges = (gpugeo_matrix){ends, GPUGEO_TYPE_INT32, edges, 2, edges, NULL};
  if (take(b, 1)) return;
  for (int64_t e = 0; e < edges; ++e)
    weights[e] = take(b, 31) == 31 ? take_double(b) : 0.5 * take(b, 8);
  graph->weights = weights;
  graph->weights_length = edges;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_layout_options o;
  gpugeo_layout_options_init(&o, sizeof o);
  o.dim = 2 + take(&b, 1) + (take(&b, 31) == 31);
  o.iterations = take(&b, 24);
  o.start_temp = take(&b, 3) == 3 ? take_double(&b) : (double)NAN;
  o.tolerance = take(&b, 3) == 3 ? take_double(&b) : 0;
  o.repulsion = (gpugeo_layout_repulsion)take(&b, 2);
  o.theta = take(&b, 10) / 4.0;
  o.expansion_order = take(&b, 5) - 1;
  o.multilevel = take(&b, 2) - 1;
  o.seed = (uint64_t)take(&b, 255);
  const int64_t work_bytes = take(&b, 255);
  gpugeo_graph graph = {.vertices = take(&b, MOST_VERTICES), .first = take(&b, 1)};
  int32_t ends[2 * MOST_EDGES];
  double weights[MOST_EDGES];
  take_edges(&b, &graph, take(&b, MOST_EDGES), ends, weights);
  frame f;
  take_frame(&b, graph.vertices, &o, &f);
  int64_t values = graph.vertices * o.dim;
  o.frame = check_frame;
  o.frame_every = take(&b, 3);
  o.frame_data = &values;
  check_layout(&graph, &o, work_bytes);
  return 0;
}
