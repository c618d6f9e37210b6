/*
 * The plans of one-dimensional distance geometry, from the core to a backend. Backends compute with
 * whole numbers only: the distances in units whose size and error the core knows.
 */
#ifndef GG_DGP_PLAN_H
#define GG_DGP_PLAN_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/clock.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Rows wanted: those with low <= sum of s_j d_j <= high, s_j = 1 where bit j of the row is set and
   -1 elsewhere. */
typedef struct gg_dgp_window {
  int64_t low, high;    /* none when low > high; any size below 2^62 */
  int64_t capacity;     /* rows that there is room for; 0: count only */
  gpugeo_uint128 *rows; /* filled: min(count, capacity) of the rows, each once, in any order */
  gpugeo_uint128 count; /* filled: how many there are, exactly */
} gg_dgp_window;

enum { GG_DGP_WINDOWS = 3 }; /* at most */

/* A job with all arguments checked. The same windows must be filled alike (but for which rows are
   kept where there are more than room for) by every algorithm and backend. */
typedef struct gg_dgp_plan {
  gpugeo_dgp_algorithm algorithm; /* not AUTO */
  int32_t n;                      /* 1 to GPUGEO_DGP_DISTANCES_MAX */
  const int64_t *d;               /* n of at least 0; their sum is at most 2^61 */
  gg_dgp_window *windows;
  int32_t window_count;
  bool prune;         /* branch-and-prune: cut what can reach no window */
  int32_t threads;    /* at least 1 */
  int32_t device;     /* CUDA device, from 0 */
  int64_t work_bytes; /* 0: the backend's default */
} gg_dgp_plan;

/* All 2^n sums of whole numbers d 2^exponent, rounded once by gg_superaccumulator_double() (see
 * superaccumulator.h). */
typedef struct gg_dgp_sums_plan {
  int32_t n;         /* 1 to 30 */
  int32_t words;     /* of a distance and a sum, 1 to GG_FIXED_WORDS; nearly always 1 */
  const uint64_t *d; /* n by words, each of at least 0 */
  int32_t exponent;  /* -1074 or more; with one word (double)sum * 2^exponent is the same */
  double *sums;      /* 2^n, filled */
  int32_t threads, device;
  int64_t work_bytes;
} gg_dgp_sums_plan;

GG_C_END

#endif
