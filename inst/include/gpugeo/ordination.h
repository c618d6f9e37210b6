/* Permutation tests of distances, principal coordinates, multidimensional scaling. Part of
   gpugeo.h. */
#ifndef GPUGEO_ORDINATION_H
#define GPUGEO_ORDINATION_H

#include "dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Permutation tests ------------------------------------------------------------------------ */

/*
 * A design of a permutational analysis of variance (PERMANOVA, Anderson 2001): the model of the
 * points, as an orthonormal basis or as groups, and permutations of the points.
 */
typedef struct gpugeo_design {
  int64_t points;
  const double *basis; /* points by columns, column-major; columns are orthogonal to the constant
                          and to each other, and have length 1. Or NULL, and */
  int64_t columns;
  const int32_t *group; /* points: the group of each, from 0 */
  int64_t groups;
  const int32_t *order; /* points by permutations: each has every point, from 0, once. A permutation
                           puts point order[i] in place of i */
  int64_t permutations;
  uint64_t reserved[4]; /* must be 0 */
} gpugeo_design;

typedef struct gpugeo_permanova_options {
  size_t size; /* set by gpugeo_permanova_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int32_t root;   /* nonzero: of the square roots of the distances */
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_permanova_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, root = 0. size is
   sizeof(gpugeo_permanova_options). */
GPUGEO_EXPORT void gpugeo_permanova_options_init(gpugeo_permanova_options *options, size_t size);

/*
 * Computes sums of squares for permutations of the points. The total one is the sum of the squared
 * distances over n. With a basis, each of its columns q has the sum of squares q' G q, where G is
 * Gower's matrix of the permuted points; those of a term are added up by the caller. With groups,
 * there is one sum of squares, that among groups.
 *
 * x      2 to 2^31 - 1 points
 * sums   1 + permutations by columns, column-major; for groups one column. The first row is that of
 *        the points as they are
 * total  the total sum of squares, which no permutation changes
 *
 * Distances are read or computed once for all permutations if 8 n bytes for each sum fit into
 * run.work_bytes, else in batches. CUDA has them in the device's memory, 4 n^2 bytes, and at most 1
 * GiB more. Bits do not depend on threads, batches, the backend or the source.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or less than -1e-7, and as
 * gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_permanova(const gpugeo_distances *x,
                                             const gpugeo_permanova_options *options,
                                             const gpugeo_design *design, double *sums,
                                             double *total, gpugeo_report *report,
                                             gpugeo_error *error);

typedef struct gpugeo_anosim_options {
  size_t size; /* set by gpugeo_anosim_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_anosim_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_anosim_options). */
GPUGEO_EXPORT void gpugeo_anosim_options_init(gpugeo_anosim_options *options, size_t size);

/*
 * Computes the statistic R of an analysis of similarities (ANOSIM, Clarke 1993): the difference of
 * the mean ranks of distances between and within groups, over n (n - 1) / 4.
 *
 * x          2 to 65,536 points
 * design     groups, of which there are at least two, and one has at least two points
 * statistic  1 + permutations: that of the points as they are comes first
 * ranks      n (n - 1) / 2: the ranks of the distances, from 1, in condensed order; equal ones have
 *            the mean of theirs. NULL: not wanted
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_anosim(const gpugeo_distances *x,
                                          const gpugeo_anosim_options *options,
                                          const gpugeo_design *design, double *statistic,
                                          double *ranks, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_mrpp_options {
  size_t size; /* set by gpugeo_mrpp_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int32_t weight_type; /* of a group of n points: 1: n; 2: n - 1; 3: n (n - 1) / 2 */
  gpugeo_run run;      /* precision is ignored: distances are doubles */
} gpugeo_mrpp_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, weight_type = 1. size is
   sizeof(gpugeo_mrpp_options). */
GPUGEO_EXPORT void gpugeo_mrpp_options_init(gpugeo_mrpp_options *options, size_t size);

/*
 * Computes the statistic delta of a multiresponse permutation procedure (MRPP, Mielke, Berry and
 * Johnson 1976): the weighted mean of the mean distances within groups.
 *
 * x           2 to 2^31 - 1 points
 * design      groups, one of which has at least two points; smaller ones have no weight
 * delta       1 + permutations: that of the points as they are comes first
 * group_mean  groups: the mean distance within each, NaN if it has fewer than two points
 * mean        the mean of all distances, which delta is expected to be
 *
 * Distances are read or computed as by gpugeo_permanova().
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or less than -1e-7, and as
 * gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mrpp(const gpugeo_distances *x,
                                        const gpugeo_mrpp_options *options,
                                        const gpugeo_design *design, double *delta,
                                        double *group_mean, double *mean, gpugeo_report *report,
                                        gpugeo_error *error);

typedef struct gpugeo_mantel_options {
  size_t size; /* set by gpugeo_mantel_options_init() */
  gpugeo_cor_method method;
  gpugeo_metric_options metric; /* of all that are points */
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_mantel_options;

/* Fills *options with the defaults: Pearson, euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_mantel_options). */
GPUGEO_EXPORT void gpugeo_mantel_options_init(gpugeo_mantel_options *options, size_t size);

/*
 * Computes the correlation of the distances of x, whose points are permuted, and of y (Mantel
 * 1967); with z the partial correlation, given the distances of z.
 *
 * x, y, z       2 to 65,536 points, as many in each; z may be NULL
 * order         n by permutations, as in a gpugeo_design
 * statistic     1 + permutations: that of the points as they are comes first. NaN if all distances
 *               of x, y or z are equal
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mantel(const gpugeo_distances *x, const gpugeo_distances *y,
                                          const gpugeo_distances *z,
                                          const gpugeo_mantel_options *options,
                                          const int32_t *order, int64_t permutations,
                                          double *statistic, gpugeo_report *report,
                                          gpugeo_error *error);

/* --- Principal coordinates -------------------------------------------------------------------- */

/* What is added to distances so that no eigenvalue is negative. */
typedef enum gpugeo_pcoa_correction {
  GPUGEO_PCOA_CORRECTION_NONE = 0,
  GPUGEO_PCOA_CORRECTION_LINGOES = 1,  /* d becomes sqrt(d^2 + 2 c) */
  GPUGEO_PCOA_CORRECTION_CAILLIEZ = 2, /* d becomes d + c */
  GPUGEO_PCOA_CORRECTION_COUNT = 3
} gpugeo_pcoa_correction;

typedef struct gpugeo_pcoa_options {
  size_t size; /* set by gpugeo_pcoa_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t k; /* axes, 1 to n - 1 */
  gpugeo_pcoa_correction correction;
  double tolerance;   /* of residuals, in terms of the largest eigenvalue in magnitude: 0 to 1 */
  int64_t max_passes; /* over the distances, in a search for eigenvalues; at least 1 */
  gpugeo_run run;     /* precision is ignored: distances are doubles */
} gpugeo_pcoa_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 2, no correction,
   tolerance = 1e-10, max_passes = 1000. size is sizeof(gpugeo_pcoa_options). */
GPUGEO_EXPORT void gpugeo_pcoa_options_init(gpugeo_pcoa_options *options, size_t size);

/* What gpugeo_pcoa() returns. Arrays are in memory of the caller. */
typedef struct gpugeo_pcoa_result {
  double *coordinates; /* n by k, column-major; 0 in the columns after the positive ones */
  double *eigenvalue; /* k, the largest ones in decreasing order; 0 where rounding hides the sign */
  double *residual;   /* k: |B v - eigenvalue v| for the eigenvector v of length 1 */
  int64_t positive;   /* set: how many of the k eigenvalues are positive */
  double trace;       /* set: the sum of all eigenvalues, */
  double negative_sum; /* of the negative ones, NaN if it is not known, */
  double smallest;     /* and the smallest one before a correction, NaN if it is not known */
  double constant;     /* set: c of the correction; 0: none was needed */
  int64_t passes;      /* set: over the distances */
  int32_t converged;   /* set: 1 if all residuals are within the tolerance */
  int32_t reserved[7];
} gpugeo_pcoa_result;

/*
 * Computes principal coordinates (classical multidimensional scaling, Torgerson 1952, Gower 1966):
 * eigenvectors of B = -1/2 J A J times the roots of their eigenvalues, where A has the squares of
 * the distances and J takes the mean from a vector. The element of the largest magnitude of each
 * column, the first of several, is positive.
 *
 * x  2 to 2^31 - 1 points
 *
 * For at most 256 points, or 4 k + 170 if that is more, all eigenvalues are computed. For more than
 * 256 and 4 k + 240 points, B is not stored: its largest eigenvalues are found by products with
 * blocks of vectors (block Lanczos with restarts). Distances of points or files are stored if their
 * 4 n^2 bytes are at most run.work_bytes, by default half of the memory that the process may use;
 * if not, they are computed or read again for each product. Lingoes' and Cailliez' corrections
 * apply if the smallest eigenvalue is negative. The result has the same bits for any number of
 * threads, any memory and every source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_pcoa(const gpugeo_distances *x,
                                        const gpugeo_pcoa_options *options,
                                        gpugeo_pcoa_result *result, gpugeo_report *report,
                                        gpugeo_error *error);

/* What the distances of a configuration are compared with. */
typedef enum gpugeo_mds_type {
  GPUGEO_MDS_TYPE_RATIO = 0,   /* the given distances, at the best scale */
  GPUGEO_MDS_TYPE_ORDINAL = 1, /* disparities in the order of the given distances */
  GPUGEO_MDS_TYPE_COUNT = 2
} gpugeo_mds_type;

typedef struct gpugeo_mds_options {
  size_t size; /* set by gpugeo_mds_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t k;              /* columns of the configuration, 1 to n - 1 */
  const double *weights;  /* of pairs, as condensed distances, finite and at least 0; NULL: all 1 */
  int64_t weights_length; /* n (n - 1) / 2 */
  const double *start;    /* n by k, column-major, finite; NULL: principal coordinates */
  int64_t start_length;   /* n k */
  double tolerance;       /* ends if an iteration lowers the stress by at most this part: 0 to 1 */
  int64_t max_iterations; /* at least 0 */
  int32_t relax;          /* nonzero: from the fourth iteration on, steps are twice as long */
  gpugeo_run run;         /* precision is ignored: distances are doubles */
  gpugeo_mds_type type;   /* ordinal: CPU only, 2 to 65,536 points */
  int32_t squared;        /* nonzero: squares of distances are compared; CPU only */
} gpugeo_mds_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 2, no weights, principal
   coordinates, tolerance = 1e-6, max_iterations = 1000, relaxed, type = ratio. size is
   sizeof(gpugeo_mds_options). */
GPUGEO_EXPORT void gpugeo_mds_options_init(gpugeo_mds_options *options, size_t size);

/* What gpugeo_mds() returns. */
typedef struct gpugeo_mds_result {
  double *coordinates; /* n by k, column-major, in memory of the caller */
  double stress;       /* set */
  int64_t iterations;  /* set */
  int32_t converged;   /* set: 1 if the tolerance was reached, or the stress is at most 1e-10 */
  double *disparities; /* n (n - 1) / 2, condensed, in memory of the caller: what distances of the
                          configuration are compared with; NaN for a pair of weight 0, but with
                          type ratio without squares. NULL: not wanted */
  int32_t reserved[4];
} gpugeo_mds_result;

/*
 * Finds n points in k dimensions whose Euclidean distances d are near the given distances delta
 * (metric multidimensional scaling), by stress majorization (SMACOF, de Leeuw 1977). The stress,
 * which no iteration raises, is sqrt(sum w (delta - d)^2 / sum w delta^2). Coordinates are in units
 * of delta, and at the scale where this is smallest: there it is also Kruskal's stress-1 of ratio
 * scaling, sqrt(sum w (b delta - d)^2 / sum w d^2) with the best b.
 *
 * x  2 to 2^31 - 1 points
 *
 * An iteration is the Guttman transform, V^+ B(X) X; the relaxed one goes twice as far (de Leeuw
 * and Heiser 1980). Without weights V^+ B(X) X is B(X) X / n; with weights the linear systems of V
 * are solved by conjugate gradients to residuals of 1e-12 of the right side, and V^+ is not stored.
 * An iteration visits all pairs once, and with weights once more for each step of the solution. A
 * coordinate that is 0 for all points of the start remains so. Distances of points, files and
 * devices are computed or read once and take 4 n^2 bytes; a CUDA device has a copy of distances and
 * weights. The result has the same bits for any number of threads, on CPU and CUDA, and for every
 * source of the same distances.
 *
 * With type ordinal (nonmetric scaling, Kruskal 1964) the place of delta is taken by disparities,
 * which do not fall where delta rises: those nearest to d, by monotone regression, scaled so that
 * sum w disparity^2 = sum w delta^2. Pairs of the same delta may have any disparities (the primary
 * treatment of ties). The stress is then Kruskal's stress-1, sqrt(sum w (disparity - d)^2 / sum w
 * d^2) with disparities at the scale of d. Each iteration fits them anew, then moves the points.
 *
 * If squares are compared (the loss SSTRESS, Takane, Young and de Leeuw 1977), delta, d and
 * disparities are replaced by their squares in all of the above: the stress is sqrt(sum w (delta^2
 * - d^2)^2 / sum w delta^4). An iteration is a step of conjugate gradients to the smallest stress
 * along a line, by the roots of a polynomial; relax has no effect.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or negative, and as gpugeo_dist()
 * does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mds(const gpugeo_distances *x, const gpugeo_mds_options *options,
                                       gpugeo_mds_result *result, gpugeo_report *report,
                                       gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
