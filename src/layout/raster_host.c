/*
 * Draws edges on the host. A chunk of edges is divided into runs; a thread reads the ends of a
 * run's edges, and lists them by the bands of rows that they cross, by a counting sort. Then a
 * thread draws a band, from the lists of all runs of the chunk. So each edge is read once for a
 * tile, and each band, which fits into a cache, is drawn by one thread.
 *
 * Limit: the gathers of the positions of both ends, and the pixels.
 */
#include "layout/raster_host.h"

#include <string.h>

#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"

enum {
  BAND_ROWS = 64,         /* 64 rows of 1,024 pixels fit into a cache of 1 MB */
  RUN = 4096,             /* edges */
  MOST_ENTRIES = 1 << 22, /* of all lists: 8 MB */
  MOST_RUNS = 32          /* whose ends take 4 MB */
};

/* A tile that threads draw. */
typedef struct drawing {
  const gg_raster_plan *plan;
  int64_t tile;          /* its number */
  int64_t bands;         /* of the tile */
  int64_t begun, edges;  /* the first edge of the chunk, and how many it has */
  int64_t runs;          /* of a chunk */
  gg_raster_point *ends; /* 2 for each edge of a run in the tile */
  int32_t *start;        /* of each run: where the list of each band begins, and the end */
  uint16_t *listed;      /* of each run: edges of the run, by bands */
} drawing;

/* The bands that the edges of a run in the tile cross. */
typedef struct crossings {
  int64_t edges;
  int16_t first[RUN], last[RUN];
} crossings;

/* Returns the number of edges of a run of the chunk. */
static int64_t edges_of_run(const drawing *d, int64_t run) {
  return gg_smaller(d->edges - run * RUN, RUN);
}

/* Returns rows [first, last) of the tile. */
static gg_raster_part rows_of(const drawing *d, int64_t first, int64_t last) {
  return gg_raster_part_of(d->plan, d->tile, first, last, d->plan->image + first * d->plan->width);
}

/* Returns the ends of an edge. */
static gg_raster_point end_of(const drawing *d, int64_t edge, int k) {
  const gpugeo_graph *graph = d->plan->graph;
  return d->plan->at[(int64_t)gg_element(&graph->edges, edge, k) - graph->first];
}

/* Returns the band of a row of the tile, or the nearest one; that of NaN, which is not drawn, is 0.
 */
static int16_t band_of(const drawing *d, double row) {
  if (!(row > 0)) return 0;
  return (int16_t)(row < d->plan->height ? (int64_t)row / BAND_ROWS : d->bands - 1);
}

/* Copies the ends of a run's edges that are in the tile, finds the bands that each crosses, and
   counts the edges of each band. */
static void cross_bands(const drawing *d, int64_t run, crossings *crossed, int32_t *count) {
  const gg_raster_part tile = rows_of(d, 0, d->plan->height);
  gg_raster_point *ends = d->ends + 2 * run * RUN;
  const int64_t begun = d->begun + run * RUN, edges = edges_of_run(d, run);
  const double top = (double)tile.rows[0];
  crossed->edges = 0;
  for (int64_t e = begun; e < begun + edges; ++e) {
    const gg_raster_point u = end_of(d, e, 0), v = end_of(d, e, 1);
    if (gg_raster_is_outside(&tile, u, v)) continue;
    const int64_t i = crossed->edges++;
    ends[2 * i] = u;
    ends[2 * i + 1] = v;
    /* 2 rows beyond a band are more than gg_raster_is_outside() takes. */
    crossed->first[i] = band_of(d, (u.row < v.row ? u.row : v.row) - top - 2);
    crossed->last[i] = band_of(d, (u.row < v.row ? v.row : u.row) - top + 2);
    for (int b = crossed->first[i]; b <= crossed->last[i]; ++b)
      ++count[b];
  }
}

/* Lists the edges of a run by bands. */
static void list_run(const drawing *d, int64_t run) {
  crossings crossed;
  int32_t *start = d->start + run * (d->bands + 1);
  uint16_t *listed = d->listed + run * RUN * d->bands;
  memset(start, 0, (size_t)(d->bands + 1) * sizeof *start);
  cross_bands(d, run, &crossed, start);
  for (int64_t b = 0; b < d->bands; ++b)
    start[b + 1] += start[b];
  /* Each list is filled from its end, so that its start is left. */
  for (int64_t i = crossed.edges - 1; i >= 0; --i)
    for (int b = crossed.first[i]; b <= crossed.last[i]; ++b)
      listed[--start[b]] = (uint16_t)i;
}

/* Lists the edges of a range of runs. */
static void list_runs(void *data, gg_range range) {
  for (int64_t run = range.first; run < range.last; ++run)
    list_run(data, run);
}

/* Draws the edges that a run lists for a band. */
static void draw_listed(const drawing *d, int64_t run, int64_t band, const gg_raster_part *part) {
  const int32_t *start = d->start + run * (d->bands + 1);
  const uint16_t *listed = d->listed + run * RUN * d->bands;
  const gg_raster_point *ends = d->ends + 2 * run * RUN;
  for (int32_t k = start[band]; k < start[band + 1]; ++k) {
    const gg_raster_point u = ends[2 * listed[k]], v = ends[2 * listed[k] + 1];
    if (gg_raster_is_outside(part, u, v)) continue;
    const gg_raster_line line = gg_raster_line_make(part, u, v);
    gg_raster_draw(&line, part, 0, 1);
  }
}

/* Draws the edges of the chunk into a range of bands. */
static void draw_bands(void *data, gg_range range) {
  const drawing *d = data;
  for (int64_t band = range.first; band < range.last; ++band) {
    const int64_t first = band * BAND_ROWS;
    const gg_raster_part part = rows_of(d, first, gg_smaller(first + BAND_ROWS, d->plan->height));
    for (int64_t run = 0; run * RUN < d->edges; ++run)
      draw_listed(d, run, band, &part);
  }
}

/* Draws a tile, chunk by chunk. Its progress is [0, 1]. */
static gpugeo_status draw_tile(drawing *d, gg_call *call) {
  const int64_t all = d->plan->graph->edges.nrow, chunk = d->runs * RUN;
  gg_call_poll(call, 0);
  for (d->begun = 0; d->begun < all && !call->status; d->begun += chunk) {
    d->edges = gg_smaller(all - d->begun, chunk);
    const double begun = (double)d->begun / (double)all, share = (double)d->edges / (double)all;
    gg_loop loop = {.threads = d->plan->threads,
                    .count = (d->edges - 1) / RUN + 1,
                    .grain = 1,
                    .work = list_runs,
                    .job = d,
                    .begun = begun,
                    .share = share / 2};
    gg_call_loop(call, loop);
    loop.count = d->bands;
    loop.work = draw_bands;
    loop.begun += share / 2;
    gg_call_loop(call, loop);
  }
  return call->status;
}

/* Counts the pixels with a line in each bin. */
static void count_pixels(const gg_raster_plan *plan) {
  const int64_t pixels = (int64_t)plan->width * plan->height;
  for (int64_t p = 0; p < pixels; ++p)
    if (plan->image[p]) ++plan->bins[gg_raster_bin(plan->image[p])];
}

/* Draws the tiles. */
static gpugeo_status draw_tiles(drawing *d, gg_call *call) {
  const gg_raster_plan *plan = d->plan;
  const int64_t tiles = plan->side * plan->side, pixels = (int64_t)plan->width * plan->height;
  const int64_t begin = plan->bins ? 0 : tiles - 1;
  const double share = 1 / (double)(tiles - begin);
  for (int64_t nth = begin; nth < tiles && !call->status; ++nth) {
    gg_call_part part;
    d->tile = gg_raster_tile(plan, nth);
    if (nth > begin) memset(plan->image, 0, (size_t)pixels * sizeof *plan->image);
    gg_call_part_begin(call, (double)(nth - begin) * share, share, &part);
    draw_tile(d, &part.call);
    gg_call_part_end(&part);
    if (plan->bins) count_pixels(plan);
  }
  return call->status;
}

gpugeo_status gg_raster_on_host(const gg_raster_plan *plan, gg_call *call) {
  drawing d = {.plan = plan, .bands = (plan->height - 1) / BAND_ROWS + 1};
  d.runs = gg_smaller(gg_smaller(MOST_RUNS, MOST_ENTRIES / (RUN * d.bands)),
                      plan->graph->edges.nrow / RUN + 1);
  d.ends = gg_call_allocate(call, 2 * d.runs * RUN, sizeof *d.ends);
  d.start = gg_call_allocate(call, d.runs * (d.bands + 1), sizeof *d.start);
  d.listed = gg_call_allocate(call, d.runs * RUN * d.bands, sizeof *d.listed);
  draw_tiles(&d, call);
  gg_free(d.ends);
  gg_free(d.start);
  gg_free(d.listed);
  return call->status;
}
