/* Trees of distances. */
#include "trees.h"

#include <math.h>

#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Writes edges whose nodes count from 0 as a matrix of doubles from 1. */
static void write_edges(const int32_t *edge, int64_t edges, double *out) {
  for (int64_t k = 0; k < 2 * edges; ++k)
    out[k] = edge[k] + 1.0;
}

void gg_mex_nj(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_nj_options options;
  const int64_t n =
      gg_mex_open_distances(call, &d, &gg_nj_options, &options, &options.metric, &options.run);
  if (call->status) return;
  const int64_t edges = n < 3 ? 0 : 2 * n - 3;
  int32_t *edge = gg_mex_allocate(call, 2 * edges, sizeof *edge);
  double *out = edge ? gg_mex_doubles_result(call, 0, edges, 2) : NULL;
  double *length = out ? gg_mex_doubles_result(call, 1, edges, 1) : NULL;
  if (call->status) return;
  call->status = gpugeo_nj(&d.given, &options, edge, length, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_edges(edge, edges, out);
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_linkage_tree(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_hclust_options options;
  const int64_t n =
      gg_mex_open_distances(call, &d, &gg_hclust_options, &options, &options.metric, &options.run);
  if (call->status) return;
  const int64_t edges = n < 2 ? 0 : 2 * n - 2;
  int32_t *edge = gg_mex_allocate(call, 2 * edges + 3 * n, sizeof *edge);
  double *height = edge ? gg_mex_allocate(call, n, sizeof *height) : NULL;
  double *out = height ? gg_mex_doubles_result(call, 0, edges, 2) : NULL;
  double *length = out ? gg_mex_doubles_result(call, 1, edges, 1) : NULL;
  if (call->status) return;
  int32_t *merge = edge + 2 * edges;
  call->status =
      gpugeo_hclust(&d.given, &options, merge, height, merge + 2 * n, &call->report, &call->error);
  if (!call->status)
    call->status = gpugeo_hclust_tree(n, merge, height, edge, length, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_edges(edge, edges, out);
  gg_mex_report_result(call, 2, &call->report);
}

/* --- Trees in files --------------------------------------------------------------------------- */

static void free_newick(void *newick) { gpugeo_newick_free(newick); }

/* Sets a field to a column of labels. */
static void set_labels(mxArray *made, const char *name, const char *const *labels, int64_t count) {
  mxArray *cell = mxCreateCellMatrix((mwSize)count, 1);
  for (int64_t i = 0; i < count; ++i)
    mxSetCell(cell, (mwIndex)i, mxCreateString(labels[i]));
  gg_mex_set(made, name, cell);
}

/* Returns the structure of a tree as the first result. */
static void write_tree(gg_mex_call *call, const gpugeo_tree *tree) {
  mxArray *made = gg_mex_structure_result(call, 0);
  double *edges = gg_mex_set_doubles(call, made, "edges", tree->edges, 2);
  double *lengths =
      call->status ? NULL
                   : gg_mex_set_doubles(call, made, "lengths", tree->length ? tree->edges : 0, 1);
  if (call->status) return;
  write_edges(tree->edge, tree->edges, edges);
  for (int64_t k = 0; tree->length && k < tree->edges; ++k)
    lengths[k] = tree->length[k];
  set_labels(made, "names", tree->tip_label, tree->tips);
  if (tree->node_label) set_labels(made, "node_names", tree->node_label, tree->nodes);
  if (!isnan(tree->root_length)) gg_mex_set_number(made, "root_length", tree->root_length);
}

void gg_mex_newick_read(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const bool is_text = mxIsEmpty(call->inputs[0]) && !mxIsEmpty(call->inputs[1]);
  const char *path = is_text ? NULL : gg_mex_text(call, call->inputs[0], "path");
  const char *text = is_text ? gg_mex_text(call, call->inputs[1], "text") : NULL;
  gg_mex_settings(call, false, &run);
  gpugeo_newick *newick = gg_mex_allocate(call, 1, sizeof *newick);
  if (call->status) return;
  call->status = gpugeo_newick_read(path, text, &run, newick, &call->error);
  if (!call->status) gg_mex_release_later(call, free_newick, newick);
  if (gg_mex_ended(call, NULL)) write_tree(call, &newick->tree);
}

/* Reads a cell array of labels, of which there must be `count`. */
static const char *const *read_labels(gg_mex_call *call, const mxArray *cell, int64_t count) {
  if (call->status || !cell || !mxIsCell(cell) || (int64_t)mxGetNumberOfElements(cell) != count)
    return NULL;
  const char **texts = gg_mex_allocate(call, count, sizeof *texts);
  for (int64_t i = 0; texts && i < count; ++i)
    texts[i] = gg_mex_text(call, mxGetCell(cell, (mwIndex)i), "names");
  return texts;
}

/* Fails because a value is not what is allowed for a tree. */
static void fail_tree(gg_mex_call *call, const char *allowed, const mxArray *value) {
  const gg_given given = gg_mex_given(value);
  gg_mex_check(call, gg_fail_given(&call->error, "tree", allowed, &given));
}

void gg_mex_read_tree(gg_mex_call *call, const mxArray *made, gpugeo_tree *tree) {
  const double *edges = NULL, *root = NULL;
  int64_t length = 0, lengths = 0, one = 0;
  *tree = (gpugeo_tree){.root_length = NAN};
  gg_mex_doubles(call, gg_mex_field(made, "edges"), "edges", &edges, &length);
  gg_mex_doubles(call, gg_mex_field(made, "lengths"), "lengths", &tree->length, &lengths);
  const mxArray *names = gg_mex_field(made, "names"), *own = gg_mex_given_field(made, "node_names");
  const mxArray *stem = gg_mex_given_field(made, "root_length");
  if (stem) gg_mex_doubles(call, stem, "root_length", &root, &one);
  if (!call->status &&
      (!names || !mxIsCell(names) || length % 2 || (lengths && 2 * lengths != length)))
    fail_tree(call, "a structure with the fields edges, lengths and names", made);
  if (call->status) return;
  tree->tips = (int64_t)mxGetNumberOfElements(names);
  tree->edges = length / 2;
  tree->nodes = tree->edges + 1 - tree->tips;
  if (own && (!mxIsCell(own) || (int64_t)mxGetNumberOfElements(own) != tree->nodes))
    fail_tree(call, "a structure with a name for each inner node as node_names", own);
  if (lengths == 0) tree->length = NULL;
  if (one == 1) tree->root_length = root[0];
  tree->tip_label = read_labels(call, names, tree->tips);
  tree->node_label = read_labels(call, own, tree->nodes);
  int32_t *edge = gg_mex_allocate(call, length, sizeof *edge);
  for (int64_t k = 0; edge && k < length; ++k)
    edge[k] = edges[k] >= 1 && edges[k] <= INT32_MAX ? (int32_t)edges[k] - 1 : -1;
  tree->edge = edge;
}

static void free_text(void *text) { gpugeo_newick_text_free(text); }

void gg_mex_newick_write(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_tree tree;
  char *text = NULL;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_read_tree(call, call->inputs[0], &tree);
  const bool to_text = mxIsEmpty(call->inputs[1]) && !mxIsChar(call->inputs[1]);
  const char *path = to_text ? NULL : gg_mex_text(call, call->inputs[1], "path");
  gg_mex_settings(call, false, &run);
  if (call->status) return;
  call->status = gpugeo_newick_write(&tree, path, &run, to_text ? &text : NULL, &call->error);
  if (text) gg_mex_release_later(call, free_text, text);
  if (gg_mex_ended(call, NULL) && text) gg_mex_text_result(call, 0, text);
}

void gg_mex_tree_distances(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_tree tree;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_read_tree(call, call->inputs[0], &tree);
  gg_mex_settings(call, false, &run);
  double *out = call->status ? NULL : gg_mex_doubles_result(call, 0, tree.tips, tree.tips);
  if (call->status) return;
  call->status = gpugeo_tree_distances(&tree, &run, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}
