/* Distance matrices. */
#include "family.h"
#include "result.h"
#include "run.h"

namespace gpugeo_octave {

static gpugeo_metric find_metric(const octave_value &name) {
  gpugeo_error error;
  gpugeo_metric metric = GPUGEO_EUCLIDEAN;
  check(gpugeo_metric_find(text(name, "method").c_str(), &metric, &error), error);
  return metric;
}

std::string metric_name(const octave_value &metric) {
  return gpugeo_metric_name(find_metric(metric));
}

octave_value_list dist(const inputs &in) {
  gpugeo_error error;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options);
  const gpugeo_matrix *x = in.x.view(), *y = in.y_view();

  options.metric = find_metric(in.options.getfield("method"));
  octave_value p = option(in.options, "p");
  if (p.is_defined()) options.p = number(p);

  doubles scale(option(in.options, "scale"), "scale");
  options.scale = scale.data();
  options.scale_length = scale.length();
  octave_value cov_value = option(in.options, "cov");
  doubles cov(cov_value, "cov");
  if (cov_value.is_defined())
    options.cov = {cov.data(), GPUGEO_DOUBLE, cov_value.rows(), cov_value.columns(),
                   cov_value.rows()};

  options.shape = y ? GPUGEO_FULL : GPUGEO_CONDENSED;
  read_run(in.options, in.single(), &options.run);
  call running(wants_progress(in.options, in.interactive), &options.run);

  int64_t size = 0;
  check(gpugeo_dist_size(x, y, &options, in.type(), &size, &error), error);
  result out(in.type(), y ? x->nrow : 1, y ? y->nrow : size);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dist(x, y, &options, in.type(), out.data(), &report, &error);
  running.finish(status, report, error);
  return ovl(out.value(), report_map(report));
}

} // namespace gpugeo_octave
