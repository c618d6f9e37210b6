#include "witness.h"

/* Notes a call of a hook. */
static void note(witness *w) {
  if (!pthread_equal(pthread_self(), w->caller)) ++w->strangers;
  if (w->stop_at && w->asked >= w->stop_at) ++w->after;
}

static void progress(double fraction, void *data) {
  witness *w = data;
  note(w);
  ++w->told;
  if (fraction < w->last) w->backwards = true;
  if (!(fraction >= 0 && fraction <= 1)) w->beyond = true;
  w->last = fraction;
}

static int interrupt(void *data) {
  witness *w = data;
  note(w);
  ++w->asked;
  return w->stop_at && w->asked >= w->stop_at;
}

void witness_watch(witness *w, gpugeo_run *run) {
  w->caller = pthread_self();
  run->progress = progress;
  run->interrupt = interrupt;
  run->hook_data = w;
}
