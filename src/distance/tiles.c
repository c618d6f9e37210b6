/* Cuts a distance matrix into tiles and computes one of them, from points in memory or in a file.
 */
#include "distance/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/options.h"
#include "distance/dist.h"
#include "distance/metric_params.h"

/* --- the plan --------------------------------------------------------------------------------- */

static const int64_t least_memory = (int64_t)1 << 20;

/* Returns the number of tiles next to each other. */
static int64_t across(int64_t n, int64_t side) { return (n + side - 1) / side; }

int64_t gg_tiles_backend_bytes(int64_t memory) { return (memory ? memory : GG_WORK_BYTES) / 4; }

/* Divides the limit: half is for tiles, panels of x and of y, and ranks of both; a quarter is
   for the backend, and the rest for memory of threads and libraries. */
int64_t gg_tiles_side(int64_t m, int64_t copies, int64_t memory) {
  const double bytes = (double)(memory ? memory : GG_WORK_BYTES) / 2;
  const double panels = 4.0 * 8 * (double)m, tile = 8.0 * (double)copies;
  /* tile s^2 + panels s = bytes */
  const double root = 2 * bytes / (panels + sqrt(panels * panels + 4 * tile * bytes));
  int64_t side = (int64_t)root;
  if (side >= 256) return side / 256 * 256; /* whole pages of a column */
  while (side & (side - 1))
    side &= side - 1;
  return side;
}

double gg_tiles_limit(int64_t m, int64_t side, int64_t copies) {
  const double s = (double)side;
  return 2 * (8.0 * (double)copies * s * s + 4.0 * 8 * (double)m * s);
}

int64_t gg_tiles_rows(int64_t m, int64_t columns, int64_t copies, int64_t memory) {
  const double bytes = (double)(memory ? memory : GG_WORK_BYTES) / 2;
  const double panel = 2.0 * 8 * (double)m, row = 8.0 * (double)copies * (double)columns + panel;
  const double rows = (bytes - panel * (double)columns) / row;
  return rows > 0 ? (int64_t)rows : 0;
}

gpugeo_status gpugeo_tiles_plan(int64_t nx, int64_t ny, int64_t m, int64_t side, int64_t memory,
                                gpugeo_tiles *tiles, gpugeo_error *error) {
  const int64_t most = (int64_t)1 << 40; /* whose square tiles can still be counted */
  if (nx < 0 || nx > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have 0 to 2^40 points, not %lld",
                   (long long)nx);
  if (ny < -1 || ny > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "y", "y must have 0 to 2^40 points, not %lld",
                   (long long)ny);
  if (m < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at least 0 coordinates, not %lld", (long long)m);
  if (side < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "side",
                   "side must be a whole number of at least 1, not %lld", (long long)side);
  if (memory != 0 && memory < least_memory)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "memory",
                   "memory must be 0 or at least %lld bytes, not %lld", (long long)least_memory,
                   (long long)memory);
  if (side == 0) side = gg_tiles_side(m, 1, memory);
  if (side == 0)
    return gg_fail(error, GPUGEO_ERROR_MEMORY, "memory_limit",
                   "memory_limit must be more than %lld bytes for points of %lld coordinates",
                   (long long)(memory ? memory : GG_WORK_BYTES), (long long)m);
  const bool within = ny < 0;
  const int64_t widest = nx > ny ? nx : ny;
  if (side > widest) side = widest > 0 ? widest : 1;
  const int64_t down = across(nx, side), beside = within ? down : across(ny, side);
  if ((double)down * (double)beside > 9e18)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "side",
                   "side must be larger: %lld makes %.0f tiles, more than can be counted",
                   (long long)side, (double)down * (double)beside);
  *tiles = (gpugeo_tiles){.nx = nx,
                          .ny = within ? nx : ny,
                          .within = within,
                          .side = side,
                          .count = within ? down % 2 ? (down + 1) / 2 * down : down / 2 * (down + 1)
                                          : down * beside};
  return GPUGEO_OK;
}

/* Returns the number of tiles before column c of the lower triangle of a matrix of `down` by
   `down` tiles. */
static int64_t before_column(int64_t down, int64_t c) { return c * down - c * (c - 1) / 2; }

gpugeo_status gpugeo_tiles_get(const gpugeo_tiles *tiles, int64_t index, gpugeo_tile *tile,
                               gpugeo_error *error) {
  if (index < 0 || index >= tiles->count)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "index",
                   "index must be between 0 and %lld (the tiles there are), not %lld",
                   (long long)tiles->count - 1, (long long)index);
  const int64_t down = across(tiles->nx, tiles->side);
  int64_t column = index / down, row = index % down;
  if (tiles->within) {
    const double n = (double)down + 0.5;
    column = (int64_t)(n - sqrt(fmax(0, n * n - 2 * (double)index)));
    while (column > 0 && before_column(down, column) > index)
      --column; /* the root was rounded */
    while (before_column(down, column + 1) <= index)
      ++column;
    row = column + index - before_column(down, column);
  }
  tile->row = row * tiles->side;
  tile->rows = gg_smaller(tiles->side, tiles->nx - tile->row);
  tile->column = column * tiles->side;
  tile->columns = gg_smaller(tiles->side, tiles->ny - tile->column);
  return GPUGEO_OK;
}

/* --- arguments -------------------------------------------------------------------------------- */

gpugeo_status gg_tiles_check(const gg_point_source *x, const gg_point_source *y,
                             const gpugeo_tiles *tiles, gpugeo_error *error) {
  if (!tiles)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "plan", "plan must come from gpugeo_tiles_plan()");
  const int64_t nx = gg_point_source_count(x), ny = y ? gg_point_source_count(y) : nx;
  if (tiles->nx == nx && tiles->ny == ny && !tiles->within == (y != NULL)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "plan",
                 "plan must be of the same points: it is for %lld x %lld%s, not %lld x %lld%s",
                 (long long)tiles->nx, (long long)tiles->ny, tiles->within ? " within x" : "",
                 (long long)nx, (long long)ny, y ? "" : " within x");
}

gpugeo_status gg_tiles_open(const gpugeo_point_source *x, const gpugeo_point_source *y,
                            const gpugeo_dist_options *options, gpugeo_type type,
                            gg_point_source *source_x, gg_point_source *source_y,
                            gpugeo_error *error) {
  *source_x = *source_y = (gg_point_source){.dataset = NULL};
  gpugeo_status status = gg_dist_check_options(options, type, error);
  if (!status) status = gg_point_source_open("x", x, options->points, source_x, error);
  if (!status && y) status = gg_point_source_open("y", y, options->points, source_y, error);
  if (status) return status;
  return gg_dist_check_sizes(&source_x->view, y ? &source_y->view : NULL, "y", options, error);
}

/* Closes both sources of points. */
static void close_both(gg_point_source *x, gg_point_source *y) {
  gg_point_source_close(x);
  gg_point_source_close(y);
}

gpugeo_status gpugeo_point_source_size(const gpugeo_point_source *x, int64_t *nrow, int64_t *ncol,
                                       gpugeo_error *error) {
  gg_point_source source;
  gpugeo_status status = gg_point_source_open("x", x, GPUGEO_POINTS_ROWS, &source, error);
  if (status) return status;
  *nrow = source.view.nrow;
  *ncol = source.view.ncol;
  gg_point_source_close(&source);
  return GPUGEO_OK;
}

/* --- what tiles share ------------------------------------------------------------------------- */

gpugeo_status gpugeo_dist_metric_params_size(const gpugeo_point_source *x,
                                             const gpugeo_point_source *y,
                                             const gpugeo_dist_options *options, int64_t *size,
                                             gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  gg_point_source source_x, source_y;
  status = gg_tiles_open(x, y, options, GPUGEO_TYPE_DOUBLE, &source_x, &source_y, error);
  if (!status)
    *size =
        gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(&source_x));
  close_both(&source_x, &source_y);
  return status;
}

gpugeo_status gpugeo_dist_metric_params(const gpugeo_point_source *x, const gpugeo_point_source *y,
                                        const gpugeo_dist_options *options, double *shared,
                                        gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  gg_point_source source_x, source_y;
  double *values = NULL;
  gg_missing_rows rows[2];
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_tiles_open(x, y, options, GPUGEO_TYPE_DOUBLE, &source_x, &source_y, error));
  gg_dist_metric_params(&source_x, y ? &source_y : NULL, options, NULL, -1, &values, NULL, rows,
                        &call);
  if (!call.status) {
    *call.report = gg_report_of(gg_host_backend(), -1, 1, gg_threads(options->run.threads));
    const gpugeo_missing missing =
        y ? gg_missing_between(&rows[0], &rows[1]) : gg_missing_within(&rows[0]);
    gg_report_missing(call.report, &missing);
    const int64_t size =
        gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(&source_x));
    memcpy(shared, values, (size_t)size * sizeof *shared);
    gg_call_end(&call);
  }
  gg_free(values);
  close_both(&source_x, &source_y);
  return call.status;
}

/* --- a tile ----------------------------------------------------------------------------------- */

/* Returns the view of a panel of points, which is read into its own room from a dataset. */
static gpugeo_status read_panel(const gg_point_source *source, int64_t first, int64_t count,
                                double **room, gpugeo_matrix *view, gpugeo_error *error) {
  const int64_t m = gg_point_source_coordinates(source);
  gpugeo_status status = gg_point_source_make_room(source, count, m, room, error);
  return status ? status
                : gg_point_source_block(source, (gg_block){first, count, 0, m}, *room, view, error);
}

/* Counts the missing distances of a tile. column_view: NULL if the tile is on the diagonal. */
static gpugeo_missing count_missing(const gpugeo_matrix *row_view, const gpugeo_matrix *column_view,
                                    const gpugeo_dist_options *options, int found,
                                    const gpugeo_tile *tile, bool within) {
  gg_missing_rows rows = {0}, columns = {0};
  gg_missing_rows_add(row_view, tile->row, options, found, &rows);
  if (!column_view) return gg_missing_within(&rows);
  gg_missing_rows_add(column_view, tile->column, options, found, &columns);
  gpugeo_missing missing = gg_missing_between(&rows, &columns);
  if (within) gg_missing_in_one_matrix(&missing);
  return missing;
}

/* Computes the distances between two panels of points, or within one: column_view NULL. */
static gpugeo_status compute_panels(const gg_tile_setting *setting, const gpugeo_matrix *row_view,
                                    const gpugeo_matrix *column_view, void *out, double done,
                                    double share, gg_call *call) {
  if (call->status) return call->status;
  gg_call_part part;
  gg_call_part_begin(call, done, share, &part);
  gg_dist_plan plan = gg_dist_plan_make(row_view, column_view, setting->options, 0);
  plan.shape = GPUGEO_SHAPE_FULL;
  plan.type = setting->type;
  plan.out = out;
  gg_dist_run(&plan, setting->options, 0, setting->shared, &part.call);
  return gg_call_part_end(&part);
}

gpugeo_status gg_tile_compute(const gg_tile_setting *setting, const gpugeo_tile *tile, void *out,
                              double done, double share, gpugeo_missing *missing, gg_call *call) {
  if (call->status) return call->status;
  const gg_point_source *x = setting->x, *y = setting->y;
  const gpugeo_dist_options *options = setting->options;
  if (missing) *missing = (gpugeo_missing){0};
  if (tile->rows == 0 || tile->columns == 0 || gg_point_source_coordinates(x) == 0) {
    gg_fill(setting->type, out, tile->rows * tile->columns, options->missing);
    return GPUGEO_OK;
  }
  const bool diagonal = !y && tile->row == tile->column && tile->rows == tile->columns;
  double *room_x = NULL, *room_y = NULL;
  gpugeo_matrix view_x = {0}, view_y = {0}, *columns = diagonal ? NULL : &view_y;
  GG_TRY(call, read_panel(x, tile->row, tile->rows, &room_x, &view_x, call->error));
  if (columns)
    GG_TRY(call, read_panel(y ? y : x, tile->column, tile->columns, &room_y, columns, call->error));
  if (!call->status && missing)
    *missing = count_missing(&view_x, columns, options, (int)setting->shared[0], tile, !y);
  compute_panels(setting, &view_x, columns, out, done, share, call);
  gg_free(room_x);
  gg_free(room_y);
  return call->status;
}

/* Finds the metric's parameters: those given, `length` numbers, or computed ones, *taken, which
   must be freed. */
static gpugeo_status find_shared(gg_tile_setting *setting, int64_t length, double **taken,
                                 gg_call *call) {
  if (call->status) return call->status;
  const gpugeo_dist_options *options = setting->options;
  const int64_t size =
      gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(setting->x));
  if (setting->shared && length != size)
    return GG_TRY(
        call,
        gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "plan",
                "plan must be of points of as many coordinates: %lld shared numbers, not %lld",
                (long long)size, (long long)length));
  if (setting->shared) return GPUGEO_OK;
  gg_dist_metric_params(setting->x, setting->y, options, NULL, -1, taken, NULL, NULL, call);
  setting->shared = *taken;
  return call->status;
}

gpugeo_status gpugeo_dist_tile(const gpugeo_point_source *x, const gpugeo_point_source *y,
                               const gpugeo_dist_options *options, const double *shared,
                               int64_t shared_length, const gpugeo_tiles *tiles, int64_t index,
                               gpugeo_type type, void *out, gpugeo_report *report,
                               gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  gg_point_source source_x, source_y;
  gpugeo_tile tile;
  double *own = NULL;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_tiles_open(x, y, options, type, &source_x, &source_y, error));
  const gg_point_source *other = y ? &source_y : NULL;
  GG_TRY(&call, gg_tiles_check(&source_x, other, tiles, error));
  GG_TRY(&call, gpugeo_tiles_get(tiles, index, &tile, error));
  GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_DIST, call.report, error));
  gg_tile_setting setting = {&source_x, other, options, shared, type};
  find_shared(&setting, shared_length, &own, &call);
  if (!call.status) {
    gpugeo_dist_options limited = *options;
    gpugeo_missing missing;
    limited.run.work_bytes = gg_tiles_backend_bytes(options->run.work_bytes);
    setting.options = &limited;
    gg_tile_compute(&setting, &tile, out, 0, 1, &missing, &call);
    gg_report_missing(call.report, &missing);
    gg_call_end(&call);
  }
  gg_free(own);
  close_both(&source_x, &source_y);
  return call.status;
}
