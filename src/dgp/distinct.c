#include "dgp/distinct.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/superaccumulator.h"
#include "common/uint128.h"

/* Elements between two polls of the hooks. */
enum { POLL = 1 << 16 };

/* Maximum number of signs of a half, with which at most 2^64 rows share a sum. */
enum { HALF = 64 };

/* Distances in the order in which they are added, and how they are divided: the first half, the
   second, and those whose signs are fixed in turn. */
typedef struct shares {
  int order[GPUGEO_DGP_DISTANCES_MAX];
  int first, second; /* how many each has */
  int zeros;         /* distances of 0, in none of them: each doubles the count */
  double sums[2];    /* most distinct sums of a half */
  double steps;      /* merged elements, without the fixed signs */
} shares;

/* A list of distinct sums, ascending. */
typedef struct list {
  int64_t size;
  uint64_t *value; /* size by words */
  uint64_t *times; /* rows that have it */
} list;

/* Returns distance j. */
static const uint64_t *distance(const uint64_t *d, int words, int j) {
  return d + (int64_t)j * words;
}

/* Returns an exact number as a double, rounded. */
static double approximately(const uint64_t *a, int words) {
  double value = 0;
  for (int w = words - 1; w >= 0; --w)
    value = value * 18446744073709551616.0 + (double)a[w];
  return value;
}

/* --- planning --------------------------------------------------------------------------------- */

/* Bounds on the distinct sums of a growing set whose equal distances come one after another: by the
   product of (multiplicity + 1), and by the number of whole numbers in the range of the sums. */
typedef struct bound {
  double before, equal; /* product without the last group, and that group's size */
  double range;         /* sum of the distances: sums have one parity, so there are range + 1 */
} bound;

/* Returns a bound on the number of different sums. */
static double bound_sums(const bound *b) {
  const double product = b->before * (b->equal + 1);
  return product < b->range + 1 ? product : b->range + 1;
}

/* Adds a distance to the bound; `same` if it equals the one before. */
static void bound_add(bound *b, double value, bool same) {
  if (same) {
    ++b->equal;
  } else {
    b->before *= b->equal + 1;
    b->equal = 1;
  }
  b->range += value;
}

static const bound bound_empty = {1, 0, 0};

/* Sorts the nonzero distances in ascending order. */
static int sort_distances(shares *s, const uint64_t *d, int n, int words) {
  int kept = 0;
  s->zeros = 0;
  for (int j = 0; j < n; ++j) {
    bool zero = true;
    for (int w = 0; w < words; ++w)
      zero = zero && distance(d, words, j)[w] == 0;
    if (zero) {
      ++s->zeros;
      continue;
    }
    int at = kept++;
    for (; at > 0 && gg_superaccumulator_compare(distance(d, words, s->order[at - 1]),
                                                 distance(d, words, j), words) > 0;
         --at)
      s->order[at] = s->order[at - 1];
    s->order[at] = j;
  }
  return kept;
}

/* Divides the distances into halves with about equally many sums, and fixes so many signs that
   both lists together have at most `most` distinct sums. */
static void share_out(shares *s, const uint64_t *d, int n, int words, double most) {
  const int kept = sort_distances(s, d, n, words);
  double values[GPUGEO_DGP_DISTANCES_MAX];
  bool same[GPUGEO_DGP_DISTANCES_MAX];
  for (int i = 0; i < kept; ++i) {
    const uint64_t *value = distance(d, words, s->order[i]);
    values[i] = approximately(value, words);
    same[i] = i > 0 &&
              gg_superaccumulator_compare(distance(d, words, s->order[i - 1]), value, words) == 0;
  }
  for (int fixed = 0;; ++fixed) {
    bound ends[2] = {bound_empty, bound_empty};
    int left = 0, right = kept - fixed;
    s->steps = 0;
    /* From both ends to the middle: the half with fewer sums is extended. */
    while (left < right) {
      const bool fewer = bound_sums(&ends[0]) <= bound_sums(&ends[1]);
      const bool low = left < HALF && (fewer || kept - fixed - right == HALF);
      if (low) {
        bound_add(&ends[0], values[left], left > 0 && same[left]);
        ++left;
      } else {
        --right;
        bound_add(&ends[1], values[right], right + 1 < kept - fixed && same[right + 1]);
      }
      s->steps += bound_sums(&ends[low ? 0 : 1]);
    }
    s->first = left;
    s->second = kept - fixed - left;
    s->sums[0] = bound_sums(&ends[0]);
    s->sums[1] = bound_sums(&ends[1]);
    if (s->sums[0] + s->sums[1] <= most || fixed >= kept - 2) break;
  }
  for (int i = s->first + s->second; i < kept; ++i)
    s->steps *= 2;
}

/* Returns the distinct sums that lists of so many bytes can have: a list, the one it is made
   from, and the other. */
static double room(int words, int64_t bytes) { return (double)bytes / (2.0 * 8 * (words + 1)); }

double gg_dgp_distinct_steps(const uint64_t *d, int n, int words, int64_t bytes) {
  shares s;
  share_out(&s, d, n, words, room(words, bytes));
  return s.steps;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Frees a list of sums. */
static void free_list(list *l) {
  gg_free(l->value);
  gg_free(l->times);
  *l = (list){0};
}

/* Allocates a list of sums. */
static gpugeo_status make_room(list *l, int64_t size, int words, gg_call *call) {
  if (call->status) return call->status;
  l->value = gg_allocate(size, words * (int64_t)sizeof *l->value);
  l->times = gg_allocate(size, sizeof *l->times);
  if (l->value && l->times) {
    gg_prefer_huge_pages(l->value, size * words * (int64_t)sizeof *l->value);
    gg_prefer_huge_pages(l->times, size * (int64_t)sizeof *l->times);
    return GPUGEO_OK;
  }
  free_list(l);
  return call->status = gg_fail_memory(call->error, size * (words + 1) * (int64_t)sizeof *l->value);
}

/* Computes to = from - d merged with from + d and joins equal sums. Compiled once for one word,
   and once for any number. */
static inline __attribute__((always_inline)) void merge_words(const list *from, const uint64_t *d,
                                                              list *to, int words, gg_call *call) {
  int64_t minus = 0, plus = 0, size = 0;
  uint64_t next[2][GG_FIXED_WORDS];
  for (int w = 0; w < words; ++w)
    next[0][w] = next[1][w] = from->value[w];
  gg_superaccumulator_add(next[0], d, words, true);
  gg_superaccumulator_add(next[1], d, words, false);
  while (plus < from->size) {
    if (size % POLL == 0 && gg_call_poll(call, 0)) return;
    const int order =
        minus == from->size ? 1 : gg_superaccumulator_compare(next[0], next[1], words);
    uint64_t times = 0;
    for (int w = 0; w < words; ++w)
      to->value[size * words + w] = next[order > 0][w];
    if (order <= 0) {
      times = from->times[minus++];
      if (minus < from->size) {
        for (int w = 0; w < words; ++w)
          next[0][w] = from->value[minus * words + w];
        gg_superaccumulator_add(next[0], d, words, true);
      }
    }
    if (order >= 0) {
      times += from->times[plus++];
      if (plus < from->size) {
        for (int w = 0; w < words; ++w)
          next[1][w] = from->value[plus * words + w];
        gg_superaccumulator_add(next[1], d, words, false);
      }
    }
    to->times[size++] = times;
  }
  to->size = size;
}

/* Merges a list with itself, moved by a distance. */
static void merge_shifted(const list *from, const uint64_t *d, list *to, int words, gg_call *call) {
  if (words == 1)
    merge_words(from, d, to, 1, call);
  else
    merge_words(from, d, to, words, call);
}

/* Makes the list of all distinct sums, at most `most`, of `count` distances in the given order. */
static gpugeo_status make_list(const uint64_t *d, int words, const int *order, int count,
                               double most, list *made, gg_call *call) {
  list l = {0}, next = {0};
  if (make_room(&l, 1, words, call)) return call->status;
  memset(l.value, 0, (size_t)words * sizeof *l.value);
  l.times[0] = 1;
  l.size = 1;
  for (int i = 0; !call->status && i < count; ++i) {
    const double twice = 2.0 * (double)l.size;
    if (make_room(&next, (int64_t)(twice < most ? twice : most), words, call)) break;
    merge_shifted(&l, distance(d, words, order[i]), &next, words, call);
    free_list(&l);
    l = next;
    next = (list){0};
  }
  if (call->status)
    free_list(&l);
  else
    *made = l;
  return call->status;
}

/* --- counting --------------------------------------------------------------------------------- */

/* The number of b <= bound - a for increasing a: `at` elements of b remain, with so many rows. */
typedef struct reach {
  int64_t at;
  gpugeo_uint128 rows;
} reach;

/* Moves the reach down to the elements that fit with a larger a. */
static void fall_back(reach *r, const list *b, const uint64_t *a, const uint64_t *bound, bool below,
                      int words) {
  uint64_t gap[GG_FIXED_WORDS];
  memcpy(gap, bound, (size_t)words * sizeof *gap);
  gg_superaccumulator_add(gap, a, words, true);
  while (r->at > 0) {
    const int order = gg_superaccumulator_compare(b->value + (r->at - 1) * words, gap, words);
    if (below ? order < 0 : order <= 0) break;
    --r->at;
    r->rows = gg_uint128_subtract(r->rows, gg_uint128_make(b->times[r->at], 0));
  }
}

/* Adds to count the pairs of a sum of each of two lists with low <= sum <= high. */
static void count_pairs(const list *half, const uint64_t *low, const uint64_t *high, int words,
                        double done, gpugeo_uint128 *count, gg_call *call) {
  const list *a = &half[0], *b = &half[1];
  reach under = {b->size, {0, 0}}, within;
  for (int64_t i = 0; i < b->size; ++i)
    under.rows = gg_uint128_add(under.rows, gg_uint128_make(b->times[i], 0));
  within = under;
  for (int64_t i = 0; i < a->size && within.at > 0; ++i) {
    if (i % POLL == 0 && gg_call_poll(call, done)) return;
    const uint64_t *value = a->value + i * words;
    fall_back(&within, b, value, high, false, words);
    fall_back(&under, b, value, low, true, words);
    const gpugeo_uint128 rows = gg_uint128_subtract(within.rows, under.rows);
    *count = gg_uint128_add(*count, gg_uint128_multiply(rows, gg_uint128_make(a->times[i], 0)));
  }
}

/* Counts for all choices of the fixed signs, each of which shifts the window. */
static gpugeo_status count_fixed(const gg_dgp_distinct *what, const shares *s, const list *half,
                                 gpugeo_uint128 *count, gg_call *call) {
  const int words = what->words, fixed = what->n - s->zeros - s->first - s->second;
  const int64_t choices = (int64_t)1 << fixed;
  for (int64_t choice = 0; choice < choices && !call->status; ++choice) {
    uint64_t shifted_low[GG_FIXED_WORDS], shifted_high[GG_FIXED_WORDS];
    memcpy(shifted_low, what->low, (size_t)words * sizeof *what->low);
    memcpy(shifted_high, what->high, (size_t)words * sizeof *what->high);
    for (int i = 0; i < fixed; ++i) {
      const uint64_t *value = distance(what->d, words, s->order[s->first + s->second + i]);
      gg_superaccumulator_add(shifted_low, value, words, choice >> i & 1);
      gg_superaccumulator_add(shifted_high, value, words, choice >> i & 1);
    }
    count_pairs(half, shifted_low, shifted_high, words, (double)choice / (double)choices, count,
                call);
  }
  return call->status;
}

gpugeo_status gg_dgp_distinct_count(const gg_dgp_distinct *what, gpugeo_uint128 *count,
                                    gg_call *call) {
  const uint64_t *d = what->d;
  const int words = what->words;
  *count = gg_uint128_make(0, 0);
  if (gg_superaccumulator_compare(what->low, what->high, words) > 0) return call->status;
  shares s;
  share_out(&s, d, what->n, words, room(words, what->bytes));
  list half[2] = {{0}, {0}};
  make_list(d, words, s.order, s.first, s.sums[0], &half[0], call);
  make_list(d, words, s.order + s.first, s.second, s.sums[1], &half[1], call);
  count_fixed(what, &s, half, count, call);
  free_list(&half[0]);
  free_list(&half[1]);
  *count = gg_uint128_shift(*count, s.zeros);
  return call->status;
}
