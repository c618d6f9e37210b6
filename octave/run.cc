#include "run.h"

#include <octave/quit.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "common/error.h" /* not Octave's header of that name */
#include "dist/missing_rows.h"

namespace gpugeo_octave {

void read_run(const octave_scalar_map &options, bool single, gpugeo_run *run) {
  gpugeo_error error;
  octave_value backend = option(options, "backend"), precision = option(options, "precision");
  if (backend.is_defined())
    check(gpugeo_backend_find(text(backend, "backend").c_str(), &run->backend, &error), error);
  int64_t threads = run->threads;
  read_whole(options, "threads", 1, GPUGEO_MAX_THREADS, &threads);
  run->threads = static_cast<int32_t>(threads);
  octave_value device = option(options, "device");
  if (device.is_defined()) {
    const gg_given shown = given(device);
    check(gg_device_number(&shown, &run->device, &error), error);
  }
  read_whole(options, "memory_limit", 1 << 20, int64_t(1) << 53, &run->work_bytes);
  run->precision = single ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
  if (precision.is_defined())
    check(gpugeo_precision_find(text(precision, "precision").c_str(), &run->precision, &error),
          error);
}

bool wants_progress(const octave_scalar_map &options, bool interactive) {
  octave_value value = option(options, "progress");
  return value.is_undefined() ? interactive : flag(value, "progress");
}

/* The progress line appears after two seconds; in tests, which set this variable, at once. */
call::call(bool progress, gpugeo_run *run)
    : start_(std::chrono::steady_clock::now()), delay_(std::getenv("GPUGEO_TEST_POLLS") ? 0 : 2) {
  run->interrupt = interrupt;
  run->progress = progress ? call::progress : nullptr;
  run->hook_data = this;
}

/* Octave handles the signals that came in; for Ctrl-C it throws. */
int call::interrupt(void *self) {
  return !static_cast<call *>(self)->guard([] { octave_quit(); });
}

/* Writes the progress line over the one before. */
void call::progress(double fraction, void *self) {
  call *running = static_cast<call *>(self);
  if (std::chrono::steady_clock::now() - running->start_ < running->delay_) return;
  const int width = 40;
  int done = static_cast<int>(fraction * width);
  std::fprintf(stderr, "\r[%.*s%*s] %3d%%", done, "########################################",
               width - done, "", static_cast<int>(fraction * 100));
  std::fflush(stderr);
  running->shown_ = true;
}

void call::wipe() {
  if (!shown_) return;
  std::fprintf(stderr, "\r%50s\r", "");
  std::fflush(stderr);
  shown_ = false;
}

void call::finish(gpugeo_status status, const gpugeo_report &report, const gpugeo_error &error,
                  const char *y_name) {
  wipe();
  if (interrupted_) std::rethrow_exception(interrupted_);
  check(status, error);
  if (report.notes & GPUGEO_NOTE_NONFINITE)
    warning_with_id("gpugeo:nonfinite", "treating non-finite values as NA");
  if (report.notes & GPUGEO_NOTE_ZERO_DEVIATION)
    warning_with_id("gpugeo:deviation", "the standard deviation is zero");
  if (report.notes & GPUGEO_NOTE_MISSING)
    warning_with_id("gpugeo:missing", "%s", gg_describe_missing(&report.missing, y_name).text);
}

octave_scalar_map report_map(const gpugeo_report &report) {
  octave_scalar_map map;
  map.assign("backend", octave_value(gpugeo_backend_name(report.backend)));
  map.assign("device", octave_value(report.device));
  map.assign("devices", octave_value(report.devices));
  map.assign("threads", octave_value(report.threads));
  map.assign("seconds", octave_value(report.seconds));
  map.assign("device_seconds", octave_value(report.device_seconds));
  return map;
}

} // namespace gpugeo_octave
