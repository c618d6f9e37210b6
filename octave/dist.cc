/* Distance matrices. */
#include "family.h"
#include "metric.h"
#include "result.h"
#include "run.h"

namespace gpugeo_octave {

gpugeo_metric find_metric(const octave_value &name) {
  gpugeo_error error;
  gpugeo_metric metric = GPUGEO_METRIC_EUCLIDEAN;
  check(gpugeo_metric_find(text(name, "method").c_str(), &metric, &error), error);
  return metric;
}

std::string metric_name(const octave_value &metric) {
  return gpugeo_metric_name(find_metric(metric));
}

octave_value_list dist(const inputs &in) {
  gpugeo_error error;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  const gpugeo_matrix *x = in.x.view(), *y = in.y_view();

  metric_options metric(in.options);
  metric.give(&options);

  options.shape = y ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  read_run(in.options, in.single(), &options.run);
  call running(wants_progress(in.options, in.interactive), &options.run);

  int64_t size = 0;
  check(gpugeo_dist_size(x, y, &options, in.type(), &size, &error), error);
  result out(in.type(), y ? x->nrow : 1, y ? y->nrow : size);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dist(x, y, &options, in.type(), out.data(), &report, &error);
  running.finish(status, report, error, y ? "y" : nullptr);
  return ovl(out.value(), report_map(report));
}

} // namespace gpugeo_octave
