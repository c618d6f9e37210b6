/* Principal coordinates: the plan, from the core to a backend, and its solution by the products
   that the backend computes. */
#ifndef GG_PCOA_SOLVE_H
#define GG_PCOA_SOLVE_H

#include "common/c_linkage.h"
#include "common/clock.h"
#include "distance/dist_source.h"
#include "gpugeo.h"
#include "ordination/krylov.h"

GG_C_BEGIN

/* A job with all arguments checked. */
typedef struct gg_pcoa_plan {
  const gg_dist_source *source; /* of n distances, at least 2, started */
  const char *name;             /* of the source in messages */
  int64_t n, k;
  gpugeo_pcoa_correction correction;
  double tolerance;
  int64_t most;               /* passes of a search */
  double working;             /* bytes of panels, at most */
  int32_t threads;            /* these are set when a backend is chosen: */
  const gg_dist_plan *points; /* for a backend with devices: the distances of points; else NULL */
  int32_t device;
  double storable; /* bytes that distances may take on the host */
  double done;     /* of the call's progress: the backend's is the rest */
  gpugeo_pcoa_result *result;
} gg_pcoa_plan;

/* Solves a plan by a backend's products, and fills its result. */
gpugeo_status gg_pcoa_solve(const gg_pcoa_plan *plan, const gg_gower *gower, gpugeo_error *error);

/* Returns the bytes of vectors and matrices that the solution takes, without distances. */
double gg_pcoa_working(int64_t n, int64_t k);

GG_C_END

#endif
