#include "backends/cuda_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/number.h"

#define ADDRESS(type, name, parameters, arguments)     .name = name,
#define ADDRESS_PROCEDURE(name, parameters, arguments) .name = name,
static const gg_core core = {GG_CORE_FUNCTIONS(ADDRESS, ADDRESS_PROCEDURE)};

gg_cuda_file gg_cuda_file_make(const char *path) {
  gg_cuda_file file = {.missing = false};
  snprintf(file.path, sizeof file.path, "%s", path);
  return file;
}

/* Keeps the reason why a file is not loaded. */
static void refuse_file(gg_cuda_file *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(file->why, sizeof file->why, format, arguments);
  va_end(arguments);
  gg_repair_utf8(file->why);
}

void gg_cuda_file_leave(const gg_cuda_library *library) { library->leave(&core); }

/* --- Checks ----------------------------------------------------------------------------------- */

/* True if the file was made for this gpugeo. */
static bool check_about(gg_cuda_file *tried, const gg_cuda_about *about) {
  if (!about)
    refuse_file(tried, "is not a CUDA library of gpugeo: it has no symbol " GG_CUDA_ABOUT_SYMBOL);
  else if (about->abi != GG_CUDA_ABI)
    refuse_file(tried, "has ABI number %d, and this gpugeo needs %d", (int)about->abi, GG_CUDA_ABI);
  else if (strncmp(about->version, GPUGEO_VERSION, sizeof about->version) != 0)
    refuse_file(tried, "is of gpugeo %.31s, and this is gpugeo " GPUGEO_VERSION, about->version);
  else if (strncmp(about->sources, GG_TEXT(GG_CUDA_SOURCES), sizeof about->sources) != 0)
    refuse_file(tried, "was built from other sources of gpugeo " GPUGEO_VERSION);
  else
    return true;
  return false;
}

/* True if an open file is complete and was made for this gpugeo. Runs none of its code. */
static bool check_contents(gg_cuda_file *tried, FILE *file, int64_t bytes) {
  if (!gg_library_complete(file, bytes)) {
    refuse_file(tried, "is not a complete shared object");
    return false;
  }
  gg_cuda_about about;
  const gg_library_read read =
      gg_library_constant(file, bytes, GG_CUDA_ABOUT_SYMBOL, &about, sizeof about);
  return read == GG_LIBRARY_UNREADABLE ||
         check_about(tried, read == GG_LIBRARY_READ ? &about : NULL);
}

/* True if the path names a regular file that may be handed to the loader. */
static bool check_file(gg_cuda_file *tried) {
  gg_file_about about;
  if (!gg_path_describe(tried->path, &about)) {
    tried->missing = true;
    refuse_file(tried, "does not exist");
    return false;
  }
  FILE *file = about.kind == GG_FILE_REGULAR ? gg_path_read(tried->path) : NULL;
  if (!file) {
    refuse_file(tried, "cannot be read");
    return false;
  }
  const bool right = check_contents(tried, file, about.size);
  fclose(file);
  return right;
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* Returns the library of an open file, or NULL and why not. */
static const gg_cuda_library *enter_library(gg_cuda_file *file, void *handle) {
  const gg_cuda_about *about = gg_library_symbol(handle, GG_CUDA_ABOUT_SYMBOL);
  if (!check_about(file, about)) return NULL;
  gg_cuda_open *open;
  *(void **)&open = gg_library_symbol(handle, GG_CUDA_BACKEND_SYMBOL);
  if (!open) {
    refuse_file(file, "is not a CUDA library of gpugeo: it has no symbol " GG_CUDA_BACKEND_SYMBOL);
    return NULL;
  }
  const gg_cuda_library *library = open(GG_CUDA_ABI, &core);
  if (!library) {
    refuse_file(file, "is in use by another copy of gpugeo in this process");
    return NULL;
  }
  file->about = *about;
  file->about.architectures[sizeof about->architectures - 1] = 0;
  return library;
}

const gg_cuda_library *gg_cuda_file_load(gg_cuda_file *file) {
  if (!check_file(file)) return NULL;
  const char *why;
  void *handle = gg_library_open(file->path, &why);
  if (!handle) {
    refuse_file(file, "cannot be loaded: %s", why);
    return NULL;
  }
  const gg_cuda_library *library = enter_library(file, handle);
  if (!library) gg_library_close(handle);
  return library;
}

/* --- Paths ------------------------------------------------------------------------------------ */

void gg_cuda_own_path(char path[GG_CUDA_PATH_BYTES]) {
  char own[GG_CUDA_PATH_BYTES];
  path[0] = 0;
  if (!gg_library_of(&core, own, sizeof own) || gg_path_name(own) == own) return;
  snprintf(path, GG_CUDA_PATH_BYTES, "%.*s" GG_CUDA_FILE, (int)(gg_path_name(own) - own), own);
}

/* Returns an environment variable, or NULL if it is empty or missing. */
static const char *variable(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

void gg_cuda_cache_path(char path[GG_CUDA_PATH_BYTES]) {
  const char *cache = variable("R_USER_CACHE_DIR");
  if (!cache) cache = variable("XDG_CACHE_HOME");
  char usual[GG_CUDA_PATH_BYTES];
  if (!cache && gg_user_cache(usual, sizeof usual)) cache = usual;
  const int length =
      snprintf(path, GG_CUDA_PATH_BYTES, "%s/R/gpugeo/" GG_CUDA_FILE, cache ? cache : "");
  if (!cache || length >= GG_CUDA_PATH_BYTES) path[0] = 0;
}

/* Writes the first text of `size` bytes that is a path of the library and ends with a 0. */
static bool find_path(const char *bytes, size_t size, char path[GG_CUDA_PATH_BYTES]) {
  static const char name[] = "/" GG_CUDA_FILE; /* and a 0 */
  for (size_t at = 0; at + sizeof name <= size; ++at) {
    if (memcmp(bytes + at, name, sizeof name) != 0) continue;
    size_t begin = at;
    while (begin > 0 && bytes[begin - 1])
      --begin;
    snprintf(path, GG_CUDA_PATH_BYTES, "%s", bytes + begin);
    return path[0] == '/';
  }
  return false;
}

bool gg_cuda_find_listed(const char *list, char path[GG_CUDA_PATH_BYTES]) {
  gg_file_about about;
  FILE *file = gg_path_describe(list, &about) ? gg_path_read(list) : NULL;
  if (!file) return false;
  char *bytes = gg_allocate(about.size + 1, 1);
  const size_t size = bytes ? fread(bytes, 1, (size_t)about.size, file) : 0;
  const bool found = find_path(bytes, size, path);
  gg_free(bytes);
  fclose(file);
  return found;
}

void gg_cuda_loader_path(char path[GG_CUDA_PATH_BYTES]) {
  if (!gg_library_find(GG_CUDA_FILE, path, GG_CUDA_PATH_BYTES) &&
      !gg_cuda_find_listed("/etc/ld.so.cache", path))
    path[0] = 0;
}
