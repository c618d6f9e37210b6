/* Draws the edges of a layout as lines into an image of whole numbers, to which each edge adds. A
   tile of a picture is drawn with the pixels of the whole picture as coordinates, so that it has
   the same values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/call.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/parallel.h"
#include "layout/csr.h"

enum {
  UNIT = 256,     /* of a pixel that a line of one pixel's width crosses along a row or column */
  BAND_ROWS = 64, /* a thread draws: 64 rows of 1,024 pixels fit into a cache of 1 MB */
  FRACTION = 32,  /* bits of positions after the point */
  DIGITS = 8,     /* binary digits of a scale */
  BINS = (64 - DIGITS + 2) << (DIGITS - 1), /* of coverages with so many digits */
  LEAST_SCALE = 4                           /* lines in a pixel */
};

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

/* --- Lines ------------------------------------------------------------------------------------ */

/* A position in the picture: the centre of the pixel of row 0 and column 0 is (0, 0). */
typedef struct location {
  double column, row;
} location;

typedef struct raster_job {
  const gpugeo_graph *graph;
  const location *at; /* of the vertices */
  int32_t width, height;
  int64_t column, row; /* of the picture, at the top left of the image */
  uint64_t *image;     /* height rows of width pixels */
} raster_job;

/* The rows and columns [first, last) of the picture that a thread draws. */
typedef struct band {
  uint64_t *image; /* begins with them */
  int64_t width;   /* pixels of a row */
  int64_t rows[2], columns[2];
} band;

/* Returns the largest whole number that is not above the value. */
static int64_t whole(double value) { return (int64_t)floor(value); }

/* Returns the part of the pixels around `at`, along the axis of the line, that the line from `from`
   to `to` covers, times `weight`. */
static uint64_t covered(int64_t at, double from, double to, double weight) {
  const double low = fmax(from, (double)at - 0.5), high = fmin(to, (double)at + 0.5);
  return high > low ? (uint64_t)((high - low) * weight + 0.5) : 0;
}

/* Adds to the two pixels at both sides of a position across the line. `step` is the distance of
   the pixels in the image, which begins with `first`; those outside [first, last) are left out. */
static inline void add_ink(uint64_t *pixels, int64_t across, int64_t step, int64_t first,
                           int64_t last, uint64_t ink) {
  const int64_t near = (across >> FRACTION) - first, count = last - first;
  const uint64_t part = (uint64_t)(across >> (FRACTION - 8)) & 255, far = (ink * part) >> 8;
  if (near >= 0 && near < count) pixels[near * step] += ink - far;
  if (near + 1 >= 0 && near + 1 < count) pixels[(near + 1) * step] += far;
}

/* A line along one axis of the image (columns, or rows if it is steep): its ends on this axis, and
   the position on the other one at the first, with its change for each pixel. */
typedef struct line {
  double from, to, across, slope;
} line;

/* Narrows the pixels [*first, *last] along the line to those where it is, up to 2 pixels, between
   two positions across. */
static void narrow(const line *l, double low, double high, int64_t *first, int64_t *last) {
  if (fabs(l->slope) < 1e-9) {
    if (l->across < low - 2 || l->across > high + 2) *last = *first - 1;
    return;
  }
  const double a = l->from + (low - 2 - l->across) / l->slope;
  const double b = l->from + (high + 2 - l->across) / l->slope;
  const double least = fmin(a, b), most = fmax(a, b);
  if (least > (double)*first) *first = least > (double)*last ? *last + 1 : whole(least);
  if (most < (double)*last) *last = most < (double)*first ? *first - 1 : whole(most) + 1;
}

/* Draws a line into the pixels [along[0], along[1]) by [across[0], across[1]) of the picture, with
   which the image begins, and with these distances of pixels along the line and across. Any part of
   a picture has the same values as in the whole. */
static void draw_line(const line *l, uint64_t *image, const int64_t along[2], int64_t along_step,
                      const int64_t across[2], int64_t across_step) {
  /* The position at pixel 0, from which all others are whole steps. */
  const double origin = l->across - l->from * l->slope, bound = 2 * GPUGEO_RASTER_LEVEL_MAX;
  if (!(fabs(origin) < 0x1p30)) return; /* outside the picture, since the slope is at most 1 */
  int64_t first = whole(fmax(l->from, -bound) + 0.5), last = whole(fmin(l->to, bound) + 0.5);
  if (first < along[0]) first = along[0];
  if (last > along[1] - 1) last = along[1] - 1;
  narrow(l, (double)across[0], (double)(across[1] - 1), &first, &last);
  const double weight = UNIT * sqrt(1 + l->slope * l->slope), scale = 0x1p32;
  const uint64_t full = (uint64_t)(weight + 0.5);
  const int64_t start = (int64_t)floor(origin * scale), step = (int64_t)floor(l->slope * scale);
  for (int64_t p = first; p <= last; ++p) {
    const bool end = (double)p - 0.5 < l->from || (double)p + 0.5 > l->to;
    const uint64_t ink = end ? covered(p, l->from, l->to, weight) : full;
    add_ink(image + (p - along[0]) * along_step, start + p * step, across_step, across[0],
            across[1], ink);
  }
}

/* Draws an edge in a band of the image, along its longer side. */
static void draw_edge(const band *b, location u, location v) {
  const bool steep = fabs(u.row - v.row) > fabs(u.column - v.column);
  if (steep ? u.row > v.row : u.column > v.column) {
    const location w = u;
    u = v;
    v = w;
  }
  if (steep) {
    const line l = {u.row, v.row, u.column, (v.column - u.column) / (v.row - u.row)};
    draw_line(&l, b->image, b->rows, b->width, b->columns, 1);
  } else if (v.column > u.column) {
    const line l = {u.column, v.column, u.row, (v.row - u.row) / (v.column - u.column)};
    draw_line(&l, b->image, b->columns, 1, b->rows, b->width);
  }
}

/* True if no part of an edge is in the band. Its last pixel is drawn as the line goes on there: up
   to half a pixel across, and on both sides. */
static bool outside(const band *b, location u, location v) {
  const double top = (double)b->rows[0] - 1.5, bottom = (double)b->rows[1] + 0.5;
  const double left = (double)b->columns[0] - 1.5, right = (double)b->columns[1] + 0.5;
  return (u.row < top && v.row < top) || (u.row > bottom && v.row > bottom) ||
         (u.column < left && v.column < left) || (u.column > right && v.column > right);
}

/* Returns a band of the image. */
static band band_of(const raster_job *job, int64_t index) {
  const int64_t first = index * BAND_ROWS, last = first + BAND_ROWS;
  return (band){.image = job->image + first * job->width,
                .width = job->width,
                .rows = {job->row + first, job->row + (last < job->height ? last : job->height)},
                .columns = {job->column, job->column + job->width}};
}

/* Draws all edges into the bands [range.first, range.last). */
static void draw_bands(void *data, gg_range range) {
  const raster_job *job = data;
  const gpugeo_matrix *edges = &job->graph->edges;
  for (int64_t k = range.first; k < range.last; ++k) {
    const band b = band_of(job, k);
    for (int64_t e = 0; e < edges->nrow; ++e) {
      const location u = job->at[(int64_t)gg_element(edges, e, 0) - job->graph->first];
      const location v = job->at[(int64_t)gg_element(edges, e, 1) - job->graph->first];
      if (!outside(&b, u, v)) draw_edge(&b, u, v);
    }
  }
}

/* --- Scales of colours ------------------------------------------------------------------------ */

/* Returns the bin of a coverage: its first DIGITS binary digits and their number of zeros. */
static int bin_of(uint64_t coverage) {
  int zeros = 0;
  while (coverage >> zeros >> DIGITS)
    ++zeros;
  return (zeros << (DIGITS - 1)) + (int)(coverage >> zeros);
}

/* Returns the least coverage in a bin. */
static uint64_t least_of_bin(int bin) {
  const int half = 1 << (DIGITS - 1), zeros = bin < 2 * half ? 0 : bin / half - 1;
  return (uint64_t)(bin - zeros * half) << zeros;
}

/* Counts the pixels with a line in each bin. */
static void count_pixels(const uint64_t *image, int64_t pixels, int64_t *bins) {
  for (int64_t p = 0; p < pixels; ++p)
    if (image[p]) ++bins[bin_of(image[p])];
}

/* Returns the scale of colours, see gpugeo_layout_raster_options. */
static double scale_of(const int64_t *bins) {
  int64_t all = 0, below = 0;
  for (int b = 0; b < BINS; ++b)
    all += bins[b];
  int bin = 0;
  while (bin < BINS - 1 && (below += bins[bin]) < all - all / 1000)
    ++bin;
  return all ? fmax((double)least_of_bin(bin) / UNIT, LEAST_SCALE) : LEAST_SCALE;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Computes where the vertices are in the picture. Fails for one that is not finite. */
static gpugeo_status locate_vertices(const gpugeo_matrix *positions,
                                     const gpugeo_layout_raster_options *options, location *at,
                                     gpugeo_error *error) {
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

/* Draws a tile into an image of zeros. The loop's progress begins at `begun`. */
static void draw_tile(raster_job *job, int64_t column, int64_t row, double begun, double share,
                      gg_call *call) {
  job->column = column * job->width;
  job->row = row * job->height;
  gg_call_loop(call, (gg_loop){.threads = gg_threads(call->run->threads),
                               .count = (job->height - 1) / BAND_ROWS + 1,
                               .grain = 1,
                               .work = draw_bands,
                               .job = job,
                               .begun = begun,
                               .share = share});
}

/* Draws all tiles but the asked one, one after the other, and counts their pixels. */
static void count_tiles(raster_job *job, int zoom, const int64_t *tile, int64_t *bins,
                        gg_call *call) {
  const int64_t side = (int64_t)1 << zoom, tiles = side * side;
  const int64_t pixels = (int64_t)job->width * job->height;
  for (int64_t t = 0; t < tiles && !call->status; ++t) {
    if (t == tile[0] + side * tile[1]) continue;
    draw_tile(job, t % side, t / side, (double)t / (double)tiles, 1 / (double)tiles, call);
    count_pixels(job->image, pixels, bins);
    memset(job->image, 0, (size_t)pixels * sizeof *job->image);
  }
}

/* Draws the asked tile, and computes the scale if it is asked. */
static void draw_image(raster_job *job, const gpugeo_layout_raster_options *options,
                       gg_call *call) {
  int64_t tile[2] = {0, 0};
  for (int k = 0; k < 2 && options->tile; ++k)
    tile[k] = (int64_t)options->tile[k];
  const bool counts = options->used_scale && options->scale == 0;
  int64_t *bins = counts && !call->status ? gg_allocate_zeros(BINS, sizeof *bins) : NULL;
  if (counts && !bins) GG_TRY(call, gg_fail_memory(call->error, BINS * (int64_t)sizeof *bins));
  if (bins) count_tiles(job, options->zoom, tile, bins, call);
  const double tiles = counts ? (double)((int64_t)1 << 2 * options->zoom) : 1;
  draw_tile(job, tile[0], tile[1], 1 - 1 / tiles, 1 / tiles, call);
  if (bins && !call->status) {
    count_pixels(job->image, (int64_t)job->width * job->height, bins);
    *options->used_scale = scale_of(bins);
  } else if (options->used_scale)
    *options->used_scale = options->scale;
  gg_free(bins);
}

/* Converts sums of coverage to numbers of lines. */
static void to_lines(const uint64_t *image, int64_t pixels, double *lines) {
  for (int64_t p = 0; p < pixels; ++p)
    lines[p] = (double)image[p] / UNIT;
}

gpugeo_status gpugeo_layout_raster(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                   const gpugeo_layout_raster_options *options, double *lines,
                                   gpugeo_error *error) {
  gpugeo_layout_raster_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(layout_raster_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, NULL, error);
  if (check_arguments(graph, positions, options, &call)) return call.status;
  const int64_t pixels = (int64_t)options->width * options->height, n = graph->vertices;
  location *at = gg_allocate(n, sizeof *at);
  uint64_t *image = gg_allocate_zeros(pixels, sizeof *image); /* in UNIT */
  if (!at || !image)
    call.status = gg_fail_memory(error, n * (int64_t)sizeof *at + pixels * (int64_t)sizeof *image);
  GG_TRY(&call, locate_vertices(positions, options, at, error));
  raster_job job = {graph, at, options->width, options->height, 0, 0, image};
  if (!call.status) draw_image(&job, options, &call);
  if (!call.status) to_lines(image, pixels, lines);
  gg_free(at);
  gg_free(image);
  return gg_call_end(&call);
}
