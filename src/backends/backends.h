/* The tables of backends. A backend is a folder and a line in backends.c. */
#ifndef GG_BACKENDS_H
#define GG_BACKENDS_H

#include "common/backend.h"
#include "common/c_linkage.h"

GG_C_BEGIN

extern const gg_backend gg_cpu_backend;

/* Where it was not built, it has the same capabilities and is never available: errors about methods
   and families then say the same. */
extern const gg_backend gg_cuda_backend;

GG_C_END

#endif
