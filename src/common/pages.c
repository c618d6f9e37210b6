#include "common/pages.h"

#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(MADV_POPULATE_WRITE)
/* Advises the system about the whole pages within memory. If it refuses, results are the same, but
   slower or in more memory. */
static void advise(void *start, int64_t bytes, int advice) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
  const uintptr_t last = ((uintptr_t)start + (uintptr_t)bytes) / page * page;
  if (last > first) (void)madvise((void *)first, last - first, advice);
}

void gg_pages_populate(void *start, int64_t bytes) { advise(start, bytes, MADV_POPULATE_WRITE); }

/* Gives the pages within memory back to the system. They are 0 when they are read again. */
static void discard(void *start, int64_t bytes) { advise(start, bytes, MADV_DONTNEED); }
#else
void gg_pages_populate(void *start, int64_t bytes) { (void)start, (void)bytes; }

/* Does nothing: only Linux gives pages back and keeps the addresses. */
static void discard(void *start, int64_t bytes) { (void)start, (void)bytes; }
#endif

void gg_pages_move(void *to, void *from, int64_t bytes) {
  for (int64_t done = 0; done < bytes; done += GG_PAGES_STEP) {
    const int64_t part = bytes - done < GG_PAGES_STEP ? bytes - done : GG_PAGES_STEP;
    gg_pages_populate((char *)to + done, part);
    memcpy((char *)to + done, (char *)from + done, (size_t)part);
    if (part == GG_PAGES_STEP) discard((char *)from + done, part);
  }
}
