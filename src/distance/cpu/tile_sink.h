/* What is done with the tiles of distances. */
#ifndef GG_CPU_TILE_SINK_H
#define GG_CPU_TILE_SINK_H

#include <stdbool.h>

#include "gpugeo.h"

/* Points of a tile in each direction, at most: two packed runs and the sums fit a level 2 cache. */
enum { GG_CPU_TILE = 128 };

/* Where a tile belongs, and the leading dimension of its values. */
typedef struct gg_cpu_position {
  int64_t row, column;   /* its first points, of x and of y */
  int64_t rows, columns; /* points */
  int64_t ld;            /* rows, filled up to whole panels; what is there means nothing */
  bool diagonal;         /* its pairs are within the same points: only those below count */
} gg_cpu_position;

typedef enum gg_cpu_side { GG_CPU_ROWS, GG_CPU_COLUMNS } gg_cpu_side;

/* What is done with the tiles of a job. */
typedef struct gg_cpu_sink {
  void *own;
  int64_t point_bytes;      /* working memory it has for each point of a block */
  bool avoid_shared_points; /* concurrent tiles share no points */
  double before, share;     /* of the whole call: done before this job, and this job's part */
  /* All but take may be NULL. start: blocks have at most so many points, tiles so many. */
  gpugeo_status (*start)(void *own, int64_t block, int64_t tile, gpugeo_error *error);
  /* Called before and after the tiles of a block. A block of columns stays open while blocks of
     rows are opened and closed; no block of rows is opened for the pairs within it. Within x, a
     block is one of rows for all earlier blocks of columns, and then one of columns. */
  void (*open)(void *own, gg_cpu_side side, int64_t first, int64_t count);
  void (*close)(void *own, gg_cpu_side side);
  /* Takes a tile's values, of the plan's real type, column-major, which it may change. All
     threads call it. Returns notes. */
  int32_t (*take)(void *own, const gg_cpu_position *position, void *values);
} gg_cpu_sink;

#endif
