/* The one context of a process: what must outlive a call. */
#ifndef GG_CONTEXT_H
#define GG_CONTEXT_H

#include <stdbool.h>

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_simd { GG_SIMD_GENERIC = 0, GG_SIMD_AVX2 = 1, GG_SIMD_AVX512 = 2 } gg_simd;

typedef struct gg_context {
  long process; /* of the process that made it */
  gg_simd simd; /* widest instructions of this machine, at most what GPUGEO_SIMD names */
  void *cuda;   /* the CUDA backend's own part, NULL before its first use */
} gg_context;

/* Returns the context, made at first use by whichever thread comes first. */
gg_context *gg_context_get(void);

/* True if this thread is within a call that computes on a CUDA device, that is in one of its hooks:
   the devices serve one call at a time, so that another one from here would wait for ever. */
bool gg_device_held(void);

/* Sets that for this thread: the CUDA backend does, and tests. */
void gg_hold_device(bool held);

/* True in a process forked from the one that made the context: it may not use the parent's CUDA
   context nor its thread pool. */
bool gg_forked(void);

/* Returns the number of processors that this process may run on, at most the CPU quota of its
   control groups. */
int32_t gg_processors(void);

/* Fails if GPUGEO_THREADS is set, not empty and not a number of threads that is allowed. */
gpugeo_status gg_check_thread_variable(gpugeo_error *error);

/* Threads a call may use: `asked` (0: the default), one in a forked process. */
int32_t gg_threads(int32_t asked);

/* Threads that pay for a call of so much work, in units of 0.1 ns of one thread: fewer than the
   default for little work; as many as are asked for. */
int32_t gg_threads_for(int32_t asked, double work);

/* Of so many threads, those for reading and copying memory. More are no faster; and a team of all
   the machine's processors waits again and again for the one that does something else. Measured
   beside an H200: 32,768 points in double, 0.35 s with 64 threads of 64, 0.17 with 32, 0.18
   with 16. */
int32_t gg_copying_threads(int32_t threads);

/* Tests only: lower the instruction set in use. */
void gg_set_simd(gg_simd simd);

#ifdef __cplusplus
}
#endif

#endif
