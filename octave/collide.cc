/* Collisions, at once or as a promise. */
#include <octave/interpreter.h>
#include <octave/ov-base.h>

#include <memory>

#include "family.h"
#include "result.h"
#include "run.h"

#include "common/error.h" /* not Octave's header of that name */

namespace {

/* Collisions that are under way or done. */
struct job {
  std::shared_ptr<gpugeo_collisions> collisions;
  gpugeo_collide_what what;
  int64_t rows; /* of X */
  int32_t groups;
  octave_value names; /* of the groups */
};

/* The value that gpu_collisions_launch returns. Its copies are the same promise, which ends when
   the last one is gone. Octave need not know the type beyond its name: no operator takes it. */
class gpu_promise : public octave_base_value {
public:
  gpu_promise() = default;
  explicit gpu_promise(const job &of) : job_(of) {}

  const job &get() const { return job_; }

  octave_base_value *clone() const override { return new gpu_promise(*this); }
  octave_base_value *empty_clone() const override { return new gpu_promise(); }
  std::string type_name() const override { return "gpu_promise"; }
  std::string class_name() const override { return "gpu_promise"; }
  bool is_defined() const override { return true; }
  dim_vector dims() const override { return dim_vector(1, 1); }
  bool print_as_scalar() const override { return true; }
  void print_raw(std::ostream &out, bool = false) const override {
    bool done = gpugeo_collisions_done(job_.collisions.get());
    out << "<gpu_promise: collisions, " << (done ? "done" : "running") << ">";
  }
  void print(std::ostream &out, bool = false) override {
    print_raw(out);
    newline(out);
  }

private:
  job job_ = {};
};

} // namespace

namespace gpugeo_octave {

/* Starts the job that the inputs describe, with hooks or without. */
static job start(const inputs &in, bool launch) {
  gpugeo_error error;
  gpugeo_collide_options options;
  gpugeo_collide_options_init(&options);

  octave_value what = option(in.options, "what"), method = option(in.options, "method");
  octave_value group = option(in.options, "group");
  read_number(in.options, "radius", GG_POSITIVE, &options.radius);
  doubles radii(option(in.options, "radii"), "radii"), box(option(in.options, "box"), "box");
  options.radii = radii.data();
  options.radii_length = radii.length();
  options.box = box.data();
  options.box_length = box.length();
  read_any_whole(in.options, "exclude", &options.exclude);
  if (what.is_defined())
    check(gpugeo_collide_what_find(text(what, "what").c_str(), &options.what, &error), error);
  if (method.is_defined())
    check(gpugeo_collide_method_find(text(method, "method").c_str(), &options.method, &error),
          error);
  octave_value names = in.options.getfield("names");
  int32NDArray codes;
  if (group.is_defined()) {
    codes = group.int32_array_value();
    options.group = reinterpret_cast<const int32_t *>(codes.data());
    options.group_length = codes.numel();
    options.groups = static_cast<int32_t>(names.numel());
  }
  read_run(in.options, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */

  gpugeo_collisions *collisions = nullptr;
  if (launch) {
    check(gpugeo_collisions_launch(in.x.view(), in.y_view(), &options, &collisions, &error), error);
  } else {
    call running(wants_progress(in.options, in.interactive), &options.run);
    gpugeo_status status =
        gpugeo_collisions_find(in.x.view(), in.y_view(), &options, &collisions, &error);
    running.finish(status, gpugeo_report(), error);
  }
  return {std::shared_ptr<gpugeo_collisions>(collisions, gpugeo_collisions_free), options.what,
          in.x.view()->nrow, options.groups, names};
}

/* What a finished job came to. */
static octave_value value(const job &of, int64_t count) {
  gpugeo_error error;
  gpugeo_collisions *collisions = of.collisions.get();
  if (of.what == GPUGEO_COLLIDE_COUNT) return static_cast<double>(count);
  if (of.what == GPUGEO_COLLIDE_PER_POINT) {
    result out(GPUGEO_DOUBLE, of.rows, 1);
    check(gpugeo_collisions_per_point(collisions, static_cast<double *>(out.data()), &error),
          error);
    return out.value();
  }
  if (of.what == GPUGEO_COLLIDE_TABLE) {
    result out(GPUGEO_DOUBLE, of.groups, of.groups);
    check(gpugeo_collisions_table(collisions, static_cast<double *>(out.data()), &error), error);
    return out.value();
  }
  result out(GPUGEO_DOUBLE, count, 2);
  double *pairs = static_cast<double *>(out.data());
  check(gpugeo_collisions_pairs(collisions, GPUGEO_DOUBLE, pairs, &error), error);
  for (int64_t at = 0; at < 2 * count; ++at)
    ++pairs[at];
  return out.value();
}

/* Waits for a job, with hooks, and returns its value and the report. */
static octave_value_list finish(const job &of, const octave_scalar_map &options, bool interactive) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run);
  gpugeo_report report = {};
  int64_t count = 0;
  call running(wants_progress(options, interactive), &run);
  gpugeo_status status = gpugeo_collisions_wait(of.collisions.get(), &run, &count, &report, &error);
  running.finish(status, report, error);
  octave_scalar_map info = report_map(report);
  if (of.what == GPUGEO_COLLIDE_TABLE) info.assign("groups", of.names);
  return ovl(value(of, count), info);
}

octave_value_list collide(const inputs &in) {
  return finish(start(in, false), in.options, in.interactive);
}

octave_value launch(const inputs &in) { return new gpu_promise(start(in, true)); }

octave_value_list fetch(const octave_value &promise, const octave_scalar_map &options,
                        bool interactive) {
  const gpu_promise *ours = dynamic_cast<const gpu_promise *>(&promise.get_rep());
  if (!ours) {
    gpugeo_error error;
    const gg_given shown = given(promise);
    check(gg_fail_given(&error, "promise", GG_PROMISE, &shown), error);
  }
  return finish(ours->get(), options, interactive);
}

} // namespace gpugeo_octave
