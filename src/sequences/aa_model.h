/* Models of the substitution of amino acids, and distances of maximum likelihood. */
#ifndef GG_AA_MODEL_H
#define GG_AA_MODEL_H

#include "common/call.h"
#include "sequences/gamma_rates.h"

enum {
  GG_AA_RATES = 190, /* pairs of amino acids */
  GG_AA_COUNT = 20,  /* amino acids, whose codes are 0 to 19, in the order ARNDCQEGHILKMFPSTWYV */
  GG_AA_B = 20,      /* N or D */
  GG_AA_Z = 21,      /* Q or E */
  GG_AA_J = 22,      /* I or L */
  GG_AA_INFORMATIVE = 23,
  GG_AA_ANY = 23, /* no information */
  GG_AA_CODES = 24,
  GG_AA_CELLS = GG_AA_INFORMATIVE * (GG_AA_INFORMATIVE + 1) / 2 /* unordered pairs of codes */
};

/* Returns the cell of an unordered pair of codes below GG_AA_INFORMATIVE. */
static inline int gg_aa_cell(int a, int b) {
  return a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* Returns the amino acids that a code stands for, as bits. */
uint32_t gg_aa_set(int code);

/*
 * The probability that a pair of codes is seen at a site of sequences t apart is
 *   start[cell] + sum_k factor[k][cell] mean_c (exp(rate[k] of_category[c] t) - 1),
 * by the eigenvalues of the rate matrix, whose unit is a substitution a site, and categories of
 * sites.
 */
typedef struct gg_aa_model {
  double rate[GG_AA_COUNT];
  double factor[GG_AA_COUNT][GG_AA_CELLS];
  double start[GG_AA_CELLS];
  int categories;
  double of_category[GG_GAMMA_CATEGORIES];
} gg_aa_model;

/* Makes a model by its published shares and rates, or by those that are not NULL: rates in the
   order of a condensed matrix, not all 0. All sites are in one category; gg_gamma_rates() writes
   others. */
gpugeo_status gg_aa_model_make(gpugeo_aa_model kind, const double *shares, const double *rates,
                               gg_aa_model *model, gg_call *call);

/* Returns the distance of maximum likelihood, in [0, 10]. counts: of the sites of each cell */
double gg_aa_distance(const gg_aa_model *model, const int64_t counts[GG_AA_CELLS]);

#endif
