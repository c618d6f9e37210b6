/* Distance geometry of graphs on the line. */
#include "dgp/graph.h"

#include <vector>

#include "family.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */
#include "common/wide.h"

namespace gpugeo_octave {

/* The edges of a matrix or a file, and what messages call their vertices. */
struct edge_list {
  std::vector<gpugeo_dgp_edge> edges;
  int64_t vertices = 0;
  int64_t first = 1;               /* the number of the first vertex */
  std::vector<std::string> labels; /* none: numbers from 1 */
};

static edge_list read_file(const octave_scalar_map &options, const octave_value &path,
                           const octave_value &format) {
  gpugeo_error error;
  gpugeo_dgp_file file;
  gpugeo_run run;
  std::string name = text(path, "edges"), words;
  if (format.is_defined()) words = text(format, "format");
  gpugeo_run_init(&run);
  read_run(options, false, &run);
  call running(false, &run);
  const gpugeo_status status = gpugeo_dgp_file_read(
      name.c_str(), format.is_defined() ? words.c_str() : nullptr, &run, &file, &error);
  running.finish(status, gpugeo_report(), error);
  edge_list list;
  try {
    list.edges.assign(file.edges, file.edges + file.edge_count);
    list.vertices = file.vertices;
    list.first = file.first;
    for (int64_t v = 0; v < file.vertices; ++v)
      list.labels.push_back(std::to_string(file.first + v));
  } catch (...) {
    gpugeo_dgp_file_free(&file);
    throw;
  }
  gpugeo_dgp_file_free(&file);
  return list;
}

static edge_list read_matrix(const octave_value &value, const octave_value &format) {
  gpugeo_error error;
  if (format.is_defined())
    check(gg_fail(&error, GPUGEO_ERROR_ARGUMENT, "format", "format is for files only"), error);
  matrix x(value, "edges");
  edge_list list;
  list.edges.resize(x.view()->nrow);
  check(gg_dgp_edges(x.view(), list.edges.data(), &list.vertices, &error), error);
  return list;
}

/* The rows of positions that were filled. */
static Matrix filled(const std::vector<double> &positions, int64_t room, int64_t rows,
                     int64_t columns) {
  Matrix made(rows, columns);
  for (int64_t v = 0; v < columns; ++v)
    for (int64_t i = 0; i < rows; ++i)
      made(i, v) = positions[i + v * room];
  return made;
}

octave_value_list dgp_graph(const octave_scalar_map &given, const octave_value &edges,
                            bool interactive) {
  gpugeo_error error;
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options);
  octave_value format = option(given, "format");
  edge_list list = edges.is_string() ? read_file(given, edges, format) : read_matrix(edges, format);
  std::vector<const char *> labels;
  for (const std::string &label : list.labels)
    labels.push_back(label.c_str());
  if (!labels.empty()) options.labels = labels.data();
  read_number(given, "tol", GG_FROM_ZERO, &options.tol);
  read_any_whole(given, "max_solutions", &options.max_solutions);
  read_run(given, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  call running(wants_progress(given, interactive), &options.run);

  int64_t size = 0;
  const int64_t vertices = list.vertices, count = list.edges.size();
  check(gpugeo_dgp_graph_size(vertices, list.edges.data(), count, &options, &size, &error), error);
  std::vector<double> positions(size);
  std::vector<gpugeo_dgp_vertex> order(vertices);
  gpugeo_dgp_graph_result result;
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dgp_graph(vertices, list.edges.data(), count, &options, &result,
                                          positions.data(), order.data(), &report, &error);
  running.finish(status, report, error);

  const bool over = result.count_overflow;
  RowVector numbers(vertices);
  Matrix placed(vertices, 3);
  for (int64_t v = 0; v < vertices; ++v) {
    numbers(v) = list.first + v;
    placed(v, 0) = list.first + order[v].vertex;
    placed(v, 1) = v == 0 ? octave_NaN : list.first + order[v].predecessor;
    placed(v, 2) = v == 0 ? octave_NaN : order[v].block + 1;
  }
  octave_scalar_map made;
  made.assign("count", over ? octave_Inf : gg_wide_double(result.count));
  made.assign("count_text", over ? "2^128 or more" : gpugeo_wide_decimal(result.count).digits);
  made.assign("positions", filled(positions, options.max_solutions, result.returned, vertices));
  made.assign("vertices", numbers);
  made.assign("order", placed);
  made.assign("blocks", static_cast<double>(result.blocks));
  made.assign("bridges", static_cast<double>(result.bridges));
  made.assign("backend", gpugeo_backend_name(report.backend));
  return ovl(made, report_map(report));
}

} // namespace gpugeo_octave
