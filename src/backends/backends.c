/* The list of backends: the host's first, then those that AUTO asks in turn. */
#include "backends/backends.h"

const gg_backend *const gg_backend_list[] = {
    &gg_cpu_backend,
    &gg_cuda_backend,
};

const int gg_backend_list_length = sizeof gg_backend_list / sizeof *gg_backend_list;
