/* From windows of fixed-point sums to the exact count and the solutions of smallest residual. */
#ifndef GG_DGP_SELECT_H
#define GG_DGP_SELECT_H

#include "common/backend.h"
#include "dgp/plan.h"
#include "dgp/problem.h"

/* A call whose arguments have been checked, and the values derived from them. */
typedef struct gg_dgp_job {
  const gg_dgp_problem *problem; /* as given */
  const gg_dgp_problem *narrow;  /* its numbers of one word, for themselves */
  const gg_backend *backend;
  gg_dgp_plan plan; /* all but the windows */
  bool distinct;    /* count distinct sums: few enough of them */
  int64_t list_bytes;
  bool symmetric;
  int64_t wanted; /* solutions */
  double density; /* rows to expect for each unit of narrow sums around 0 */
  gg_call *call;
} gg_dgp_job;

/* Fills in `count` and `returned` of the result, and the solutions. */
gpugeo_status gg_dgp_solve(gg_dgp_job *job, gpugeo_dgp_result *result,
                           gpugeo_dgp_solution *solutions);

#endif
