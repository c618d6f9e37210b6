/* Gaps of aligned sequences as blocks: first site and length. */
#ifndef GG_GAP_BLOCKS_H
#define GG_GAP_BLOCKS_H

#include "sequences/site_planes.h"

typedef struct gg_gap_block {
  int64_t first, length;
} gg_gap_block;

/* The blocks of all sequences: those of sequence i are start[i] to start[i + 1] - 1. */
typedef struct gg_gap_blocks {
  int64_t *start; /* count + 1 */
  gg_gap_block *blocks;
} gg_gap_blocks;

/* Finds the blocks in planes of gaps; free with gg_gap_blocks_free(). */
gpugeo_status gg_gap_blocks_find(const gg_site_planes *planes, gg_gap_blocks *gaps, gg_call *call);
void gg_gap_blocks_free(gg_gap_blocks *gaps);

/* Returns the number of blocks that only one of two sequences has. */
int64_t gg_gap_blocks_differ(const gg_gap_blocks *gaps, int64_t i, int64_t j);

#endif
