/*
 * The CUDA backend, as the core has it: the capabilities are known, and the other functions are in
 * the table of GG_CUDA_FILE, which is loaded at first need. See cuda_library.h for what is in the
 * file.
 */
#include "backends/cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "backends/cuda_file.h"
#include "common/atomic.h"
#include "common/error.h"

/* --- What was found --------------------------------------------------------------------------- */

enum { MOST_CANDIDATES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held during a search */
static char chosen[GG_CUDA_PATH_BYTES];                  /* by gpugeo_cuda_library_set() */
static bool searched;
static char searched_setting[GG_CUDA_PATH_BYTES]; /* the setting of the last search */
static gg_cuda_file candidates[MOST_CANDIDATES];  /* files that were tried */
static int candidate_count;
static const gg_cuda_library *loaded;   /* read by gg_atomic_... */
static const gg_cuda_file *loaded_from; /* a candidate */
/* A line for each candidate. */
static char reason[MOST_CANDIDATES * (GG_CUDA_PATH_BYTES + GG_CUDA_WHY_BYTES)];

/* Returns the library, NULL before it is loaded. */
static const gg_cuda_library *get_loaded(void) {
  return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
}

/* --- The search ------------------------------------------------------------------------------- */

/* Returns the file that the caller or the environment names, or "". */
static const char *setting(void) {
  const char *variable = getenv("GPUGEO_CUDA_LIB");
  return chosen[0] ? chosen : variable ? variable : "";
}

/* Adds a path to the candidates, if it is not empty. */
static void add_candidate(const char *path) {
  if (path[0]) candidates[candidate_count++] = gg_cuda_file_make(path);
}

/* Adds what the system's loader would find, or that it finds nothing. */
static void add_loader_candidate(void) {
  char path[GG_CUDA_PATH_BYTES];
  gg_cuda_loader_path(path);
  add_candidate(path[0] ? path : GG_CUDA_FILE);
  if (path[0]) return;
  gg_cuda_file *none = &candidates[candidate_count - 1];
  none->missing = true;
  snprintf(none->why, sizeof none->why, "is not on the loader's path");
}

/* Lists the files to try: the one that is named, or else all that are searched. */
static void list_candidates(const char *named) {
  char path[GG_CUDA_PATH_BYTES];
  candidate_count = 0;
  if (named[0]) {
    snprintf(path, sizeof path, "%s%s", gg_path_name(named) != named ? "" : "./", named);
    add_candidate(path);
    return;
  }
  gg_cuda_own_path(path);
  add_candidate(path);
  gg_cuda_cache_path(path);
  add_candidate(path);
  add_loader_candidate();
}

/* Writes the reasons why each candidate was not loaded, in a line each. */
static void write_reason(void) {
  size_t end = 0;
  reason[0] = 0;
  for (int i = 0; i < candidate_count && end < sizeof reason; ++i)
    end += (size_t)snprintf(reason + end, sizeof reason - end, "%s%s %s", i ? "\n" : "",
                            candidates[i].path, candidates[i].why);
}

/* Loads the first candidate that can be loaded; without one, keeps the reasons and returns NULL. */
static const gg_cuda_library *search_library(const char *named) {
  snprintf(searched_setting, sizeof searched_setting, "%s", named);
  searched = true;
  list_candidates(named);
  for (int i = 0; i < candidate_count; ++i) {
    gg_cuda_file *file = &candidates[i];
    const gg_cuda_library *library = file->missing ? NULL : gg_cuda_file_load(file);
    if (!library) continue;
    loaded_from = file;
    return library;
  }
  write_reason();
  return NULL;
}

/* Takes the lock: a fork waits for a search on another thread to end, and the lock is then free in
   the new process. */
static void before_fork(void) { pthread_mutex_lock(&lock); }

/* Gives the lock back, in both processes. */
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* Registers both functions. */
static void watch_forks(void) { (void)gg_at_fork(before_fork, after_fork, after_fork); }

/* Takes the lock; the first call registers the functions for forks. */
static void take_lock(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
}

/* Returns the library, which is loaded now if it was not. A search that found none is repeated only
   when another file is named. */
static const gg_cuda_library *get_library(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) return library;
  take_lock();
  library = get_loaded();
  if (!library && (!searched || strcmp(setting(), searched_setting) != 0)) {
    library = search_library(setting());
    __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return library;
}

/* Takes the table of the core from the library, when the core is unloaded. */
__attribute__((destructor)) static void leave_library(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) gg_cuda_file_leave(library);
}

void gg_cuda_loaded_path(char path[GG_CUDA_PATH_BYTES]) {
  snprintf(path, GG_CUDA_PATH_BYTES, "%s", get_loaded() ? loaded_from->path : "");
}

bool gg_cuda_precedes_cache(const char *path) {
  char own[GG_CUDA_PATH_BYTES];
  gg_cuda_own_path(own);
  return setting()[0] || strcmp(path, own) == 0;
}

void gg_cuda_search_again(void) {
  take_lock();
  searched = false;
  pthread_mutex_unlock(&lock);
}

void gpugeo_cuda_library_set(const char *file) {
  take_lock();
  snprintf(chosen, sizeof chosen, "%s", file ? file : "");
  searched = false;
  pthread_mutex_unlock(&lock);
}

void gpugeo_cuda_library_get(gpugeo_cuda_library *library) {
  const bool found = get_library();
  *library = (gpugeo_cuda_library){
      .file = found ? loaded_from->path : "",
      .version = found ? loaded_from->about.version : "",
      .architectures = found ? loaded_from->about.architectures : "",
      .reason = found ? "" : reason,
  };
}

/* --- The backend's table ---------------------------------------------------------------------- */

/* Fails with the first file that exists and was refused, or with all that were searched. */
static gpugeo_status fail_unloaded(gpugeo_error *error) {
  for (int i = 0; i < candidate_count; ++i)
    if (!candidates[i].missing || searched_setting[0])
      return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend", "%s %s", candidates[i].path,
                     candidates[i].why);
  return gg_fail(error, GPUGEO_ERROR_BACKEND, "backend",
                 "there is no " GG_CUDA_FILE
                 " next to gpugeo, in the user's cache or on the loader's path" GG_CUDA_REMARK);
}

/* Returns success if the library can be loaded and has a device, else why not. */
static gpugeo_status available(gpugeo_error *error) {
  const gg_cuda_library *library = get_library();
  return library ? library->backend->available(error) : fail_unloaded(error);
}

/* Frees what the backend keeps, if the library is loaded. */
static void release_library(void) {
  const gg_cuda_library *library = get_loaded();
  if (library) library->backend->release();
}

/* Returns the library's table, which is used where CUDA is available. */
static const gg_backend *loaded_table(void) { return get_loaded()->backend; }

const gg_backend gg_cuda_backend = {
    .id = GPUGEO_BACKEND_CUDA,
    .name = "cuda",
    .title = "CUDA",
    .can = GG_CUDA_INITIALIZER,
    .available = available,
    .loaded = loaded_table,
    .release = release_library,
};

gpugeo_status gg_cuda_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                    gpugeo_error *error) {
  return get_loaded()->layout_forces(plan, forces, error);
}
