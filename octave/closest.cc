/* Closest pairs. */
#include <vector>

#include "family.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

octave_value_list closest(const inputs &in) {
  gpugeo_error error;
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options);
  const gpugeo_matrix *x = in.x.view(), *y = in.y_view();

  octave_value distinct = option(in.options, "distinct");
  octave_value metric = option(in.options, "metric"), method = option(in.options, "method");
  read_any_whole(in.options, "k", &options.k);
  if (distinct.is_defined()) options.distinct = flag(distinct, "distinct");
  if (metric.is_defined())
    check(gpugeo_closest_metric_find(text(metric, "metric").c_str(), &options.metric, &error),
          error);
  if (method.is_defined())
    check(gpugeo_closest_method_find(text(method, "method").c_str(), &options.method, &error),
          error);
  read_number(in.options, "radius", GG_POSITIVE, &options.radius);
  doubles box(option(in.options, "box"), "box");
  options.box = box.data();
  options.box_length = box.length();
  read_run(in.options, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  call running(wants_progress(in.options, in.interactive), &options.run);

  int64_t size = 0, found = 0, ties = 0;
  check(gpugeo_closest_size(x, y, &options, &size, &error), error);
  std::vector<gpugeo_pair> pairs(size);
  gpugeo_report report = {};
  gpugeo_status status =
      gpugeo_closest_pair(x, y, &options, pairs.data(), &found, &ties, &report, &error);
  running.finish(status, report, error);

  ColumnVector distance(found), i(found), j(found);
  for (int64_t pair = 0; pair < found; ++pair) {
    distance(pair) = pairs[pair].distance;
    i(pair) = static_cast<double>(pairs[pair].i + 1);
    j(pair) = static_cast<double>(pairs[pair].j + 1);
  }
  return ovl(distance, i, j, static_cast<double>(ties), report_map(report));
}

} // namespace gpugeo_octave
