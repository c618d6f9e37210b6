/* Multidimensional scaling: the solution of a plan by the products of a backend. */
#ifndef GG_MDS_SOLVE_H
#define GG_MDS_SOLVE_H

#include "common/c_linkage.h"
#include "ordination/mds_plan.h"

GG_C_BEGIN

/* Moves plan->x from the start to the result, and fills plan->result but for the coordinates. */
gpugeo_status gg_mds_solve(const gg_mds_plan *plan, const gg_mds_products *products,
                           gpugeo_error *error);

/* Returns the bytes of vectors that the solution takes. */
double gg_mds_working(int64_t n, int64_t k, bool weighted);

GG_C_END

#endif
