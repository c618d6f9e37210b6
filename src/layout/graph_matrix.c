/*
 * Edges of an adjacency matrix.
 *
 * The elements below the diagonal, by columns, are the edges in increasing order. Those above the
 * diagonal, sorted by rows, must be the same. Time grows with the elements of a dense matrix, and
 * with the stored ones of a sparse matrix.
 */
#include "layout/graph_matrix.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/sparse.h"

/* --- Edges or adjacency ----------------------------------------------------------------------- */

/* True if a dense square matrix is symmetric and has no missing element. */
static bool is_symmetric(const gpugeo_matrix *matrix) {
  for (int64_t j = 0; j < matrix->ncol; ++j)
    for (int64_t i = 0; i <= j; ++i)
      if (!(gg_element(matrix, i, j) == gg_element(matrix, j, i))) return false;
  return true;
}

bool gg_lists_edges(const gpugeo_matrix *matrix) {
  const int64_t columns = matrix->ncol;
  if (matrix->sparse || (columns != 2 && columns != 3)) return false;
  if (matrix->nrow != columns || !is_symmetric(matrix)) return true;
  return columns == 2 && (gg_element(matrix, 0, 0) != 0 || gg_element(matrix, 1, 1) != 0);
}

/* --- Elements --------------------------------------------------------------------------------- */

typedef void visit_element(void *own, int64_t row, int64_t column, double value);

/* Visits the stored elements of a sparse matrix. */
static void visit_sparse(const gpugeo_matrix *matrix, visit_element *visit, void *own) {
  const gg_sparse_part all = {.x = matrix, .points = GPUGEO_POINTS_ROWS, .count = matrix->nrow};
  for (int64_t s = 0; s < gg_sparse_part_slices(&all); ++s) {
    int64_t begin, end;
    gg_sparse_part_find(&all, s, &begin, &end);
    for (int64_t e = begin; e < end; ++e) {
      gg_sparse_entry entry;
      gg_sparse_part_copy(&all, s, e, e + 1, &entry);
      visit(own, entry.point, entry.coordinate, entry.value);
    }
  }
}

/* Visits the elements that are stored, or that are not 0 if the matrix is dense, by columns, or by
   rows if the matrix is compressed by rows. */
static void visit_all(const gpugeo_matrix *matrix, visit_element *visit, void *own) {
  if (matrix->sparse) {
    visit_sparse(matrix, visit, own);
    return;
  }
  for (int64_t j = 0; j < matrix->ncol; ++j)
    for (int64_t i = 0; i < matrix->nrow; ++i) {
      const double value = gg_element(matrix, i, j);
      if (value != 0) visit(own, i, j, value);
    }
}

/* --- Halves ----------------------------------------------------------------------------------- */

enum { BELOW, ABOVE };

/* What a matrix has outside its diagonal. */
typedef struct contents {
  int64_t elements[2], zeros[2];       /* of each half; the elements include the zeros */
  int64_t missing_row, missing_column; /* of the first missing element; -1: there is none */
} contents;

/* Counts an element. */
static void count_element(void *own, int64_t row, int64_t column, double value) {
  contents *in = own;
  if (isnan(value) && in->missing_row < 0) {
    in->missing_row = row;
    in->missing_column = column;
  }
  if (row == column) return;
  ++in->elements[row < column];
  in->zeros[row < column] += value == 0;
}

/* The elements of one half. */
typedef struct half {
  int which; /* BELOW or ABOVE */
  bool zeros;
  int64_t next;
  gg_adjacency_edges edges;
} half;

/* Adds an element if it belongs to the half. */
static void add_element(void *own, int64_t row, int64_t column, double value) {
  half *to = own;
  if (row == column || (row < column) != to->which || (value == 0 && !to->zeros)) return;
  const int64_t at = to->next++, low = row < column ? row : column;
  to->edges.ends[at] = (int32_t)(low + 1);
  to->edges.ends[at + to->edges.count] = (int32_t)(row + column - low + 1);
  to->edges.weights[at] = value;
}

/* Makes room for edges. */
static gpugeo_status make_room(int64_t count, gg_adjacency_edges *edges, gpugeo_error *error) {
  *edges = (gg_adjacency_edges){.count = count,
                                .ends = gg_allocate(2 * count, sizeof *edges->ends),
                                .weights = gg_allocate(count, sizeof *edges->weights)};
  if (edges->ends && edges->weights) return GPUGEO_OK;
  return gg_fail_memory(error, count * (int64_t)(2 * sizeof *edges->ends + sizeof *edges->weights));
}

/* Reads the elements of a half, with those that are 0 or without them. */
static gpugeo_status read_half(const gpugeo_matrix *matrix, const contents *in, bool zeros,
                               half *to, gpugeo_error *error) {
  to->zeros = zeros;
  to->next = 0;
  const int64_t count = in->elements[to->which] - (zeros ? 0 : in->zeros[to->which]);
  const gpugeo_status status = make_room(count, &to->edges, error);
  if (!status) visit_all(matrix, add_element, to);
  return status;
}

/* --- Symmetry --------------------------------------------------------------------------------- */

/* True if edges, which are sorted by their first ends, are others, which are sorted by their second
   ends. next[v]: the offset of the first edge that begins at v + 1; it is changed. */
static bool are_same(const gg_adjacency_edges *edges, const gg_adjacency_edges *others,
                     int64_t *next) {
  for (int64_t e = 0; e < others->count; ++e) {
    const int32_t from = others->ends[e], to = others->ends[e + others->count];
    const int64_t at = next[from - 1]++;
    if (at >= edges->count || edges->ends[at] != from || edges->ends[at + edges->count] != to ||
        edges->weights[at] != others->weights[e])
      return false;
  }
  return true;
}

/* Compares both halves of a matrix of n vertices. The one that comes sorted by its first ends is
   `edges`. */
static gpugeo_status compare(int64_t n, const gg_adjacency_edges *edges,
                             const gg_adjacency_edges *others, bool *same, gpugeo_error *error) {
  *same = false;
  if (edges->count != others->count) return GPUGEO_OK;
  int64_t *next = gg_allocate(n, sizeof *next);
  if (!next) return gg_fail_memory(error, n * (int64_t)sizeof *next);
  for (int64_t v = 0, e = 0; v < n; ++v) {
    next[v] = e;
    while (e < edges->count && edges->ends[e] == v + 1)
      ++e;
  }
  *same = are_same(edges, others, next);
  gg_free(next);
  return GPUGEO_OK;
}

/* Reads and compares both halves. */
static gpugeo_status read_halves(const gpugeo_matrix *matrix, const contents *in, bool zeros,
                                 gg_adjacency_edges *edges, bool *same, gpugeo_error *error) {
  const bool by_rows = matrix->sparse && matrix->sparse->by_rows;
  half sorted = {.which = by_rows ? ABOVE : BELOW}, other = {.which = by_rows ? BELOW : ABOVE};
  gpugeo_status status = read_half(matrix, in, zeros, &sorted, error);
  if (!status) status = read_half(matrix, in, zeros, &other, error);
  if (!status) status = compare(matrix->nrow, &sorted.edges, &other.edges, same, error);
  gg_adjacency_edges_free(&other.edges);
  if (*same)
    *edges = sorted.edges;
  else
    gg_adjacency_edges_free(&sorted.edges);
  return status;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Checks that a matrix is square, and its structure if it is sparse. */
static gpugeo_status check_shape(const gpugeo_matrix *matrix, gpugeo_error *error) {
  if (matrix->nrow != matrix->ncol)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                   "graph must have 2 columns, or 3 with weights, or be square as an adjacency "
                   "matrix is, not %lld x %lld",
                   (long long)matrix->nrow, (long long)matrix->ncol);
  if (matrix->nrow > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                   "graph must have between 0 and 2147483647 vertices, not %lld",
                   (long long)matrix->nrow);
  return matrix->sparse ? gg_sparse_check("graph", matrix, error) : GPUGEO_OK;
}

/* Counts the elements and fails if one is missing. */
static gpugeo_status count_elements(const gpugeo_matrix *matrix, contents *in,
                                    gpugeo_error *error) {
  *in = (contents){.missing_row = -1};
  visit_all(matrix, count_element, in);
  if (in->missing_row < 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                 "graph must have no missing values, but row %lld and column %lld has one",
                 (long long)in->missing_row + 1, (long long)in->missing_column + 1);
}

gpugeo_status gg_adjacency_edges_find(const gpugeo_matrix *adjacency, const char *sum,
                                      gg_adjacency_edges *edges, gpugeo_error *error) {
  contents in = {0};
  bool same = false;
  *edges = (gg_adjacency_edges){0};
  gpugeo_status status = check_shape(adjacency, error);
  if (!status) status = count_elements(adjacency, &in, error);
  if (!status) status = read_halves(adjacency, &in, true, edges, &same, error);
  if (!status && !same && in.zeros[BELOW] + in.zeros[ABOVE] > 0)
    status = read_halves(adjacency, &in, false, edges, &same, error);
  if (status || same) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "graph",
                 "graph must be symmetric where it is an adjacency matrix: %s is", sum);
}

void gg_adjacency_edges_free(gg_adjacency_edges *edges) {
  gg_free(edges->ends);
  gg_free(edges->weights);
  *edges = (gg_adjacency_edges){0};
}
