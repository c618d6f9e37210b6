/* Counts of pairs of sequences that have most words in common with one sequence. */
#ifndef GG_COMMON_SITES_H
#define GG_COMMON_SITES_H

#include "sequences/count_kernels.h"
#include "sequences/site_planes.h"

enum { GG_COMMON_SIDE = 64 }; /* of a tile */

/* The common sequence, and the words in which sequences differ from it. All is owned. */
typedef struct gg_common_sites {
  const gg_site_planes *planes; /* borrowed */
  const gg_count_sites *sites;
  uint64_t *common; /* the words of the common sequence */
  int64_t panels;   /* of GG_COMMON_SIDE sequences */
  int64_t *list;    /* of each word and panel, and behind them: the first of its differing words */
  uint64_t *bits;   /* differing words: all of plane 0, then, `stride` apart, of the others */
  int64_t stride;
  uint8_t *at;                     /* of each, the sequence within its panel */
  int64_t *first;                  /* of each sequence, and behind them: the first of `place` */
  int32_t *place;                  /* the words in which each sequence differs */
  int64_t *from_row, *from_column; /* counts of each sequence and the common one, and inverse */
} gg_common_sites;

/* True if counts by the words that differ take less time than by all words, and no call for memory
   has failed. Free it with gg_common_sites_free() in either case. */
bool gg_common_sites_find(const gg_site_planes *planes, const gg_count_sites *sites,
                          gg_common_sites *common, gg_call *call);
void gg_common_sites_free(gg_common_sites *common);

/* Writes the counts of a tile: those of row r and column c from counts[(r * GG_COMMON_SIDE + c) *
   COUNTS] on. `column` is the first sequence of a panel. */
void gg_common_sites_count(const gg_common_sites *common, int64_t row, int rows, int64_t column,
                           int columns, int64_t *counts);

#endif
