/* Eigenvalues and eigenvectors of a small symmetric matrix in memory. */
#ifndef GG_SYMMETRIC_EIGEN_H
#define GG_SYMMETRIC_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/c_linkage.h"
#include "common/clock.h"

GG_C_BEGIN

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

GG_C_END

#endif
