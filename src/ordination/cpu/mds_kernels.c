/*
 * The sums over a column of pairs for stress majorization, compiled once for each instruction set,
 * see lanes.h. A sum over rows is GG_MDS_LANES sums of every GG_MDS_LANES-th row, added up in one
 * order: its bits do not depend on the width of a register.
 *
 * Limited by the pipe for roots and quotients: one of each for a pair.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "ordination/cpu/mds_kernels.h"

typedef double real;
#include "common/vector.h"

/* Writes weight times delta / d, 0 where d is 0, for each row from `lane` on in steps of
   GG_MDS_LANES. */
VFN void find_factors(bool weighted, const gg_mds_column *c, int lane, double *factor,
                      gg_mds_lanes *sums) {
  V residual = v_load(sums->residual + lane), excess = v_load(sums->excess + lane);
  V squares = v_load(sums->squares + lane);
  const V zero = v_set(0), scale = v_set(c->scale), weight_scale = v_set(c->weight_scale);
  for (int64_t at = lane; at < c->groups * GG_MDS_LANES; at += GG_MDS_LANES) {
    const double *x = c->x + c->row + at, *own = c->x + c->column;
    V sum = zero;
    for (int64_t k = 0; k < c->k; ++k, x += c->ld, own += c->ld) {
      const V difference = v_sub(v_load(x), v_set(*own));
      sum = v_fma(difference, difference, sum);
    }
    const V d = v_sqrt(sum), delta = v_mul(v_load(c->delta + at), scale), gap = v_sub(d, delta);
    V wd = d, wgap = gap, wdelta = delta;
    if (weighted) {
      const V weight = v_mul(v_load(c->weight + at), weight_scale);
      wd = v_mul(weight, d);
      wgap = v_mul(weight, gap);
      wdelta = v_mul(weight, delta);
    }
    residual = v_fma(wgap, gap, residual);
    excess = v_fma(wd, gap, excess);
    squares = v_fma(wd, d, squares);
    v_store(factor + at, v_select(v_lt(zero, d), v_div(wdelta, d), zero));
  }
  v_store(sums->residual + lane, residual);
  v_store(sums->excess + lane, excess);
  v_store(sums->squares + lane, squares);
}

/* Takes the weights as factors. */
VFN void take_weights(const gg_mds_column *c, int lane, double *factor) {
  const V scale = v_set(c->weight_scale);
  for (int64_t at = lane; at < c->groups * GG_MDS_LANES; at += GG_MDS_LANES)
    v_store(factor + at, v_mul(v_load(c->weight + at), scale));
}

/* Adds factor times difference of one coordinate, and writes the sums of its lanes. */
VFN void pull(const gg_mds_column *c, int lane, const double *factor, const double *x, double own,
              double *out, double *lanes) {
  const V at_column = v_set(own);
  V sum = v_set(0);
  for (int64_t at = lane; at < c->groups * GG_MDS_LANES; at += GG_MDS_LANES) {
    const V difference = v_sub(v_load(x + at), at_column), f = v_load(factor + at);
    v_store(out + at, v_fma(f, difference, v_load(out + at)));
    sum = v_fma(f, difference, sum);
  }
  v_store(lanes + lane, sum);
}

GG_TARGET void GG_FORM_OF(gg_mds_add)(const gg_mds_column *c, double *factor, double *out,
                                      double *down, gg_mds_lanes *sums) {
  for (int lane = 0; lane < GG_MDS_LANES; lane += GG_LANES)
    if (!c->delta)
      take_weights(c, lane, factor);
    else if (c->weight)
      find_factors(true, c, lane, factor, sums);
    else
      find_factors(false, c, lane, factor, sums);
  for (int64_t k = 0; k < c->k; ++k) {
    const double *x = c->x + k * c->ld;
    _Alignas(64) double s[GG_MDS_LANES];
    for (int lane = 0; lane < GG_MDS_LANES; lane += GG_LANES)
      pull(c, lane, factor, x + c->row, x[c->column], out + k * c->ld + c->row, s);
    down[k] -= ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
}

#endif
