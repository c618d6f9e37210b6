#include "common/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cgroup.h"
#include "common/error.h"
#include "common/number.h"
#include "common/platform.h"

static const double gib = 1073741824.0;

/* Returns the bytes of so many elements, rounded up to a positive multiple of the alignment; 0 if
   they are too many to be counted. */
static size_t bytes_of(int64_t count, int64_t size, int64_t alignment) {
  if (count < 0 || size < 1 || count > (INT64_MAX - alignment) / size) return 0;
  const int64_t bytes = (count * size + alignment - 1) / alignment * alignment;
  return (size_t)(bytes ? bytes : alignment);
}

/* Allocates aligned memory for count elements of size bytes. Returns NULL on overflow or without
   memory. */
static void *allocate_aligned(int64_t count, int64_t size, int64_t alignment) {
  const size_t bytes = bytes_of(count, size, alignment);
  return bytes ? gg_aligned_allocate((size_t)alignment, bytes) : NULL;
}

enum { CACHE_LINE = 64 };

void *gg_allocate(int64_t count, int64_t size) { return allocate_aligned(count, size, CACHE_LINE); }

void *gg_allocate_zeros(int64_t count, int64_t size) {
  void *memory = gg_allocate(count, size);
  if (memory) memset(memory, 0, bytes_of(count, size, CACHE_LINE));
  return memory;
}

void *gg_reallocate(void *memory, int64_t count, int64_t size) {
  const size_t bytes = bytes_of(count, size, CACHE_LINE);
  return bytes ? gg_aligned_reallocate(memory, CACHE_LINE, bytes) : NULL;
}

void *gg_allocate_pages(int64_t bytes) { return allocate_aligned(bytes, 1, GG_PAGE_BYTES); }

void gg_free(void *memory) { gg_aligned_free(memory); }

/* Replaces the limit by another one if that is lower. */
static void lower(gg_memory_limit *least, double bytes, const char *name) {
  if (bytes < least->bytes) *least = (gg_memory_limit){bytes, name};
}

double gg_memory_variable(void) {
  const char *text = getenv(GG_MEMORY_VARIABLE);
  if (!text || !*text) return -1;
  char *end;
  const double given = gg_parse_double(text, &end);
  return end != text && *end == 0 && given > 0 && isfinite(given) ? given * gib : -1;
}

gpugeo_status gg_check_memory_variable(gpugeo_error *error) {
  const char *text = getenv(GG_MEMORY_VARIABLE);
  if (!text || !*text || gg_memory_variable() > 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "",
                 GG_MEMORY_VARIABLE " must be a positive number of GiB, not \"%.100s\"", text);
}

gg_memory_limit gg_memory_limit_get(void) {
  const double given = gg_memory_variable();
  if (given > 0) return (gg_memory_limit){given, "of memory that GPUGEO_MEMORY allows"};
  gg_memory_limit least = {gg_installed_memory(), "of memory of this machine"};
  lower(&least, gg_cgroup_memory(), "of memory that the control group of this process allows");
  lower(&least, gg_process_memory(), "of memory that ulimit allows this process");
  return least;
}

double gg_machine_memory(void) { return gg_memory_limit_get().bytes; }

/* Checks a number of bytes against a limit; the format describes what needs them. */
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

/* Bytes for which the system is not asked for its limits: a process that has loaded this code has
   at least as many, and the question takes longer than distances of 10 points. */
static const double always_there = 1 << 20;

gpugeo_status gg_check_memory(double bytes, const char *argument, gpugeo_error *error,
                              const char *format, ...) {
  if (bytes <= always_there && gg_memory_variable() < 0) return GPUGEO_OK;
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
  void *room = gg_pages_take((size_t)bytes);
  if (!room) return false;
  gg_pages_give(room, (size_t)bytes);
  return true;
}

void *gg_allocate_large(int64_t count, int64_t size) {
  void *memory = gg_allocate(count, size);
  if (memory) gg_prefer_huge_pages(memory, count * size);
  return memory;
}
