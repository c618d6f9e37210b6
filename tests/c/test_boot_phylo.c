/* The bootstrap of trees: trees of replicates against those of alignments that are written out,
   supports against sets of tips, on any number of threads; and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

enum { N = 70, SITES = 133, REPLICATES = 6, MOST_EDGES = 2 * N - 2 };

/* An alignment, a row for each sequence, and draws from it. */
typedef struct drawn {
  uint8_t codes[N * SITES];
  int32_t sites[REPLICATES * SITES], order[REPLICATES * N];
} drawn;

/* Makes sequences of two groups that differ at some of the sites, with a few gaps. */
static void make_alignment(drawn *x, dice *d) {
  static const uint8_t bases[] = {0x88, 0x28, 0x48, 0x18, 0xF0, 0x04};
  for (int k = 0; k < SITES; ++k) {
    const int64_t base = dice_whole(d, 3), other = dice_whole(d, 3) ? base : dice_whole(d, 3);
    for (int i = 0; i < N; ++i) {
      int64_t code = i % 3 ? base : other;
      if (dice_whole(d, 11) == 0) code = dice_whole(d, 3);
      if (k % 9 == 0 && dice_whole(d, 19) == 0) code = 4 + dice_whole(d, 1);
      x->codes[i * SITES + k] = bases[code];
    }
  }
}

/* Draws sites and orders. */
static void make_draws(drawn *x, dice *d) {
  for (int k = 0; k < REPLICATES * SITES; ++k)
    x->sites[k] = (int32_t)dice_whole(d, SITES - 1);
  for (int r = 0; r < REPLICATES; ++r) {
    int32_t *order = x->order + r * N;
    for (int i = 0; i < N; ++i) {
      const int64_t j = dice_whole(d, i);
      order[i] = order[j];
      order[j] = i;
    }
  }
}

/* Writes out the alignment of a replicate. */
static void write_out(const drawn *x, int replicate, bool ordered, uint8_t *codes) {
  for (int i = 0; i < N; ++i) {
    const int from = ordered ? x->order[replicate * N + i] : i;
    for (int k = 0; k < SITES; ++k)
      codes[i * SITES + k] = x->codes[from * SITES + x->sites[replicate * SITES + k]];
  }
}

/* --- Single steps ----------------------------------------------------------------------------- */

typedef struct tree {
  int32_t edge[2 * MOST_EDGES];
  double length[MOST_EDGES];
} tree;

static int64_t edges_of(gpugeo_tree_method method) {
  return method == GPUGEO_TREE_METHOD_UPGMA ? 2 * N - 2 : 2 * N - 3;
}

/* Makes the tree of distances. */
static gpugeo_status tree_of(const double *d, gpugeo_tree_method method, tree *made,
                             gpugeo_error *error) {
  const gpugeo_distances distances = {.condensed = d, .condensed_points = N};
  if (method != GPUGEO_TREE_METHOD_UPGMA) {
    gpugeo_nj_options options;
    gpugeo_nj_options_init(&options, sizeof options);
    options.bionj = method == GPUGEO_TREE_METHOD_BIONJ;
    return gpugeo_nj(&distances, &options, made->edge, made->length, NULL, error);
  }
  int32_t merge[3 * N];
  double height[N];
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.linkage = GPUGEO_LINKAGE_AVERAGE;
  gpugeo_status status =
      gpugeo_hclust(&distances, &options, merge, height, merge + 2 * N, NULL, error);
  return status ? status : gpugeo_hclust_tree(N, merge, height, made->edge, made->length, error);
}

/* Makes the tree of an alignment by single functions. */
static gpugeo_status tree_by_steps(const uint8_t *codes, const gpugeo_dist_dna_options *options,
                                   gpugeo_tree_method method, tree *made, gpugeo_error *error) {
  int64_t start[N + 1];
  double d[N * (N - 1) / 2];
  for (int i = 0; i <= N; ++i)
    start[i] = i * SITES;
  const gpugeo_sequences x = {.count = N, .codes = codes, .start = start};
  gpugeo_status status = gpugeo_dist_dna(&x, options, d, NULL, NULL, error);
  return status ? status : tree_of(d, method, made, error);
}

/* --- Sets of tips ----------------------------------------------------------------------------- */

/* For each inner node the tips below it; of bipartitions the side without tip 0. */
typedef struct sets {
  bool has[2 * N][N];
} sets;

static void find_sets(const int32_t *edge, int64_t edges, bool rooted, sets *s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < N; ++i)
    s->has[i][i] = true;
  for (int64_t e = edges - 1; e >= 0; --e)
    for (int i = 0; i < N; ++i)
      s->has[edge[e]][i] |= s->has[edge[e + edges]][i];
  for (int64_t k = N; !rooted && k <= edges; ++k)
    for (int i = N - 1; s->has[k][0] && i >= 0; --i)
      s->has[k][i] = !s->has[k][i];
}

/* Returns the number of tips. */
static int size_of(const bool *set) {
  int size = 0;
  for (int i = 0; i < N; ++i)
    size += set[i];
  return size;
}

/* True if a tree has a set of tips. */
static bool has_set(const sets *s, int64_t edges, const bool *set) {
  for (int64_t k = N; k <= edges; ++k)
    if (memcmp(s->has[k], set, N * sizeof *set) == 0) return true;
  return false;
}

/* Checks the supports of a tree by the sets of tips of all trees. */
static void check_support(const int32_t *edge, const int32_t *edges_of_all, const int32_t *support,
                          int64_t edges, bool rooted, const char *name) {
  static sets own, other[REPLICATES];
  find_sets(edge, edges, rooted, &own);
  for (int r = 0; r < REPLICATES; ++r)
    find_sets(edges_of_all + 2 * edges * r, edges, rooted, &other[r]);
  for (int64_t k = N; k <= edges; ++k) {
    const int size = size_of(own.has[k]);
    int wanted = rooted || (size > 1 && size < N - 1) ? 0 : -1;
    for (int r = 0; wanted >= 0 && r < REPLICATES; ++r)
      wanted += has_set(&other[r], edges, own.has[k]);
    CHECK(support[k - N] == wanted, "%s, node %lld: %d, not %d", name, (long long)k, support[k - N],
          wanted);
  }
}

/* --- The bootstrap ---------------------------------------------------------------------------- */

typedef struct result {
  tree first;
  int32_t support[N], edges[REPLICATES * 2 * MOST_EDGES];
  double lengths[REPLICATES * MOST_EDGES];
} result;

/* Calls the bootstrap with the default number of threads or one. */
static gpugeo_status boot(const drawn *x, const gpugeo_dist_dna_options *distances,
                          const gpugeo_boot_phylo_options *options, result *r,
                          gpugeo_error *error) {
  static uint8_t columns[N * SITES];
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < SITES; ++k)
      columns[i + k * N] = x->codes[i * SITES + k];
  const gpugeo_sequences given = {.count = N, .codes = columns, .sites = SITES, .step = N};
  const gpugeo_boot_phylo_result out = {r->first.edge, r->first.length, r->support, r->edges,
                                        r->lengths};
  memset(r, 0, sizeof *r);
  return gpugeo_boot_phylo(&given, distances, options, &out, NULL, error);
}

/* Checks the tree of a replicate, whose tips are those of x. */
static void check_replicate(const drawn *x, const gpugeo_dist_dna_options *distances,
                            const gpugeo_boot_phylo_options *options, const result *r, int number) {
  static uint8_t codes[N * SITES];
  static tree wanted;
  gpugeo_error error = {0};
  const int64_t edges = edges_of(options->tree);
  write_out(x, number, options->order != NULL, codes);
  const gpugeo_status status = tree_by_steps(codes, distances, options->tree, &wanted, &error);
  for (int64_t e = edges; options->order && e < 2 * edges; ++e)
    if (wanted.edge[e] < N) wanted.edge[e] = x->order[number * N + wanted.edge[e]];
  CHECK(!status && memcmp(wanted.edge, r->edges + 2 * edges * number, (size_t)edges * 8) == 0 &&
            memcmp(wanted.length, r->lengths + edges * number, (size_t)edges * 8) == 0,
        "%s, tree %d, replicate %d: %s", gpugeo_name(GPUGEO_ENUM_DNA_MODEL, distances->model),
        options->tree, number, error.message);
}

/* Checks all trees of a model. */
static void check_model(const drawn *x, gpugeo_dna_model model, bool pairwise,
                        const gpugeo_boot_phylo_options *options) {
  static result one, all;
  gpugeo_dist_dna_options distances;
  gpugeo_dist_dna_options_init(&distances, sizeof distances);
  distances.model = model;
  distances.pairwise_deletion = pairwise;
  gpugeo_error error = {0};
  gpugeo_boot_phylo_options single = *options;
  single.run.threads = 1;
  CHECK(!boot(x, &distances, options, &all, &error), "%s", error.message);
  CHECK(!boot(x, &distances, &single, &one, &error) && memcmp(&one, &all, sizeof one) == 0,
        "threads, model %d", model);
  for (int r = 0; r < REPLICATES; ++r)
    check_replicate(x, &distances, options, &all, r);
  const bool rooted =
      options->rooted < 0 ? options->tree == GPUGEO_TREE_METHOD_UPGMA : options->rooted;
  check_support(all.first.edge, all.edges, all.support, edges_of(options->tree), rooted,
                gpugeo_name(GPUGEO_ENUM_DNA_MODEL, (int32_t)model));
}

/* Fills options for the draws. */
static gpugeo_boot_phylo_options options_of(const drawn *x) {
  gpugeo_boot_phylo_options options;
  gpugeo_boot_phylo_options_init(&options, sizeof options);
  options.replicates = REPLICATES;
  options.sites = x->sites;
  options.sites_length = REPLICATES * SITES;
  options.order = x->order;
  options.order_length = REPLICATES * N;
  options.run.threads = 4;
  return options;
}

static void test_replicates(const drawn *x) {
  static const gpugeo_dna_model models[] = {
      GPUGEO_DNA_MODEL_RAW,   GPUGEO_DNA_MODEL_K80,    GPUGEO_DNA_MODEL_F81,
      GPUGEO_DNA_MODEL_GG95,  GPUGEO_DNA_MODEL_LOGDET, GPUGEO_DNA_MODEL_TN93,
      GPUGEO_DNA_MODEL_INDEL, GPUGEO_DNA_MODEL_N,      GPUGEO_DNA_MODEL_INDELBLOCK};
  for (int m = 0; m < (int)(sizeof models / sizeof *models); ++m)
    for (int tree = 0; tree < GPUGEO_TREE_METHOD_COUNT; ++tree) {
      gpugeo_boot_phylo_options options = options_of(x);
      options.tree = (gpugeo_tree_method)tree;
      options.rooted = m % 3 - 1;
      if (m % 2) options.order = NULL;
      check_model(x, models[m], m % 4 < 2, &options);
    }
}

/* Checks the message of a call that is refused. */
static void check_refused(const drawn *x, const gpugeo_dist_dna_options *distances,
                          const gpugeo_boot_phylo_options *options, const char *message) {
  static result r;
  gpugeo_error error = {0};
  CHECK(boot(x, distances, options, &r, &error) != GPUGEO_OK && strstr(error.message, message),
        "\"%s\", not \"%s\"", error.message, message);
}

static void test_refused(drawn *x) {
  gpugeo_dist_dna_options distances;
  gpugeo_dist_dna_options_init(&distances, sizeof distances);
  gpugeo_boot_phylo_options options = options_of(x);
  check_refused(x, NULL, &options, "distances must be filled by gpugeo_dist_dna_options_init()");
  check_refused(x, &distances, NULL,
                "options must be filled by gpugeo_boot_phylo_options_init(), not NULL");
  options.size = 7;
  check_refused(x, &distances, &options,
                "options must be filled by gpugeo_boot_phylo_options_init() of gpugeo");
  options = options_of(x);
  options.sites_length = 5;
  check_refused(x, &distances, &options, "sites must have 798 numbers, not 5");
  options = options_of(x);
  x->sites[3] = SITES;
  check_refused(x, &distances, &options, "sites must be between 0 and 132, but number 4 is 133");
  x->sites[3] = 0;
  const int32_t kept = x->order[1];
  x->order[1] = x->order[0];
  check_refused(x, &distances, &options, "order must have each sequence once");
  x->order[1] = kept;
  options.replicates = 0;
  check_refused(x, &distances, &options, "B must be between 1 and 2147483647, not 0");
  options = options_of(x);
  options.tree = GPUGEO_TREE_METHOD_COUNT;
  check_refused(x, &distances, &options, "tree must be between 0 and 2, not 3");
  options = options_of(x);
  options.rooted = 2;
  check_refused(x, &distances, &options, "rooted must be -1, 0 or 1, not 2");
  options = options_of(x);
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.work_bytes = 1 << 10;
  check_refused(x, &distances, &options, "memory_limit must be at least");
  options = options_of(x);
  distances.variance = true;
  check_refused(x, &distances, &options, "variance must be false for trees");
  distances.variance = false;
  distances.model = GPUGEO_DNA_MODEL_BH87;
  check_refused(x, &distances, &options, "model must be one whose distances are symmetric");
  distances.model = GPUGEO_DNA_MODEL_JC69;
  memset(x->codes, 0xF0, SITES);
  check_refused(x, &distances, &options,
                "x must have finite distances in all replicates, but in replicate 0 that of "
                "sequences 1 and 2 is not");
}

int main(void) {
  static drawn x;
  dice d = {39};
  make_alignment(&x, &d);
  make_draws(&x, &d);
  test_replicates(&x);
  test_refused(&x);
  return check_end();
}
