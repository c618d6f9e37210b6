/*
 * Free permutations from R's generator of random numbers.
 *
 * Limit: the numbers depend on each other, so that one thread draws them. R_unif_index() took 25 ns
 * for a number below 25,145. R's default generator, the Mersenne Twister, is therefore computed
 * here: 1.8 ns. Permutations of the numbers drawn are then made by all threads.
 */
#include "free_permutations.h"

#include <R_ext/Random.h>
#include <string.h>

#include "common/atomic.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"

/* Numbers that are drawn between polls of the hooks: 2 ms, or 25 ms by R_unif_index(). */
enum { BATCH_NUMBERS = 1 << 20 };

/* --- Mersenne Twister ---------------------------------------------------------------------------
   Matsumoto and Nishimura (1998), ACM Transactions on Modeling and Computer Simulation 8, 3-30. R
   takes bits of the upper half of each number (sample.kind = "Rejection"). */

enum {
  WORDS = 624,
  MIDDLE = 397,
  HEAD = 2 /* of .Random.seed before the words: kinds of generators, and words that were taken */
};

typedef struct twister {
  uint32_t word[WORDS];
  uint16_t half[WORDS + 1]; /* upper halves of the numbers that follow; `at` is the next one */
  int at, count;
} twister;

/* Returns a word of the next state of the Mersenne Twister. */
static inline uint32_t twist(uint32_t word, uint32_t next, uint32_t other) {
  const uint32_t both = (word & 0x80000000u) | (next & 0x7fffffffu);
  return other ^ both >> 1 ^ (both & 1 ? 0x9908b0dfu : 0);
}

/* Writes the upper halves of numbers. The last step of tempering does not change them. */
static void temper(const uint32_t *word, int count, uint16_t *half) {
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    uint32_t number = word[i];
    number ^= number >> 11;
    number ^= number << 7 & 0x9d2c5680u;
    number ^= number << 15 & 0xefc60000u;
    half[i] = (uint16_t)(number >> 16);
  }
}

/* Makes the next words. At most one half is left, which stays. */
static void renew(twister *numbers) {
  uint32_t *word = numbers->word;
  const int wrap = WORDS - MIDDLE;
#pragma omp simd
  for (int i = 0; i < wrap; ++i)
    word[i] = twist(word[i], word[i + 1], word[i + MIDDLE]);
#pragma omp simd safelen(64)
  for (int i = wrap; i < WORDS - 1; ++i)
    word[i] = twist(word[i], word[i + 1], word[i - wrap]);
  word[WORDS - 1] = twist(word[WORDS - 1], word[0], word[MIDDLE - 1]);
  const int left = numbers->count - numbers->at;
  if (left > 0) numbers->half[0] = numbers->half[numbers->at];
  temper(word, WORDS, numbers->half + left);
  numbers->at = 0;
  numbers->count = left + WORDS;
}

/* Draws numbers below n, n - 1, ..., last + 1, all of which have so many bits: numbers that are too
   large are rejected. The one below m goes to end[-m]. */
static void draw_bits(twister *numbers, int bits, uint32_t n, uint32_t last, int32_t *end) {
  const uint32_t mask = ((uint32_t)1 << bits) - 1;
  const int halves = bits < 16 ? 1 : 2;
  while (n > last) {
    if (numbers->count - numbers->at < halves) renew(numbers);
    const int64_t tries = gg_smaller((numbers->count - numbers->at) / halves, n - last);
    const uint16_t *half = numbers->half + numbers->at;
    numbers->at += (int)tries * halves;
    for (int64_t k = 0; k < tries; ++k, half += halves) {
      const uint32_t number = ((uint32_t)half[0] << 16 | half[halves - 1]) & mask;
      end[-(int64_t)n] = (int32_t)number;
      n -= number < n;
    }
  }
}

/* Draws the numbers of sample.int(n), each below a limit that goes down from n. */
static void draw_by_twister(twister *numbers, uint32_t n, int32_t *drawn) {
  int32_t *const end = drawn + n;
  while (n > 0) {
    int bits = 0;
    while ((uint32_t)1 << bits < n)
      ++bits;
    const uint32_t last = bits > 0 ? (uint32_t)1 << (bits - 1) : 0;
    draw_bits(numbers, bits, n, last, end);
    n = last;
  }
}

/* True if .Random.seed is that of the twister, and whole numbers are drawn by rejection. */
static bool is_twister(SEXP seed) {
  if (TYPEOF(seed) != INTSXP || XLENGTH(seed) != HEAD + WORDS) return false;
  const int kinds = INTEGER_RO(seed)[0], taken = INTEGER_RO(seed)[1];
  return kinds % 100 == MERSENNE_TWISTER && kinds / 10000 == REJECTION && taken >= 0 &&
         taken <= WORDS;
}

/* Returns the Mersenne Twister of R's seed. */
static twister read_twister(SEXP seed) {
  const int taken = INTEGER_RO(seed)[1];
  twister numbers = {.count = WORDS - taken};
  memcpy(numbers.word, INTEGER_RO(seed) + HEAD, sizeof numbers.word);
  temper(numbers.word + taken, numbers.count, numbers.half);
  return numbers;
}

/* Writes the Mersenne Twister to R's seed. */
static void write_twister(const twister *numbers, int kinds) {
  SEXP seed = PROTECT(Rf_allocVector(INTSXP, HEAD + WORDS));
  INTEGER(seed)[0] = kinds;
  INTEGER(seed)[1] = WORDS - (numbers->count - numbers->at);
  memcpy(INTEGER(seed) + HEAD, numbers->word, sizeof numbers->word);
  Rf_defineVar(Rf_install(".Random.seed"), seed, R_GlobalEnv);
  UNPROTECT(1);
}

/* --- Permutations ------------------------------------------------------------------------------
 */

/* Draws for each permutation numbers below n, n - 1, ..., 1. */
static void draw(int64_t n, int64_t permutations, int32_t *drawn) {
  GetRNGstate(); /* so that there is a valid state */
  PutRNGstate();
  SEXP seed = PROTECT(Rf_eval(Rf_install(".Random.seed"), R_GlobalEnv));
  if (is_twister(seed)) {
    twister numbers = read_twister(seed);
    for (int64_t p = 0; p < permutations; ++p)
      draw_by_twister(&numbers, (uint32_t)n, drawn + p * n);
    write_twister(&numbers, INTEGER_RO(seed)[0]);
  } else {
    GetRNGstate();
    for (int64_t p = 0; p < permutations; ++p)
      for (int64_t i = 0; i < n; ++i)
        drawn[p * n + i] = (int32_t)R_unif_index((double)(n - i));
    PutRNGstate();
  }
  UNPROTECT(1);
}

typedef struct shuffle_job {
  const int32_t *drawn;
  int32_t *order;
  int64_t n;
  bool inverse;
  bool without_memory; /* a result */
} shuffle_job;

void gg_r_invert(int32_t *order, int64_t n, int32_t *room) {
  for (int64_t i = 0; i < n; ++i)
    room[order[i]] = (int32_t)i;
  memcpy(order, room, (size_t)n * sizeof *order);
}

/* Writes the permutation of numbers drawn: each is the place of a number among those that are left,
   which the last of these takes. left: room for n numbers. */
static void shuffle_once(const int32_t *drawn, int64_t n, int32_t *left, int32_t *order) {
  for (int64_t i = 0; i < n; ++i)
    left[i] = (int32_t)i;
  for (int64_t i = 0; i < n; ++i) {
    order[i] = left[drawn[i]];
    left[drawn[i]] = left[n - 1 - i];
  }
}

/* Makes the permutations of a range, or their inverses. */
static void shuffle(void *own, gg_range range) {
  shuffle_job *job = own;
  int32_t *room = gg_allocate(job->n, sizeof *room);
  if (!room) gg_atomic_store(&job->without_memory, true);
  for (int64_t p = range.first; room && p < range.last; ++p) {
    int32_t *order = job->order + p * job->n;
    shuffle_once(job->drawn + p * job->n, job->n, room, order);
    if (job->inverse) gg_r_invert(order, job->n, room);
  }
  gg_free(room);
}

gpugeo_status gg_r_free_permutations(const gpugeo_run *run, int64_t n, int64_t permutations,
                                     bool inverse, int32_t *order, gpugeo_error *error) {
  const int64_t batch = gg_larger(1, gg_smaller(BATCH_NUMBERS / n, permutations));
  int32_t *drawn = (int32_t *)R_alloc((size_t)(batch * n), sizeof *drawn);
  gg_clock clock;
  gg_clock_start(&clock, run);
  for (int64_t p = 0; p < permutations; p += batch) {
    if (gg_clock_poll(&clock, 0)) return gg_fail_interrupt(error);
    const int64_t here = gg_smaller(batch, permutations - p);
    draw(n, here, drawn);
    shuffle_job job = {.drawn = drawn, .order = order + p * n, .n = n, .inverse = inverse};
    gg_parallel_for(&(gg_loop){.threads = gg_threads_for(run->threads, 10 * (double)(here * n)),
                               .count = here,
                               .grain = 1 + 100000 / n, /* at most 0.2 ms */
                               .work = shuffle,
                               .job = &job});
    if (job.without_memory) return gg_fail_memory(error, n * (int64_t)sizeof *order);
  }
  return GPUGEO_OK;
}
