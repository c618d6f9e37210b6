/* A backend whose one device is memory of the host: what the core does with distances that stay on
   a device, on machines without one. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "common/backend.h"

enum { HOST_DEVICE = 4 /* its number */ };

extern const gg_backend host_device;

/* The matrices that it holds. */
extern int host_device_matrices;

#endif
