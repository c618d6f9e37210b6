/* The list of backends, and which of them a call takes. */
#include "common/backend.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/test_hooks.h"
#include "common/thread_flags.h"

/* --- The list --------------------------------------------------------------------------------- */

enum { MOST_ADDED = 4 };
static const gg_backend *added[MOST_ADDED]; /* by gg_backend_add() */
static int added_count;

/* Returns the one of that number among those added, or NULL. */
static const gg_backend *find_added(gpugeo_backend id) {
  for (int i = 0; i < added_count; ++i)
    if (added[i]->id == id) return added[i];
  return NULL;
}

/* True if a backend in the list has this number. */
static bool is_listed(gpugeo_backend id) {
  for (int i = 0; i < gg_backend_list_length; ++i)
    if (gg_backend_list[i]->id == id) return true;
  return false;
}

int gg_backend_count(void) {
  int count = gg_backend_list_length;
  for (int i = 0; i < added_count; ++i)
    count += !is_listed(added[i]->id);
  return count;
}

const gg_backend *gg_backend_at(int index) {
  if (index < gg_backend_list_length) {
    const gg_backend *instead = find_added(gg_backend_list[index]->id);
    return instead ? instead : gg_backend_list[index];
  }
  int left = index - gg_backend_list_length;
  for (int i = 0; i < added_count; ++i)
    if (!is_listed(added[i]->id) && left-- == 0) return added[i];
  return NULL;
}

const gg_backend *gg_backend_of(gpugeo_backend id) {
  for (int i = 0; i < gg_backend_count(); ++i)
    if (gg_backend_at(i)->id == id) return gg_backend_at(i);
  return NULL;
}

const gg_backend *gg_host_backend(void) { return gg_backend_at(0); }

bool gg_backend_add(const gg_backend *backend) {
  for (int i = 0; i < added_count; ++i)
    if (added[i]->id == backend->id) {
      added[i] = backend;
      return true;
    }
  if (added_count == MOST_ADDED) return false;
  added[added_count++] = backend;
  return true;
}

bool gg_backend_has(const gg_backend *backend, gg_family family) {
  return backend->can.algorithms[family] != 0;
}

/* --- A run ------------------------------------------------------------------------------------ */

/* Fills in the error of a number that no backend has. */
static gpugeo_status fail_id(gpugeo_backend id, gpugeo_status code, gpugeo_error *error) {
  int most = GPUGEO_BACKEND_AUTO;
  for (int i = 0; i < gg_backend_count(); ++i)
    if ((int)gg_backend_at(i)->id > most) most = (int)gg_backend_at(i)->id;
  return gg_fail(error, code, "backend", "backend must be between 0 and %d, not %d", most, (int)id);
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
  if (run->backend != GPUGEO_BACKEND_AUTO && !gg_backend_of(run->backend))
    return fail_id(run->backend, GPUGEO_ERROR_ARGUMENT, error);
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
  return gg_check_memory_variable(error);
}

/* --- What a backend has ----------------------------------------------------------------------- */

#define TITLE(name, cuda, title) title,
static const char *const family_titles[GG_FAMILIES] = {GG_FAMILY_LIST(TITLE)};

const gg_backend *gg_backend_with(gg_family family) {
  for (int i = 0; i < gg_backend_count(); ++i)
    if (gg_backend_has(gg_backend_at(i), family)) return gg_backend_at(i);
  return gg_host_backend();
}

enum { ASKED_BYTES = 160 }; /* of what a call asks: "for graphs" */

/* Fails because a backend must compute what another one is named for. */
static gpugeo_status fail_backend(const gg_backend *able, const gg_backend *named, const char *what,
                                  gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "backend",
                 "backend must be \"auto\" or \"%s\" %s, not \"%s\"", able->name, what,
                 named->name);
}

gpugeo_status gg_check_family(const gpugeo_run *run, gg_family family, gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(run->backend);
  if (!named || gg_backend_has(named, family)) return GPUGEO_OK;
  char what[ASKED_BYTES];
  snprintf(what, sizeof what, "for %s", family_titles[family]);
  return fail_backend(gg_backend_with(family), named, what, error);
}

/* True if the backend has this algorithm of the family. */
static bool has_algorithm(const gg_backend *backend, gg_family family, int algorithm) {
  return backend->can.algorithms[family] & GG_ALGORITHM(algorithm);
}

/* True if a backend takes the kind of points of a request. */
static bool takes_points(const gg_backend *backend, const gg_request *request) {
  return (backend->can.sparse || !request->sparse) && (backend->can.sphere || !request->sphere);
}

/* True if the core can do a family's work by great circles with a backend that only has chords
   (gg_sphere_knn(), gg_collide_by_chords()). */
static bool has_chords(gg_family family) {
  return family == GG_FAMILY_KNN || family == GG_FAMILY_RADIUS || family == GG_FAMILY_COLLIDE;
}

/* Checks that the backend that a run names takes the kind of points. */
static gpugeo_status check_points(const gpugeo_run *run, const gg_request *request,
                                  gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(run->backend);
  if (!named) return GPUGEO_OK;
  gg_request asked = *request;
  if (has_chords(request->family)) asked.sphere = false;
  if (takes_points(named, &asked)) return GPUGEO_OK;
  const bool sparse = request->sparse && !named->can.sparse;
  return gg_fail_backend(run, error, "for %s",
                         sparse ? "sparse matrices" : "clusters by great circles");
}

gpugeo_status gg_check_algorithm(const gpugeo_run *run, gg_family family, int algorithm,
                                 const char *name, gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(run->backend);
  gpugeo_status status = gg_check_family(run, family, error);
  if (status || !named || has_algorithm(named, family, algorithm)) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                 "algorithm \"%s\" must be given with backend \"%s\", not \"%s\"", name,
                 gg_host_backend()->name, named->name);
}

gpugeo_status gg_check_choice(const gpugeo_run *run, gg_family family, int algorithm,
                              gpugeo_error *error, const char *what, ...) {
  const gg_backend *named = gg_backend_of(run->backend);
  gpugeo_status status = gg_check_family(run, family, error);
  if (status || !named || has_algorithm(named, family, algorithm)) return status;
  char text[ASKED_BYTES];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  return fail_backend(gg_host_backend(), named, text, error);
}

gpugeo_status gg_fail_backend(const gpugeo_run *run, gpugeo_error *error, const char *what, ...) {
  char text[ASKED_BYTES];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  return fail_backend(gg_host_backend(), gg_backend_of(run->backend), text, error);
}

bool gg_run_allows_host(const gpugeo_run *run) {
  return run->backend == GPUGEO_BACKEND_AUTO || run->backend == gg_host_backend()->id;
}

gpugeo_status gg_backend_open(const gg_backend *backend, const gg_backend **table,
                              gpugeo_error *error) {
  *table = backend;
  if (backend->can.exclusive && gg_thread_is(GG_THREAD_HOLDS_DEVICE))
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                   "this is a hook of a call that computes on a %s device: use backend \"%s\"",
                   backend->title, gg_host_backend()->name);
  gpugeo_status status = backend->available(error);
  if (!status && backend->loaded) *table = backend->loaded();
  return status;
}

gpugeo_status gpugeo_backend_available(gpugeo_backend id, gpugeo_error *error) {
  if (id == GPUGEO_BACKEND_AUTO) return GPUGEO_OK;
  const gg_backend *backend = gg_backend_of(id);
  return backend ? gg_backend_open(backend, &backend, error)
                 : fail_id(id, GPUGEO_ERROR_BACKEND, error);
}

/* --- Devices ---------------------------------------------------------------------------------- */

/* Opens the first backend that computes on devices. */
static gpugeo_status open_devices(const gg_backend **table, gpugeo_error *error) {
  for (int i = 0; i < gg_backend_count(); ++i)
    if (gg_backend_at(i)->can.devices) return gg_backend_open(gg_backend_at(i), table, error);
  return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "no backend computes on devices");
}

int32_t gpugeo_device_count(void) {
  const gg_backend *backend;
  return open_devices(&backend, NULL) ? 0 : backend->device_count();
}

/* Describes a device of an available backend. */
static gpugeo_status get_device(const gg_backend *backend, int32_t device, gpugeo_device *info,
                                gpugeo_error *error) {
  const int32_t count = backend->device_count();
  if (device < 0 || device >= count)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "device",
                   "device must be between 0 and %d (the %s devices), not %d", count - 1,
                   backend->title, device);
  return backend->device_get(device, info, error);
}

gpugeo_status gpugeo_device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  const gg_backend *backend;
  gpugeo_status status = open_devices(&backend, error);
  return status ? status : get_device(backend, device, info, error);
}

void gpugeo_release(void) {
  if (gg_forked()) return; /* what the parent holds is the parent's */
  for (int i = 0; i < gg_backend_count(); ++i)
    if (gg_backend_at(i)->release) gg_backend_at(i)->release();
}

/* --- The backend of a call -------------------------------------------------------------------- */

/*
 * True if a backend computes the call in less time than the CPU, which takes about 0.1 ns for a
 * pair of coordinates and thread, and the first touch of the result. Measured with 16 threads and
 * an H200: from 100 x 10 to 10000 x 64 the choice was the better one, or both were within a third
 * of each other. The device's own time counts where the CPU leaves out most of the work.
 */
static bool pays_for_copies(const gg_backend *backend, const gg_request *request, int32_t threads) {
  const double work = request->work * (1 - request->skipped);
  const double cpu = 0.1e-9 * work / threads + request->bytes / 10e9;
  const double computing = request->skipped > 0 ? request->work / backend->can.work_per_second : 0;
  const double copying = request->bytes / backend->can.bytes_per_second;
  return backend->can.call_seconds + request->latency + copying + computing < cpu;
}

/* Returns the backend that AUTO takes if it is available. */
static const gg_backend *automatic_backend(const gpugeo_run *run, const gg_request *request) {
  for (int i = 1; i < gg_backend_count(); ++i) {
    const gg_backend *backend = gg_backend_at(i);
    if (backend->can.automatic && has_algorithm(backend, request->family, request->algorithm) &&
        takes_points(backend, request) &&
        pays_for_copies(backend, request, 1) && /* else the threads need not be counted */
        pays_for_copies(backend, request, gg_threads(run->threads)))
      return backend;
  }
  return gg_host_backend();
}

/* Chooses the device, *device. *fits: it has the memory that the request needs. */
static gpugeo_status choose_device(const gpugeo_run *run, const gg_request *request,
                                   const gg_backend *backend, int32_t *device, bool *fits,
                                   gpugeo_error *error) {
  *fits = true;
  if (!backend->can.devices) return GPUGEO_OK;
  gpugeo_device info;
  const int32_t chosen = run->device >= 0 ? run->device : backend->device_default();
  gpugeo_status status = get_device(backend, chosen, &info, error);
  if (status) return status;
  const double share = request->alone ? 1 : 0.8; /* the rest is for results */
  *fits = request->resident <= share * (double)info.free_bytes;
  *device = chosen;
  return GPUGEO_OK;
}

gpugeo_status gg_backend_choose(const gpugeo_run *run, const gg_request *request,
                                const gg_backend **backend, int32_t *device, gpugeo_error *error) {
  *backend = gg_host_backend();
  *device = -1;
  if (run->device < 0 && run->device != GPUGEO_DEVICE_ALL) {
    int32_t unread;
    const gg_given given = gg_given_number(run->device);
    return gg_device_number(&given, &unread, error);
  }
  gpugeo_status status = gg_check_family(run, request->family, error);
  if (!status) status = check_points(run, request, error);
  if (status) return status;
  const gg_backend *named = gg_backend_of(run->backend);
  const gg_backend *chosen = named ? named : automatic_backend(run, request);
  gpugeo_error reason;
  if (gg_backend_open(chosen, &chosen, &reason)) {
    if (!named) return GPUGEO_OK;
    return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "backend \"%s\" cannot be used: %s",
                   named->name, reason.message);
  }
  bool fits;
  int32_t of_chosen = -1;
  status = choose_device(run, request, chosen, &of_chosen, &fits, error);
  if (status || (!named && !fits)) return status;
  *backend = chosen;
  *device = of_chosen;
  return GPUGEO_OK;
}

/*
 * True if one device takes long enough for the others to help. By a cautious rate, so calls of
 * 0.1 s and less are spread, too. Measured with two H200s: neighbours of 262,144 x 64 take 0.069 s
 * instead of 0.091, of 1,048,576 x 64 0.54 instead of 1.07; distances of 65,536 x 64, which the
 * host's memory limits, 0.63 instead of 0.66, in single precision 0.45 instead of 0.56; manhattan
 * of 16,384 x 4,096 0.12 instead of 0.10.
 */
static bool pays_for_devices(const gg_backend *backend, const gg_request *request) {
  return request->work / backend->can.work_per_second +
             request->bytes / backend->can.bytes_per_second >=
         backend->can.spread_seconds;
}

gpugeo_status gg_backend_spread(const gpugeo_run *run, const gg_request *request,
                                const gg_backend **backend, int32_t *device, int32_t *workers,
                                gpugeo_error *error) {
  *workers = 1;
  gpugeo_status status = gg_backend_choose(run, request, backend, device, error);
  if (status || !(*backend)->can.devices || !pays_for_devices(*backend, request)) return status;
  *workers = (*backend)->workers(run->device);
  if (run->device == GPUGEO_DEVICE_ALL && *workers > 1) *device = GPUGEO_DEVICE_ALL;
  return GPUGEO_OK;
}

/* True if each device of a backend has so many bytes free. */
static bool devices_have(const gg_backend *backend, double bytes) {
  for (int32_t device = 0; device < backend->device_count(); ++device) {
    gpugeo_device info;
    gpugeo_error unread;
    if (backend->device_get(device, &info, &unread) || (double)info.free_bytes < bytes)
      return false;
  }
  return true;
}

/* Decides whether a job is divided among the devices of a backend, which is available. A job that
   fits nowhere is divided if the call names the backend: the error then says what each device
   lacks. */
static gpugeo_status choose_division(const gpugeo_run *run, const gg_request *request,
                                     double divided, const gg_backend *backend, int32_t *device,
                                     int32_t *workers, gpugeo_error *error) {
  bool fits;
  int32_t one = -1;
  gpugeo_status status = choose_device(run, request, backend, &one, &fits, error);
  const int32_t all = status ? 1 : backend->workers(run->device);
  const bool helps = all > 1 && (!fits || backend->can.spread_seconds <= 0);
  const bool has_room = devices_have(backend, request->resident - divided + divided / all);
  if (!helps || (!has_room && (fits || run->backend == GPUGEO_BACKEND_AUTO))) return status;
  *workers = all;
  *device = run->device == GPUGEO_DEVICE_ALL ? GPUGEO_DEVICE_ALL : one;
  return GPUGEO_OK;
}

gpugeo_status gg_backend_divide(const gpugeo_run *run, const gg_request *request, double divided,
                                const gg_backend **backend, int32_t *device, int32_t *workers,
                                gpugeo_error *error) {
  *workers = 1;
  gpugeo_status status = gg_backend_choose(run, request, backend, device, error);
  if (status) return status;
  const gg_backend *named = gg_backend_of(run->backend);
  const gg_backend *wanted = named ? named : automatic_backend(run, request);
  if (!wanted->can.devices || gg_backend_open(wanted, &wanted, NULL)) return GPUGEO_OK;
  status = choose_division(run, request, divided, wanted, device, workers, error);
  if (*workers > 1) *backend = wanted;
  return status;
}

gpugeo_report gg_report_of(const gg_backend *backend, int32_t device, int32_t workers,
                           int32_t threads) {
  return (gpugeo_report){
      .backend = backend->id,
      .device = device,
      .devices = backend->can.devices ? workers : 0,
      .threads = threads,
  };
}

gpugeo_status gg_report_start(const gpugeo_run *run, gg_family family, gpugeo_report *report,
                              gpugeo_error *error) {
  const gg_backend *backend;
  int32_t device;
  const gg_request request = {.family = family};
  gpugeo_status status = gg_backend_choose(run, &request, &backend, &device, error);
  if (!status) *report = gg_report_of(backend, device, 1, 1);
  return status;
}
