#include "call.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "common/error.h"

struct gg_mex_release {
  void (*release)(void *);
  void *what;
  struct gg_mex_release *next;
};

bool gg_mex_check(gg_mex_call *call, gpugeo_status status) {
  call->status = status;
  return status == GPUGEO_OK;
}

void gg_mex_release_later(gg_mex_call *call, void (*release)(void *), void *what) {
  struct gg_mex_release *entry = malloc(sizeof *entry);
  if (!entry) {
    release(what);
    gg_mex_check(call, gg_fail_memory(&call->error, sizeof *entry));
    return;
  }
  *entry = (struct gg_mex_release){release, what, call->releases};
  call->releases = entry;
}

void *gg_mex_allocate(gg_mex_call *call, int64_t count, size_t size) {
  void *memory = NULL;
  if ((uint64_t)count <= PTRDIFF_MAX / size) memory = malloc(count > 0 ? (size_t)count * size : 1);
  if (!memory) {
    gg_mex_check(call, gg_fail_memory(&call->error, count * (int64_t)size));
    return NULL;
  }
  gg_mex_release_later(call, free, memory);
  return call->status ? NULL : memory;
}

double gg_mex_new_number(void) {
  static double last;
  if (last == 0) last = (double)time(NULL) * 0x1p20;
  return ++last;
}

void gg_mex_release_all(gg_mex_call *call) {
  while (call->releases) {
    struct gg_mex_release *entry = call->releases;
    call->releases = entry->next;
    entry->release(entry->what);
    free(entry);
  }
}
