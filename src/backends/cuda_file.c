#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr(), dlinfo() */
#endif
#include "backends/cuda_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/number.h"

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define GG_HAS_DLOPEN
#endif
#if __has_include(<elf.h>)
#include <elf.h>
#define GG_HAS_ELF
#endif
#if __has_include(<link.h>)
#include <link.h>
#endif

#define ADDRESS(type, name, parameters, arguments)     .name = name,
#define ADDRESS_PROCEDURE(name, parameters, arguments) .name = name,
static const gg_core core = {GG_CORE_FUNCTIONS(ADDRESS, ADDRESS_PROCEDURE)};

gg_cuda_file gg_cuda_file_make(const char *path) {
  gg_cuda_file file = {.missing = false};
  snprintf(file.path, sizeof file.path, "%s", path);
  return file;
}

static void refuse(gg_cuda_file *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(file->why, sizeof file->why, format, arguments);
  va_end(arguments);
  gg_repair_utf8(file->why);
}

void gg_cuda_file_leave(const gg_cuda_library *library) { library->leave(&core); }

#if defined(GG_HAS_DLOPEN)

/* --- Checks --------------------------------------------------------------------------------- */

#if defined(GG_HAS_ELF) && __SIZEOF_POINTER__ == 8
/* True if a file that begins as a 64-bit shared object has all bytes that its segments need: those
   that are missing would end the process while the loader reads them. */
static bool is_complete(FILE *file, int64_t bytes) {
  Elf64_Ehdr header;
  if (fread(&header, sizeof header, 1, file) != 1) return false;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN) return false;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > (uint64_t)bytes ||
      fseek(file, (long)header.e_phoff, SEEK_SET))
    return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (fread(&segment, sizeof segment, 1, file) != 1) return false;
    if (segment.p_offset > (uint64_t)bytes || segment.p_filesz > (uint64_t)bytes - segment.p_offset)
      return false;
  }
  return header.e_phnum > 0;
}
#else
static bool is_complete(FILE *file, int64_t bytes) {
  (void)file;
  return bytes > 0;
}
#endif

/* True if the path names a regular file that may be handed to the loader. */
static bool check_file(gg_cuda_file *tried) {
  struct stat status;
  if (stat(tried->path, &status)) {
    tried->missing = true;
    refuse(tried, "does not exist");
    return false;
  }
  FILE *file = S_ISREG(status.st_mode) ? fopen(tried->path, "rb") : NULL;
  if (!file) {
    refuse(tried, "cannot be read");
    return false;
  }
  const bool complete = is_complete(file, (int64_t)status.st_size);
  fclose(file);
  if (!complete) refuse(tried, "is not a complete shared object");
  return complete;
}

/* True if the file was made for this gpugeo. */
static bool check_about(gg_cuda_file *tried, const gg_cuda_about *about) {
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

/* --- Loading -------------------------------------------------------------------------------- */

/* Returns the library of an open file, or NULL and why not. */
static const gg_cuda_library *enter_library(gg_cuda_file *file, void *handle) {
  const gg_cuda_about *about = dlsym(handle, GG_CUDA_ABOUT_SYMBOL);
  if (!check_about(file, about)) return NULL;
  gg_cuda_open *open;
  *(void **)&open = dlsym(handle, GG_CUDA_BACKEND_SYMBOL);
  if (!open) {
    refuse(file, "is not a CUDA library of gpugeo: it has no symbol " GG_CUDA_BACKEND_SYMBOL);
    return NULL;
  }
  const gg_cuda_library *library = open(GG_CUDA_ABI, &core);
  if (!library) {
    refuse(file, "is in use by another copy of gpugeo in this process");
    return NULL;
  }
  file->about = *about;
  file->about.architectures[sizeof about->architectures - 1] = 0;
  return library;
}

const gg_cuda_library *gg_cuda_file_load(gg_cuda_file *file) {
  if (!check_file(file)) return NULL;
  void *handle = dlopen(file->path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    refuse(file, "cannot be loaded: %s", why ? why : "no reason is known");
    return NULL;
  }
  const gg_cuda_library *library = enter_library(file, handle);
  if (!library) dlclose(handle);
  return library;
}

/* --- Paths ---------------------------------------------------------------------------------- */

void gg_cuda_own_path(char path[GG_CUDA_PATH_BYTES]) {
  Dl_info info;
  path[0] = 0;
  if (!dladdr(&core, &info) || !info.dli_fname) return;
  const char *slash = strrchr(info.dli_fname, '/');
  if (slash)
    snprintf(path, GG_CUDA_PATH_BYTES, "%.*s/" GG_CUDA_LIBRARY_NAME, (int)(slash - info.dli_fname),
             info.dli_fname);
}

#if defined(__GLIBC__)
/* Writes the path of the library in the first of the loader's folders that has one. */
static bool find_in_folders(const Dl_serinfo *folders, char path[GG_CUDA_PATH_BYTES]) {
  struct stat status;
  for (unsigned i = 0; i < folders->dls_cnt; ++i) {
    const char *folder = folders->dls_serpath[i].dls_name;
    snprintf(path, GG_CUDA_PATH_BYTES, "%s/" GG_CUDA_LIBRARY_NAME, folder);
    if (folder[0] && stat(path, &status) == 0) return true;
  }
  return false;
}

/* Does the same in LD_LIBRARY_PATH, as it was when the process began, and the system's folders. */
static bool find_by_loader(char path[GG_CUDA_PATH_BYTES]) {
  Dl_serinfo size;
  void *program = dlopen(NULL, RTLD_LAZY);
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size)) return false;
  Dl_serinfo *folders = malloc(size.dls_size);
  bool found = folders && !dlinfo(program, RTLD_DI_SERINFOSIZE, folders) &&
               !dlinfo(program, RTLD_DI_SERINFO, folders) && find_in_folders(folders, path);
  free(folders);
  dlclose(program);
  return found;
}
#else
static bool find_by_loader(char path[GG_CUDA_PATH_BYTES]) {
  (void)path;
  return false;
}
#endif

#else

const gg_cuda_library *gg_cuda_file_load(gg_cuda_file *file) {
  refuse(file, "cannot be loaded: this system has no dlopen()");
  return NULL;
}

void gg_cuda_own_path(char path[GG_CUDA_PATH_BYTES]) { path[0] = 0; }

static bool find_by_loader(char path[GG_CUDA_PATH_BYTES]) {
  (void)path;
  return false;
}

#endif

static const char *variable(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

void gg_cuda_cache_path(char path[GG_CUDA_PATH_BYTES]) {
  const char *cache = variable("R_USER_CACHE_DIR");
  if (!cache) cache = variable("XDG_CACHE_HOME");
  const char *home = variable("HOME");
  path[0] = 0;
  if (cache)
    snprintf(path, GG_CUDA_PATH_BYTES, "%s/R/gpugeo/" GG_CUDA_LIBRARY_NAME, cache);
  else if (home)
    snprintf(path, GG_CUDA_PATH_BYTES, "%s/.cache/R/gpugeo/" GG_CUDA_LIBRARY_NAME, home);
}

/* Writes the first text of `size` bytes that is a path of the library and ends with a 0. */
static bool find_path(const char *bytes, size_t size, char path[GG_CUDA_PATH_BYTES]) {
  static const char name[] = "/" GG_CUDA_LIBRARY_NAME; /* and a 0 */
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
  struct stat status;
  FILE *file = fopen(list, "rb");
  if (!file) return false;
  char *bytes = fstat(fileno(file), &status) ? NULL : malloc((size_t)status.st_size + 1);
  const size_t size = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
  const bool found = find_path(bytes, size, path);
  free(bytes);
  fclose(file);
  return found;
}

void gg_cuda_loader_path(char path[GG_CUDA_PATH_BYTES]) {
  if (!find_by_loader(path) && !gg_cuda_find_listed("/etc/ld.so.cache", path)) path[0] = 0;
}
