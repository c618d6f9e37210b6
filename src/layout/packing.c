/*
 * Packs components next to each other by the bottom-left rule with a skyline. Each component has a
 * bounding box. The boxes are sorted by their last extent, longest first, and put into layers, of
 * which the plane has one: each as far down as the boxes before it in its layer allow, and then as
 * far to the left. Vertices without neighbours share one box, in which they form a grid.
 */
#include "layout/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum {
  DIMS = 3,
  LARGE = 20000 /* loops over the vertices of smaller components take one thread */
};

/* The margin around a box: half of the least distance between components, plus a share of its
   longest side, so gaps are visible next to large components too. */
static const double least_margin = 0.5, margin_share = 0.02;

typedef struct box {
  int64_t component; /* -1: the grid of all single vertices */
  double low[DIMS];  /* of the component */
  double side[DIMS]; /* with margins */
  double at[DIMS];   /* lower corner of the packed box */
  double margin;
} box;

typedef struct pack_job {
  const gg_layout_components *components;
  int64_t vertices;
  int32_t dim, threads;
  const double *positions;
} pack_job;

/* Bounds of the vertices of a component, while threads extend them. */
typedef struct extent {
  const pack_job *job;
  const int32_t *member;
  gg_lock lock; /* of low and high */
  double low[DIMS], high[DIMS];
} extent;

/* Widens an extent to an interval, under its lock. */
static void extend_interval(extent *e, int k, double low, double high) {
  gg_lock_take(&e->lock);
  e->low[k] = fmin(e->low[k], low);
  e->high[k] = fmax(e->high[k], high);
  gg_lock_give(&e->lock);
}

/* Widens an extent to a range of vertices. */
static void extend_by_some(void *job, gg_range range) {
  extent *e = job;
  for (int k = 0; k < e->job->dim; ++k) {
    const double *positions = e->job->positions + k * e->job->vertices;
    double low = INFINITY, high = -INFINITY;
    for (int64_t at = range.first; at < range.last; ++at) {
      const double x = positions[e->member[at]];
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    extend_interval(e, k, low, high);
  }
}

/* Runs a loop over the vertices of a component. */
static void each_member(const pack_job *job, int64_t c, void (*work)(void *job, gg_range range),
                        void *of_work) {
  const int64_t count = gg_layout_component_size(job->components, c);
  gg_parallel_for(&(gg_loop){.threads = count > LARGE ? job->threads : 1,
                             .count = count,
                             .grain = LARGE / 2,
                             .work = work,
                             .job = of_work});
}

/* Returns the box of a component, with a margin. */
static box box_of(const pack_job *job, int64_t c) {
  box b = {.component = c};
  double longest = 0;
  extent e = {.job = job,
              .member = job->components->member + job->components->start[c],
              .low = {INFINITY, INFINITY, INFINITY},
              .high = {-INFINITY, -INFINITY, -INFINITY}};
  gg_lock_make(&e.lock);
  each_member(job, c, extend_by_some, &e);
  gg_lock_free(&e.lock);
  for (int k = 0; k < job->dim; ++k) {
    b.low[k] = e.low[k];
    b.side[k] = e.high[k] - e.low[k];
    longest = fmax(longest, b.side[k]);
  }
  b.margin = least_margin + margin_share * longest;
  for (int k = 0; k < job->dim; ++k)
    b.side[k] += 2 * b.margin;
  return b;
}

/* Returns the number of vertices along a side of a grid of `count` vertices. */
static int64_t grid_side(int64_t count, int32_t dim) {
  int64_t side = (int64_t)pow((double)count, 1.0 / dim);
  while ((dim == 2 ? side * side : side * side * side) < count)
    ++side;
  return side;
}

/* Compares boxes for qsort(): the longest last side first. */
static int compare_boxes(const void *left, const void *right) {
  const box *a = left, *b = right;
  for (int k = DIMS - 1; k >= 0; --k)
    if (a->side[k] != b->side[k]) return a->side[k] > b->side[k] ? -1 : 1;
  return a->component < b->component ? -1 : a->component > b->component;
}

/* Fills the boxes in the order in which they are packed, one for all single vertices. Returns their
   number. */
static int64_t make_boxes(const pack_job *job, box *boxes) {
  int64_t count = 0, singles = 0;
  for (int64_t c = 0; c < job->components->count; ++c)
    if (gg_layout_component_size(job->components, c) > 1)
      boxes[count++] = box_of(job, c);
    else
      ++singles;
  if (singles > 0) {
    box *grid = &boxes[count++];
    *grid = (box){.component = -1, .margin = least_margin};
    const int64_t side = grid_side(singles, job->dim);
    for (int k = 0; k < job->dim; ++k)
      grid->side[k] = (double)side;
  }
  qsort(boxes, (size_t)count, sizeof *boxes, compare_boxes);
  return count;
}

/* Returns the side of a square or cube whose area or volume is that of all boxes, or the longest
   side of a box if that is longer. */
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

/* The upper edge of a layer: steps from left to right, the last one up to the layer's side. */
typedef struct step {
  double at, height;
} step;

typedef struct skyline {
  double side;
  step *steps;
  int64_t count;
} skyline;

/* Returns the end of a step of the skyline. */
static double end_of(const skyline *sky, int64_t i) {
  return i + 1 < sky->count ? sky->steps[i + 1].at : sky->side;
}

/* Returns the height at which a box of some width lies if its left end is at a step; infinite if it
   exceeds the layer. */
static double height_at(const skyline *sky, int64_t first, double width) {
  const double end = sky->steps[first].at + width;
  double height = 0;
  if (end > sky->side) return INFINITY;
  for (int64_t i = first; i < sky->count && sky->steps[i].at < end; ++i)
    height = fmax(height, sky->steps[i].height);
  return height;
}

/* How much higher than possible, in its own height, a box may lie if that is further left. It puts
   boxes of similar height into rows. */
static const double rise = 0.3;

/* Returns the leftmost step at which the box lies at most `rise` of its height above the lowest. */
static int64_t find_step(const skyline *sky, const box *b, double *height) {
  double lowest = INFINITY;
  for (int64_t i = 0; i < sky->count; ++i)
    if (sky->steps[i].height < lowest) lowest = fmin(lowest, height_at(sky, i, b->side[0]));
  const double most = lowest + rise * b->side[1];
  int64_t at = 0;
  while (sky->steps[at].height > most || height_at(sky, at, b->side[0]) > most)
    ++at;
  *height = height_at(sky, at, b->side[0]);
  return at;
}

/* Raises the skyline over the width of a box. */
static void raise_step(skyline *sky, int64_t first, double width, double height) {
  const double end = sky->steps[first].at + width;
  int64_t last = first; /* the last step below the box, perhaps only in part */
  while (end_of(sky, last) < end)
    ++last;
  const step rest = {end, sky->steps[last].height};
  const int64_t after = first + 1 + (end_of(sky, last) > end); /* new index of the steps after it */
  memmove(&sky->steps[after], &sky->steps[last + 1], (size_t)(sky->count - last - 1) * sizeof rest);
  sky->count += after - (last + 1);
  sky->steps[first].height = height;
  if (after > first + 1) sky->steps[first + 1] = rest;
}

/* Packs the boxes into layers; `steps` has room for count + 1 steps. */
static void pack_boxes(box *boxes, int64_t count, int32_t dim, step *steps) {
  /* 1e-9 wider than the widest box, for rounding of sums of sides. */
  skyline sky = {.side = whole_side(boxes, count, dim) * (1 + 1e-9), .steps = steps};
  double low = 0, high = 0; /* of the layer */
  for (int64_t i = 0; i < count; ++i) {
    box *b = &boxes[i];
    double height = 0;
    int64_t at = sky.count > 0 ? find_step(&sky, b, &height) : 0;
    if (sky.count == 0 || (dim == DIMS && height + b->side[1] > sky.side)) {
      sky.steps[0] = (step){0, 0};
      sky.count = 1;
      at = 0;
      height = 0;
      low = high;
      high = low + b->side[2];
    }
    b->at[0] = sky.steps[at].at;
    b->at[1] = height;
    b->at[2] = low;
    raise_step(&sky, at, b->side[0], height + b->side[1]);
  }
}

/* Moves all boxes to put their common bounding box around 0. */
static void center_boxes(box *boxes, int64_t count, int32_t dim) {
  for (int k = 0; k < dim; ++k) {
    double end = 0;
    for (int64_t i = 0; i < count; ++i)
      end = fmax(end, boxes[i].at[k] + boxes[i].side[k]);
    for (int64_t i = 0; i < count; ++i)
      boxes[i].at[k] -= end / 2;
  }
}

typedef struct moving {
  const pack_job *job;
  const box *box;
  const int32_t *member;
  double *packed;
} moving;

/* Moves a range of a component's vertices into its packed box. */
static void move_some(void *data, gg_range range) {
  const moving *m = data;
  const box *b = m->box;
  for (int64_t at = range.first; at < range.last; ++at)
    for (int k = 0; k < m->job->dim; ++k) {
      const int64_t x = m->member[at] + k * m->job->vertices;
      m->packed[x] = m->job->positions[x] - b->low[k] + (b->at[k] + b->margin);
    }
}

/* Moves the vertices of a component into its packed box. */
static void move_component(const pack_job *job, const box *b, double *packed) {
  const gg_layout_components *components = job->components;
  each_member(job, b->component, move_some,
              &(moving){job, b, components->member + components->start[b->component], packed});
}

/* Places the vertices without edges on a grid within their box. */
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
                             int32_t threads, const double *positions, double *packed,
                             gpugeo_error *error) {
  const pack_job job = {components, vertices, dim, threads, positions};
  box *boxes = gg_allocate(components->count, sizeof *boxes);
  step *steps = gg_allocate(components->count + 1, sizeof *steps);
  const bool there = boxes && steps;
  if (there) {
    const int64_t count = make_boxes(&job, boxes);
    pack_boxes(boxes, count, dim, steps);
    center_boxes(boxes, count, dim);
    for (int64_t i = 0; i < count; ++i)
      if (boxes[i].component < 0)
        fill_grid(&job, &boxes[i], packed);
      else
        move_component(&job, &boxes[i], packed);
  }
  gg_free(boxes);
  gg_free(steps);
  return there ? GPUGEO_OK : gg_fail_memory(error, components->count * (int64_t)sizeof *boxes);
}
