#include "communities/arena.h"

#include "common/error.h"
#include "common/memory.h"

enum { BLOCK_BYTES = 1 << 16, HEADER_BYTES = 64 };

struct gg_arena_block {
  struct gg_arena_block *before;
};

gpugeo_status gg_arena_claim(gg_arena *arena, double bytes, gg_call *call) {
  const double all = arena->bytes + bytes;
  GG_TRY(call, gg_check_work(call->run, all, call->error, "%s", arena->what));
  GG_TRY(call, gg_check_memory(all, "path", call->error, "%s needs", arena->what));
  if (!call->status) arena->bytes = all;
  return call->status;
}

/* Begins a block of at least so many bytes. */
static void begin_block(gg_arena *arena, int64_t bytes, gg_call *call) {
  const int64_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
  if (gg_arena_claim(arena, (double)room, call)) return;
  struct gg_arena_block *block = gg_call_allocate(call, room + HEADER_BYTES, 1);
  if (!block) return;
  block->before = arena->last;
  arena->last = block;
  arena->next = (char *)block + HEADER_BYTES;
  arena->room = room;
}

void *gg_arena_take(gg_arena *arena, int64_t count, int64_t size, gg_call *call) {
  if (call->status) return NULL;
  const double wanted = (double)count * (double)size;
  if (wanted > 0x1p56) { /* more than any memory: the sizes of blocks are not exceeded below */
    gg_arena_claim(arena, wanted, call);
    GG_TRY(call, gg_fail_memory(call->error, INT64_MAX));
    return NULL;
  }
  const int64_t bytes = count * size > 0 ? (count * size + 7) / 8 * 8 : 8;
  if (bytes > arena->room) begin_block(arena, bytes, call);
  if (call->status) return NULL;
  char *taken = arena->next;
  arena->next += bytes;
  arena->room -= bytes;
  return taken;
}

void gg_arena_free(gg_arena *arena) {
  while (arena->last) {
    struct gg_arena_block *before = arena->last->before;
    gg_free(arena->last);
    arena->last = before;
  }
  arena->room = 0;
}
