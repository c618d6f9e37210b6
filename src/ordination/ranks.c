/*
 * Ranks of distances in bounded memory. Keys of distances are counted by their first digit, and
 * successive digits with as many keys as there is room for are collected from all distances, sorted
 * and ranked, one set after the other. A digit with more keys is divided by the next one.
 */
#include "ordination/ranks.h"

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/radix.h"

enum {
  DIGIT = 16,       /* bits */
  KEY_BYTES = 24,   /* of a key and its number, twice */
  SLICES = 16,      /* at most: 512 KiB of counts each */
  LEAST_ROOM = 4096 /* keys, whatever the working memory */
};

/* A call. Each thread has a slice of the distances. */
typedef struct job {
  const double *distance;
  int64_t count;
  gg_ranks to;
  int32_t slices;
  gg_clock *clock;
  double done;
  gg_radix radix;
  int64_t room;    /* keys of radix */
  int64_t *offset; /* where each slice writes the next key that it collects */
  /* The pass over all distances: */
  uint64_t low, span; /* their keys are from low to low + span */
  int shift;          /* of the digit that is counted */
  int64_t *counts;    /* 2^DIGIT of each slice */
} job;

/* Returns the first distance of a slice. */
static int64_t slice_at(const job *j, int64_t slice) { return j->count * slice / j->slices; }

/* Runs work for each slice; fails after an interrupt. */
static gpugeo_status each_slice(job *j, void (*work)(void *, gg_range), gpugeo_error *error) {
  const gg_loop loop = {.threads = j->slices,
                        .count = j->slices,
                        .grain = 1,
                        .work = work,
                        .job = j,
                        .clock = j->clock,
                        .begun = j->done};
  return gg_parallel_for(&loop) ? GPUGEO_OK : gg_fail_interrupt(error);
}

/* Counts the digits of the pass's keys in a range of slices; the loop's work. */
static void count_slices(void *own, gg_range range) {
  const job *j = own;
  for (int64_t slice = range.first; slice < range.last; ++slice) {
    int64_t *counts = j->counts + (slice << DIGIT);
    for (int64_t k = slice_at(j, slice); k < slice_at(j, slice + 1); ++k) {
      const uint64_t key = gg_radix_key(j->distance[k]) - j->low;
      if (key <= j->span) ++counts[key >> j->shift];
    }
  }
}

/* Collects the pass's keys, counted from the lowest, in a range of slices; the loop's work. */
static void collect_slices(void *own, gg_range range) {
  const job *j = own;
  for (int64_t slice = range.first; slice < range.last; ++slice) {
    int64_t at = j->offset[slice];
    for (int64_t k = slice_at(j, slice); k < slice_at(j, slice + 1); ++k) {
      const uint64_t key = gg_radix_key(j->distance[k]) - j->low;
      if (key > j->span) continue;
      j->radix.key[at] = key;
      j->radix.value[at++] = (int32_t)k;
    }
  }
}

/* Writes the rank of a distance, given twice that rank. */
static inline void write_rank(const job *j, int64_t at, int64_t twice) {
  if (j->to.twice)
    j->to.twice[at] = (uint32_t)twice;
  else
    j->to.rank[at] = 0.5 * (double)twice;
}

/* Collects and ranks the keys from low to low + span, so many, of which room is left and offsets
   are known. below: distances with a lower key. */
static gpugeo_status rank_keys(job *j, uint64_t low, uint64_t span, int64_t keys, int64_t below,
                               gpugeo_error *error) {
  j->low = low;
  j->span = span;
  const gpugeo_status status = each_slice(j, collect_slices, error);
  if (status) return status;
  if (!gg_radix_sort(&j->radix, keys, gg_radix_bits(span), j->slices))
    return gg_fail_interrupt(error);
  const gg_radix *sorted = &j->radix;
  for (int64_t first = 0, end; first < keys; first = end) {
    for (end = first + 1; end < keys && sorted->key[end] == sorted->key[first];)
      ++end;
    for (int64_t k = first; k < end; ++k)
      write_rank(j, sorted->value[k], 2 * below + first + 1 + end);
  }
  return GPUGEO_OK;
}

/* Ranks so many equal distances. */
static void rank_equal(const job *j, uint64_t key, int64_t keys, int64_t below) {
  for (int64_t k = 0; k < j->count; ++k)
    if (gg_radix_key(j->distance[k]) == key) write_rank(j, k, 2 * below + 1 + keys);
}

/* Returns how many keys have a digit. */
static int64_t keys_of(const job *j, const int64_t *counts, int64_t digit) {
  int64_t sum = 0;
  for (int64_t slice = 0; slice < j->slices; ++slice)
    sum += counts[(slice << DIGIT) + digit];
  return sum;
}

/* Sets the offsets of slices for the keys with the digits [first, end). */
static void set_offsets(job *j, const int64_t *counts, int64_t first, int64_t end) {
  int64_t sum = 0;
  for (int64_t slice = 0; slice < j->slices; ++slice) {
    j->offset[slice] = sum;
    for (int64_t digit = first; digit < end; ++digit)
      sum += counts[(slice << DIGIT) + digit];
  }
}

static gpugeo_status rank_digits(job *j, uint64_t low, int bits, int64_t below,
                                 gpugeo_error *error);

/* Ranks the keys with the digits [first, end) above low, of which there are so many; more than
   there is room for only with one digit. */
static gpugeo_status rank_set(job *j, const int64_t *counts, uint64_t low, int shift, int64_t first,
                              int64_t end, int64_t keys, int64_t below, gpugeo_error *error) {
  low += (uint64_t)first << shift;
  if (keys > j->room && shift > 0) return rank_digits(j, low, shift, below, error);
  if (keys > j->room) {
    rank_equal(j, low, keys, below);
    return GPUGEO_OK;
  }
  set_offsets(j, counts, first, end);
  return rank_keys(j, low, ((uint64_t)(end - first) << shift) - 1, keys, below, error);
}

/* Ranks the keys that differ from low in the lowest `bits` bits only, by the first digit of
   these. */
static gpugeo_status rank_digits(job *j, uint64_t low, int bits, int64_t below,
                                 gpugeo_error *error) {
  const int digit = bits < DIGIT ? bits : DIGIT, shift = bits - digit;
  const int64_t digits = (int64_t)1 << digit, size = (int64_t)j->slices << DIGIT;
  int64_t *counts = gg_allocate_zeros(size, sizeof *counts);
  if (!counts) return gg_fail_memory(error, size * (int64_t)sizeof *counts);
  j->low = low;
  j->span = UINT64_MAX >> (64 - bits);
  j->shift = shift;
  j->counts = counts;
  gpugeo_status status = each_slice(j, count_slices, error);
  for (int64_t first = 0, end; !status && first < digits; first = end) {
    int64_t keys = keys_of(j, counts, first), more = 0;
    for (end = first + 1; end < digits && keys + (more = keys_of(j, counts, end)) <= j->room; ++end)
      keys += more;
    if (keys > 0) status = rank_set(j, counts, low, shift, first, end, keys, below, error);
    below += keys;
  }
  gg_free(counts);
  return status;
}

/* Ranks all distances. */
static gpugeo_status rank_all(job *j, gpugeo_error *error) {
  uint64_t smallest = UINT64_MAX, largest = 0;
  for (int64_t k = 0; k < j->count; ++k) {
    const uint64_t key = gg_radix_key(j->distance[k]);
    smallest = key < smallest ? key : smallest;
    largest = key > largest ? key : largest;
  }
  const uint64_t span = largest - smallest;
  if (j->count > j->room) return rank_digits(j, smallest, gg_radix_bits(span), 0, error);
  for (int64_t slice = 0; slice < j->slices; ++slice)
    j->offset[slice] = slice_at(j, slice);
  return rank_keys(j, smallest, span, j->count, 0, error);
}

gpugeo_status gg_rank_distances(const double *distance, int64_t count, gg_ranks to, int32_t threads,
                                int64_t work_bytes, double done, gg_call *call) {
  if (call->status) return call->status;
  const int64_t bytes = work_bytes ? work_bytes : GG_WORK_BYTES;
  const int64_t most = bytes / KEY_BYTES > LEAST_ROOM ? bytes / KEY_BYTES : LEAST_ROOM;
  job j = {.distance = distance,
           .count = count,
           .to = to,
           .slices = (int32_t)gg_smaller(threads, gg_smaller(SLICES, 1 + count / LEAST_ROOM)),
           .clock = call->clock,
           .done = done,
           .room = gg_smaller(count, most)};
  j.offset = gg_allocate(j.slices, sizeof *j.offset);
  const bool there = gg_radix_allocate(&j.radix, j.room, j.slices) && j.offset;
  j.radix.clock = call->clock;
  GG_TRY(call, there ? rank_all(&j, call->error) : gg_fail_memory(call->error, KEY_BYTES * j.room));
  gg_radix_free(&j.radix);
  gg_free(j.offset);
  return call->status;
}
