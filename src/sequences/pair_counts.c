#include "sequences/pair_counts.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"

/* A tile has SIDE by SIDE pairs. Its sequences are counted CHUNK_WORDS words at a time, 400 KiB of
   both sides together, which stay in the second cache. */
enum { SIDE = 32, CHUNK_WORDS = 256 };

_Static_assert(SIDE % GG_BLOCK_SIDE == 0 && CHUNK_WORDS % GG_PLANE_WORDS == 0, "whole blocks");

/* The loop over tiles. */
typedef struct pair_job {
  const gg_pair_counter *counter; /* NULL: nothing is counted */
  const gpugeo_tile *block;
  const gg_pair_sink *sink;
  int64_t *rooms; /* for each thread the counts of a tile, row by row */
  int side;
} pair_job;

/* A tile: its first row and column, and the numbers of them. */
typedef struct tile {
  int64_t row, column;
  int rows, columns;
} tile;

/* Rows or columns: numbers of sequences from `first` on to before `last`. */
typedef struct range {
  int64_t first, last;
} range;

/* Returns the rows of a block. */
static range rows_of(const gpugeo_tile *block) {
  return (range){block->row, block->row + block->rows};
}

/* Returns the columns of a block. */
static range columns_of(const gpugeo_tile *block) {
  return (range){block->column, block->column + block->columns};
}

/* True if a block has the same sequences as rows and as columns. */
static bool is_symmetric(const gpugeo_tile *block) { return block->row == block->column; }

/* Returns the part of a range in a side, which begins at a multiple of its length. */
static range part_of(range all, int64_t side, int64_t length) {
  const int64_t first = side * length;
  return (range){first > all.first ? first : all.first, gg_smaller(first + length, all.last)};
}

/* Returns the number of sides of a range. */
static int64_t count_sides(range all, int64_t length) {
  return (all.last + length - 1) / length - all.first / length;
}

/* Returns the row of tiles of a lower triangle that has a tile: (0, 0), (1, 0), (1, 1), ... */
static int64_t triangle_row(int64_t number) {
  int64_t row = (int64_t)((sqrt(8 * (double)number + 1) - 1) / 2);
  while (row * (row + 1) / 2 > number)
    --row;
  while ((row + 1) * (row + 2) / 2 <= number)
    ++row;
  return row;
}

/* Returns a tile of the block by its number. */
static tile tile_at(const pair_job *job, int64_t number) {
  const range rows = rows_of(job->block), columns = columns_of(job->block);
  const int64_t length = job->side, sides = count_sides(columns, length);
  const bool symmetric = is_symmetric(job->block);
  const int64_t row = symmetric ? triangle_row(number) : number / sides;
  const int64_t column = number - (symmetric ? row * (row + 1) / 2 : row * sides);
  const range i = part_of(rows, rows.first / length + row, length);
  const range j = part_of(columns, columns.first / length + column, length);
  return (tile){i.first, j.first, (int)(i.last - i.first), (int)(j.last - j.first)};
}

/* Returns the number of counts of a tile. */
static int64_t counts_of_tile(const pair_job *job) {
  return (int64_t)job->side * job->side *
         (job->counter ? job->counter->sites->counts : GG_COUNTS_MAX);
}

/* Points to word `first` of each sequence of a side, and of its last one again up to a whole
   block. */
static void point_to_words(const gg_site_planes *planes, int64_t sequence, int count, int64_t first,
                           const uint64_t *words[SIDE]) {
  for (int k = 0; k < SIDE; ++k)
    words[k] = gg_site_planes_of(planes, sequence + (k < count ? k : count - 1)) + first;
}

/* Adds a chunk of words to the counts of a tile, by blocks that have a pair below the diagonal. */
static void count_chunk(const pair_job *job, const tile *t, int64_t first, int64_t *counts) {
  const gg_site_planes *planes = job->counter->planes;
  const gg_count_sites *sites = job->counter->sites;
  const int64_t left = planes->words - first;
  const uint64_t *rows[SIDE], *columns[SIDE];
  gg_pair_block block = {.words = left < CHUNK_WORDS ? left : CHUNK_WORDS,
                         .stride = planes->words,
                         .next = (int64_t)SIDE * sites->counts};
  point_to_words(planes, t->row, t->rows, first, rows);
  point_to_words(planes, t->column, t->columns, first, columns);
  for (int r = 0; r < t->rows; r += sites->rows)
    for (int c = 0; c < t->columns && t->column + c < t->row + r + sites->rows - 1;
         c += sites->columns) {
      block.rows = rows + r;
      block.columns = columns + c;
      block.counts = counts + r * block.next + c * sites->counts;
      sites->block(&block);
    }
}

/* Counts the pairs of a tile. */
static void count_tile(const pair_job *job, const tile *t, int64_t *counts) {
  memset(counts, 0, (size_t)counts_of_tile(job) * sizeof *counts);
  for (int64_t first = 0; job->counter && first < job->counter->planes->words; first += CHUNK_WORDS)
    count_chunk(job, t, first, counts);
}

/* Counts the pairs of a tile by the common sequence. Returns the counts of its first column: those
   of whole panels begin at the room. */
static const int64_t *count_panel(const pair_job *job, const tile *t, int64_t *counts) {
  const int64_t before = t->column % GG_COMMON_SIDE;
  gg_common_sites_count(&job->counter->common, t->row, t->rows, t->column - before,
                        (int)before + t->columns, counts);
  return counts + before * job->counter->sites->counts;
}

/* Hands on the pairs of a tile that are below the diagonal. */
static void hand_on(const pair_job *job, const tile *t, const int64_t *counts) {
  const int each = job->counter ? job->counter->sites->counts : 0;
  for (int c = 0; c < t->columns; ++c)
    for (int r = 0; r < t->rows; ++r)
      if (t->row + r > t->column + c)
        job->sink->take(job->sink->own, t->row + r, t->column + c,
                        counts + ((int64_t)r * job->side + c) * each);
}

/* Counts tiles and hands their pairs on; the loop's work. */
static void count_tiles(void *own, gg_range range) {
  const pair_job *job = own;
  int64_t *counts = job->rooms + range.worker * counts_of_tile(job);
  for (int64_t number = range.first; number < range.last; ++number) {
    const tile t = tile_at(job, number);
    const int64_t *first = counts;
    if (job->counter && job->counter->by_common)
      first = count_panel(job, &t, counts);
    else
      count_tile(job, &t, counts);
    hand_on(job, &t, first);
  }
}

/* Runs a job, whose tiles have so many words of work for a pair. */
static gpugeo_status run_tiles(pair_job *job, double words, int32_t threads, double begun,
                               gg_call *call) {
  if (call->status) return call->status;
  const int64_t rows = count_sides(rows_of(job->block), job->side);
  const int64_t columns = count_sides(columns_of(job->block), job->side);
  job->rooms = gg_call_allocate(call, threads * counts_of_tile(job), sizeof *job->rooms);
  const gg_loop loop = {.threads = threads,
                        .count = is_symmetric(job->block) ? rows * (rows + 1) / 2 : rows * columns,
                        .grain = 1 + (int64_t)(250 / (words + 10)), /* 0.1 to 1 ms */
                        .work = count_tiles,
                        .job = job,
                        .begun = begun,
                        .share = 1 - begun};
  if (!call->status) gg_call_loop(call, loop);
  gg_free(job->rooms);
  return call->status;
}

/* Returns the kernels for this processor: those of AVX2 if it cannot count bits in vectors of
   AVX-512. */
static const gg_count_kernels *gg_count_kernels_get(void) {
#if defined(GG_SIMD_X86)
  if (gg_context_get()->simd == GG_SIMD_AVX512 && !__builtin_cpu_supports("avx512vpopcntdq"))
    return &gg_count_kernels_avx2;
#endif
  return GG_SIMD_CHOOSE(const gg_count_kernels, gg_count_kernels);
}

gpugeo_status gg_pair_counter_make(const gg_site_planes *planes, gg_count_kind kind,
                                   gg_pair_counter *counter, gg_call *call) {
  *counter = (gg_pair_counter){.planes = planes, .sites = &gg_count_kernels_get()->sites[kind]};
  if (call->status) return call->status;
  counter->by_common = gg_common_sites_find(planes, counter->sites, &counter->common, call);
  if (!counter->by_common) gg_pair_counter_free(counter);
  return call->status;
}

void gg_pair_counter_free(gg_pair_counter *counter) {
  gg_common_sites_free(&counter->common);
  counter->common = (gg_common_sites){.planes = NULL};
}

gpugeo_status gg_pair_counts(const gg_pair_counter *counter, const gpugeo_tile *block,
                             int32_t threads, const gg_pair_sink *sink, double begun,
                             gg_call *call) {
  const bool by_common = counter->by_common;
  pair_job job = {counter, block, sink, NULL, by_common ? GG_COMMON_SIDE : SIDE};
  return run_tiles(&job, by_common ? 50 : (double)counter->planes->words, threads, begun, call);
}

gpugeo_status gg_pair_visit(const gpugeo_tile *block, double words, int32_t threads,
                            const gg_pair_sink *sink, double begun, gg_call *call) {
  pair_job job = {NULL, block, sink, NULL, SIDE};
  return run_tiles(&job, words, threads, begun, call);
}

/* Adds the block of two ranges, of which one comes after the other or which are equal, unless it
   has no pairs. Returns the number of blocks. */
static int add_block(gpugeo_tile blocks[5], int count, range a, range b) {
  const range rows = a.first < b.first ? b : a, columns = a.first < b.first ? a : b;
  if (rows.last > rows.first && columns.last > columns.first)
    blocks[count++] = (gpugeo_tile){rows.first, rows.last - rows.first, columns.first,
                                    columns.last - columns.first};
  return count;
}

int gg_pair_blocks_of(const gpugeo_tile *tile, gpugeo_tile blocks[5]) {
  const range rows = rows_of(tile), columns = columns_of(tile);
  const range both = {rows.first > columns.first ? rows.first : columns.first,
                      gg_smaller(rows.last, columns.last)};
  if (both.first >= both.last) return add_block(blocks, 0, rows, columns);
  int count = add_block(blocks, 0, both, both);
  count = add_block(blocks, count, rows, (range){columns.first, both.first});
  count = add_block(blocks, count, rows, (range){both.last, columns.last});
  count = add_block(blocks, count, (range){rows.first, both.first}, both);
  return add_block(blocks, count, (range){both.last, rows.last}, both);
}
