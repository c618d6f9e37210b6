#include "common/platform.h"

#if defined(GG_WINDOWS)

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "common/fma.h"

enum { PATH_ROOM = 4096 };

/* Returns the part of all functions' errors that errno has numbers for. */
static int error_number(DWORD code) {
  switch (code) {
  case ERROR_FILE_NOT_FOUND:
  case ERROR_PATH_NOT_FOUND:
  case ERROR_BAD_NETPATH:
  case ERROR_INVALID_NAME:
    return ENOENT;
  case ERROR_ACCESS_DENIED:
  case ERROR_SHARING_VIOLATION:
    return EACCES;
  case ERROR_LOCK_VIOLATION:
  case ERROR_IO_PENDING:
    return EWOULDBLOCK;
  case ERROR_FILE_EXISTS:
  case ERROR_ALREADY_EXISTS:
    return EEXIST;
  case ERROR_DISK_FULL:
  case ERROR_HANDLE_DISK_FULL:
    return ENOSPC;
  case ERROR_NOT_ENOUGH_MEMORY:
  case ERROR_OUTOFMEMORY:
    return ENOMEM;
  case ERROR_TOO_MANY_OPEN_FILES:
    return EMFILE;
  case ERROR_INVALID_HANDLE:
    return EBADF;
  default:
    return EIO;
  }
}

/* Sets errno to that of the last function of the system. Returns -1. */
static int fail(void) {
  errno = error_number(GetLastError());
  return -1;
}

/* Converts a path to what the system takes; an empty one where it is too long. */
typedef struct wide_path {
  wchar_t text[PATH_ROOM];
} wide_path;

/* Returns a path in the system's encoding, empty if it is too long or not UTF-8. */
static wide_path widen(const char *path) {
  wide_path wide;
  if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide.text, PATH_ROOM)) wide.text[0] = 0;
  return wide;
}

/* Converts text of the system to UTF-8. Returns false if it is too long. */
static bool narrow(const wchar_t *wide, char *text, size_t size) {
  return WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL) > 0;
}

/* --- arithmetic ------------------------------------------------------------------------------- */

/* Computes fma() by the processor; this and the next function replace those of mingw-w64's C
   library, which round twice. */
__attribute__((target("fma"))) static double fma_by_processor(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

__attribute__((target("fma"))) static float fmaf_by_processor(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

double fma(double a, double b, double c) {
  return __builtin_cpu_supports("fma") ? fma_by_processor(a, b, c) : gg_fma_by_integers(a, b, c);
}

float fmaf(float a, float b, float c) {
  return __builtin_cpu_supports("fma") ? fmaf_by_processor(a, b, c) : gg_fma_by_doubles(a, b, c);
}

/* --- memory ----------------------------------------------------------------------------------- */

void *gg_aligned_allocate(size_t alignment, size_t bytes) {
  return _aligned_malloc(bytes, alignment);
}

void *gg_aligned_reallocate(void *memory, size_t alignment, size_t bytes) {
  return _aligned_realloc(memory, bytes, alignment);
}

void gg_aligned_free(void *memory) { _aligned_free(memory); }

/* Returns the memory of the machine in bytes; infinity where it is not known, as wine returns zeros
   while another thread of the process asks for the first time. */
double gg_installed_memory(void) {
  MEMORYSTATUSEX status = {.dwLength = sizeof status};
  const bool known = GlobalMemoryStatusEx(&status) && status.ullTotalPageFile > 0;
  return known ? (double)status.ullTotalPageFile : INFINITY;
}

double gg_process_memory(void) { return INFINITY; }

void gg_prefer_huge_pages(void *start, int64_t bytes) { (void)start, (void)bytes; }

void gg_pages_populate(void *start, int64_t bytes) { (void)start, (void)bytes; }

void gg_pages_discard(void *start, int64_t bytes) { (void)start, (void)bytes; }

void *gg_pages_take(size_t bytes) {
  return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void gg_pages_give(void *start, size_t bytes) {
  (void)bytes;
  VirtualFree(start, 0, MEM_RELEASE);
}

/* --- threads and processes -------------------------------------------------------------------- */

int32_t gg_system_processors(void) {
  DWORD_PTR allowed = 0, all = 0;
  const DWORD most = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  /* The mask is that of one group: of more, all are taken. */
  if (most > 64 || !GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all) || !allowed)
    return most > 0 ? (int32_t)most : 1;
  return __builtin_popcountll(allowed);
}

int gg_thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *argument) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code) return code;
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  code = pthread_create(thread, &attributes, work, argument);
  pthread_attr_destroy(&attributes);
  return code;
}

void gg_sleep_while(const uint32_t *word, uint32_t value) {
  (void)WaitOnAddress((volatile void *)word, &value, sizeof value, INFINITE);
}

void gg_wake(const uint32_t *word, int32_t count) {
  for (; count > 0; --count)
    WakeByAddressSingle((void *)word);
}

bool gg_at_fork(void (*before)(void), void (*after)(void), void (*in_child)(void)) {
  (void)before, (void)after, (void)in_child;
  return true;
}

bool gg_at_unload(void (*function)(void)) {
  (void)function;
  static const char here;
  HMODULE library;
  return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                            (const wchar_t *)&here, &library);
}

char **gg_environment(void) { return _environ; }

/* --- text ------------------------------------------------------------------------------------- */

/* The locale of this thread as it was. */
typedef struct kept_locale {
  int per_thread; /* whether threads have locales of their own; 0: nothing was changed */
  char name[128];
} kept_locale;

/* Changes the decimal point of this thread to ".", unless it is. */
static kept_locale enter_c_locale(void) {
  kept_locale before = {0};
  if (strcmp(localeconv()->decimal_point, ".") == 0) return before;
  before.per_thread = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
  snprintf(before.name, sizeof before.name, "%s", setlocale(LC_NUMERIC, NULL));
  setlocale(LC_NUMERIC, "C");
  return before;
}

/* Restores the locale that enter_c_locale() returned. */
static void leave_c_locale(const kept_locale *before) {
  if (!before->per_thread) return;
  setlocale(LC_NUMERIC, before->name);
  _configthreadlocale(before->per_thread);
}

double gg_strtod_c(const char *text, char **end) {
  const kept_locale before = enter_c_locale();
  const double value = strtod(text, end);
  leave_c_locale(&before);
  return value;
}

int gg_vsnprintf_c(char *text, size_t size, const char *format, va_list arguments) {
  const kept_locale before = enter_c_locale();
  const int length = vsnprintf(text, size, format, arguments);
  leave_c_locale(&before);
  return length;
}

/* --- files ------------------------------------------------------------------------------------ */

/* True if a link itself was opened. Other reparse points are files, such as those of a disk in the
   cloud. */
static bool is_link(HANDLE file) {
  FILE_ATTRIBUTE_TAG_INFO found;
  return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &found, sizeof found) &&
         (found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
         (found.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
          found.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

/* Returns the kind of an open file. */
static gg_file_kind kind_of(HANDLE file, DWORD type, DWORD attributes) {
  if (type == FILE_TYPE_PIPE) return GG_FILE_PIPE;
  if (type != FILE_TYPE_DISK || is_link(file)) return GG_FILE_DEVICE;
  return attributes & FILE_ATTRIBUTE_DIRECTORY ? GG_FILE_FOLDER : GG_FILE_REGULAR;
}

/* Fills in what is known about an open file. Returns false, with errno, if the system fails. */
static bool describe_file(HANDLE file, gg_file_about *about) {
  BY_HANDLE_FILE_INFORMATION found = {0};
  const DWORD type = GetFileType(file);
  if (type == FILE_TYPE_DISK && !GetFileInformationByHandle(file, &found)) {
    fail();
    return false;
  }
  *about = (gg_file_about){.kind = kind_of(file, type, found.dwFileAttributes),
                           .device = found.dwVolumeSerialNumber,
                           .number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow,
                           .size = (int64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow,
                           .own = true};
  return true;
}

/* Opens what has a path, also a folder, or creates a file; others may read, write, rename and
 * remove it meanwhile. */
static HANDLE open_path(const char *path, DWORD access, DWORD how, DWORD flags) {
  const wide_path wide = widen(path);
  return CreateFileW(wide.text, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                     NULL, how, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
}

bool gg_path_describe(const char *path, gg_file_about *about) {
  const HANDLE file = open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0);
  if (file == INVALID_HANDLE_VALUE) {
    fail();
    return false;
  }
  const bool known = describe_file(file, about);
  CloseHandle(file);
  return known;
}

/* Returns the system's handle of a file descriptor. */
static HANDLE system_handle(int handle) { return (HANDLE)_get_osfhandle(handle); }

bool gg_handle_describe(int handle, gg_file_about *about) {
  return describe_file(system_handle(handle), about);
}

int gg_handle_open(const char *path, gg_file_mode mode) {
  if (mode == GG_FILE_WRITE_DIRECT) {
    errno = EINVAL;
    return -1;
  }
  const DWORD access = mode == GG_FILE_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
  const DWORD flags = mode == GG_FILE_UPDATE_NO_LINK ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  const DWORD how = mode == GG_FILE_CREATE ? CREATE_NEW : OPEN_EXISTING;
  const HANDLE file = open_path(path, access, how, flags);
  if (file == INVALID_HANDLE_VALUE) return fail();
  const int handle = _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT);
  if (handle < 0) CloseHandle(file);
  return handle;
}

/* Returns the bytes of one call, which the system counts in 32 bits. */
static DWORD bytes_of_call(int64_t bytes) {
  const int64_t most = (int64_t)1 << 30;
  return (DWORD)(bytes < most ? bytes : most);
}

/* Returns the argument by which the system reads and writes at an offset of a file. */
static OVERLAPPED at_offset(int64_t offset) {
  return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

int64_t gg_handle_read(int handle, void *to, int64_t bytes, int64_t offset) {
  OVERLAPPED at = at_offset(offset);
  DWORD count = 0;
  if (ReadFile(system_handle(handle), to, bytes_of_call(bytes), &count, &at)) return count;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail();
}

int64_t gg_handle_write(int handle, const void *from, int64_t bytes, int64_t offset) {
  OVERLAPPED at = at_offset(offset);
  DWORD count = 0;
  if (!WriteFile(system_handle(handle), from, bytes_of_call(bytes), &count, &at)) return fail();
  return count;
}

/* Locks a byte far beyond the end of any file, since others could not read what is locked. */
int gg_handle_lock(int handle, bool alone) {
  OVERLAPPED at = at_offset(INT64_MAX - 1);
  const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (alone ? LOCKFILE_EXCLUSIVE_LOCK : 0);
  return LockFileEx(system_handle(handle), flags, 0, 1, 0, &at) ? 0 : error_number(GetLastError());
}

int gg_handle_reserve(int handle, int64_t offset, int64_t bytes, bool restore) {
  (void)handle, (void)offset, (void)bytes, (void)restore;
  return 0;
}

int gg_handle_sync(int handle) {
  return FlushFileBuffers(system_handle(handle)) ? 0 : error_number(GetLastError());
}

void gg_handle_start_sync(int handle) { (void)handle; }

void gg_handle_drop_cache(int handle) { (void)handle; }

int gg_path_replace(const char *from, const char *to) {
  const wide_path wide_from = widen(from), wide_to = widen(to);
  return MoveFileExW(wide_from.text, wide_to.text, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

int gg_folder_create(const char *path) {
  const wide_path wide = widen(path);
  return CreateDirectoryW(wide.text, NULL) ? 0 : fail();
}

int gg_path_remove(const char *path) {
  const wide_path wide = widen(path);
  return DeleteFileW(wide.text) ? 0 : fail();
}

FILE *gg_path_read(const char *path) {
  const wide_path wide = widen(path);
  return _wfopen(wide.text, L"rb");
}

bool gg_path_taken(const char *path) {
  const wide_path wide = widen(path);
  return GetFileAttributesW(wide.text) != INVALID_FILE_ATTRIBUTES;
}

const char *gg_path_name(const char *path) {
  const char *name = path;
  for (const char *at = path; *at; ++at)
    if (strchr("/\\:", *at)) name = at + 1;
  return name;
}

bool gg_path_absolute(const char *path) {
  return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}

void gg_size_signal_block(gg_size_signal *held) { (void)held; }

void gg_size_signal_restore(const gg_size_signal *held) { (void)held; }

bool gg_size_allowed(double bytes) {
  (void)bytes;
  return true;
}

/* --- shared libraries ------------------------------------------------------------------------- */

/* Returns the system's words for an error, on one line. They are valid until the next call. */
static const char *words_of(DWORD code) {
  static char words[256];
  wchar_t wide[128] = L"";
  FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0, wide,
                 sizeof wide / sizeof *wide, NULL);
  if (!narrow(wide, words, sizeof words) || !words[0])
    snprintf(words, sizeof words, "error %lu of Windows", code);
  words[strcspn(words, "\r\n")] = 0;
  return words;
}

bool gg_library_find(const char *name, char *path, size_t size) {
  const wide_path wide = widen(name);
  wide_path found;
  const DWORD length = SearchPathW(NULL, wide.text, NULL, PATH_ROOM, found.text, NULL);
  return length > 0 && length < PATH_ROOM && narrow(found.text, path, size);
}

void *gg_library_open(const char *file, const char **why) {
  const wide_path wide = widen(file);
  void *library = LoadLibraryW(wide.text);
  *why = library ? NULL : words_of(GetLastError());
  return library;
}

void *gg_library_symbol(void *library, const char *name) {
  const FARPROC found = GetProcAddress(library, name);
  void *address;
  memcpy(&address, &found, sizeof address);
  return address;
}

void gg_library_close(void *library) { FreeLibrary(library); }

bool gg_library_of(const void *address, char *path, size_t size) {
  wide_path wide;
  HMODULE library;
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, address, &library)) return false;
  const DWORD length = GetModuleFileNameW(library, wide.text, PATH_ROOM);
  return length > 0 && length < PATH_ROOM && narrow(wide.text, path, size);
}

bool gg_library_complete(FILE *file, int64_t bytes) {
  (void)file;
  return bytes > 0; /* the loader itself refuses a file that is cut */
}

gg_library_read gg_library_constant(FILE *file, int64_t bytes, const char *name, void *constant,
                                    size_t size) {
  (void)file, (void)bytes, (void)name, (void)constant, (void)size;
  return GG_LIBRARY_UNREADABLE;
}

bool gg_user_cache(char *path, size_t size) {
  const wchar_t *local = _wgetenv(L"LOCALAPPDATA");
  if (!local || !*local || !narrow(local, path, size)) return false;
  const size_t length = strlen(path);
  return snprintf(path + length, size - length, "/R/cache") < (int)(size - length);
}

#endif
