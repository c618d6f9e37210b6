#include "value.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../src/error.h" /* not Octave's header of that name */

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

static gg_kind kind_of(const octave_value &value) {
  if (value.is_string()) return GG_TEXT;
  if (value.iscomplex()) return GG_COMPLEX;
  if (value.iscell() || value.isstruct()) return GG_LIST;
  return GG_OTHER;
}

static bool is_real_matrix(const octave_value &value) {
  return (value.isnumeric() || value.islogical()) && !value.iscomplex() && value.ndims() == 2;
}

static bool has_missing_mark(const int32NDArray &integers) {
  const octave_int32 *first = integers.data(), *last = first + integers.numel();
  return std::find(first, last, octave_int32(std::numeric_limits<int32_t>::min())) != last;
}

matrix::matrix(const octave_value &value, const char *name) {
  if (!is_real_matrix(value)) {
    gpugeo_error error;
    check(gg_fail_matrix(&error, name, kind_of(value)), error);
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

std::string text(const octave_value &value, const char *name) {
  if (!value.is_string() || value.rows() > 1) {
    gpugeo_error error;
    check(gg_fail_string(&error, name), error);
  }
  return value.string_value();
}

bool flag(const octave_value &value, const char *name) {
  double given = value.is_bool_scalar() ? value.bool_value() : number(value);
  if (given != 0 && given != 1) {
    gpugeo_error error;
    check(gg_fail_flag(&error, name), error);
  }
  return given == 1;
}

double number(const octave_value &value) {
  bool real_number = is_real_matrix(value) && value.isnumeric() && value.numel() == 1;
  return real_number ? value.double_value() : std::numeric_limits<double>::quiet_NaN();
}

} // namespace gpugeo_octave
