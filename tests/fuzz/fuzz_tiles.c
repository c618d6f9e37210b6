/* Fuzzes tiles of a distance matrix: any plan, any matrices. Checks each tile against the whole
   matrix, bit for bit, and that the tiles of a plan cover each pair once. */
#include "fuzz.h"

/* A plan of any numbers: its first and its last tile lie within the matrix. */
static void check_plan(bytes *b) {
  gpugeo_tiles tiles;
  gpugeo_error error;
  int64_t number[5];
  for (int i = 0; i < 5; ++i)
    number[i] = take_int64(b) >> take(b, 63);
  const gpugeo_status status =
      gpugeo_tiles_plan(number[0], number[1], number[2], number[3], number[4], &tiles, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY, &error);
  if (status) return;
  demand(tiles.nx == number[0] && tiles.ny == (number[1] < 0 ? number[0] : number[1]));
  demand(number[2] >= 0 && tiles.side > 0 && tiles.count >= 0);
  const int64_t tried[] = {0, tiles.count / 2, tiles.count - 1};
  for (int i = 0; i < 3 && tiles.count > 0; ++i) {
    gpugeo_tile tile;
    demand(gpugeo_tiles_get(&tiles, tried[i], &tile, &error) == GPUGEO_OK);
    demand(tile.rows > 0 && tile.rows <= tiles.side && tile.columns > 0 &&
           tile.columns <= tiles.side);
    demand(tile.row >= 0 && tile.row <= tiles.nx - tile.rows && tile.column >= 0 &&
           tile.column <= tiles.ny - tile.columns);
  }
  demand(gpugeo_tiles_get(&tiles, tiles.count, &(gpugeo_tile){0}, &error) == GPUGEO_ERROR_ARGUMENT);
}

/* What the tiles belong to. */
typedef struct whole {
  gpugeo_point_source x, y;
  bool within;
  gpugeo_dist_options options;
  gpugeo_tiles tiles;
  double *full, *tile, *shared; /* shared NULL: taken anew for each tile */
  int64_t shared_length;
  uint8_t *seen; /* how often each pair was in a tile */
} whole;

static void check_tile(whole *w, int64_t index) {
  gpugeo_tile at;
  gpugeo_error error;
  demand(gpugeo_tiles_get(&w->tiles, index, &at, &error) == GPUGEO_OK);
  const gpugeo_status status =
      gpugeo_dist_tile(&w->x, w->within ? NULL : &w->y, &w->options, w->shared, w->shared_length,
                       &w->tiles, index, GPUGEO_TYPE_DOUBLE, w->tile, NULL, &error);
  demand_status(status, 0, &error);
  for (int64_t j = 0; j < at.columns; ++j)
    for (int64_t i = 0; i < at.rows; ++i) {
      const int64_t pair = at.row + i + (at.column + j) * w->tiles.nx;
      demand(memcmp(&w->tile[i + j * at.rows], &w->full[pair], sizeof *w->full) == 0);
      ++w->seen[pair];
    }
}

static void check_tiles(whole *w) {
  for (int64_t t = 0; t < w->tiles.count; ++t)
    check_tile(w, t);
  for (int64_t j = 0; j < w->tiles.ny; ++j)
    for (int64_t i = 0; i < w->tiles.nx; ++i)
      demand(w->seen[i + j * w->tiles.nx] + (w->within && i / w->tiles.side < j / w->tiles.side) ==
             1);
}

/* Parameters of points without pairs may be refused, though the matrix is not. False then. */
static bool take_shared(whole *w) {
  gpugeo_error error;
  const gpugeo_point_source *y = w->within ? NULL : &w->y;
  demand(gpugeo_dist_metric_params_size(&w->x, y, &w->options, &w->shared_length, &error) ==
         GPUGEO_OK);
  w->shared = malloc((size_t)w->shared_length * sizeof *w->shared + 1);
  const gpugeo_status status =
      gpugeo_dist_metric_params(&w->x, y, &w->options, w->shared, NULL, &error);
  demand_status(status, w->tiles.count ? 0 : ALLOW_DATA, &error);
  return !status;
}

static bool compute_full(whole *w, int64_t nx, int64_t ny) {
  gpugeo_error error;
  const size_t pairs = (size_t)(nx * ny);
  w->full = malloc(pairs * sizeof *w->full + 1);
  w->tile = malloc(pairs * sizeof *w->tile + 1);
  w->seen = calloc(pairs + 1, 1);
  const gpugeo_status status = gpugeo_dist(w->x.matrix, w->within ? NULL : w->y.matrix, &w->options,
                                           GPUGEO_TYPE_DOUBLE, w->full, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA, &error);
  return !status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  whole w = {.within = take(&b, 1)};
  gpugeo_dist_options *o = &w.options;
  gpugeo_dist_options_init(o, sizeof *o);
  o->metric.kind = (gpugeo_metric)take(&b, GPUGEO_METRIC_COUNT);
  o->points = (gpugeo_points)take(&b, 1);
  o->shape = GPUGEO_SHAPE_FULL;
  o->metric.p = take_double(&b);
  o->run.precision = (gpugeo_precision)take(&b, 1);
  const int way = take(&b, WAYS - 1);
  const bool share = take(&b, 1), rows = o->points == GPUGEO_POINTS_ROWS;
  const int64_t nx = take(&b, 24), m = take(&b, 10), ny = take(&b, 24), side = 3 + take(&b, 24);
  check_plan(&b);
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? nx : m, rows ? m : nx);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? ny : m, rows ? m : ny);
  parameters room;
  take_parameters(&b, m, &room, &o->metric);
  w.x.matrix = &x;
  w.y.matrix = &y;
  set_way(&o->run, way, 0);
  gpugeo_error error;
  demand(gpugeo_tiles_plan(nx, w.within ? -1 : ny, m, side, 0, &w.tiles, &error) == GPUGEO_OK);
  if (compute_full(&w, nx, w.within ? nx : ny)) {
    if (!share || take_shared(&w)) check_tiles(&w);
  }
  free(w.full);
  free(w.tile);
  free(w.shared);
  free(w.seen);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}
