/* What permutation tests share: the checks of distances, groups and permutations. */
#ifndef GG_TESTED_H
#define GG_TESTED_H

#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Checks the memory for a test that needs so many bytes for each pair of points. */
gpugeo_status gg_tested_check_memory(const gg_dist_source *source, double bytes,
                                     gpugeo_error *error);

/* Fails if there are distances that are missing or infinite, or such as are negative: with their
   number and the first pair. */
gpugeo_status gg_check_distances(const char *name, const gg_bad_distances *unfit,
                                 const gg_bad_distances *negative, gpugeo_error *error);

/* Checks a design of n points. */
gpugeo_status gg_check_design(const gpugeo_design *design, int64_t n, int32_t threads,
                              gpugeo_error *error);

/* Does the same, and fails if the design has no groups. */
gpugeo_status gg_check_groups(const gpugeo_design *design, int64_t n, int32_t threads,
                              gpugeo_error *error);

/* Writes the number of points of each group. */
void gg_count_points(const gpugeo_design *design, double *count);

/* Checks that each permutation has every one of n points once. */
gpugeo_status gg_check_order(const int32_t *order, int64_t n, int64_t permutations, int32_t threads,
                             gpugeo_error *error);

/* Sets *value to all distances of a source that has been started, condensed: those of the caller if
   they are in memory, else *own, where they are read or computed, and which the caller frees, also
   after a failure. Fails if one is missing or, unless infinite ones are allowed, infinite. */
gpugeo_status gg_tested_condensed(const gg_dist_source *source, const char *name, bool infinite,
                                  const double **value, double **own, double done, double share,
                                  gg_call *call);

GG_C_END

#endif
