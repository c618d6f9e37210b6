/*
 * Components side by side. Each has a box; boxes stand in rows, rows in layers (of which the plane
 * has one), in the order of their last extent, longest first, so that little of a row is empty.
 * Vertices without neighbours share one box, a grid.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_parts.h"
#include "memory.h"

enum { DIMS = 3 };

/* Around each box: half of the least distance between components, and a share of its longest side,
   so that a large component stands apart as visibly as a small one. */
static const double least_margin = 0.5, margin_share = 0.02;

typedef struct box {
  int64_t component; /* -1: the grid of all that are a single vertex */
  double low[DIMS];  /* of the component */
  double side[DIMS]; /* with margins */
  double at[DIMS];   /* where the box goes */
  double margin;
} box;

/* What packing reads. */
typedef struct pack_job {
  const gg_layout_components *components;
  int64_t vertices;
  int32_t dim;
  const double *positions;
} pack_job;

static box box_of(const pack_job *job, int64_t c) {
  const gg_layout_components *components = job->components;
  box b = {.component = c};
  double longest = 0;
  for (int k = 0; k < job->dim; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t at = components->start[c]; at < components->start[c + 1]; ++at) {
      const double x = job->positions[components->member[at] + k * job->vertices];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    b.low[k] = low;
    b.side[k] = high - low;
    longest = fmax(longest, b.side[k]);
  }
  b.margin = least_margin + margin_share * longest;
  for (int k = 0; k < job->dim; ++k)
    b.side[k] += 2 * b.margin;
  return b;
}

/* Vertices along a side of the grid that holds so many. */
static int64_t grid_side(int64_t count, int32_t dim) {
  int64_t side = (int64_t)pow((double)count, 1.0 / dim);
  while ((dim == 2 ? side * side : side * side * side) < count)
    ++side;
  return side;
}

static int compare_boxes(const void *left, const void *right) {
  const box *a = left, *b = right;
  for (int k = DIMS - 1; k >= 0; --k)
    if (a->side[k] != b->side[k]) return a->side[k] > b->side[k] ? -1 : 1;
  return a->component < b->component ? -1 : a->component > b->component;
}

/* Boxes of all components, in their order; single vertices have one together, whose number is
 *singles. */
static int64_t make_boxes(const pack_job *job, box *boxes, int64_t *singles) {
  int64_t count = 0;
  *singles = 0;
  for (int64_t c = 0; c < job->components->count; ++c)
    if (gg_layout_component_size(job->components, c) > 1)
      boxes[count++] = box_of(job, c);
    else
      ++*singles;
  if (*singles > 0) {
    box *grid = &boxes[count++];
    *grid = (box){.component = -1, .margin = least_margin};
    const int64_t side = grid_side(*singles, job->dim);
    for (int k = 0; k < job->dim; ++k)
      grid->side[k] = (double)side;
  }
  qsort(boxes, (size_t)count, sizeof *boxes, compare_boxes);
  return count;
}

/* The side of a square or cube for the boxes. */
static double whole_side(const box *boxes, int64_t count, int32_t dim) {
  double content = 0, longest = 0;
  for (int64_t i = 0; i < count; ++i) {
    double product = 1;
    for (int k = 0; k < dim; ++k) {
      product *= boxes[i].side[k];
      longest = fmax(longest, boxes[i].side[k]);
    }
    content += product;
  }
  return fmax(pow(content, 1.0 / dim), longest);
}

/* Puts the boxes into their rows and layers. */
static void place_boxes(box *boxes, int64_t count, int32_t dim) {
  const double side = whole_side(boxes, count, dim);
  double at[DIMS] = {0}, row = 0, layer = 0; /* row and layer: how thick the present ones are */
  for (int64_t i = 0; i < count; ++i) {
    box *b = &boxes[i];
    if (at[0] > 0 && at[0] + b->side[0] > side) {
      at[0] = 0;
      at[1] += row;
      row = 0;
    }
    if (dim == DIMS && at[1] > 0 && at[1] + b->side[1] > side) {
      at[0] = at[1] = row = 0;
      at[2] += layer;
      layer = 0;
    }
    memcpy(b->at, at, sizeof at);
    at[0] += b->side[0];
    row = fmax(row, b->side[1]);
    layer = fmax(layer, b->side[2]);
  }
}

/* Moves all boxes so that the whole is around 0. */
static void center_boxes(box *boxes, int64_t count, int32_t dim) {
  for (int k = 0; k < dim; ++k) {
    double end = 0;
    for (int64_t i = 0; i < count; ++i)
      end = fmax(end, boxes[i].at[k] + boxes[i].side[k]);
    for (int64_t i = 0; i < count; ++i)
      boxes[i].at[k] -= end / 2;
  }
}

static void move_component(const pack_job *job, const box *b, double *packed) {
  const gg_layout_components *components = job->components;
  for (int k = 0; k < job->dim; ++k)
    for (int64_t at = components->start[b->component]; at < components->start[b->component + 1];
         ++at) {
      const int64_t x = components->member[at] + k * job->vertices;
      packed[x] = job->positions[x] - b->low[k] + (b->at[k] + b->margin);
    }
}

static void fill_grid(const pack_job *job, const box *b, double *packed) {
  const gg_layout_components *components = job->components;
  const int64_t side = (int64_t)b->side[0];
  int64_t number = 0;
  for (int64_t c = 0; c < components->count; ++c) {
    if (gg_layout_component_size(components, c) > 1) continue;
    int64_t rest = number++;
    for (int k = 0; k < job->dim; ++k, rest /= side)
      packed[components->member[components->start[c]] + k * job->vertices] =
          b->at[k] + b->margin + (double)(rest % side);
  }
}

gpugeo_status gg_layout_pack(const gg_layout_components *components, int64_t vertices, int32_t dim,
                             const double *positions, double *packed, gpugeo_error *error) {
  const pack_job job = {components, vertices, dim, positions};
  box *boxes = gg_allocate(components->count, sizeof *boxes);
  if (!boxes) return gg_fail_memory(error, components->count * (int64_t)sizeof *boxes);
  int64_t singles;
  const int64_t count = make_boxes(&job, boxes, &singles);
  place_boxes(boxes, count, dim);
  center_boxes(boxes, count, dim);
  for (int64_t i = 0; i < count; ++i)
    if (boxes[i].component < 0)
      fill_grid(&job, &boxes[i], packed);
    else
      move_component(&job, &boxes[i], packed);
  free(boxes);
  return GPUGEO_OK;
}
