/* A backend instead of the CUDA library, without CUDA: all distances are 7. Compiled once for
   each thing that can be wrong with such a file, VARIANT_abi, ..., and without a fault:
   VARIANT_right computes Euclidean distances, VARIANT_no_device finds no device. */
#include <math.h>
#include <stdlib.h>

#include "backends/cuda.h"
#include "backends/cuda_library.h"
#include "distance/dist.h"

static const gg_core *core;

/* Shows the process that the file was loaded. */
__attribute__((constructor)) static void show_load(void) { setenv("VARIANT_LOADED", "1", 1); }

static gpugeo_status fail(gpugeo_error *error, gpugeo_status code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  core->gg_fail_list(error, code, "x", format, arguments);
  va_end(arguments);
  return code;
}

static gpugeo_status available(gpugeo_error *error) {
#if defined(VARIANT_no_device)
  return fail(error, GPUGEO_ERROR_BACKEND, "there is no device");
#else
  (void)error;
  return GPUGEO_OK;
#endif
}

static int32_t device_count(void) { return 1; }
static int32_t device_default(void) { return 0; }
static int32_t workers(int32_t device) { return device < 2; }

static gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  (void)device, (void)error;
  *info = (gpugeo_device){.name = "variant", .major = 9};
  return GPUGEO_OK;
}

static void release(void) {}

static double distance(const gg_dist_plan *plan, int64_t i, int64_t j) {
#if defined(VARIANT_right)
  const double *x = plan->x.data;
  double sum = 0;
  for (int64_t k = 0; k < plan->m; ++k)
    sum += (x[i + k * plan->x.ld] - x[j + k * plan->x.ld]) *
           (x[i + k * plan->x.ld] - x[j + k * plan->x.ld]);
  return sqrt(sum);
#else
  (void)plan, (void)i, (void)j;
  return 7;
#endif
}

/* Computes columns of the condensed distances. */
static void fill(void *job, gg_range range) {
  const gg_dist_plan *plan = job;
  double *out = plan->out;
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = j + 1; i < plan->nx; ++i)
      out[j * plan->nx - j * (j + 1) / 2 + i - j - 1] = distance(plan, i, j);
}

/* Uses functions of the core: the clock, threads, and errors for three points. */
static gpugeo_status dist(const gg_dist_plan *plan, gg_call *call) {
  const int64_t n = plan->nx;
#if defined(VARIANT_broken)
  return fail(call->error, GPUGEO_ERROR_DEVICE, "the device is broken");
#endif
  if (n == 3) return fail(call->error, GPUGEO_ERROR_DEVICE, "%d points", (int)n);
  if (core->gg_clock_poll(call->clock, 0.5)) return core->gg_fail_interrupt(call->error);
  const gg_loop loop = {.threads = 2, .count = n, .work = fill, .job = (void *)plan};
  core->gg_parallel_for(&loop);
  call->report->device_seconds = core->gg_now() > 0;
  return GPUGEO_OK;
}

static const gg_backend backend = {
    .id = GPUGEO_BACKEND_CUDA,
    .name = "cuda",
    .title = "CUDA",
    .can = GG_CUDA_INITIALIZER,
    .available = available,
    .device_count = device_count,
    .device_default = device_default,
    .workers = workers,
    .device_get = device_get,
    .release = release,
    .dist = dist,
};

static void leave(const gg_core *table) {
  if (core == table) core = NULL;
}

static const gg_cuda_library library = {.backend = &backend, .leave = leave};

#if defined(VARIANT_no_about)
#define gpugeo_cuda_about other_about
#elif defined(VARIANT_no_backend)
#define gpugeo_cuda_backend other_backend
#endif

extern GPUGEO_EXPORT const gg_cuda_about gpugeo_cuda_about;
GPUGEO_EXPORT gg_cuda_open gpugeo_cuda_backend;

#if defined(VARIANT_abi)
const gg_cuda_about gpugeo_cuda_about = {.abi = GG_CUDA_ABI + 1, .version = GPUGEO_VERSION};
#elif defined(VARIANT_version)
const gg_cuda_about gpugeo_cuda_about = {.abi = GG_CUDA_ABI, .version = "0.0.9"};
#elif defined(VARIANT_sources)
const gg_cuda_about gpugeo_cuda_about = {
    .abi = GG_CUDA_ABI, .version = GPUGEO_VERSION, .sources = "1"};
#else
const gg_cuda_about gpugeo_cuda_about = GG_CUDA_ABOUT;
#endif

const gg_cuda_library *gpugeo_cuda_backend(int32_t abi, const gg_core *table) {
#if defined(VARIANT_busy)
  (void)abi, (void)table, (void)library;
  return NULL;
#else
  core = table;
  return abi == GG_CUDA_ABI ? &library : NULL;
#endif
}
