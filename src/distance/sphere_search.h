/* Neighbours by great circles on a backend that only knows Euclidean distances. */
#ifndef GG_SPHERE_SEARCH_H
#define GG_SPHERE_SEARCH_H

#include "common/call.h"
#include "distance/plan.h"

/* Do what the backend's functions knn() and radius() would do with a plan of great circles. The
   backend finds neighbours by the chords of the unit sphere, a few more than are asked for, and the
   host computes the distances of these. Where more points than that are as near, the host's backend
   searches. */
gpugeo_status gg_sphere_knn(const gg_knn_plan *plan, const gg_backend *backend, gg_call *call);
gpugeo_status gg_sphere_radius(const gg_radius_plan *plan, const gg_backend *backend,
                               gpugeo_neighbors *found, gg_call *call);

#endif
