/* The entry points that R calls. */
#ifndef GG_R_ENTRY_H
#define GG_R_ENTRY_H

#include "convert.h"

/* The first name of a metric, from any name or the beginning of one. */
SEXP gg_r_metric(SEXP method, SEXP call);

/* A vector of distances with the given attributes. y NULL: within x. scale and cov: double or NULL.
   settings: as gg_r_run(). call: for conditions. environment: gets the report. */
SEXP gg_r_dist(SEXP x, SEXP y, SEXP method, SEXP p, SEXP scale, SEXP cov, SEXP settings,
               SEXP attributes, SEXP call, SEXP environment);

/* A vector of correlations; arguments likewise. */
SEXP gg_r_cor(SEXP x, SEXP y, SEXP use, SEXP method, SEXP settings, SEXP attributes, SEXP call,
              SEXP environment);

/* A list of what gpu_dgp() returns; row numbers as text. Arguments likewise. */
SEXP gg_r_dgp(SEXP d, SEXP tol, SEXP method, SEXP max_solutions, SEXP exact, SEXP symmetric,
              SEXP prune, SEXP settings, SEXP call, SEXP environment);
SEXP gg_r_dgp_rows(SEXP d, SEXP settings, SEXP call, SEXP environment);
SEXP gg_r_dgp_instance(SEXP n, SEXP seed, SEXP call);

/* list(version, simd, threads, backends, devices). */
SEXP gg_r_info(void);

#endif
