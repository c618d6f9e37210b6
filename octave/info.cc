/* What there is to compute with. */
#include "family.h"

#include <octave/oct-map.h>

#include <cstdint>

namespace gpugeo_octave {

/* A structure array: backend, available, and reason (why not, or ""). */
static octave_map backends() {
  const gpugeo_backend all[] = {GPUGEO_BACKEND_CPU, GPUGEO_BACKEND_CUDA};
  const octave_idx_type count = sizeof all / sizeof *all;
  Cell backend(1, count), available(1, count), reason(1, count);
  for (octave_idx_type i = 0; i < count; ++i) {
    gpugeo_error error;
    bool usable = gpugeo_backend_available(all[i], &error) == GPUGEO_OK;
    backend(i) = gpugeo_backend_name(all[i]);
    available(i) = usable;
    reason(i) = usable ? "" : error.message;
  }
  octave_map map(dim_vector(1, count));
  map.assign("backend", backend);
  map.assign("available", available);
  map.assign("reason", reason);
  return map;
}

/* A structure array with an element for each CUDA device. */
static octave_map devices() {
  const int32_t count = gpugeo_device_count();
  Cell number(1, count), name(1, count), capability(1, count), multiprocessors(1, count);
  Cell total(1, count), free(1, count);
  for (int32_t i = 0; i < count; ++i) {
    gpugeo_device device;
    gpugeo_error error;
    check(gpugeo_device_get(i, &device, &error), error);
    number(i) = i;
    name(i) = device.name;
    capability(i) = std::to_string(device.major) + "." + std::to_string(device.minor);
    multiprocessors(i) = device.multiprocessors;
    total(i) = static_cast<double>(device.total_bytes);
    free(i) = static_cast<double>(device.free_bytes);
  }
  octave_map map(dim_vector(1, count));
  map.assign("device", number);
  map.assign("name", name);
  map.assign("capability", capability);
  map.assign("multiprocessors", multiprocessors);
  map.assign("total_bytes", total);
  map.assign("free_bytes", free);
  return map;
}

octave_scalar_map info() {
  octave_scalar_map map;
  map.assign("hdf5", octave_value(gpugeo_hdf5_version()));
  map.assign("version", octave_value(GPUGEO_VERSION));
  map.assign("threads", octave_value(gpugeo_default_threads()));
  map.assign("simd", octave_value(gpugeo_simd()));
  map.assign("backends", octave_value(backends()));
  map.assign("devices", octave_value(devices()));
  return map;
}

} // namespace gpugeo_octave
