/* Memory for a result: an Octave array that the core fills, in place and for the first time. */
#ifndef GPUGEO_OCTAVE_RESULT_H
#define GPUGEO_OCTAVE_RESULT_H

#include <cstdint>

#include "value.h"

namespace gpugeo {

static_assert(sizeof(octave_idx_type) >= sizeof(int64_t),
              "gpugeo needs an Octave with 64-bit sizes");

/* A rows by columns matrix of doubles or singles that nobody has written to yet. */
class result {
public:
  result(gpugeo_type type, int64_t rows, int64_t columns) : single_(type == GPUGEO_FLOAT) {
    dim_vector size(rows, columns);
    if (single_)
      singles_ = FloatNDArray(size);
    else
      doubles_ = NDArray(size);
  }

  void *data() {
    return single_ ? static_cast<void *>(singles_.fortran_vec())
                   : static_cast<void *>(doubles_.fortran_vec());
  }

  octave_value value() const { return single_ ? octave_value(singles_) : octave_value(doubles_); }

private:
  bool single_;
  NDArray doubles_;
  FloatNDArray singles_;
};

} // namespace gpugeo

#endif
