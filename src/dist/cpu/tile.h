/* The interface between the CPU driver and its kernels. */
#ifndef GG_CPU_DIST_TILE_H
#define GG_CPU_DIST_TILE_H

#include "common/simd.h"
#include "dist/dist.h"

/*
 * Points are packed in panels of GG_PANEL_BYTES / sizeof(real) points: coordinate k of point i of a
 * panel is at panel[k * points + i], two cache lines for each coordinate, for both orders of the
 * user's matrix. Panels follow each other; the last one is filled up with zeros.
 */
#define GG_PANEL_BYTES 128

/*
 * The marks of a panel of sparse points: for each GG_MARKED_POINTS of its points gg_mark_words(m)
 * words, in which bit k is set unless coordinate k of all of them is 0.
 */
enum { GG_MARKED_POINTS = 4 };
static inline int64_t gg_mark_words(int64_t m) { return (m + 63) / 64; }

/* One tile of pairs: the points of some panels (rows) with those of others (columns). */
typedef struct gg_cpu_tile {
  const void *a, *b;     /* first panels of the rows and of the columns */
  const void *weight;    /* m reals */
  const uint64_t *a_marks, *b_marks; /* of a and b, for marked kernels only */
  int64_t m;             /* coordinates */
  int64_t rows, columns; /* whole panels */
  bool diagonal;         /* rows and columns are the same points: what is above may be left out */
  double p;
  int finish;
  void *sums; /* scratch for rows * columns times the step's sums, when m > run */
  void *out;  /* rows by columns values, column-major */
} gg_cpu_tile;

/* The kernels of one instruction set and real type. */
typedef struct gg_cpu_kernels {
  int64_t panel; /* points */
  int64_t run;   /* coordinates taken at a time */
  /* Prepares the points of a panel, doubles `stride` apart; in the tables for double only. */
  void (*prepare)(double *z, int64_t m, gg_prepare what, const double *centre, const double *factor,
                  int64_t stride);
  void (*tile[GG_STEP_COUNT])(const gg_cpu_tile *tile);
  /* Kernels that visit only the coordinates that are marked for some of `marked_rows` points of a
     and GG_MARKED_POINTS of b, or, for products, for some of both. NULL for steps that change a
     sum at other coordinates. */
  void (*marked_tile[GG_STEP_COUNT])(const gg_cpu_tile *tile);
  int64_t marked_rows;
  /* Writes the marks of a packed panel. Returns how many bits are set. */
  int64_t (*mark)(const void *panel, int64_t m, uint64_t *marks);
  /* Finds which of the values [first, end) of a column are not greater than its limit, or, with
     limits, than their row's; limits that are NaN let all values pass, and values that are NaN
     pass all limits. first and end: whole vectors are read around them. Writes their positions
     in increasing order and returns how many there are. For double only. */
  int64_t (*select)(const double *value, int64_t first, int64_t end, double limit,
                    const double *limits, int32_t *positions);
} gg_cpu_kernels;

extern const gg_cpu_kernels GG_SIMD_FORMS(gg_cpu_f64), GG_SIMD_FORMS(gg_cpu_f32);

#endif
