#include "host_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu.h"
#include "distance/dist_device.h"
#include "distance/dist_source.h"

enum { MOST_MATRICES = 8 };
static gpugeo_dist_device *matrices[MOST_MATRICES];
int host_device_matrices;

static gpugeo_status available(gpugeo_error *error) {
  (void)error;
  return GPUGEO_OK;
}

static int32_t device_count(void) { return 1; }
static int32_t device_default(void) { return 0; }
static int32_t workers(int32_t device) {
  (void)device;
  return 1;
}

static gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  (void)device, (void)error;
  *info = (gpugeo_device){.total_bytes = 1 << 30, .free_bytes = 1 << 30};
  snprintf(info->name, sizeof info->name, "memory of the host");
  return GPUGEO_OK;
}

static gpugeo_status make(const gg_dist_plan *plan, gpugeo_dist_device *made, gg_call *call) {
  gg_dist_plan mine = *plan;
  mine.out = malloc((size_t)(plan->nx * (plan->nx - 1) / 2) * (made->single ? 4 : 8));
  const gpugeo_status status = gg_cpu_dist(&mine, call);
  if (status) {
    free(mine.out);
  } else {
    made->values = mine.out;
    matrices[host_device_matrices++] = made;
  }
  return status;
}

static void free_matrix(gpugeo_dist_device *distances) {
  int at = 0;
  while (matrices[at] != distances)
    ++at;
  matrices[at] = matrices[--host_device_matrices];
  free(distances->values);
  distances->values = NULL;
}

static void release(void) {
  while (host_device_matrices > 0)
    free_matrix(matrices[0]);
}

static double value_at(const gpugeo_dist_device *from, int64_t i, int64_t j) {
  const int64_t at = gg_condensed_at(from->n, i > j ? i : j, i > j ? j : i);
  if (i == j) return 0;
  if (!from->single) return ((const double *)from->values)[at];
  const float value = ((const float *)from->values)[at];
  return value == value ? (double)value : from->missing;
}

static gpugeo_status read_lists(const gpugeo_dist_device *from, const gg_point_lists *lists,
                                double *out, gpugeo_error *error) {
  (void)error;
  for (int64_t c = 0; c < lists->column_count; ++c)
    for (int64_t r = 0; r < lists->row_count; ++r)
      *out++ = value_at(from, lists->rows[r], lists->columns[c]);
  return GPUGEO_OK;
}

static gpugeo_status read_columns(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                  double *out, gg_call *call) {
  (void)call;
  for (int64_t j = first; j < last; ++j)
    for (int64_t i = j + 1; i < from->n; ++i)
      *out++ = value_at(from, i, j);
  return GPUGEO_OK;
}

const gg_backend host_device = {
    .id = (gpugeo_backend)HOST_DEVICE,
    .name = "host-device",
    .title = "Host",
    .can = {.algorithms =
                {[GG_FAMILY_DIST] = GG_ALL_ALGORITHMS, [GG_FAMILY_DIST_DEVICE] = GG_ALL_ALGORITHMS},
            .devices = true,
            .sparse = true,
            .bytes_per_second = 1,
            .work_per_second = 1},
    .available = available,
    .device_count = device_count,
    .device_default = device_default,
    .workers = workers,
    .device_get = device_get,
    .release = release,
    .dist = gg_cpu_dist,
    .dist_device_make = make,
    .dist_device_free = free_matrix,
    .dist_device_read = read_lists,
    .dist_device_columns = read_columns,
};
