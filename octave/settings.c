#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "distance/missing_rows.h"
#include "host.h"
#include "value.h"

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

void gg_mex_settings(gg_mex_call *call, bool single, gpugeo_run *run) {
  int32_t progress = gg_host_interactive();
  run->precision = single ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
  gg_mex_read_options(call, &gg_run_options, run);
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

/* Raises the warning gpugeo:<name>. mexWarnMsgIdAndTxt() would put the name __gpugeo__ before the
   text. One that is off is left out, because Octave 11 writes it to lastwarn(). */
static void warn(const char *name, const char *text) {
  char identifier[32];
  snprintf(identifier, sizeof identifier, "gpugeo:%s", name);
  if (is_off(identifier)) return;
  mxArray *arguments[] = {mxCreateString(identifier), mxCreateString("%s"), mxCreateString(text)};
  mexCallMATLAB(0, NULL, 3, arguments, "warning");
}

bool gg_mex_finish(gg_mex_call *call, gpugeo_status status, const gpugeo_report *report,
                   const char *y_name) {
  wipe_progress(call);
  if (!gg_mex_check(call, status)) return false;
  gg_note notes[GG_NOTES];
  const int count = report ? gg_describe_notes(report, y_name, notes) : 0;
  for (int i = 0; i < count; ++i)
    warn(notes[i].name, notes[i].text.text);
  return true;
}

bool gg_mex_ended(gg_mex_call *call, const char *y_name) {
  return gg_mex_finish(call, call->status, &call->report, y_name);
}
