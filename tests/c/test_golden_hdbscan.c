/* Golden cases of clusters by density at all scales. */
#include <string.h>

#include "common/error.h"
#include "golden.h"
#include "hdbscan_room.h"

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  gpugeo_hdbscan_options *options = g->own;
  double number = 0;
  const bool epsilon = strcmp(name, "cluster_selection_epsilon") == 0;
  if (!epsilon && strcmp(name, "min_points") != 0) return golden_unknown(g, name);
  const gpugeo_status status = golden_number(g, name, "a number", value, &number);
  if (epsilon)
    options->selection_epsilon = number;
  else
    options->min_points = (int64_t)number;
  return status;
}

/* A row for each point, and next to it one for each merge but the last, of which there is none. */
static void write_rows(const gpugeo_hdbscan_result *found, int64_t n, double *values) {
  for (int64_t i = 0; i < n; ++i) {
    values[i] = found->cluster[i];
    values[n + i] = found->membership[i];
    values[2 * n + i] = found->outlier_score[i];
    values[3 * n + i] = found->core_distance[i];
    const bool merges = i < n - 1;
    values[4 * n + i] = merges ? found->merge[i] + 1.0 : 0;
    values[5 * n + i] = merges ? found->merge[i + n - 1] + 1.0 : 0;
    values[6 * n + i] = merges ? found->height[i] : 0;
  }
}

static gpugeo_status find_clusters(golden *g, const gpugeo_hdbscan_options *options,
                                   golden_result *result) {
  const gpugeo_distances x = {.x = &g->x};
  int64_t n = 0;
  gpugeo_status status = gpugeo_distances_points(&x, options->points, &n, &g->error);
  if (status) return status;
  hdbscan_room room;
  result->rows = n;
  result->columns = 7;
  result->values = malloc((size_t)n * 7 * sizeof(double));
  hdbscan_room_make(n, hdbscan_nodes(n, options->min_points), &room);
  status = gpugeo_hdbscan(&x, options, &room.result, &result->report, &g->error);
  if (!status) write_rows(&room.result, n, result->values);
  hdbscan_room_free(&room);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  g->own = &options;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  options.run = g->run;
  if (!status) status = find_clusters(g, &options, result);
  g->own = NULL;
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"hdbscan"}, .least = 40, .compute = compute};
  return golden_main(argc, argv, &family);
}
