/* Layouts of graphs, their quality, and files of edges. */
#include <octave/parse.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "family.h"
#include "result.h"
#include "run.h"

#include "../src/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

/* A graph as private/read_graph.m makes it: edges, vertices, first, weights. */
class graph_view {
public:
  explicit graph_view(const octave_scalar_map &map)
      : edges_(map.getfield("edges"), "graph"), weights_(option(map, "weights"), "weights") {
    graph_ = gpugeo_graph();
    graph_.vertices = static_cast<int64_t>(map.getfield("vertices").double_value());
    graph_.first = static_cast<int64_t>(map.getfield("first").double_value());
    graph_.edges = *edges_.view();
    graph_.weights = weights_.data();
    graph_.weights_length = weights_.length();
  }
  const gpugeo_graph *view() const { return &graph_; }

private:
  matrix edges_;
  doubles weights_;
  gpugeo_graph graph_;
};

/* A whole number of at least `least`; left alone where it is not given. */
static void read_count(const octave_scalar_map &options, const char *name, int64_t least,
                       int64_t most, int64_t *count) {
  octave_value value = option(options, name);
  gpugeo_error error;
  if (value.is_defined())
    check(gg_whole_number(name, number(value), least, most, count, &error), error);
}

static const int64_t most_count = std::numeric_limits<int32_t>::max();

static uint64_t read_seed(const octave_scalar_map &options) {
  int64_t seed = 0;
  read_count(options, "seed", 0, int64_t(1) << 53, &seed);
  return static_cast<uint64_t>(seed);
}

static void read_small(const octave_scalar_map &options, const char *name, int32_t *small) {
  octave_value value = option(options, name);
  gpugeo_error error;
  if (value.is_defined()) check(gg_any_small_number(name, number(value), small, &error), error);
}

static void read_layout(const octave_scalar_map &given, gpugeo_layout_options *options) {
  gpugeo_error error;
  octave_value start_temp = option(given, "start_temp"), tolerance = option(given, "tolerance");
  octave_value repulsion = option(given, "repulsion"), theta = option(given, "theta");
  octave_value multilevel = option(given, "multilevel");
  read_small(given, "dim", &options->dim);
  read_count(given, "iterations", 0, most_count, &options->iterations);
  if (start_temp.is_defined()) {
    options->start_temp = number(start_temp);
    check(gg_positive_number("start_temp", options->start_temp, &error), error);
  }
  read_small(given, "order", &options->order);
  if (tolerance.is_defined()) options->tolerance = number(tolerance);
  if (theta.is_defined()) options->theta = number(theta);
  if (repulsion.is_defined())
    check(gpugeo_repulsion_find(text(repulsion, "repulsion").c_str(), &options->repulsion, &error),
          error);
  if (multilevel.is_defined() &&
      !(multilevel.is_string() && text(multilevel, "multilevel") == "auto"))
    options->multilevel = flag(multilevel, "multilevel");
  options->seed = read_seed(given);
}

/* A function handle that is shown the positions. */
struct frames {
  call *running;
  octave_value callback;
  int64_t vertices;
  int dim;
};

static int show_frame(int64_t iteration, double temperature, const double *positions, void *data) {
  const frames *f = static_cast<const frames *>(data);
  return !f->running->guard([&] {
    Matrix at(f->vertices, f->dim);
    std::copy(positions, positions + f->vertices * f->dim, at.fortran_vec());
    octave::feval(f->callback, ovl(at, static_cast<double>(iteration), temperature), 0);
  });
}

static void read_callback(const octave_scalar_map &given, gpugeo_layout_options *options,
                          frames *f) {
  gpugeo_error error;
  f->callback = option(given, "callback");
  f->dim = options->dim;
  if (f->callback.is_undefined()) return;
  if (!f->callback.is_function_handle())
    check(gg_fail(&error, GPUGEO_ERROR_ARGUMENT, "callback", "callback must be a function"), error);
  options->frame = show_frame;
  options->frame_data = f;
  options->frame_every = 10;
  read_count(given, "callback_every", 1, most_count, &options->frame_every);
}

octave_value_list layout(const octave_scalar_map &given, const octave_scalar_map &graph_map,
                         bool interactive) {
  gpugeo_error error;
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options);
  graph_view graph(graph_map);
  read_layout(given, &options);
  doubles init(option(given, "init"), "init");
  doubles lower(option(given, "lower"), "lower"), upper(option(given, "upper"), "upper");
  octave_value fixed_value = option(given, "fixed");
  int32NDArray fixed;
  if (fixed_value.is_defined()) {
    fixed = fixed_value.int32_array_value();
    options.fixed = reinterpret_cast<const int32_t *>(fixed.data());
    options.fixed_length = fixed.numel();
  }
  options.init = init.data();
  options.init_length = init.length();
  options.lower = lower.data();
  options.lower_length = lower.length();
  options.upper = upper.data();
  options.upper_length = upper.length();
  read_run(given, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  call running(wants_progress(given, interactive), &options.run);
  frames shown = {&running, octave_value(), graph.view()->vertices, 0};
  read_callback(given, &options, &shown);

  int64_t size = 0;
  check(gpugeo_layout_size(graph.view(), &options, &size, &error), error);
  result positions(GPUGEO_DOUBLE, graph.view()->vertices, options.dim);
  gpugeo_layout_result made = {};
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_layout(
      graph.view(), &options, static_cast<double *>(positions.data()), &made, &report, &error);
  running.finish(status, report, error);

  octave_scalar_map info = report_map(report);
  info.assign("iterations", static_cast<double>(made.iterations));
  info.assign("converged", made.converged != 0);
  info.assign("energy", made.energy);
  info.assign("temperature", made.temperature);
  return ovl(positions.value(), info);
}

octave_value_list layout_quality(const octave_scalar_map &given, const octave_scalar_map &graph_map,
                                 const octave_value &positions, bool interactive) {
  gpugeo_error error;
  gpugeo_quality_options options;
  gpugeo_quality_options_init(&options);
  graph_view graph(graph_map);
  matrix at(positions, "layout");
  read_count(given, "pivots", 0, most_count, &options.pivots);
  read_count(given, "crossings", 0, most_count, &options.crossings);
  options.seed = read_seed(given);
  read_run(given, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE;
  call running(wants_progress(given, interactive), &options.run);
  gpugeo_quality quality = {};
  gpugeo_report report = {};
  gpugeo_status status =
      gpugeo_layout_quality(graph.view(), at.view(), &options, &quality, &report, &error);
  running.finish(status, report, error);

  octave_scalar_map made;
  made.assign("stress", quality.stress);
  made.assign("scale", quality.scale);
  made.assign("neighborhood", quality.neighborhood);
  made.assign("edge_variation", quality.edge_variation);
  made.assign("crossings", quality.crossings);
  made.assign("crossings_error", quality.crossings_error);
  made.assign("energy", quality.energy);
  made.assign("pivots", static_cast<double>(quality.pivots));
  return ovl(made, report_map(report));
}

octave_scalar_map edges(const octave_scalar_map &options, const octave_value &path,
                        const octave_value &first, bool interactive) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_edge_file file;
  int64_t number_of_first = -1;
  std::string name = text(path, "path");
  if (!first.isempty())
    check(gg_whole_number("first", number(first), 0, 1, &number_of_first, &error), error);
  gpugeo_run_init(&run);
  read_run(options, false, &run);
  call running(wants_progress(options, interactive), &run);
  const gpugeo_status status =
      gpugeo_edge_file_read(name.c_str(), number_of_first, &run, &file, &error);
  running.finish(status, gpugeo_report(), error);
  std::unique_ptr<gpugeo_edge_file, void (*)(gpugeo_edge_file *)> held(&file,
                                                                       gpugeo_edge_file_free);
  const int64_t count = file.edge_count;
  Matrix ends(count, 2), weights(file.weights ? count : 0, file.weights ? 1 : 0);
  std::copy(file.edges, file.edges + 2 * count, ends.fortran_vec());
  if (file.weights) std::copy(file.weights, file.weights + count, weights.fortran_vec());
  octave_scalar_map made;
  made.assign("edges", ends);
  made.assign("weights", weights);
  made.assign("first", static_cast<double>(file.first));
  made.assign("vertices", static_cast<double>(file.vertices));
  return made;
}

} // namespace gpugeo_octave
