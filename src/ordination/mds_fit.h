/* Disparities for multidimensional scaling: what the distances of a configuration are compared with
   instead of the given distances, and monotone regression. */
#ifndef GG_MDS_FIT_H
#define GG_MDS_FIT_H

#include "common/call.h"
#include "common/radix.h"
#include "ordination/mds_plan.h"

/* Blocks of successive pairs that have one disparity. */
typedef struct gg_mds_blocks {
  double *sum, *weight; /* of weight times value, and of weights */
  int32_t *end;
} gg_mds_blocks;

/* Pairs are those below the diagonal, in condensed order, and those of weight 0 have no
   disparity. Distances and weights are scaled as in gg_mds_plan. */
struct gg_mds_fit {
  bool ordinal; /* disparities are fitted; else they are the distances */
  bool squared; /* values and disparities are squares */
  int64_t n, pairs;
  int32_t threads;
  gg_clock *clock;
  const double *delta, *weight; /* the given ones; weight may be NULL */
  double scale, weight_scale;
  double *value;  /* of each pair in the configuration: its distance, or the square */
  double *fitted; /* disparities; 0 for pairs of weight 0. Those of distances are divided by scale,
                     as the plan's distances are */
  double *residual; /* of squares: weight times value minus disparity, the plan's weights */
  double total;     /* the sum of weight times fitted^2, which a fit keeps */
  /* For monotone regression: */
  int64_t count;  /* pairs with a weight */
  int32_t *order; /* their positions, by given distance */
  bool *tied;     /* has the distance of the next in the order */
  gg_mds_blocks blocks;
  gg_radix sorter;
  double *sums; /* of each column of pairs, GG_MDS_FIT_SUMS */
};

enum { GG_MDS_FIT_SUMS = 5 };

/* Returns the bytes that a fit takes next to the distances. */
double gg_mds_fit_working(int64_t n, bool ordinal, bool squared);

/* Makes the disparities of a plan, whose delta, weight, scales and threads are set, and replaces
   plan->delta by them, and with squares plan->weight by the residuals. To be freed also after a
   failure. */
gpugeo_status gg_mds_fit_make(gg_mds_fit *fit, gg_mds_plan *plan, bool ordinal, bool squared,
                              gg_call *call);
void gg_mds_fit_free(gg_mds_fit *fit);

/* Computes the values of the pairs of a configuration, padded as that of a plan, and if the fit is
   ordinal the disparities nearest to them in the order of the given distances. progress: of the
   call. */
gpugeo_status gg_mds_fit_to(gg_mds_fit *fit, const double *x, int64_t padded, int64_t k,
                            double progress, gpugeo_error *error);

/* Writes the disparities, in units of the distances; NaN for pairs of weight 0. */
void gg_mds_fit_write(const gg_mds_fit *fit, double *disparities);

#endif
