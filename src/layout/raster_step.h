/*
 * The arithmetic of drawing edges, written once for C and CUDA. Compile without contraction.
 *
 * An edge is drawn pixel by pixel along its longer side, into the two pixels at both sides of its
 * position across. Positions across are whole multiples of 2^-32 pixels, and what an edge adds to a
 * pixel is a whole number: sums do not depend on the order of edges or of pixels, and any part of a
 * picture has the same values as in the whole.
 */
#ifndef GG_LAYOUT_RASTER_STEP_H
#define GG_LAYOUT_RASTER_STEP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

#if defined(__CUDACC__)
#define GG_RASTER static __host__ __device__ __forceinline__
#else
#define GG_RASTER static inline
#endif

enum {
  GG_RASTER_UNIT = 256,    /* of a pixel that a line of one pixel's width crosses along an axis */
  GG_RASTER_FRACTION = 32, /* bits of positions after the point */
  GG_RASTER_DIGITS = 8,    /* binary digits of a scale */
  /* Bins of coverages with so many digits. */
  GG_RASTER_BINS = (64 - GG_RASTER_DIGITS + 2) << (GG_RASTER_DIGITS - 1)
};

/* A position in the picture: the centre of the pixel of row 0 and column 0 is (0, 0). */
typedef struct gg_raster_point {
  double column, row;
} gg_raster_point;

/* The rows and columns [first, last) of the picture that an image shows. */
typedef struct gg_raster_part {
  uint64_t *image; /* begins with them */
  int64_t width;   /* pixels of a row */
  int64_t rows[2], columns[2];
} gg_raster_part;

/* An edge as a line along one axis of the picture: columns, or rows if it is steep. */
typedef struct gg_raster_line {
  bool steep;
  double from, to;     /* its ends along the axis */
  double weight;       /* what it adds for a pixel of the axis, */
  uint64_t full;       /* rounded */
  int64_t start, step; /* the position across at pixel 0, and its change for each pixel */
  int64_t first, last; /* the pixels of the axis where it is in the part; first > last: none */
  int64_t along[2], across[2]; /* the part's pixels [first, last) along the axis and across */
} gg_raster_line;

/* Returns the largest whole number that is not above the value. */
GG_RASTER int64_t gg_raster_floor(double value) { return (int64_t)floor(value); }

/* True if no part of an edge is in the part of the picture. The edge's last pixel is drawn as the
   line goes on there: up to half a pixel across, and on both sides. */
GG_RASTER bool gg_raster_is_outside(const gg_raster_part *part, gg_raster_point u,
                                    gg_raster_point v) {
  const double top = (double)part->rows[0] - 1.5, bottom = (double)part->rows[1] + 0.5;
  const double left = (double)part->columns[0] - 1.5, right = (double)part->columns[1] + 0.5;
  return (u.row < top && v.row < top) || (u.row > bottom && v.row > bottom) ||
         (u.column < left && v.column < left) || (u.column > right && v.column > right);
}

/* Narrows the pixels along the line to those where it is, up to 2 pixels, between two positions
   across. `across` is its position across at its first end. */
GG_RASTER void gg_raster_narrow(gg_raster_line *l, double across, double slope, double low,
                                double high) {
  if (fabs(slope) < 1e-9) {
    if (across < low - 2 || across > high + 2) l->last = l->first - 1;
    return;
  }
  const double a = l->from + (low - 2 - across) / slope;
  const double b = l->from + (high + 2 - across) / slope;
  const double least = fmin(a, b), most = fmax(a, b);
  if (least > (double)l->first)
    l->first = least > (double)l->last ? l->last + 1 : gg_raster_floor(least);
  if (most < (double)l->last)
    l->last = most < (double)l->first ? l->first - 1 : gg_raster_floor(most) + 1;
}

/* Sets the pixels and weights of a line that begins at `across` with a slope of at most 1. */
GG_RASTER void gg_raster_set(gg_raster_line *l, double across, double slope) {
  /* The position at pixel 0, from which all others are whole steps. */
  const double origin = across - l->from * slope, bound = 2 * GPUGEO_RASTER_LEVEL_MAX;
  if (!(fabs(origin) < 0x1p30)) return; /* outside the picture */
  l->first = gg_raster_floor(fmax(l->from, -bound) + 0.5);
  l->last = gg_raster_floor(fmin(l->to, bound) + 0.5);
  if (l->first < l->along[0]) l->first = l->along[0];
  if (l->last > l->along[1] - 1) l->last = l->along[1] - 1;
  gg_raster_narrow(l, across, slope, (double)l->across[0], (double)(l->across[1] - 1));
  l->weight = GG_RASTER_UNIT * sqrt(1 + slope * slope);
  l->full = (uint64_t)(l->weight + 0.5);
  l->start = (int64_t)floor(origin * 0x1p32);
  l->step = (int64_t)floor(slope * 0x1p32);
}

/* Returns the line of an edge, in a part of the picture. */
GG_RASTER gg_raster_line gg_raster_line_make(const gg_raster_part *part, gg_raster_point u,
                                             gg_raster_point v) {
  gg_raster_line l;
  l.steep = fabs(u.row - v.row) > fabs(u.column - v.column);
  for (int k = 0; k < 2; ++k) {
    l.along[k] = l.steep ? part->rows[k] : part->columns[k];
    l.across[k] = l.steep ? part->columns[k] : part->rows[k];
  }
  l.weight = 0;
  l.full = 0;
  l.start = l.step = l.first = 0;
  l.last = -1;
  if (l.steep ? u.row > v.row : u.column > v.column) {
    const gg_raster_point w = u;
    u = v;
    v = w;
  }
  l.from = l.steep ? u.row : u.column;
  l.to = l.steep ? v.row : v.column;
  const double begin = l.steep ? u.column : u.row, end = l.steep ? v.column : v.row;
  if (l.to > l.from) gg_raster_set(&l, begin, (end - begin) / (l.to - l.from));
  return l;
}

/* Returns what a line adds at pixel p of its axis, which it may cover in part. */
GG_RASTER uint64_t gg_raster_ink(const gg_raster_line *l, int64_t p) {
  const double begin = (double)p - 0.5, end = (double)p + 0.5;
  if (!(begin < l->from || end > l->to)) return l->full;
  const double low = fmax(l->from, begin), high = fmin(l->to, end);
  return high > low ? (uint64_t)((high - low) * l->weight + 0.5) : 0;
}

/* Adds to a pixel, to which other threads of a device may add at the same time. */
GG_RASTER void gg_raster_add(uint64_t *pixel, uint64_t ink) {
#if defined(__CUDA_ARCH__)
  if (ink) atomicAdd((unsigned long long *)pixel, (unsigned long long)ink);
#else
  *pixel += ink;
#endif
}

/* Draws every stride-th pixel of a line, from l->first + begin on. */
GG_RASTER void gg_raster_draw(const gg_raster_line *l, const gg_raster_part *part, int64_t begin,
                              int64_t stride) {
  const int64_t along_step = l->steep ? part->width : 1, across_step = l->steep ? 1 : part->width;
  const int64_t count = l->across[1] - l->across[0];
  for (int64_t p = l->first + begin; p <= l->last; p += stride) {
    uint64_t *pixels = part->image + (p - l->along[0]) * along_step;
    const int64_t at = l->start + p * l->step, near = (at >> GG_RASTER_FRACTION) - l->across[0];
    const uint64_t ink = gg_raster_ink(l, p), share = (uint64_t)(at >> (GG_RASTER_FRACTION - 8));
    const uint64_t far = (ink * (share & 255)) >> 8;
    if (near >= 0 && near < count) gg_raster_add(pixels + near * across_step, ink - far);
    if (near + 1 >= 0 && near + 1 < count) gg_raster_add(pixels + (near + 1) * across_step, far);
  }
}

/* Returns the bin of a coverage: its first GG_RASTER_DIGITS binary digits and their number of
   zeros. */
GG_RASTER int gg_raster_bin(uint64_t coverage) {
  int zeros = 0;
  while (coverage >> zeros >> GG_RASTER_DIGITS)
    ++zeros;
  return (zeros << (GG_RASTER_DIGITS - 1)) + (int)(coverage >> zeros);
}

#endif
