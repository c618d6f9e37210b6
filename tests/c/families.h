/* One small call of every family, for tests of what holds for all of them. */
#ifndef FAMILIES_H
#define FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

typedef struct family {
  const char *name;
  /* Runs a call whose size grows with n (at least 64). *hash is of all bits of the result; it stays
     the same for other threads and hooks. Results that cannot be allocated are
     GPUGEO_ERROR_MEMORY. */
  gpugeo_status (*call)(int64_t n, const gpugeo_run *run, uint64_t *hash, gpugeo_error *error);
} family;

extern const family families[];
extern const int family_count;

/* True if a call of the family computes nothing in this build. Counts a skipped check. */
bool family_is_left_out(const family *f);

#endif
