/* Images of layouts: memory, tiles, hooks, and the same bits on CUDA. tests/testthat compares
   pixels with exact ones. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/random.h"
#include "common/test_hooks.h"
#include "gpugeo.h"
#include "witness.h"

/* Images take the working memory that is stated, and no less. */
static void test_memory(void) {
  const int32_t ends[] = {0, 1};
  const double at[] = {0, 1, 0.25, 0.25};
  const gpugeo_graph graph = {.vertices = 2, .edges = {ends, GPUGEO_TYPE_INT32, 1, 2, 1, NULL}};
  const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  gpugeo_layout_raster_options options;
  gpugeo_layout_raster_options_init(&options, sizeof options);
  options.width = 8;
  options.height = 4;
  double lines[32];
  gpugeo_error error = {0};
  options.run.work_bytes = 8 * 8 * 4 + 16 * 2;
  gpugeo_status status = gpugeo_layout_raster(&graph, &positions, &options, lines, NULL, &error);
  CHECK(!status, "%s", error.message);
  --options.run.work_bytes;
  status = gpugeo_layout_raster(&graph, &positions, &options, lines, NULL, &error);
  CHECK(status == GPUGEO_ERROR_MEMORY && !strcmp(error.argument, "memory_limit") &&
            !strcmp(error.message,
                    "memory_limit must be at least 288 bytes for an image of 8 by 4 pixels and 2 "
                    "vertices, not 287"),
        "status %d: %s", (int)status, error.message);
}

/* Draws a graph, with an image of 0 to 1 by 0 to 1. */
static void draw_tile(const gpugeo_graph *graph, const gpugeo_matrix *positions, int side, int zoom,
                      const double *tile, double *lines, double *scale) {
  gpugeo_error error = {0};
  gpugeo_layout_raster_options options;
  gpugeo_layout_raster_options_init(&options, sizeof options);
  options.width = options.height = side;
  options.zoom = zoom;
  options.tile = tile;
  options.tile_length = 2;
  options.used_scale = scale;
  const gpugeo_status status =
      gpugeo_layout_raster(graph, positions, &options, lines, NULL, &error);
  CHECK(!status, "%s", error.message);
}

/* Compares all tiles of a zoom with the whole picture, and its scale with that of its pixels. */
static void check_tiles(const gpugeo_graph *graph, const gpugeo_matrix *positions, int zoom) {
  enum { SIDE = 96 };
  static double whole[SIDE * SIDE], part[SIDE * SIDE];
  double scale, tile_scale = -1;
  const int tiles = 1 << zoom, side = SIDE / tiles;
  draw_tile(graph, positions, SIDE, 0, NULL, whole, &scale);
  int differing = 0, drawn = 0, above = 0, least_above = 0;
  for (int t = 0; t < tiles * tiles; ++t) {
    const double tile[2] = {t % tiles, t / tiles};
    draw_tile(graph, positions, side, zoom, tile, part, &tile_scale);
    CHECK(tile_scale == scale, "%.17g of a tile, %.17g of the picture", tile_scale, scale);
    for (int p = 0; p < side * side; ++p) {
      const int row = (t / tiles) * side + p / side, column = (t % tiles) * side + p % side;
      differing += part[p] != whole[row * SIDE + column];
    }
  }
  for (int p = 0; p < SIDE * SIDE; ++p) {
    drawn += whole[p] > 0;
    above += whole[p] > scale * (1 + 0x1p-7);
    least_above += whole[p] >= scale;
  }
  CHECK(differing == 0 && drawn > SIDE, "zoom %d: %d of %d pixels differ", zoom, differing, drawn);
  CHECK(scale >= 4 && above <= drawn / 1000 && (scale == 4 || least_above > drawn / 1000),
        "scale %g: %d of %d pixels are above", scale, above, drawn);
}

/* Tiles are parts of the whole picture, bit for bit: edges of any slope, many of them through a
   pixel, and those that end far outside. */
static void test_tiles(void) {
  enum { EDGES = 3000 };
  static int32_t ends[2 * EDGES];
  static double at[4 * EDGES];
  for (int i = 0; i < 2 * EDGES; ++i) {
    const double size = i % 7 == 0 ? 1000 : i % 5 == 0 ? 1e-3 : 1;
    ends[i] = i;
    at[i] = 0.5 + size * (fmod(i * 0.7548776662466927, 1) - 0.5);
    at[i + 2 * EDGES] = 0.5 + size * (fmod(i * 0.5698402909980532, 1) - 0.5);
  }
  for (int edges = 100; edges <= EDGES; edges *= 30) {
    const gpugeo_graph graph = {.vertices = 2 * EDGES,
                                .edges = {ends, GPUGEO_TYPE_INT32, edges, 2, EDGES, NULL}};
    const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, 2 * EDGES, 2, 2 * EDGES, NULL};
    for (int zoom = 0; zoom < 6; ++zoom)
      check_tiles(&graph, &positions, zoom);
  }
}

/* A tile whose scale needs all others can be stopped at any of them, and its progress goes forward.
 */
static void test_hooks(gpugeo_backend backend) {
  const int32_t ends[] = {0, 1};
  const double at[] = {0, 1, 0.25, 0.75}, tile[] = {2, 1};
  const gpugeo_graph graph = {.vertices = 2, .edges = {ends, GPUGEO_TYPE_INT32, 1, 2, 1, NULL}};
  const gpugeo_matrix positions = {at, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  gpugeo_layout_raster_options options;
  gpugeo_layout_raster_options_init(&options, sizeof options);
  double lines[16], scale;
  gpugeo_error error = {0};
  options.width = options.height = 4;
  options.zoom = 3;
  options.tile = tile;
  options.tile_length = 2;
  options.used_scale = &scale;
  options.run.threads = 1;
  options.run.backend = backend;
  gg_clock_set_polls(1);
  for (int stop_at = 0; stop_at <= 64; stop_at += 32) {
    witness w = {.stop_at = stop_at};
    witness_watch(&w, &options.run);
    const gpugeo_status status =
        gpugeo_layout_raster(&graph, &positions, &options, lines, NULL, &error);
    CHECK(status == (stop_at ? GPUGEO_ERROR_INTERRUPT : GPUGEO_OK), "stop at %d: status %d",
          stop_at, (int)status);
    CHECK(w.asked >= (stop_at ? stop_at : 64) && !w.backwards && !w.beyond,
          "asked %d times, at last %g", w.asked, w.last);
  }
  gg_clock_set_polls(0);
}

/* --- CUDA ------------------------------------------------------------------------------------- */

/* A graph with positions, and what is drawn of it. */
typedef struct drawn {
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_layout_raster_options options;
} drawn;

/* Draws it; *scale is unread if it is not asked for. Returns memory of the caller. */
static double *draw(const drawn *d, gpugeo_backend backend, double *scale, gpugeo_report *report) {
  gpugeo_layout_raster_options options = d->options;
  gpugeo_error error = {0};
  options.run.backend = backend;
  if (options.used_scale) options.used_scale = scale;
  double *lines = calloc((size_t)options.width * (size_t)options.height, sizeof *lines);
  if (!CHECK(lines, "memory")) exit(1);
  CHECK(!gpugeo_layout_raster(&d->graph, &d->positions, &options, lines, report, &error), "%s",
        error.message);
  return lines;
}

/* Compares the image and the scale on CUDA with those on the CPU. */
static void compare_backends(const char *name, const drawn *d) {
  double scale[2] = {-1, -1};
  gpugeo_report report = {0};
  drawn on_host = *d;
  on_host.options.run.work_bytes = 0;
  double *expected = draw(&on_host, GPUGEO_BACKEND_CPU, &scale[0], NULL);
  double *got = draw(d, GPUGEO_BACKEND_CUDA, &scale[1], &report);
  const int64_t pixels = (int64_t)d->options.width * d->options.height;
  int64_t wrong = 0;
  for (int64_t p = 0; p < pixels; ++p)
    wrong += memcmp(&got[p], &expected[p], sizeof *got) != 0;
  CHECK(wrong == 0, "%s: %lld of %lld pixels differ", name, (long long)wrong, (long long)pixels);
  CHECK(scale[0] == scale[1], "%s: scale %g, on the CPU %g", name, scale[1], scale[0]);
  CHECK(report.backend == GPUGEO_BACKEND_CUDA && report.device >= 0, "%s: backend %d", name,
        (int)report.backend);
  free(expected);
  free(got);
}

/* Random edges: most of a pixel or a few, some across the picture, some that end far outside or are
   points. */
static void fill_random(int64_t edges, int32_t first, int32_t *ends, double *at) {
  for (int64_t i = 0; i < 2 * edges; ++i) {
    const uint64_t kind = gg_random(1, (uint64_t)(i / 2)) % 64;
    const double size = kind == 0 ? 1000 : kind < 4 ? 1 : kind < 10 ? 0 : 0.01;
    ends[i / 2 + (i % 2) * edges] = first + (int32_t)i;
    for (uint64_t c = 0; c < 2; ++c)
      at[(uint64_t)i + c * 2 * (uint64_t)edges] = 1.2 * gg_random_unit(2 + c, (uint64_t)(i / 2)) -
                                                  0.1 +
                                                  size * (gg_random_unit(4 + c, (uint64_t)i) - 0.5);
  }
}

/* Pictures and tiles of random edges, of more edges than a chunk has, with memory for all edges on
   the device and for few. */
static void compare_random(void) {
  const int64_t edges = CHECK_SMALL ? 3000 : 1200000;
  int32_t *ends = malloc((size_t)(2 * edges) * sizeof *ends);
  double *at = malloc((size_t)(4 * edges) * sizeof *at), used = 0;
  if (!CHECK(ends && at, "memory")) exit(1);
  for (int way = 0; way < 6; ++way) {
    char name[80];
    const double tile[] = {1, way % 4};
    drawn d = {{.vertices = 2 * edges,
                .first = way % 2,
                .edges = {ends, GPUGEO_TYPE_INT32, edges, 2, edges, NULL}},
               {at, GPUGEO_TYPE_DOUBLE, 2 * edges, 2, 2 * edges, NULL},
               {0}};
    gpugeo_layout_raster_options_init(&d.options, sizeof d.options);
    fill_random(edges, way % 2, ends, at);
    d.options.width = way == 0 ? 1 : way == 1 ? 777 : 300;
    d.options.height = way == 0 ? 3 : way == 2 ? 1500 : 200;
    d.options.zoom = way > 3 ? 2 : 0;
    if (way > 3) d.options.tile = tile;
    d.options.tile_length = 2;
    d.options.used_scale = way % 3 == 2 ? NULL : &used;
    const int64_t least = 8 * (int64_t)d.options.width * d.options.height + 32 * edges;
    if (way % 2) d.options.run.work_bytes = least;
    snprintf(name, sizeof name, "%lld random edges, way %d", (long long)edges, way);
    compare_backends(name, &d);
  }
  free(ends);
  free(at);
}

/* Edges of all lengths around that from which a warp draws an edge, in all directions, with ends in
   double. */
static void compare_lengths(void) {
  enum { EDGES = 4000 };
  static double at[4 * EDGES], ends[2 * EDGES];
  const int64_t edges = CHECK_SMALL ? EDGES / 10 : EDGES;
  double used = 0;
  for (int i = 0; i < EDGES; ++i) {
    const double angle = 0.1 * i, length = 0.02 * i;
    at[i] = 100 + 50 * gg_random_unit(1, (uint64_t)i);
    at[i + 2 * EDGES] = 100 + 50 * gg_random_unit(2, (uint64_t)i);
    at[i + EDGES] = at[i] + length * cos(angle);
    at[i + 3 * EDGES] = at[i + 2 * EDGES] + length * sin(angle);
    ends[i] = i;
    ends[i + EDGES] = i + EDGES;
  }
  drawn d = {{.vertices = 2 * EDGES, .edges = {ends, GPUGEO_TYPE_DOUBLE, edges, 2, EDGES, NULL}},
             {at, GPUGEO_TYPE_DOUBLE, 2 * EDGES, 2, 2 * EDGES, NULL},
             {0}};
  gpugeo_layout_raster_options_init(&d.options, sizeof d.options);
  d.options.width = 256;
  d.options.height = 250;
  d.options.xlim[1] = 256;
  d.options.ylim[1] = 250;
  d.options.used_scale = &used;
  compare_backends("ends in double", &d);
}

/* No vertices, no edges, edges beyond the range of doubles, at zooms where positions are large. */
static void compare_edges(void) {
  static const int32_t ends[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 2};
  static const double at[] = {-1e300, 1e300, 0.5, 1e308, 0.25, 0.2500001, -1e308, 0.75};
  const double tile[] = {4, 4};
  double used = 0;
  for (int k = 0; k < 6; ++k) {
    drawn d = {
        {.vertices = k ? 4 : 0, .edges = {ends, GPUGEO_TYPE_INT32, k > 1 ? 5 : 0, 2, 5, NULL}},
        {at, GPUGEO_TYPE_DOUBLE, k ? 4 : 0, 2, 4, NULL},
        {0}};
    gpugeo_layout_raster_options_init(&d.options, sizeof d.options);
    d.options.width = 40;
    d.options.height = 30;
    d.options.zoom = k == 3 ? 3 : k > 3 ? 18 : 0;
    if (k > 2) d.options.tile = tile;
    d.options.tile_length = 2;
    d.options.used_scale = &used;
    if (k > 3) d.options.scale = 4;
    compare_backends("small graphs", &d);
  }
}

/* Images on CUDA, each of which is the CPU's bit by bit. */
static void test_cuda(void) {
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), images not compared", error.message);
    return;
  }
  compare_random();
  compare_lengths();
  compare_edges();
  test_hooks(GPUGEO_BACKEND_CUDA);
}

int main(void) {
  test_memory();
  test_hooks(GPUGEO_BACKEND_CPU);
  test_tiles();
  test_cuda();
  return check_end();
}
