/* Distances that a family computes, on a device. */
#ifndef GG_DIST_DEVICE_LAZY_H
#define GG_DIST_DEVICE_LAZY_H

#include "gpugeo.h"

/*
 * Computes distances of a family to the memory of the host, and copies them to a device: there they
 * are doubles. missing: what a missing distance is read as. made: as gpugeo_dist_device_make().
 */
gpugeo_status gg_dist_device_of_lazy(const gpugeo_dist_lazy *lazy, const gpugeo_run *run,
                                     double missing, gpugeo_dist_device **made,
                                     gpugeo_report *report, gpugeo_error *error);

#endif
