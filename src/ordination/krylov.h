/*
 * Extreme eigenvalues of Gower's matrix B = -1/2 J A J by a block Krylov method. A is a symmetric
 * matrix of which only products with vectors are known, and J takes the mean from a vector. Vectors
 * are kept in panels.
 */
#ifndef GG_KRYLOV_H
#define GG_KRYLOV_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vectors of a panel, whose values of one point follow each other: n by GG_PANEL, row by row. */
enum { GG_PANEL = 16 };

/* The elements of A for distances d: 0 on the diagonal, else (scale d + shift)^2, or scale d. */
typedef struct gg_gower_matrix {
  bool root; /* scale d */
  double scale, shift;
} gg_gower_matrix;

/* What is known of all distances d between two points. */
typedef struct gg_distance_sums {
  double sum, squares; /* of scale d and its square */
  double largest;      /* |d| */
} gg_distance_sums;

/* What a backend computes. Sums have one order, whatever the threads and the source. */
typedef struct gg_gower gg_gower;
struct gg_gower {
  int64_t n;
  void *own; /* the backend's */
  /* Fails if a distance is missing or infinite. */
  gpugeo_status (*measure)(const gg_gower *gower, double scale, gg_distance_sums *sums,
                           double progress, gpugeo_error *error);
  /* out = A v, for each of some panels. progress: of the call, while it computes. */
  gpugeo_status (*multiply)(const gg_gower *gower, const gg_gower_matrix *matrix, double *const *v,
                            int64_t panels, double *const *out, double progress,
                            gpugeo_error *error);
  /* product = Q' v: GG_PANEL rows for each panel of Q by GG_PANEL, row by row. */
  void (*project)(const gg_gower *gower, double *const *q, int64_t panels, const double *v,
                  double *product);
  /* v += Q c, with c of the shape of that product. */
  void (*combine)(const gg_gower *gower, double *const *q, int64_t panels, const double *c,
                  double *v);
  gg_clock *clock;
};

/* One search. */
typedef struct gg_krylov {
  const gg_gower *gower;
  gg_gower_matrix matrix;
  int64_t top, bottom; /* eigenvalues: the largest ones, and 0 or 1 for the smallest one */
  double tolerance;    /* of residuals, in terms of the largest eigenvalue in magnitude */
  double noise;        /* norms up to this may be due to rounding */
  int64_t most;        /* passes that this search may take */
  double done, share;  /* of the call's progress */
  /* Results, top + bottom in decreasing order of the eigenvalues: */
  double *value, *residual; /* residual: |B v - value v| */
  double *vector;           /* n by them, column-major, of length 1 */
  int64_t passes;           /* products with blocks of vectors, which are added to those there */
  bool converged;           /* all residuals are within the tolerance */
} gg_krylov;

/* Returns the panels of a block of vectors for so many eigenvalues, and those of the largest basis.
   A basis must have fewer vectors than there are points. */
int64_t gg_krylov_block(int64_t wanted);
int64_t gg_krylov_limit(int64_t wanted);

/* Fills panel number `which` with random values. */
void gg_krylov_random(double *panel, int64_t n, int64_t which);

/* Searches. start: the panels of the first block; they are destroyed. */
gpugeo_status gg_krylov_search(gg_krylov *krylov, double *const *start, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
