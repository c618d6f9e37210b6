/* The context of a process: what is kept between calls. */
#ifndef GG_CONTEXT_H
#define GG_CONTEXT_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/simd.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_context {
  long process; /* of the process that made it */
  gg_simd simd; /* widest instructions of this machine, at most what GPUGEO_SIMD names */
} gg_context;

/* Returns the context. The first call, on any thread, creates it. */
gg_context *gg_context_get(void);

/* True in a process forked from the one that created the context. It must not use the parent's
   CUDA context or thread pool. */
bool gg_forked(void);

/* Returns the number of processors that this process may run on, at most the CPU quota of its
   control groups. */
int32_t gg_processors(void);

/* Fails if GPUGEO_THREADS is set, not empty and not a number of threads that is allowed. */
gpugeo_status gg_check_thread_variable(gpugeo_error *error);

/* Returns the number of threads a call may use: `asked` (0: the default), or 1 in a forked
   process. */
int32_t gg_threads(int32_t asked);

/* Returns the number of threads for a call whose work takes one thread `work` times 0.1 ns:
   `asked`, or by default at most one for each 10^6 units. */
int32_t gg_threads_for(int32_t asked, double work);

/* Returns how many of the threads read and copy memory. More are not faster, and a team of all
   processors waits for threads that are not scheduled. Measured with an H200: 32,768 points in
   double, 0.35 s with 64 threads of 64, 0.17 with 32, 0.18 with 16. */
int32_t gg_copying_threads(int32_t threads);

GG_C_END

#endif
