/* The CPU's grid: all pairs within the length are in cells that are near each other, each once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/clock.h"
#include "data.h"
#include "gpugeo.h"
#include "points/cpu/grid.h"

/* Where points are put. */
typedef enum spread { UNIFORM, CLUSTERS, APART, ROUND, SPREADS } spread;
static const char *const names[] = {"uniform", "clusters", "apart", "round"};

static double coordinate(dice *d, spread how) {
  const double u = dice_real(d);
  switch (how) {
  case CLUSTERS:
    return (double)dice_whole(d, 3) + u * 0.01;
  case APART: /* more cells than keys have room for */
    return (double)dice_whole(d, 4) * 0x1p33 + u * 3;
  case ROUND: /* periodic, some outside of the box */
    return u * 20;
  default:
    return u;
  }
}

static const double length_of[] = {0.1, 0.004, 0.5, 0.7};
static const double box_length = 5;

static bool are_near(int columns, const double *a, const double *b, double length, double box) {
  for (int c = 0; c < columns; ++c)
    if (gg_point_difference(a[c], b[c], box) > length) return false;
  return true;
}

/* Adds up how often each pair of positions was met, within the grid. */
static void walk_within(const gg_grid *grid, int *met) {
  gg_grid_walk walk = {{0}};
  for (int64_t p = 0, end; p < grid->n; p = end) {
    end = gg_grid_cell_end(grid, p);
    CHECK(gg_grid_cell_start(grid, p) == p, "a cell starts elsewhere than at %lld", (long long)p);
    double place[3] = {0, 0, 0};
    for (int c = 0; c < grid->shape.columns; ++c)
      place[c] = grid->at[c][p];
    gg_grid_run runs[GG_GRID_RUNS];
    const int count = gg_grid_near(grid, place, end, &walk, runs);
    for (int64_t a = p; a < end; ++a) {
      for (int64_t b = a + 1; b < end; ++b)
        ++met[a * grid->n + b];
      for (int r = 0; r < count; ++r)
        for (int64_t b = runs[r].first; b < runs[r].last; ++b)
          ++met[a * grid->n + b];
    }
  }
}

static void check_grid(spread how, int columns, int64_t n, uint64_t seed, int32_t threads) {
  dice d = {seed};
  double *points = malloc((size_t)(n * columns) * sizeof *points);
  for (int64_t i = 0; i < n * columns; ++i)
    points[i] = coordinate(&d, how);
  const gpugeo_matrix x =
      data_matrix(points, n, columns, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 2);
  double low[3] = {0}, high[3] = {0}, length[3], box[3];
  for (int c = 0; c < columns; ++c) {
    low[c] = high[c] = points[c];
    for (int64_t i = 0; i < n; ++i) {
      low[c] = fmin(low[c], points[i * columns + c]);
      high[c] = fmax(high[c], points[i * columns + c]);
    }
    length[c] = length_of[how];
    box[c] = how == ROUND && c < 2 ? box_length : 0;
  }
  const gg_grid_shape shape = gg_grid_shape_make(columns, low, high, length, box);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_grid grid;
  gpugeo_error error = {0};
  gg_call call;
  gg_call_begin(&call, &run, NULL, &error);
  const gg_grid_points from = {&shape, &x, 1, threads, 0, 1};
  const gpugeo_status status = gg_grid_build(&from, &grid, &call);
  if (!CHECK(status == GPUGEO_OK, "%s", error.message)) return;

  bool sorted = true, right = true;
  int64_t rows = 0;
  for (int64_t p = 0; p < n; ++p) {
    sorted &= p == 0 || grid.key[p - 1] < grid.key[p] ||
              (grid.key[p - 1] == grid.key[p] && grid.row[p - 1] < grid.row[p]);
    rows += grid.row[p];
    for (int c = 0; c < columns; ++c)
      right &= grid.at[c][p] == points[grid.row[p] * columns + c];
  }
  CHECK(sorted && right && rows == n * (n - 1) / 2, "%s, %d columns: order", names[how], columns);

  int *met = calloc((size_t)(n * n), sizeof *met);
  walk_within(&grid, met);
  int64_t missed = 0, twice = 0, near = 0, tests = 0;
  for (int64_t a = 0; a < n; ++a)
    for (int64_t b = a + 1; b < n; ++b) {
      const double *pa = points + grid.row[a] * columns, *pb = points + grid.row[b] * columns;
      bool are = are_near(columns, pa, pb, length[0], how == ROUND ? box_length : 0);
      if (how == ROUND && columns == 3) are = are && fabs(pa[2] - pb[2]) <= length[2];
      near += are;
      missed += are && met[a * n + b] == 0;
      twice += met[a * n + b] > 1;
      tests += met[a * n + b];
    }
  CHECK(missed == 0 && twice == 0 && (near > 0 || n < 100),
        "%s, %d columns: of %lld near pairs %lld are missed, %lld come twice", names[how], columns,
        (long long)near, (long long)missed, (long long)twice);
  CHECK(columns == 1 || tests < n * (n - 1) / 2, "%s, %d columns: all pairs are near", names[how],
        columns);
  free(met);
  gg_grid_free(&grid);
  free((void *)x.data);
  free(points);
}

int main(void) {
  for (int how = 0; how < SPREADS; ++how)
    for (int columns = 1; columns <= 3; ++columns)
      for (uint64_t seed = 1; seed <= 4; ++seed)
        check_grid((spread)how, columns, seed == 4 ? 60 : 700, seed, 1 + (int32_t)seed % 2);
  return check_end();
}
