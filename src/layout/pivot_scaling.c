/*
 * First positions of a layout by stress: classical scaling of the distances from some pivots
 * (Brandes and Pich 2007, "Eigensolver methods for progressive multidimensional scaling of large
 * data"). The squared distances of all vertices from m pivots are centred by rows and columns, and
 * projected on the first eigenvectors of the m by m matrix of their products, in O(n m^2).
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/pivots.h"

enum {
  MOST = GG_PIVOTS_START,
  BLOCKS = 64, /* at most so many blocks of vertices, whose products are added up together */
  LEAST = 256  /* slots of a block, but for the last */
};

typedef struct scaling {
  const gg_pivots *pivots;
  int dim;
  double column_mean[MOST], mean;
  gg_pivot_products *blocks; /* of the columns of centred squares, over a block of slots */
  int64_t block;             /* slots of one */
  gg_pivot_axes axes;
  double *positions;
} scaling;

/* Returns the distance of a slot's vertex from a pivot of the start. */
static double distance_of(const gg_pivots *pivots, int64_t slot, int64_t j) {
  return (double)pivots->distance[gg_pivots_at(pivots, slot, pivots->start[j])];
}

/* Fills the squared distances of a slot's vertex from the pivots, less their mean. */
static void center_row(const scaling *s, int64_t slot, double *row) {
  const gg_pivots *pivots = s->pivots;
  double sum = 0;
  for (int64_t j = 0; j < pivots->starts; ++j) {
    const double d = distance_of(pivots, slot, j);
    row[j] = d * d;
    sum += row[j];
  }
  const double own = sum / (double)pivots->starts;
  for (int64_t j = 0; j < pivots->starts; ++j)
    row[j] = -0.5 * (row[j] - own - s->column_mean[j] + s->mean);
}

/* Computes the means of the columns, and of all. Returns whether the call was not interrupted. */
static bool find_means(scaling *s, gg_clock *clock) {
  const gg_pivots *pivots = s->pivots;
  for (int64_t slot = 0; slot < pivots->slots; ++slot) {
    if (gg_clock_poll_loop(clock, slot)) return false;
    for (int64_t j = 0; j < pivots->starts; ++j) {
      const double d = distance_of(pivots, slot, j); /* 0 if the slot is empty */
      s->column_mean[j] += d * d;
    }
  }
  for (int64_t j = 0; j < pivots->starts; ++j) {
    s->column_mean[j] /= (double)pivots->vertices;
    s->mean += s->column_mean[j] / (double)pivots->starts;
  }
  return true;
}

/* Adds up the products of a range of blocks. */
static void multiply_blocks(void *job, gg_range range) {
  const scaling *s = job;
  const int64_t m = s->pivots->starts;
  double row[MOST];
  for (int64_t b = range.first; b < range.last; ++b) {
    gg_pivot_products *block = &s->blocks[b];
    const int64_t last = gg_smaller((b + 1) * s->block, s->pivots->slots);
    memset(block, 0, sizeof *block);
    for (int64_t slot = b * s->block; slot < last; ++slot) {
      if (s->pivots->member[slot] < 0) continue;
      center_row(s, slot, row);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j <= i; ++j)
          block->of[i][j] += row[i] * row[j];
    }
  }
}

/* Adds the blocks in their order to the first, and fills its upper triangle. */
static void add_blocks(scaling *s, int64_t blocks) {
  gg_pivot_products *all = s->blocks;
  for (int i = 0; i < MOST; ++i)
    for (int j = 0; j <= i; ++j) {
      for (int64_t b = 1; b < blocks; ++b)
        all->of[i][j] += s->blocks[b].of[i][j];
      all->of[j][i] = all->of[i][j];
    }
}

/* Projects the vertices of a range of slots on the axes. */
static void project_vertices(void *job, gg_range range) {
  const scaling *s = job;
  double row[MOST];
  for (int64_t slot = range.first; slot < range.last; ++slot) {
    const int64_t v = s->pivots->member[slot];
    if (v < 0) continue;
    center_row(s, slot, row);
    for (int k = 0; k < s->dim; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < s->pivots->starts; ++j)
        sum += row[j] * s->axes.of[k][j];
      s->positions[v * s->dim + k] = sum;
    }
  }
}

/* Scales positions so that distances from the pivots fit those in the graph by least squares.
   Returns whether the call was not interrupted. */
static bool fit_scale(const scaling *s, gg_clock *clock) {
  const gg_pivots *pivots = s->pivots;
  double product = 0, square = 0;
  for (int64_t slot = 0; slot < pivots->slots; ++slot) {
    if (gg_clock_poll_loop(clock, slot)) return false;
    for (int64_t j = 0; pivots->member[slot] >= 0 && j < pivots->starts; ++j) {
      const double *a = s->positions + (int64_t)pivots->member[slot] * s->dim;
      const double *b = s->positions + (int64_t)pivots->vertex[pivots->start[j]] * s->dim;
      double sum = 0;
      for (int k = 0; k < s->dim; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
      product += sqrt(sum) * distance_of(pivots, slot, j);
      square += sum;
    }
  }
  const double factor = square > 0 ? product / square : 0;
  for (int64_t i = 0; i < pivots->vertices * s->dim; ++i)
    s->positions[i] *= factor;
  return true;
}

gpugeo_status gg_pivots_place(const gg_pivots *pivots, int dim, int32_t threads, gg_call *call,
                              double *positions) {
  if (call->status) return call->status;
  const int64_t n = pivots->slots, block = gg_larger((n + BLOCKS - 1) / BLOCKS, LEAST);
  const int64_t blocks = (n + block - 1) / block;
  scaling s = {.pivots = pivots, .dim = dim, .positions = positions, .block = block};
  s.blocks = gg_call_allocate(call, blocks, sizeof *s.blocks);
  if (!s.blocks) return call->status;
  gg_call_require(call, find_means(&s, call->clock));
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = blocks,
                               .grain = 1,
                               .work = multiply_blocks,
                               .job = &s,
                               .share = 0.5});
  if (!call->status) add_blocks(&s, blocks);
  if (!call->status) gg_pivot_axes_find(s.blocks, pivots->starts, dim, &s.axes);
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = n,
                               .grain = 1024,
                               .work = project_vertices,
                               .job = &s,
                               .begun = 0.5,
                               .share = 0.5});
  if (!call->status) gg_call_require(call, fit_scale(&s, call->clock));
  gg_free(s.blocks);
  return call->status;
}
