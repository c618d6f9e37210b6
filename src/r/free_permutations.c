/*
 * Free permutations from R's generator of random numbers.
 *
 * Limit: the numbers depend on each other, so one thread draws them. R_unif_index() took 25 ns
 * for a number below 25,145. R's default generator, the Mersenne Twister, is therefore computed
 * here (twister.h). Permutations of the numbers drawn are then made by all threads.
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
#include "twister.h"

/* Numbers that are drawn between polls of the hooks: 2 ms, or 25 ms by R_unif_index(). */
enum { BATCH_NUMBERS = 1 << 20 };

/* Kinds of generators, and words that were taken: of .Random.seed, before the words. */
enum { HEAD = 2 };

/* True if .Random.seed is that of the twister, and whole numbers are drawn by rejection. */
static bool is_twister(SEXP seed) {
  if (TYPEOF(seed) != INTSXP || XLENGTH(seed) != HEAD + GG_R_TWISTER_WORDS) return false;
  const int kinds = INTEGER_RO(seed)[0], taken = INTEGER_RO(seed)[1];
  return kinds % 100 == MERSENNE_TWISTER && kinds / 10000 == REJECTION && taken >= 0 &&
         taken <= GG_R_TWISTER_WORDS;
}

/* Returns the Mersenne Twister of R's seed. */
static gg_r_twister read_twister(SEXP seed) {
  const int taken = INTEGER_RO(seed)[1];
  gg_r_twister numbers = {.count = GG_R_TWISTER_WORDS - taken};
  memcpy(numbers.word, INTEGER_RO(seed) + HEAD, sizeof numbers.word);
  gg_r_twister_temper(numbers.word + taken, numbers.count, numbers.half);
  return numbers;
}

/* Writes the Mersenne Twister to R's seed. */
static void write_twister(const gg_r_twister *numbers, int kinds) {
  SEXP seed = PROTECT(Rf_allocVector(INTSXP, HEAD + GG_R_TWISTER_WORDS));
  INTEGER(seed)[0] = kinds;
  INTEGER(seed)[1] = GG_R_TWISTER_WORDS - (numbers->count - numbers->at);
  memcpy(INTEGER(seed) + HEAD, numbers->word, sizeof numbers->word);
  Rf_defineVar(Rf_install(".Random.seed"), seed, R_GlobalEnv);
  UNPROTECT(1);
}

/* --- Permutations ----------------------------------------------------------------------------- */

/* Draws for each permutation numbers below n, n - 1, ..., 1. */
static void draw_numbers(int64_t n, int64_t permutations, int32_t *drawn) {
  GetRNGstate(); /* makes a valid state if there is none */
  PutRNGstate();
  SEXP seed = PROTECT(Rf_eval(Rf_install(".Random.seed"), R_GlobalEnv));
  if (is_twister(seed)) {
    gg_r_twister numbers = read_twister(seed);
    for (int64_t p = 0; p < permutations; ++p)
      gg_r_twister_draw(&numbers, (uint32_t)n, drawn + p * n);
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

/* Writes the permutation of numbers drawn: each is the rank of a number among those that are left,
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
    draw_numbers(n, here, drawn);
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
