/* Pages of large memory that is written once, from its start to its end. */
#ifndef GG_PAGES_H
#define GG_PAGES_H

#include <stdint.h>

enum { GG_PAGES_STEP = 1 << 20 /* bytes, which stay in the cache until they are written */ };

/* Moves bytes to memory that has not been written to. Where the system can do it, the pages that
   were moved are given back step by step, so that both together take one step more than one of
   them. What `from` has afterwards is undefined; it remains to be freed. */
void gg_pages_move(void *to, void *from, int64_t bytes);

#endif
