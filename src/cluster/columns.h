/* Distances by columns. */
#ifndef GG_COLUMNS_H
#define GG_COLUMNS_H

#include <stdbool.h>

#include "common/call.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

/* The distances of n points by columns: all of them in memory, or a panel of columns that follow
   each other and one more. */
typedef struct gg_columns {
  const gg_dist_source *source; /* started */
  const char *name;             /* of the source in messages */
  int64_t n;
  gg_call *call;
  double *values; /* of the panel: all columns if `whole` */
  bool whole;
  int64_t first, count, width; /* columns of the panel; at most `width` */
  double *extra;               /* one column */
  int64_t extra_at;            /* which, or -1 */
  int64_t checked;             /* columns before this one have been inspected */
  gg_bad_distances bad;
} gg_columns;

/* Makes the columns of which source, name, call and whole are set. Allocates the memory, for all
   columns if `whole`, else for a panel of at most so many bytes, and computes or reads all columns
   if they are in memory. To be freed also after a failure. done, share: the call's progress.
   These functions do nothing after an error of the call. */
gpugeo_status gg_columns_make(gg_columns *columns, double bytes, double done, double share);
void gg_columns_free(gg_columns *columns);

/* Puts the panel where it begins with column `first`. */
gpugeo_status gg_columns_load(gg_columns *columns, int64_t first);

/* Fails if there were missing or infinite distances in the columns so far. */
gpugeo_status gg_columns_check(const gg_columns *columns);

/* Returns a column of the panel, borrowed until the next one is loaded. */
static inline const double *gg_columns_at(const gg_columns *columns, int64_t column) {
  return columns->values + (column - columns->first) * columns->n;
}

/* Finds any column; valid until the next call. */
gpugeo_status gg_columns_get(gg_columns *columns, int64_t column, const double **values);

#endif
