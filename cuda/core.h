/* The core that uses the CUDA backend. */
#ifndef GG_CUDA_CORE_H
#define GG_CUDA_CORE_H

#include "backends/cuda_library.h"

namespace gpugeo {

/* Makes the functions of the core those of the table. False if another core uses the backend. */
bool use_core(const gg_core *core);

/* Ends the use, if it is by this core. */
void leave_core(const gg_core *core);

} // namespace gpugeo

#endif
