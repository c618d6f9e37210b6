#define _GNU_SOURCE /* fallocate(), sync_file_range(), O_DIRECT */
#include "dist/file/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"

/* Opens the open file again, to be written past the page cache. Returns -1 if its file system
   cannot do that, or if another file has its name now. */
static int open_direct(const char *file, int handle) {
#if defined(O_DIRECT)
  struct stat opened, named;
  const int direct = open(file, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT);
  if (direct < 0) return -1;
  if (fstat(handle, &opened) == 0 && fstat(direct, &named) == 0 && opened.st_dev == named.st_dev &&
      opened.st_ino == named.st_ino)
    return direct;
  close(direct);
#else
  (void)file, (void)handle;
#endif
  return -1;
}

/* Allocates disk space for the whole of a file of which `done` tiles are written, so that a full
   disk is found now and the file is not fragmented. Returns 0 or the system's error number. */
static int reserve(int handle, const gg_h5_dist *about, int64_t done) {
#if defined(__linux__)
  const off_t offset = (off_t)about->data, bytes = (off_t)gg_dist_bytes(about);
  if (bytes == 0) return 0;
  gg_size_signal held;
  gg_size_signal_block(&held);
  const int failed = fallocate(handle, 0, offset, bytes) == 0 ? 0 : errno;
  gg_size_signal_restore(&held);
  /* Other errors mean that the file system does not support the call. */
  if (failed != ENOSPC && failed != EDQUOT && failed != EFBIG) return 0;
  /* The failed call may have allocated the rest of the disk. */
  if (done == 0) (void)fallocate(handle, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
  return failed;
#else
  (void)handle, (void)about, (void)done;
  return 0;
#endif
}

gpugeo_status gg_dist_writer_start(gg_dist_writer *to, const char *file, int handle,
                                   const gg_h5_dist *about, int64_t done, int64_t rows,
                                   gpugeo_error *error) {
  *to = (gg_dist_writer){.store = {handle, open_direct(file, handle), about},
                         .rows = rows,
                         .written = done,
                         .marked = done};
  to->failed = reserve(handle, about, done);
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
static void mark(gg_dist_writer *to) {
  if (to->marked == to->written) return;
  int failed = fdatasync(to->store.handle) ? errno : 0;
  if (failed == EINVAL) failed = 0; /* no file of a disk: there is nothing to wait for */
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
   The disk then works during the computation, and the wait in mark() is short. */
static void hand_to_disk(const gg_dist_writer *to, const gpugeo_tile *tile) {
#if defined(__linux__)
  if (to->store.about->shape == GPUGEO_SHAPE_FULL ||
      tile->row + tile->rows == to->store.about->points)
    (void)sync_file_range(to->store.handle, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)to, (void)tile;
#endif
}

/* Drops what is on the disk from the page cache: a large file would displace everything else,
   and freeing pages one by one takes longer than writing. */
static void forget(const gg_dist_writer *to) {
#if defined(POSIX_FADV_DONTNEED)
  (void)posix_fadvise(to->store.handle, 0, 0, POSIX_FADV_DONTNEED);
#else
  (void)to;
#endif
}

static void store(gg_job *job) {
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
  if (many || to->pieces >= many_pieces) mark(to);
  if (many) forget(to);
}

static void keep(gg_job *job) { (void)job; } /* all memory is the writer's, which waits */

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
  to->piece = (struct gg_dist_piece){.job = {.work = store, .destroy = keep},
                                     .to = to,
                                     .tile = *piece,
                                     .tiles = tiles,
                                     .values = gg_dist_writer_room(to)};
  to->next = to->rooms[1] ? !to->next : 0;
  to->busy = true;
  if (gg_job_start(&to->piece.job, NULL) == GPUGEO_OK) return true;
  store(&to->piece.job); /* no thread to be had */
  gg_job_finish(&to->piece.job);
  return true;
}

int gg_dist_writer_end(gg_dist_writer *to) {
  wait_for_piece(to);
  mark(to);
  if (to->store.direct >= 0 && close(to->store.direct) && !to->failed) to->failed = errno;
  if (close(to->store.handle) && !to->failed) to->failed = errno;
  free(to->rooms[0]);
  free(to->rooms[1]);
  free(to->scratch);
  return to->failed;
}
