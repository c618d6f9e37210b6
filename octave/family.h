/* The entry points behind __gpugeo__, one for each of its commands. */
#ifndef GPUGEO_OCTAVE_FAMILY_H
#define GPUGEO_OCTAVE_FAMILY_H

#include <memory>

#include "value.h"

namespace gpugeo_octave {

/* The inputs of a family that takes one matrix or two. */
struct inputs {
  octave_scalar_map options;
  matrix x;
  std::unique_ptr<matrix> y; /* null: within x */
  bool interactive;

  const gpugeo_matrix *y_view() const { return y ? y->view() : nullptr; }
  /* The result is single when an input is. */
  bool single() const { return x.single() || (y && y->single()); }
  gpugeo_type type() const { return single() ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE; }
};

/* tiles.cc. Points are a matrix or a structure with the fields file and name; y may be []. */
octave_value source_size(const octave_value &x);
/* Side, and a row for each tile: row, rows, column, columns. sizes: points of x and of y (-1:
   within x), coordinates. */
octave_value_list tiles_plan(const octave_scalar_map &options, const octave_value &sizes);
octave_value dist_share(const octave_scalar_map &options, const octave_value &x,
                        const octave_value &y);
/* plan: points of x and of y (-1), side. shared: of dist_share, or []. */
octave_value_list dist_tile(const octave_scalar_map &options, const octave_value &x,
                            const octave_value &y, const octave_value &plan,
                            const octave_value &shared, const octave_value &tile, bool interactive);
/* The report. */
octave_value dist_file(const octave_scalar_map &options, const octave_value &x, bool interactive);
octave_value dist_file_info(const octave_value &file, const octave_value &name);
octave_value dist_file_read(const octave_value &file, const octave_value &name,
                            const octave_value &rows, const octave_value &columns);

/* Each returns the result and the report. */
octave_value_list dist(const inputs &in); /* dist.cc */
octave_value_list cor(const inputs &in);  /* cor.cc */

/* knn.cc: row numbers and distances, as matrices or as cells, and the report. y is the query. */
octave_value_list knn(const inputs &in);
octave_value_list radius(const inputs &in);

/* Distances, i, j, ties, and the report. */
octave_value_list closest(const inputs &in); /* closest.cc */

/* collide.cc: at once; begun; and, from what that returned, the result. The field `group` of the
   options holds whole numbers from 0, `names` as many names as there are groups. */
octave_value_list collide(const inputs &in);
octave_value launch(const inputs &in);
octave_value_list fetch(const octave_value &promise, const octave_scalar_map &options,
                        bool interactive);

/* dgp.cc: what gpu_dgp returns, but for row numbers as text; all sums; distances. */
octave_value_list dgp(const octave_scalar_map &options, const octave_value &d, bool interactive);
octave_value_list dgp_rows(const octave_scalar_map &options, const octave_value &d,
                           bool interactive);
octave_value dgp_instance(const octave_value &n, const octave_value &seed);

/* dgp_graph.cc: edges are a matrix or the path of a file. */
octave_value_list dgp_graph(const octave_scalar_map &options, const octave_value &edges,
                            bool interactive);

/* layout.cc: graphs are structures of private/read_graph.m. Positions, and the report with what the
   layout came to; the structure of gpu_layout_quality; that of a file, of which `first` may be [].
 */
octave_value_list layout(const octave_scalar_map &options, const octave_scalar_map &graph,
                         bool interactive);
octave_value_list layout_quality(const octave_scalar_map &options, const octave_scalar_map &graph,
                                 const octave_value &positions, bool interactive);
octave_scalar_map edges(const octave_scalar_map &options, const octave_value &path,
                        const octave_value &first, bool interactive);

std::string metric_name(const octave_value &metric); /* dist.cc: R's name of a metric */
octave_scalar_map info();                            /* info.cc */

} // namespace gpugeo_octave

#endif
