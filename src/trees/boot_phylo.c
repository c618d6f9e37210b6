/*
 * The bootstrap of Felsenstein (1985, Evolution 39, 783): trees of alignments whose sites are drawn
 * with replacement, and how many of them have each clade of the tree of all sites. Replicates are
 * computed one after the other, each by all threads, so that memory does not grow with their
 * number.
 */
#include <math.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "sequences/dna_resample.h"
#include "trees/split_counts.h"

GG_OPTIONS_INIT(boot_phylo, .tree = GPUGEO_TREE_METHOD_NJ, .rooted = -1)

static const gg_option option_rows[] = {
    {GG_OPTION("tree", CHOICE, gpugeo_boot_phylo_options, tree),
     .choices = GPUGEO_ENUM_TREE_METHOD},
    {GG_OPTION("rooted", FLAG_OR_AUTO, gpugeo_boot_phylo_options, rooted)},
    {GG_OPTION("B", WHOLE, gpugeo_boot_phylo_options, replicates), .octave = "b", .least = 1,
     .most = INT32_MAX},
    {GG_OPTION_ARRAY("sites", INT32S, gpugeo_boot_phylo_options, sites, sites_length)},
    {GG_OPTION_ARRAY("order", INT32S, gpugeo_boot_phylo_options, order, order_length)},
};

GG_DEFINE_OPTIONS(boot_phylo, option_rows);

/* All that a call holds. */
typedef struct boot {
  const gpugeo_boot_phylo_options *options;
  gg_dna_job job;
  gg_dna_resample resample;
  gg_split_counts splits;
  int64_t n, edges;
  double *d;
  int32_t *edge, *merge, *place; /* of a replicate */
  double *length, *height;
} boot;

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks that `length` numbers are `rows` for each replicate, from 0 to below `most`. */
static gpugeo_status check_numbers(const char *name, const int32_t *numbers, int64_t length,
                                   int64_t wanted, int64_t most, gg_call *call) {
  if (call->status) return call->status;
  if (length != wanted)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name,
                                "%s must have %lld numbers, not %lld", name, (long long)wanted,
                                (long long)length));
  for (int64_t k = 0; k < length; ++k)
    if (numbers[k] < 0 || numbers[k] >= most)
      return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name,
                                  "%s must be between 0 and %lld, but number %lld is %d", name,
                                  (long long)most - 1, (long long)k + 1, (int)numbers[k]));
  return GPUGEO_OK;
}

/* Checks the options that are those of distances. */
static gpugeo_status check_distances(const gpugeo_dist_dna_options *distances, gg_call *call) {
  if (distances->model == GPUGEO_DNA_MODEL_BH87)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "model",
                                "model must be one whose distances are symmetric, not \"BH87\""));
  if (distances->variance)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "variance",
                                "variance must be false for trees"));
  return call->status;
}

/* Checks the options of trees. */
static gpugeo_status check_options(const gpugeo_boot_phylo_options *options, gg_call *call) {
  if (call->status) return call->status;
  if (options->tree < 0 || options->tree >= GPUGEO_TREE_METHOD_COUNT)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                                "tree must be between 0 and %d, not %d",
                                GPUGEO_TREE_METHOD_COUNT - 1, (int)options->tree));
  if (options->rooted < -1 || options->rooted > 1)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "rooted",
                                "rooted must be -1, 0 or 1, not %d", (int)options->rooted));
  if (options->replicates < 1 || options->replicates > INT32_MAX)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "B",
                                "B must be between 1 and 2147483647, not %lld",
                                (long long)options->replicates));
  return GPUGEO_OK;
}

/* Checks the numbers of sequences and sites, and what was drawn. */
static gpugeo_status check_draws(const boot *b, gg_call *call) {
  const gpugeo_boot_phylo_options *options = b->options;
  const int64_t least = options->tree == GPUGEO_TREE_METHOD_UPGMA ? 2 : 3, sites = b->job.x.sites;
  if (call->status) return call->status;
  if (b->n < least || sites < 1 || sites > INT32_MAX)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                                "x must have at least %lld sequences of 1 to 2147483647 sites, not "
                                "%lld of %lld",
                                (long long)least, (long long)b->n, (long long)sites));
  check_numbers("sites", options->sites, options->sites_length, options->replicates * sites, sites,
                call);
  return options->order ? check_numbers("order", options->order, options->order_length,
                                        options->replicates * b->n, b->n, call)
                        : call->status;
}

/* Checks the working memory, and that of the host. */
static gpugeo_status check_room(const boot *b, gg_call *call) {
  const double n = (double)b->n;
  const double bytes = gg_dna_resample_bytes(b->n, b->job.x.sites) + 4 * n * n + 200 * n;
  GG_TRY(call,
         gg_check_work(call->run, bytes, call->error, "trees of %lld sequences", (long long)b->n));
  return GG_TRY(call, gg_check_memory(bytes, "x", call->error, "trees of %lld sequences need",
                                      (long long)b->n));
}

/* --- Trees ------------------------------------------------------------------------------------ */

/* Fails if a distance is not finite; order: of the replicate, or NULL. */
static gpugeo_status check_finite(const boot *b, int64_t replicate, const int32_t *order,
                                  gg_call *call) {
  if (call->status) return call->status;
  for (int64_t j = 0, k = 0; j < b->n; ++j)
    for (int64_t i = j + 1; i < b->n; ++i, ++k)
      if (!isfinite(b->d[k]))
        return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_DATA, "x",
                                    "x must have finite distances in all replicates, but in "
                                    "replicate %lld that of sequences %lld and %lld is not; "
                                    "replicate 0 has all sites",
                                    (long long)replicate, (long long)(order ? order[j] : j) + 1,
                                    (long long)(order ? order[i] : i) + 1));
  return GPUGEO_OK;
}

/* Makes the tree of the distances by average linkage. */
static gpugeo_status make_upgma(const boot *b, const gpugeo_distances *d, const gpugeo_run *run,
                                int32_t *edge, double *length, gpugeo_error *error) {
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.linkage = GPUGEO_LINKAGE_AVERAGE;
  options.run = *run;
  gpugeo_status status =
      gpugeo_hclust(d, &options, b->merge, b->height, b->merge + 2 * b->n, NULL, error);
  return status ? status : gpugeo_hclust_tree(b->n, b->merge, b->height, edge, length, error);
}

/* Makes the tree of the distances. */
static gpugeo_status make_tree(const boot *b, int32_t *edge, double *length, gg_call *call) {
  const gpugeo_distances d = {.condensed = b->d, .condensed_points = b->n};
  gpugeo_run run = *call->run;
  run.backend = GPUGEO_BACKEND_CPU;
  run.progress = NULL;
  if (call->status) return call->status;
  if (b->options->tree == GPUGEO_TREE_METHOD_UPGMA)
    return GG_TRY(call, make_upgma(b, &d, &run, edge, length, call->error));
  gpugeo_nj_options options;
  gpugeo_nj_options_init(&options, sizeof options);
  options.bionj = b->options->tree == GPUGEO_TREE_METHOD_BIONJ;
  options.run = run;
  return GG_TRY(call, gpugeo_nj(&d, &options, edge, length, NULL, call->error));
}

/* Makes the tree of all sites, and lists its splits. */
static gpugeo_status make_first(boot *b, const gpugeo_boot_phylo_result *result, gg_call *call) {
  b->job.out = b->d;
  gg_dna_job_compute(&b->job, call);
  check_finite(b, 0, NULL, call);
  if (make_tree(b, result->edge, result->length, call)) return call->status;
  const int32_t rooted = b->options->rooted;
  const bool clades = rooted < 0 ? b->options->tree == GPUGEO_TREE_METHOD_UPGMA : rooted;
  return gg_split_counts_make(&b->splits, b->n, b->edges, clades, result->edge, call);
}

/* Inverts an order of the sequences. Fails if it is no permutation. */
static gpugeo_status find_places(const boot *b, const int32_t *order, gg_call *call) {
  for (int64_t i = 0; i < b->n; ++i)
    b->place[i] = -1;
  for (int64_t i = 0; i < b->n; ++i) {
    if (b->place[order[i]] >= 0)
      return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "order",
                                  "order must have each sequence once, but %d is there twice",
                                  (int)order[i]));
    b->place[order[i]] = (int32_t)i;
  }
  return GPUGEO_OK;
}

/* Makes the tree of a replicate, whose tips become those of x, and counts its splits. */
static gpugeo_status make_replicate(boot *b, int64_t replicate,
                                    const gpugeo_boot_phylo_result *result, gg_call *call) {
  const gpugeo_boot_phylo_options *options = b->options;
  const int32_t *order = options->order ? options->order + replicate * b->n : NULL;
  int32_t *edge = result->edges ? result->edges + 2 * replicate * b->edges : b->edge;
  double *length = result->lengths ? result->lengths + replicate * b->edges : b->length;
  if (order && find_places(b, order, call)) return call->status;
  gg_dna_resample_distances(&b->resample, options->sites + replicate * b->job.x.sites,
                            order ? b->place : NULL, b->d, call);
  check_finite(b, replicate + 1, order, call);
  if (make_tree(b, edge, length, call)) return call->status;
  for (int64_t e = b->edges; order && e < 2 * b->edges; ++e)
    if (edge[e] < b->n) edge[e] = order[edge[e]];
  gg_split_counts_add(&b->splits, b->edges, edge);
  return GPUGEO_OK;
}

/* Allocates what the trees need. */
static gpugeo_status make_room(boot *b, gg_call *call) {
  if (call->status) return call->status;
  b->edges = 2 * b->n - (b->options->tree == GPUGEO_TREE_METHOD_UPGMA ? 2 : 3);
  b->d = gg_call_allocate(call, b->n * (b->n - 1) / 2, sizeof *b->d);
  b->edge = gg_call_allocate(call, 2 * b->edges, sizeof *b->edge);
  b->length = gg_call_allocate(call, b->edges, sizeof *b->length);
  b->merge = gg_call_allocate(call, 3 * b->n, sizeof *b->merge);
  b->height = gg_call_allocate(call, b->n, sizeof *b->height);
  b->place = gg_call_allocate(call, b->n, sizeof *b->place);
  return gg_dna_resample_make(&b->resample, &b->job, call);
}

/* Frees all that a call holds. */
static void free_boot(boot *b) {
  gg_dna_resample_free(&b->resample);
  gg_split_counts_free(&b->splits);
  gg_dna_job_close(&b->job);
  gg_free(b->d);
  gg_free(b->edge);
  gg_free(b->length);
  gg_free(b->merge);
  gg_free(b->height);
  gg_free(b->place);
}

/* Makes all trees. Each is a part of the progress. */
static void make_trees(boot *b, const gpugeo_boot_phylo_result *result, gg_call *call) {
  const int64_t replicates = b->options->replicates;
  const double share = 1 / (double)(replicates + 1);
  for (int64_t r = -1; r < replicates && !gg_call_poll(call, share * (double)(r + 1)); ++r) {
    gg_call_part part;
    gg_call_part_begin(call, share * (double)(r + 1), share, &part);
    if (r < 0)
      make_first(b, result, &part.call);
    else
      make_replicate(b, r, result, &part.call);
    gg_call_part_end(&part);
  }
  if (!call->status) gg_split_counts_write(&b->splits, result->support);
}

gpugeo_status gpugeo_boot_phylo(const gpugeo_sequences *x, const gpugeo_dist_dna_options *distances,
                                const gpugeo_boot_phylo_options *options,
                                const gpugeo_boot_phylo_result *result, gpugeo_report *report,
                                gpugeo_error *error) {
  gpugeo_dist_dna_options distances_taken;
  gpugeo_boot_phylo_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_dna_options, distances, distances_taken, error);
  if (!status) status = GG_OPTIONS_TAKE(boot_phylo_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  boot b = {.options = options, .job = {.options = distances}};
  check_distances(distances, &call);
  check_options(options, &call);
  GG_TRY(&call, gg_check_family(&options->run, GG_FAMILY_SEQUENCES, error));
  if (!call.status) gg_dna_job_open(&b.job, x, &call);
  b.n = b.job.x.count;
  check_draws(&b, &call);
  if (!call.status) check_room(&b, &call);
  make_room(&b, &call);
  if (!call.status) make_trees(&b, result, &call);
  free_boot(&b);
  return gg_call_end(&call);
}
