/* Golden cases of distances of sequences, and of supports of their trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* The options of a case, the matrix of its shares of bases, and whether its sites are counted. */
typedef struct own {
  gpugeo_dist_dna_options options;
  gpugeo_matrix shares;
  bool sites;
} own;

static gpugeo_status take(golden *g, const char *name, const char *value) {
  own *o = g->own;
  if (strcmp(name, "gamma") == 0)
    return golden_number(g, name, "", value, &o->options.gamma);
  else if (strcmp(name, "pairwise") == 0)
    o->options.pairwise_deletion = golden_flag(value);
  else if (strcmp(name, "variance") == 0)
    o->options.variance = golden_flag(value);
  else if (strcmp(name, "all_letters") == 0)
    o->options.all_letters = golden_flag(value);
  else if (strcmp(name, "sites") == 0)
    o->sites = golden_flag(value);
  else if (strcmp(name, "pair_freq") == 0)
    o->options.pair_base_freq = golden_flag(value);
  else if (strcmp(name, "base_freq") == 0) {
    o->shares = golden_matrix(value, "double");
    o->options.base_freq = o->shares.data;
    o->options.base_freq_length = o->shares.nrow;
  } else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

/* The codes of a matrix of numbers, which has a sequence in each row. */
static uint8_t *codes_of(const gpugeo_matrix *x) {
  const double *values = x->data;
  uint8_t *codes = malloc((size_t)(x->nrow * x->ncol) + 1);
  for (int64_t i = 0; i < x->nrow * x->ncol; ++i)
    codes[i] = (uint8_t)values[i];
  return codes;
}

static gpugeo_status compute_distances(golden *g, golden_result *result) {
  own o = {.shares = {0}};
  gpugeo_dist_dna_options_init(&o.options, sizeof o.options);
  g->own = &o;
  uint8_t *codes = codes_of(&g->x);
  const gpugeo_sequences x = {
      .count = g->x.nrow, .codes = codes, .sites = g->x.ncol, .step = g->x.nrow};
  double *out = NULL, *other = NULL; /* variances, or counts of sites */
  int64_t size = 0;
  int32_t model = 0;
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_DNA_MODEL, g->field[GOLDEN_METHOD], &model, &g->error);
  o.options.model = (gpugeo_dna_model)model;
  if (!status) status = golden_options(g, take);
  o.options.run = g->run;
  if (!status) status = gpugeo_dist_dna_size(&x, &o.options, &size, &g->error);
  if (!status) {
    out = malloc(sizeof *out * (size_t)(size + 1));
    other = malloc(sizeof *other * (size_t)(size + 1));
    o.options.site_counts = o.sites ? other : NULL;
    status =
        gpugeo_dist_dna(&x, &o.options, out, o.sites ? NULL : other, &result->report, &g->error);
  }
  const bool square = o.options.model == GPUGEO_DNA_MODEL_BH87;
  const bool beside = o.options.variance || o.sites;
  result->values = beside ? other : out;
  result->rows = square ? x.count : size;
  result->columns = square ? x.count : 1;
  free(beside ? out : other);
  free(codes);
  free((void *)(uintptr_t)o.shares.data);
  return status;
}

/* --- The bootstrap ---------------------------------------------------------------------------- */

/* The options of a case, and its orders of sequences. */
typedef struct boot {
  gpugeo_dist_dna_options distances;
  gpugeo_boot_phylo_options options;
  int32_t *order;
} boot;

/* Writes a matrix of whole numbers from 1 as numbers from 0; to be freed. */
static int32_t *from_zero(const gpugeo_matrix *x) {
  const double *values = x->data;
  int32_t *numbers = malloc((size_t)(x->nrow * x->ncol + 1) * sizeof *numbers);
  for (int64_t k = 0; k < x->nrow * x->ncol; ++k)
    numbers[k] = (int32_t)values[k] - 1;
  return numbers;
}

static gpugeo_status take_boot(golden *g, const char *name, const char *value) {
  boot *b = g->own;
  int32_t model = 0;
  if (strcmp(name, "rooted") == 0) {
    b->options.rooted = golden_flag(value);
  } else if (strcmp(name, "order") == 0) {
    const gpugeo_matrix order = golden_matrix(value, "double");
    b->options.order = b->order = from_zero(&order);
    b->options.order_length = order.nrow * order.ncol;
    free((void *)(uintptr_t)order.data);
  } else if (strcmp(name, "model") == 0) {
    const gpugeo_status status = gpugeo_find(GPUGEO_ENUM_DNA_MODEL, value, &model, &g->error);
    b->distances.model = (gpugeo_dna_model)model;
    return status;
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

/* Runs a bootstrap, and writes a row for each edge: both nodes, the length, the support of the
   second node. */
static gpugeo_status run_boot(golden *g, const gpugeo_sequences *x, const boot *b,
                              golden_result *result) {
  const int64_t n = x->count;
  const int64_t edges = 2 * n - (b->options.tree == GPUGEO_TREE_METHOD_UPGMA ? 2 : 3);
  int32_t *edge = malloc((size_t)(3 * edges) * sizeof *edge), *support = edge + 2 * edges;
  double *values = result->values = malloc((size_t)(4 * edges) * sizeof *values);
  const gpugeo_boot_phylo_result made = {edge, values + 2 * edges, support, NULL, NULL};
  result->rows = edges;
  result->columns = 4;
  const gpugeo_status status =
      gpugeo_boot_phylo(x, &b->distances, &b->options, &made, &result->report, &g->error);
  for (int64_t e = 0; !status && e < edges; ++e) {
    const int32_t node = edge[e + edges], found = node < n ? -1 : support[node - n];
    values[e] = edge[e] + 1.0;
    values[e + edges] = node + 1.0;
    values[e + 3 * edges] = found < 0 ? NAN : found;
  }
  free(edge);
  return status;
}

static gpugeo_status compute_boot(golden *g, golden_result *result) {
  boot b = {.order = NULL};
  int32_t tree = 0, *sites = from_zero(g->y);
  uint8_t *codes = codes_of(&g->x);
  const gpugeo_sequences x = {
      .count = g->x.nrow, .codes = codes, .sites = g->x.ncol, .step = g->x.nrow};
  gpugeo_dist_dna_options_init(&b.distances, sizeof b.distances);
  gpugeo_boot_phylo_options_init(&b.options, sizeof b.options);
  b.distances.pairwise_deletion = 1;
  b.options.sites = sites;
  b.options.replicates = g->y->ncol;
  b.options.sites_length = g->y->nrow * g->y->ncol;
  g->own = &b;
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_TREE_METHOD, g->field[GOLDEN_METHOD], &tree, &g->error);
  b.options.tree = (gpugeo_tree_method)tree;
  if (!status) status = golden_options(g, take_boot);
  b.options.run = g->run;
  if (!status) status = run_boot(g, &x, &b, result);
  free(codes);
  free(sites);
  free(b.order);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  const bool is_boot = strcmp(g->field[GOLDEN_FUNCTION], "boot_phylo") == 0;
  return is_boot ? compute_boot(g, result) : compute_distances(g, result);
}

int main(int argc, char **argv) {
  const golden_family family = {
      .functions = {"dist_dna", "boot_phylo"}, .least = 400, .compute = compute};
  return golden_main(argc, argv, &family);
}
