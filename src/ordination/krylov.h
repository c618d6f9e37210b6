/*
 * Extreme eigenvalues of Gower's matrix B = -1/2 J A J by a block Krylov method. A is a symmetric
 * matrix of which only products with vectors are known, and J takes the mean from a vector. Vectors
 * are kept in panels.
 */
#ifndef GG_KRYLOV_H
#define GG_KRYLOV_H

#include <stdbool.h>
#include <stdint.h>

#include "common/c_linkage.h"
#include "common/clock.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Vectors of a panel, whose values of one point follow each other: n by GG_PANEL, row by row. */
enum { GG_PANEL = 16 };

/* The order of sums over points, which all backends share: within ranges of so many points, in
   their order, from 0 on; then these sums, in the order of the ranges. */
enum {
  GG_GOWER_SIDE = 128, /* in products with A, and of distances: tiles of so many columns and rows */
  GG_GOWER_ROWS = 1024 /* in products of panels, and means */
};

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

/*
 * What a backend computes. Panels are in its memory: the host makes, writes and reads them by these
 * functions, and all other matrices are the host's. After a failure of a function without a status,
 * multiply() fails, and the backend's own function does when the solution has returned.
 */
typedef struct gg_gower gg_gower;
struct gg_gower {
  int64_t n;
  void *own; /* the backend's */
  /* Adds up the distances of each tile at or below the diagonal, down the columns of tiles: column
     by column, each by itself. Fails if a distance is missing or infinite. */
  gpugeo_status (*measure)(const gg_gower *gower, double scale, gg_distance_sums *sums,
                           double progress, gpugeo_error *error);
  /* out = -1/2 A v, for each of some panels. progress: of the call, while it computes. */
  gpugeo_status (*multiply)(const gg_gower *gower, const gg_gower_matrix *matrix, double *const *v,
                            int64_t panels, double *const *out, double progress,
                            gpugeo_error *error);
  /* Returns a panel, NULL without memory. */
  double *(*panel_make)(const gg_gower *gower);
  void (*panel_free)(const gg_gower *gower, double *panel);
  void (*panel_write)(const gg_gower *gower, const double *values, double *panel);
  void (*panel_read)(const gg_gower *gower, const double *panel, double *values);
  /* Takes the mean from each vector. */
  void (*centre)(const gg_gower *gower, double *panel);
  /* product = Q' v: GG_PANEL rows for each panel of Q by GG_PANEL, row by row. */
  void (*project)(const gg_gower *gower, double *const *q, int64_t panels, const double *v,
                  double *product);
  /* v += Q c, with c of the shape of that product, panel by panel; v is 0 before if `afresh`. */
  void (*combine)(const gg_gower *gower, double *const *q, int64_t panels, const double *c,
                  bool afresh, double *v);
  gg_clock *clock;
};

/* Makes panels, which the caller owns; NULL if there is no memory. */
double **gg_panels_make(const gg_gower *gower, int64_t count, gpugeo_error *error);
/* Frees them; NULL is allowed. */
void gg_panels_free(const gg_gower *gower, double **panel, int64_t count);

/* One search. */
typedef struct gg_krylov {
  const gg_gower *gower;
  gg_gower_matrix matrix;
  const double *first; /* a vector near one that is wanted, or NULL */
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

gpugeo_status gg_krylov_search(gg_krylov *krylov, gpugeo_error *error);

GG_C_END

#endif
