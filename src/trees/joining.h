/* Neighbour joining of a matrix. */
#ifndef GG_JOINING_H
#define GG_JOINING_H

#include "common/call.h"
#include "trees/join_state.h"
#include "trees/nj_plan.h"

/* Allocates the state for n points, whose edges go to 2 n - 3 elements of the arrays. To be freed
   by gg_joining_free(), also after a failure. */
gpugeo_status gg_joining_make(gg_joining *join, int64_t n, bool bionj, int32_t threads,
                              gg_call *call);
void gg_joining_free(gg_joining *join);

/* Returns the bytes that gg_joining_make() allocates. */
double gg_joining_bytes(int64_t n, bool bionj);

/* Joins all nodes of the matrix join->d, whose distances are finite: fills parent, child and
   length. The call's progress is [done, 1]. */
gpugeo_status gg_joining_run(gg_joining *join, double done, gg_call *call);

/* Joins the last nodes, which a backend has left, after these joins of n points: fills parent,
   child and length of *join, whose other fields it does not use. */
gpugeo_status gg_joining_finish(gg_joining *join, int64_t n, const gg_nj_join *joins,
                                const gg_nj_rest *rest, gg_call *call);

#endif
