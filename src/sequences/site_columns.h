/* Sites as columns of bits, a bit for each sequence, from which alignments of drawn sites are made.
 */
#ifndef GG_SITE_COLUMNS_H
#define GG_SITE_COLUMNS_H

#include "sequences/site_planes.h"

/* Site k has GG_PLANES times `blocks` words from bits + k * GG_PLANES * blocks on, a plane after
   the other. Bit r of word b is that of sequence 64 b + r, or 0 without such a sequence. */
typedef struct gg_site_columns {
  int64_t count, sites, blocks;
  int32_t threads; /* of loops over them */
  uint64_t *bits;
} gg_site_columns;

/* Transposes planes. Free with gg_free(columns->bits), also after a failure. */
gpugeo_status gg_site_columns_make(const gg_site_planes *planes, int32_t threads,
                                   gg_site_columns *columns, gg_call *call);

/* Returns the bytes of columns of so many sequences and sites. */
double gg_site_columns_bytes(int64_t count, int64_t sites);

/* Writes planes of the sites drawn[0] to drawn[planes->sites - 1], whose bits have been allocated
   for as many.

   place  where each sequence goes, a permutation; NULL: in its own place */
gpugeo_status gg_site_columns_draw(const gg_site_columns *columns, const int32_t *drawn,
                                   const int32_t *place, gg_site_planes *planes, gg_call *call);

#endif
