/* Messages of both wrappers about values that never reach the core, such as functions as metrics
   and distances in memory of R or Octave. They are formats of sprintf() with %s, %d and %.0f only,
   which R and Octave read alike. */
#ifndef GG_MESSAGES_H
#define GG_MESSAGES_H

#include "common/c_linkage.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Returns the message of a name, or fills the error and returns NULL if there is none. */
const char *gg_find_message(const char *name, gpugeo_error *error);

GG_C_END

#endif
