#include "cluster/cpu/read_tiles.h"

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { VECTOR = 8 }; /* distances of the widest vector */

/* A tile that was read, in smaller ones. */
typedef struct reading {
  const gg_pairs *pairs;
  void *own;
  int32_t (*take)(void *own, const gg_cpu_position *position, void *values);
  gg_call *call;
  gpugeo_tile tile;
  double *values;
} reading;

/* Returns the number of parts of GG_CPU_TILE rows or columns. */
static int64_t count_parts(int64_t points) { return (points + GG_CPU_TILE - 1) / GG_CPU_TILE; }

/* Hands a range of the tile's parts on or below the diagonal to the taker; the loop's work. */
static void take_parts(void *own, gg_range range) {
  const reading *r = own;
  const int64_t parts = count_parts(r->tile.rows);
  for (int64_t part = range.first; part < range.last; ++part) {
    const int64_t row = part % parts * GG_CPU_TILE, column = part / parts * GG_CPU_TILE;
    const gg_cpu_position position = {
        .row = r->tile.row + row,
        .column = r->tile.column + column,
        .rows = gg_smaller(GG_CPU_TILE, r->tile.rows - row),
        .columns = gg_smaller(GG_CPU_TILE, r->tile.columns - column),
        .ld = r->tile.rows,
        .diagonal = r->tile.row + row == r->tile.column + column,
    };
    if (position.row >= position.column)
      r->take(r->own, &position, r->values + row + column * r->tile.rows);
  }
}

/* Reads a tile and has all its parts taken; fails after an interrupt. */
static gpugeo_status read_tile(reading *r, double done, double share) {
  const gg_pairs *pairs = r->pairs;
  GG_TRY(r->call, pairs->read(pairs->own, &r->tile, r->values, done, share, r->call));
  const gg_loop loop = {.threads = pairs->threads,
                        .count = count_parts(r->tile.rows) * count_parts(r->tile.columns),
                        .grain = 1,
                        .work = take_parts,
                        .job = r,
                        .begun = done + share};
  return gg_call_loop(r->call, loop);
}

gpugeo_status gg_read_tiles(const gg_pairs *pairs, void *own,
                            int32_t (*take)(void *own, const gg_cpu_position *position,
                                            void *values),
                            double done, double share, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = pairs->n, side = gg_smaller(GG_PAIRS_SIDE, n), sides = (n + side - 1) / side;
  const double part = share / ((double)sides * (double)(sides + 1) / 2);
  reading r = {.pairs = pairs, .own = own, .take = take, .call = call};
  /* Whole vectors are read, also beyond the end of a column, and are then left out. */
  r.values = gg_allocate_zeros(side * side + VECTOR, sizeof *r.values);
  if (!r.values)
    return GG_TRY(call, gg_fail_memory(call->error, side * side * (int64_t)sizeof *r.values));
  for (int64_t column = 0; !call->status && column < n; column += side)
    for (int64_t row = column; !call->status && row < n; row += side, done += part) {
      r.tile = (gpugeo_tile){row, gg_smaller(side, n - row), column, gg_smaller(side, n - column)};
      read_tile(&r, done, part);
    }
  gg_free(r.values);
  return call->status;
}
