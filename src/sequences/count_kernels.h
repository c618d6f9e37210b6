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
  GG_COUNT_KINDS
} gg_count_kind;

enum { GG_COUNTS_MAX = 16 };

/* Adds the counts of so many words to `counts`. a and b are words of the first plane of both
   sequences; the other planes follow `stride` words apart (site_planes.h). */
typedef void gg_count_sites(const uint64_t *a, const uint64_t *b, int64_t words, int64_t stride,
                            int64_t *counts);

/* Returns the number of loci at which two profiles have different alleles, none of which is 0. */
typedef int64_t gg_count_alleles(const uint32_t *a, const uint32_t *b, int64_t loci);

/* The function for each kind, and that of alleles. */
typedef struct gg_count_kernels {
  gg_count_sites *count[GG_COUNT_KINDS];
  gg_count_alleles *alleles;
} gg_count_kernels;

extern const gg_count_kernels GG_SIMD_FORMS(gg_count_kernels);

#endif
