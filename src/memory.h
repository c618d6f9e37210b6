/* Host memory: working memory of a call, and what this machine has. */
#ifndef GG_MEMORY_H
#define GG_MEMORY_H

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Working memory of a call that sets no other limit, in bytes. */
enum { GG_WORK_BYTES = 256 << 20 };

/* Of memory and of files: what goes past the page cache does so in whole ones. */
enum { GG_PAGE_BYTES = 4096 };

/* Room for count elements of the given size, aligned to 64 bytes, or NULL. To be freed by free().
 */
void *gg_allocate(int64_t count, int64_t size);

/* Room for so many bytes, aligned to pages. */
void *gg_allocate_pages(int64_t bytes);

/* Room for count elements in huge pages, where the system has them: for what is large and used
   once. */
void *gg_allocate_large(int64_t count, int64_t size);

/* Bytes of memory and swap of this machine, or what GPUGEO_MEMORY says in GiB. */
double gg_machine_memory(void);

/* Ask for huge pages under a large result that nobody has touched yet: fewer page faults. */
void gg_prefer_huge_pages(void *start, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
