/* Sums over the branches that samples have in common, for each instruction set. */
#ifndef GG_BRANCH_KERNELS_H
#define GG_BRANCH_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

enum {
  GG_BRANCH_PANEL = 8,   /* samples of a panel */
  GG_BRANCH_CHUNK = 512, /* branches of a chunk: a plane of a panel has 32 KiB */
  GG_BRANCH_PLANES = 2   /* at most, of a panel and of sums */
};

/* The entries of a sample in a chunk of branches, and a panel of other samples. The panel has for
   each branch of the chunk a value of each of its samples, 0 for those without the branch; with
   powers these are followed by a weight of each. */
typedef struct gg_branch_run {
  int64_t count, first; /* entries; the chunk's first branch */
  const int32_t *branch;
  const double *value, *weight;
  const double *length; /* of all branches */
  double alpha;
  const double *panel;
  double
      *sums; /* of each sample of the panel; with powers two of each, one plane after the other */
} gg_branch_run;

/* The functions for an instruction set. Weights, lengths and, without powers, values are multiples
   of 1 below 2^51, so that all sums are exact. */
typedef struct gg_branch_kernels {
  /* Adds the larger one of both values, which are at most 0. */
  void (*minima)(const gg_branch_run *run);
  /* For values a and b with the weights u and v, adds u + v less the rounded
     L (a + b)^(alpha - 1) |a - b|, and u + v less the rounded L (a + b)^alpha. */
  void (*powers)(const gg_branch_run *run);
  /* Writes the weights of the run's entries, L value^alpha, rounded. */
  void (*weights)(const gg_branch_run *run, double *weight);
} gg_branch_kernels;

extern const gg_branch_kernels GG_SIMD_FORMS(gg_branch_kernels);

#endif
