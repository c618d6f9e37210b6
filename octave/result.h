/* Memory for a result: an Octave array that the core fills, in place and as the first to touch it.
 */
#ifndef GPUGEO_OCTAVE_RESULT_H
#define GPUGEO_OCTAVE_RESULT_H

#include <octave/version.h>

#include <cstdint>
#include <memory>

#include "value.h"

namespace gpugeo_octave {

static_assert(sizeof(octave_idx_type) >= sizeof(int64_t), "gpugeo needs 64-bit sizes in Octave");

#if OCTAVE_MAJOR_VERSION >= 7
/* Octave fills a new array with zeros from version 7 on, with one thread, which for a large result
   takes as long as computing it. So the array is given memory of its own allocator's that is not
   filled. */
template <typename T, typename Allocator>
Array<T, Allocator> untouched(const Array<T, Allocator> &, const dim_vector &size) {
  Allocator allocator;
  T *data = std::allocator_traits<Allocator>::allocate(allocator, size.safe_numel());
  return Array<T, Allocator>(data, size, allocator);
}
#else
template <typename T> Array<T> untouched(const Array<T> &, const dim_vector &size) {
  return Array<T>(size);
}
#endif

/* A rows by columns matrix of doubles or singles that nobody has written to yet. */
class result {
public:
  result(gpugeo_type type, int64_t rows, int64_t columns) : single_(type == GPUGEO_TYPE_FLOAT) {
    dim_vector size(rows, columns);
    if (single_)
      singles_ = untouched(singles_, size);
    else
      doubles_ = untouched(doubles_, size);
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

} // namespace gpugeo_octave

#endif
