#include "communities/table.h"

#include "common/error.h"
#include "common/inspect.h"
#include "common/sparse.h"

/* Returns a table of the elements of a matrix at `value`. */
static gg_table table_at(const gpugeo_matrix *x, double *value) {
  return (gg_table){.value = value,
                    .nrow = x->nrow,
                    .ncol = x->ncol,
                    .lines = x->sparse && x->sparse->by_rows ? x->nrow : x->ncol,
                    .sparse = x->sparse};
}

gg_table gg_table_copy(const gpugeo_matrix *x, double *value) {
  const gpugeo_matrix stored = x->sparse ? gg_sparse_values(x) : *x;
  const gg_table table = table_at(x, value);
  for (int64_t k = 0; k < stored.ncol; ++k)
    for (int64_t i = 0; i < stored.nrow; ++i)
      *value++ = gg_element(&stored, i, k);
  for (int64_t e = 0; x->sparse && !x->data && e < gg_table_begin(&table, table.lines); ++e)
    table.value[e] = 1;
  return table;
}

/* True if the elements of a matrix are doubles that follow each other. */
static bool is_plain(const gpugeo_matrix *x) {
  return x->type == GPUGEO_TYPE_DOUBLE && (x->sparse ? x->data != NULL : x->ld == x->nrow);
}

int64_t gg_table_room(const gpugeo_matrix *x) {
  if (is_plain(x)) return 0;
  return x->sparse ? x->sparse->stored : x->nrow * x->ncol;
}

gg_table gg_table_view(const gpugeo_matrix *x, double *room) {
  return is_plain(x) ? table_at(x, (double *)(uintptr_t)x->data) : gg_table_copy(x, room);
}

gg_table gg_table_expand(const gpugeo_matrix *x, double *value) {
  if (!x->sparse) return gg_table_copy(x, value);
  gg_sparse_load(x, GPUGEO_POINTS_COLUMNS, (gg_block){0, x->ncol, 0, x->nrow}, 1, x->nrow, value);
  return (gg_table){.value = value, .nrow = x->nrow, .ncol = x->ncol, .lines = x->ncol};
}

gpugeo_status gg_table_check(const gpugeo_matrix *x, gpugeo_error *error) {
  const gpugeo_status status = gg_check_any_matrix("x", x, error);
  if (status || !x->sparse || !x->sparse->by_rows) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                 "x must be dense or compressed by columns, not by rows");
}

/* --- Sums, numbers and extremes --------------------------------------------------------------- */

/* What the visits below write to, one number for each row or column. */
typedef struct numbers {
  double *of;
  double sign;
  bool omit;
} numbers;

/* Adds an element, unless it is missing and such ones are left out. */
static void add_value(double *value, int64_t index, void *own) {
  const numbers *sums = own;
  if (!sums->omit || !isnan(*value)) sums->of[index] += *value;
}

void gg_table_sums(const gg_table *table, gg_margin margin, bool omit, double *sum) {
  for (int64_t i = 0; i < gg_margin_count(table, margin); ++i)
    sum[i] = 0;
  gg_table_each(table, margin, add_value, &(numbers){.of = sum, .omit = omit});
}

/* Counts an element above 0; a missing one makes the count missing, unless such ones are left
   out. */
static void count_value(double *value, int64_t index, void *own) {
  const numbers *counts = own;
  if (*value > 0)
    ++counts->of[index];
  else if (isnan(*value) && !counts->omit)
    counts->of[index] = *value;
}

void gg_table_counts(const gg_table *table, gg_margin margin, bool missing, double *count) {
  for (int64_t i = 0; i < gg_margin_count(table, margin); ++i)
    count[i] = 0;
  gg_table_each(table, margin, count_value, &(numbers){.of = count, .omit = !missing});
}

/* Counts an element. */
static void count_stored(double *value, int64_t index, void *own) {
  (void)value;
  ++((double *)own)[index];
}

/* Keeps an element that is more extreme than those before it. */
static void keep_extreme(double *value, int64_t index, void *own) {
  const numbers *extremes = own;
  double *to = extremes->of + index;
  if (isnan(*value) ? !extremes->omit : *to < extremes->sign * *value)
    *to = extremes->sign * *value;
}

void gg_table_extremes(const gg_table *table, gg_margin margin, double sign, bool omit,
                       double *extreme, double *room) {
  const int64_t count = gg_margin_count(table, margin);
  const double length = (double)gg_margin_count(table, gg_other_margin(margin));
  for (int64_t i = 0; i < count; ++i)
    room[i] = 0;
  if (table->sparse) gg_table_each(table, margin, count_stored, room);
  for (int64_t i = 0; i < count; ++i)
    extreme[i] = table->sparse && room[i] < length ? 0 : -INFINITY;
  gg_table_each(table, margin, keep_extreme, &(numbers){extreme, sign, omit});
}

/* --- Changes ---------------------------------------------------------------------------------- */

/* Divides an element by the number of its row or column. */
static void divide_value(double *value, int64_t index, void *own) {
  *value /= ((const double *)own)[index];
}

void gg_table_divide(const gg_table *table, gg_margin margin, const double *by) {
  gg_table_each(table, margin, divide_value, (void *)by);
}

/* Subtracts the number of its row or column from an element. */
static void subtract_value(double *value, int64_t index, void *own) {
  *value -= ((const double *)own)[index];
}

void gg_table_subtract(const gg_table *table, gg_margin margin, const double *number) {
  gg_table_each(table, margin, subtract_value, (void *)number);
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* The first wrong element up to now, and what is wrong. */
typedef struct search {
  bool (*wrong)(double value);
  bool found;
  int64_t row, column;
  double value;
} search;

/* Keeps an element of a line of a matrix if it comes before the one that was found. */
static void keep_first(search *first, double value, int64_t row, int64_t column) {
  const bool before =
      !first->found || column < first->column || (column == first->column && row < first->row);
  if (before) *first = (search){first->wrong, true, row, column, value};
}

bool gg_table_find(const gg_table *table, bool (*wrong)(double value), int64_t *row,
                   int64_t *column, double *value) {
  search first = {.wrong = wrong};
  for (int64_t line = 0; line < table->lines; ++line) {
    const int64_t begin = gg_table_begin(table, line), end = gg_table_begin(table, line + 1);
    for (int64_t e = begin; e < end; ++e) {
      if (!wrong(table->value[e])) continue;
      const int64_t across = gg_table_across(table, e, begin);
      const bool by_rows = table->sparse && table->sparse->by_rows;
      keep_first(&first, table->value[e], by_rows ? line : across, by_rows ? across : line);
    }
  }
  *row = first.row;
  *column = first.column;
  *value = first.value;
  return first.found;
}

bool gg_is_no_count(double value) {
  return !(value >= 0 && value < INFINITY && value == floor(value));
}

gpugeo_status gg_table_require(const gg_table *table, const char *allowed,
                               bool (*wrong)(double value), gg_call *call) {
  int64_t row, column;
  double value;
  if (call->status || !gg_table_find(table, wrong, &row, &column, &value)) return call->status;
  GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                       "x must be %s, but row %lld, column %lld is %s", allowed, (long long)row + 1,
                       (long long)column + 1, gg_number(value).text));
  return call->status;
}
