/* Kernels of collisions for any machine: see collide_kernel.h. */
#define GG_KERNELS gg_cpu_collide_generic
#include "points/cpu/collide_kernel.h"
