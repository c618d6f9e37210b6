/* Between Octave's values and the C API's: matrices, options, errors. */
#ifndef GPUGEO_OCTAVE_VALUE_H
#define GPUGEO_OCTAVE_VALUE_H

#include <octave/oct.h>
#include <octave/ov-struct.h>

#include <string>

#include "gpugeo.h"

#include "common/given.h"

namespace gpugeo_octave {

/* Does nothing when status is GPUGEO_OK. Else throws an Octave error with the message of the core
   and the identifier gpugeo:argument, :data, :memory, :backend, :device or :interrupt. */
void check(gpugeo_status status, const gpugeo_error &error);

/*
 * A real matrix as the core wants it, borrowed from Octave for the life of this object. Doubles,
 * singles and int32 go in without a copy; other integers, logical and sparse matrices are converted
 * to full doubles. Octave's integers have no missing value, so an int32 matrix that contains the
 * number by which the core marks one becomes doubles, too.
 */
class matrix {
public:
  /* Throws gpugeo:argument, with `name`, when the value is not a real matrix. */
  matrix(const octave_value &value, const char *name);

  const gpugeo_matrix *view() const { return &view_; }
  bool single() const { return view_.type == GPUGEO_FLOAT; }

private:
  NDArray doubles_;
  FloatNDArray singles_;
  int32NDArray integers_;
  gpugeo_matrix view_;
};

/* All elements of an option as doubles, for the life of this object; none when it is not defined.
 */
class doubles {
public:
  /* Throws gpugeo:argument, with `name`, when the value is not a real matrix. */
  doubles(const octave_value &value, const char *name);

  const double *data() const { return given_ ? values_.data() : nullptr; }
  int64_t length() const { return values_.numel(); }

private:
  bool given_;
  NDArray values_;
};

/* An option by its name; not defined when it is absent or [], which stand for the default. */
octave_value option(const octave_scalar_map &options, const char *name);

/* A value as messages show it, and as a number if it is a single one. */
gg_given given(const octave_value &value);

/* A value that must be one line of text, else gpugeo:argument. */
std::string text(const octave_value &value, const char *name);

/* A value that must be true or false, or 1 or 0, else gpugeo:argument. */
bool flag(const octave_value &value, const char *name);

/* Options that must be single numbers, as the functions of src/common/error.h take them. They are
   left alone where the option is absent or []. */
void read_number(const octave_scalar_map &options, const char *name, const char *allowed,
                 double *number);
void read_whole(const octave_scalar_map &options, const char *name, int64_t least, int64_t most,
                int64_t *number);
void read_any_whole(const octave_scalar_map &options, const char *name, int64_t *number);
void read_any_small(const octave_scalar_map &options, const char *name, int32_t *number);

} // namespace gpugeo_octave

#endif
