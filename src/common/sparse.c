#include "common/sparse.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

/* --- Elements --------------------------------------------------------------------------------- */

/* Returns an element of an array of integers with 4 or 8 bytes each. */
static int64_t number_at(const void *numbers, int32_t bytes, int64_t at) {
  return bytes == 4 ? ((const int32_t *)numbers)[at] : ((const int64_t *)numbers)[at];
}

/* Returns the position of a slice's first stored element. */
static int64_t start_of(const gpugeo_matrix *x, int64_t slice) {
  return number_at(x->sparse->start, x->sparse->index_bytes, slice);
}

/* Returns the index within its slice of a stored element. */
static int64_t index_of(const gpugeo_matrix *x, int64_t e) {
  return number_at(x->sparse->index, x->sparse->index_bytes, e);
}

/* Returns the value of a stored element, 1 if the matrix has no values. */
static double value_of(const gpugeo_matrix *x, int64_t e) {
  if (!x->data) return 1;
  switch (x->type) {
  case GPUGEO_TYPE_FLOAT:
    return (double)((const float *)x->data)[e];
  case GPUGEO_TYPE_INT32:
    return gg_integer_value(((const int32_t *)x->data)[e]);
  default:
    return ((const double *)x->data)[e];
  }
}

/* Returns the number of slices, which are the columns or rows by which x is compressed. */
static int64_t slice_count(const gpugeo_matrix *x) {
  return x->sparse->by_rows ? x->nrow : x->ncol;
}

/* Returns the number of elements of a slice, stored or not. */
static int64_t slice_length(const gpugeo_matrix *x) {
  return x->sparse->by_rows ? x->ncol : x->nrow;
}

/* Returns the first stored element of a slice whose index is at least `least`, or the slice's
   end. */
static int64_t find_element(const gpugeo_matrix *x, int64_t slice, int64_t least) {
  int64_t low = start_of(x, slice), high = start_of(x, slice + 1);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (index_of(x, middle) < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double gg_sparse_element(const gpugeo_matrix *x, int64_t row, int64_t column) {
  const int64_t slice = x->sparse->by_rows ? row : column;
  const int64_t index = x->sparse->by_rows ? column : row;
  const int64_t e = find_element(x, slice, index);
  return e < start_of(x, slice + 1) && index_of(x, e) == index ? value_of(x, e) : 0;
}

gpugeo_matrix gg_sparse_values(const gpugeo_matrix *x) {
  const int64_t count = x->data ? start_of(x, slice_count(x)) : 0;
  return (gpugeo_matrix){.data = x->data, .type = x->type, .nrow = count, .ncol = 1, .ld = count};
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* Checks what can be seen of a sparse matrix without reading its indices. */
static gpugeo_status check_sizes(const char *argument, const gpugeo_matrix *x,
                                 gpugeo_error *error) {
  const gpugeo_sparse *s = x->sparse;
  if (s->index_bytes != 4 && s->index_bytes != 8)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a sparse matrix with indices of 4 or 8 bytes, not %d", argument,
                   (int)s->index_bytes);
  if (x->nrow < 0 || x->ncol < 0 || s->stored < 0 || !s->start || (!s->index && s->stored > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a sparse matrix with sizes of at least 0, start and index, not "
                   "%lld x %lld, %lld elements, %s and %s",
                   argument, (long long)x->nrow, (long long)x->ncol, (long long)s->stored,
                   s->start ? "start" : "no start", s->index ? "index" : "no index");
  /* Then no number of bytes overflows, neither of all points, expanded, nor of a tile of them. */
  const double side = 0x1p48, elements = 0x1p56, rows = (double)x->nrow, columns = (double)x->ncol;
  if (rows > side || columns > side || rows * columns > elements)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be a sparse matrix with at most 2^48 rows, 2^48 columns and 2^56 "
                   "elements, stored or not, not %lld x %lld",
                   argument, (long long)x->nrow, (long long)x->ncol);
  return GPUGEO_OK;
}

/* Checks that the slices follow each other within what is stored. */
static gpugeo_status check_starts(const char *argument, const gpugeo_matrix *x,
                                  gpugeo_error *error) {
  const char *of = x->sparse->by_rows ? "row" : "column";
  int64_t before = 0;
  for (int64_t s = 0; s <= slice_count(x); ++s) {
    const int64_t start = start_of(x, s);
    if (start < before || start > x->sparse->stored || (s == 0 && start != 0))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                     "%s must be a sparse matrix whose %ss begin at increasing numbers from 0 to "
                     "%lld, but number %lld is %lld",
                     argument, of, (long long)x->sparse->stored, (long long)s + 1,
                     (long long)start);
    before = start;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_sparse_check(const char *argument, const gpugeo_matrix *x, gpugeo_error *error) {
  gpugeo_status status = check_sizes(argument, x, error);
  if (!status) status = check_starts(argument, x, error);
  const int64_t slices = status ? 0 : slice_count(x), length = slice_length(x);
  for (int64_t s = 0; s < slices; ++s) {
    int64_t before = -1;
    for (int64_t e = start_of(x, s); e < start_of(x, s + 1); ++e) {
      const int64_t index = index_of(x, e);
      if (index <= before || index >= length)
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                       "%s must be a sparse matrix with increasing %s numbers below %lld in each "
                       "%s, counted from 0, but in %s %lld number %lld follows %lld",
                       argument, x->sparse->by_rows ? "column" : "row", (long long)length,
                       x->sparse->by_rows ? "row" : "column", x->sparse->by_rows ? "row" : "column",
                       (long long)s, (long long)index, (long long)before);
      before = index;
    }
  }
  return status;
}

/* --- Expansion -------------------------------------------------------------------------------- */

/* True if each slice is a point. */
static bool by_points(const gpugeo_matrix *x, gpugeo_points points) {
  return !x->sparse->by_rows == (points == GPUGEO_POINTS_COLUMNS);
}

void gg_sparse_load(const gpugeo_matrix *x, gpugeo_points points, gg_block block, int64_t step,
                    int64_t stride, double *z) {
  for (int64_t k = 0; k < block.coordinates; ++k)
    for (int64_t i = 0; i < block.points; ++i)
      z[k * step + i * stride] = 0;
  const int64_t i0 = block.point, i1 = i0 + block.points;
  const int64_t k0 = block.coordinate, k1 = k0 + block.coordinates;
  const bool one_point = by_points(x, points); /* in a slice */
  const int64_t slice0 = one_point ? i0 : k0, slice1 = one_point ? i1 : k1;
  const int64_t index0 = one_point ? k0 : i0, index1 = one_point ? k1 : i1;
  const int64_t slice_step = one_point ? stride : step, index_step = one_point ? step : stride;
  for (int64_t s = slice0; s < slice1; ++s) {
    const int64_t end = start_of(x, s + 1);
    for (int64_t e = find_element(x, s, index0); e < end; ++e) {
      const int64_t index = index_of(x, e);
      if (index >= index1) break;
      z[(s - slice0) * slice_step + (index - index0) * index_step] = value_of(x, e);
    }
  }
}

int64_t gg_sparse_part_slices(const gg_sparse_part *part) {
  return by_points(part->x, part->points) ? part->count : slice_count(part->x);
}

void gg_sparse_part_find(const gg_sparse_part *part, int64_t slice, int64_t *begin, int64_t *end) {
  const gpugeo_matrix *x = part->x;
  if (by_points(x, part->points)) {
    *begin = start_of(x, part->first + slice);
    *end = start_of(x, part->first + slice + 1);
  } else {
    *begin = find_element(x, slice, part->first);
    *end = find_element(x, slice, part->first + part->count);
  }
}

void gg_sparse_part_copy(const gg_sparse_part *part, int64_t slice, int64_t begin, int64_t end,
                         gg_sparse_entry *to) {
  const gpugeo_matrix *x = part->x;
  if (by_points(x, part->points))
    for (int64_t e = begin; e < end; ++e)
      *to++ = (gg_sparse_entry){value_of(x, e), (uint32_t)slice, (uint32_t)index_of(x, e)};
  else
    for (int64_t e = begin; e < end; ++e)
      *to++ = (gg_sparse_entry){value_of(x, e), (uint32_t)(index_of(x, e) - part->first),
                                (uint32_t)slice};
}

/* --- Complete rows ---------------------------------------------------------------------------- */

void gg_sparse_mark_incomplete(const gpugeo_matrix *x, unsigned char *incomplete) {
  for (int64_t s = 0; s < slice_count(x); ++s)
    for (int64_t e = start_of(x, s); e < start_of(x, s + 1); ++e)
      if (isnan(value_of(x, e))) incomplete[x->sparse->by_rows ? s : index_of(x, e)] = 1;
}

/* Sets to[i] to the number of row i among those that are not marked, or -1. */
static void number_rows(int64_t rows, const unsigned char *incomplete, int64_t *to) {
  int64_t kept = 0;
  for (int64_t i = 0; i < rows; ++i)
    to[i] = incomplete[i] ? -1 : kept++;
}

/* Copies the elements of rows that are not marked; to[] numbers them. */
static void copy_elements(const gpugeo_matrix *x, const int64_t *to, gg_sparse_copy *copy) {
  const bool by_rows = x->sparse->by_rows;
  int64_t slices = 0, count = 0;
  copy->start[0] = 0;
  for (int64_t s = 0; s < slice_count(x); ++s) {
    if (by_rows && to[s] < 0) continue;
    for (int64_t e = start_of(x, s); e < start_of(x, s + 1); ++e) {
      const int64_t index = index_of(x, e);
      if (!by_rows && to[index] < 0) continue;
      copy->index[count] = by_rows ? index : to[index];
      copy->data[count++] = value_of(x, e);
    }
    copy->start[++slices] = count;
  }
}

gpugeo_status gg_sparse_copy_rows(const gpugeo_matrix *x, const unsigned char *incomplete,
                                  int64_t kept, gg_sparse_copy *copy, gpugeo_error *error) {
  const int64_t stored = start_of(x, slice_count(x)), slices = slice_count(x) + 1;
  const int64_t bytes = 8 * (slices + 2 * stored + x->nrow);
  int64_t *to = gg_allocate(x->nrow, sizeof *to);
  copy->start = gg_allocate(slices, sizeof *copy->start);
  copy->index = gg_allocate(stored, sizeof *copy->index);
  copy->data = gg_allocate(stored, sizeof *copy->data);
  const bool there = to && copy->start && copy->index && copy->data;
  if (there) {
    number_rows(x->nrow, incomplete, to);
    copy_elements(x, to, copy);
    copy->sparse = (gpugeo_sparse){copy->start, copy->index, 8, x->sparse->by_rows, stored};
    copy->matrix = (gpugeo_matrix){.data = copy->data,
                                   .type = GPUGEO_TYPE_DOUBLE,
                                   .nrow = kept,
                                   .ncol = x->ncol,
                                   .ld = kept,
                                   .sparse = &copy->sparse};
  }
  gg_free(to);
  return there ? GPUGEO_OK : gg_fail_memory(error, bytes);
}

void gg_sparse_free(gg_sparse_copy *copy) {
  gg_free(copy->start);
  gg_free(copy->index);
  gg_free(copy->data);
}
