#include "call.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "distance/missing_rows.h"
#include "host.h"
#include "value.h"

struct gg_mex_release {
  void (*release)(void *);
  void *what;
  struct gg_mex_release *next;
};

bool gg_mex_check(gg_mex_call *call, gpugeo_status status) {
  call->status = status;
  return status == GPUGEO_OK;
}

void gg_mex_release_later(gg_mex_call *call, void (*release)(void *), void *what) {
  struct gg_mex_release *entry = malloc(sizeof *entry);
  if (!entry) {
    release(what);
    gg_mex_check(call, gg_fail_memory(&call->error, sizeof *entry));
    return;
  }
  *entry = (struct gg_mex_release){release, what, call->releases};
  call->releases = entry;
}

void *gg_mex_allocate(gg_mex_call *call, int64_t count, size_t size) {
  void *memory = NULL;
  if ((uint64_t)count <= PTRDIFF_MAX / size) memory = malloc(count > 0 ? (size_t)count * size : 1);
  if (!memory) {
    gg_mex_check(call, gg_fail_memory(&call->error, count * (int64_t)size));
    return NULL;
  }
  gg_mex_release_later(call, free, memory);
  return call->status ? NULL : memory;
}

double gg_mex_new_number(void) {
  static double last;
  if (last == 0) last = (double)time(NULL) * 0x1p20;
  return ++last;
}

void gg_mex_release_all(gg_mex_call *call) {
  while (call->releases) {
    struct gg_mex_release *entry = call->releases;
    call->releases = entry->next;
    entry->release(entry->what);
    free(entry);
  }
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static int interrupt_hook(void *data) {
  (void)data;
  return gg_host_interrupted();
}

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

/* Writes the progress line over the one before. It appears after two seconds, in tests, which set
   the variable, at once. */
static void progress_hook(double fraction, void *data) {
  gg_mex_call *call = data;
  const int width = 40, done = (int)(fraction * width);
  if (seconds_since(&call->start) < (getenv("GPUGEO_TEST_POLLS") ? 0 : 2)) return;
  fprintf(stderr, "\r[%.*s%*s] %3d%%", done, "########################################",
          width - done, "", (int)(fraction * 100));
  fflush(stderr);
  call->progress_shown = true;
}

static void wipe_progress(gg_mex_call *call) {
  if (!call->progress_shown) return;
  fprintf(stderr, "\r%50s\r", "");
  fflush(stderr);
  call->progress_shown = false;
}

void gg_mex_set_interrupt(gg_mex_call *call, gpugeo_run *run) {
  run->interrupt = interrupt_hook;
  run->hook_data = call;
}

/* --- Settings --------------------------------------------------------------------------------- */

static void read_device(gg_mex_call *call, gpugeo_run *run) {
  const mxArray *device = gg_mex_option(call, "device");
  if (!device) return;
  const gg_given given = gg_mex_given(device);
  gg_mex_check(call, gg_device_number(&given, &run->device, &call->error));
}

void gg_mex_settings(gg_mex_call *call, bool single, gpugeo_run *run) {
  int64_t threads = run->threads;
  bool progress = gg_host_interactive();
  run->precision = single ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
  run->backend = gg_mex_choice(call, "backend", GPUGEO_ENUM_BACKEND, run->backend);
  gg_mex_whole(call, "threads", 1, GPUGEO_THREADS_MAX, &threads);
  run->threads = (int32_t)threads;
  read_device(call, run);
  gg_mex_whole(call, "memory_limit", 1 << 20, (int64_t)1 << 53, &run->work_bytes);
  run->precision = gg_mex_choice(call, "precision", GPUGEO_ENUM_PRECISION, run->precision);
  gg_mex_flag(call, "progress", &progress);
  gg_mex_set_interrupt(call, run);
  if (progress) run->progress = progress_hook;
  clock_gettime(CLOCK_MONOTONIC, &call->start);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* True if the user or the calling function has switched this warning off. */
static bool is_off(const char *identifier) {
  mxArray *arguments[] = {mxCreateString("query"), mxCreateString(identifier)}, *answer = NULL;
  mexCallMATLAB(1, &answer, 2, arguments, "warning");
  char state[8] = "";
  mxGetString(mxGetField(answer, 0, "state"), state, sizeof state);
  return strcmp(state, "off") == 0;
}

/* Raises a warning. mexWarnMsgIdAndTxt() would put the name __gpugeo__ before the text. One that is
   off is left out, because Octave 11 writes it to lastwarn(). */
static void warn(const char *identifier, const char *text) {
  if (is_off(identifier)) return;
  mxArray *arguments[] = {mxCreateString(identifier), mxCreateString("%s"), mxCreateString(text)};
  mexCallMATLAB(0, NULL, 3, arguments, "warning");
}

bool gg_mex_finish(gg_mex_call *call, gpugeo_status status, const gpugeo_report *report,
                   const char *y_name) {
  wipe_progress(call);
  if (!gg_mex_check(call, status)) return false;
  const int32_t notes = report ? report->notes : 0;
  if (notes & GPUGEO_NOTE_NONFINITE) warn("gpugeo:nonfinite", "treating non-finite values as NA");
  if (notes & GPUGEO_NOTE_ZERO_DEVIATION)
    warn("gpugeo:deviation", "the standard deviation is zero");
  if (notes & GPUGEO_NOTE_MISSING)
    warn("gpugeo:missing", gg_describe_missing(&report->missing, y_name).text);
  return true;
}
