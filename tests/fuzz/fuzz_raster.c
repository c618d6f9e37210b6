/* Fuzzes gpugeo_layout_raster(): any graph, positions, limits and tile. Checks that the image
   depends neither on the way to compute nor on the order of edges and their ends, and that no pixel
   has more than the longest lines in it. */
#include "fuzz.h"

enum { MOST_VERTICES = 12, MOST_EDGES = 24, MOST_SIDE = 150 };

/* A graph, where its vertices are, and the image. */
typedef struct question {
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_layout_raster_options options;
  int32_t ends[2 * MOST_EDGES];
  double tile[2];
} question;

/* Vertices, mostly in range. */
static void take_edges(bytes *b, question *q) {
  const int64_t edges = take(b, MOST_EDGES);
  q->graph.vertices = take(b, MOST_VERTICES);
  q->graph.first = take(b, 1);
  for (int64_t e = 0; e < 2 * edges; ++e)
    q->ends[e] = (int32_t)q->graph.first +
                 take(b, (int)q->graph.vertices - (q->graph.vertices > 0)) - (take(b, 255) == 255);
  q->graph.edges = (gpugeo_matrix){q->ends, GPUGEO_TYPE_INT32, edges, 2, edges, NULL};
}

/* Two limits, mostly ascending. */
static void take_limits(bytes *b, double *limits) {
  limits[0] = take_double(b);
  limits[1] = take(b, 7) == 7 ? take_double(b) : limits[0] + 1 + take(b, 31);
}

/* Writes the edges in reverse order, with their ends exchanged. */
static void reverse(const question *q, int32_t *ends) {
  const int64_t edges = q->graph.edges.nrow;
  for (int64_t e = 0; e < 2 * edges; ++e)
    ends[e] = q->ends[2 * edges - 1 - e];
}

static gpugeo_status draw(question *q, int way, double *lines) {
  gpugeo_error error;
  set_way(&q->options.run, way, 0);
  const gpugeo_status status =
      gpugeo_layout_raster(&q->graph, &q->positions, &q->options, lines, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  return status;
}

static void check_image(question *q, int64_t pixels, double *first, double *other) {
  const double most = 1.42 * (double)q->graph.edges.nrow;
  const gpugeo_status status = draw(q, 0, first);
  for (int64_t p = 0; !status && p < pixels; ++p)
    demand(first[p] >= 0 && first[p] <= most && first[p] * 256 == floor(first[p] * 256));
  int32_t ends[2 * MOST_EDGES];
  reverse(q, ends);
  for (int way = 1; way < WAYS; ++way) {
    q->graph.edges.data = way == 1 ? q->ends : ends;
    demand(draw(q, way, other) == status);
    if (!status) demand(memcmp(first, other, (size_t)pixels * sizeof *first) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  question q = {.graph.vertices = 0};
  gpugeo_layout_raster_options_init(&q.options, sizeof q.options);
  q.options.width = take(&b, MOST_SIDE);
  q.options.height = take(&b, MOST_SIDE);
  take_limits(&b, q.options.xlim);
  take_limits(&b, q.options.ylim);
  take_edges(&b, &q);
  q.options.zoom = take(&b, 3);
  q.options.tile_length = 2;
  for (int k = 0; k < 2; ++k)
    q.tile[k] = take(&b, (1 << q.options.zoom) - 1);
  if (q.options.zoom > 0) q.options.tile = q.tile;
  const gpugeo_type type = (gpugeo_type)take(&b, GPUGEO_TYPE_INT32);
  q.positions = take_matrix(&b, type, q.graph.vertices, 1 + take(&b, 3));
  const int64_t pixels = (int64_t)q.options.width * q.options.height;
  double *first = malloc((size_t)(pixels + 1) * sizeof *first);
  double *other = malloc((size_t)(pixels + 1) * sizeof *other);
  check_image(&q, pixels, first, other);
  free(first);
  free(other);
  free((void *)q.positions.data);
  return 0;
}
