/* Sparse matrices, as gpugeo.h describes them. */
#ifndef GG_SPARSE_H
#define GG_SPARSE_H

#include "common/c_linkage.h"
#include "common/matrix.h"

GG_C_BEGIN

/* Checks the structure of an argument's sparse matrix. */
gpugeo_status gg_sparse_check(const char *argument, const gpugeo_matrix *x, gpugeo_error *error);

/* Returns an element, stored or not. */
double gg_sparse_element(const gpugeo_matrix *x, int64_t row, int64_t column);

/* Returns an element of a matrix that is dense or sparse. */
static inline double gg_any_element(const gpugeo_matrix *x, int64_t row, int64_t column) {
  return x->sparse ? gg_sparse_element(x, row, column) : gg_element(x, row, column);
}

/* Returns coordinate k of point i of a matrix that is dense or sparse. */
static inline double gg_any_coordinate(const gpugeo_matrix *x, gpugeo_points points, int64_t i,
                                       int64_t k) {
  return points == GPUGEO_POINTS_ROWS ? gg_any_element(x, i, k) : gg_any_element(x, k, i);
}

/* Part of the points of a matrix: the first point and their number, and of their coordinates. */
typedef struct gg_block {
  int64_t point, points, coordinate, coordinates;
} gg_block;

/* Writes a block of points to z[k * step + i * stride], coordinate k and point i counted from the
   first ones of the block. */
void gg_sparse_load(const gpugeo_matrix *x, gpugeo_points points, gg_block block, int64_t step,
                    int64_t stride, double *z);

/* The points [first, first + count) of a sparse matrix. Their stored elements are in slices: one
   for each point if the matrix is compressed by its points, or else one for each coordinate. */
typedef struct gg_sparse_part {
  const gpugeo_matrix *x;
  gpugeo_points points;
  int64_t first, count;
} gg_sparse_part;

/* An element of a part: its value, its point, counted from the part's first one, and its
   coordinate. */
typedef struct gg_sparse_entry {
  double value;
  uint32_t point, coordinate;
} gg_sparse_entry;

/* Returns the number of slices. */
int64_t gg_sparse_part_slices(const gg_sparse_part *part);

/* Finds the part's elements of a slice: numbers [*begin, *end) of those that x stores. */
void gg_sparse_part_find(const gg_sparse_part *part, int64_t slice, int64_t *begin, int64_t *end);

/* Copies elements [begin, end), which belong to a slice of the part. */
void gg_sparse_part_copy(const gg_sparse_part *part, int64_t slice, int64_t begin, int64_t end,
                         gg_sparse_entry *to);

/* Returns a dense view, of one column, of the stored elements. */
gpugeo_matrix gg_sparse_values(const gpugeo_matrix *x);

/* Sets incomplete[i] to 1 for each row i with a missing element. */
void gg_sparse_mark_incomplete(const gpugeo_matrix *x, unsigned char *incomplete);

/* Some rows of a sparse matrix, compressed as it is, with the memory they take. `matrix` points to
   `sparse`: a copy of the struct must not be used. */
typedef struct gg_sparse_copy {
  gpugeo_matrix matrix;
  gpugeo_sparse sparse;
  int64_t *start, *index;
  double *data;
} gg_sparse_copy;

/* Copies the rows that are not marked, of which there are `kept`. To be freed also after a
   failure. */
gpugeo_status gg_sparse_copy_rows(const gpugeo_matrix *x, const unsigned char *incomplete,
                                  int64_t kept, gg_sparse_copy *copy, gpugeo_error *error);
void gg_sparse_free(gg_sparse_copy *copy);

GG_C_END

#endif
