/* Host memory: working memory of a call, and the limits of this process. */
#ifndef GG_MEMORY_H
#define GG_MEMORY_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/platform.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Working memory of a call that sets no other limit, in bytes. */
enum { GG_WORK_BYTES = 256 << 20 };

/* Bytes of a page of memory and of files; writes past the page cache take whole pages. */
enum { GG_PAGE_BYTES = 4096 };

/* Allocates count elements of the given size, aligned to 64 bytes, or returns NULL. To be freed
   by gg_free(). */
void *gg_allocate(int64_t count, int64_t size);

/* Allocates so many bytes, aligned to pages. */
void *gg_allocate_pages(int64_t bytes);

/* Allocates count elements in huge pages if the system has them, for large memory that is used
   once. */
void *gg_allocate_large(int64_t count, int64_t size);

/* Allocates count elements that are 0. */
void *gg_allocate_zeros(int64_t count, int64_t size);

/* Changes the number of elements; memory NULL allocates them. Returns NULL without memory: then
   what was there remains. */
void *gg_reallocate(void *memory, int64_t count, int64_t size);

/* Frees what one of these functions has returned; NULL is allowed. free() must not be called for
   it. */
void gg_free(void *memory);

/* The memory that a process may use, and the name of the limit in messages. */
typedef struct gg_memory_limit {
  double bytes;
  const char *name; /* "of memory of this machine" */
} gg_memory_limit;

/*
 * Returns the memory that this process may use: GPUGEO_MEMORY in GiB if it is set, else the
 * smallest of the machine's memory and swap, the limits of the process's control groups (cgroup.h),
 * and RLIMIT_AS and RLIMIT_DATA. These are limits: what is in use already is not subtracted,
 * because R frees garbage only when it allocates. Reads the environment: for the calling thread
 * only.
 */
gg_memory_limit gg_memory_limit_get(void);

/* The environment variable of the limit of memory, in GiB. */
#define GG_MEMORY_VARIABLE "GPUGEO_MEMORY"

/* Returns its value in bytes, or -1 if it is not set, is empty or is not a positive finite number.
 */
double gg_memory_variable(void);

/* Fails if it is set, not empty and not a positive finite number. */
gpugeo_status gg_check_memory_variable(gpugeo_error *error);

/* Returns the bytes of gg_memory_limit_get(). */
double gg_machine_memory(void);

/*
 * Fails with GPUGEO_ERROR_MEMORY if `bytes`, of results and working memory together, are more than
 * gg_machine_memory(). The message begins with the text that format makes and continues "8.0 GiB,
 * more than the 4.0 GiB of memory of this machine".
 */
GG_PRINTF(4, 5)
gpugeo_status gg_check_memory(double bytes, const char *argument, gpugeo_error *error,
                              const char *format, ...);

/* Fails with GPUGEO_ERROR_MEMORY if `bytes` of working memory are more than run.work_bytes, unless
   that is 0. The message begins "memory_limit must be at least 4096 bytes for" and continues with
   the text that format makes. */
GG_PRINTF(4, 5)
gpugeo_status gg_check_work(const gpugeo_run *run, double bytes, gpugeo_error *error,
                            const char *format, ...);

/* Does the same as gg_check_memory() for a limit that was read before. Any thread may call it. */
GG_PRINTF(5, 6)
gpugeo_status gg_check_memory_limit(const gg_memory_limit *limit, double bytes,
                                    const char *argument, gpugeo_error *error, const char *format,
                                    ...);

/* Fails with GPUGEO_ERROR_MEMORY and the size if a result and `working` bytes of working memory are
   more than gg_machine_memory(). */
gpugeo_status gg_check_result(double elements, gpugeo_type type, double working,
                              gpugeo_error *error);

/* True if so many bytes can be allocated now. It asks the system and not malloc(), which after a
   large block is freed no longer gives such blocks back to the system. */
bool gg_memory_is_there(int64_t bytes);

GG_C_END

#endif
