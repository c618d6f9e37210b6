#include "value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "common/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

static const char *error_identifier(gpugeo_status status) {
  switch (status) {
  case GPUGEO_ERROR_ARGUMENT:
    return "gpugeo:argument";
  case GPUGEO_ERROR_DATA:
    return "gpugeo:data";
  case GPUGEO_ERROR_MEMORY:
    return "gpugeo:memory";
  case GPUGEO_ERROR_BACKEND:
    return "gpugeo:backend";
  case GPUGEO_ERROR_INTERRUPT:
    return "gpugeo:interrupt";
  case GPUGEO_ERROR_FILE:
    return "gpugeo:file";
  default:
    return "gpugeo:device";
  }
}

void check(gpugeo_status status, const gpugeo_error &error) {
  if (status != GPUGEO_OK) error_with_id(error_identifier(status), "%s", error.message);
}

static bool is_real_matrix(const octave_value &value) {
  return (value.isnumeric() || value.islogical()) && !value.iscomplex() && value.ndims() == 2;
}

/* --- Values as given -------------------------------------------------------------------------- */

/* What a value is that is no real matrix and no line of text. */
static std::string words_of(const octave_value &value) {
  if (value.is_string()) return "a matrix of characters";
  if (value.iscomplex()) return value.numel() == 1 ? "a complex number" : "complex numbers";
  if (value.iscell()) return "a cell array";
  if (value.isstruct()) return "a structure";
  if (value.is_function_handle()) return "a function";
  if (value.is_undefined()) return "nothing";
  if (value.ndims() > 2) return "an array of " + std::to_string(value.ndims()) + " dimensions";
  return "an object of class " + value.class_name();
}

static const double whole_limit =
    9007199254740992.0; /* 2^53: all whole numbers up to it are doubles */

static std::string matrix_words(const octave_value &value) {
  const std::string sizes = std::to_string(value.rows()) + " x " + std::to_string(value.columns());
  if (value.isempty()) return value.rows() + value.columns() > 0 ? "[](" + sizes + ")" : "[]";
  return "a " + sizes + " matrix";
}

/* Gives a 64-bit number that a double may not hold its digits, and a value that no limit allows. */
template <typename T> static void set_digits(gg_item *item, T number) {
  if (std::fabs(number.double_value()) <= whole_limit && number == T(number.double_value())) return;
  item->number = std::copysign(whole_limit * 2048, number.double_value());
  std::snprintf(item->text, sizeof item->text, "%s", std::to_string(number.value()).c_str());
}

static gg_item item_of(const octave_value &values, octave_idx_type i) {
  gg_item item = {GG_ITEM_NUMBER, 0, ""};
  const octave_value value = values.fast_elem_extract(i);
  item.number = value.double_value();
  if (value.islogical()) item.kind = GG_ITEM_FLAG;
  if (value.is_uint64_type()) set_digits(&item, value.uint64_scalar_value());
  if (value.is_int64_type()) set_digits(&item, value.int64_scalar_value());
  return item;
}

gg_given given(const octave_value &value) {
  gg_given shown = {};
  shown.language = GG_OCTAVE;
  shown.length = 1;
  std::string words;
  if (value.is_string() && value.rows() <= 1) {
    gg_item_text(&shown.items[0], value.string_value().c_str());
  } else if (!is_real_matrix(value)) {
    words = words_of(value);
  } else if (value.numel() == 0 || (value.rows() > 1 && value.columns() > 1)) {
    words = matrix_words(value);
  } else {
    const octave_value full = value.full_value();
    shown.length = full.numel();
    shown.column = full.rows() > 1;
    for (octave_idx_type i = 0; i < shown.length && i < GG_ITEMS; ++i)
      shown.items[i] = item_of(full, i);
  }
  std::snprintf(shown.words, sizeof shown.words, "%s", words.c_str());
  return shown;
}

/* --- Matrices --------------------------------------------------------------------------------- */

static bool has_missing_mark(const int32NDArray &integers) {
  const octave_int32 *first = integers.data(), *last = first + integers.numel();
  return std::find(first, last, octave_int32(std::numeric_limits<int32_t>::min())) != last;
}

/* Throws gpugeo:data when a 64-bit integer is not a double. */
template <typename Array> static void check_whole(const Array &integers, const char *name) {
  const double limit = whole_limit;
  for (octave_idx_type i = 0; i < integers.numel(); ++i) {
    const double value = integers(i).double_value();
    if (value >= -limit && value <= limit &&
        integers(i).value() == static_cast<decltype(integers(i).value())>(value))
      continue;
    gpugeo_error error;
    check(gg_fail(&error, GPUGEO_ERROR_ARGUMENT, name,
                  "%s must have 64-bit integers between -2^53 and 2^53, but in row %lld and column "
                  "%lld it is %s",
                  name, static_cast<long long>(i % integers.rows() + 1),
                  static_cast<long long>(i / integers.rows() + 1),
                  std::to_string(integers(i).value()).c_str()),
          error);
  }
}

matrix::matrix(const octave_value &value, const char *name) {
  if (!is_real_matrix(value)) {
    gpugeo_error error;
    check(gg_fail_matrix(&error, name,
                         value.is_string()   ? "text"
                         : value.iscomplex() ? "complex numbers"
                                             : words_of(value).c_str()),
          error);
  }
  view_.nrow = value.rows();
  view_.ncol = value.columns();
  view_.ld = view_.nrow;
  if (value.is_single_type()) {
    singles_ = value.float_array_value();
    view_.type = GPUGEO_FLOAT;
    view_.data = singles_.data();
    return;
  }
  if (value.is_int32_type()) {
    integers_ = value.int32_array_value();
    view_.type = GPUGEO_INT32;
    view_.data = integers_.data();
    if (!has_missing_mark(integers_)) return;
  }
  if (value.is_uint64_type()) check_whole(value.uint64_array_value(), name);
  if (value.is_int64_type()) check_whole(value.int64_array_value(), name);
  doubles_ = value.array_value();
  view_.type = GPUGEO_DOUBLE;
  view_.data = doubles_.data();
}

doubles::doubles(const octave_value &value, const char *name) : given_(value.is_defined()) {
  if (!given_) return;
  matrix checked(value, name);
  values_ = value.array_value();
}

octave_value option(const octave_scalar_map &options, const char *name) {
  octave_value value = options.getfield(name);
  bool stands_for_default = value.is_defined() && value.isempty() && value.isnumeric();
  return stands_for_default ? octave_value() : value;
}

/* --- Options ---------------------------------------------------------------------------------- */

std::string text(const octave_value &value, const char *name) {
  if (!value.is_string() || value.rows() > 1) {
    gpugeo_error error;
    const gg_given shown = given(value);
    check(gg_fail_string(&error, name, &shown), error);
  }
  return value.string_value();
}

bool flag(const octave_value &value, const char *name) {
  const gg_given shown = given(value);
  const double number = value.is_bool_scalar() ? value.bool_value() : gg_number_given(&shown);
  if (number != 0 && number != 1) {
    gpugeo_error error;
    check(gg_fail_flag(&error, name, &shown), error);
  }
  return number == 1;
}

void read_number(const octave_scalar_map &options, const char *name, const char *allowed,
                 double *number) {
  octave_value value = option(options, name);
  if (value.is_undefined()) return;
  gpugeo_error error;
  const gg_given shown = given(value);
  check(gg_any_number(name, allowed, &shown, number, &error), error);
}

void read_whole(const octave_scalar_map &options, const char *name, int64_t least, int64_t most,
                int64_t *number) {
  octave_value value = option(options, name);
  if (value.is_undefined()) return;
  gpugeo_error error;
  const gg_given shown = given(value);
  check(gg_whole_number(name, &shown, least, most, number, &error), error);
}

void read_any_whole(const octave_scalar_map &options, const char *name, int64_t *number) {
  octave_value value = option(options, name);
  if (value.is_undefined()) return;
  gpugeo_error error;
  const gg_given shown = given(value);
  check(gg_any_whole_number(name, &shown, number, &error), error);
}

void read_any_small(const octave_scalar_map &options, const char *name, int32_t *number) {
  octave_value value = option(options, name);
  if (value.is_undefined()) return;
  gpugeo_error error;
  const gg_given shown = given(value);
  check(gg_any_small_number(name, &shown, number, &error), error);
}

} // namespace gpugeo_octave
