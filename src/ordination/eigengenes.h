/* Eigengenes: the first principal component of each module of genes. */
#ifndef GG_EIGENGENES_H
#define GG_EIGENGENES_H

#include <stdbool.h>

#include "gpugeo.h"

/* Modules of the columns of a matrix. */
typedef struct gg_eigengene_plan {
  const gpugeo_matrix *x; /* samples by genes, dense */
  const double *module;   /* of each gene: from 1, or 0 for none */
  int64_t genes;          /* their number, that of the columns of x */
  int64_t modules;
  int64_t components; /* whose shares of the variance are wanted; at least 1 */
  bool scale;         /* genes get mean 0 and standard deviation 1 */
  bool align;         /* eigengenes with the average, else by their largest value */
} gg_eigengene_plan;

/* What is found, column-major. */
typedef struct gg_eigengene_result {
  double *eigengene; /* samples by modules: of length 1; NaN without a gene that is not constant */
  double *average; /* likewise: means of the genes that are neither missing nor constant, or NaN */
  double *explained; /* components by modules: shares of the variance; NaN for those beyond the
                        samples and the module's genes */
} gg_eigengene_result;

/* Finds the eigengenes of all modules, on the host. Values that are missing or infinite count as
   the mean of their gene, or 0 without scaling. */
gpugeo_status gg_eigengenes(const gg_eigengene_plan *plan, const gpugeo_run *run,
                            const gg_eigengene_result *result, gpugeo_report *report,
                            gpugeo_error *error);

#endif
