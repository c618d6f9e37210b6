/* What the core must know of the thread that calls it.
 *
 * It is kept by pthread_setspecific(), not in _Thread_local variables: of a shared object that was
 * loaded later, a thread gets these at its first use of one, and if there is no memory then, the C
 * library ends the process. */
#ifndef GG_THREAD_FLAGS_H
#define GG_THREAD_FLAGS_H

#include <stdbool.h>

#include "common/c_linkage.h"

GG_C_BEGIN

typedef enum gg_thread_flag {
  GG_THREAD_IN_TEAM = 1,       /* it works in a team of two or more, see parallel.h */
  GG_THREAD_WITHOUT_HOOKS = 2, /* it must not call the hooks of a caller */
  GG_THREAD_HOLDS_DEVICE = 4,  /* it computes on a device that serves one call at a time */
} gg_thread_flag;

/* True if this flag of the calling thread is set. */
bool gg_thread_is(gg_thread_flag flag);

/* Sets or clears a flag of the calling thread. Returns false if there is no memory, which can
   happen only at the thread's first call. */
bool gg_thread_set(gg_thread_flag flag, bool value);

GG_C_END

#endif
