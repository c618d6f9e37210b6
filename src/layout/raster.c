/* Draws the edges of a layout as lines into an image of whole numbers, to which each edge adds. */
#include <math.h>
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
  FRACTION = 32   /* bits of positions after the point */
};

GG_OPTIONS_INIT(layout_raster, .width = 1024, .height = 1024, .xlim = {0, 1}, .ylim = {0, 1})

static const gg_option option_rows[] = {
    {GG_OPTION("width", WHOLE, gpugeo_layout_raster_options, width)},
    {GG_OPTION("height", WHOLE, gpugeo_layout_raster_options, height)},
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
  if (GG_TRY(call, check_limits("ylim", options->ylim, error))) return call->status;
  const double pixels = (double)options->width * options->height;
  GG_TRY(call, gg_check_work(&options->run, 16 * (double)graph->vertices + 8 * pixels, error,
                             "an image of %d by %d pixels and %lld vertices", options->width,
                             options->height, (long long)graph->vertices));
  return GG_TRY(call, gg_check_memory(16 * ((double)graph->vertices + pixels), "layout", error,
                                      "drawing %lld vertices into %.0f pixels needs",
                                      (long long)graph->vertices, pixels));
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* A position in the image: the centre of the pixel of row 0 and column 0 is (0, 0). */
typedef struct location {
  double column, row;
} location;

typedef struct raster_job {
  const gpugeo_graph *graph;
  const location *at; /* of the vertices */
  int32_t width, height;
  uint64_t *image; /* height rows of width pixels */
} raster_job;

/* The rows [first, last) of an image that a thread draws. */
typedef struct band {
  uint64_t *image;
  int64_t width, first, last;
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
   the pixels in the image; those outside [first, last) are left out. */
static inline void add_ink(uint64_t *pixels, int64_t across, int64_t step, int64_t first,
                           int64_t last, uint64_t ink) {
  const int64_t near = across >> FRACTION;
  const uint64_t part = (uint64_t)(across >> (FRACTION - 8)) & 255, far = (ink * part) >> 8;
  if (near >= first && near < last) pixels[near * step] += ink - far;
  if (near + 1 >= first && near + 1 < last) pixels[(near + 1) * step] += far;
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

/* Draws a line into the pixels [along_first, along_last) by [across_first, across_last) of an image
   with these distances of pixels along the line and across. Any part of an image has the same
   values as in the whole. */
static void draw_line(const line *l, uint64_t *image, const int64_t along[2], int64_t along_step,
                      const int64_t across[2], int64_t across_step) {
  /* The position at pixel 0, from which all others are whole steps. */
  const double origin = l->across - l->from * l->slope, bound = 1 << 20;
  if (!(fabs(origin) < 0x1p30)) return; /* outside the image, since the slope is at most 1 */
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
    add_ink(image + p * along_step, start + p * step, across_step, across[0], across[1], ink);
  }
}

/* Draws an edge in a band of the image, along its longer side. */
static void draw_edge(const band *b, location u, location v) {
  const bool steep = fabs(u.row - v.row) > fabs(u.column - v.column);
  const int64_t columns[2] = {0, b->width}, rows[2] = {b->first, b->last};
  if (steep ? u.row > v.row : u.column > v.column) {
    const location w = u;
    u = v;
    v = w;
  }
  if (steep) {
    const line l = {u.row, v.row, u.column, (v.column - u.column) / (v.row - u.row)};
    draw_line(&l, b->image, rows, b->width, columns, 1);
  } else if (v.column > u.column) {
    const line l = {u.column, v.column, u.row, (v.row - u.row) / (v.column - u.column)};
    draw_line(&l, b->image, columns, 1, rows, b->width);
  }
}

/* True if no part of an edge is in the band. */
static bool outside(const band *b, location u, location v) {
  const double low = (double)b->first - 1, high = (double)b->last;
  return (u.row < low && v.row < low) || (u.row > high && v.row > high) ||
         (u.column < -1 && v.column < -1) ||
         (u.column > (double)b->width && v.column > (double)b->width);
}

/* Draws all edges into the bands [range.first, range.last). */
static void draw_bands(void *data, gg_range range) {
  const raster_job *job = data;
  const gpugeo_matrix *edges = &job->graph->edges;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int64_t first = k * BAND_ROWS, last = first + BAND_ROWS;
    const band b = {job->image, job->width, first, last < job->height ? last : job->height};
    for (int64_t e = 0; e < edges->nrow; ++e) {
      const location u = job->at[(int64_t)gg_element(edges, e, 0) - job->graph->first];
      const location v = job->at[(int64_t)gg_element(edges, e, 1) - job->graph->first];
      if (!outside(&b, u, v)) draw_edge(&b, u, v);
    }
  }
}

/* --- The call --------------------------------------------------------------------------------- */

/* Computes where the vertices are in the image. Fails for one that is not finite. */
static gpugeo_status locate_vertices(const gpugeo_matrix *positions,
                                     const gpugeo_layout_raster_options *options, location *at,
                                     gpugeo_error *error) {
  const double columns = options->width / (options->xlim[1] - options->xlim[0]);
  const double rows = options->height / (options->ylim[1] - options->ylim[0]);
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
  raster_job job = {graph, at, options->width, options->height, image};
  gg_call_loop(&call, (gg_loop){.threads = gg_threads(options->run.threads),
                                .count = (options->height - 1) / BAND_ROWS + 1,
                                .grain = 1,
                                .work = draw_bands,
                                .job = &job,
                                .share = 1});
  if (!call.status) to_lines(image, pixels, lines);
  gg_free(at);
  gg_free(image);
  return gg_call_end(&call);
}
