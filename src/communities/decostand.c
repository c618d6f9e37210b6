/*
 * Standardization of communities: vegan's decostand(). One pass for each sum and each change, on
 * one thread: passes are limited by memory. Sums are added in the order of rows or columns, so that
 * sparse and dense tables have the same bits.
 */
#include <float.h>
#include <stdlib.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/portable_log.h"
#include "common/sparse.h"
#include "communities/table.h"

GG_OPTIONS_INIT(decostand, .logbase = 2, .reference = 1)

static const gg_option decostand_rows[] = {
    {GG_OPTION("method", CHOICE, gpugeo_decostand_options, method), .choices = GPUGEO_ENUM_STANDARD,
     .is_argument = true},
    {GG_OPTION("MARGIN", WHOLE, gpugeo_decostand_options, margin), .octave = "margin",
     .may_be_null = true, .least = 1, .most = 2},
    {GG_OPTION("na.rm", FLAG, gpugeo_decostand_options, omit_missing), .octave = "na_rm"},
    {GG_OPTION("logbase", NUMBER, gpugeo_decostand_options, logbase),
     .allowed = "a number above 1"},
    {GG_OPTION("pseudocount", NUMBER, gpugeo_decostand_options, pseudocount),
     .allowed = "a number of at least 0"},
    {GG_OPTION("reference", WHOLE, gpugeo_decostand_options, reference)},
    {GG_OPTION("range.global", MATRIX, gpugeo_decostand_options, range), .octave = "range_global",
     .may_be_null = true},
};
GG_DEFINE_OPTIONS(decostand, decostand_rows);

/* A call: the table in the caller's memory, and the numbers, which are the caller's. */
typedef struct standard {
  const gpugeo_decostand_options *options;
  const gpugeo_matrix *x;
  gg_table table;
  gg_margin margin;
  int64_t count, elements; /* rows or columns; elements of the table */
  gpugeo_decostand_numbers *numbers;
  gg_call *call;
} standard;

/* --- Checks ----------------------------------------------------------------------------------- */

/* Checks the parameters of a method. */
static gpugeo_status check_options(const standard *s, gg_call *call) {
  const gpugeo_decostand_options *o = s->options;
  if (o->method == GPUGEO_STANDARD_LOG && !(o->logbase > 1))
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "logbase",
                         "logbase must be a number above 1, not %s", gg_number(o->logbase).text));
  if (o->method < 0 || o->method >= GPUGEO_STANDARD_COUNT)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "method",
                         "method must be between 0 and %d, not %d", GPUGEO_STANDARD_COUNT - 1,
                         (int)o->method));
  if (!(o->pseudocount >= 0 && o->pseudocount < INFINITY))
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "pseudocount",
                         "pseudocount must be a number of at least 0, not %s",
                         gg_number(o->pseudocount).text));
  if (o->method == GPUGEO_STANDARD_ALR && (o->reference < 1 || o->reference > s->count))
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "reference",
                         "reference must be the number of a %s of x, from 1 to %lld, not %lld",
                         s->margin == GG_MARGIN_ROWS ? "row" : "column", (long long)s->count,
                         (long long)o->reference));
  return call->status;
}

/* Returns the margin of a method. */
static gg_margin default_margin(gpugeo_standard method) {
  return method == GPUGEO_STANDARD_MAX || method == GPUGEO_STANDARD_FREQUENCY ||
                 method == GPUGEO_STANDARD_RANGE || method == GPUGEO_STANDARD_STANDARDIZE
             ? GG_MARGIN_COLUMNS
             : GG_MARGIN_ROWS;
}

/* True if negative values have a meaning in a method. */
static bool is_signed(gpugeo_standard method) {
  return gpugeo_standard_fills(method) || method == GPUGEO_STANDARD_MAX ||
         method == GPUGEO_STANDARD_NORMALIZE || method == GPUGEO_STANDARD_LOG;
}

/* True if a value is below 0. */
static bool is_negative(double value) { return value < 0; }

/* True if one of the table's elements has a property. */
static bool has_any(const standard *s, bool (*property)(double value)) {
  for (int64_t e = 0; e < s->elements; ++e)
    if (property(s->table.value[e])) return true;
  return false;
}

/* True if a value is missing. */
static bool is_missing(double value) { return isnan(value); }

/* --- Methods ---------------------------------------------------------------------------------- */

/* Replaces numbers below the machine's precision by it. */
static void raise_to_precision(double *number, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (number[i] < DBL_EPSILON) number[i] = DBL_EPSILON;
}

/* Divides by sums. */
static void make_total(standard *s) {
  double *sum = s->numbers->first;
  gg_table_sums(&s->table, s->margin, s->options->omit_missing, sum);
  if (!has_any(s, is_negative)) raise_to_precision(sum, s->count);
  gg_table_divide(&s->table, s->margin, sum);
}

/* Divides by the largest values. */
static void make_max(standard *s) {
  double *largest = s->numbers->first;
  gg_table_extremes(&s->table, s->margin, 1, s->options->omit_missing, largest, s->numbers->second);
  raise_to_precision(largest, s->count);
  gg_table_divide(&s->table, s->margin, largest);
}

/* Multiplies an element by the number of its row or column. */
static void multiply_value(double *value, int64_t index, void *own) {
  *value *= ((const double *)own)[index];
}

/* Divides by the means of the values above 0. */
static void make_frequency(standard *s) {
  double *factor = s->numbers->first, *sum = s->numbers->second;
  gg_table_counts(&s->table, s->margin, !s->options->omit_missing, factor);
  gg_table_sums(&s->table, s->margin, s->options->omit_missing, sum);
  raise_to_precision(sum, s->count);
  for (int64_t i = 0; i < s->count; ++i)
    factor[i] /= sum[i];
  gg_table_each(&s->table, s->margin, multiply_value, factor);
}

/* Sums of squares, without missing values if `omit`. */
typedef struct squares {
  double *sum;
  bool omit;
} squares;

/* Adds the square of an element. */
static void add_square(double *value, int64_t index, void *own) {
  const squares *to = own;
  if (!to->omit || !isnan(*value)) to->sum[index] += *value * *value;
}

/* Adds up the squares of rows or columns. */
static void sum_squares(const standard *s, bool omit, double *sum) {
  for (int64_t i = 0; i < s->count; ++i)
    sum[i] = 0;
  gg_table_each(&s->table, s->margin, add_square, &(squares){sum, omit});
}

/* Divides by lengths. */
static void make_normalize(standard *s) {
  double *length = s->numbers->first;
  sum_squares(s, s->options->omit_missing, length);
  for (int64_t i = 0; i < s->count; ++i)
    length[i] = sqrt(length[i]);
  raise_to_precision(length, s->count);
  gg_table_divide(&s->table, s->margin, length);
}

/* Finds the extremes of a table: the smallest values and the ranges. */
static void find_ranges(const standard *s, const gg_table *within, double *room) {
  double *least = s->numbers->first, *range = s->numbers->second;
  gg_table_extremes(within, s->margin, 1, s->options->omit_missing, range, room);
  gg_table_extremes(within, s->margin, -1, s->options->omit_missing, least, room);
  for (int64_t i = 0; i < s->count; ++i) {
    least[i] = isnan(least[i]) ? least[i] : -least[i];
    range[i] -= least[i];
  }
  raise_to_precision(range, s->count);
}

/* Subtracts the smallest values and divides by the ranges. */
static void make_range(standard *s) {
  gg_call *call = s->call;
  const gpugeo_matrix *own = &s->options->range;
  gg_table within = s->table;
  double *copied = NULL;
  if (own->nrow || own->ncol) {
    GG_TRY(call, gg_check_matrix("range.global", own, call->error));
    if (!call->status) copied = gg_call_allocate(call, own->nrow * own->ncol, sizeof *copied);
    if (!call->status) within = gg_table_copy(own, copied);
    if (!call->status && gg_margin_count(&within, s->margin) != s->count)
      GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "range.global",
                           "range.global must have %lld %s, as x has, not %lld",
                           (long long)s->count, s->margin == GG_MARGIN_ROWS ? "rows" : "columns",
                           (long long)gg_margin_count(&within, s->margin)));
  }
  double *room = gg_call_allocate(call, s->count + 1, sizeof *room);
  if (!call->status) {
    find_ranges(s, &within, room);
    gg_table_subtract(&s->table, s->margin, s->numbers->first);
    gg_table_divide(&s->table, s->margin, s->numbers->second);
  }
  gg_free(room);
  gg_free(copied);
}

/* An element above 0, to be ranked among those of its row or column. */
typedef struct ranked {
  double *value;
  int64_t index;
  double number;
} ranked;

typedef struct ranked_list {
  ranked *item;
  int64_t count;
} ranked_list;

/* Appends an element above 0 to the list, and makes others, but for missing ones, 0. */
static void list_value(double *value, int64_t index, void *own) {
  ranked_list *list = own;
  if (*value > 0)
    list->item[list->count++] = (ranked){value, index, *value};
  else if (!isnan(*value))
    *value = 0;
}

/* Compares by row or column, then by value. */
static int compare_ranked(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->index != y->index) return x->index < y->index ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Writes the ranks of a sorted list; ties have the mean of theirs. */
static void write_ranks(const ranked_list *list) {
  int64_t first = 0; /* of the row or column */
  for (int64_t k = 0, end; k < list->count; k = end) {
    if (list->item[k].index != list->item[first].index) first = k;
    for (end = k + 1; end < list->count && compare_ranked(list->item + k, list->item + end) == 0;)
      ++end;
    const double rank = (double)(k - first + 1 + end - first) / 2;
    for (int64_t tie = k; tie < end; ++tie)
      *list->item[tie].value = rank;
  }
}

/* Replaces values by their ranks, or these divided by their number. */
static void make_rank(standard *s) {
  gg_call *call = s->call;
  double *count = s->numbers->second;
  gg_table_counts(&s->table, s->margin, false, count);
  ranked_list list = {.item = gg_call_allocate(call, s->elements + 1, sizeof *list.item)};
  if (call->status) return;
  gg_table_each(&s->table, s->margin, list_value, &list);
  qsort(list.item, (size_t)list.count, sizeof *list.item, compare_ranked);
  write_ranks(&list);
  gg_free(list.item);
  if (s->options->method == GPUGEO_STANDARD_RANK) return;
  for (int64_t i = 0; s->table.sparse && i < s->count; ++i)
    if (count[i] == 0) count[i] = 1;
  gg_table_divide(&s->table, s->margin, count);
}

/* Counts an element that is not missing. */
static void count_present(double *value, int64_t index, void *own) {
  ((double *)own)[index] += !isnan(*value);
}

/* Subtracts means and divides by standard deviations. */
static void make_standardize(standard *s) {
  gg_call *call = s->call;
  double *mean = s->numbers->first, *deviation = s->numbers->second;
  double *present = gg_call_allocate(call, s->count + 1, sizeof *present);
  if (call->status) return;
  for (int64_t i = 0; i < s->count; ++i)
    present[i] = 0;
  gg_table_each(&s->table, s->margin, count_present, present);
  gg_table_sums(&s->table, s->margin, true, mean);
  for (int64_t i = 0; i < s->count; ++i)
    mean[i] /= present[i];
  gg_table_subtract(&s->table, s->margin, mean);
  sum_squares(s, true, deviation);
  for (int64_t i = 0; i < s->count; ++i)
    deviation[i] = sqrt(deviation[i] / (present[i] - 1));
  gg_table_divide(&s->table, s->margin, deviation);
  gg_free(present);
}

/* Replaces values by 1 if they are above 0, else by 0. */
static void make_presences(standard *s) {
  for (double *value = s->table.value, *end = value + s->elements; value < end; ++value)
    if (!isnan(*value)) *value = *value > 0;
}

/* Divides by sums of rows and by roots of sums of columns. */
static void make_chi_square(standard *s) {
  const gg_margin other = gg_other_margin(s->margin);
  double *sum = s->numbers->first, *across = s->numbers->second;
  const bool omit = s->options->omit_missing;
  const int64_t others = gg_margin_count(&s->table, other);
  gg_table_sums(&s->table, s->margin, omit, sum);
  gg_table_sums(&s->table, other, omit, across);
  double total = 0;
  for (int64_t i = 0; i < s->count; ++i)
    total += sum[i];
  s->numbers->number = total;
  raise_to_precision(sum, s->count);
  raise_to_precision(across, others);
  gg_table_divide(&s->table, s->margin, sum);
  for (int64_t k = 0; k < others; ++k)
    across[k] = sqrt(across[k]);
  gg_table_divide(&s->table, other, across);
  for (int64_t k = 0; k < others; ++k)
    across[k] *= across[k];
  for (int64_t e = 0; e < s->elements; ++e)
    s->table.value[e] *= sqrt(total);
}

/* Takes the roots of shares. */
static void make_hellinger(standard *s) {
  make_total(s);
  for (int64_t e = 0; e < s->elements; ++e)
    s->table.value[e] = sqrt(s->table.value[e]);
}

/* Takes logarithms of the values above 0, and adds 1. */
static void make_log(standard *s) {
  double least = 1;
  for (int64_t e = 0; e < s->elements; ++e)
    if (s->table.value[e] > 0 && s->table.value[e] < least) least = s->table.value[e];
  s->numbers->number = least;
  const double base = gg_log(s->options->logbase);
  for (double *value = s->table.value, *end = value + s->elements; value < end; ++value)
    if (!isnan(*value)) *value = *value > 0 ? gg_log(*value / least) / base + 1 : 0;
}

/* --- Logarithms of ratios --------------------------------------------------------------------- */

/* True if a value is at most 0. */
static bool is_not_positive(double value) { return value <= 0; }

/* Adds the pseudocount and takes logarithms of all values, which must then be above 0. */
static gpugeo_status take_logarithms(standard *s, const char *name, gg_call *call) {
  int64_t row, column;
  double value;
  for (int64_t e = 0; e < s->elements; ++e)
    s->table.value[e] += s->options->pseudocount;
  if (gg_table_find(&s->table, is_not_positive, &row, &column, &value)) {
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                         "x must be above 0 for \"%s\", but row %lld, column %lld is %s with the "
                         "pseudocount %s; a larger pseudocount is added to all values",
                         name, (long long)row + 1, (long long)column + 1, gg_number(value).text,
                         gg_number(s->options->pseudocount).text));
    return call->status;
  }
  for (int64_t e = 0; e < s->elements; ++e)
    s->table.value[e] = gg_log(s->table.value[e]);
  return call->status;
}

/* Subtracts the means of logarithms. */
static void make_clr(standard *s) {
  gg_call *call = s->call;
  double *mean = s->numbers->first;
  if (take_logarithms(s, "clr", call)) return;
  gg_table_sums(&s->table, s->margin, false, mean);
  for (int64_t i = 0; i < s->count; ++i)
    mean[i] /= (double)(s->elements / s->count);
  gg_table_subtract(&s->table, s->margin, mean);
}

/* What centre_log() needs: the mean of each row or column, and whether it is sparse. */
typedef struct centre {
  const double *mean;
  bool sparse;
} centre;

/* Centres a logarithm. Zeros, as which -Inf stands, become 0; in a dense row without other values,
   NaN. */
static void centre_log(double *value, int64_t index, void *own) {
  const centre *to = own;
  const double mean = to->mean[index];
  if (*value != -INFINITY)
    *value -= mean;
  else
    *value = isnan(mean) && !to->sparse ? mean : 0;
}

/* Adds a logarithm, unless it is that of 0. */
static void add_finite(double *value, int64_t index, void *own) {
  if (*value > -INFINITY) ((double *)own)[index] += *value;
}

/* Subtracts the means of the logarithms of values above 0. */
static void make_rclr(standard *s) {
  gg_call *call = s->call;
  double *mean = s->numbers->first, *count = s->numbers->second;
  if (gg_table_require(&s->table, "numbers of at least 0 for \"rclr\"", is_negative, call)) return;
  gg_table_counts(&s->table, s->margin, false, count);
  for (int64_t e = 0; e < s->elements; ++e)
    s->table.value[e] = gg_log(s->table.value[e]);
  for (int64_t i = 0; i < s->count; ++i)
    mean[i] = 0;
  gg_table_each(&s->table, s->margin, add_finite, mean);
  for (int64_t i = 0; i < s->count; ++i)
    mean[i] /= count[i];
  gg_table_each(&s->table, s->margin, centre_log, &(centre){mean, s->table.sparse});
}

/* Copies the elements of the reference. */
static void copy_reference(const standard *s) {
  const int64_t k = s->options->reference - 1, rows = s->table.nrow;
  const bool is_row = s->margin == GG_MARGIN_ROWS;
  const int64_t across = is_row ? s->table.ncol : rows;
  for (int64_t i = 0; i < across; ++i)
    s->numbers->first[i] = s->table.value[is_row ? k + i * rows : i + k * rows];
}

/* Subtracts the logarithms of a row or column. */
static void make_alr(standard *s) {
  gg_call *call = s->call;
  if (take_logarithms(s, "alr", call)) return;
  copy_reference(s);
  gg_table_subtract(&s->table, gg_other_margin(s->margin), s->numbers->first);
}

/* --- The call --------------------------------------------------------------------------------- */

/* The methods, in the order of their constants, and vegan's names of their numbers. */
static const struct method {
  void (*make)(standard *);
  const char *first, *second;
} methods[GPUGEO_STANDARD_COUNT] = {
    {make_total, "total", ""},     {make_max, "max", ""},
    {make_frequency, "scale", ""}, {make_normalize, "norm", ""},
    {make_range, "min", "range"},  {make_rank, "", ""},
    {make_rank, "", ""},           {make_standardize, "center", "scale"},
    {make_presences, "", ""},      {make_chi_square, "rsum", "csum"},
    {make_hellinger, "total", ""}, {make_log, "", ""},
    {make_clr, "means", ""},       {make_rclr, "means", ""},
    {make_alr, "reference", ""},
};

/* Describes the numbers that the method writes. */
static void describe_numbers(const standard *s) {
  const gpugeo_standard own = s->options->method;
  const int64_t others = gg_margin_count(&s->table, gg_other_margin(s->margin));
  gpugeo_decostand_numbers *to = s->numbers;
  to->first_name = methods[own].first;
  to->second_name = methods[own].second;
  to->first_length = !*to->first_name ? 0 : own == GPUGEO_STANDARD_ALR ? others : s->count;
  to->second_length = !*to->second_name ? 0 : own == GPUGEO_STANDARD_CHI_SQUARE ? others : s->count;
}

/* Copies the table and applies the method to the copy. */
static gpugeo_status run(standard *s, double *out, gg_call *call) {
  if (call->status) return call->status;
  const bool fills = gpugeo_standard_fills(s->options->method);
  s->table = fills ? gg_table_expand(s->x, out) : gg_table_copy(s->x, out);
  s->elements = gg_table_begin(&s->table, s->table.lines);
  s->count = gg_margin_count(&s->table, s->margin);
  const bool missing = has_any(s, is_missing);
  s->numbers->negative = !is_signed(s->options->method) && has_any(s, is_negative);
  check_options(s, call);
  if (call->status) return call->status;
  describe_numbers(s);
  methods[s->options->method].make(s);
  s->numbers->undefined = !call->status && !missing && has_any(s, is_missing);
  return call->status;
}

gpugeo_status gpugeo_decostand(const gpugeo_matrix *x, const gpugeo_decostand_options *options,
                               double *out, gpugeo_decostand_numbers *numbers,
                               gpugeo_report *report, gpugeo_error *error) {
  gpugeo_decostand_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(decostand_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_check_any_matrix("x", x, error));
  standard s = {.options = options, .x = x, .numbers = numbers, .call = &call};
  s.margin = options->margin ? (gg_margin)options->margin : default_margin(options->method);
  numbers->margin = (int32_t)s.margin;
  GG_TRY(&call, gg_check_run(call.run, error));
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_COMMUNITIES, error));
  *call.report = gg_report_of(gg_host_backend(), -1, 1, 1);
  run(&s, out, &call);
  return gg_call_end(&call);
}
