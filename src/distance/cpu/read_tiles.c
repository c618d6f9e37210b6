#include "distance/cpu/read_tiles.h"

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { VECTOR = 8 }; /* distances of the widest vector */

/* A tile that was read, in smaller ones. */
typedef struct reading {
  const gg_dist_plan *plan;
  const gg_cpu_sink *sink;
  gg_call *call;
  gpugeo_tile tile;
  double *values;
} reading;

/* Returns the number of parts of GG_CPU_TILE rows or columns. */
static int64_t count_parts(int64_t points) { return (points + GG_CPU_TILE - 1) / GG_CPU_TILE; }

/* Hands a part of the tile to the sink if it is on or below the diagonal. */
static void take_part(const reading *r, int64_t row, int64_t column) {
  const gg_cpu_position position = {
      .row = r->tile.row + row,
      .column = r->tile.column + column,
      .rows = gg_smaller(GG_CPU_TILE, r->tile.rows - row),
      .columns = gg_smaller(GG_CPU_TILE, r->tile.columns - column),
      .ld = r->tile.rows,
      .diagonal = r->tile.row + row == r->tile.column + column,
  };
  if (position.row >= position.column)
    r->sink->take(r->sink->own, &position, r->values + row + column * r->tile.rows);
}

/* Hands on a range of parts, in diagonals: parts that follow each other share no points; the loop's
   work. */
static void take_parts(void *own, gg_range range) {
  const reading *r = own;
  const int64_t rows = count_parts(r->tile.rows), columns = count_parts(r->tile.columns);
  for (int64_t part = range.first; part < range.last; ++part) {
    const int64_t column = part % columns, row = (part / columns + column) % rows;
    take_part(r, row * GG_CPU_TILE, column * GG_CPU_TILE);
  }
}

/* Reads a tile and has all its parts taken; fails after an interrupt. */
static gpugeo_status read_tile(reading *r, double done, double share) {
  const gg_tile_reader *reader = &r->plan->reader;
  GG_TRY(r->call, reader->read(reader->own, &r->tile, r->values, done, share, r->call));
  if (r->call->status) return r->call->status;
  const gg_loop loop = {.threads = r->plan->threads,
                        .count = count_parts(r->tile.rows) * count_parts(r->tile.columns),
                        .grain = 1,
                        .work = take_parts,
                        .job = r,
                        .begun = done + share};
  return gg_call_loop(r->call, loop);
}

/* Reads all tiles on and below the diagonal. */
static gpugeo_status read_all(reading *r, int64_t side) {
  gg_call *call = r->call;
  const int64_t n = r->plan->nx, sides = (n + side - 1) / side;
  const double part = r->sink->share / ((double)sides * (double)(sides + 1) / 2);
  double done = r->sink->before;
  for (int64_t column = 0; !call->status && column < n; column += side)
    for (int64_t row = column; !call->status && row < n; row += side, done += part) {
      r->tile = (gpugeo_tile){row, gg_smaller(side, n - row), column, gg_smaller(side, n - column)};
      read_tile(r, done, part);
    }
  return call->status;
}

/* Tells the sink of the block of all points, and reads them. */
static gpugeo_status read_block(reading *r, int64_t side) {
  const gg_cpu_sink *sink = r->sink;
  gg_call *call = r->call;
  const int64_t n = r->plan->nx;
  if (sink->start)
    GG_TRY(call, sink->start(sink->own, count_parts(n) * GG_CPU_TILE, GG_CPU_TILE, call->error));
  if (call->status) return call->status;
  if (sink->open) sink->open(sink->own, GG_CPU_COLUMNS, 0, n);
  read_all(r, side);
  if (sink->close && !call->status) sink->close(sink->own, GG_CPU_COLUMNS);
  return call->status;
}

gpugeo_status gg_read_tiles(const gg_dist_plan *plan, const gg_cpu_sink *sink, gg_call *call) {
  if (call->status) return call->status;
  const int64_t side = gg_smaller(GG_READ_SIDE, plan->nx);
  reading r = {.plan = plan, .sink = sink, .call = call};
  /* Whole vectors are read, also beyond the end of a column, and are then left out. */
  r.values = gg_allocate_zeros(side * side + VECTOR, sizeof *r.values);
  if (!r.values)
    return GG_TRY(call, gg_fail_memory(call->error, side * side * (int64_t)sizeof *r.values));
  read_block(&r, side);
  gg_free(r.values);
  return call->status;
}
