/* Distances on their way to a file: pieces are written beside the computation of the next ones. */
#ifndef GG_DIST_WRITER_H
#define GG_DIST_WRITER_H

#include "common/thread_pool.h"
#include "dist/file/store.h"

/* What is written. The job and the caller never touch it together. */
typedef struct gg_dist_writer {
  gg_dist_store store;
  int64_t rows;    /* of a piece, at most */
  int64_t written; /* tiles */
  int64_t marked;  /* of them, on the disk and counted in the file */
  int64_t pieces;  /* that the others are in, and their bytes */
  int64_t unmarked;
  void *rooms[2]; /* a page and a piece each; the second one is NULL where one piece is all */
  int next;       /* room */
  void *scratch;
  int failed; /* the system's error number */
  struct gg_dist_piece {
    gg_job job; /* first */
    struct gg_dist_writer *to;
    gpugeo_tile tile;
    int64_t tiles;
    void *values;
  } piece;
  bool busy; /* piece is being written */
} gg_dist_writer;

/* Begins to write to a file, open, of which `done` tiles are there. Takes the handle in any case;
   to be ended in any case. `failed` is set where the disk has no room for all of it. */
gpugeo_status gg_dist_writer_start(gg_dist_writer *to, const char *file, int handle,
                                   const gg_h5_dist *about, int64_t done, int64_t rows,
                                   gpugeo_error *error);

/* Where the next piece is to be computed. */
void *gg_dist_writer_room(const gg_dist_writer *to);

/* Waits for the piece before, and has this one written, of so many tiles. False when writing has
   failed. */
bool gg_dist_writer_put(gg_dist_writer *to, const gpugeo_tile *piece, int64_t tiles);

/* Waits, counts in the file what is on the disk, and closes it. Returns 0 or the system's error
   number. */
int gg_dist_writer_end(gg_dist_writer *to);

#endif
