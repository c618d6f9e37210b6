/*
 * The CUDA backend, as the core has it: the capabilities are known, and the functions are those of
 * GG_CUDA_FILE, which is loaded at first need. See cuda_library.h for what is in the file.
 */
#include "backends/cuda.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/cuda_library.h"
#include "common/atomic.h"
#include "common/error.h"
#include "common/number.h"
#include "common/platform.h"

#define ADDRESS(type, name, parameters, arguments)     .name = name,
#define ADDRESS_PROCEDURE(name, parameters, arguments) .name = name,
static const gg_core core = {GG_CORE_FUNCTIONS(ADDRESS, ADDRESS_PROCEDURE)};

/* --- What was found ------------------------------------------------------------------------- */

enum { PATH_BYTES = 4096, WHY_BYTES = 1024 };

/* A file that was tried. */
typedef struct candidate {
  char file[PATH_BYTES];
  char why[WHY_BYTES]; /* it was not loaded: what follows its name in a sentence */
  bool missing;
} candidate;

enum { MOST_CANDIDATES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held during a search */
static char chosen[PATH_BYTES];                          /* by gpugeo_cuda_library_set() */
static bool searched;
static char searched_setting[PATH_BYTES]; /* the setting of the last search */
static candidate candidates[MOST_CANDIDATES];
static int candidate_count;
static const gg_cuda_library *loaded; /* read by gg_atomic_... */
static char loaded_file[PATH_BYTES];
static gg_cuda_about loaded_about;
static char reason[MOST_CANDIDATES * (PATH_BYTES + WHY_BYTES)]; /* a line for each candidate */

/* Returns the library, NULL before it is loaded. */
static const gg_cuda_library *get_loaded(void) {
  return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
}

/* --- A file --------------------------------------------------------------------------------- */

static void refuse(candidate *tried, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tried->why, sizeof tried->why, format, arguments);
  va_end(arguments);
  gg_repair_utf8(tried->why);
}

/* True if the path names a regular file that may be handed to the loader. */
static bool check_file(candidate *tried) {
  gg_file_about about;
  if (!gg_path_describe(tried->file, &about)) {
    tried->missing = true;
    refuse(tried, "does not exist");
    return false;
  }
  FILE *file = about.kind == GG_FILE_REGULAR ? gg_path_read(tried->file) : NULL;
  if (!file) {
    refuse(tried, "cannot be read");
    return false;
  }
  const bool complete = gg_library_complete(file, about.size);
  fclose(file);
  if (!complete) refuse(tried, "is not a complete shared object");
  return complete;
}

/* True if the file was made for this gpugeo. */
static bool check_about(candidate *tried, const gg_cuda_about *about) {
  if (!about)
    refuse(tried, "is not a CUDA library of gpugeo: it has no symbol " GG_CUDA_ABOUT_SYMBOL);
  else if (about->abi != GG_CUDA_ABI)
    refuse(tried, "has ABI number %d, and this gpugeo needs %d", (int)about->abi, GG_CUDA_ABI);
  else if (strncmp(about->version, GPUGEO_VERSION, sizeof about->version) != 0)
    refuse(tried, "is of gpugeo %.31s, and this is gpugeo " GPUGEO_VERSION, about->version);
  else if (strncmp(about->sources, GG_TEXT(GG_CUDA_SOURCES), sizeof about->sources) != 0)
    refuse(tried, "was built from other sources of gpugeo " GPUGEO_VERSION);
  else
    return true;
  return false;
}

/* Returns the library of an open file, or NULL and why not. */
static const gg_cuda_library *enter_library(candidate *tried, void *handle) {
  const gg_cuda_about *about = gg_library_symbol(handle, GG_CUDA_ABOUT_SYMBOL);
  if (!check_about(tried, about)) return NULL;
  gg_cuda_open *open;
  *(void **)&open = gg_library_symbol(handle, GG_CUDA_BACKEND_SYMBOL);
  if (!open) {
    refuse(tried, "is not a CUDA library of gpugeo: it has no symbol " GG_CUDA_BACKEND_SYMBOL);
    return NULL;
  }
  const gg_cuda_library *library = open(GG_CUDA_ABI, &core);
  if (!library) {
    refuse(tried, "is in use by another copy of gpugeo in this process");
    return NULL;
  }
  if (!gg_library_of(about, loaded_file, sizeof loaded_file))
    memcpy(loaded_file, tried->file, sizeof loaded_file);
  loaded_about = *about;
  return library;
}

static bool has_folder(const char *path) { return gg_path_name(path) != path; }

/* Returns the library in a file, or NULL and why not. It is never closed again: the driver needs
   the code that called it. */
static const gg_cuda_library *open_candidate(candidate *tried) {
  const bool has_path = has_folder(tried->file);
  if (has_path && !check_file(tried)) return NULL;
  const char *why;
  void *handle = gg_library_open(tried->file, &why);
  if (!handle) {
    tried->missing = !has_path;
    refuse(tried, "cannot be loaded: %s", why);
    return NULL;
  }
  const gg_cuda_library *library = enter_library(tried, handle);
  if (!library) gg_library_close(handle);
  return library;
}

/* Writes the path of the library in the folder of this program or shared object: R's libs folder,
   that of Octave's MEX file, or that of libgpugeo.so. Empty if it is not known. */
static void own_path(char path[PATH_BYTES]) {
  char own[PATH_BYTES];
  path[0] = 0;
  if (gg_library_of(&core, own, sizeof own) && has_folder(own))
    snprintf(path, PATH_BYTES, "%.*s" GG_CUDA_FILE, (int)(gg_path_name(own) - own), own);
}

/* --- The search ----------------------------------------------------------------------------- */

static const char *variable(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

/* Writes the path of the library in tools::R_user_dir("gpugeo", "cache"). Empty if there is no home
   folder. */
static void cache_path(char path[PATH_BYTES]) {
  const char *cache = variable("R_USER_CACHE_DIR");
  if (!cache) cache = variable("XDG_CACHE_HOME");
  char usual[PATH_BYTES];
  if (!cache && gg_user_cache(usual, sizeof usual)) cache = usual;
  path[0] = 0;
  if (cache && snprintf(path, PATH_BYTES, "%s/R/gpugeo/" GG_CUDA_FILE, cache) >= PATH_BYTES)
    path[0] = 0;
}

/* Returns the file that the caller or the environment names, or "". */
static const char *setting(void) {
  const char *named = chosen[0] ? chosen : variable("GPUGEO_CUDA_LIB");
  return named ? named : "";
}

static void add_candidate(const char *file) {
  if (!file[0]) return;
  candidate *added = &candidates[candidate_count++];
  snprintf(added->file, sizeof added->file, "%s", file);
  added->why[0] = 0;
  added->missing = false;
}

/* Lists the files to try: the one that is named, or else all places. */
static void list_candidates(const char *named) {
  char path[PATH_BYTES];
  candidate_count = 0;
  if (named[0]) {
    snprintf(path, sizeof path, "%s%s", has_folder(named) ? "" : "./", named);
    add_candidate(path);
    return;
  }
  own_path(path);
  add_candidate(path);
  cache_path(path);
  add_candidate(path);
  add_candidate(GG_CUDA_FILE);
}

static void write_reason(void) {
  size_t end = 0;
  reason[0] = 0;
  for (int i = 0; i < candidate_count && end < sizeof reason; ++i)
    end += (size_t)snprintf(reason + end, sizeof reason - end, "%s%s %s", i ? "\n" : "",
                            candidates[i].file, candidates[i].why);
}

static const gg_cuda_library *search(const char *named) {
  snprintf(searched_setting, sizeof searched_setting, "%s", named);
  searched = true;
  list_candidates(named);
  for (int i = 0; i < candidate_count; ++i) {
    const gg_cuda_library *library = open_candidate(&candidates[i]);
    if (library) return library;
  }
  write_reason();
  return NULL;
}

/* Returns the library, which is loaded now if it was not. A search that found none is repeated only
   when another file is named. */
static const gg_cuda_library *get_library(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) return library;
  pthread_mutex_lock(&lock);
  library = get_loaded();
  if (!library && (!searched || strcmp(setting(), searched_setting) != 0)) {
    library = search(setting());
    __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return library;
}

/* The table of the core goes with the core. */
__attribute__((destructor)) static void leave_library(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) library->leave(&core);
}

void gpugeo_cuda_library_set(const char *file) {
  pthread_mutex_lock(&lock);
  snprintf(chosen, sizeof chosen, "%s", file ? file : "");
  searched = false;
  pthread_mutex_unlock(&lock);
}

void gpugeo_cuda_library_get(gpugeo_cuda_library *library) {
  const bool found = get_library();
  *library = (gpugeo_cuda_library){
      .file = found ? loaded_file : "",
      .version = found ? loaded_about.version : "",
      .architectures = found ? loaded_about.architectures : "",
      .reason = found ? "" : reason,
  };
}

/* --- The backend's table -------------------------------------------------------------------- */

/* Fails with the first file that exists and was refused, or with all places. */
static gpugeo_status fail_unloaded(gpugeo_error *error) {
  for (int i = 0; i < candidate_count; ++i)
    if (!candidates[i].missing || searched_setting[0])
      return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "%s %s", candidates[i].file,
                     candidates[i].why);
  return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                 "there is no " GG_CUDA_FILE
                 " beside gpugeo, in the user's cache or on the loader's path" GG_CUDA_REMARK);
}

static gpugeo_status available(gpugeo_error *error) {
  const gg_cuda_library *library = get_library();
  return library ? library->backend->available(error) : fail_unloaded(error);
}

static void release(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) library->backend->release();
}

/* The others are called only where CUDA is available. */
#define FORWARD(name, parameters, arguments)                                                       \
  static gpugeo_status name parameters { return get_loaded()->backend->name arguments; }
#define FORWARD_PLAN(name, type)                                                                   \
  FORWARD(name, (const type *plan, gg_clock *clock, gpugeo_report *report, gpugeo_error *error),   \
          (plan, clock, report, error))
#define FORWARD_RESULT(name, type, result_type)                                                    \
  FORWARD(name,                                                                                    \
          (const type *plan, result_type *result, gg_clock *clock, gpugeo_report *report,          \
           gpugeo_error *error),                                                                   \
          (plan, result, clock, report, error))

static int32_t device_count(void) { return get_loaded()->backend->device_count(); }
static int32_t device_default(void) { return get_loaded()->backend->device_default(); }
static int32_t workers(int32_t device) { return get_loaded()->backend->workers(device); }
FORWARD(device_get, (int32_t device, gpugeo_device *info, gpugeo_error *error),
        (device, info, error))
FORWARD(table_bytes, (int32_t device, int64_t *bytes, gpugeo_error *error), (device, bytes, error))
FORWARD_PLAN(dist, gg_dist_plan)
FORWARD_PLAN(rank_pairs, gg_rank_plan)
FORWARD_PLAN(knn, gg_knn_plan)
FORWARD_RESULT(radius, gg_radius_plan, gpugeo_neighbors)
FORWARD_RESULT(closest, gg_closest_plan, gg_closest_result)
FORWARD_RESULT(collide, gg_collide_plan, gg_collide_result)
FORWARD_PLAN(dgp, gg_dgp_plan)
FORWARD_PLAN(dgp_sums, gg_dgp_sums_plan)
FORWARD_RESULT(layout, gg_layout_plan, gg_layout_outcome)

const gg_backend gg_cuda_backend = {
    .id = GPUGEO_BACKEND_CUDA,
    .name = "cuda",
    .title = "CUDA",
    .can = GG_CUDA_CAPABILITIES,
    .available = available,
    .device_count = device_count,
    .device_default = device_default,
    .workers = workers,
    .device_get = device_get,
    .release = release,
    .table_bytes = table_bytes,
    .dist = dist,
    .rank_pairs = rank_pairs,
    .knn = knn,
    .radius = radius,
    .closest = closest,
    .collide = collide,
    .dgp = dgp,
    .dgp_sums = dgp_sums,
    .layout = layout,
};

gpugeo_status gg_cuda_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                    gpugeo_error *error) {
  return get_loaded()->layout_forces(plan, forces, error);
}
