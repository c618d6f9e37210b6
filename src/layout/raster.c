/* Draws the edges of a layout as lines into an image of whole numbers, to which each edge adds. A
   tile of a picture is drawn with the pixels of the whole picture as coordinates, so that it has
   the same values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "layout/csr.h"
#include "layout/raster_host.h"

enum { LEAST_SCALE = 4 }; /* lines in a pixel */

GG_OPTIONS_INIT(layout_raster, .width = 1024, .height = 1024, .xlim = {0, 1}, .ylim = {0, 1})

static const gg_option option_rows[] = {
    {GG_OPTION("width", WHOLE, gpugeo_layout_raster_options, width)},
    {GG_OPTION("height", WHOLE, gpugeo_layout_raster_options, height)},
    {GG_OPTION("zoom", WHOLE, gpugeo_layout_raster_options, zoom)},
    {GG_OPTION_ARRAY("tile", DOUBLES, gpugeo_layout_raster_options, tile, tile_length)},
    {GG_OPTION("scale", NUMBER, gpugeo_layout_raster_options, scale), .allowed = GG_FROM_ZERO,
     .may_be_null = true},
};

GG_DEFINE_OPTIONS(layout_raster, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the width or height of an image. */
static gpugeo_status check_side(const char *argument, int32_t size, gpugeo_error *error) {
  if (size >= 1 && size <= GPUGEO_RASTER_SIDE_MAX) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be a whole number between 1 and %d, not %d", argument,
                 GPUGEO_RASTER_SIDE_MAX, (int)size);
}

/* Checks the limits of an axis. */
static gpugeo_status check_limits(const char *argument, const double *limits, gpugeo_error *error) {
  const double length = limits[1] - limits[0];
  if (length > 0 && isfinite(length)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be two finite numbers in ascending order, not %s and %s", argument,
                 gg_number(limits[0]).text, gg_number(limits[1]).text);
}

/* Returns the largest zoom at which a picture has at most GPUGEO_RASTER_LEVEL_MAX rows and columns.
 */
static int32_t most_zoom(const gpugeo_layout_raster_options *options) {
  const int64_t side = options->width > options->height ? options->width : options->height;
  int32_t zoom = 0;
  while (2 * side << zoom <= GPUGEO_RASTER_LEVEL_MAX)
    ++zoom;
  return zoom;
}

/* True if the numbers are the column and the row of a tile. */
static bool is_tile(const double *tile, int64_t length, int32_t tiles) {
  for (int64_t k = 0; k < length; ++k)
    if (!(tile[k] >= 0 && tile[k] < tiles && tile[k] == floor(tile[k]))) return false;
  return length == 2;
}

/* Checks which tile of a picture is drawn. */
static gpugeo_status check_tile(const gpugeo_layout_raster_options *options, gpugeo_error *error) {
  const int32_t most = most_zoom(options), zoom = options->zoom;
  if (zoom < 0 || zoom > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "zoom",
                   "zoom must be a whole number between 0 and %d for tiles of %d by %d pixels, not "
                   "%d",
                   (int)most, (int)options->width, (int)options->height, (int)zoom);
  const double *tile = options->tile;
  const int64_t length = tile ? options->tile_length : 0;
  if ((!tile && zoom == 0) || is_tile(tile, length, 1 << zoom)) return GPUGEO_OK;
  char given[80];
  if (length == 2)
    snprintf(given, sizeof given, "%s and %s", gg_number(tile[0]).text, gg_number(tile[1]).text);
  else
    snprintf(given, sizeof given, "%lld", (long long)length);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tile",
                 "tile must be two whole numbers between 0 and %d at zoom %d, the column and the "
                 "row, not %s",
                 (1 << zoom) - 1, (int)zoom, given);
}

/* Checks the scale of colours. */
static gpugeo_status check_scale(double scale, gpugeo_error *error) {
  if (scale >= 0 && isfinite(scale)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "scale", "scale must be " GG_FROM_ZERO ", not %s",
                 gg_number(scale).text);
}

/* Checks all arguments of an image. */
static gpugeo_status check_arguments(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                     const gpugeo_layout_raster_options *options, gg_call *call) {
  gpugeo_error *error = call->error;
  GG_TRY(call, gg_check_run(&options->run, error));
  GG_TRY(call, gg_layout_graph_check(graph, gg_threads(options->run.threads), error));
  GG_TRY(call, gg_layout_positions_check(positions, graph->vertices, error));
  GG_TRY(call, check_side("width", options->width, error));
  GG_TRY(call, check_side("height", options->height, error));
  GG_TRY(call, check_limits("xlim", options->xlim, error));
  GG_TRY(call, check_limits("ylim", options->ylim, error));
  GG_TRY(call, check_scale(options->scale, error));
  if (GG_TRY(call, check_tile(options, error))) return call->status;
  const double pixels = (double)options->width * options->height;
  GG_TRY(call, gg_check_work(&options->run, 16 * (double)graph->vertices + 8 * pixels, error,
                             "an image of %d by %d pixels and %lld vertices", options->width,
                             options->height, (long long)graph->vertices));
  return GG_TRY(call, gg_check_memory(16 * ((double)graph->vertices + pixels), "layout", error,
                                      "drawing %lld vertices into %.0f pixels needs",
                                      (long long)graph->vertices, pixels));
}

/* --- Scales of colours ------------------------------------------------------------------------ */

/* Returns the least coverage in a bin. */
static uint64_t least_of_bin(int bin) {
  const int half = 1 << (GG_RASTER_DIGITS - 1), zeros = bin < 2 * half ? 0 : bin / half - 1;
  return (uint64_t)(bin - zeros * half) << zeros;
}

/* Returns the scale of colours, see gpugeo_layout_raster_options. */
static double scale_of(const int64_t *bins) {
  int64_t all = 0, below = 0;
  for (int b = 0; b < GG_RASTER_BINS; ++b)
    all += bins[b];
  int bin = 0;
  while (bin < GG_RASTER_BINS - 1 && (below += bins[bin]) < all - all / 1000)
    ++bin;
  return all ? fmax((double)least_of_bin(bin) / GG_RASTER_UNIT, LEAST_SCALE) : LEAST_SCALE;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Computes where the vertices are in the picture. Fails for one that is not finite. */
static gpugeo_status locate_vertices(const gpugeo_matrix *positions,
                                     const gpugeo_layout_raster_options *options,
                                     gg_raster_point *at, gpugeo_error *error) {
  const double tiles = (double)(1 << options->zoom);
  const double columns = options->width * tiles / (options->xlim[1] - options->xlim[0]);
  const double rows = options->height * tiles / (options->ylim[1] - options->ylim[0]);
  for (int64_t i = 0; i < positions->nrow; ++i) {
    const double x = gg_element(positions, i, 0), y = gg_element(positions, i, 1);
    if (!isfinite(x) || !isfinite(y))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "layout",
                     "layout must be finite, but row %lld is not", (long long)i + 1);
    at[i].column = (x - options->xlim[0]) * columns - 0.5;
    at[i].row = (options->ylim[1] - y) * rows - 0.5;
  }
  return GPUGEO_OK;
}

/* Returns how many tiles a call draws. */
static double count_tiles(const gpugeo_layout_raster_options *options) {
  return options->used_scale && options->scale == 0 ? (double)((int64_t)1 << 2 * options->zoom) : 1;
}

/* Chooses the backend and the threads. The host takes about 60 ns for an edge and a tile, most of
   it for the gathers of positions. */
static gpugeo_status choose_backend(const gpugeo_graph *graph,
                                    const gpugeo_layout_raster_options *options, gg_call *call,
                                    const gg_backend **backend, gg_raster_plan *plan) {
  const double edges = (double)graph->edges.nrow, pixels = (double)options->width * options->height;
  const double resident = 16 * (double)graph->vertices + 8 * pixels;
  const gg_request request = {.family = GG_FAMILY_RASTER,
                              .work = 600 * edges * count_tiles(options),
                              .bytes = 8 * edges + resident,
                              .resident = resident + GG_RASTER_CHUNK * GG_RASTER_EDGE_BYTES};
  plan->threads = gg_threads(options->run.threads);
  GG_TRY(call, gg_backend_choose(&options->run, &request, backend, &plan->device, call->error));
  if (!call->status) *call->report = gg_report_of(*backend, plan->device, 1, plan->threads);
  return call->status;
}

/* Draws the asked tile, and computes the scale if it is asked. */
static void draw_image(gg_raster_plan *plan, const gpugeo_layout_raster_options *options,
                       const gg_backend *backend, gg_call *call) {
  const bool counts = options->used_scale && options->scale == 0;
  plan->side = (int64_t)1 << options->zoom;
  for (int k = 0; k < 2 && options->tile; ++k)
    plan->tile[k] = (int64_t)options->tile[k];
  plan->bins = counts ? gg_call_allocate(call, GG_RASTER_BINS, sizeof *plan->bins) : NULL;
  if (plan->bins) memset(plan->bins, 0, GG_RASTER_BINS * sizeof *plan->bins);
  if (!call->status && backend->raster)
    GG_TRY(call, backend->raster(plan, call));
  else
    gg_raster_on_host(plan, call);
  if (options->used_scale && !call->status)
    *options->used_scale = counts ? scale_of(plan->bins) : options->scale;
  gg_free(plan->bins);
}

/* Converts sums of coverage to numbers of lines. */
static void to_lines(const uint64_t *image, int64_t pixels, double *lines) {
  for (int64_t p = 0; p < pixels; ++p)
    lines[p] = (double)image[p] / GG_RASTER_UNIT;
}

gpugeo_status gpugeo_layout_raster(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                   const gpugeo_layout_raster_options *options, double *lines,
                                   gpugeo_report *report, gpugeo_error *error) {
  gpugeo_layout_raster_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(layout_raster_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  const gg_backend *backend;
  gg_raster_plan plan = {.graph = graph,
                         .width = options->width,
                         .height = options->height,
                         .work_bytes = options->run.work_bytes};
  if (check_arguments(graph, positions, options, &call) ||
      choose_backend(graph, options, &call, &backend, &plan))
    return call.status;
  const int64_t pixels = (int64_t)options->width * options->height, n = graph->vertices;
  gg_raster_point *at = gg_allocate(n, sizeof *at);
  plan.image = gg_allocate_zeros(pixels, sizeof *plan.image); /* in GG_RASTER_UNIT */
  if (!at || !plan.image)
    call.status =
        gg_fail_memory(error, n * (int64_t)sizeof *at + pixels * (int64_t)sizeof *plan.image);
  GG_TRY(&call, locate_vertices(positions, options, at, error));
  plan.at = at;
  if (!call.status) draw_image(&plan, options, backend, &call);
  if (!call.status) to_lines(plan.image, pixels, lines);
  gg_free(at);
  gg_free(plan.image);
  return gg_call_end(&call);
}
