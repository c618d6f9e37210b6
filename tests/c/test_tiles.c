/* Tiles cover the matrix once, and have the bits of the whole matrix: for all metrics, storages,
   orientations and data, within x and between x and y. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

/* --- the plan --------------------------------------------------------------------------------- */

/* Counts how often each pair is in a tile. */
static void check_cover(int64_t nx, int64_t ny, int64_t side) {
  const bool within = ny < 0;
  const int64_t columns = within ? nx : ny;
  gpugeo_tiles tiles;
  gpugeo_error error;
  gpugeo_status status = gpugeo_tiles_plan(nx, ny, 3, side, 0, &tiles, &error);
  if (!CHECK(!status, "%lld x %lld: %s", (long long)nx, (long long)ny, error.message)) return;
  unsigned char *times = calloc((size_t)(nx * columns + 1), 1);
  int64_t before = -1;
  for (int64_t t = 0; t < tiles.count; ++t) {
    gpugeo_tile tile;
    status = gpugeo_tiles_get(&tiles, t, &tile, &error);
    CHECK(!status && tile.rows >= 1 && tile.columns >= 1 && tile.rows <= side &&
              tile.columns <= side && (!within || tile.row >= tile.column),
          "tile %lld of %lld x %lld", (long long)t, (long long)nx, (long long)ny);
    CHECK(tile.column * nx + tile.row > before, "tile %lld is not after the one before",
          (long long)t);
    before = tile.column * nx + tile.row;
    for (int64_t j = tile.column; j < tile.column + tile.columns; ++j)
      for (int64_t i = tile.row; i < tile.row + tile.rows; ++i)
        ++times[i + j * nx];
  }
  int64_t wrong = 0;
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = within ? j : 0; i < nx; ++i)
      wrong += times[i + j * nx] != 1;
  CHECK(wrong == 0, "%lld x %lld, side %lld: %lld pairs are not in one tile", (long long)nx,
        (long long)ny, (long long)side, (long long)wrong);
  free(times);
}

/* The tile with a number is the one that counting comes to, also among very many. */
static void test_far_tiles(void) {
  const int64_t down = 3000000;
  gpugeo_tiles tiles;
  gpugeo_error error;
  gpugeo_status status = gpugeo_tiles_plan(down * 7, -1, 3, 7, 0, &tiles, &error);
  CHECK(!status && tiles.count == down * (down + 1) / 2, "%lld tiles", (long long)tiles.count);
  int64_t first = 0; /* of the column */
  for (int64_t c = 0; c < down; first += down - c, ++c) {
    if (c % 1009 && c < down - 5) continue;
    gpugeo_tile top = {0}, last = {0};
    status = gpugeo_tiles_get(&tiles, first, &top, &error);
    if (!status) status = gpugeo_tiles_get(&tiles, first + down - c - 1, &last, &error);
    CHECK(!status && top.column == 7 * c && top.row == 7 * c && last.column == 7 * c &&
              last.row == 7 * (down - 1),
          "column %lld of tiles begins at (%lld, %lld)", (long long)c, (long long)top.row,
          (long long)top.column);
  }
}

static void test_plan(void) {
  for (int64_t side = 1; side < 9; ++side)
    for (int64_t n = 0; n < 20; n += 1 + n / 8) {
      check_cover(n, -1, side);
      for (int64_t ny = 0; ny < 12; ny += 1 + ny / 3)
        check_cover(n, ny, side);
    }
  test_far_tiles();
}

/* A tile, and what a backend takes at the least, fit under the limit; and no tile is much smaller
   than it could be. */
static void test_memory(void) {
  for (double memory = 1 << 20; memory < 1e12; memory *= 3)
    for (int64_t m = 0; m < 100000; m = m * 10 + 1) {
      gpugeo_tiles tiles;
      gpugeo_error error = {0};
      gpugeo_status status =
          gpugeo_tiles_plan((int64_t)1 << 30, -1, m, 0, (int64_t)memory, &tiles, &error);
      const double side = status ? 1 : (double)tiles.side;
      const double most = memory / 2, bytes = side * side * 8 + side * 32 * (double)m;
      CHECK(status ? bytes > most : bytes <= most, "%g bytes, m = %lld: side %g", memory,
            (long long)m, side);
      const double larger = side >= 256 ? side + 256 : 2 * side;
      CHECK(status || larger * larger * 8 + larger * 32 * (double)m > most,
            "%g bytes, m = %lld: side %g could be %g", memory, (long long)m, side, larger);
    }
}

/* --- the bits --------------------------------------------------------------------------------- */

typedef struct setting {
  data_kind kind;
  gpugeo_metric metric;
  gpugeo_points points;
  gpugeo_type storage, type;
  gpugeo_precision precision;
  gpugeo_backend backend;
  int64_t side;
  int32_t threads;
  bool between, shared;
} setting;

enum { NX = 43, NY = 29, M = 11 };

static void put_name(const setting *s, char *name, size_t size) {
  snprintf(name, size, "%s, %s, points %d, storage %d, type %d, precision %d, side %lld%s%s",
           gpugeo_name(GPUGEO_ENUM_METRIC, s->metric), data_name(s->kind), (int)s->points,
           (int)s->storage, (int)s->type, (int)s->precision, (long long)s->side,
           s->between ? ", y" : "", s->shared ? ", shared" : "");
}

/* Elements of the whole matrix that a tile has otherwise. */
static int64_t compare_tile(const gpugeo_tile *tile, const char *whole, const char *values,
                            int64_t nx, size_t size) {
  int64_t different = 0;
  for (int64_t c = 0; c < tile->columns; ++c)
    for (int64_t r = 0; r < tile->rows; ++r)
      different += memcmp(whole + (size_t)(tile->row + r + (tile->column + c) * nx) * size,
                          values + (size_t)(r + c * tile->rows) * size, size) != 0;
  return different;
}

static bool same_missing(const gpugeo_missing *a, const gpugeo_missing *b) {
  bool same = a->distances == b->distances && a->x_rows == b->x_rows && a->y_rows == b->y_rows &&
              a->reasons == b->reasons;
  for (int i = 0; i < GPUGEO_MISSING_ROWS_MAX; ++i)
    same &= a->x_first[i] == b->x_first[i] && a->y_first[i] == b->y_first[i];
  return same;
}

static void check_tiles(const setting *s, const gpugeo_matrix *x, const gpugeo_matrix *y,
                        const gpugeo_dist_options *options) {
  char name[256];
  put_name(s, name, sizeof name);
  const int64_t ny = y ? NY : NX;
  const size_t size = s->type == GPUGEO_TYPE_FLOAT ? 4 : 8;
  char *whole = malloc((size_t)(NX * ny) * size);
  char *values = malloc((size_t)(s->side * s->side) * size);
  gpugeo_error error = {0}, tile_error = {0};
  gpugeo_report whole_report;
  const gpugeo_status status = gpugeo_dist(x, y, options, s->type, whole, &whole_report, &error);
  const gpugeo_point_source source_x = {.matrix = x}, source_y = {.matrix = y};
  const gpugeo_point_source *other = y ? &source_y : NULL;

  double *shared = NULL;
  int64_t length = 0, missing = 0;
  gpugeo_report report;
  gpugeo_status tile_status = GPUGEO_OK;
  if (s->shared) {
    tile_status = gpugeo_dist_metric_params_size(&source_x, other, options, &length, &tile_error);
    shared = malloc((size_t)length * sizeof *shared);
    if (!tile_status)
      tile_status =
          gpugeo_dist_metric_params(&source_x, other, options, shared, &report, &tile_error);
    CHECK(tile_status || same_missing(&report.missing, &whole_report.missing),
          "%s: %lld missing distances, of tiles together %lld", name,
          (long long)whole_report.missing.distances, (long long)report.missing.distances);
  }
  gpugeo_tiles tiles;
  gpugeo_tiles_plan(NX, y ? NY : -1, M, s->side, 0, &tiles, NULL);
  for (int64_t t = 0; !tile_status && t < tiles.count; ++t) {
    gpugeo_tile tile;
    gpugeo_tiles_get(&tiles, t, &tile, NULL);
    memset(values, 1, (size_t)(s->side * s->side) * size);
    tile_status = gpugeo_dist_tile(&source_x, other, options, shared, length, &tiles, t, s->type,
                                   values, &report, &tile_error);
    if (tile_status || status) break;
    CHECK(s->backend == GPUGEO_BACKEND_AUTO || report.backend == s->backend, "%s: backend %d", name,
          report.backend);
    CHECK(compare_tile(&tile, whole, values, NX, size) == 0, "%s: tile %lld differs", name,
          (long long)t);
    missing += report.missing.distances;
  }
  CHECK(status || missing == whole_report.missing.distances,
        "%s: %lld missing distances, of tiles %lld", name,
        (long long)whole_report.missing.distances, (long long)missing);
  CHECK(status == tile_status && strcmp(error.message, tile_error.message) == 0,
        "%s: status %d, \"%s\", of tiles %d, \"%s\"", name, status, error.message, tile_status,
        tile_error.message);
  free(shared);
  free(values);
  free(whole);
}

static void check_setting(const setting *s) {
  double *points = data_points(s->kind, NX + NY, M, 7);
  if (s->kind == DATA_RANDOM) points[3] = 1e39;         /* no float, in one tile only */
  if (s->kind == DATA_COUNTS) points[M * 20 + 2] = NAN; /* so is what is missing */
  gpugeo_matrix x = data_matrix(points, NX, M, s->storage, s->points, 3);
  gpugeo_matrix y = data_matrix(points + NX * M, NY, M, s->storage, s->points, 0);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = s->metric;
  options.metric.p = 3.3;
  options.points = s->points;
  options.shape = GPUGEO_SHAPE_FULL;
  options.missing = -7;
  options.run.backend = s->backend;
  options.run.precision = s->precision;
  options.run.threads = s->threads;
  check_tiles(s, &x, s->between ? &y : NULL, &options);
  free((void *)x.data);
  free((void *)y.data);
  free(points);
}

static void test_bits(gpugeo_backend backend) {
  dice d = {11};
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric)
    for (int kind = 0; kind < DATA_KINDS; ++kind)
      for (int choice = 0; choice < 8; ++choice) {
        if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(29)) continue;
        setting s = {.kind = (data_kind)kind,
                     .metric = (gpugeo_metric)metric,
                     .points = (gpugeo_points)dice_whole(&d, 1),
                     .storage = (gpugeo_type)dice_whole(&d, 2),
                     .type = (gpugeo_type)dice_whole(&d, 1),
                     .precision = (gpugeo_precision)dice_whole(&d, 1),
                     .backend = backend,
                     .side = 1 + dice_whole(&d, 49),
                     .threads = 1 + (int32_t)dice_whole(&d, 3),
                     .between = choice % 2,
                     .shared = choice / 2 % 2};
        if (!data_fits(s.kind, s.storage) || s.kind == DATA_RANDOM || s.kind == DATA_COUNTS)
          s.storage = GPUGEO_TYPE_DOUBLE;
        check_setting(&s);
      }
}

/* --- wrong arguments -------------------------------------------------------------------------- */

static void expect(gpugeo_status status, const gpugeo_error *error, const char *argument,
                   const char *message) {
  CHECK(status == GPUGEO_ERROR_ARGUMENT && error->code == (int32_t)status, "status %d", status);
  CHECK(strcmp(error->argument, argument) == 0, "argument \"%s\", expected \"%s\"", error->argument,
        argument);
  CHECK(strcmp(error->message, message) == 0, "\"%s\", expected \"%s\"", error->message, message);
}

static void test_arguments(void) {
  static const double values[12];
  const gpugeo_matrix matrix = {values, GPUGEO_TYPE_DOUBLE, 4, 3, 4, NULL};
  const gpugeo_point_source x = {.matrix = &matrix}, nothing = {.matrix = NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_error e;
  gpugeo_tiles tiles, others, between;
  double out[16], shared[9];
  gpugeo_tiles_plan(4, -1, 3, 3, 0, &tiles, NULL);
  gpugeo_tiles_plan(5, -1, 3, 3, 0, &others, NULL);
  gpugeo_tiles_plan(4, 4, 3, 3, 0, &between, NULL);
  expect(gpugeo_tiles_plan(-1, -1, 3, 0, 0, &others, &e), &e, "x",
         "x must have 0 to 2^40 points, not -1");
  expect(gpugeo_tiles_plan(4, -2, 3, 0, 0, &others, &e), &e, "y",
         "y must have 0 to 2^40 points, not -2");
  for (int64_t side = 0; side < 2; ++side) {
    expect(gpugeo_tiles_plan(4, -1, -1, side, 0, &others, &e), &e, "x",
           "x must have at least 0 coordinates, not -1");
    expect(gpugeo_tiles_plan(4, -1, INT64_MIN, side, 0, &others, &e), &e, "x",
           "x must have at least 0 coordinates, not -9223372036854775808");
  }
  expect(gpugeo_tiles_plan(4, -1, 3, -1, 0, &others, &e), &e, "side",
         "side must be a whole number of at least 1, not -1");
  expect(gpugeo_tiles_plan(4, -1, 3, 0, 1000, &others, &e), &e, "memory",
         "memory must be 0 or at least 1048576 bytes, not 1000");
  CHECK(gpugeo_tiles_plan(4, -1, 3, 0, 1000, &others, NULL) == GPUGEO_ERROR_ARGUMENT, "error NULL");
  gpugeo_tile tile;
  expect(gpugeo_tiles_get(&tiles, 3, &tile, &e), &e, "index",
         "index must be between 0 and 2 (the tiles there are), not 3");
  expect(
      gpugeo_dist_tile(&x, NULL, &options, NULL, 0, &others, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &e),
      &e, "plan", "plan must be of the same points: it is for 5 x 5 within x, not 4 x 4 within x");
  expect(
      gpugeo_dist_tile(&x, NULL, &options, NULL, 0, &between, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &e),
      &e, "plan", "plan must be of the same points: it is for 4 x 4, not 4 x 4 within x");
  expect(gpugeo_dist_tile(&x, NULL, &options, NULL, 0, NULL, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &e),
         &e, "plan", "plan must come from gpugeo_tiles_plan()");
  expect(
      gpugeo_dist_tile(&x, NULL, &options, shared, 9, &tiles, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &e),
      &e, "plan", "plan must be of points of as many coordinates: 1 shared numbers, not 9");
  expect(gpugeo_dist_tile(&nothing, NULL, &options, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE, out,
                          NULL, &e),
         &e, "x", "x must be a numeric matrix, not NULL");
  options.metric.p = -1;
  options.metric.kind = GPUGEO_METRIC_MINKOWSKI;
  expect(
      gpugeo_dist_tile(&x, NULL, &options, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE, out, NULL, &e),
      &e, "p", "p must be a positive number, not -1");
  expect(gpugeo_dist_metric_params(&x, NULL, &options, shared, NULL, &e), &e, "p",
         "p must be a positive number, not -1");
}

/* Points without coordinates have missing distances, whatever the metric. */
static void test_no_coordinates(void) {
  const gpugeo_matrix x = {NULL, GPUGEO_TYPE_DOUBLE, 1, 0, 1, NULL},
                      y = {NULL, GPUGEO_TYPE_DOUBLE, 3, 0, 3, NULL};
  const gpugeo_point_source one = {.matrix = &x}, three = {.matrix = &y};
  gpugeo_tiles tiles;
  gpugeo_error error;
  gpugeo_status status = gpugeo_tiles_plan(1, 3, 0, 3, 0, &tiles, &error);
  CHECK(!status && tiles.count == 1, "%s", error.message);
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) {
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.metric.kind = (gpugeo_metric)metric;
    options.run.backend = GPUGEO_BACKEND_CPU;
    double out[3] = {0};
    status = gpugeo_dist_tile(&one, &three, &options, NULL, 0, &tiles, 0, GPUGEO_TYPE_DOUBLE, out,
                              NULL, &error);
    CHECK(!status, "%s: %s", gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind), error.message);
    for (int i = 0; !status && i < 3; ++i)
      CHECK(isnan(out[i]), "%s: %g", gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind), out[i]);
  }
}

int main(void) {
  test_plan();
  test_no_coordinates();
  test_memory();
  test_arguments();
  test_bits(GPUGEO_BACKEND_CPU);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK)
    test_bits(GPUGEO_BACKEND_CUDA);
  else
    check_skip(1, "CUDA: not present (%s), its tiles are not compared", error.message);
  return check_end();
}
