/* Correlation matrices. */
#include "family.h"
#include "result.h"
#include "run.h"

namespace gpugeo_octave {

octave_value_list cor(const inputs &in) {
  gpugeo_error error;
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  const gpugeo_matrix *x = in.x.view(), *y = in.y_view();

  octave_value method = option(in.options, "method"), use = option(in.options, "use");
  if (method.is_defined())
    check(gpugeo_cor_method_find(text(method, "method").c_str(), &options.method, &error), error);
  if (use.is_defined())
    check(gpugeo_cor_use_find(text(use, "use").c_str(), &options.use, &error), error);
  read_run(in.options, in.single(), &options.run);
  call running(wants_progress(in.options, in.interactive), &options.run);

  int64_t size = 0;
  check(gpugeo_cor_size(x, y, &options, in.type(), &size, &error), error);
  result out(in.type(), x->ncol, y ? y->ncol : x->ncol);
  gpugeo_report report = {};
  gpugeo_status status = gpugeo_cor(x, y, &options, in.type(), out.data(), &report, &error);
  running.finish(status, report, error);
  return ovl(out.value(), report_map(report));
}

} // namespace gpugeo_octave
