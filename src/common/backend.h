/* A backend is one table of functions. */
#ifndef GG_BACKEND_H
#define GG_BACKEND_H

#include "dgp/dgp.h"
#include "dist/dist.h"
#include "dist/knn.h"
#include "dist/rank.h"
#include "layout/layout.h"
#include "points/closest.h"
#include "points/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_backend {
  gpugeo_backend id;
  /* GPUGEO_OK, or GPUGEO_ERROR_BACKEND and the reason. */
  gpugeo_status (*available)(gpugeo_error *error);
  int32_t (*device_count)(void);
  /* Returns the device that is used by default. */
  int32_t (*device_default)(void);
  /* Returns the number of devices that a call can use together. */
  int32_t (*device_spread)(void);
  gpugeo_status (*device_get)(int32_t device, gpugeo_device *info, gpugeo_error *error);
  /* Frees everything that is kept between calls. */
  void (*release)(void);

  /* The families. Each fills plan->out or its result, and adds to the report's notes
     and device_seconds. */
  gpugeo_status (*dist)(const gg_dist_plan *plan, gg_clock *clock, gpugeo_report *report,
                        gpugeo_error *error);
  gpugeo_status (*rank_pairs)(const gg_rank_plan *plan, gg_clock *clock, gpugeo_report *report,
                              gpugeo_error *error);
  gpugeo_status (*closest)(const gg_closest_plan *plan, gg_closest_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*collide)(const gg_collide_plan *plan, gg_collide_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*dgp)(const gg_dgp_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error);
  gpugeo_status (*dgp_rows)(const gg_dgp_rows_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error);
  gpugeo_status (*knn)(const gg_knn_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error);
  /* Expects ny + 1 zeros in found->start. */
  gpugeo_status (*radius)(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error);
  /* NULL where the backend has none. */
  gpugeo_status (*layout)(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*layout_forces)(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                 gpugeo_error *error);
} gg_backend;

extern const gg_backend gg_cpu_backend;
#ifdef GPUGEO_WITH_CUDA
extern const gg_backend gg_cuda_backend;
#endif

/* Checks all of a run's fields but the device. */
gpugeo_status gg_check_run(const gpugeo_run *run, gpugeo_error *error);

/* Returns the backend for a run and checks backend and device; `work` is the number of
   coordinate pairs and `bytes` the input and output that would cross the link, by which AUTO
   decides. */
gpugeo_status gg_backend_choose(const gpugeo_run *run, double work, double bytes,
                                const gg_backend **backend, int32_t *device, gpugeo_error *error);

/* Does the same for a family that uses all devices by default: `lanes` threads compute, each on
   a device. *device is GPUGEO_DEVICE_ALL where they are on several. */
gpugeo_status gg_backend_spread(const gpugeo_run *run, double work, double bytes,
                                const gg_backend **backend, int32_t *device, int32_t *lanes,
                                gpugeo_error *error);

/* Returns the report of a call before it is computed; lanes is 1 if it is not spread. */
gpugeo_report gg_report_of(const gg_backend *backend, int32_t device, int32_t lanes,
                           int32_t threads);

/* Starts the report of a call that may have nothing to compute. Fails if the backend or device
   is not available, for any size of the problem. */
gpugeo_status gg_report_start(const gpugeo_run *run, gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
