/* Hooks that note how a call has used them, and that stop it. */
#ifndef WITNESS_H
#define WITNESS_H

#include <pthread.h>
#include <stdbool.h>

#include "gpugeo.h"

typedef struct witness {
  int stop_at;            /* interrupt answers yes from this call of it on; 0: never */
  int told, asked;        /* calls of progress and of interrupt */
  int after;              /* calls of both after the first yes */
  int strangers;          /* calls from other threads than the one of witness_watch() */
  double last;            /* the last fraction */
  bool backwards, beyond; /* a fraction was smaller than the one before, or outside of [0, 1] */
  pthread_t caller;
} witness;

/* Sets the hooks of a run to ones that note their calls in w. w starts as {0}, or with stop_at. */
void witness_watch(witness *w, gpugeo_run *run);

#endif
