/* Distances of aligned proteins. Part of gpugeo.h. */
#ifndef GPUGEO_AA_H
#define GPUGEO_AA_H

#include "edit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Let d be the number of sites that differ, and p its share of the sites that count. */
typedef enum gpugeo_aa_model {
  GPUGEO_AA_MODEL_HAMMING = 0, /* d */
  GPUGEO_AA_MODEL_P = 1,       /* p */
  GPUGEO_AA_MODEL_POISSON = 2, /* -log(1 - p) */
  GPUGEO_AA_MODEL_KIMURA = 3,  /* -log(1 - p - p^2 / 5), Kimura 1983 */
  /* Expected substitutions a site, of maximum likelihood, at most 10, by the rates of: */
  GPUGEO_AA_MODEL_JTT = 4,     /* Jones, Taylor and Thornton 1992 */
  GPUGEO_AA_MODEL_WAG = 5,     /* Whelan and Goldman 2001 */
  GPUGEO_AA_MODEL_LG = 6,      /* Le and Gascuel 2008 */
  GPUGEO_AA_MODEL_DAYHOFF = 7, /* Dayhoff, Schwartz and Orcutt 1978 */
  GPUGEO_AA_MODEL_COUNT = 8
} gpugeo_aa_model;

/* The sites that count. */
typedef enum gpugeo_aa_exclude {
  GPUGEO_AA_EXCLUDE_NONE = 0,     /* all */
  GPUGEO_AA_EXCLUDE_ALL = 1,      /* those at which all sequences have one of the 20 amino acids */
  GPUGEO_AA_EXCLUDE_PAIRWISE = 2, /* those at which both sequences of the pair have one */
  GPUGEO_AA_EXCLUDE_COUNT = 3
} gpugeo_aa_exclude;

typedef struct gpugeo_dist_aa_options {
  size_t size; /* set by gpugeo_dist_aa_options_init() */
  gpugeo_aa_model model;
  gpugeo_aa_exclude exclude;
  gpugeo_run run;
  int32_t categories; /* of equal shares of a gamma distribution of rates among sites, each of which
                         has its mean rate (Yang 1994): 1 to 64, by maximum likelihood only; 1: one
                         rate */
  double shape;       /* of the gamma distribution, 0.001 to 1000; no effect with one rate */
  const double *base_freq; /* shares of the amino acids ARNDCQEGHILKMFPSTWYV instead of those of the
                              model, by maximum likelihood only: at least 1e-10, of sum 1; NULL:
                              those of the model */
  int64_t base_freq_length; /* 20 */
  const double *rates;      /* relative rates instead of those of the model, likewise: of two amino
                               acids in both directions, before the shares, in the order of a
                               condensed matrix; at least 0, finite, joining all amino
                               acids; NULL: those of the model */
  int64_t rates_length;     /* 190 */
} gpugeo_dist_aa_options;

/* Fills *options with the defaults: JTT, all sites, one rate, shape 1. */
GPUGEO_EXPORT void gpugeo_dist_aa_options_init(gpugeo_dist_aa_options *options, size_t size);

/*
 * Computes distances of aligned proteins.
 *
 * x    texts of one length, none missing. Letters are those of the 20 amino acids, in upper or
 *      lower case; B, Z and J, which stand for N or D, Q or E, I or L; X, U, O, "*", "-", "?" and
 *      ".", which can be any. Sites differ if no amino acid can be the same in both.
 * out  n (n - 1) / 2 distances in the order of a condensed matrix
 *
 * Likelihoods sum over all amino acids that a letter stands for, so sites with a letter for any do
 * not change them. A distance is NaN if no site counts (then d is 0), or by the formulas if p is
 * too large, and Inf for a logarithm of 0.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_aa(const gpugeo_texts *x,
                                           const gpugeo_dist_aa_options *options, double *out,
                                           gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
