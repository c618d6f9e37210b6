/* The CUDA backend's table where it was not built: the same capabilities, and never available. */
#ifndef GPUGEO_WITH_CUDA

#include "backends/backends.h"
#include "backends/cuda.h"
#include "common/error.h"

static gpugeo_status available(gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "gpugeo was built without CUDA");
}

const gg_backend gg_cuda_backend = {
    .id = GPUGEO_BACKEND_CUDA,
    .name = "cuda",
    .title = "CUDA",
    .can = GG_CUDA_CAPABILITIES,
    .available = available,
};

#else

typedef int gg_cuda_is_built; /* ISO C has no empty files */

#endif
