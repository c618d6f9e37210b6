/* Sorting of 64-bit keys by their digits, the highest first: all threads partition the keys by a
   first digit, and each part is then sorted by one thread, in its caches. Limited by memory
   bandwidth. */
#include "common/radix.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/parallel.h"

enum {
  FIRST_DIGIT = 11, /* bits of the first digit, at most */
  DIGIT = 8,        /* of any other one */
  KEYS = 8,         /* keys to a value of the first digit, in the mean, or more */
  FEW = 24,         /* at most so many keys are sorted by insertion */
  SLICES = 16,      /* at most */
  SLICE = 4096      /* keys of a slice, at least: they take some 10 us */
};

/* Returns the number of slices for n pairs: at most one a thread, and not below SLICE pairs each.
 */
static int64_t most_slices(int64_t n, int32_t threads) {
  const int64_t most = n / SLICE < SLICES ? n / SLICE + 1 : SLICES;
  return threads < most ? threads : most;
}

bool gg_radix_allocate(gg_radix *radix, int64_t n, int32_t threads) {
  const int64_t counts = most_slices(n, threads) << FIRST_DIGIT;
  *radix = (gg_radix){.key = gg_allocate_large(n, sizeof *radix->key),
                      .other_key = gg_allocate_large(n, sizeof *radix->key),
                      .value = gg_allocate_large(n, sizeof *radix->value),
                      .other_value = gg_allocate_large(n, sizeof *radix->value),
                      .counts = gg_allocate_large(counts, sizeof *radix->counts)};
  return radix->key && radix->other_key && radix->value && radix->other_value && radix->counts;
}

void gg_radix_free(gg_radix *radix) {
  gg_free(radix->key);
  gg_free(radix->other_key);
  gg_free(radix->value);
  gg_free(radix->other_value);
  gg_free(radix->counts);
  *radix = (gg_radix){0};
}

/* --- One part of the keys, on one thread ------------------------------------------------------ */

/* Keys and their values. */
typedef struct pairs {
  uint64_t *key;
  int32_t *value;
} pairs;

/* Returns the pairs from the given one on. */
static pairs pairs_from(pairs all, int64_t first) {
  return (pairs){all.key + first, all.value + first};
}

/* Sorts a few pairs by key into another array, by insertion. */
static void insert_all(pairs from, pairs to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = from.key[i];
    const int32_t value = from.value[i];
    int64_t at = i;
    for (; at > 0 && to.key[at - 1] > key; --at) {
      to.key[at] = to.key[at - 1];
      to.value[at] = to.value[at - 1];
    }
    to.key[at] = key;
    to.value[at] = value;
  }
}

/* Moves pairs to the offsets of their digits, in their order, and advances the offsets. */
static void move_digits(pairs from, pairs to, int64_t first, int64_t last, int shift, uint64_t mask,
                        int64_t *offsets) {
  for (int64_t i = first; i < last; ++i) {
    const uint64_t key = from.key[i];
    const int64_t at = offsets[key >> shift & mask]++;
    to.key[at] = key;
    to.value[at] = from.value[i];
  }
}

/* Returns the bits of the next digit of n keys, which has about as many values as there are
   keys. */
static int next_digit(int64_t n, int bits) {
  int digit = 1;
  while (digit < DIGIT && (int64_t)2 << digit <= n)
    ++digit;
  return digit < bits ? digit : bits;
}

/* Sorts n keys, which differ in the lowest `bits` bits, from one memory into another; the first one
   is lost. They may be the same, with `other` for the room that takes. */
static void sort_part(pairs from, pairs to, pairs other, int64_t n, int bits) {
  if (n <= FEW || bits == 0) {
    insert_all(from, to, n);
    return;
  }
  const int digit = next_digit(n, bits), shift = bits - digit;
  const uint64_t mask = ((uint64_t)1 << digit) - 1;
  int64_t offsets[1 << DIGIT] = {0}, ends[1 << DIGIT];
  for (int64_t i = 0; i < n; ++i)
    ++offsets[from.key[i] >> shift & mask];
  int64_t sum = 0;
  for (uint64_t d = 0; d <= mask; ++d) {
    const int64_t here = offsets[d];
    offsets[d] = sum;
    ends[d] = sum += here;
  }
  pairs parted = from.key == to.key ? other : to;
  move_digits(from, parted, 0, n, shift, mask, offsets);
  pairs room = parted.key == to.key ? from : other;
  for (uint64_t d = 0; d <= mask; ++d) {
    const int64_t first = d > 0 ? ends[d - 1] : 0;
    if (first < ends[d])
      sort_part(pairs_from(parted, first), pairs_from(to, first), pairs_from(room, first),
                ends[d] - first, shift);
  }
}

/* --- All keys --------------------------------------------------------------------------------- */

/* The state of one sort. */
typedef struct sorting {
  gg_radix *radix;
  int64_t n, slices;
  int digit, shift; /* of the first digit, and what lies below */
} sorting;

/* Returns the number of values of the digit. */
static int64_t digits_of(const sorting *s) { return (int64_t)1 << s->digit; }

/* Returns the index at which a slice begins. */
static int64_t slice_at(const sorting *s, int64_t slice) { return s->n * slice / s->slices; }

/* Counts how often each digit occurs in each slice of a range. */
static void count_slices(void *job, gg_range range) {
  const sorting *s = job;
  for (int64_t slice = range.first; slice < range.last; ++slice) {
    int64_t *counts = s->radix->counts + slice * digits_of(s);
    memset(counts, 0, (size_t)digits_of(s) * sizeof *counts);
    for (int64_t i = slice_at(s, slice); i < slice_at(s, slice + 1); ++i)
      ++counts[s->radix->key[i] >> s->shift];
  }
}

/* Replaces counts by offsets: digit by digit, and within each the slices in their order. */
static void add_up(const sorting *s) {
  int64_t sum = 0;
  for (int64_t digit = 0; digit < digits_of(s); ++digit)
    for (int64_t slice = 0; slice < s->slices; ++slice) {
      int64_t *count = s->radix->counts + slice * digits_of(s) + digit;
      const int64_t here = *count;
      *count = sum;
      sum += here;
    }
}

/* Moves the pairs of a range of slices to the offsets of their digits. */
static void move_slices(void *job, gg_range range) {
  const sorting *s = job;
  const gg_radix *radix = s->radix;
  for (int64_t slice = range.first; slice < range.last; ++slice)
    move_digits((pairs){radix->key, radix->value}, (pairs){radix->other_key, radix->other_value},
                slice_at(s, slice), slice_at(s, slice + 1), s->shift, (uint64_t)digits_of(s) - 1,
                radix->counts + slice * digits_of(s));
}

/* Sorts each digit's keys, which end at the last slice's offset. */
static void sort_digits(void *job, gg_range range) {
  const sorting *s = job;
  const gg_radix *radix = s->radix;
  const int64_t *ends = radix->counts + (s->slices - 1) * digits_of(s);
  const pairs sorted = {radix->other_key, radix->other_value}, room = {radix->key, radix->value};
  for (int64_t digit = range.first; digit < range.last; ++digit) {
    const int64_t first = digit > 0 ? ends[digit - 1] : 0;
    const pairs part = pairs_from(sorted, first);
    sort_part(part, part, pairs_from(room, first), ends[digit] - first, s->shift);
  }
}

/* Exchanges the pairs with the other array, which has the sorted ones. */
static void swap(gg_radix *radix) {
  const gg_radix old = *radix;
  radix->key = old.other_key;
  radix->value = old.other_value;
  radix->other_key = old.key;
  radix->other_value = old.value;
}

/* Runs work for all slices. Returns false if it was interrupted. */
static bool each_slice(sorting *s, void (*work)(void *job, gg_range range)) {
  return gg_parallel_for(&(gg_loop){.threads = (int32_t)s->slices,
                                    .count = s->slices,
                                    .grain = 1,
                                    .work = work,
                                    .job = s,
                                    .clock = s->radix->clock,
                                    .from_both_ends = true});
}

bool gg_radix_sort(gg_radix *radix, int64_t n, int bits, int32_t threads) {
  sorting s = {.radix = radix, .n = n, .slices = most_slices(n, threads)};
  while (s.digit < FIRST_DIGIT && s.digit < bits && (int64_t)(2 * KEYS) << s.digit <= n)
    ++s.digit;
  if (bits == 64 && s.digit == 0) s.digit = 1; /* 64 bits cannot be shifted out at once */
  s.shift = bits - s.digit;
  if (!each_slice(&s, count_slices)) return false;
  add_up(&s);
  if (!each_slice(&s, move_slices)) return false;
  const gg_loop digits = {.threads = n < SLICE ? 1 : threads,
                          .count = digits_of(&s),
                          .grain = digits_of(&s) / (8 * (int64_t)threads),
                          .work = sort_digits,
                          .job = &s,
                          .clock = radix->clock,
                          .from_both_ends = true};
  if (!gg_parallel_for(&digits)) return false;
  swap(radix);
  return true;
}
