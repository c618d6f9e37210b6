/*
 * The arithmetic of one iteration of a layout, written once for C and CUDA. Compile without
 * contraction.
 *
 * Fruchterman and Reingold with k = 1: between any two vertices m_i m_j / d apart, along an edge of
 * weight w the force w d^2 together. A vertex of mass m stands for m vertices at one point, each of
 * which feels the m-th part of the force on all of them: all forces here are per unit of the
 * vertex's own mass, so that a coarse graph moves as the graph it was made of would.
 *
 * Positions are doubles. For one iteration they are seen as offsets: relative to the middle of
 * their bounding box, in units of a power of two, so that they lie within 2^14 of it; forces in
 * these units are `repulsion / unit` and `attraction * unit^2`. Repulsion is summed in float
 * between offsets rounded to whole numbers of 2^-15 units, to which each vertex adds a whole number
 * of at most 7 drawn from its number and the iteration's. So coincident vertices part, in opposite
 * directions, and all others are moved by less than 2^-25 of half the drawing's longest side, less
 * than floats would round them by. Of coincident vertices one in 64 draws the same numbers as
 * another; these part in the next iteration.
 */
#ifndef GG_LAYOUT_STEP_H
#define GG_LAYOUT_STEP_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "common/random.h"

#if defined(__CUDACC__)
#define GG_LAYOUT        static __host__ __device__ __forceinline__
#define GG_LAYOUT_UNROLL _Pragma("unroll")
#else
#define GG_LAYOUT        static inline
#define GG_LAYOUT_UNROLL _Pragma("GCC unroll 3")
#endif

enum {
  GG_LAYOUT_DIMS = 3,        /* at most */
  GG_LAYOUT_OFFSET_BITS = 14 /* an offset is between -2^14 and 2^14 */
};

/* Whole numbers to a unit. A vertex is then within 2^29 + 7 of the middle. */
#define GG_LAYOUT_FINE 32768

/* Added to every squared distance, in units: keeps a pair's force finite, and that of a vertex on
   itself 0. */
#define GG_LAYOUT_SOFT 0x1p-40f

/* How positions become offsets. */
typedef struct gg_layout_frame {
  double middle[GG_LAYOUT_DIMS];
  double unit, inverse; /* a power of two, at least 2^-114, and 1 / unit */
} gg_layout_frame;

/* The frame of a bounding box. */
GG_LAYOUT gg_layout_frame gg_layout_frame_make(const double *low, const double *high, int dim) {
  gg_layout_frame frame;
  double half = 0;
  for (int c = 0; c < GG_LAYOUT_DIMS; ++c)
    frame.middle[c] = 0;
  for (int c = 0; c < dim; ++c) {
    const double side = high[c] / 2 - low[c] / 2;
    frame.middle[c] = high[c] / 2 + low[c] / 2;
    if (side > half) half = side;
  }
  int exponent = -100;
  if (half > 0x1p-100) (void)frexp(half, &exponent); /* half <= 2^exponent */
  frame.unit = ldexp(1.0, exponent - GG_LAYOUT_OFFSET_BITS);
  frame.inverse = 1 / frame.unit;
  return frame;
}

GG_LAYOUT double gg_layout_offset(const gg_layout_frame *frame, double position, int c) {
  return (position - frame->middle[c]) * frame->inverse;
}

/* Random bits of a vertex in an iteration. */
GG_LAYOUT uint64_t gg_layout_hash(int64_t vertex, int64_t iteration) {
  return gg_random((uint64_t)iteration, (uint64_t)vertex);
}

/* An offset as a whole number; `hash` is the vertex's. */
GG_LAYOUT int32_t gg_layout_fine(double offset, uint64_t hash, int c) {
  return (int32_t)rint(offset * GG_LAYOUT_FINE) + (int32_t)(hash >> 3 * c & 7) * 2 - 7;
}

/* Adds the pull along an edge of weight w to one of its ends: offsets of that end and the other. */
GG_LAYOUT void gg_layout_pull(const double *offset, const double *other, double w, int dim,
                              double *attraction) {
  double d[GG_LAYOUT_DIMS], square = 0;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    d[c] = other[c] - offset[c];
    square += d[c] * d[c];
  }
  const double factor = w * sqrt(square);
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) attraction[c] += factor * d[c];
}

/* The temperature of an iteration. */
GG_LAYOUT double gg_layout_temperature(double start, int64_t iteration, int64_t cooling) {
  return start * (1 - (double)iteration / (double)cooling);
}

/*
 * How far a vertex moves: along its force, as far as that is long but at most the temperature.
 * repulsion and attraction are in units of the frame, per unit of the vertex's mass. Finite for
 * whatever frame and finite forces.
 */
GG_LAYOUT void gg_layout_step(const gg_layout_frame *frame, const double *repulsion,
                              const double *attraction, double temperature, int dim, double *step) {
  /* In units^-2 nothing overflows; where repulsion underflows the step is lost in the position. */
  double force[GG_LAYOUT_DIMS], square = 0;
  for (int c = 0; c < dim; ++c) {
    force[c] = repulsion[c] * frame->inverse * frame->inverse * frame->inverse + attraction[c];
    square += force[c] * force[c];
  }
  const double norm = sqrt(square);
  double length = norm * frame->unit * frame->unit;
  if (length > temperature) length = temperature;
  for (int c = 0; c < dim; ++c)
    step[c] = norm > 0 ? force[c] / norm * length : 0;
}

/* A position after a step: between the bounds, and finite. */
GG_LAYOUT double gg_layout_moved(double position, double step, double lower, double upper) {
  double moved = position + step;
  if (moved < lower) moved = lower;
  if (moved > upper) moved = upper;
  return moved < -DBL_MAX ? -DBL_MAX : moved > DBL_MAX ? DBL_MAX : moved;
}

#endif
