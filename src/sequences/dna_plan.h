/* Distances of all pairs of packed sequences, for a backend. */
#ifndef GG_DNA_PLAN_H
#define GG_DNA_PLAN_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "sequences/dna_distance.h"
#include "sequences/site_planes.h"

GG_C_BEGIN

/* A job with all arguments checked. Its sites are fewer than 2^31. */
struct gg_dna_plan {
  const gg_site_planes *planes; /* at least 2 sequences */
  gg_count_kind kind;
  gg_dna_data data;
  bool square;      /* a matrix of all pairs, with a diagonal of any value; else condensed */
  double *out;      /* the distances, */
  double *variance; /* and their variances unless this is NULL */
  int32_t device, workers, threads;
};

GG_C_END

#endif
