/* The interface between the CPU driver and its kernels. */
#ifndef GG_CPU_DIST_TILE_H
#define GG_CPU_DIST_TILE_H

#include "common/simd.h"
#include "distance/dist.h"

/*
 * Points are packed in panels of GG_PANEL_BYTES / sizeof(real) points: coordinate k of point i of a
 * panel is at panel[k * points + i], two cache lines for each coordinate, for both orders of the
 * user's matrix. Panels follow each other; the last one is filled up with zeros.
 */
#define GG_PANEL_BYTES 128

/*
 * The marks of a panel of sparse points: for each GG_MARKED_POINTS of its points
 * gg_mark_words(m) words, in which bit k is set unless coordinate k of all of them is 0; and then a
 * word for each GG_MARKED_RUN coordinates, a segment of the panel. Its lowest GG_COUNT_BITS are the
 * number of values in the segment that are not 0, if the segment is squeezed to these, in the order
 * of the panel, and their 16-bit positions, or else GG_NOT_SQUEEZED. The others are where the
 * segment begins, in values from the panel on.
 */
enum {
  GG_MARKED_POINTS = 4,
  GG_MARKED_RUN = 64,
  GG_COUNT_BITS = 12,
  GG_NOT_SQUEEZED = (1 << GG_COUNT_BITS) - 1
};

/* Returns the number of words of marks for GG_MARKED_POINTS points with m coordinates. */
static inline int64_t gg_mark_words(int64_t m) { return (m + GG_MARKED_RUN - 1) / GG_MARKED_RUN; }

/* One tile of pairs: the points of some panels (rows) with those of others (columns). */
typedef struct gg_cpu_tile {
  const void *a, *b;                 /* first panels of the rows and of the columns */
  const void *weight;                /* m reals */
  const uint64_t *a_marks, *b_marks; /* of a and b, for marked kernels, else NULL */
  int64_t m;                         /* coordinates */
  int64_t rows, columns;             /* whole panels */
  bool diagonal; /* rows and columns are the same points: what is above may be left out */
  double p;
  int finish;
  /* Scratch for rows * columns times the step's sums, when m > run, or m > GG_MARKED_RUN. */
  void *sums;
  void *groups; /* scratch for (rows + columns) * GG_MARKED_RUN reals, for marked kernels only */
  void *out;    /* rows by columns values, column-major */
} gg_cpu_tile;

/* The kernels of one instruction set and real type. */
typedef struct gg_cpu_kernels {
  int64_t panel; /* points */
  int64_t run;   /* coordinates taken at a time */
  /* Prepares the points of a panel, doubles `stride` apart; in the tables for double only. */
  void (*prepare)(double *z, int64_t m, gg_prepare what, const double *centre, const double *factor,
                  int64_t stride);
  void (*tile[GG_STEP_COUNT])(const gg_cpu_tile *tile);
  /* Kernels of panels with marks. They visit only the coordinates that are marked for some of the
     points of a small block, or, for products, for some of its rows and of its columns. NULL for
     steps that change a sum at other coordinates. */
  void (*marked_tile[GG_STEP_COUNT])(const gg_cpu_tile *tile);
  /* Computes again, after a kernel of step product, the pairs whose distances have lost digits
     (see metric_step.h). */
  void (*refine)(const gg_cpu_tile *tile);
  /* Writes the marks of a packed panel. If less than the fraction `most` of the bits is set,
     squeezes it and returns true. */
  bool (*squeeze)(void *panel, int64_t m, double most, uint64_t *marks);
  /* Finds which of the values [first, end) of a column are not greater than its limit, or, with
     limits, than their row's; limits that are NaN let all values pass, and values that are NaN
     pass all limits. first and end: whole vectors are read around them. Writes their positions
     in increasing order and returns how many there are. For double only. */
  int64_t (*select)(const double *value, int64_t first, int64_t end, double limit,
                    const double *limits, int32_t *positions);
} gg_cpu_kernels;

extern const gg_cpu_kernels GG_SIMD_FORMS(gg_cpu_f64), GG_SIMD_FORMS(gg_cpu_f32);

#endif
