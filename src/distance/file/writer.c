#include "distance/file/writer.h"

#include <errno.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/platform.h"

/* Opens the open file again, to be written past the page cache. Returns -1 if its file system
   cannot do that, or if another file has its name now. */
static int open_direct(const char *file, int handle) {
  gg_file_about opened, named;
  const int direct = gg_handle_open(file, GG_FILE_WRITE_DIRECT);
  if (direct < 0) return -1;
  if (gg_handle_describe(handle, &opened) && gg_handle_describe(direct, &named) &&
      opened.device == named.device && opened.number == named.number)
    return direct;
  close(direct);
  return -1;
}

/* Allocates disk space for the whole of a file of which `done` tiles are written. Returns 0 or the
   system's error number. */
static int reserve_space(int handle, const gg_h5_dist *about, int64_t done) {
  const int64_t bytes = gg_h5_dist_bytes(about);
  return bytes ? gg_handle_reserve(handle, about->data, bytes, done == 0) : 0;
}

gpugeo_status gg_dist_writer_start(gg_dist_writer *to, const char *file, int handle,
                                   const gg_h5_dist *about, int64_t done, int64_t rows,
                                   gpugeo_error *error) {
  *to = (gg_dist_writer){.store = {handle, open_direct(file, handle), about},
                         .rows = rows,
                         .written = done,
                         .marked = done};
  to->failed = reserve_space(handle, about, done);
  const int64_t values = rows * about->side, size = gg_h5_value_bytes(about);
  const int64_t scratch = gg_dist_store_bytes(about);
  const int rooms = rows < about->points || about->side < about->points ? 2 : 1;
  for (int room = 0; room < rooms; ++room)
    to->rooms[room] = gg_allocate_pages(GG_PAGE_BYTES + values * size);
  to->scratch = scratch ? gg_allocate_pages(scratch) : NULL;
  if (to->rooms[0] && (rooms == 1 || to->rooms[1]) && (to->scratch || !scratch)) return GPUGEO_OK;
  return gg_fail_memory(error, rooms * values * size + scratch);
}

void *gg_dist_writer_room(const gg_dist_writer *to) {
  return (char *)to->rooms[to->next] + GG_PAGE_BYTES;
}

/* Updates the marker, which counts only tiles that a crash of the machine cannot undo. */
static void mark_tiles(gg_dist_writer *to) {
  if (to->marked == to->written) return;
  int failed = gg_handle_sync(to->store.handle);
  if (!failed)
    failed =
        gg_write_at(to->store.handle, &to->written, sizeof to->written, to->store.about->marker);
  if (failed) {
    if (!to->failed) to->failed = failed;
    return;
  }
  to->marked = to->written;
  to->pieces = 0;
  to->unmarked = 0;
}

/* Starts writing a contiguous part of the file to disk: a complete column of a condensed one.
   The disk then works during the computation, and the wait in mark_tiles() is short. */
static void hand_to_disk(const gg_dist_writer *to, const gpugeo_tile *tile) {
  if (to->store.about->shape == GPUGEO_SHAPE_FULL ||
      tile->row + tile->rows == to->store.about->points)
    gg_handle_start_sync(to->store.handle);
}

/* Writes a piece, and marks its tiles as written when there is enough since the last mark. */
static void store_piece(gg_job *job) {
  const struct gg_dist_piece *piece = (struct gg_dist_piece *)job;
  gg_dist_writer *to = piece->to;
  to->failed = gg_dist_store_tile(&to->store, &piece->tile, piece->values, to->scratch);
  if (to->failed) return;
  to->written += piece->tiles;
  ++to->pieces;
  to->unmarked += piece->tile.rows * piece->tile.columns * gg_h5_value_bytes(to->store.about);
  hand_to_disk(to, &piece->tile);
  const int64_t many_bytes = (int64_t)256 << 20, many_pieces = 16;
  const bool many = to->unmarked >= many_bytes;
  if (many || to->pieces >= many_pieces) mark_tiles(to);
  if (many) gg_handle_drop_cache(to->store.handle);
}

/* Does nothing: all memory is the writer's, which waits for the piece. */
static void keep_piece(gg_job *job) { (void)job; }

/* Waits for the piece that is being written, without calling the hooks. */
static void wait_for_piece(gg_dist_writer *to) {
  if (!to->busy) return;
  static const _Atomic double none = 0;
  gpugeo_run silent;
  gpugeo_run_init(&silent, sizeof silent);
  gg_clock clock;
  gg_clock_start_worker(&clock, &silent);
  gg_job_wait(&to->piece.job, &none, &clock);
  to->busy = false;
}

bool gg_dist_writer_put(gg_dist_writer *to, const gpugeo_tile *piece, int64_t tiles) {
  gg_dist_store_pack(to->store.about, piece, gg_dist_writer_room(to)); /* while the disk is busy */
  wait_for_piece(to);
  if (to->failed) return false;
  to->piece = (struct gg_dist_piece){.job = {.work = store_piece, .destroy = keep_piece},
                                     .to = to,
                                     .tile = *piece,
                                     .tiles = tiles,
                                     .values = gg_dist_writer_room(to)};
  to->next = to->rooms[1] ? !to->next : 0;
  to->busy = true;
  if (gg_job_start(&to->piece.job, NULL) == GPUGEO_OK) return true;
  store_piece(&to->piece.job); /* the thread could not be started */
  gg_job_finish(&to->piece.job);
  return true;
}

int gg_dist_writer_end(gg_dist_writer *to) {
  wait_for_piece(to);
  mark_tiles(to);
  if (to->store.direct >= 0 && close(to->store.direct) && !to->failed) to->failed = errno;
  if (close(to->store.handle) && !to->failed) to->failed = errno;
  gg_free(to->rooms[0]);
  gg_free(to->rooms[1]);
  gg_free(to->scratch);
  return to->failed;
}
