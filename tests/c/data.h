/* Made-up points for the tests. */
#ifndef DATA_H
#define DATA_H

#include <stdint.h>

#include "gpugeo.h"

/* Repeatable random numbers. */
typedef struct dice {
  uint64_t state;
} dice;

/* A whole number in [0, most]. */
int64_t dice_whole(dice *d, int64_t most);

/* Uniform in [-1, 1). */
double dice_real(dice *d);

typedef enum data_kind {
  DATA_RANDOM,     /* reals */
  DATA_TIED,       /* few different whole numbers, some negative */
  DATA_COUNTS,     /* whole numbers from 0, mostly 0 */
  DATA_COINCIDENT, /* three different points, repeated */
  DATA_CONSTANT,   /* every other point has equal coordinates */
  DATA_NEAR,       /* 1e9 and little more, all differences exact */
  DATA_HUGE,       /* about 1e200: squares overflow */
  DATA_DENORMAL,   /* a few times the smallest double */
  DATA_MISSING,    /* reals, some NaN; the first point has nothing else */
  DATA_WHOLE,      /* whole numbers, some missing */
  DATA_INFINITE,   /* small whole numbers, some NaN, some infinite of both signs */
  DATA_ENDLESS,    /* the same without NaN */
  DATA_KINDS
} data_kind;

const char *data_name(data_kind kind);

/* n points of m coordinates each, row-major: point i has the m values from i * m on. To be freed.
 */
double *data_points(data_kind kind, int64_t n, int64_t m, uint64_t seed);

/* True if all values of a kind fit the storage. */
int data_fits(data_kind kind, gpugeo_type type);

/* A view of such points in the storage and orientation asked for, with `extra` unused elements (all
   NaN) after each column. data is allocated to the last byte, to be freed. */
gpugeo_matrix data_matrix(const double *points, int64_t n, int64_t m, gpugeo_type type,
                          gpugeo_points orientation, int64_t extra);

/* A sparse copy of a dense matrix: every `zeros`-th element that is 0 is stored, too; 0:
   none of them. It must stay where it is. To be freed by data_sparse_free(). */
typedef struct data_sparse {
  gpugeo_matrix matrix;
  gpugeo_sparse sparse;
  void *start, *index, *data;
} data_sparse;
void data_sparse_make(const gpugeo_matrix *dense, int by_rows, int32_t index_bytes, int64_t zeros,
                      data_sparse *made);
void data_sparse_free(data_sparse *made);

/* The condensed distances of points, by gpugeo_dist(). To be freed. */
double *data_condensed(const char *name, const gpugeo_matrix *x,
                       const gpugeo_metric_options *metric, gpugeo_points points);

/* Rounds the points to float in place. */
void data_round(double *points, int64_t count);

#endif
