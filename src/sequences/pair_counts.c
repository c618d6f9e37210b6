#include "sequences/pair_counts.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "sequences/common_sites.h"

/* A tile has SIDE by SIDE pairs. Its sequences are counted CHUNK_WORDS words at a time, 400 KiB of
   both sides together, which stay in the second cache. */
enum { SIDE = 32, CHUNK_WORDS = 256 };

_Static_assert(SIDE % GG_BLOCK_SIDE == 0 && CHUNK_WORDS % GG_PLANE_WORDS == 0, "whole blocks");

/* The loop over tiles. */
typedef struct pair_job {
  const gg_site_planes *planes;
  const gg_count_sites *sites;   /* NULL: nothing is counted */
  const gg_common_sites *common; /* NULL: all words are counted */
  const gg_pair_sink *sink;
  int64_t *rooms; /* for each thread the counts of a tile, row by row */
  int side;
} pair_job;

/* A tile: its first row and column, and the numbers of them. */
typedef struct tile {
  int64_t row, column;
  int rows, columns;
} tile;

/* Returns the number of sequences of a side that begins with `first`. */
static int side_of(const pair_job *job, int64_t first) {
  const int64_t left = job->planes->count - first;
  return left < job->side ? (int)left : job->side;
}

/* Returns a tile of the lower triangle by its number: (0, 0), (1, 0), (1, 1), (2, 0), ... */
static tile tile_at(const pair_job *job, int64_t number) {
  int64_t row = (int64_t)((sqrt(8 * (double)number + 1) - 1) / 2);
  while (row * (row + 1) / 2 > number)
    --row;
  while ((row + 1) * (row + 2) / 2 <= number)
    ++row;
  const int64_t i = row * job->side, j = (number - row * (row + 1) / 2) * job->side;
  return (tile){i, j, side_of(job, i), side_of(job, j)};
}

/* Returns the number of counts of a tile. */
static int64_t counts_of_tile(const pair_job *job) {
  return (int64_t)job->side * job->side * (job->sites ? job->sites->counts : GG_COUNTS_MAX);
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
  const gg_site_planes *planes = job->planes;
  const gg_count_sites *sites = job->sites;
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
  for (int64_t first = 0; job->sites && first < job->planes->words; first += CHUNK_WORDS)
    count_chunk(job, t, first, counts);
}

/* Counts tiles and hands their pairs on; the loop's work. */
static void count_tiles(void *own, gg_range range) {
  const pair_job *job = own;
  const int each = job->sites ? job->sites->counts : 0;
  int64_t *counts = job->rooms + range.worker * counts_of_tile(job);
  for (int64_t number = range.first; number < range.last; ++number) {
    const tile t = tile_at(job, number);
    if (job->common)
      gg_common_sites_count(job->common, t.row, t.rows, t.column, t.columns, counts);
    else
      count_tile(job, &t, counts);
    for (int c = 0; c < t.columns; ++c)
      for (int r = 0; r < t.rows; ++r)
        if (t.row + r > t.column + c)
          job->sink->take(job->sink->own, t.row + r, t.column + c,
                          counts + ((int64_t)r * job->side + c) * each);
  }
}

/* Runs a job, whose tiles have so many words of work for a pair. */
static gpugeo_status run_tiles(pair_job *job, double words, int32_t threads, double begun,
                               gg_call *call) {
  if (call->status) return call->status;
  const int64_t sides = (job->planes->count + job->side - 1) / job->side;
  job->rooms = gg_call_allocate(call, threads * counts_of_tile(job), sizeof *job->rooms);
  const gg_loop loop = {.threads = threads,
                        .count = sides * (sides + 1) / 2,
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

gpugeo_status gg_pair_counts(const gg_site_planes *planes, gg_count_kind kind, int32_t threads,
                             const gg_pair_sink *sink, double begun, gg_call *call) {
  gg_common_sites common;
  pair_job job = {planes, &gg_count_kernels_get()->sites[kind], NULL, sink, NULL, SIDE};
  if (gg_common_sites_find(planes, job.sites, &common, call)) {
    job.common = &common;
    job.side = GG_COMMON_SIDE;
  }
  run_tiles(&job, job.common ? 50 : (double)planes->words, threads, begun, call);
  gg_common_sites_free(&common);
  return call->status;
}

gpugeo_status gg_pair_visit(int64_t count, double words, int32_t threads, const gg_pair_sink *sink,
                            double begun, gg_call *call) {
  const gg_site_planes none = {.count = count};
  pair_job job = {&none, NULL, NULL, sink, NULL, SIDE};
  return run_tiles(&job, words, threads, begun, call);
}
