/* What R's functions of distances share. */
#ifndef GG_R_DIST_H
#define GG_R_DIST_H

#include "convert.h"

/* Reads metric, p, scale and cov. */
gpugeo_status gg_r_dist_options(SEXP method, SEXP p, SEXP scale, SEXP cov,
                                gpugeo_dist_options *options, gpugeo_error *error);

/* Points: a matrix, of which view is made, or list(file, name). */
gpugeo_status gg_r_source(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_source *source, gpugeo_error *error);

#endif
