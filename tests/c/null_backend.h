/* A backend that computes next to nothing: that one can be added in one folder and one line. */
#ifndef NULL_BACKEND_H
#define NULL_BACKEND_H

#include "common/backend.h"

enum { NULL_BACKEND = 3 /* its number */ };

extern const gg_backend null_backend;

/* The number of calls that its functions have had. */
extern int null_calls;

#endif
