#include "sequences/site_columns.h"

#include "common/memory.h"
#include "common/parallel.h"

enum { SIDE = 64, RANGE_WORDS = 8 /* a cache line of a sequence */ };

/* Transposes 64 by 64 bits: bit c of word r becomes bit r of word c. Swaps halves, then quarters
   (Warren 2013, Hacker's Delight, 7-3). */
static void transpose(uint64_t bits[SIDE]) {
  uint64_t mask = 0xFFFFFFFF;
  for (int j = SIDE / 2; j; j >>= 1, mask ^= mask << j)
    for (int k = 0; k < SIDE; k = ((k | j) + 1) & ~j) {
      const uint64_t swapped = ((bits[k] >> j) ^ bits[k | j]) & mask;
      bits[k] ^= swapped << j;
      bits[k | j] ^= swapped;
    }
}

/* Returns the smaller one of 64 and what is left, which is negative behind the last site. */
static int side_of(int64_t left) { return left < SIDE ? (int)left : SIDE; }

/* --- Planes to columns ------------------------------------------------------------------------ */

/* The loop over words of sites. */
typedef struct turning {
  const gg_site_planes *planes;
  const gg_site_columns *columns;
} turning;

/* Transposes 64 sites of 64 sequences of a plane. */
static void turn_block(const turning *t, int64_t word, int plane, int64_t block) {
  const gg_site_columns *columns = t->columns;
  const int rows = side_of(columns->count - block * SIDE);
  const int sites = side_of(columns->sites - word * SIDE);
  uint64_t bits[SIDE] = {0};
  for (int r = 0; r < rows; ++r)
    bits[r] = gg_site_planes_of(t->planes, block * SIDE + r)[plane * t->planes->words + word];
  transpose(bits);
  for (int k = 0; k < sites; ++k)
    columns->bits[((word * SIDE + k) * GG_PLANES + plane) * columns->blocks + block] = bits[k];
}

/* Transposes words of sites; the loop's work. */
static void turn_words(void *job, gg_range range) {
  const turning *t = job;
  for (int64_t word = range.first; word < range.last; ++word)
    for (int plane = 0; plane < GG_PLANES; ++plane)
      for (int64_t block = 0; block < t->columns->blocks; ++block)
        turn_block(t, word, plane, block);
}

double gg_site_columns_bytes(int64_t count, int64_t sites) {
  return 8.0 * GG_PLANES * (double)sites * (double)((count + SIDE - 1) / SIDE);
}

gpugeo_status gg_site_columns_make(const gg_site_planes *planes, int32_t threads,
                                   gg_site_columns *columns, gg_call *call) {
  *columns = (gg_site_columns){.count = planes->count,
                               .sites = planes->sites,
                               .blocks = (planes->count + SIDE - 1) / SIDE,
                               .threads = threads};
  columns->bits = gg_call_allocate(call, columns->sites * GG_PLANES * columns->blocks + 1,
                                   sizeof *columns->bits);
  turning t = {planes, columns};
  const gg_loop loop = {
      .threads = threads, .count = planes->words, .grain = 1, .work = turn_words, .job = &t};
  return gg_call_loop(call, loop);
}

/* --- Drawn columns to planes ------------------------------------------------------------------ */

/* The loop over words of drawn sites. */
typedef struct drawing {
  const gg_site_columns *columns;
  const int32_t *drawn, *place;
  gg_site_planes *planes;
} drawing;

/* Transposes 64 drawn sites of 64 sequences of a plane. */
static void draw_block(const drawing *d, int64_t word, int plane, int64_t block) {
  const gg_site_columns *columns = d->columns;
  const gg_site_planes *planes = d->planes;
  const int64_t first = block * SIDE;
  const int rows = side_of(columns->count - first), sites = side_of(planes->sites - word * SIDE);
  uint64_t bits[SIDE] = {0};
  for (int k = 0; k < sites; ++k) {
    const int64_t site = d->drawn[word * SIDE + k];
    bits[k] = columns->bits[(site * GG_PLANES + plane) * columns->blocks + block];
  }
  transpose(bits);
  for (int r = 0; r < rows; ++r) {
    const int64_t sequence = d->place ? d->place[first + r] : first + r;
    planes->bits[(sequence * GG_PLANES + plane) * planes->words + word] = bits[r];
  }
}

/* Draws words of sites; the loop's work. */
static void draw_words(void *job, gg_range range) {
  const drawing *d = job;
  for (int64_t word = range.first; word < range.last; ++word)
    for (int plane = 0; plane < GG_PLANES; ++plane)
      for (int64_t block = 0; block < d->columns->blocks; ++block)
        draw_block(d, word, plane, block);
}

gpugeo_status gg_site_columns_draw(const gg_site_columns *columns, const int32_t *drawn,
                                   const int32_t *place, gg_site_planes *planes, gg_call *call) {
  planes->count = columns->count;
  planes->words = gg_site_planes_words(planes->sites);
  drawing d = {columns, drawn, place, planes};
  const gg_loop loop = {.threads = columns->threads,
                        .count = planes->words,
                        .grain = RANGE_WORDS,
                        .work = draw_words,
                        .job = &d};
  return gg_call_loop(call, loop);
}
