/* Distance geometry in one dimension: cycles. */
#include <algorithm>
#include <vector>

#include "family.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */
#include "common/wide.h"

namespace gpugeo_octave {

octave_value_list dgp(const octave_scalar_map &given, const octave_value &distances,
                      bool interactive) {
  gpugeo_error error;
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options);
  doubles d(distances, "d");

  octave_value method = option(given, "method");
  octave_value exact = option(given, "exact");
  octave_value symmetric = option(given, "symmetric"), prune = option(given, "prune");
  read_number(given, "tol", GG_FROM_ZERO, &options.tol);
  if (method.is_defined())
    check(gpugeo_dgp_method_find(text(method, "method").c_str(), &options.method, &error), error);
  read_any_whole(given, "max_solutions", &options.max_solutions);
  if (exact.is_defined()) options.exact = flag(exact, "exact");
  if (symmetric.is_defined()) options.symmetric = flag(symmetric, "symmetric");
  if (prune.is_defined()) options.prune = flag(prune, "prune");
  read_run(given, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  call running(wants_progress(given, interactive), &options.run);

  int64_t size = 0;
  const int64_t n = d.length();
  check(gpugeo_dgp_size(d.data(), n, &options, &size, &error), error);
  std::vector<gpugeo_dgp_solution> solutions(size);
  gpugeo_dgp_result result;
  gpugeo_report report = {};
  gpugeo_status status =
      gpugeo_dgp(d.data(), n, &options, &result, solutions.data(), &report, &error);
  running.finish(status, report, error);

  const octave_idx_type found = result.returned;
  Matrix signs(found, n), positions(found, n + 1);
  ColumnVector residual(found);
  Cell rows(found, 1);
  std::vector<double> line(n + 1);
  for (octave_idx_type i = 0; i < found; ++i) {
    const gpugeo_wide row = solutions[i].row;
    rows(i) = gpugeo_wide_decimal(gg_wide_add(row, gg_wide_make(1, 0))).digits;
    residual(i) = solutions[i].residual;
    gpugeo_dgp_positions(d.data(), n, row, line.data());
    for (int64_t j = 0; j <= n; ++j)
      positions(i, j) = line[j];
    for (int64_t j = 0; j < n; ++j)
      signs(i, j) = gg_wide_bit(row, static_cast<int>(j)) ? 1 : -1;
  }
  octave_scalar_map made;
  made.assign("count", gg_wide_double(result.count));
  made.assign("count_text", gpugeo_wide_decimal(result.count).digits);
  made.assign("expected", result.expected);
  made.assign("rows", rows);
  made.assign("signs", signs);
  made.assign("positions", positions);
  made.assign("residual", residual);
  made.assign("method", gpugeo_dgp_method_name(result.method));
  made.assign("backend", gpugeo_backend_name(report.backend));
  return ovl(made, report_map(report));
}

octave_value_list dgp_rows(const octave_scalar_map &given, const octave_value &distances,
                           bool interactive) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run);
  doubles d(distances, "d");
  read_run(given, false, &run);
  call running(wants_progress(given, interactive), &run);
  int64_t size = 0;
  check(gpugeo_dgp_rows_size(d.data(), d.length(), &run, &size, &error), error);
  result sums(GPUGEO_DOUBLE, size, 1);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_dgp_rows(d.data(), d.length(), &run,
                                         static_cast<double *>(sums.data()), &report, &error);
  running.finish(status, report, error);
  return ovl(sums.value(), report_map(report));
}

octave_value dgp_instance(const octave_value &n, const octave_value &seed) {
  gpugeo_error error;
  int64_t count = 0, start = 0;
  const gg_given n_given = given(n), seed_given = given(seed);
  check(gg_any_whole_number("n", &n_given, &count, &error), error);
  check(gg_whole_number("seed", &seed_given, 0, int64_t(1) << 53, &start, &error), error);
  double distances[GPUGEO_DGP_MOST];
  check(gpugeo_dgp_instance(count, start, distances, &error), error);
  ColumnVector made(count);
  std::copy_n(distances, count, made.fortran_vec());
  return made;
}

} // namespace gpugeo_octave
