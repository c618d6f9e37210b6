/* The columns of a matrix with a weight for each value. */
#ifndef GG_WEIGHTED_COLUMNS_H
#define GG_WEIGHTED_COLUMNS_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

/* Weights of a matrix x, borrowed. */
typedef struct gg_weights {
  const char *name;            /* of the argument */
  const gpugeo_matrix *values; /* of the shape of x, or one column for all of x; all 1 if empty */
} gg_weights;

/* True if a user gave weights. */
bool gg_weights_given(const gpugeo_matrix *weights);

/* Fails unless weights have a shape that fits x, which has the name x_name. */
gpugeo_status gg_weights_check(const gg_weights *weights, const gpugeo_matrix *x,
                               const char *x_name, gpugeo_error *error);

/* Returns the bytes of what gg_weights_join() makes. */
double gg_weights_bytes(const gpugeo_matrix *x);

/*
 * Makes a dense matrix of the columns of x followed by as many columns of their weights. Where a
 * value or its weight is missing, both are. A value of weight 0 becomes 0: it may be infinite.
 *
 * joined  begins as {0}; its data are to be freed by gg_free(), also after a failure
 *
 * Fails if a weight is negative or infinite.
 */
gpugeo_status gg_weights_join(const gpugeo_matrix *x, const gg_weights *weights,
                              gpugeo_matrix *joined, gg_call *call);

#endif
