/* The spellings that both languages share. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/backend.h"
#include "common/error.h"

typedef struct spelling {
  const char *name;
  int value;
} spelling;

/* The first name of each metric is R's; further ones are Octave's, MATLAB's and other R packages'.
 */
static const spelling metrics[] = {
    {"euclidean", GPUGEO_METRIC_EUCLIDEAN},
    {"sqeuclidean", GPUGEO_METRIC_SQEUCLIDEAN},
    {"manhattan", GPUGEO_METRIC_MANHATTAN},
    {"maximum", GPUGEO_METRIC_MAXIMUM},
    {"canberra", GPUGEO_METRIC_CANBERRA},
    {"binary", GPUGEO_METRIC_BINARY},
    {"minkowski", GPUGEO_METRIC_MINKOWSKI},
    {"seuclidean", GPUGEO_METRIC_SEUCLIDEAN},
    {"mahalanobis", GPUGEO_METRIC_MAHALANOBIS},
    {"cosine", GPUGEO_METRIC_COSINE},
    {"pearson", GPUGEO_METRIC_PEARSON},
    {"spearman", GPUGEO_METRIC_SPEARMAN},
    {"braycurtis", GPUGEO_METRIC_BRAYCURTIS},
    {"hamming", GPUGEO_METRIC_HAMMING},
    {"jaccard", GPUGEO_METRIC_JACCARD},
    {"euclidian", GPUGEO_METRIC_EUCLIDEAN},
    {"squaredeuclidean", GPUGEO_METRIC_SQEUCLIDEAN},
    {"cityblock", GPUGEO_METRIC_MANHATTAN},
    {"chebychev", GPUGEO_METRIC_MAXIMUM},
    {"correlation", GPUGEO_METRIC_PEARSON},
};
static const spelling repulsions[] = {{"auto", GPUGEO_LAYOUT_REPULSION_AUTO},
                                      {"exact", GPUGEO_LAYOUT_REPULSION_EXACT},
                                      {"barnes-hut", GPUGEO_LAYOUT_REPULSION_BARNES_HUT}};
static const spelling precisions[] = {{"double", GPUGEO_PRECISION_DOUBLE},
                                      {"single", GPUGEO_PRECISION_SINGLE}};
static const spelling dgp_algorithms[] = {
    {"auto", GPUGEO_DGP_ALGORITHM_AUTO},
    {"branch-and-prune", GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE},
    {"exhaustive", GPUGEO_DGP_ALGORITHM_EXHAUSTIVE},
    {"meet-in-the-middle", GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE},
};
static const spelling cor_methods[] = {{"pearson", GPUGEO_COR_METHOD_PEARSON},
                                       {"spearman", GPUGEO_COR_METHOD_SPEARMAN}};
static const spelling uses[] = {
    {"everything", GPUGEO_COR_USE_EVERYTHING},
    {"all.obs", GPUGEO_COR_USE_ALL_OBS},
    {"complete.obs", GPUGEO_COR_USE_COMPLETE_OBS},
    {"na.or.complete", GPUGEO_COR_USE_NA_OR_COMPLETE},
    {"pairwise.complete.obs", GPUGEO_COR_USE_PAIRWISE},
    {"all", GPUGEO_COR_USE_EVERYTHING},
    {"complete", GPUGEO_COR_USE_COMPLETE_OBS},
    {"pairwise", GPUGEO_COR_USE_PAIRWISE},
};
static const spelling closest_metrics[] = {{"euclidean", GPUGEO_CLOSEST_METRIC_EUCLIDEAN},
                                           {"great-circle", GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE}};
static const spelling closest_algorithms[] = {
    {"auto", GPUGEO_CLOSEST_ALGORITHM_AUTO},
    {"grid", GPUGEO_CLOSEST_ALGORITHM_GRID},
    {"sweep-v0", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0},
    {"sweep-v1", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V1},
    {"sweep-v2", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2},
    {"divide-conquer", GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER}};
static const spelling collide_whats[] = {{"count", GPUGEO_COLLISIONS_WHAT_COUNT},
                                         {"per_point", GPUGEO_COLLISIONS_WHAT_PER_POINT},
                                         {"pairs", GPUGEO_COLLISIONS_WHAT_PAIRS},
                                         {"table", GPUGEO_COLLISIONS_WHAT_TABLE}};
static const spelling collisions_algorithms[] = {{"auto", GPUGEO_COLLISIONS_ALGORITHM_AUTO},
                                                 {"grid", GPUGEO_COLLISIONS_ALGORITHM_GRID},
                                                 {"usual", GPUGEO_COLLISIONS_ALGORITHM_USUAL},
                                                 {"cyclic", GPUGEO_COLLISIONS_ALGORITHM_CYCLIC},
                                                 {"lattice", GPUGEO_COLLISIONS_ALGORITHM_LATTICE}};
#define LENGTH(table) ((int)(sizeof(table) / sizeof *(table)))

/* Finds the value of a name, which may be abbreviated, in upper or lower case. Several names may
   share the beginning as long as they mean the same. `listed` of the names appear in the
   message. */
static gpugeo_status find(const char *argument, const char *name, const spelling *table, int length,
                          int listed, int *value, gpugeo_error *error) {
  if (!name) return gg_fail_string(error, argument, NULL);
  const spelling *found = NULL;
  bool ambiguous = false;
  size_t n = strlen(name);
  for (int i = 0; i < length; ++i) {
    if (strcasecmp(table[i].name, name) == 0) {
      *value = table[i].value;
      return GPUGEO_OK;
    }
    if (n == 0 || strncasecmp(table[i].name, name, n) != 0) continue;
    if (found && found->value != table[i].value) ambiguous = true;
    found = &table[i];
  }
  if (found && !ambiguous) {
    *value = found->value;
    return GPUGEO_OK;
  }
  char names[360] = "";
  size_t end = 0;
  for (int i = 0; i < listed && end < sizeof names; ++i)
    end +=
        (size_t)snprintf(names + end, sizeof names - end, "%s\"%s\"", i ? ", " : "", table[i].name);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument, "%s must be one of %s, not \"%.40s\"%s",
                 argument, names, name, ambiguous ? ", which begins several of them" : "");
}

gpugeo_status gpugeo_metric_find(const char *name, gpugeo_metric *metric, gpugeo_error *error) {
  int value = 0;
  gpugeo_status status =
      find("method", name, metrics, LENGTH(metrics), GPUGEO_METRIC_COUNT, &value, error);
  if (!status) *metric = (gpugeo_metric)value;
  return status;
}

const char *gpugeo_metric_name(gpugeo_metric metric) {
  return metric >= 0 && metric < GPUGEO_METRIC_COUNT ? metrics[metric].name : "";
}

gpugeo_status gpugeo_backend_find(const char *name, gpugeo_backend *backend, gpugeo_error *error) {
  spelling names[16] = {{"auto", GPUGEO_BACKEND_AUTO}};
  int length = 1, value = 0;
  for (; length <= gg_backend_count() && length < LENGTH(names); ++length) {
    const gg_backend *listed = gg_backend_at(length - 1);
    names[length] = (spelling){listed->name, (int)listed->id};
  }
  gpugeo_status status = find("backend", name, names, length, length, &value, error);
  if (!status) *backend = (gpugeo_backend)value;
  return status;
}

const char *gpugeo_backend_name(gpugeo_backend backend) {
  if (backend == GPUGEO_BACKEND_AUTO) return "auto";
  const gg_backend *found = gg_backend_of(backend);
  return found ? found->name : "";
}

gpugeo_status gpugeo_precision_find(const char *name, gpugeo_precision *precision,
                                    gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("precision", name, precisions, LENGTH(precisions), 2, &value, error);
  if (!status) *precision = (gpugeo_precision)value;
  return status;
}

gpugeo_status gpugeo_cor_method_find(const char *name, gpugeo_cor_method *method,
                                     gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("method", name, cor_methods, LENGTH(cor_methods), 2, &value, error);
  if (!status) *method = (gpugeo_cor_method)value;
  return status;
}

gpugeo_status gpugeo_cor_use_find(const char *name, gpugeo_cor_use *use, gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("use", name, uses, LENGTH(uses), 5, &value, error);
  if (!status) *use = (gpugeo_cor_use)value;
  return status;
}

gpugeo_status gpugeo_closest_metric_find(const char *name, gpugeo_closest_metric *metric,
                                         gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("metric", name, closest_metrics, LENGTH(closest_metrics),
                              LENGTH(closest_metrics), &value, error);
  if (!status) *metric = (gpugeo_closest_metric)value;
  return status;
}

gpugeo_status gpugeo_closest_algorithm_find(const char *name, gpugeo_closest_algorithm *algorithm,
                                            gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("algorithm", name, closest_algorithms, LENGTH(closest_algorithms),
                              LENGTH(closest_algorithms), &value, error);
  if (!status) *algorithm = (gpugeo_closest_algorithm)value;
  return status;
}

const char *gpugeo_closest_algorithm_name(gpugeo_closest_algorithm algorithm) {
  return algorithm >= 0 && algorithm < LENGTH(closest_algorithms)
             ? closest_algorithms[algorithm].name
             : "";
}

gpugeo_status gpugeo_dgp_algorithm_find(const char *name, gpugeo_dgp_algorithm *algorithm,
                                        gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("algorithm", name, dgp_algorithms, LENGTH(dgp_algorithms),
                              GPUGEO_DGP_ALGORITHM_COUNT, &value, error);
  if (!status) *algorithm = (gpugeo_dgp_algorithm)value;
  return status;
}

const char *gpugeo_dgp_algorithm_name(gpugeo_dgp_algorithm algorithm) {
  return algorithm >= 0 && algorithm < GPUGEO_DGP_ALGORITHM_COUNT ? dgp_algorithms[algorithm].name
                                                                  : "";
}

gpugeo_status gpugeo_collisions_what_find(const char *name, gpugeo_collisions_what *what,
                                          gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("what", name, collide_whats, LENGTH(collide_whats),
                              LENGTH(collide_whats), &value, error);
  if (!status) *what = (gpugeo_collisions_what)value;
  return status;
}

gpugeo_status gpugeo_collisions_algorithm_find(const char *name,
                                               gpugeo_collisions_algorithm *algorithm,
                                               gpugeo_error *error) {
  int value = 0;
  gpugeo_status status =
      find("algorithm", name, collisions_algorithms, LENGTH(collisions_algorithms),
           LENGTH(collisions_algorithms), &value, error);
  if (!status) *algorithm = (gpugeo_collisions_algorithm)value;
  return status;
}

gpugeo_status gpugeo_layout_repulsion_find(const char *name, gpugeo_layout_repulsion *repulsion,
                                           gpugeo_error *error) {
  int value = 0;
  gpugeo_status status = find("repulsion", name, repulsions, LENGTH(repulsions), 3, &value, error);
  if (!status) *repulsion = (gpugeo_layout_repulsion)value;
  return status;
}

const char *gpugeo_layout_repulsion_name(gpugeo_layout_repulsion repulsion) {
  return repulsion >= 0 && repulsion < LENGTH(repulsions) ? repulsions[repulsion].name : "";
}
