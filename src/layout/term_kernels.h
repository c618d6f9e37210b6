/* The terms of stress of a block of vertices with pivots, compiled for each instruction set. */
#ifndef GG_LAYOUT_TERM_KERNELS_H
#define GG_LAYOUT_TERM_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

enum {
  GG_TERM_LANES = 16, /* vertices of a block */
  GG_TERM_DIMS = 3,
  GG_TERM_CHUNK = 64 /* pivots whose terms are added up before their sum is added in double */
};

/* The terms of a block, and their sums for each lane. */
typedef struct gg_terms {
  const float *distance, *weight; /* count by lanes: the lanes of a pivot next to each other */
  const double *pivot;            /* positions, a pivot's coordinates next to each other */
  int64_t count;                  /* pivots */
  double at[GG_TERM_DIMS][GG_TERM_LANES];   /* positions of the vertices */
  double pull[GG_TERM_DIMS][GG_TERM_LANES]; /* of w (d - r) / r (x - y) at a distance r */
  double weight_sum[GG_TERM_LANES];         /* of w */
  double stress[GG_TERM_LANES];             /* of w (d - r)^2 */
} gg_terms;

/* Fills the sums. */
typedef void gg_add_terms(gg_terms *terms);

/* In the plane and in space. In float the distances must be at least GG_TERM_LEAST_SINGLE, or 0
   with a weight of 0. */
typedef struct gg_term_kernels {
  gg_add_terms *plane, *space;
} gg_term_kernels;

/* Coordinates are at most about 1 and have 24 bits as floats: of a distance of 1e-4 about 11 are
   left. */
#define GG_TERM_LEAST_SINGLE 1e-4f

extern const gg_term_kernels GG_SIMD_FORMS(gg_terms_f32);
extern const gg_term_kernels GG_SIMD_FORMS(gg_terms_f64);

#endif
