/* Correlations and covariances of columns. Part of gpugeo.h. */
#ifndef GPUGEO_COR_H
#define GPUGEO_COR_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpugeo_cor_method {
  GPUGEO_COR_METHOD_PEARSON = 0,
  GPUGEO_COR_METHOD_SPEARMAN = 1, /* Pearson's correlation of the ranks */
  GPUGEO_COR_METHOD_KENDALL = 2,  /* tau-b; precision is ignored: it is exact */
  GPUGEO_COR_METHOD_BICOR = 3,    /* biweight midcorrelation */
  GPUGEO_COR_METHOD_DCOR = 4      /* distance correlation, 0 for a constant column */
} gpugeo_cor_method;

/* What is done about missing values, as by the argument `use` of R's stats::cor. */
typedef enum gpugeo_cor_use {
  GPUGEO_COR_USE_EVERYTHING = 0,     /* correlations of a column with a missing value are missing */
  GPUGEO_COR_USE_ALL_OBS = 1,        /* a missing value is an error */
  GPUGEO_COR_USE_COMPLETE_OBS = 2,   /* leaves out incomplete rows; an error if none remains */
  GPUGEO_COR_USE_NA_OR_COMPLETE = 3, /* leaves out incomplete rows; missing if none remains */
  GPUGEO_COR_USE_PAIRWISE = 4        /* leaves out rows for each pair of columns by itself */
} gpugeo_cor_use;

/* What is computed: correlations, or covariances of n observations. */
typedef enum gpugeo_covariance {
  GPUGEO_COVARIANCE_NONE = 0,       /* correlations */
  GPUGEO_COVARIANCE_SAMPLE = 1,     /* sums of products divided by n - 1; missing for n = 1 */
  GPUGEO_COVARIANCE_POPULATION = 2, /* divided by n */
  GPUGEO_COVARIANCE_MATLAB = 3      /* divided by n - 1, or by 1 for n = 1: 0 */
} gpugeo_covariance;

/* What is done about columns whose median absolute deviation (MAD) is 0, for which there is no
   biweight midcorrelation. */
typedef enum gpugeo_pearson_fallback {
  GPUGEO_PEARSON_FALLBACK_NONE = 0,       /* their correlations are missing */
  GPUGEO_PEARSON_FALLBACK_INDIVIDUAL = 1, /* they are treated as for Pearson's */
  GPUGEO_PEARSON_FALLBACK_ALL = 2         /* all columns of their matrix are */
} gpugeo_pearson_fallback;

typedef struct gpugeo_cor_options {
  size_t size; /* set by gpugeo_cor_options_init() */
  gpugeo_cor_method method;
  gpugeo_cor_use use;
  double missing; /* written for a missing correlation, for example R's NA */
  gpugeo_run run;
  gpugeo_covariance covariance;
  /* For bicor. */
  double max_outliers; /* 0 to 1: the share of values on each side of the median whose weight may be
                          below 9/16; the weights of others are increased; 1: no limit */
  double quick; /* 0 to 1, pairwise: a column keeps its median and MAD for pairs that lack at most
                   this share of the rows; 0: all are exact */
  int32_t robust_x, robust_y; /* 0: the columns of x, or of y, are treated as for Pearson's
                                 correlation; without y, robust_x holds for both */
  int32_t cosine_x, cosine_y; /* 1: the values are weighted, not their deviations. Also for pearson:
                                 the means are not subtracted. Without y, cosine_x holds for both */
  gpugeo_pearson_fallback pearson_fallback;
  /* For pearson. The weights of the values of x, or of y, borrowed: a matrix of the same size, or a
     column for all columns; {0}: all 1. None is negative or infinite. A value whose weight is
     missing is missing. Columns w (x - m) are compared, with m = sum(w x) / sum(w). */
  gpugeo_matrix weights_x, weights_y;
} gpugeo_cor_options;

/* Fills *options with the defaults: pearson, everything, missing = NaN, no covariances; for bicor,
   robust without a limit of outliers, quick 0, no cosine, individual fallback; no weights. size is
   sizeof(gpugeo_cor_options). */
GPUGEO_EXPORT void gpugeo_cor_options_init(gpugeo_cor_options *options, size_t size);

/* Computes the number of elements that gpugeo_cor() writes: ncol(x) times ncol(y), or ncol(x)
   squared. Checks all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_cor_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                            const gpugeo_cor_options *options, gpugeo_type type,
                                            int64_t *size, gpugeo_error *error);

/*
 * Computes the correlations between all columns of x or, if y is not NULL, between those of x and
 * those of y; or their covariances. Those of spearman are covariances of ranks, and those of
 * kendall sums over all ordered pairs of observations of the product of two signs, which are not
 * divided; both are refused for pairwise `use`, and those of bicor and dcor always. The covariance
 * of a constant column is 0, without a note. One beyond the largest double is infinite.
 *
 * Columns of bicor whose MAD is 0 are noted by GPUGEO_NOTE_ZERO_MAD. They are counted over all
 * their values, not over those of a pair.
 *
 * y     as many rows as x, or NULL
 * type  of out: double or float
 * out   ncol(x) by ncol(y), or ncol(x) by ncol(x), column-major
 *
 * Fails with GPUGEO_ERROR_DATA as `use` says.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_cor(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                       const gpugeo_cor_options *options, gpugeo_type type,
                                       void *out, gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
