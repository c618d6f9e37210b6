/*
 * The arithmetic of one iteration of a layout, written once for C and CUDA. Compile without
 * contraction.
 *
 * Forces of Fruchterman and Reingold with k = 1: repulsion m_i m_j / d between any two vertices,
 * attraction w d^2 along an edge of weight w. A vertex of mass m stands for m vertices at one
 * point, each of which gets the m-th part of the force on all of them: all forces here are per unit
 * of the vertex's own mass, so a coarse graph moves as the graph it was made of would.
 *
 * Positions are doubles. In an iteration they become offsets: from the middle of their bounding
 * box, in units of a power of two that makes them at most 2^14; forces in these units are
 * `repulsion / unit` and `attraction * unit^2`. Repulsion is summed in float between fine offsets,
 * which are rounded to whole multiples of 2^-15 units, plus a whole number of at most 7 that is
 * drawn from the numbers of the vertex and of the iteration. This separates coincident vertices, in
 * opposite directions, and moves all others by less than 2^-25 of half the drawing's longest side,
 * which is less than the rounding of floats. One in 64 coincident vertices draws the same numbers
 * as another; the next iteration separates them.
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
  GG_LAYOUT_DIMS = 3,        /* maximum */
  GG_LAYOUT_OFFSET_BITS = 14 /* an offset is between -2^14 and 2^14 */
};

/* Fine offsets are whole multiples of 1 / GG_LAYOUT_FINE units, and at most 2^29 + 7. */
#define GG_LAYOUT_FINE 32768

/* Added to every squared distance, in units, to keep forces finite; that of a vertex on itself is
 * 0.
 */
#define GG_LAYOUT_SOFT 0x1p-40f

/* Converts positions to offsets. */
typedef struct gg_layout_frame {
  double middle[GG_LAYOUT_DIMS];
  double unit, inverse; /* a power of two, at least 2^-114, and 1 / unit */
} gg_layout_frame;

/* Returns the frame of a bounding box. */
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

/* Returns random bits of a vertex in an iteration. */
GG_LAYOUT uint64_t gg_layout_hash(int64_t vertex, int64_t iteration) {
  return gg_random((uint64_t)iteration, (uint64_t)vertex);
}

/* Returns an offset as a fine offset with the random part of the vertex, given its hash. */
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

/* Returns the temperature of an iteration. */
GG_LAYOUT double gg_layout_temperature(double start, int64_t iteration, int64_t cooling) {
  return start * (1 - (double)iteration / (double)cooling);
}

/*
 * Computes the move of a vertex: along its force, by the force's length but at most the
 * temperature. repulsion and attraction are in units of the frame, per unit of the vertex's mass.
 * The move is finite for any frame and finite forces.
 */
GG_LAYOUT void gg_layout_step(const gg_layout_frame *frame, const double *repulsion,
                              const double *attraction, double temperature, int dim, double *step) {
  /* In units^-2 nothing overflows; if repulsion underflows, the step is below the rounding of the
     position. */
  double force[GG_LAYOUT_DIMS] = {0}, square = 0;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    force[c] = repulsion[c] * frame->inverse * frame->inverse * frame->inverse + attraction[c];
    square += force[c] * force[c];
  }
  const double norm = sqrt(square);
  double length = norm * frame->unit * frame->unit;
  if (length > temperature) length = temperature;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) step[c] = norm > 0 ? force[c] / norm * length : 0;
}

/* Returns a position after a step: within the bounds, and finite. */
GG_LAYOUT double gg_layout_moved(double position, double step, double lower, double upper) {
  double moved = position + step;
  if (moved < lower) moved = lower;
  if (moved > upper) moved = upper;
  return moved < -DBL_MAX ? -DBL_MAX : moved > DBL_MAX ? DBL_MAX : moved;
}

#endif
