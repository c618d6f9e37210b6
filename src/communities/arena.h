/* Memory that is freed at once. */
#ifndef GG_ARENA_H
#define GG_ARENA_H

#include "common/call.h"

struct gg_arena_block;

typedef struct gg_arena {
  struct gg_arena_block *last;
  int64_t room;     /* bytes that are left in it */
  char *next;       /* the first of them */
  double bytes;     /* of all blocks, and what else the owner adds */
  const char *what; /* for messages: "a BIOM table" */
} gg_arena;

/* Fails if the call may not use so many bytes more; else adds them to the arena's. */
gpugeo_status gg_arena_claim(gg_arena *arena, double bytes, gg_call *call);

/* Returns memory for count elements, which the arena owns, aligned to 8 bytes; NULL if the call has
   failed: now, if it may not use so much memory. */
void *gg_arena_take(gg_arena *arena, int64_t count, int64_t size, gg_call *call);

/* Frees all memory. */
void gg_arena_free(gg_arena *arena);

#endif
