/* Distances between points that are missing or infinite, in one pass over all pairs: for errors. */
#include <math.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/read_tiles.h"
#include "common/parallel.h"
#include "distance/cpu/tiles.h"

typedef struct search {
  bool marked; /* an infinite value is a missing one */
  gg_lock lock;
  gg_bad_distances *bad; /* under the lock */
} search;

/* Notes the distances of a tile that are not finite. */
static int32_t note_tile(void *own, const gg_cpu_position *position, void *values) {
  search *s = own;
  for (int64_t c = 0; c < position->columns; ++c) {
    const double *value = (const double *)values + c * position->ld;
    for (int64_t r = position->diagonal ? c + 1 : 0; r < position->rows; ++r) {
      if (isfinite(value[r])) continue;
      gg_lock_take(&s->lock);
      gg_bad_distances_add(s->bad, position->row + r, position->column + c,
                           s->marked ? NAN : value[r]);
      gg_lock_give(&s->lock);
    }
  }
  return 0;
}

gpugeo_status gg_bad_tiles(const gg_pairs *pairs, gg_bad_distances *bad, gg_call *call) {
  if (call->status) return call->status;
  search s = {.marked = gg_marks_missing(pairs), .bad = bad};
  const gg_cpu_sink sink = {.own = &s, .before = 1, .take = note_tile};
  gg_lock_make(&s.lock);
  GG_TRY(call, pairs->read ? gg_read_tiles(pairs, &s, note_tile, 1, 0, call)
                           : gg_cpu_tiles(&pairs->dist, &sink, call));
  gg_lock_free(&s.lock);
  return call->status;
}
