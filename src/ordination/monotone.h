/* Monotone regression: the non-decreasing numbers nearest to values, by least squares. */
#ifndef GG_MONOTONE_H
#define GG_MONOTONE_H

#include <stdbool.h>
#include <stdint.h>

#include "ordination/nmds_kernels.h"

/* Working memory for `most` values. After a fit, block b has the values from end[b - 1] (0 for the
   first one) to before end[b], and their sum. */
typedef struct gg_monotone {
  const gg_nmds_kernels *kernels;
  double *prefix;       /* of each value: the sum from its chunk's first value to it */
  double *sum;          /* of each block */
  int32_t *end;         /* of each block */
  double *chunk, *rise; /* of each chunk: its sum; of each block of chunks: its sum */
  int32_t *chunk_end;   /* of each block of chunks */
} gg_monotone;

/* Allocates the memory, to be freed also after a failure. Returns false if there is none. */
bool gg_monotone_allocate(gg_monotone *m, int64_t most);
void gg_monotone_free(gg_monotone *m);

/* Returns the bytes that `most` values take. */
double gg_monotone_working(int64_t most);

/* Pools values, none of them below 0, into blocks of rising means. A block ends only at one of the
   given ends of groups, the last of which is `count`; NULL: at any value. Returns the number of
   blocks. */
int64_t gg_monotone_pool(gg_monotone *m, const double *value, int64_t count,
                         const int32_t *group_end, int64_t groups);

#endif
