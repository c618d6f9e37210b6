/* Sums of rows of a matrix over the sites of a group, for each instruction set. */
#ifndef GG_SIMPER_KERNELS_H
#define GG_SIMPER_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

enum { GG_SIMPER_LANES = 8 }; /* sums of a row, by the column modulo 8, added in their order */

/* Writes for each of the listed rows of e, which are ld numbers apart, the sum of its elements
   where `member` is 1; elsewhere it is 0. length: columns, a multiple of GG_SIMPER_LANES. */
typedef void gg_simper_sums(const double *e, int64_t ld, const int32_t *row, int64_t rows,
                            const double *member, int64_t length, double *sum);

extern gg_simper_sums GG_SIMD_FORMS(gg_simper_sums);

#endif
