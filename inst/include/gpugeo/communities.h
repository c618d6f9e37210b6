/* Tables of communities: counts of taxa in samples. Part of gpugeo.h. */
#ifndef GPUGEO_COMMUNITIES_H
#define GPUGEO_COMMUNITIES_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- BIOM files ------------------------------------------------------------------------------- */

/* Data on the samples or the taxa of a table: texts or numbers. All is borrowed. */
typedef struct gpugeo_biom_data {
  const char *name;
  int64_t width;           /* values of each sample or taxon, which follow each other */
  const char *const *text; /* NULL: numbers */
  const double *number;    /* NULL: texts */
} gpugeo_biom_data;

/* The samples or the taxa of a table. All is borrowed. */
typedef struct gpugeo_biom_axis {
  int64_t count;
  const char *const *names;
  int64_t data_count;
  const gpugeo_biom_data *data;
} gpugeo_biom_axis;

/* A table that was read. */
typedef struct gpugeo_biom {
  gpugeo_biom_axis samples, taxa;
  gpugeo_matrix counts; /* samples by taxa, sparse, compressed by taxa, with indices of 4 bytes */
  void *memory;         /* that all of it borrows */
} gpugeo_biom;

/*
 * Reads a table in the format BIOM 2 (HDF5), which may be compressed by the filters that the HDF5
 * library has. Taxa are its observations. The matrix is read of observation/matrix, or of
 * sample/matrix if that is missing.
 *
 * - Values may be floating-point or whole numbers of any size, which become doubles. Values of 0
 *   are left out.
 * - The numbers of samples and of taxa are at most 2^31 - 1, and the stored values, too.
 * - Names and texts are the bytes of the file.
 * - Data are the datasets of sample/metadata and observation/metadata that have a text or a number,
 *   or a row of them, for each sample or taxon. Others and group metadata are left out.
 *
 * run   its hooks are called; work_bytes limits the memory of the table; 0: the memory of the
 *       machine
 * biom  allocated by the call; the caller releases it with gpugeo_biom_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if it is no such table, if its numbers contradict each other, or
 * in a build without HDF5.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_biom_read(const char *path, const gpugeo_run *run,
                                             gpugeo_biom *biom, gpugeo_error *error);

/* Releases a table that was read; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_biom_free(gpugeo_biom *biom);

/* --- Standardization -------------------------------------------------------------------------- */

/* Sums, extremes and means are those of the row, or of the column with (2). */
typedef enum gpugeo_standard {
  GPUGEO_STANDARD_TOTAL = 0,       /* x / sum(x) */
  GPUGEO_STANDARD_MAX = 1,         /* x / max(x) (2) */
  GPUGEO_STANDARD_FREQUENCY = 2,   /* x * number(x > 0) / sum(x) (2) */
  GPUGEO_STANDARD_NORMALIZE = 3,   /* x / sqrt(sum(x^2)) */
  GPUGEO_STANDARD_RANGE = 4,       /* (x - min(x)) / (max(x) - min(x)) (2) */
  GPUGEO_STANDARD_RANK = 5,        /* ranks of values above 0, those of ties averaged; others 0 */
  GPUGEO_STANDARD_RRANK = 6,       /* these divided by their number */
  GPUGEO_STANDARD_STANDARDIZE = 7, /* (x - mean(x)) / deviation(x) (2) */
  GPUGEO_STANDARD_PA = 8,          /* 1 for x > 0, else 0 */
  GPUGEO_STANDARD_CHI_SQUARE = 9,  /* sqrt(sum of all) x / (row sum sqrt(column sum)) */
  GPUGEO_STANDARD_HELLINGER = 10,  /* sqrt(x / sum(x)) */
  GPUGEO_STANDARD_LOG = 11,        /* log(x / least) / log(base) + 1 for x > 0, else 0 */
  GPUGEO_STANDARD_CLR = 12,        /* log(x) - mean(log(x)) */
  GPUGEO_STANDARD_RCLR = 13,       /* the same of the values above 0; others 0 */
  GPUGEO_STANDARD_ALR = 14,        /* log(x / x[reference]); 0 for the reference */
  GPUGEO_STANDARD_COUNT = 15
} gpugeo_standard;

/* Returns 1 if the method makes zeros other numbers, so that its result is dense, else 0. */
static inline int gpugeo_standard_fills(gpugeo_standard method) {
  return method == GPUGEO_STANDARD_RANGE || method == GPUGEO_STANDARD_STANDARDIZE ||
         method == GPUGEO_STANDARD_CLR || method == GPUGEO_STANDARD_ALR;
}

typedef struct gpugeo_decostand_options {
  size_t size; /* set by gpugeo_decostand_options_init() */
  gpugeo_standard method;
  int32_t margin;       /* 1: rows; 2: columns; 0: that of the method */
  int32_t omit_missing; /* nonzero: sums and extremes leave out missing values, as those of RCLR and
                           STANDARDIZE always do */
  double logbase;       /* LOG: above 1; INFINITY makes presences */
  double pseudocount;   /* CLR, ALR: added to all values */
  int64_t reference;    /* ALR: number of a row or column, from 1 */
  gpugeo_matrix range;  /* RANGE: dense, with as many rows or columns as x, from which extremes are
                           taken; without rows and columns: x */
  gpugeo_run run;
} gpugeo_decostand_options;

/* Fills *options with the defaults: TOTAL, base 2, pseudocount 0, reference 1. */
GPUGEO_EXPORT void gpugeo_decostand_options_init(gpugeo_decostand_options *options, size_t size);

/* The numbers by which a table was standardized. */
typedef struct gpugeo_decostand_numbers {
  /* Of the caller, max(nrow, ncol) each. By rows or columns: sums (TOTAL, HELLINGER, CHI_SQUARE),
     largest values, factors (FREQUENCY), lengths (NORMALIZE), smallest values (RANGE), means
     (STANDARDIZE, CLR, RCLR); ALR: the logarithms of the reference */
  double *first;
  double *second; /* ranges (RANGE), deviations (STANDARDIZE), sums of the other margin
                     (CHI_SQUARE) */
  int64_t first_length, second_length;  /* how many there are */
  const char *first_name, *second_name; /* vegan's names of them: "total", "means"; "": none */
  double number;     /* CHI_SQUARE: the sum of all; LOG: the least value above 0, at most 1 */
  int32_t margin;    /* 1 or 2 */
  int32_t negative;  /* nonzero: x has negative values, for which the method may have no meaning */
  int32_t undefined; /* nonzero: results are NaN, although no value of x is */
} gpugeo_decostand_numbers;

/*
 * Standardizes or transforms a table of sites (rows) and species (columns).
 *
 * x    dense or sparse
 * out  nrow by ncol, column-major; if x is sparse and the method does not fill zeros: the new
 *      values of its stored elements
 *
 * Divisors below 2^-52 are replaced by it, those of TOTAL only if no value is negative: an empty
 * row remains 0. Rows without a value above 0 become NaN by RRANK and RCLR, and constant ones by
 * STANDARDIZE; in sparse matrices they remain 0. CLR and ALR need values above 0.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_decostand(const gpugeo_matrix *x,
                                             const gpugeo_decostand_options *options, double *out,
                                             gpugeo_decostand_numbers *numbers,
                                             gpugeo_report *report, gpugeo_error *error);

/* --- Diversity -------------------------------------------------------------------------------- */

/* Let p be the shares of the species at a site, S their number and N that of individuals. */
typedef enum gpugeo_diversity_index {
  GPUGEO_DIVERSITY_SHANNON = 0,    /* -sum(p log(p)) / log(base) */
  GPUGEO_DIVERSITY_SIMPSON = 1,    /* 1 - sum(p^2) */
  GPUGEO_DIVERSITY_INVSIMPSON = 2, /* 1 / sum(p^2) */
  GPUGEO_DIVERSITY_FISHER = 3,     /* alpha, where S = alpha log(1 + N / alpha); Inf if S = N */
  GPUGEO_DIVERSITY_COUNT = 4
} gpugeo_diversity_index;

typedef struct gpugeo_diversity_options {
  size_t size; /* set by gpugeo_diversity_options_init() */
  gpugeo_diversity_index index;
  int32_t equalize;      /* nonzero: sites of a group have the same weight; not for FISHER */
  double base;           /* SHANNON: above 0, and not 1 */
  const int32_t *groups; /* the group of each site, from 1; 0: none. NULL: each site is one */
  int64_t groups_length;
  gpugeo_run run;
} gpugeo_diversity_options;

/* Fills *options with the defaults: SHANNON with base e, no groups. */
GPUGEO_EXPORT void gpugeo_diversity_options_init(gpugeo_diversity_options *options, size_t size);

/*
 * Computes an index of diversity of sites, or of the sums of groups of sites.
 *
 * x    sites (rows) by species, dense or compressed by columns; at least 0, for FISHER whole
 *      numbers. A site with a missing value has NaN.
 * out  nrow numbers, or as many as there are groups
 */
GPUGEO_EXPORT gpugeo_status gpugeo_diversity(const gpugeo_matrix *x,
                                             const gpugeo_diversity_options *options, double *out,
                                             gpugeo_report *report, gpugeo_error *error);

/*
 * Computes the expected numbers of species in random subsamples of sites (Hurlbert 1971).
 *
 * x        sites (rows) by species, whole numbers, dense or compressed by columns
 * sample   numbers of individuals of subsamples, whole numbers; there are `samples` of them
 * species  nrow by samples
 * errors   nrow by samples: standard errors (Heck, van Belle and Simberloff 1975); NULL: none
 *
 * A site without more individuals than the subsample has all its species, and the error 0.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_rarefy(const gpugeo_matrix *x, const double *sample,
                                          int64_t samples, const gpugeo_run *run, double *species,
                                          double *errors, gpugeo_report *report,
                                          gpugeo_error *error);

/* --- Beta diversity --------------------------------------------------------------------------- */

/* The 24 indices of Koleff, Gaston and Lennon (2003), by their names there: a species at both
   sites, b only at the second and c only at the first. */
typedef enum gpugeo_beta_index {
  GPUGEO_BETA_W = 0,
  GPUGEO_BETA_MINUS1 = 1,
  GPUGEO_BETA_C = 2,
  GPUGEO_BETA_WB = 3,
  GPUGEO_BETA_R = 4,
  GPUGEO_BETA_I = 5,
  GPUGEO_BETA_E = 6,
  GPUGEO_BETA_T = 7,
  GPUGEO_BETA_ME = 8,
  GPUGEO_BETA_J = 9,
  GPUGEO_BETA_SOR = 10,
  GPUGEO_BETA_M = 11,
  GPUGEO_BETA_MINUS2 = 12,
  GPUGEO_BETA_CO = 13,
  GPUGEO_BETA_CC = 14,
  GPUGEO_BETA_G = 15,
  GPUGEO_BETA_MINUS3 = 16,
  GPUGEO_BETA_L = 17,
  GPUGEO_BETA_19 = 18,
  GPUGEO_BETA_HK = 19,
  GPUGEO_BETA_RLB = 20,
  GPUGEO_BETA_SIM = 21,
  GPUGEO_BETA_GL = 22,
  GPUGEO_BETA_Z = 23,
  GPUGEO_BETA_COUNT = 24
} gpugeo_beta_index;

typedef struct gpugeo_betadiver_options {
  size_t size; /* set by gpugeo_betadiver_options_init() */
  gpugeo_beta_index method;
  gpugeo_run run;
} gpugeo_betadiver_options;

/* Fills *options with the defaults: W. */
GPUGEO_EXPORT void gpugeo_betadiver_options_init(gpugeo_betadiver_options *options, size_t size);

/*
 * Computes an index for all pairs of n sites.
 *
 * species  number of species of each site
 * d        of each pair, in the order of a condensed matrix: the number of species that one of its
 *          sites has, the Manhattan distance of presences; becomes the index
 */
GPUGEO_EXPORT gpugeo_status gpugeo_betadiver(int64_t n, const double *species,
                                             const gpugeo_betadiver_options *options, double *d,
                                             gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
