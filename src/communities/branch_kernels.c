/*
 * Sums over the branches that samples have in common, compiled once for each instruction set, see
 * lanes.h. A lane is a sample of the panel. All sums are of whole numbers below 2^53, so that
 * neither the order nor the number of lanes matters.
 *
 * Limited by reads of the panel from the first-level cache, and with powers by divisions and roots.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <math.h>
#include <stdbool.h>

typedef double real;

#include "common/vector.h"
#include "communities/branch_kernels.h"
#include "distance/power.h"

enum { VECTORS = GG_BRANCH_PANEL / GG_LANES };

/* Adds the minima of an entry. */
VFN void add_minima(const gg_branch_run *run, int64_t e, V *sum) {
  const double *panel = run->panel + (run->branch[e] - run->first) * GG_BRANCH_PANEL;
  const V b = v_set(run->value[e]);
  for (int k = 0; k < VECTORS; ++k)
    sum[k] = v_add(sum[k], v_max(v_load(panel + k * GG_LANES), b));
}

/* Adds up minima, in two sums of each sample. */
GG_TARGET static void minima(const gg_branch_run *run) {
  V even[VECTORS], odd[VECTORS];
  int64_t e = 0;
  for (int k = 0; k < VECTORS; ++k) {
    even[k] = v_load(run->sums + k * GG_LANES);
    odd[k] = v_set(0);
  }
  for (; e + 1 < run->count; e += 2) {
    add_minima(run, e, even);
    add_minima(run, e + 1, odd);
  }
  if (e < run->count) add_minima(run, e, even);
  for (int k = 0; k < VECTORS; ++k)
    v_store(run->sums + k * GG_LANES, v_add(even[k], odd[k]));
}

/* Returns x^alpha for x above 0, with 0^0 = 1. */
VFN V raise(V x, double alpha) {
  if (alpha == 0.5) return v_sqrt(x);
  return alpha == 0 ? v_set(1) : v_pow(x, v_set(alpha));
}

/* Rounds a number from 0 to 2^51 to a whole one. */
VFN V round_to_whole(V x) {
  const V magic = v_set(POW_MAGIC);
  return v_sub(v_add(x, magic), magic);
}

/* Adds the sums of an entry. */
VFN void add_powers(const gg_branch_run *run, int64_t e, int k) {
  const double *at =
      run->panel + (run->branch[e] - run->first) * 2 * GG_BRANCH_PANEL + k * GG_LANES;
  const V a = v_load(at), b = v_set(run->value[e]);
  if (!m_any(v_lt(v_set(0), a))) return;
  const V both = v_add(a, b), weights = v_add(v_load(at + GG_BRANCH_PANEL), v_set(run->weight[e]));
  const V all = v_mul(v_set(run->length[run->branch[e]]), raise(both, run->alpha));
  const V part = v_mul(all, v_div(v_abs(v_sub(a, b)), both));
  double *sums = run->sums + k * GG_LANES;
  v_store(sums, v_add(v_load(sums), v_sub(weights, round_to_whole(part))));
  sums += GG_BRANCH_PANEL;
  v_store(sums, v_add(v_load(sums), v_sub(weights, round_to_whole(all))));
}

/* Adds up powers. */
GG_TARGET static void powers(const gg_branch_run *run) {
  for (int64_t e = 0; e < run->count; ++e)
    for (int k = 0; k < VECTORS; ++k)
      add_powers(run, e, k);
}

/* Writes weights. */
GG_TARGET static void weights(const gg_branch_run *run, double *weight) {
  for (int64_t e = 0; e < run->count; ++e) {
    double lanes[GG_LANES];
    const V power = raise(v_set(run->value[e]), run->alpha);
    v_store(lanes, round_to_whole(v_mul(v_set(run->length[run->branch[e]]), power)));
    weight[e] = lanes[0];
  }
}

const gg_branch_kernels GG_FORM_OF(gg_branch_kernels) = {minima, powers, weights};

#endif
