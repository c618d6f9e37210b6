/* Distances that stay on a device, as input of a call. */
#ifndef GG_MEX_DIST_DEVICE_H
#define GG_MEX_DIST_DEVICE_H

#include "call.h"

/* Returns the distances on a device that a structure has the number of, which messages call `name`;
   NULL and an error if there are none. */
const gpugeo_dist_device *gg_mex_read_dist_device(gg_mex_call *call, const mxArray *value,
                                                  const char *name);

#endif
