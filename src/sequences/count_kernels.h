/* Counts of the sites of two sequences by their bits, for each instruction set. */
#ifndef GG_COUNT_KERNELS_H
#define GG_COUNT_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

/* What is counted. */
typedef enum gg_count_kind {
  GG_COUNT_DIFFERENCES, /* 1 count: sites that differ, of sequences without unknown sites, or of
                           planes of gaps */
  GG_COUNT_COMMON,      /* 2 counts: sites known in both, and sites that differ */
  GG_COUNT_CHANGES,     /* 5 counts: sites known in both, transitions between purines, those between
                           pyrimidines, transversions A-C and G-T, and A-T and C-G */
  GG_COUNT_TABLE,       /* 16 counts: base of the first sequence (A, G, C, T), 4 times, plus that of
                           the second */
  GG_COUNT_KNOWN,       /* 1 count: sites known in both that differ */
  GG_COUNT_KINDS
} gg_count_kind;

enum {
  GG_COUNTS_MAX = 16,
  GG_BLOCK_SIDE = 4, /* the largest side of a block of pairs; all sides are powers of two */
  GG_LIST_WORDS = 8  /* words that may be read behind a list */
};

/* A block of pairs. rows and columns have a pointer for each sequence, to its word of the first
   plane; the other planes follow `stride` words apart (site_planes.h). `words` is a multiple of
   GG_PLANE_WORDS. */
typedef struct gg_pair_block {
  const uint64_t *const *rows, *const *columns;
  int64_t words, stride;
  int64_t *counts; /* of row r and column c: from counts[r * next + c * COUNTS] on */
  int64_t next;
} gg_pair_block;

/* Adds the counts of a block of pairs. */
typedef void gg_count_block(const gg_pair_block *block);

/* Words of one place of several sequences: word e of plane p is bits[p * stride + e], and belongs
   to sequence at[e]. GG_LIST_WORDS more may be read. */
typedef struct gg_word_list {
  const uint64_t *bits;
  int64_t stride, count;
  const uint8_t *at;
} gg_word_list;

/* Adds to the numbers from counts[at[e] * COUNTS] on, for each word y of a list, the counts of
   (x, y) and (common, common) less those of (x, common) and (common, y). x and common are a word
   of each plane. */
typedef void gg_count_list(const uint64_t x[3], const uint64_t common[3], const gg_word_list *list,
                           int64_t *counts);

/* The functions for a kind. */
typedef struct gg_count_sites {
  int counts, rows, columns; /* of a pair; of a block */
  gg_count_block *block;
  gg_count_list *list;
} gg_count_sites;

/* Returns the number of loci at which two profiles have different alleles, none of which is 0. */
typedef int64_t gg_count_alleles(const uint32_t *a, const uint32_t *b, int64_t loci);

/* The functions for each kind, and that of alleles. */
typedef struct gg_count_kernels {
  gg_count_sites sites[GG_COUNT_KINDS];
  gg_count_alleles *alleles;
} gg_count_kernels;

extern const gg_count_kernels GG_SIMD_FORMS(gg_count_kernels);

#endif
