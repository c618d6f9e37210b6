/* Backends and devices, settings, and values as messages show them. */
#include <stdio.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/settings.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Returns a structure array: backend, available, and reason (if not available, else ""). */
static mxArray *backends(void) {
  const char *names[] = {"backend", "available", "reason"};
  const int count = gg_backend_count();
  mxArray *array = mxCreateStructMatrix(1, count, 3, names);
  for (int i = 0; i < count; ++i) {
    const gg_backend *listed = gg_backend_at(i);
    gpugeo_error error;
    const bool usable = gpugeo_backend_available(listed->id, &error) == GPUGEO_OK;
    mxSetField(array, i, "backend", mxCreateString(listed->name));
    mxSetField(array, i, "available", mxCreateLogicalScalar(usable));
    mxSetField(array, i, "reason", mxCreateString(usable ? "" : error.message));
  }
  return array;
}

static void set_device(mxArray *array, int32_t i, const gpugeo_device *device) {
  char capability[32];
  snprintf(capability, sizeof capability, "%d.%d", (int)device->major, (int)device->minor);
  mxSetField(array, i, "device", mxCreateDoubleScalar(i));
  mxSetField(array, i, "name", mxCreateString(device->name));
  mxSetField(array, i, "capability", mxCreateString(capability));
  mxSetField(array, i, "multiprocessors", mxCreateDoubleScalar(device->multiprocessors));
  mxSetField(array, i, "total_bytes", mxCreateDoubleScalar((double)device->total_bytes));
  mxSetField(array, i, "free_bytes", mxCreateDoubleScalar((double)device->free_bytes));
}

/* Returns a structure array with an element for each CUDA device. */
static mxArray *devices(gg_mex_call *call) {
  const char *names[] = {"device",          "name",        "capability",
                         "multiprocessors", "total_bytes", "free_bytes"};
  const int32_t count = gpugeo_device_count();
  mxArray *array = mxCreateStructMatrix(1, count, 6, names);
  for (int32_t i = 0; i < count; ++i) {
    gpugeo_device device;
    if (!gg_mex_check(call, gpugeo_device_get(i, &device, &call->error))) break;
    set_device(array, i, &device);
  }
  return array;
}

/* Returns a structure: file, version and architectures, or the reason why there is none. */
static mxArray *cuda_library(void) {
  const char *names[] = {"file", "version", "architectures", "reason"};
  gpugeo_cuda_library library;
  gpugeo_cuda_library_get(&library);
  mxArray *structure = mxCreateStructMatrix(1, 1, 4, names);
  mxSetField(structure, 0, "file", mxCreateString(library.file));
  mxSetField(structure, 0, "version", mxCreateString(library.version));
  mxSetField(structure, 0, "architectures", mxCreateString(library.architectures));
  mxSetField(structure, 0, "reason", mxCreateString(library.reason));
  return structure;
}

void gg_mex_info(gg_mex_call *call) {
  mxArray *info = gg_mex_structure_result(call, 0);
  gg_mex_set_text(info, "hdf5", gpugeo_hdf5_version());
  gg_mex_set_text(info, "version", GPUGEO_VERSION);
  gg_mex_set_number(info, "threads", gpugeo_default_threads());
  gg_mex_set_text(info, "simd", gpugeo_simd());
  gg_mex_set(info, "backends", backends());
  gg_mex_set(info, "devices", devices(call));
  gg_mex_set(info, "cuda_library", cuda_library());
  gg_mex_set(info, "last", gg_mex_last_report());
}

void gg_mex_show(gg_mex_call *call) {
  const gg_given given = gg_mex_given(call->inputs[0]);
  gg_mex_text_result(call, 0, gg_show(&given).text);
}

void gg_mex_message(gg_mex_call *call) {
  const char *name = gg_mex_text(call, call->inputs[0], "name");
  const char *message = name ? gg_find_message(name, &call->error) : NULL;
  if (message)
    gg_mex_text_result(call, 0, message);
  else
    gg_mex_check(call, GPUGEO_ERROR_ARGUMENT);
}

void gg_mex_check_settings(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_settings(call, false, &run);
}

void gg_mex_unknown_setting(gg_mex_call *call) {
  gg_setting_text warning;
  gg_mex_text_result(call, 0, gg_unknown_setting(&warning) ? warning.text : "");
}

void gg_mex_invalid_variables(gg_mex_call *call) {
  mxArray *invalid = gg_mex_structure_result(call, 0);
  gpugeo_error error;
  if (gg_check_memory_variable(&error)) gg_mex_set_text(invalid, GG_MEMORY_VARIABLE, error.message);
}

void gg_mex_release_memory(gg_mex_call *call) {
  (void)call;
  gpugeo_release();
}

void gg_mex_name_cuda_library(gg_mex_call *call) {
  const bool none = mxIsEmpty(call->inputs[0]);
  const char *file = none ? NULL : gg_mex_text(call, call->inputs[0], "cuda_lib");
  if (!call->status) gpugeo_cuda_library_set(file);
}
