/*
 * The CPU's kernels of repulsion, compiled once for each instruction set, see lanes.h. A lane is a
 * repelled vertex: its sum has the same order on every machine.
 *
 * Offsets are taken relative to the middle of the group, so those of near vertices are exact
 * as floats. Two squares share a division, 1 / a = b (1 / (a b)).
 *
 * Limit: the divider; the floating-point pipes are used nearly as much.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <stdbool.h>
#include <stdint.h>

typedef float real;
#define GG_SINGLE

#include "common/vector.h"
#include "layout/cpu/repel.h"

#define UNROLL _Pragma("GCC unroll 3")

enum {
  BLOCK = 512,                                       /* sources or cells taken at a time */
  VECTORS = GG_REPEL_GROUP / GG_LANES,               /* of targets */
  TOGETHER = VECTORS < 2 ? VECTORS : 2,              /* of them that share loaded sources */
  TERMS = 1 + GG_LAYOUT_DIMS + GG_REPEL_MOMENTS + 2, /* a cell's floats, padded */
};

/* A source or cell relative to the middle: offset, mass, moments. */
enum { AT = 0, MASS = GG_LAYOUT_DIMS, MOMENT = GG_LAYOUT_DIMS + 1 };

static const float unit_of_fine = 1.0f / GG_LAYOUT_FINE;

/* The data of one block; forces are summed in float within a block, and in double over blocks. */
typedef struct block {
  _Alignas(64) float target[GG_LAYOUT_DIMS][GG_REPEL_GROUP];
  _Alignas(64) float sum[GG_LAYOUT_DIMS][GG_REPEL_GROUP];
  _Alignas(64) float source[GG_LAYOUT_DIMS + 1][BLOCK + GG_REPEL_PAD];
} block;

VFN void add_sums(const block *b, gg_repel_group *group, int dim) {
  for (int c = 0; c < dim; ++c)
    for (int i = 0; i < GG_REPEL_GROUP; ++i)
      group->force[c][i] += (double)b->sum[c][i];
}

VFN void load_targets(const gg_repel_sources *sources, const gg_repel_group *group, block *b,
                      int dim) {
  const int64_t first = group->target.first, count = group->target.last - first;
  for (int c = 0; c < dim; ++c)
    for (int64_t i = 0; i < GG_REPEL_GROUP; ++i) {
      const int64_t at = first + (i < count ? i : count - 1);
      b->target[c][i] = (float)(sources->fine[c][at] - group->middle[c]) * unit_of_fine;
    }
}

/* Loads TOGETHER vectors of targets from vector i on, and sets their sums to 0. */
VFN void load_vectors(const block *b, int64_t i, V (*target)[GG_LAYOUT_DIMS],
                      V (*sum)[GG_LAYOUT_DIMS], int dim) {
  UNROLL for (int v = 0; v < TOGETHER; ++v) UNROLL for (int c = 0; c < GG_LAYOUT_DIMS; ++c) {
    target[v][c] = c < dim ? v_load(b->target[c] + (i + v) * GG_LANES) : v_set(0);
    sum[v][c] = v_set(0);
  }
}

VFN void store_vectors(block *b, int64_t i, V (*sum)[GG_LAYOUT_DIMS], int dim) {
  UNROLL for (int v = 0; v < TOGETHER; ++v) UNROLL for (int c = 0; c < dim; ++c)
      v_store(b->sum[c] + (i + v) * GG_LANES, sum[v][c]);
}

/* Computes the differences of the targets from a source, and returns their squared lengths. */
VFN V square_of(const V *target, const float *at, int64_t stride, V *d, int dim) {
  V square = v_set(GG_LAYOUT_SOFT);
  UNROLL for (int c = 0; c < dim; ++c) {
    d[c] = v_sub(target[c], v_set(at[c * stride]));
    square = v_fma(d[c], d[c], square);
  }
  return square;
}

/* --- vertices --------------------------------------------------------------------------------- */

/* Adds the forces of the first `count` sources of the block, an even number. */
VFN void repel_by_sources(block *b, int64_t count, int dim) {
  const int64_t stride = BLOCK + GG_REPEL_PAD;
  for (int64_t i = 0; i < VECTORS; i += TOGETHER) {
    V target[TOGETHER][GG_LAYOUT_DIMS], sum[TOGETHER][GG_LAYOUT_DIMS];
    load_vectors(b, i, target, sum, dim);
    for (int64_t j = 0; j < count; j += 2) {
      const float *at = b->source[0] + j;
      UNROLL for (int v = 0; v < TOGETHER; ++v) {
        V d[GG_LAYOUT_DIMS], e[GG_LAYOUT_DIMS];
        const V a = square_of(target[v], at, stride, d, dim);
        const V b = square_of(target[v], at + 1, stride, e, dim);
        const V inverse = v_div(v_set(1), v_mul(a, b));
        const V p = v_mul(v_mul(inverse, b), v_set(at[dim * stride]));
        const V q = v_mul(v_mul(inverse, a), v_set(at[dim * stride + 1]));
        UNROLL for (int c = 0; c < dim; ++c) sum[v][c] = v_fma(q, e[c], v_fma(p, d[c], sum[v][c]));
      }
    }
    store_vectors(b, i, sum, dim);
  }
}

VFN void finish_sources(block *b, int64_t count, gg_repel_group *group, int dim) {
  if (count % 2) {
    for (int c = 0; c <= dim; ++c)
      b->source[c][count] = 0; /* no mass */
    ++count;
  }
  repel_by_sources(b, count, dim);
  add_sums(b, group, dim);
}

/* Copies sources [first, first + count) into the block, from index `to` on. */
VFN void load_sources(const gg_repel_sources *sources, const gg_repel_group *group, int64_t first,
                      int64_t count, block *b, int64_t to, int dim) {
  for (int64_t k = 0; k < count; k += GG_LANES) {
    UNROLL for (int c = 0; c < dim; ++c) v_store(
        b->source[c] + to + k,
        v_mul(v_difference(sources->fine[c] + first + k, group->middle[c]), v_set(unit_of_fine)));
    v_store(b->source[dim] + to + k, v_load(sources->mass + first + k));
  }
}

VFN void repel_by_spans(const gg_repel_sources *sources, gg_repel_group *group, block *b, int dim) {
  int64_t held = 0;
  for (int s = 0; s < group->spans; ++s) {
    gg_repel_span span = group->span[s];
    while (span.first < span.last) {
      const int64_t room = BLOCK - held, left = span.last - span.first;
      const int64_t count = left < room ? left : room;
      load_sources(sources, group, span.first, count, b, held, dim);
      span.first += count;
      held += count;
      if (held == BLOCK) {
        finish_sources(b, held, group, dim);
        held = 0;
      }
    }
  }
  if (held) finish_sources(b, held, group, dim);
}

/* --- cells ------------------------------------------------------------------------------------ */

typedef struct complex_v {
  V re, im;
} complex_v;
/* Returns a b + (re, im). */
VFN complex_v complex_fma(complex_v a, complex_v b, float re, float im) {
  const V x = v_fma(a.re, b.re, v_set(re)), y = v_fma(a.re, b.im, v_set(im));
  return (complex_v){v_fma(v_sub(v_set(0), a.im), b.im, x), v_fma(a.im, b.re, y)};
}

/* Adds the force of a cell in the plane, the conjugate of sum m / (z - z_j). With u = 1 / (z -
   centre) that is u (m + u^2 (a_2 + u (a_3 + u a_4))), where a_k = sum m (z_j - centre)^k, and a_1
   = 0. */
VFN void far_in_plane(const float *cell, const V *d, V inverse, int expansion_order, V *sum) {
  /* cppcheck-suppress ctuArrayIndex ; square_of() has filled d */
  const complex_v u = {v_mul(d[0], inverse), v_sub(v_set(0), v_mul(d[1], inverse))};
  const float *a = cell + MOMENT;
  complex_v f = {v_set(a[0]), v_set(a[1])};
  if (expansion_order == 4) {
    f = complex_fma(u, (complex_v){v_set(a[4]), v_set(a[5])}, a[2], a[3]);
    f = complex_fma(u, f, a[0], a[1]);
  }
  f = complex_fma(u, f, 0, 0);
  f = complex_fma(u, f, cell[MASS], 0);
  sum[0] = v_add(sum[0], v_fma(v_sub(v_set(0), u.im), f.im, v_mul(u.re, f.re)));
  sum[1] = v_sub(sum[1], v_fma(u.im, f.re, v_mul(u.re, f.im)));
}

/* Adds the force of a cell in space. The second moments Q of f = x / |x|^2 add half the sum of Q_bc
   d^2 f / dx_b dx_c, which is (4 x.Qx / r^2 - tr Q) x / r^4 - 2 Q x / r^4. */
VFN void far_in_space(const float *cell, const V *d, V inverse, V *sum) {
  const float *q = cell + MOMENT;
  const V x = v_fma(v_set(q[2]), d[2], v_fma(v_set(q[1]), d[1], v_mul(v_set(q[0]), d[0])));
  const V y = v_fma(v_set(q[4]), d[2], v_fma(v_set(q[3]), d[1], v_mul(v_set(q[1]), d[0])));
  const V z = v_fma(v_set(q[5]), d[2], v_fma(v_set(q[4]), d[1], v_mul(v_set(q[2]), d[0])));
  const V xqx = v_fma(z, d[2], v_fma(y, d[1], v_mul(x, d[0])));
  const V trace = v_set(q[0] + q[3] + q[5]), square = v_mul(inverse, inverse);
  const V along = v_fma(v_sub(v_mul(v_mul(v_set(4), xqx), inverse), trace), square,
                        v_mul(v_set(cell[MASS]), inverse));
  const V across = v_mul(v_set(-2), square);
  sum[0] = v_fma(across, x, v_fma(along, d[0], sum[0]));
  sum[1] = v_fma(across, y, v_fma(along, d[1], sum[1]));
  sum[2] = v_fma(across, z, v_fma(along, d[2], sum[2]));
}

VFN void far_from(const float *cell, const V *d, V inverse, int dim, int expansion_order, V *sum) {
  if (dim == 2)
    far_in_plane(cell, d, inverse, expansion_order, sum);
  else
    far_in_space(cell, d, inverse, sum);
}

/* Adds the forces of `count` cells, an even number. */
VFN void repel_by_cells(block *b, float (*cell)[TERMS], int64_t count, int dim,
                        int expansion_order) {
  for (int64_t i = 0; i < VECTORS; i += TOGETHER) {
    V target[TOGETHER][GG_LAYOUT_DIMS], sum[TOGETHER][GG_LAYOUT_DIMS];
    load_vectors(b, i, target, sum, dim);
    for (int64_t j = 0; j < count; j += 2) {
      UNROLL for (int v = 0; v < TOGETHER; ++v) {
        V d[GG_LAYOUT_DIMS], e[GG_LAYOUT_DIMS];
        const V a = square_of(target[v], cell[j], 1, d, dim);
        const V b = square_of(target[v], cell[j + 1], 1, e, dim);
        const V inverse = v_div(v_set(1), v_mul(a, b));
        far_from(cell[j], d, v_mul(inverse, b), dim, expansion_order, sum[v]);
        far_from(cell[j + 1], e, v_mul(inverse, a), dim, expansion_order, sum[v]);
      }
    }
    store_vectors(b, i, sum, dim);
  }
}

/* Copies a cell, relative to the group's middle. */
VFN void load_cell(const gg_repel_cell *from, const gg_repel_group *group, float *to, int dim) {
  for (int c = 0; c < dim; ++c)
    to[AT + c] = (float)(from->centre[c] - group->middle[c]) * unit_of_fine;
  to[MASS] = from->mass;
  for (int k = 0; k < GG_REPEL_MOMENTS; ++k)
    to[MOMENT + k] = from->moment[k];
}

/* Copies a cell as a source, which it is with expansion order 0. */
VFN void load_point(const gg_repel_cell *from, const gg_repel_group *group, block *b, int64_t to,
                    int dim) {
  for (int c = 0; c < dim; ++c)
    b->source[c][to] = (float)(from->centre[c] - group->middle[c]) * unit_of_fine;
  b->source[dim][to] = from->mass;
}

VFN void repel_group(const gg_repel_sources *sources, const gg_repel_cell *cells,
                     gg_repel_group *group, int dim, int expansion_order) {
  block b;
  load_targets(sources, group, &b, dim);
  if (group->spans) repel_by_spans(sources, group, &b, dim);
  if (!group->cells) return;
  if (expansion_order == 0) {
    for (int k = 0; k < group->cells; ++k)
      load_point(&cells[group->cell[k]], group, &b, k, dim);
    finish_sources(&b, group->cells, group, dim);
    return;
  }
  _Alignas(64) float cell[GG_REPEL_CELLS + 1][TERMS];
  for (int k = 0; k < group->cells; ++k)
    load_cell(&cells[group->cell[k]], group, cell[k], dim);
  int count = group->cells;
  if (count % 2)
    for (int k = 0; k < TERMS; ++k)
      cell[count][k] = 0;
  repel_by_cells(&b, cell, count + count % 2, dim, expansion_order);
  add_sums(&b, group, dim);
}

#define KERNEL(name, dim, expansion_order)                                                         \
  GG_TARGET static void name(const gg_repel_sources *sources, const gg_repel_cell *cells,          \
                             gg_repel_group *group) {                                              \
    repel_group(sources, cells, group, dim, expansion_order);                                      \
  }
KERNEL(plane_0, 2, 0)
KERNEL(plane_2, 2, 2)
KERNEL(plane_4, 2, 4)
KERNEL(space_0, 3, 0)
KERNEL(space_2, 3, 2)

const gg_repel_kernels GG_FORM_OF(gg_repel) = {
    .plane = {plane_0, plane_2, plane_4},
    .space = {space_0, space_2},
};

#endif
