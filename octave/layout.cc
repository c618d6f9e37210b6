/* Layouts of graphs, their quality, and files of edges. */
#include <octave/parse.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "family.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */

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

static const int64_t most_count = std::numeric_limits<int32_t>::max();

static uint64_t read_seed(const octave_scalar_map &options) {
  int64_t seed = 0;
  read_whole(options, "seed", 0, int64_t(1) << 53, &seed);
  return static_cast<uint64_t>(seed);
}

/* Truth values may be 1 and 0. */
static void read_multilevel(const octave_value &value, int32_t *multilevel) {
  const gg_given shown = gpugeo_octave::given(value);
  const char *word = gg_text_given(&shown);
  if (word && std::strcmp(word, "auto") == 0) return;
  const double number = value.is_bool_scalar() ? value.bool_value() : gg_number_given(&shown);
  gpugeo_error error;
  if (number != 0 && number != 1)
    check(gg_fail_given(&error, "multilevel", GG_MULTILEVEL, &shown), error);
  *multilevel = number == 1;
}

static void read_layout(const octave_scalar_map &given, gpugeo_layout_options *options) {
  gpugeo_error error;
  octave_value repulsion = option(given, "repulsion");
  octave_value multilevel = option(given, "multilevel");
  read_any_small(given, "dim", &options->dim);
  read_whole(given, "iterations", 0, most_count, &options->iterations);
  read_number(given, "start_temp", GG_POSITIVE, &options->start_temp);
  read_any_small(given, "expansion_order", &options->expansion_order);
  read_number(given, "tolerance", GG_FROM_ZERO, &options->tolerance);
  read_number(given, "theta", "between 0 and 2", &options->theta);
  if (repulsion.is_defined())
    check(gpugeo_repulsion_find(text(repulsion, "repulsion").c_str(), &options->repulsion, &error),
          error);
  if (multilevel.is_defined()) read_multilevel(multilevel, &options->multilevel);
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
  if (!f->callback.is_function_handle()) {
    const gg_given shown = gpugeo_octave::given(f->callback);
    check(gg_fail_given(&error, "callback", "a function", &shown), error);
  }
  options->frame = show_frame;
  options->frame_data = f;
  options->frame_every = 10;
  read_whole(given, "callback_every", 1, most_count, &options->frame_every);
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
  read_whole(given, "pivots", 0, most_count, &options.pivots);
  read_whole(given, "crossings", 0, most_count, &options.crossings);
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
  if (!first.isempty()) {
    const gg_given shown = given(first);
    check(gg_whole_number("first", &shown, 0, 1, &number_of_first, &error), error);
  }
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
