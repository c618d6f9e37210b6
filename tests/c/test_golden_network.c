/* Golden cases of networks: weights of correlations, fits of power laws to their sums, and
   topological overlaps of weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distance/connectivity.h"
#include "distance/overlap.h"
#include "distance/scale_free.h"
#include "golden.h"

/* The rules of a case. */
typedef struct own {
  gg_adjacency_rule adjacency;
  gg_overlap_rule overlap;
  gg_scale_free_rule fit;
} own;

static gpugeo_status take(golden *g, const char *name, const char *value) {
  own *o = g->own;
  if (strcmp(name, "power") == 0)
    return golden_number(g, name, "", value, &o->adjacency.power);
  else if (strcmp(name, "mean") == 0)
    o->overlap.mean = golden_flag(value);
  else if (strcmp(name, "no_zero") == 0)
    o->overlap.suppress_zero = golden_flag(value);
  else if (strcmp(name, "no_negative") == 0)
    o->overlap.suppress_negative = golden_flag(value);
  else if (strcmp(name, "bins") == 0)
    return golden_whole(g, name, value, &o->fit.bins);
  else if (strcmp(name, "no_first") == 0)
    o->fit.remove_first = golden_flag(value);
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

/* Returns the index of the method of a case among `count` names. */
static int method_of(const golden *g, const char *const *names, int count) {
  int at = 0;
  while (at < count - 1 && strcmp(g->field[GOLDEN_METHOD], names[at]) != 0)
    ++at;
  return at;
}

/* Computes the fit of a power, a row. */
static gpugeo_status fit_power(golden *g, const own *o, const gpugeo_cor_options *options,
                               golden_result *result) {
  const double *power = &o->adjacency.power;
  double *k = malloc((size_t)g->x.ncol * sizeof *k);
  gg_scale_free_result fit = {k, result->values, NAN, NAN};
  result->rows = 1;
  result->columns = GG_SCALE_FREE_COLUMNS;
  gpugeo_status status = gg_connectivity(&g->x, options, o->adjacency.network, power, 1, k,
                                         &result->report, &g->error);
  if (!status) status = gg_scale_free(g->x.ncol, power, 1, &o->fit, &fit, &g->error);
  free(k);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  static const char *const networks[] = {"unsigned", "signed", "signed hybrid"};
  static const char *const overlaps[] = {
      "none", "unsigned", "signed", "signed Nowick", "unsigned 2", "signed 2", "signed Nowick 2"};
  own o = {{.power = 1}, {.type = GG_OVERLAP_NONE}, {.least = 0.85, .bins = 10}};
  g->own = &o;
  const gpugeo_status status = golden_options(g, take);
  if (status) return status;
  result->rows = result->columns = g->x.ncol;
  result->values = malloc((size_t)(g->x.ncol * g->x.ncol + 1) * sizeof(double));
  const bool fits = strcmp(g->field[GOLDEN_FUNCTION], "scale_free") == 0;
  if (fits || strcmp(g->field[GOLDEN_FUNCTION], "adjacency") == 0) {
    gpugeo_cor_options options;
    gpugeo_cor_options_init(&options, sizeof options);
    options.use = GPUGEO_COR_USE_PAIRWISE;
    options.run = g->run;
    o.adjacency.network = (gg_network)method_of(g, networks, GG_NETWORK_COUNT);
    if (fits) return fit_power(g, &o, &options, result);
    return gg_adjacency(&g->x, NULL, &options, &o.adjacency, result->values, &result->report,
                        &g->error);
  }
  o.overlap.type = (gg_overlap_type)method_of(g, overlaps, GG_OVERLAP_COUNT);
  const gg_overlap_result out = {GPUGEO_SHAPE_FULL, result->values};
  return gg_overlap(&g->x, &g->run, &o.overlap, &out, &result->report, &g->error);
}

int main(int argc, char **argv) {
  static const golden_family family = {
      .functions = {"adjacency", "scale_free", "overlap"}, .least = 110, .compute = compute};
  return golden_main(argc, argv, &family);
}
