#include "sequences/pair_counts.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/memory.h"
#include "common/parallel.h"

/* A tile has SIDE by SIDE pairs. Its sequences are counted CHUNK_WORDS words at a time, 96 KiB of
   both sides together, which stay in the second cache. */
enum { SIDE = 16, CHUNK_WORDS = 128 };

/* Counts of the pairs of a tile, for each thread. */
typedef struct tile_counts {
  _Alignas(64) int64_t of[SIDE][SIDE][GG_COUNTS_MAX];
} tile_counts;

/* The loop over tiles. */
typedef struct pair_job {
  const gg_site_planes *planes;
  gg_count_sites *count;
  const gg_pair_sink *sink;
  tile_counts *rooms;
} pair_job;

/* A tile: its first row and column, and the numbers of them. */
typedef struct tile {
  int64_t row, column;
  int rows, columns;
} tile;

/* Returns the number of sequences of a side that begins with `first`. */
static int side_of(const gg_site_planes *planes, int64_t first) {
  const int64_t left = planes->count - first;
  return left < SIDE ? (int)left : SIDE;
}

/* Returns a tile of the lower triangle by its number: (0, 0), (1, 0), (1, 1), (2, 0), ... */
static tile tile_at(const gg_site_planes *planes, int64_t number) {
  int64_t row = (int64_t)((sqrt(8 * (double)number + 1) - 1) / 2);
  while (row * (row + 1) / 2 > number)
    --row;
  while ((row + 1) * (row + 2) / 2 <= number)
    ++row;
  const int64_t i = row * SIDE, j = (number - row * (row + 1) / 2) * SIDE;
  return (tile){i, j, side_of(planes, i), side_of(planes, j)};
}

/* Adds a chunk of words to the counts of a tile. */
static void count_chunk(const pair_job *job, const tile *t, int64_t first, tile_counts *room) {
  const gg_site_planes *planes = job->planes;
  const int64_t left = planes->words - first, words = left < CHUNK_WORDS ? left : CHUNK_WORDS;
  for (int r = 0; r < t->rows; ++r) {
    const uint64_t *a = gg_site_planes_of(planes, t->row + r) + first;
    for (int c = 0; c < t->columns && t->column + c < t->row + r; ++c)
      job->count(a, gg_site_planes_of(planes, t->column + c) + first, words, planes->words,
                 room->of[r][c]);
  }
}

/* Counts the pairs of a tile and hands them on. */
static void count_tile(const pair_job *job, const tile *t, tile_counts *room) {
  memset(room->of, 0, sizeof room->of);
  for (int64_t first = 0; first < job->planes->words; first += CHUNK_WORDS)
    count_chunk(job, t, first, room);
  for (int c = 0; c < t->columns; ++c)
    for (int r = 0; r < t->rows; ++r)
      if (t->row + r > t->column + c)
        job->sink->take(job->sink->own, t->row + r, t->column + c, room->of[r][c]);
}

/* Counts tiles; the loop's work. */
static void count_tiles(void *own, gg_range range) {
  const pair_job *job = own;
  for (int64_t number = range.first; number < range.last; ++number) {
    const tile t = tile_at(job->planes, number);
    count_tile(job, &t, &job->rooms[range.worker]);
  }
}

/* Runs a job, whose tiles have so many words of work for a pair. */
static gpugeo_status run_tiles(pair_job *job, double words, int32_t threads, double begun,
                               gg_call *call) {
  if (call->status) return call->status;
  const int64_t sides = (job->planes->count + SIDE - 1) / SIDE;
  job->rooms = gg_call_allocate(call, threads, sizeof *job->rooms);
  const gg_loop loop = {.threads = threads,
                        .count = sides * (sides + 1) / 2,
                        .grain = 1 + (int64_t)(1000 / (words + 10)), /* 0.1 to 1 ms */
                        .work = count_tiles,
                        .job = job,
                        .begun = begun,
                        .share = 1 - begun};
  if (!call->status) gg_call_loop(call, loop);
  gg_free(job->rooms);
  return call->status;
}

gpugeo_status gg_pair_counts(const gg_site_planes *planes, gg_count_kind kind, int32_t threads,
                             const gg_pair_sink *sink, double begun, gg_call *call) {
  const gg_count_kernels *kernels = GG_SIMD_CHOOSE(const gg_count_kernels, gg_count_kernels);
  pair_job job = {planes, kernels->count[kind], sink, NULL};
  return run_tiles(&job, (double)planes->words, threads, begun, call);
}

gpugeo_status gg_pair_visit(int64_t count, double words, int32_t threads, const gg_pair_sink *sink,
                            double begun, gg_call *call) {
  const gg_site_planes none = {.count = count};
  pair_job job = {&none, NULL, sink, NULL};
  return run_tiles(&job, words, threads, begun, call);
}
