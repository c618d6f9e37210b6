/* The list of backends that were built, and the choice of one for a call. */
#include "common/backend.h"

#include <stdbool.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"

void gpugeo_run_init(gpugeo_run *run, size_t size) {
  gpugeo_run defaults = {.device = GPUGEO_DEVICE_ALL};
  gg_options_fill(run, size, &defaults, sizeof defaults);
}

gpugeo_status gg_check_run(const gpugeo_run *run, gpugeo_error *error) {
  if (run->size != sizeof *run)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "run",
                   "run must be filled by gpugeo_run_init(), not have a size of %zu", run->size);
  for (size_t i = 0; i < sizeof run->reserved / sizeof *run->reserved; ++i)
    if (run->reserved[i])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "run",
                     "run must be filled by gpugeo_run_init() of gpugeo " GPUGEO_VERSION
                     " or earlier: it has settings of a later one");
  if (run->backend < GPUGEO_BACKEND_AUTO || run->backend > GPUGEO_BACKEND_CUDA)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "backend",
                   "backend must be between 0 and 2, not %d", (int)run->backend);
  if (run->precision != GPUGEO_PRECISION_DOUBLE && run->precision != GPUGEO_PRECISION_SINGLE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "precision", "precision must be 0 or 1, not %d",
                   (int)run->precision);
  if (run->threads < 0 || run->threads > GPUGEO_THREADS_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "threads",
                   "threads must be a whole number between 1 and %d, not %d", GPUGEO_THREADS_MAX,
                   run->threads);
  if (run->threads == 0) {
    gpugeo_status status = gg_check_thread_variable(error);
    if (status) return status;
  }
  if (run->work_bytes < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "work_bytes",
                   "work_bytes must be at least 0, not %lld", (long long)run->work_bytes);
  return gg_check_memory_variables(error);
}

static const gg_backend *const backends[] = {
    &gg_cpu_backend,
#ifdef GPUGEO_WITH_CUDA
    &gg_cuda_backend,
#endif
};
#define BACKENDS ((int)(sizeof backends / sizeof *backends))

static const gg_backend *backend_by_id(gpugeo_backend id) {
  for (int i = 0; i < BACKENDS; ++i)
    if (backends[i]->id == id) return backends[i];
  return NULL;
}

gpugeo_status gpugeo_backend_available(gpugeo_backend id, gpugeo_error *error) {
  if (id == GPUGEO_BACKEND_AUTO) return GPUGEO_OK;
  if (id == GPUGEO_BACKEND_CUDA && gg_device_held())
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                   "this is a hook of a call that computes on a CUDA device: use backend \"cpu\"");
  const gg_backend *backend = backend_by_id(id);
  if (!backend)
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "gpugeo was built without CUDA");
  return backend->available(error);
}

int32_t gpugeo_device_count(void) {
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL)) return 0;
  return backend_by_id(GPUGEO_BACKEND_CUDA)->device_count();
}

gpugeo_status gpugeo_device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  gpugeo_status status = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, error);
  if (status) return status;
  const gg_backend *cuda = backend_by_id(GPUGEO_BACKEND_CUDA);
  int32_t count = cuda->device_count();
  if (device < 0 || device >= count)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "device",
                   "device must be between 0 and %d (the CUDA devices), not %d", count - 1, device);
  return cuda->device_get(device, info, error);
}

void gpugeo_release(void) {
  if (gg_forked()) return; /* what the parent holds is the parent's */
  for (int i = 0; i < BACKENDS; ++i)
    backends[i]->release();
}

/*
 * True if the problem is large enough for AUTO to choose CUDA. A call on a device takes 200
 * microseconds of launches and waits, and the time to copy `bytes`; the CPU takes about 0.1 ns per
 * pair of coordinates and thread, and the first touch of the result. Measured with 16 threads and
 * an H200: from 100 x 10 to 10,000 x 64 the choice was the faster one, or the times differed by
 * less than a third.
 */
static bool pays_for_copies(double work, double bytes, int32_t threads) {
  double cpu = 0.1e-9 * work / threads + bytes / 10e9;
  double cuda = 200e-6 + bytes / 40e9;
  return cuda < cpu;
}

gpugeo_status gg_backend_choose(const gpugeo_run *run, double work, double bytes,
                                const gg_backend **backend, int32_t *device, gpugeo_error *error) {
  *backend = &gg_cpu_backend;
  *device = -1;
  if (run->device < 0 && run->device != GPUGEO_DEVICE_ALL) {
    int32_t unread;
    const gg_given given = gg_given_number(run->device);
    return gg_device_number(&given, &unread, error);
  }
  if (run->backend == GPUGEO_BACKEND_CPU) return GPUGEO_OK;
  if (run->backend == GPUGEO_BACKEND_AUTO &&
      !pays_for_copies(work, bytes, gg_threads(run->threads)))
    return GPUGEO_OK;
  gpugeo_error reason;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &reason)) {
    if (run->backend == GPUGEO_BACKEND_AUTO) return GPUGEO_OK;
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "backend \"cuda\" cannot be used: %s",
                   reason.message);
  }
  gpugeo_device info;
  const gg_backend *cuda = backend_by_id(GPUGEO_BACKEND_CUDA);
  int32_t chosen = run->device >= 0 ? run->device : cuda->device_default();
  gpugeo_status status = gpugeo_device_get(chosen, &info, error);
  if (status) return status;
  *backend = cuda;
  *device = chosen;
  return GPUGEO_OK;
}

/*
 * True if one device takes so long that more devices make the call faster. Assumes a low rate, so
 * that calls of 0.1 s and less are spread, too. Measured with two H200s: neighbours of 262,144 x 64
 * take 0.069 s instead of 0.091, of 1,048,576 x 64 0.54 instead of 1.07; distances of 65,536 x 64,
 * which the host's memory limits, 0.63 instead of 0.66, in single precision 0.45 instead of 0.56;
 * manhattan of 16,384 x 4,096 0.12 instead of 0.10.
 */
static bool pays_for_devices(double work, double bytes) {
  return work / 2e12 + bytes / 40e9 >= 0.1;
}

gpugeo_status gg_backend_spread(const gpugeo_run *run, double work, double bytes,
                                const gg_backend **backend, int32_t *device, int32_t *lanes,
                                gpugeo_error *error) {
  *lanes = 1;
  gpugeo_status status = gg_backend_choose(run, work, bytes, backend, device, error);
  if (status || (*backend)->id == GPUGEO_BACKEND_CPU) return status;
  const int32_t each = gg_context_get()->lanes;
  if (each == 0 && !pays_for_devices(work, bytes)) return GPUGEO_OK;
  const bool all = run->device == GPUGEO_DEVICE_ALL;
  const int32_t devices = all ? (*backend)->device_spread() : 1;
  *lanes = devices * (each > 0 ? each : 1);
  if (all && devices > 1) *device = GPUGEO_DEVICE_ALL;
  return GPUGEO_OK;
}

gpugeo_report gg_report_of(const gg_backend *backend, int32_t device, int32_t lanes,
                           int32_t threads) {
  return (gpugeo_report){
      .backend = backend->id,
      .device = device,
      .devices = backend->id == GPUGEO_BACKEND_CPU ? 0 : lanes,
      .threads = threads,
  };
}

gpugeo_status gg_report_start(const gpugeo_run *run, gpugeo_report *report, gpugeo_error *error) {
  const gg_backend *backend;
  int32_t device;
  gpugeo_status status = gg_backend_choose(run, 0, 0, &backend, &device, error);
  if (!status) *report = gg_report_of(backend, device, 1, 1);
  return status;
}
