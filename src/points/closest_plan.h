/* The plan and the result of closest pairs, between the core and a backend. */
#ifndef GG_CLOSEST_PLAN_H
#define GG_CLOSEST_PLAN_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "gpugeo.h"
#include "points/point_step.h"

GG_C_BEGIN

/* A pair found: rows, and the squared distance by gg_point_square(). */
typedef struct gg_closest_pair {
  gg_square square;
  int64_t i, j; /* rows of x, i < j; between sets a row of x and one of y */
} gg_closest_pair;

/* True if a comes before b in the results. */
GG_POINT bool gg_closest_before(const gg_closest_pair *a, const gg_closest_pair *b) {
  if (!gg_square_equal(a->square, b->square)) return gg_square_less(a->square, b->square);
  return a->i != b->i ? a->i < b->i : a->j < b->j;
}

/* A job with all arguments checked except the coordinates: the backend finds the ranges of x and
   of y, on a device if the points are there, and calls gg_closest_rule(). */
typedef struct gg_closest_plan {
  gpugeo_matrix x, y; /* y is x within */
  bool within, sphere;
  const double *box; /* one length a column, or NULL */
  int64_t k;         /* at least 1, at most the number of pairs */
  bool distinct;     /* pairs whose square is 0 don't count */
  gpugeo_closest_algorithm algorithm;
  int32_t threads;
  int32_t device;
  int64_t work_bytes; /* 0: the backend's default */
} gg_closest_plan;

typedef struct gg_closest_result {
  gg_point_rule rule;     /* of the squares */
  gg_closest_pair *pairs; /* room for k, from the core; in order */
  int64_t found;          /* of them; less than k only with distinct */
  int64_t ties;           /* pairs that share the smallest square; 0 when none was found */
} gg_closest_result;

GG_C_END

#endif
