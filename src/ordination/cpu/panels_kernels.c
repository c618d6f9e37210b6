/*
 * The product of a matrix with a panel of vectors, compiled once for each instruction set, see
 * lanes.h. A lane is one vector of the panel: its sums do not depend on the width of a register.
 *
 * Limited by the pipes for fma: four rows at a time, two registers of lanes, so one load of an
 * element serves two operations, and eight sums hide the latency of an fma.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "ordination/cpu/panels_kernels.h"

typedef double real;
#include "common/vector.h"

enum { VECTORS = 2, STEP = VECTORS * GG_LANES, BLOCK = 4 };

/* Adds `block` rows from x on for the lanes of VECTORS registers from `lane` on. */
VFN void add_rows(int block, const gg_panel_product *p, int64_t x, int lane, double *out) {
  V sum[BLOCK][VECTORS];
#pragma GCC unroll 4
  for (int k = 0; k < block; ++k)
    sum[k][0] = sum[k][1] = v_set(0);
  const double *a = p->a + x * p->row_step, *point = p->panel + lane;
  const int64_t row_step = p->row_step;
  for (int64_t y = 0; y < p->count; ++y, a += p->step, point += GG_PANEL) {
    const V first = v_load(point), second = v_load(point + GG_LANES);
#pragma GCC unroll 4
    for (int k = 0; k < block; ++k) {
      const V element = v_set(a[k * row_step]);
      sum[k][0] = v_fma(element, first, sum[k][0]);
      sum[k][1] = v_fma(element, second, sum[k][1]);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < block; ++k) {
    double *to = out + (x + k) * GG_PANEL + lane;
    v_store(to, v_add(v_load(to), sum[k][0]));
    v_store(to + GG_LANES, v_add(v_load(to + GG_LANES), sum[k][1]));
  }
}

GG_TARGET void GG_FORM_OF(gg_panel_multiply)(const gg_panel_product *p, double *out) {
  for (int lane = 0; lane < GG_PANEL; lane += STEP) {
    int64_t x = 0;
    for (; x + BLOCK <= p->rows; x += BLOCK)
      add_rows(BLOCK, p, x, lane, out);
    for (; x < p->rows; ++x)
      add_rows(1, p, x, lane, out);
  }
}

#endif
