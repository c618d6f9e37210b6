/* Fuzzes gpugeo_newick_read(): any bytes, as a file and as a text. Checks that what was read is a
   tree, is read again after it was written, and has distances. */
#include "fuzz.h"

static scratch_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  file = scratch_file_open("file");
  return 0;
}

static gpugeo_status read_tree(const char *path, const char *text, gpugeo_newick *read) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const gpugeo_status status = gpugeo_newick_read(path, text, &run, read, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  return status;
}

/* Each node but the root is below an earlier one, once. */
static void check_tree(const gpugeo_tree *tree) {
  const int64_t all = tree->tips + tree->nodes;
  demand(tree->tips >= 1 && tree->nodes >= 1 && tree->edges == all - 1);
  bool *seen = calloc((size_t)all, 1);
  seen[tree->tips] = true;
  for (int64_t e = 0; e < tree->edges; ++e) {
    const int32_t above = tree->edge[e], below = tree->edge[e + tree->edges];
    demand(above >= tree->tips && above < all && seen[above]);
    demand(below >= 0 && below < all && !seen[below]);
    demand(!tree->length || !isinf(tree->length[e]));
    seen[below] = true;
  }
  free(seen);
}

static bool same_labels(const char *const *a, const char *const *b, int64_t count) {
  if (!a || !b) return !a == !b;
  for (int64_t i = 0; i < count; ++i)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

static void demand_same(const gpugeo_tree *a, const gpugeo_tree *b) {
  const size_t edges = (size_t)a->edges;
  demand(a->tips == b->tips && a->nodes == b->nodes);
  demand(memcmp(a->edge, b->edge, 2 * edges * sizeof *a->edge) == 0);
  demand(!a->length == !b->length);
  for (size_t e = 0; a->length && e < edges; ++e)
    demand(a->length[e] == b->length[e] || (isnan(a->length[e]) && isnan(b->length[e])));
  demand(same_labels(a->tip_label, b->tip_label, a->tips));
  demand(same_labels(a->node_label, b->node_label, a->nodes));
  demand(a->root_length == b->root_length || (isnan(a->root_length) && isnan(b->root_length)));
}

/* Writes the tree to memory, and reads that. */
static void check_again(const gpugeo_tree *tree) {
  gpugeo_error error;
  gpugeo_run run;
  char *text = NULL;
  gpugeo_newick again;
  gpugeo_run_init(&run, sizeof run);
  demand(gpugeo_newick_write(tree, NULL, &run, &text, &error) == GPUGEO_OK);
  demand(read_tree(NULL, text, &again) == GPUGEO_OK);
  demand_same(tree, &again.tree);
  gpugeo_newick_free(&again);
  gpugeo_newick_text_free(text);
}

/* Distances are symmetric, on one thread and on two. */
static void check_distances(const gpugeo_tree *tree) {
  const size_t tips = (size_t)tree->tips;
  if (tips > 200) return;
  double *one = calloc(tips * tips, 8), *two = calloc(tips * tips, 8);
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.threads = 1;
  const gpugeo_status status = gpugeo_tree_distances(tree, &run, one, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  run.threads = 2;
  demand(gpugeo_tree_distances(tree, &run, two, NULL, &error) == status);
  if (!status) demand(memcmp(one, two, tips * tips * sizeof *one) == 0);
  free(one);
  free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gpugeo_newick read, from_text;
  scratch_file_write(&file, data, size);
  const gpugeo_status status = read_tree(file.path, NULL, &read);
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  const gpugeo_status of_text = read_tree(NULL, text, &from_text);
  if (!status && !of_text && strlen(text) == size) demand_same(&read.tree, &from_text.tree);
  if (!of_text) gpugeo_newick_free(&from_text);
  free(text);
  if (status) return 0;
  check_tree(&read.tree);
  check_again(&read.tree);
  check_distances(&read.tree);
  gpugeo_newick_free(&read);
  return 0;
}
