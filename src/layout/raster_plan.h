/* The interface of a backend's images of layouts. */
#ifndef GG_LAYOUT_RASTER_PLAN_H
#define GG_LAYOUT_RASTER_PLAN_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "layout/raster_step.h"

GG_C_BEGIN

/* Edges are copied to a device in chunks of up to so many, and take so many bytes there. */
enum { GG_RASTER_CHUNK = 1 << 20, GG_RASTER_EDGE_BYTES = 12 };

/* A tile of a picture, with all arguments checked. */
typedef struct gg_raster_plan {
  const gpugeo_graph *graph;
  const gg_raster_point *at; /* of the vertices */
  int32_t width, height;     /* of a tile */
  int64_t side;              /* columns and rows of tiles that the picture has */
  int64_t tile[2];           /* the column and the row of the tile to draw */
  uint64_t *image;           /* height rows of width zeros, to which the edges are added */
  /* GG_RASTER_BINS zeros, to which the pixels with a line of all tiles are added, each to its
     gg_raster_bin(); NULL: only the tile is drawn. */
  int64_t *bins;
  int32_t threads, device;
  int64_t work_bytes;
} gg_raster_plan;

/* Returns the number of the nth of all tiles to draw, from the left to the right, row by row: the
   asked one is the last. */
static inline int64_t gg_raster_tile(const gg_raster_plan *plan, int64_t nth) {
  const int64_t asked = plan->tile[0] + plan->side * plan->tile[1];
  return nth == plan->side * plan->side - 1 ? asked : nth + (nth >= asked);
}

/* Returns a part of a tile, rows [first, last) of it, for an image that begins there. */
static inline gg_raster_part gg_raster_part_of(const gg_raster_plan *plan, int64_t tile,
                                               int64_t first, int64_t last, uint64_t *image) {
  const int64_t row = tile / plan->side * plan->height, column = tile % plan->side * plan->width;
  gg_raster_part part = {
      image, plan->width, {row + first, row + last}, {column, column + plan->width}};
  return part;
}

GG_C_END

#endif
