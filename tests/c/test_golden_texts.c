/* Golden cases of edit distances of texts, and of distances of proteins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* The texts of a matrix of code points. */
typedef struct texts {
  char *bytes;
  const char **start;
  gpugeo_texts view;
} texts;

/* Appends a code point below 2048 in UTF-8. */
static char *append(char *to, double code) {
  const int c = (int)code;
  if (c >= 0x80) *to++ = (char)(0xC0 + c / 64);
  *to++ = (char)(c >= 0x80 ? 0x80 + c % 64 : c);
  return to;
}

/* Makes the texts, a row each, which ends at NaN. To be freed by free_texts(). */
static texts make_texts(const gpugeo_matrix *x) {
  texts t = {malloc((size_t)(x->nrow * (2 * x->ncol + 1)) + 1),
             malloc((size_t)(x->nrow + 1) * sizeof *t.start),
             {0}};
  const double *codes = x->data;
  char *to = t.bytes;
  for (int64_t i = 0; i < x->nrow; ++i) {
    t.start[i] = to;
    for (int64_t k = 0; k < x->ncol && !isnan(codes[i + k * x->nrow]); ++k)
      to = append(to, codes[i + k * x->nrow]);
    *to++ = 0;
  }
  t.view = (gpugeo_texts){x->nrow, t.start, NULL};
  return t;
}

static void free_texts(texts *t) {
  free(t->bytes);
  free(t->start);
}

/* --- Edit distances --------------------------------------------------------------------------- */

static gpugeo_status take_edit(golden *g, const char *name, const char *value) {
  gpugeo_dist_edit_options *options = g->own;
  if (strcmp(name, "max") == 0) return golden_number(g, name, "", value, &options->max);
  return golden_unknown(g, name);
}

/* Writes neighbours, a row each: the text, its neighbour, the distance. */
static gpugeo_status find_neighbors(golden *g, const texts *x, const texts *y,
                                    golden_result *result) {
  gpugeo_neighbors near = {0};
  const gpugeo_status status = gpugeo_edit_neighbors(&x->view, g->y ? &y->view : NULL, g->own,
                                                     &near, &result->report, &g->error);
  if (status) return status;
  const int64_t count = near.start[near.points];
  double *values = result->values = malloc((size_t)(3 * count + 1) * sizeof *values);
  result->rows = count;
  result->columns = 3;
  for (int64_t i = 0; i < near.points; ++i)
    for (int64_t k = near.start[i]; k < near.start[i + 1]; ++k) {
      values[k] = (double)i + 1;
      values[k + count] = near.index[k] + 1.0;
      values[k + 2 * count] = near.distance[k];
    }
  gpugeo_neighbors_free(&near);
  return status;
}

static gpugeo_status compute_edit(golden *g, const texts *x, golden_result *result) {
  gpugeo_dist_edit_options options;
  gpugeo_dist_edit_options_init(&options, sizeof options);
  g->own = &options;
  int32_t method = 0;
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_EDIT_METHOD, g->field[GOLDEN_METHOD], &method, &g->error);
  options.method = (gpugeo_edit_method)method;
  if (!status) status = golden_options(g, take_edit);
  options.run = g->run;
  if (status) return status;
  texts y = g->y ? make_texts(g->y) : (texts){0};
  if (strcmp(g->field[GOLDEN_FUNCTION], "edit_neighbors") == 0) {
    status = find_neighbors(g, x, &y, result);
  } else {
    const int64_t n = g->x.nrow;
    result->rows = g->y ? n : n * (n - 1) / 2;
    result->columns = g->y ? g->y->nrow : 1;
    result->values = malloc((size_t)(result->rows * result->columns + 1) * sizeof(double));
    status = gpugeo_dist_edit(&x->view, g->y ? &y.view : NULL, &options, result->values,
                              &result->report, &g->error);
  }
  free_texts(&y);
  return status;
}

/* --- Proteins --------------------------------------------------------------------------------- */

static gpugeo_status take_aa(golden *g, const char *name, const char *value) {
  gpugeo_dist_aa_options *options = g->own;
  int32_t exclude = 0;
  int64_t count = 0;
  if (strcmp(name, "shape") == 0) return golden_number(g, name, "", value, &options->shape);
  if (strcmp(name, "k") == 0) {
    const gpugeo_status status = golden_count(g, name, value, 1, 64, &count);
    options->categories = (int32_t)count;
    return status;
  }
  if (strcmp(name, "exclude") != 0) return golden_unknown(g, name);
  const gpugeo_status status = gpugeo_find(GPUGEO_ENUM_AA_EXCLUDE, value, &exclude, &g->error);
  options->exclude = (gpugeo_aa_exclude)exclude;
  return status;
}

static gpugeo_status compute_aa(golden *g, const texts *x, golden_result *result) {
  gpugeo_dist_aa_options options;
  gpugeo_dist_aa_options_init(&options, sizeof options);
  g->own = &options;
  int32_t model = 0;
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_AA_MODEL, g->field[GOLDEN_METHOD], &model, &g->error);
  options.model = (gpugeo_aa_model)model;
  if (!status) status = golden_options(g, take_aa);
  options.run = g->run;
  result->rows = g->x.nrow * (g->x.nrow - 1) / 2;
  result->columns = 1;
  result->values = malloc((size_t)(result->rows + 1) * sizeof(double));
  if (status) return status;
  return gpugeo_dist_aa(&x->view, &options, result->values, &result->report, &g->error);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  texts x = make_texts(&g->x);
  const bool aa = strcmp(g->field[GOLDEN_FUNCTION], "dist_aa") == 0;
  const gpugeo_status status = (aa ? compute_aa : compute_edit)(g, &x, result);
  free_texts(&x);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {
      .functions = {"dist_edit", "edit_neighbors", "dist_aa"}, .least = 90, .compute = compute};
  return golden_main(argc, argv, &family);
}
