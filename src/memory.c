#include "memory.h"

#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/sysinfo.h>
#endif

static void *allocate_aligned(int64_t count, int64_t size, int64_t alignment) {
  if (count < 0 || size < 1 || count > (INT64_MAX - alignment) / size) return NULL;
  int64_t bytes = (count * size + alignment - 1) / alignment * alignment;
  void *memory = NULL;
  if (posix_memalign(&memory, (size_t)alignment, (size_t)(bytes ? bytes : alignment))) return NULL;
  return memory;
}

void *gg_allocate(int64_t count, int64_t size) { return allocate_aligned(count, size, 64); }

void *gg_allocate_pages(int64_t bytes) { return allocate_aligned(bytes, 1, GG_PAGE_BYTES); }

double gg_machine_memory(void) {
  const char *set = getenv("GPUGEO_MEMORY");
  double gib = set ? strtod(set, NULL) : 0;
  if (gib > 0) return gib * 1073741824.0;
#if defined(__linux__)
  struct sysinfo info;
  if (sysinfo(&info) == 0)
    return ((double)info.totalram + (double)info.totalswap) * (double)info.mem_unit;
#endif
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

void gg_prefer_huge_pages(void *start, int64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t huge = (uintptr_t)2 << 20;
  uintptr_t first = ((uintptr_t)start + huge - 1) / huge * huge;
  uintptr_t last = ((uintptr_t)start + (uintptr_t)bytes) / huge * huge;
  /* Advice only: where it is refused the result is merely slower. */
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
