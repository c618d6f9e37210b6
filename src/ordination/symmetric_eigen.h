/* Eigenvalues and eigenvectors of a small symmetric matrix in memory. */
#ifndef GG_SYMMETRIC_EIGEN_H
#define GG_SYMMETRIC_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Computes all eigenvalues, in decreasing order, and orthonormal eigenvectors of a finite matrix.
 * One thread; the same bits everywhere. Returns false if the clock has stopped the call.
 *
 * a       m by m, symmetric; destroyed
 * value   m
 * vector  m by m: row i is the eigenvector of value[i]
 * work    4 m
 */
bool gg_symmetric_eigen(double *a, int64_t m, double *value, double *vector, double *work,
                        gg_clock *clock, double fraction);

#ifdef __cplusplus
}
#endif

#endif
