/* The plan of clusters by density, from the core to a backend. */
#ifndef GG_DBSCAN_H
#define GG_DBSCAN_H

#include "cluster/pairs.h"
#include "common/c_linkage.h"

GG_C_BEGIN

typedef struct gg_dbscan_plan {
  const gg_pairs *pairs;
  double eps;
  int64_t min_points; /* a core point has so many points within eps, itself included */
  /* NULL, or of each point its weight: a core point then has neighbours, itself included, whose
     weights have a sum of at least `least_weight`. CPU only. */
  const int64_t *weight;
  int64_t least_weight;
  bool border; /* other points near a core point belong to a cluster */
  /* Results, n each: the number of a point's cluster from 1, 0 for none; 1 for core points. */
  int32_t *cluster, *core;
} gg_dbscan_plan;

GG_C_END

#endif
