/* Multidimensional scaling by squares of distances. */
#ifndef GG_MDS_SQUARES_H
#define GG_MDS_SQUARES_H

#include "ordination/mds_plan.h"

/* Does what gg_mds_solve() does, for squares of distances. */
gpugeo_status gg_mds_solve_squares(const gg_mds_plan *plan, const gg_mds_products *products,
                                   gpugeo_error *error);

#endif
