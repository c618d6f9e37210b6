/* What repulsion.c agrees on with its kernels, which are compiled for each instruction set. */
#ifndef GG_CPU_REPEL_H
#define GG_CPU_REPEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/simd.h"
#include "layout/step.h"

enum {
  GG_REPEL_GROUP = 32,  /* vertices whose forces a kernel sums */
  GG_REPEL_PAD = 16,    /* elements after the end of an array that kernels may read */
  GG_REPEL_MOMENTS = 6, /* maximum number of floats of an expansion */
  GG_REPEL_SPANS = 256, /* maximum number of spans and of cells of a group */
  GG_REPEL_CELLS = 256
};

/* Vertices in the order of their keys: fine offsets by coordinate, and masses. */
typedef struct gg_repel_sources {
  int64_t n;
  int32_t *fine[GG_LAYOUT_DIMS];
  float *mass;
} gg_repel_sources;

/* Vertices [first, last). */
typedef struct gg_repel_span {
  int64_t first, last;
} gg_repel_span;

/*
 * The expansion of a cell: the centre of mass of its vertices as a fine offset, their mass, and
 * moments about the centre in units of the frame. With expansion order 4 in the plane these are the
 * complex sums of m z^2, m z^3 and m z^4, with order 2 the first; in space the sums of m x x, x y,
 * x z, y y, y z, z z.
 */
typedef struct gg_repel_cell {
  int32_t centre[GG_LAYOUT_DIMS];
  float mass, moment[GG_REPEL_MOMENTS];
} gg_repel_cell;

/* A group of vertices, and the spans and cells that repel it. */
typedef struct gg_repel_group {
  gg_repel_span target; /* at most GG_REPEL_GROUP */
  int32_t middle[GG_LAYOUT_DIMS];
  int spans, cells;
  gg_repel_span span[GG_REPEL_SPANS];
  int32_t cell[GG_REPEL_CELLS];
  double force[GG_LAYOUT_DIMS][GG_REPEL_GROUP]; /* sums in units of the frame */
} gg_repel_group;

/* Adds the forces of the group's spans and cells. */
typedef void gg_repel(const gg_repel_sources *sources, const gg_repel_cell *cells,
                      gg_repel_group *group);

/* The kernels of one instruction set: in the plane with expansion order 0, 2 and 4, in space with
   order 0 and 2. */
typedef struct gg_repel_kernels {
  gg_repel *plane[3], *space[2];
} gg_repel_kernels;

/* --- The kernels of each instruction set ------------------------------------------------------ */

extern const gg_repel_kernels GG_SIMD_FORMS(gg_repel);

#endif
