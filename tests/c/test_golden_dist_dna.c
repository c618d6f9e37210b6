/* Golden cases of distances of sequences. */
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* The options of a case, and the matrix of its shares of bases. */
typedef struct own {
  gpugeo_dist_dna_options options;
  gpugeo_matrix shares;
} own;

static gpugeo_status take(golden *g, const char *name, const char *value) {
  own *o = g->own;
  if (strcmp(name, "gamma") == 0)
    return golden_number(g, name, "", value, &o->options.gamma);
  else if (strcmp(name, "pairwise") == 0)
    o->options.pairwise_deletion = golden_flag(value);
  else if (strcmp(name, "variance") == 0)
    o->options.variance = golden_flag(value);
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

static gpugeo_status compute(golden *g, golden_result *result) {
  own o = {.shares = {0}};
  gpugeo_dist_dna_options_init(&o.options, sizeof o.options);
  g->own = &o;
  uint8_t *codes = codes_of(&g->x);
  const gpugeo_sequences x = {
      .count = g->x.nrow, .codes = codes, .sites = g->x.ncol, .step = g->x.nrow};
  double *out = NULL, *variance = NULL;
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
    variance = malloc(sizeof *variance * (size_t)(size + 1));
    status = gpugeo_dist_dna(&x, &o.options, out, variance, &result->report, &g->error);
  }
  const bool square = o.options.model == GPUGEO_DNA_MODEL_BH87;
  result->values = o.options.variance ? variance : out;
  result->rows = square ? x.count : size;
  result->columns = square ? x.count : 1;
  free(o.options.variance ? out : variance);
  free(codes);
  free((void *)(uintptr_t)o.shares.data);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"dist_dna"}, .least = 300, .compute = compute};
  return golden_main(argc, argv, &family);
}
