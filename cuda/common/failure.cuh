/* What a call of the CUDA runtime throws when it fails. */
#ifndef GG_CUDA_FAILURE_CUH
#define GG_CUDA_FAILURE_CUH

#include <cuda_runtime.h>

#include <cstdint>

namespace gpugeo {

/* Returns the device of this thread. */
inline int current_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

/* A call of the CUDA runtime that failed. */
struct device_failure {
  cudaError_t code;
  const char *call; /* as written in the source */
  int device = current_device();
};

/* Device memory that could not be had. */
struct device_memory_failure {
  int64_t bytes;
  int device = current_device();
};

/* The interrupt hook asked to stop. */
struct interrupted {};

/* Throws a failure of the device if a call of CUDA's runtime failed. */
inline void check(cudaError_t code, const char *call) {
  if (code != cudaSuccess) throw device_failure{code, call};
}

/* Checks a call of the CUDA runtime. All calls use it, except those in destructors. */
#define GG_CUDA(call) gpugeo::check((call), #call)

/* Returns an attribute of a device. */
inline int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  GG_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

} // namespace gpugeo

#endif
