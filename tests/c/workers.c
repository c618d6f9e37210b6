#include "workers.h"

#include "backends/backends.h"

static int32_t workers_each;
static gg_backend several; /* the CUDA backend, but for its workers */

static int32_t workers(int32_t device) { return workers_each * gg_cuda_backend.workers(device); }

void set_workers(int32_t each) {
  workers_each = each;
  several = gg_cuda_backend;
  if (each > 0) {
    several.workers = workers;
    several.can.spread_seconds = 0;
  }
  (void)gg_backend_add(&several);
}
