#include "value.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

/* All whole numbers up to 2^53 are doubles. */
static const double whole_limit = 9007199254740992.0;

static bool is_real_matrix(const mxArray *value) {
  return value && (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
         mxGetNumberOfDimensions(value) == 2;
}

static bool is_text(const mxArray *value) { return value && mxIsChar(value) && mxGetM(value) <= 1; }

bool gg_mex_is_structure(const mxArray *value) {
  return value && mxIsStruct(value) && mxGetNumberOfElements(value) == 1;
}

const mxArray *gg_mex_field(const mxArray *structure, const char *name) {
  return gg_mex_is_structure(structure) ? mxGetField(structure, 0, name) : NULL;
}

const mxArray *gg_mex_given_field(const mxArray *structure, const char *name) {
  const mxArray *value = gg_mex_field(structure, name);
  return value && mxIsEmpty(value) && mxIsNumeric(value) ? NULL : value;
}

const mxArray *gg_mex_option(gg_mex_call *call, const char *name) {
  return call->status ? NULL : gg_mex_given_field(call->options, name);
}

/* --- Elements --------------------------------------------------------------------------------- */

/* Returns element i of data of a class as a double. */
static double element_of(const void *data, mxClassID class, size_t i) {
  switch (class) {
  case mxSINGLE_CLASS:
    return ((const float *)data)[i];
  case mxLOGICAL_CLASS:
    return ((const mxLogical *)data)[i];
  case mxINT8_CLASS:
    return ((const int8_t *)data)[i];
  case mxUINT8_CLASS:
    return ((const uint8_t *)data)[i];
  case mxINT16_CLASS:
    return ((const int16_t *)data)[i];
  case mxUINT16_CLASS:
    return ((const uint16_t *)data)[i];
  case mxINT32_CLASS:
    return ((const int32_t *)data)[i];
  case mxUINT32_CLASS:
    return ((const uint32_t *)data)[i];
  case mxINT64_CLASS:
    return (double)((const int64_t *)data)[i];
  case mxUINT64_CLASS:
    return (double)((const uint64_t *)data)[i];
  default:
    return ((const double *)data)[i];
  }
}

/* Returns element i of a sparse matrix, counted by columns. */
static double sparse_element(const mxArray *value, size_t i) {
  const mwIndex *row = mxGetIr(value), *start = mxGetJc(value);
  const size_t column = i / mxGetM(value);
  for (mwIndex e = start[column]; e < start[column + 1]; ++e)
    if ((size_t)row[e] == i % mxGetM(value))
      return element_of(mxGetData(value), mxGetClassID(value), (size_t)e);
  return 0;
}

static double element(const mxArray *value, size_t i) {
  return mxIsSparse(value) ? sparse_element(value, i)
                           : element_of(mxGetData(value), mxGetClassID(value), i);
}

/* Writes all elements, also those of a sparse matrix that are 0. */
static void copy_elements(const mxArray *value, double *to) {
  const size_t count = mxGetNumberOfElements(value), rows = mxGetM(value);
  const mxClassID class = mxGetClassID(value);
  const void *data = mxGetData(value);
  if (!mxIsSparse(value)) {
    for (size_t i = 0; i < count; ++i)
      to[i] = element_of(data, class, i);
    return;
  }
  memset(to, 0, count * sizeof *to);
  const mwIndex *row = mxGetIr(value), *start = mxGetJc(value);
  for (size_t column = 0; column < mxGetN(value); ++column)
    for (mwIndex e = start[column]; e < start[column + 1]; ++e)
      to[column * rows + (size_t)row[e]] = element_of(data, class, (size_t)e);
}

/* --- 64-bit integers -------------------------------------------------------------------------- */

typedef struct digits {
  char text[24];
} digits;

/* Returns the digits of a 64-bit integer. */
static digits digits_of(const void *data, mxClassID class, size_t i) {
  digits digits;
  if (class == mxINT64_CLASS)
    snprintf(digits.text, sizeof digits.text, "%lld", (long long)((const int64_t *)data)[i]);
  else
    snprintf(digits.text, sizeof digits.text, "%llu",
             (unsigned long long)((const uint64_t *)data)[i]);
  return digits;
}

/* True if a double holds element i of 64-bit integers. */
static bool is_double(const void *data, mxClassID class, size_t i) {
  const double number = element_of(data, class, i);
  if (fabs(number) > whole_limit) return false;
  return class == mxINT64_CLASS ? (int64_t)number == ((const int64_t *)data)[i]
                                : (uint64_t)number == ((const uint64_t *)data)[i];
}

static bool is_64_bit(const mxArray *value) {
  const mxClassID class = mxGetClassID(value);
  return class == mxINT64_CLASS || class == mxUINT64_CLASS;
}

/* --- Values as given -------------------------------------------------------------------------- */

/* Describes a value that is neither a real matrix nor a line of text. */
static void describe_value(const mxArray *value, char *words, size_t size) {
  if (!value)
    snprintf(words, size, "nothing");
  else if (mxIsChar(value))
    snprintf(words, size, "a matrix of characters");
  else if (mxIsComplex(value))
    snprintf(words, size,
             mxGetNumberOfElements(value) == 1 ? "a complex number" : "complex numbers");
  else if (mxIsCell(value))
    snprintf(words, size, "a cell array");
  else if (mxIsStruct(value))
    snprintf(words, size, "a structure");
  else if (mxIsClass(value, "function_handle"))
    snprintf(words, size, "a function");
  else if (mxGetNumberOfDimensions(value) > 2)
    snprintf(words, size, "an array of %d dimensions", (int)mxGetNumberOfDimensions(value));
  else
    snprintf(words, size, "an object of class %s", mxGetClassName(value));
}

static void describe_matrix(const mxArray *value, char *words, size_t size) {
  const size_t rows = mxGetM(value), columns = mxGetN(value);
  if (!mxIsEmpty(value))
    snprintf(words, size, "a %zu x %zu matrix", rows, columns);
  else if (rows + columns > 0)
    snprintf(words, size, "[](%zu x %zu)", rows, columns);
  else
    snprintf(words, size, "[]");
}

/* Returns an element. A 64-bit number that a double does not hold gets its digits, and a value
   that no limit allows. */
static gg_item item_of(const mxArray *value, size_t i) {
  gg_item item = {GG_ITEM_NUMBER, element(value, i), ""};
  if (mxIsLogical(value)) item.kind = GG_ITEM_FLAG;
  if (is_64_bit(value) && !is_double(mxGetData(value), mxGetClassID(value), i)) {
    item.number = copysign(whole_limit * 2048, item.number);
    snprintf(item.text, sizeof item.text, "%s",
             digits_of(mxGetData(value), mxGetClassID(value), i).text);
  }
  return item;
}

/* Notes a text. mxGetString() copies nothing if not all of the text has room. */
static void note_text(const mxArray *value, gg_item *item) {
  const mwSize size = (mwSize)mxGetNumberOfElements(value) * 4 + 1;
  char *text = gg_allocate((int64_t)size, 1);
  gg_item_text(item, text && !mxGetString(value, text, size) ? text : "");
  gg_free(text);
}

gg_given gg_mex_given(const mxArray *value) {
  gg_given given = {.language = GG_OCTAVE, .length = 1};
  if (is_text(value)) {
    note_text(value, &given.items[0]);
  } else if (!is_real_matrix(value)) {
    describe_value(value, given.words, sizeof given.words);
  } else if (mxIsEmpty(value) || (mxGetM(value) > 1 && mxGetN(value) > 1)) {
    describe_matrix(value, given.words, sizeof given.words);
  } else {
    given.length = (int64_t)mxGetNumberOfElements(value);
    given.column = mxGetM(value) > 1;
    for (int64_t i = 0; i < given.length && i < GG_ITEMS; ++i)
      given.items[i] = item_of(value, (size_t)i);
  }
  return given;
}

/* --- Single values ---------------------------------------------------------------------------- */

/* Copies text. Octave never frees the result of mxArrayToString(). A character may be several
   bytes. */
static const char *copy_text(gg_mex_call *call, const mxArray *value) {
  const mwSize size = (mwSize)mxGetNumberOfElements(value) * 4 + 1;
  char *text = gg_mex_allocate(call, size, 1);
  if (!text) return NULL;
  text[0] = 0;
  mxGetString(value, text, size);
  return text;
}

const char *gg_mex_text(gg_mex_call *call, const mxArray *value, const char *name) {
  if (call->status) return NULL;
  if (is_text(value)) return copy_text(call, value);
  const gg_given given = gg_mex_given(value);
  gg_mex_check(call, gg_fail_string(&call->error, name, &given));
  return NULL;
}

const char *gg_mex_word(gg_mex_call *call, const char *name) {
  const mxArray *value = gg_mex_option(call, name);
  return value ? gg_mex_text(call, value, name) : NULL;
}

static int32_t find_constant(gg_mex_call *call, gpugeo_enum kind, const char *name,
                             int32_t otherwise) {
  int32_t value = otherwise;
  gg_mex_check(call, gpugeo_find(kind, name, &value, &call->error));
  return value;
}

int32_t gg_mex_choice(gg_mex_call *call, const char *name, gpugeo_enum kind, int32_t otherwise) {
  const char *word = gg_mex_word(call, name);
  return word ? find_constant(call, kind, word, otherwise) : otherwise;
}

void gg_mex_flag(gg_mex_call *call, const char *name, int32_t *flag) {
  const mxArray *value = gg_mex_option(call, name);
  if (!value) return;
  const gg_given given = gg_mex_given(value);
  gg_mex_check(call, gg_flag_given(name, &given, flag, &call->error));
}

void gg_mex_whole(gg_mex_call *call, const char *name, int64_t least, int64_t most,
                  int64_t *number) {
  const mxArray *value = gg_mex_option(call, name);
  if (!value) return;
  const gg_given given = gg_mex_given(value);
  gg_mex_check(call, gg_whole_number(name, &given, least, most, number, &call->error));
}

/* --- Matrices --------------------------------------------------------------------------------- */

static void fail_matrix(gg_mex_call *call, const mxArray *value, const char *name) {
  char words[80];
  describe_value(value, words, sizeof words);
  const char *what = words;
  if (value && mxIsChar(value)) what = "text";
  if (value && mxIsComplex(value)) what = "complex numbers";
  gg_mex_check(call, gg_fail_matrix(&call->error, name, what));
}

/* Fails when an element of a 64-bit integer array is not a double. */
static void check_whole(gg_mex_call *call, const mxArray *value, const char *name) {
  const size_t count = mxGetNumberOfElements(value), rows = mxGetM(value);
  const mxClassID class = mxGetClassID(value);
  const void *data = mxGetData(value);
  for (size_t i = 0; i < count; ++i) {
    if (is_double(data, class, i)) continue;
    gg_mex_check(call,
                 gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, name,
                         "%s must have 64-bit integers between -2^53 and 2^53, but in row %zu "
                         "and column %zu it is %s",
                         name, i % rows + 1, i / rows + 1, digits_of(data, class, i).text));
    return;
  }
}

/* True if the core would take an element for a missing value. */
static bool has_missing_mark(const mxArray *value) {
  const int32_t *data = mxGetData(value);
  const size_t count = mxGetNumberOfElements(value);
  for (size_t i = 0; i < count; ++i)
    if (data[i] == INT32_MIN) return true;
  return false;
}

/* Returns all elements as doubles: borrowed, or converted. NULL and an error when that fails. */
static const double *all_doubles(gg_mex_call *call, const mxArray *value, const char *name) {
  if (mxIsDouble(value) && !mxIsSparse(value)) return mxGetData(value);
  if (is_64_bit(value)) check_whole(call, value, name);
  if (call->status) return NULL;
  double *converted =
      gg_mex_allocate(call, (int64_t)mxGetNumberOfElements(value), sizeof *converted);
  if (converted) copy_elements(value, converted);
  return converted;
}

void gg_mex_matrix(gg_mex_call *call, const mxArray *value, const char *name, gpugeo_matrix *view) {
  if (call->status) return;
  if (!is_real_matrix(value)) {
    fail_matrix(call, value, name);
    return;
  }
  view->sparse = NULL;
  view->nrow = view->ld = (int64_t)mxGetM(value);
  view->ncol = (int64_t)mxGetN(value);
  if (mxIsSingle(value)) {
    view->type = GPUGEO_TYPE_FLOAT;
    view->data = mxGetData(value);
  } else if (mxIsInt32(value) && !has_missing_mark(value)) {
    view->type = GPUGEO_TYPE_INT32;
    view->data = mxGetData(value);
  } else {
    view->type = GPUGEO_TYPE_DOUBLE;
    view->data = all_doubles(call, value, name);
  }
}

/* Returns the stored elements of a sparse matrix as doubles: borrowed, or converted. */
static const double *stored_doubles(gg_mex_call *call, const mxArray *value, int64_t stored) {
  if (mxIsDouble(value)) return mxGetData(value);
  double *converted = gg_mex_allocate(call, stored, sizeof *converted);
  for (int64_t e = 0; converted && e < stored; ++e)
    converted[e] = element_of(mxGetData(value), mxGetClassID(value), (size_t)e);
  return converted;
}

void gg_mex_any_matrix(gg_mex_call *call, const mxArray *value, const char *name,
                       gpugeo_matrix *view) {
  if (call->status || !is_real_matrix(value) || !mxIsSparse(value)) {
    gg_mex_matrix(call, value, name, view);
    return;
  }
  gpugeo_sparse *sparse = gg_mex_allocate(call, 1, sizeof *sparse);
  if (!sparse) return;
  *sparse = (gpugeo_sparse){.start = mxGetJc(value),
                            .index = mxGetIr(value),
                            .index_bytes = (int32_t)sizeof(mwIndex),
                            .stored = (int64_t)mxGetJc(value)[mxGetN(value)]};
  *view = (gpugeo_matrix){.data = stored_doubles(call, value, sparse->stored),
                          .type = GPUGEO_TYPE_DOUBLE,
                          .nrow = (int64_t)mxGetM(value),
                          .ncol = (int64_t)mxGetN(value),
                          .ld = (int64_t)mxGetM(value),
                          .sparse = sparse};
}

void gg_mex_doubles(gg_mex_call *call, const mxArray *value, const char *name, const double **data,
                    int64_t *length) {
  if (!value || call->status) return;
  if (!is_real_matrix(value)) {
    fail_matrix(call, value, name);
    return;
  }
  *data = all_doubles(call, value, name);
  *length = (int64_t)mxGetNumberOfElements(value);
}

const int64_t *gg_mex_points_from_one(gg_mex_call *call, const mxArray *value, const char *name,
                                      int64_t points, int64_t *count) {
  const double *numbers = NULL;
  gg_mex_doubles(call, value, name, &numbers, count);
  int64_t *from_zero = call->status ? NULL : gg_mex_allocate(call, *count, sizeof *from_zero);
  for (int64_t i = 0; i < *count && !call->status; ++i) {
    const gg_given number = gg_given_number(numbers[i]);
    gg_mex_check(call,
                 gg_number_from_one(name, "points", &number, points, &from_zero[i], &call->error));
  }
  return from_zero;
}

void gg_mex_int32s(gg_mex_call *call, const char *name, const int32_t **data, int64_t *length) {
  const mxArray *value = gg_mex_option(call, name);
  if (!value || !mxIsInt32(value)) return;
  *data = mxGetData(value);
  *length = (int64_t)mxGetNumberOfElements(value);
}

void gg_mex_read_points(gg_mex_call *call, const char *y_name, bool takes_sparse,
                        gg_mex_points *points) {
  void (*read)(gg_mex_call *, const mxArray *, const char *, gpugeo_matrix *) =
      takes_sparse ? gg_mex_any_matrix : gg_mex_matrix;
  *points = (gg_mex_points){0};
  read(call, call->inputs[0], "x", &points->x);
  if (call->input_count > 1) {
    read(call, call->inputs[1], y_name, &points->second);
    points->y = &points->second;
  }
  points->single =
      points->x.type == GPUGEO_TYPE_FLOAT || (points->y && points->y->type == GPUGEO_TYPE_FLOAT);
  points->type = points->single ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
}

/* --- Options ---------------------------------------------------------------------------------- */

/* Reads an option that is several numbers. */
static void read_array(gg_mex_call *call, const gg_option *option, const mxArray *value,
                       void *options) {
  const double *data = NULL;
  int64_t length = 0;
  if (option->kind == GG_OPTION_INT32S) {
    if (mxIsInt32(value))
      gg_option_take_array(option, mxGetData(value), (int64_t)mxGetNumberOfElements(value),
                           options);
    return;
  }
  gg_mex_doubles(call, value, gg_option_name(option, GG_OCTAVE), &data, &length);
  if (call->status) return;
  const int64_t rows = (int64_t)mxGetM(value), columns = (int64_t)mxGetN(value);
  if (option->kind == GG_OPTION_MATRIX)
    *(gpugeo_matrix *)gg_option_field(option, options) =
        (gpugeo_matrix){data, GPUGEO_TYPE_DOUBLE, rows, columns, rows, NULL};
  else
    gg_option_take_array(option, data, length, options);
}

void gg_mex_read_options(gg_mex_call *call, const gg_option_table *table, void *options) {
  for (int32_t i = 0; i < table->count && !call->status; ++i) {
    const gg_option *option = &table->options[i];
    const char *name = gg_option_name(option, GG_OCTAVE);
    const mxArray *value =
        option->is_argument ? gg_mex_field(call->options, name) : gg_mex_option(call, name);
    if (!value) continue;
    if (gg_option_is_array(option)) {
      read_array(call, option, value, options);
    } else {
      const gg_given given = gg_mex_given(value);
      gg_mex_check(call, gg_option_take(option, &given, options, &call->error));
    }
  }
}
