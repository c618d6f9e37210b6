/* Writing distances to a file: each piece is written while the next one is computed. */
#ifndef GG_DIST_WRITER_H
#define GG_DIST_WRITER_H

#include "common/thread_pool.h"
#include "distance/file/store.h"

/* The state of writing. The job and the caller never use it at the same time. */
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

/* Begins to write to an open file of which `done` tiles are written. Owns the handle from then
   on, also after a failure; must be ended, also after a failure. `failed` is set if the disk has
   no room for the whole file. */
gpugeo_status gg_dist_writer_start(gg_dist_writer *to, const char *file, int handle,
                                   const gg_h5_dist *about, int64_t done, int64_t rows,
                                   gpugeo_error *error);

/* Returns the memory for the next piece, borrowed until the piece is handed over. */
void *gg_dist_writer_room(const gg_dist_writer *to);

/* Waits for the previous piece and starts writing this one, of so many tiles. Returns false if
   writing has failed. */
bool gg_dist_writer_put(gg_dist_writer *to, const gpugeo_tile *piece, int64_t tiles);

/* Waits for the last piece, updates the marker and closes the file. Returns 0 or the system's
   error number. */
int gg_dist_writer_end(gg_dist_writer *to);

#endif
