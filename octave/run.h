/* How to run a call: the options common to all families, Ctrl-C, the progress line, the report. */
#ifndef GPUGEO_OCTAVE_RUN_H
#define GPUGEO_OCTAVE_RUN_H

#include <chrono>
#include <exception>

#include "value.h"

namespace gpugeo_octave {

/* Fills run from the fields backend, threads, device, precision and memory_limit of options. Single
   precision is the default where `single`. Throws gpugeo:argument on a value that is not allowed.
 */
void read_run(const octave_scalar_map &options, bool single, gpugeo_run *run);

/* The field progress of options; by default, whether a person is at the keyboard. */
bool wants_progress(const octave_scalar_map &options, bool interactive);

/*
 * The hooks of one call. The core asks them on the interpreter's thread. No C++ exception may cross
 * the core, so the one by which Octave answers Ctrl-C waits here until the core has returned.
 */
class call {
public:
  call(bool progress, gpugeo_run *run);
  ~call() { wipe(); }
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  /* To be called with what the core returned: goes on with Octave's own interrupt, or raises the
     core's error, or shows the notes in the report as warnings, which call the second matrix
     y_name. */
  void finish(gpugeo_status status, const gpugeo_report &report, const gpugeo_error &error,
              const char *y_name = nullptr);

  /* Runs code that may throw, at a hook; what it threw waits here, and false tells that the core
     must stop. */
  template <typename Code> bool guard(Code code) {
    try {
      code();
      return true;
    } catch (...) {
      interrupted_ = std::current_exception();
      return false;
    }
  }

private:
  static int interrupt(void *self);
  static void progress(double fraction, void *self);
  void wipe();

  std::chrono::steady_clock::time_point start_;
  std::chrono::seconds delay_; /* of the progress line */
  std::exception_ptr interrupted_;
  bool shown_ = false;
};

/* A report as the second output of the user's functions. */
octave_scalar_map report_map(const gpugeo_report &report);

} // namespace gpugeo_octave

#endif
