/* Distance matrices in tiles, and in files. */
#include <cmath>
#include <vector>

#include "family.h"
#include "metric.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

/* Points: a matrix, or a structure with the fields file and name. */
class points {
public:
  points(const octave_value &value, const char *name) {
    source_ = {};
    if (!value.isstruct() || !value.scalar_map_value().isfield("file")) {
      matrix_.reset(new matrix(value, name));
      source_.matrix = matrix_->view();
      return;
    }
    octave_scalar_map where = value.scalar_map_value();
    file_ = text(where.getfield("file"), "file");
    dataset_ = text(where.getfield("name"), "name");
    source_.file = file_.c_str();
    source_.name = dataset_.c_str();
  }
  points(const points &) = delete;
  points &operator=(const points &) = delete;

  const gpugeo_source *source() const { return &source_; }
  bool single() const { return matrix_ && matrix_->single(); }

private:
  std::unique_ptr<matrix> matrix_;
  std::string file_, dataset_;
  gpugeo_source source_;
};

/* Of two words, as R has them. */
static int one_of(const octave_value &value, const char *name, const char *first,
                  const char *second) {
  if (value.is_undefined()) return 0;
  gpugeo_error error;
  const char *const words[] = {first, second};
  int which = 0;
  check(gg_one_of(name, text(value, name).c_str(), words, &which, &error), error);
  return which;
}

static int64_t whole(const octave_scalar_map &options, const char *name, int64_t least) {
  int64_t result = 0;
  read_whole(options, name, least, int64_t(1) << 53, &result);
  return result;
}

octave_value source_size(const octave_value &x) {
  gpugeo_error error;
  int64_t rows = 0, columns = 0;
  points p(x, "x");
  check(gpugeo_source_size(p.source(), &rows, &columns, &error), error);
  RowVector size(2);
  size(0) = static_cast<double>(rows);
  size(1) = static_cast<double>(columns);
  return size;
}

octave_value_list tiles_plan(const octave_scalar_map &options, const octave_value &sizes) {
  gpugeo_error error;
  gpugeo_tiles tiles;
  const NDArray n = sizes.array_value();
  check(gpugeo_tiles_plan(static_cast<int64_t>(n(0)), static_cast<int64_t>(n(1)),
                          static_cast<int64_t>(n(2)), whole(options, "side", 1),
                          whole(options, "memory_limit", 1 << 20), &tiles, &error),
        error);
  Matrix table(tiles.count, 4);
  for (int64_t t = 0; t < tiles.count; ++t) {
    gpugeo_tile tile;
    gpugeo_tiles_get(&tiles, t, &tile, nullptr);
    table(t, 0) = static_cast<double>(tile.row + 1);
    table(t, 1) = static_cast<double>(tile.rows);
    table(t, 2) = static_cast<double>(tile.column + 1);
    table(t, 3) = static_cast<double>(tile.columns);
  }
  return ovl(static_cast<double>(tiles.side), table);
}

/* What all of this file's computations read alike. */
struct job {
  job(const octave_scalar_map &map, const octave_value &x_value, const octave_value &y_value)
      : metric(map), x(x_value, "x") {
    gpugeo_dist_options_init(&options);
    metric.give(&options);
    if (!y_value.isempty()) y.reset(new points(y_value, "y"));
  }
  const gpugeo_source *y_source() const { return y ? y->source() : nullptr; }
  bool single() const { return x.single() || (y && y->single()); }

  metric_options metric;
  gpugeo_dist_options options;
  points x;
  std::unique_ptr<points> y;
};

octave_value dist_share(const octave_scalar_map &map, const octave_value &x,
                        const octave_value &y) {
  gpugeo_error error;
  job j(map, x, y);
  int64_t size = 0;
  call running(false, &j.options.run);
  check(gpugeo_dist_share_size(j.x.source(), j.y_source(), &j.options, &size, &error), error);
  RowVector shared(size);
  gpugeo_report report = {};
  gpugeo_status status =
      gpugeo_dist_share(j.x.source(), j.y_source(), &j.options, shared.fortran_vec(), &report,
                        &error);
  running.finish(status, report, error, j.y ? "y" : nullptr);
  return shared;
}

octave_value_list dist_tile(const octave_scalar_map &map, const octave_value &x,
                            const octave_value &y, const octave_value &plan,
                            const octave_value &shared_value, const octave_value &tile_value,
                            bool interactive) {
  gpugeo_error error;
  gpugeo_tiles tiles;
  gpugeo_tile place = {};
  int64_t tile = 0;
  job j(map, x, y);
  const NDArray n = plan.array_value(), shared = shared_value.array_value();
  check(gpugeo_tiles_plan(static_cast<int64_t>(n(0)), static_cast<int64_t>(n(1)), 0,
                          static_cast<int64_t>(n(2)), 0, &tiles, &error),
        error);
  const gg_given tile_given = given(tile_value);
  check(gg_number_from_one("tile", "tiles", &tile_given, tiles.count, &tile, &error), error);
  check(gpugeo_tiles_get(&tiles, tile, &place, &error), error);
  gpugeo_run *run = &j.options.run;
  read_run(map, j.single(), run);
  call running(wants_progress(map, interactive), run);
  const gpugeo_type type = j.single() ? GPUGEO_FLOAT : GPUGEO_DOUBLE;
  result out(type, place.rows, place.columns);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dist_tile(
      j.x.source(), j.y_source(), &j.options, shared.isempty() ? nullptr : shared.data(),
      shared.numel(), &tiles, tile, type, out.data(), &report, &error);
  running.finish(status, report, error, j.y ? "y" : nullptr);
  return ovl(out.value(), report_map(report));
}

octave_value dist_file(const octave_scalar_map &map, const octave_value &x, bool interactive) {
  gpugeo_error error;
  job j(map, x, octave_value(Matrix()));
  gpugeo_dist_file_options file;
  gpugeo_dist_file_options_init(&file);
  const std::string path = text(map.getfield("file"), "file");
  octave_value name_value = option(map, "file_name");
  std::string name = name_value.is_defined() ? text(name_value, "file_name") : "";
  file.file = path.c_str();
  file.name = name.c_str();
  file.shape = one_of(option(map, "file_shape"), "file_shape", "condensed", "square")
                   ? GPUGEO_FULL
                   : GPUGEO_CONDENSED;
  file.type = one_of(option(map, "file_precision"), "file_precision", "double", "float")
                  ? GPUGEO_FLOAT
                  : GPUGEO_DOUBLE;
  gpugeo_run *run = &j.options.run;
  read_run(map, j.single(), run);
  call running(wants_progress(map, interactive), run);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dist_file_write(j.x.source(), &j.options, &file, &report, &error);
  running.finish(status, report, error);
  return report_map(report);
}

/* An open file, closed whichever way the call ends. */
class open_file {
public:
  open_file(const octave_value &file, const octave_value &name) {
    gpugeo_error error;
    const std::string dataset = name.isempty() ? "" : text(name, "name");
    check(gpugeo_dist_file_open(text(file, "file").c_str(), dataset.c_str(), &file_, &info, &error),
          error);
  }
  ~open_file() { gpugeo_dist_file_close(file_); }
  open_file(const open_file &) = delete;
  open_file &operator=(const open_file &) = delete;
  const gpugeo_dist_file *get() const { return file_; }

  gpugeo_dist_file_info info;

private:
  gpugeo_dist_file *file_ = nullptr;
};

octave_value dist_file_info(const octave_value &file, const octave_value &name) {
  open_file opened(file, name);
  const gpugeo_dist_file_info &info = opened.info;
  octave_scalar_map about;
  about.assign("file", file);
  about.assign("name", info.name);
  about.assign("metric", info.metric);
  about.assign("size", static_cast<double>(info.points));
  about.assign("shape", info.shape == GPUGEO_FULL ? "square" : "condensed");
  about.assign("precision", info.type == GPUGEO_FLOAT ? "float" : "double");
  about.assign("tiles", static_cast<double>(info.tiles));
  about.assign("tiles_done", static_cast<double>(info.tiles_done));
  Cell labels(info.labels ? info.points : 0, info.labels ? 1 : 0);
  for (octave_idx_type i = 0; i < labels.numel(); ++i)
    labels(i) = std::string(gpugeo_dist_file_label(opened.get(), i));
  about.assign("labels", octave_value(labels));
  return about;
}

/* Numbers of points, from 1, as numbers from 0. */
static std::vector<int64_t> numbers(const octave_value &value, const char *name, int64_t points) {
  const matrix checked(value, name); /* refuses what is no number */
  const octave_value full = value.full_value();
  const NDArray values = full.array_value();
  std::vector<int64_t> from_zero(values.numel());
  for (octave_idx_type i = 0; i < values.numel(); ++i) {
    gpugeo_error error;
    gg_given number = gg_given_number(values(i));
    check(gg_number_from_one(name, "points", &number, points, &from_zero[i], &error), error);
  }
  return from_zero;
}

octave_value dist_file_read(const octave_value &file, const octave_value &name,
                            const octave_value &rows, const octave_value &columns) {
  gpugeo_error error;
  open_file opened(file, name);
  const int64_t points = opened.info.points;
  const std::vector<int64_t> row = numbers(rows, "row", points);
  const std::vector<int64_t> column = numbers(columns, "column", points);
  Matrix out(row.size(), column.size());
  check(gpugeo_dist_file_read(opened.get(), row.data(), row.size(), column.data(), column.size(),
                              octave_NaN, out.fortran_vec(), &error),
        error);
  return out;
}

} // namespace gpugeo_octave
