#include "common/memory.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/sysinfo.h>
#endif

#include "common/cgroup.h"
#include "common/error.h"
#include "common/number.h"

static const double gib = 1073741824.0;

static void *allocate_aligned(int64_t count, int64_t size, int64_t alignment) {
  if (count < 0 || size < 1 || count > (INT64_MAX - alignment) / size) return NULL;
  int64_t bytes = (count * size + alignment - 1) / alignment * alignment;
  void *memory = NULL;
  if (posix_memalign(&memory, (size_t)alignment, (size_t)(bytes ? bytes : alignment))) return NULL;
  return memory;
}

void *gg_allocate(int64_t count, int64_t size) { return allocate_aligned(count, size, 64); }

void *gg_allocate_pages(int64_t bytes) { return allocate_aligned(bytes, 1, GG_PAGE_BYTES); }

static double installed_memory(void) {
#if defined(__linux__)
  struct sysinfo info;
  if (sysinfo(&info) == 0)
    return ((double)info.totalram + (double)info.totalswap) * (double)info.mem_unit;
#endif
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static void lower(gg_memory_limit *least, double bytes, const char *name) {
  if (bytes < least->bytes) *least = (gg_memory_limit){bytes, name};
}

static void lower_to_resource(gg_memory_limit *least, int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    lower(least, (double)limit.rlim_cur, "of memory that ulimit allows this process");
}

/* An environment variable in GiB. */
typedef struct variable {
  const char *name;
  double least;        /* bytes */
  const char *allowed; /* for messages */
} variable;

static const variable variables[GG_MEMORY_VARIABLES] = {
    {"GPUGEO_MEMORY", DBL_MIN, "a positive number of GiB"},
    {"GPUGEO_RESULT_MEMORY", 0, "a number of GiB of at least 0"},
};

const char *gg_memory_variable_name(int which) { return variables[which].name; }

double gg_memory_variable(const char *name) {
  const char *text = getenv(name);
  if (!text || !*text) return -1;
  char *end;
  const double given = gg_parse_double(text, &end);
  return end != text && *end == 0 && given >= 0 && isfinite(given) ? given * gib : -1;
}

gpugeo_status gg_check_memory_variable(int which, gpugeo_error *error) {
  const variable *one = &variables[which];
  const char *text = getenv(one->name);
  if (!text || !*text || gg_memory_variable(one->name) >= one->least) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "", "%s must be %s, not \"%.100s\"", one->name,
                 one->allowed, text);
}

gpugeo_status gg_check_memory_variables(gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  for (int i = 0; i < GG_MEMORY_VARIABLES && !status; ++i)
    status = gg_check_memory_variable(i, error);
  return status;
}

gg_memory_limit gg_memory_limit_get(void) {
  const double given = gg_memory_variable("GPUGEO_MEMORY");
  if (given > 0) return (gg_memory_limit){given, "of memory that GPUGEO_MEMORY allows"};
  gg_memory_limit least = {installed_memory(), "of memory of this machine"};
  lower(&least, gg_cgroup_memory(), "of memory that the control group of this process allows");
  lower_to_resource(&least, RLIMIT_DATA);
#if defined(RLIMIT_AS)
  lower_to_resource(&least, RLIMIT_AS);
#endif
  return least;
}

double gg_machine_memory(void) { return gg_memory_limit_get().bytes; }

static gpugeo_status check_bytes(const gg_memory_limit *limit, double bytes, const char *argument,
                                 gpugeo_error *error, const char *format, va_list arguments) {
  if (bytes <= limit->bytes) return GPUGEO_OK;
  char what[256];
  vsnprintf(what, sizeof what, format, arguments);
  return gg_fail(error, GPUGEO_ERROR_MEMORY, argument, "%s %.1f GiB, more than the %.1f GiB %s",
                 what, bytes / gib, limit->bytes / gib, limit->name);
}

gpugeo_status gg_check_memory_limit(const gg_memory_limit *limit, double bytes,
                                    const char *argument, gpugeo_error *error, const char *format,
                                    ...) {
  va_list arguments;
  va_start(arguments, format);
  gpugeo_status status = check_bytes(limit, bytes, argument, error, format, arguments);
  va_end(arguments);
  return status;
}

gpugeo_status gg_check_memory(double bytes, const char *argument, gpugeo_error *error,
                              const char *format, ...) {
  const gg_memory_limit limit = gg_memory_limit_get();
  va_list arguments;
  va_start(arguments, format);
  gpugeo_status status = check_bytes(&limit, bytes, argument, error, format, arguments);
  va_end(arguments);
  return status;
}

gpugeo_status gg_check_result(double elements, gpugeo_type type, double working,
                              gpugeo_error *error) {
  const double bytes = elements * (type == GPUGEO_TYPE_FLOAT ? 4 : 8);
  return gg_check_memory(bytes + working, "x", error,
                         "the result (%.0f values) and working memory need", elements);
}

gpugeo_status gg_check_work(const gpugeo_run *run, double bytes, gpugeo_error *error,
                            const char *format, ...) {
  if (run->work_bytes == 0 || bytes <= (double)run->work_bytes) return GPUGEO_OK;
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  gg_print_list(what, sizeof what, format, arguments);
  va_end(arguments);
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "memory_limit",
                 "memory_limit must be at least %.0f bytes for %s, not %lld", bytes, what,
                 (long long)run->work_bytes);
}

bool gg_memory_is_there(int64_t bytes) {
#if defined(__linux__)
  void *room =
      mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, (size_t)bytes);
#else
  void *room = malloc((size_t)bytes);
  free(room);
  if (!room) return false;
#endif
  return true;
}

void gg_prefer_huge_pages(void *start, int64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t huge = (uintptr_t)2 << 20;
  uintptr_t first = ((uintptr_t)start + huge - 1) / huge * huge;
  uintptr_t last = ((uintptr_t)start + (uintptr_t)bytes) / huge * huge;
  /* Advice only: if the system refuses it, the result is the same, but slower. */
  if (last > first) (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
  (void)start, (void)bytes;
#endif
}

void *gg_allocate_large(int64_t count, int64_t size) {
  void *memory = gg_allocate(count, size);
  if (memory) gg_prefer_huge_pages(memory, count * size);
  return memory;
}
