/* Plans of distances and the memory of neighbours: what the core and the backends both call. */
#include "distance/plan.h"

#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/sphere.h"

GG_OPTIONS_INIT(dist, .metric = GG_DEFAULT_METRIC, .missing = NAN)

static const gg_option metric_rows[] = {
    {GG_OPTION("method", CHOICE, gpugeo_metric_options, kind), .is_argument = true,
     .choices = GPUGEO_ENUM_METRIC},
    {GG_OPTION("p", NUMBER, gpugeo_metric_options, p), .allowed = GG_EXPONENT},
    {GG_OPTION_ARRAY("scale", DOUBLES, gpugeo_metric_options, scale, scale_length)},
    {GG_OPTION("cov", MATRIX, gpugeo_metric_options, cov)},
    {GG_OPTION("singular", CHOICE, gpugeo_metric_options, singular), .may_be_null = true,
     .choices = GPUGEO_ENUM_SINGULAR},
    {GG_OPTION_ARRAY("types", DOUBLES, gpugeo_metric_options, types, types_length)},
    {GG_OPTION_ARRAY("column_weights", DOUBLES, gpugeo_metric_options, column_weights,
                     weights_length)},
    {GG_OPTION("sphere_radius", NUMBER, gpugeo_metric_options, sphere_radius), .may_be_null = true,
     .allowed = GG_POSITIVE},
};

/* Fills in the default metric. */
static void fill_metric(void *defaults) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  memcpy(defaults, &options.metric, sizeof options.metric);
}

const gg_option_table gg_metric_options =
    GG_OPTION_TABLE(metric_rows, gpugeo_metric_options, fill_metric);

gg_dist_plan gg_dist_plan_make(const gpugeo_matrix *x, const gpugeo_matrix *y,
                               const gpugeo_dist_options *options, int finish) {
  gg_dist_plan plan = {
      .x = *x,
      .y = y ? *y : *x,
      .points = options->points,
      .nx = gg_point_count(x, options->points),
      .ny = gg_point_count(y ? y : x, options->points),
      .m = gg_point_size(x, options->points),
      .symmetric = !y,
      .finish = finish,
      .single = options->run.precision == GPUGEO_PRECISION_SINGLE,
      .p = options->metric.p,
      .shape = options->shape,
      .missing = options->missing,
      .work_bytes = options->run.work_bytes,
  };
  plan.threads = gg_threads_for(options->run.threads, gg_dist_work(&plan));
  return plan;
}

gg_dist_plan gg_dist_plan_read(int64_t n, int32_t threads, gg_tile_reader reader) {
  return (gg_dist_plan){.nx = n,
                        .ny = n,
                        .m = 1,
                        .symmetric = true,
                        .step = GG_STEP_euclidean,
                        .missing = NAN,
                        .threads = threads,
                        .reader = reader};
}

bool gg_dist_is_sparse(const gg_dist_plan *plan) { return plan->x.sparse || plan->y.sparse; }

bool gg_dist_skips_zeros(const gg_dist_plan *plan) {
#define MARKED(name, sums, join) [GG_STEP_##name] = true,
  static const bool marked[GG_STEP_COUNT] = {GG_STEPS_MARKED_ANY(MARKED)
                                                 GG_STEPS_MARKED_DOUBLE(MARKED)};
#undef MARKED
  const bool sparse = plan->prepare == GG_PREPARE_NOTHING || plan->prepare == GG_PREPARE_BINARY ||
                      plan->prepare == GG_PREPARE_UNIT;
  return sparse && gg_dist_is_sparse(plan) && !plan->ranked && plan->finite && marked[plan->step];
}

double gg_dist_work(const gg_dist_plan *plan) {
  const double pairs = (double)plan->nx * (double)plan->ny * (plan->symmetric ? 0.5 : 1);
  return pairs * (double)plan->m;
}

void gpugeo_neighbors_free(gpugeo_neighbors *neighbors) {
  gg_free(neighbors->start);
  gg_free(neighbors->index);
  gg_free(neighbors->distance);
  *neighbors = (gpugeo_neighbors){0};
}

gpugeo_status gg_radius_allocate(gpugeo_neighbors *found, gpugeo_error *error) {
  double count = 0; /* of neighbours, which may be more than 2^63 */
  for (int64_t i = 1; i <= found->points; ++i)
    count += (double)found->start[i];
  gpugeo_status status = gg_check_result(2 * count, GPUGEO_TYPE_DOUBLE, 0, error);
  if (status) return status;
  for (int64_t i = 0; i < found->points; ++i)
    found->start[i + 1] += found->start[i];
  const int64_t total = found->start[found->points];
  found->index = gg_allocate_large(total, sizeof *found->index);
  found->distance = gg_allocate_large(total, sizeof *found->distance);
  return found->index && found->distance ? GPUGEO_OK : gg_fail_memory(error, 12 * total);
}
