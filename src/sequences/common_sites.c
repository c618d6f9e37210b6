/*
 * Counts of pairs of near relatives, such as genomes of one virus. With a common sequence z, a
 * count of the pair (x, y) is that of (x, z) plus (z, y) less (z, z), and for each word in which
 * both x and y differ from z, the count of its 64 sites in (x, y) plus (z, z) less (x, z) and (z,
 * y): where x or y equals z, that is 0. This is true for any z, so counts are exact. z has the base
 * of most of SAMPLE sequences at each site.
 *
 * Cost: n L to find the words, and for each pair one step for each word in which both differ.
 */
#include "sequences/common_sites.h"

#include <string.h>

#include "common/memory.h"

enum {
  SAMPLE = 15,
  LEAST_SEQUENCES = 32,
  LEAST_WORDS = 64, /* below, all words are counted */
  /* A differing word takes as long as so many words of count_block(): 1.7 and 0.12 ns for
     GG_COUNT_KNOWN, 5 and 0.35 ns for GG_COUNT_CHANGES. */
  WORD_COST = 16
};

/* Returns the bits that are 1 in more than half of SAMPLE sequences, of a word of a plane. */
static uint64_t majority_of(const gg_site_planes *planes, int64_t word) {
  uint64_t digits[4] = {0};
  for (int64_t s = 0; s < SAMPLE; ++s) {
    uint64_t carry = gg_site_planes_of(planes, s * planes->count / SAMPLE)[word];
    for (int d = 0; d < 4; ++d) {
      const uint64_t both = digits[d] & carry;
      digits[d] ^= carry;
      carry = both;
    }
  }
  return digits[3]; /* 8 or more */
}

/* Calls work(c, i, w) for each word w in which sequence i differs from the common one, in order. */
static gpugeo_status visit_words(gg_common_sites *c,
                                 void (*work)(gg_common_sites *, int64_t, int64_t), gg_call *call) {
  const int64_t words = c->planes->words;
  const uint64_t *z = c->common;
  for (int64_t i = 0; i < c->planes->count && !gg_call_poll(call, 0.2); ++i) {
    const uint64_t *x = gg_site_planes_of(c->planes, i);
    for (int64_t w = 0; w < words; ++w)
      if ((x[w] ^ z[w]) | (x[w + words] ^ z[w + words]) | (x[w + 2 * words] ^ z[w + 2 * words]))
        work(c, i, w);
  }
  return call->status;
}

/* Counts a word in the lists of its panel and of its sequence. */
static void count_word(gg_common_sites *c, int64_t i, int64_t w) {
  ++c->list[w * c->panels + i / GG_COMMON_SIDE];
  ++c->first[i];
}

/* Writes a word to the ends of both lists. */
static void write_word(gg_common_sites *c, int64_t i, int64_t w) {
  const uint64_t *x = gg_site_planes_of(c->planes, i) + w;
  const int64_t to = c->list[w * c->panels + i / GG_COMMON_SIDE]++;
  for (int p = 0; p < GG_PLANES; ++p)
    c->bits[p * c->stride + to] = x[p * c->planes->words];
  c->at[to] = (uint8_t)(i % GG_COMMON_SIDE);
  c->place[c->first[i]++] = (int32_t)w;
}

/* Turns numbers into the sums of those before, and returns the sum of all. */
static int64_t sum_up(int64_t *numbers, int64_t count) {
  int64_t sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t number = numbers[k];
    numbers[k] = sum;
    sum += number;
  }
  return sum;
}

/* Turns the ends of lists into their beginnings again: each begins where the one before ends. */
static void restore_starts(int64_t *ends, int64_t count) {
  memmove(ends + 1, ends, (size_t)count * sizeof *ends);
  ends[0] = 0;
}

/* True if the steps for differing words of all pairs take less time than all words. */
static bool is_faster(const gg_common_sites *c) {
  const double n = (double)c->planes->count, words = (double)c->planes->words;
  double steps = 0;
  for (int64_t w = 0; w < c->planes->words; ++w) {
    double count = 0;
    for (int64_t p = 0; p < c->panels; ++p)
      count += (double)c->list[w * c->panels + p];
    steps += count * count;
  }
  return WORD_COST * steps < n * n * (words - LEAST_WORDS);
}

/* Counts a pair of sequences. */
static void count_pair(const gg_common_sites *c, const uint64_t *a, const uint64_t *b,
                       int64_t *counts) {
  const uint64_t *rows[] = {a, a, a, a}, *columns[] = {b, b, b, b};
  const int64_t words = c->planes->words, each = c->sites->counts;
  int64_t of_block[GG_BLOCK_SIDE * GG_BLOCK_SIDE * GG_COUNTS_MAX] = {0};
  c->sites->block(&(gg_pair_block){rows, columns, words, words, of_block, each * GG_BLOCK_SIDE});
  memcpy(counts, of_block, (size_t)each * sizeof *counts);
}

/* Counts each sequence and the common one, in both orders; less the common one with itself. */
static void count_with_common(gg_common_sites *c) {
  const int each = c->sites->counts;
  int64_t alone[GG_COUNTS_MAX];
  count_pair(c, c->common, c->common, alone);
  for (int64_t i = 0; i < c->planes->count; ++i) {
    const uint64_t *x = gg_site_planes_of(c->planes, i);
    count_pair(c, x, c->common, c->from_row + i * each);
    count_pair(c, c->common, x, c->from_column + i * each);
    for (int k = 0; k < each; ++k)
      c->from_row[i * each + k] -= alone[k];
  }
}

/* Lists the words that differ, after they have been counted. */
static gpugeo_status list_words(gg_common_sites *c, gg_call *call) {
  const int64_t n = c->planes->count, lists = c->panels * c->planes->words;
  const int64_t words = sum_up(c->list, lists + 1);
  sum_up(c->first, n + 1);
  c->stride = words + GG_LIST_WORDS;
  c->bits = gg_call_allocate(call, GG_PLANES * c->stride, sizeof *c->bits);
  c->at = gg_call_allocate(call, words + 1, sizeof *c->at);
  c->place = gg_call_allocate(call, words + 1, sizeof *c->place);
  c->from_row = gg_call_allocate(call, n * c->sites->counts, sizeof *c->from_row);
  c->from_column = gg_call_allocate(call, n * c->sites->counts, sizeof *c->from_column);
  if (call->status || visit_words(c, write_word, call)) return call->status;
  restore_starts(c->list, lists);
  restore_starts(c->first, n);
  count_with_common(c);
  return GPUGEO_OK;
}

/* Returns so many numbers that are 0, or NULL if the call has failed. */
static int64_t *allocate_zeros(gg_call *call, int64_t count) {
  int64_t *numbers = gg_call_allocate(call, count, sizeof *numbers);
  if (numbers) memset(numbers, 0, (size_t)count * sizeof *numbers);
  return numbers;
}

bool gg_common_sites_find(const gg_site_planes *planes, const gg_count_sites *sites,
                          gg_common_sites *c, gg_call *call) {
  *c = (gg_common_sites){.planes = planes, .sites = sites};
  if (call->status || planes->words <= LEAST_WORDS || planes->words > INT32_MAX ||
      planes->count < LEAST_SEQUENCES)
    return false;
  c->panels = (planes->count + GG_COMMON_SIDE - 1) / GG_COMMON_SIDE;
  c->common = gg_call_allocate(call, GG_PLANES * planes->words, sizeof *c->common);
  c->list = allocate_zeros(call, c->panels * planes->words + 1);
  c->first = allocate_zeros(call, planes->count + 1);
  if (call->status) return false;
  for (int64_t w = 0; w < GG_PLANES * planes->words; ++w)
    c->common[w] = majority_of(planes, w);
  return !visit_words(c, count_word, call) && is_faster(c) && !list_words(c, call);
}

void gg_common_sites_free(gg_common_sites *c) {
  gg_free(c->common);
  gg_free(c->list);
  gg_free(c->bits);
  gg_free(c->at);
  gg_free(c->first);
  gg_free(c->place);
  gg_free(c->from_row);
  gg_free(c->from_column);
}

/* Adds to the counts of a row the words in which it and sequences of a panel differ. */
static void add_words(const gg_common_sites *c, int64_t row, int64_t panel, int64_t *counts) {
  const int64_t words = c->planes->words;
  for (int64_t p = c->first[row]; p < c->first[row + 1]; ++p) {
    const int64_t w = c->place[p], *list = c->list + w * c->panels + panel;
    if (list[0] == list[1]) continue;
    const uint64_t *x = gg_site_planes_of(c->planes, row) + w, *z = c->common + w;
    const gg_word_list some = {c->bits + list[0], c->stride, list[1] - list[0], c->at + list[0]};
    c->sites->list((const uint64_t[]){x[0], x[words], x[2 * words]},
                   (const uint64_t[]){z[0], z[words], z[2 * words]}, &some, counts);
  }
}

void gg_common_sites_count(const gg_common_sites *c, int64_t row, int rows, int64_t column,
                           int columns, int64_t *counts) {
  const int each = c->sites->counts;
  for (int r = 0; r < rows; ++r) {
    const int64_t *of_row = c->from_row + (row + r) * each;
    const int64_t *of_column = c->from_column + column * each;
    int64_t *to = counts + (int64_t)r * GG_COMMON_SIDE * each;
    for (int k = 0; k < columns * each; ++k)
      to[k] = of_row[k % each] + of_column[k];
    add_words(c, row + r, column / GG_COMMON_SIDE, to);
  }
}
