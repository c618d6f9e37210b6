/* Several arrays in one block of device memory. */
#ifndef GG_CUDA_DIVIDER_CUH
#define GG_CUDA_DIVIDER_CUH

#include "cuda/common/pairs.cuh"

namespace gpugeo {

/* Takes parts of a block of device memory, or only counts their bytes. */
class divider {
public:
  explicit divider(char *memory) : memory_(memory) {}

  template <class T> void take(T *&part, int64_t count) {
    if (memory_) part = reinterpret_cast<T *>(memory_ + bytes_);
    bytes_ += round_up(count * (int64_t)sizeof(T), 256);
  }
  int64_t bytes() const { return bytes_; }

private:
  char *memory_;
  int64_t bytes_ = 0;
};

} // namespace gpugeo

#endif
