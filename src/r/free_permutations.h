/* Free permutations from R's generator of random numbers. */
#ifndef GG_R_FREE_PERMUTATIONS_H
#define GG_R_FREE_PERMUTATIONS_H

#include "call.h"

/* Writes permutations of the numbers 0 to n - 1, or the inverse ones, one after the other: those of
   as many calls of sample.int(n), less 1, for every RNGkind(). .Random.seed is left as these calls
   leave it. After an interrupt it has the state after what was drawn; R may also raise an error of
   its generator. `order` must be memory of R. */
gpugeo_status gg_r_free_permutations(const gpugeo_run *run, int64_t n, int64_t permutations,
                                     bool inverse, int32_t *order, gpugeo_error *error);

/* Replaces a permutation by its inverse. room: for n numbers. */
void gg_r_invert(int32_t *order, int64_t n, int32_t *room);

#endif
