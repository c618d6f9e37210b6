/* The CPU backend's table. The backend is always available, has no devices and keeps nothing
   between calls. */
#include "common/cpu.h"

#include "common/error.h"

static gpugeo_status available(gpugeo_error *error) {
  (void)error;
  return GPUGEO_OK;
}
static int32_t device_count(void) { return 0; }
static int32_t device_default(void) { return -1; }
static int32_t device_spread(void) { return 0; }
static gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  (void)info;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "device", "the CPU has no device %d", device);
}
static void release(void) {}

const gg_backend gg_cpu_backend = {
    .id = GPUGEO_BACKEND_CPU,
    .available = available,
    .device_count = device_count,
    .device_default = device_default,
    .device_spread = device_spread,
    .device_get = device_get,
    .release = release,
    .dist = gg_cpu_dist,
    .knn = gg_cpu_knn,
    .radius = gg_cpu_radius,
    .closest = gg_cpu_closest,
    .rank_pairs = gg_cpu_rank_pairs,
    .collide = gg_cpu_collide,
    .dgp = gg_cpu_dgp,
    .dgp_rows = gg_cpu_dgp_rows,
    .layout = gg_cpu_layout,
    .layout_forces = gg_cpu_layout_forces,
};
