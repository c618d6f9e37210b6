#include "workers.h"

#include "backends/backends.h"
#include "common/test_hooks.h"

static int32_t workers_each;
static const gg_backend *cuda;
static gg_backend several; /* the CUDA backend, but for its workers */

static int32_t workers(int32_t device) { return workers_each * cuda->workers(device); }

void set_workers(int32_t each) {
  if (gg_backend_open(&gg_cuda_backend, &cuda, NULL)) return;
  workers_each = each;
  several = *cuda;
  if (each > 0) {
    several.workers = workers;
    several.can.spread_seconds = 0;
  }
  (void)gg_backend_add(&several);
}
