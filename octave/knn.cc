/* Nearest neighbours, and neighbours within a radius. */
#include <vector>

#include "family.h"
#include "metric.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

/* Results are doubles, whatever the class of x: there is no precision to choose. */
static gpugeo_knn_options common_options(const inputs &in, const metric_options &metric) {
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options);
  metric.give(&options);
  read_run(in.options, false, &options.run);
  return options;
}

octave_value_list knn(const inputs &in) {
  gpugeo_error error;
  metric_options metric(in.options);
  gpugeo_knn_options options = common_options(in, metric);
  read_any_whole(in.options, "k", &options.k);
  call running(wants_progress(in.options, in.interactive), &options.run);

  int64_t size = 0;
  const gpugeo_matrix *x = in.x.view(), *query = in.y_view();
  check(gpugeo_knn_size(x, query, &options, &size, &error), error);
  std::vector<int32_t> index(size);
  result distance(GPUGEO_DOUBLE, size / options.k, options.k);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_knn(x, query, &options, index.data(),
                                    static_cast<double *>(distance.data()), &report, &error);
  running.finish(status, report, error, query ? "query" : nullptr);

  Matrix number(size / options.k, options.k);
  double *to = number.fortran_vec();
  for (int64_t e = 0; e < size; ++e)
    to[e] = index[e] + 1.0;
  return ovl(number, distance.value(), report_map(report));
}

/* What the core has found, until it is copied. */
struct found_neighbors : gpugeo_neighbors {
  found_neighbors() : gpugeo_neighbors() {}
  ~found_neighbors() { gpugeo_neighbors_free(this); }
  found_neighbors(const found_neighbors &) = delete;
  found_neighbors &operator=(const found_neighbors &) = delete;
};

octave_value_list radius(const inputs &in) {
  gpugeo_error error;
  metric_options metric(in.options);
  gpugeo_knn_options options = common_options(in, metric);
  const gg_given radius = given(in.options.getfield("radius"));
  check(gg_any_number("radius", GG_RADIUS, &radius, &options.radius, &error), error);
  call running(wants_progress(in.options, in.interactive), &options.run);

  found_neighbors found;
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_radius(in.x.view(), in.y_view(), &options, &found, &report, &error);
  running.finish(status, report, error);

  Cell index(found.points, 1), distance(found.points, 1);
  for (int64_t i = 0; i < found.points; ++i) {
    const int64_t first = found.start[i], count = found.start[i + 1] - first;
    RowVector numbers(count), distances(count);
    for (int64_t e = 0; e < count; ++e) {
      numbers(e) = found.index[first + e] + 1.0;
      distances(e) = found.distance[first + e];
    }
    index(i) = numbers;
    distance(i) = distances;
  }
  return ovl(index, distance, report_map(report));
}

} // namespace gpugeo_octave
