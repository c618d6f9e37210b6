/* Tables of communities as doubles that a function may change: all elements of a dense matrix, or
   those that a sparse one stores. Sites are rows. */
#ifndef GG_TABLE_H
#define GG_TABLE_H

#include <math.h>
#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

/* Lines are columns, or the rows of a matrix that is compressed by rows. */
typedef struct gg_table {
  double *value; /* of the caller; dense: column-major, as many as nrow times ncol */
  int64_t nrow, ncol, lines;
  const gpugeo_sparse *sparse; /* NULL: dense */
} gg_table;

/* Copies a matrix into `value`, which has room for all elements, or for the stored ones. */
gg_table gg_table_copy(const gpugeo_matrix *x, double *value);

/* Returns a matrix as a table that is only read: in place where its elements are doubles that
   follow each other, else copied to a room for gg_table_room() numbers. */
gg_table gg_table_view(const gpugeo_matrix *x, double *room);
int64_t gg_table_room(const gpugeo_matrix *x); /* 0: in place */

/* Copies a matrix into `value`, which has room for all elements, also of a sparse one. */
gg_table gg_table_expand(const gpugeo_matrix *x, double *value);

/* Checks a matrix "x", which must be dense or compressed by columns. */
gpugeo_status gg_table_check(const gpugeo_matrix *x, gpugeo_error *error);

/* Rows or columns, of which a function takes sums, extremes and the like. */
typedef enum gg_margin { GG_MARGIN_ROWS = 1, GG_MARGIN_COLUMNS = 2 } gg_margin;

/* Returns the other one. */
static inline gg_margin gg_other_margin(gg_margin margin) {
  return margin == GG_MARGIN_ROWS ? GG_MARGIN_COLUMNS : GG_MARGIN_ROWS;
}

/* Returns the number of rows or columns. */
static inline int64_t gg_margin_count(const gg_table *table, gg_margin margin) {
  return margin == GG_MARGIN_ROWS ? table->nrow : table->ncol;
}

/* Returns number k of an array of a sparse matrix. */
static inline int64_t gg_table_number(const gpugeo_sparse *sparse, const void *array, int64_t k) {
  return sparse->index_bytes == 4 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
}

/* Returns the number of the first element of a line, also of the one after the last. */
static inline int64_t gg_table_begin(const gg_table *table, int64_t line) {
  return table->sparse ? gg_table_number(table->sparse, table->sparse->start, line)
                       : line * table->nrow;
}

/* Returns the row, or of a matrix that is compressed by rows the column, of an element of a line
   that begins with number `begin`. */
static inline int64_t gg_table_across(const gg_table *table, int64_t element, int64_t begin) {
  return table->sparse ? gg_table_number(table->sparse, table->sparse->index, element)
                       : element - begin;
}

/* Takes an element, which it may change, and the number of its row or column. */
typedef void gg_table_visit(double *value, int64_t index, void *own);

/* Visits all elements, those of a row or a column in their order. */
static inline void gg_table_each(const gg_table *table, gg_margin margin, gg_table_visit *visit,
                                 void *own) {
  const bool by_rows = table->sparse && table->sparse->by_rows;
  const bool along = by_rows == (margin == GG_MARGIN_ROWS);
  for (int64_t line = 0; line < table->lines; ++line) {
    const int64_t begin = gg_table_begin(table, line), end = gg_table_begin(table, line + 1);
    for (int64_t e = begin; e < end; ++e) {
      visit(table->value + e, along ? line : gg_table_across(table, e, begin), own);
    }
  }
}

/* Adds up rows or columns in the order of their elements. With `omit`, missing values are left
   out. */
void gg_table_sums(const gg_table *table, gg_margin margin, bool omit, double *sum);

/* Counts the elements above 0. With `missing`, a row or column with a missing value has NaN. */
void gg_table_counts(const gg_table *table, gg_margin margin, bool missing, double *count);

/* Finds the largest elements, or with `sign` -1 the negative of the smallest ones, those that are
   not stored included; -Inf where there is none. With `omit`, missing values are left out;
   otherwise the extreme is NaN. `room` has a number for each row or column. */
void gg_table_extremes(const gg_table *table, gg_margin margin, double sign, bool omit,
                       double *extreme, double *room);

/* Divides all elements by the number of their row or column. */
void gg_table_divide(const gg_table *table, gg_margin margin, const double *by);

/* Subtracts it. */
void gg_table_subtract(const gg_table *table, gg_margin margin, const double *number);

/* Finds the first element, column by column, for which a function is true: its row and column, from
   0. False: none. */
bool gg_table_find(const gg_table *table, bool (*wrong)(double value), int64_t *row,
                   int64_t *column, double *value);

/* What counts of individuals are, and whether a value is none. */
#define GG_COUNTS "whole numbers of at least 0"
bool gg_is_no_count(double value);

/* Fails with "x must be <allowed>, but row 2, column 1 is -3" if a value is wrong. */
gpugeo_status gg_table_require(const gg_table *table, const char *allowed,
                               bool (*wrong)(double value), gg_call *call);

#endif
