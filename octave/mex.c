/* The one compiled function of the Octave package, so a process holds the core, and with it a
   context on the device, once. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "host.h"
#include "value.h"

typedef struct command {
  const char *name;
  void (*handler)(gg_mex_call *call);
  bool takes_options;            /* as its first argument */
  int least_inputs, most_inputs; /* after them */
} command;

static const command commands[] = {
    {"dist", gg_mex_dist, true, 1, 2},
    {"cor", gg_mex_cor, true, 1, 2},
    {"connectivity", gg_mex_connectivity, true, 2, 2},
    {"network", gg_mex_network, true, 1, 2},
    {"overlap", gg_mex_overlap, true, 1, 1},
    {"proportionality", gg_mex_proportionality, true, 1, 1},
    {"sparcc", gg_mex_sparcc, true, 1, 1},
    {"eigengenes", gg_mex_eigengenes, true, 2, 2},
    {"knn", gg_mex_knn, true, 1, 2},
    {"radius", gg_mex_radius, true, 1, 2},
    {"neighbor_edges", gg_mex_neighbor_edges, true, 2, 2},
    {"hclust", gg_mex_hclust, true, 1, 1},
    {"cophenetic", gg_mex_cophenetic, true, 1, 1},
    {"lay_out", gg_mex_lay_out, true, 1, 1},
    {"leaf_order", gg_mex_leaf_order, true, 2, 2},
    {"mst", gg_mex_mst, true, 1, 1},
    {"dbscan", gg_mex_dbscan, true, 1, 1},
    {"hdbscan", gg_mex_hdbscan, true, 1, 1},
    {"optics", gg_mex_optics, true, 1, 1},
    {"lof", gg_mex_lof, true, 1, 1},
    {"silhouette", gg_mex_silhouette, true, 1, 1},
    {"pam", gg_mex_pam, true, 1, 1},
    {"kmeans", gg_mex_kmeans, true, 1, 1},
    {"validity", gg_mex_validity, true, 1, 1},
    {"agreement", gg_mex_agreement, true, 0, 0},
    {"permanova", gg_mex_permanova, true, 1, 1},
    {"anosim", gg_mex_anosim, true, 1, 1},
    {"mrpp", gg_mex_mrpp, true, 1, 1},
    {"mantel", gg_mex_mantel, true, 2, 3},
    {"pcoa", gg_mex_pcoa, true, 1, 1},
    {"mds", gg_mex_mds, true, 1, 1},
    {"closest", gg_mex_closest, true, 1, 2},
    {"collide", gg_mex_collide, true, 1, 2},
    {"launch", gg_mex_launch, true, 1, 2},
    {"fetch", gg_mex_fetch, true, 1, 3},
    {"done", gg_mex_done, false, 1, 1},
    {"release", gg_mex_release, false, 1, 1},
    {"dgp", gg_mex_dgp, true, 1, 1},
    {"dgp_sums", gg_mex_dgp_sums, true, 1, 1},
    {"dgp_graph", gg_mex_dgp_graph, true, 1, 1},
    {"dgp_instance", gg_mex_dgp_instance, false, 2, 2},
    {"fasta", gg_mex_fasta, true, 1, 1},
    {"dist_dna", gg_mex_dist_dna, true, 1, 1},
    {"dist_aa", gg_mex_dist_aa, true, 1, 1},
    {"dist_edit", gg_mex_dist_edit, true, 1, 2},
    {"edit_neighbors", gg_mex_edit_neighbors, true, 1, 2},
    {"boot_phylo", gg_mex_boot_phylo, true, 1, 1},
    {"dist_alleles", gg_mex_dist_alleles, true, 1, 1},
    {"decostand", gg_mex_decostand, true, 1, 1},
    {"diversity", gg_mex_diversity, true, 1, 1},
    {"expected_species", gg_mex_expected_species, true, 2, 2},
    {"betadiver", gg_mex_betadiver, true, 2, 2},
    {"layout", gg_mex_layout, true, 1, 1},
    {"layout_quality", gg_mex_layout_quality, true, 2, 2},
    {"layout_raster", gg_mex_layout_raster, true, 2, 2},
    {"graph_distances", gg_mex_graph_distances, true, 1, 1},
    {"edges", gg_mex_edges, true, 2, 2},
    {"adjacency", gg_mex_adjacency, false, 1, 1},
    {"graph_write", gg_mex_graph_write, true, 4, 4},
    {"nj", gg_mex_nj, true, 1, 1},
    {"linkage_tree", gg_mex_linkage_tree, true, 1, 1},
    {"newick_read", gg_mex_newick_read, true, 2, 2},
    {"newick_write", gg_mex_newick_write, true, 2, 2},
    {"tree_distances", gg_mex_tree_distances, true, 1, 1},
    {"biom_read", gg_mex_biom_read, true, 1, 1},
    {"unifrac", gg_mex_unifrac, true, 3, 3},
    {"faith", gg_mex_faith, true, 3, 3},
    {"point_source_size", gg_mex_point_source_size, false, 1, 1},
    {"tiles_plan", gg_mex_tiles_plan, true, 1, 1},
    {"dist_metric_params", gg_mex_dist_metric_params, true, 2, 2},
    {"dist_tile", gg_mex_dist_tile, true, 5, 5},
    {"dist_file", gg_mex_dist_file, true, 1, 1},
    {"dist_file_info", gg_mex_dist_file_info, false, 2, 2},
    {"dist_file_read", gg_mex_dist_file_read, false, 4, 4},
    {"dist_device", gg_mex_dist_device, true, 1, 1},
    {"dist_device_read", gg_mex_dist_device_read, false, 3, 3},
    {"dist_device_copy", gg_mex_dist_device_copy, false, 1, 1},
    {"dist_device_free", gg_mex_dist_device_free, false, 1, 1},
    {"metric", gg_mex_metric_name, true, 1, 1},
    {"square", gg_mex_square, false, 3, 3},
    {"looks_like_distances", gg_mex_looks_like_distances, false, 1, 1},
    {"options", gg_mex_options, false, 1, 1},
    {"check_number", gg_mex_check_number, false, 2, 2},
    {"check_whole", gg_mex_check_whole, false, 3, 3},
    {"check", gg_mex_check_settings, true, 0, 0},
    {"show", gg_mex_show, false, 1, 1},
    {"message", gg_mex_message, false, 1, 1},
    {"names", gg_mex_names, false, 2, 2},
    {"choose", gg_mex_choose, false, 3, 3},
    {"check_flag", gg_mex_check_flag, false, 2, 2},
    {"unknown_setting", gg_mex_unknown_setting, false, 0, 0},
    {"release_memory", gg_mex_release_memory, false, 0, 0},
    {"invalid_variables", gg_mex_invalid_variables, false, 0, 0},
    {"info", gg_mex_info, false, 0, 0},
    {"name_cuda_library", gg_mex_name_cuda_library, false, 1, 1},
    {"cuda_install", gg_mex_cuda_install, true, 2, 2},
    {"cuda_download_failed", gg_mex_cuda_download_failed, false, 2, 2},
};

/* Returns the command that the arguments name, NULL when there is none or they do not fit it. */
static const command *find_command(int count, const mxArray *arguments[]) {
  char name[32];
  if (count == 0 || mxGetString(arguments[0], name, sizeof name)) return NULL;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
    const command *c = &commands[i];
    const int inputs = count - 1 - c->takes_options;
    if (strcmp(c->name, name)) continue;
    if (inputs < c->least_inputs || inputs > c->most_inputs) return NULL;
    return c->takes_options && !gg_mex_is_structure(arguments[1]) ? NULL : c;
  }
  return NULL;
}

static const char *error_identifier(gpugeo_status status) {
  switch (status) {
  case GPUGEO_ERROR_ARGUMENT:
    return "gpugeo:argument";
  case GPUGEO_ERROR_DATA:
    return "gpugeo:data";
  case GPUGEO_ERROR_MEMORY:
    return "gpugeo:memory";
  case GPUGEO_ERROR_BACKEND:
    return "gpugeo:backend";
  case GPUGEO_ERROR_INTERRUPT:
    return "gpugeo:interrupt";
  case GPUGEO_ERROR_FILE:
    return "gpugeo:file";
  default:
    return "gpugeo:device";
  }
}

/* Raises an error and does not return. mexErrMsgIdAndTxt() would put the name __gpugeo__ before the
   message. */
static void raise_error(const char *identifier, const char *message) {
  mxArray *arguments[] = {mxCreateString(identifier), mxCreateString("%s"),
                          mxCreateString(message)};
  mexCallMATLAB(0, NULL, 3, arguments, "error");
}

/* Replaces `old` after the first `before` bytes of a message. */
static void replace_word(gpugeo_error *error, size_t before, const char *old, const char *new) {
  char *at = error->message + before;
  const size_t room = sizeof error->message - 1 - before, length = strlen(new);
  if (length > room) return;
  size_t rest = strlen(at + strlen(old));
  if (rest > room - length) rest = room - length;
  memmove(at + length, at + strlen(old), rest);
  memcpy(at, new, length);
  at[length + rest] = 0;
}

/* Replaces the core's names of arguments, at the beginning of the message and after "must be given
   with", by those in the called function: the fields of the structure `names` among the options. */
static void name_arguments(const gg_mex_call *call, gpugeo_error *error) {
  const mxArray *names = call->options ? gg_mex_field(call->options, "names") : NULL;
  for (int i = 0; gg_mex_is_structure(names) && i < mxGetNumberOfFields(names); ++i) {
    const char *old = mxGetFieldNameByNumber(names, i);
    const char *with = strstr(error->message, "must be given with ");
    const size_t length = strlen(old), after = strlen("must be given with ");
    char new[32];
    if (mxGetString(mxGetFieldByNumber(names, 0, i), new, sizeof new)) continue;
    if (with && strncmp(with + after, old, length) == 0)
      replace_word(error, (size_t)(with - error->message) + after, old, new);
    if (strcmp(error->argument, old) == 0 && strncmp(error->message, old, length) == 0)
      replace_word(error, 0, old, new);
  }
}

/* Replaces R's names of metrics by those of pdist in a list of all metrics. */
static void name_metrics(gpugeo_error *error) {
  static const char *const names[][2] = {{"\"manhattan\"", "\"cityblock\""},
                                         {"\"maximum\"", "\"chebychev\""},
                                         {"\"pearson\"", "\"correlation\""}};
  const char *list = strstr(error->message, "must be one of \"euclidean\", \"sqeuclidean\"");
  for (size_t i = 0; list && i < sizeof names / sizeof *names; ++i) {
    const char *found = strstr(list, names[i][0]);
    if (found) replace_word(error, (size_t)(found - error->message), names[i][0], names[i][1]);
  }
}

static void handle_call(void *data) {
  gg_mex_call *call = data;
  call->handler(call);
}

/* Keeps this library loaded until Octave ends, because the device's driver needs the code that
   called it. The system then frees the memory that the core keeps on the device. */
static void stay_loaded(void) {
  static bool locked = false;
  if (locked) return;
  locked = true;
  mexLock();
  mexAtExit(gg_mex_release_futures);
}

void mexFunction(int result_count, mxArray *results[], int count, const mxArray *arguments[]) {
  stay_loaded();
  const command *command = find_command(count, arguments);
  if (!command) {
    raise_error("Octave:invalid-fun-call", "Invalid call to __gpugeo__");
    return;
  }
  const int first = 1 + command->takes_options;
  gg_mex_call call = {.options = command->takes_options ? arguments[1] : NULL,
                      .inputs = arguments + first,
                      .input_count = count - first,
                      .handler = command->handler};
  const bool left = gg_host_trap(handle_call, &call);
  gg_mex_release_all(&call);
  if (left || call.status) gg_host_rethrow();
  if (call.status) name_arguments(&call, &call.error);
  if (call.status) name_metrics(&call.error);
  if (call.status) raise_error(error_identifier(call.status), call.error.message);
  for (int i = 0; i < GG_MEX_RESULTS && (i == 0 || i < result_count); ++i)
    if (call.results[i]) results[i] = call.results[i];
}
