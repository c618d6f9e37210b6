/*
 * The life of a call on distances within n points, which all families share: the source is opened
 * and its points are counted, the metric's parameters are computed, a backend is chosen, the
 * distances of points are planned for it, and the report is finished. A family adds the checks of
 * its options, its request of a backend, and its plan:
 *
 *   gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
 *   gg_distance_call_open(&call, &limits);
 *   checks of the options and of the memory
 *   gg_distance_call_choose, _start, _report, _plan, and the function of call.backend
 *   return gg_distance_call_close(&call);
 *
 * Functions that take one do nothing after an error, as those that take a gg_call.
 */
#ifndef GG_DISTANCE_CALL_H
#define GG_DISTANCE_CALL_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/clock.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

GG_C_BEGIN

typedef struct gg_distance_call {
  gg_call base;
  const char *name; /* of the distances in messages */
  const gpugeo_distances *from;
  const gpugeo_metric_options *metric;
  gpugeo_points points;
  /* gg_distance_call_open() sets these: */
  gg_dist_source source;
  /* gg_distance_call_choose() sets these: */
  const gg_backend *backend;
  int32_t device, workers;
  /* gg_distance_call_plan() sets these: */
  gg_dist_plan plan;
  gg_dist_memory memory;
} gg_distance_call;

/* Returns a call that has not been opened. options: a pointer to the options of a family. */
#define GG_DISTANCE_CALL(name_, from_, options_, report_, error_)                                  \
  {                                                                                                \
    .base = {.run = &(options_)->run, .report = report_, .error = error_}, .name = name_,          \
    .from = from_, .metric = &(options_)->metric, .points = (options_)->points                     \
  }

/* What a family takes. */
typedef struct gg_distance_limits {
  gg_family family;    /* a backend that is named must have it */
  int64_t least, most; /* points */
  const char *purpose; /* of the points in messages: " to cluster"; NULL: none */
  bool spheres;        /* great circles are a metric */
} gg_distance_limits;

/* Checks the backend's name, the distances and the number of points, and starts the clock. The call
   must be closed by gg_distance_call_close(), also after a failure. */
gpugeo_status gg_distance_call_open(gg_distance_call *call, const gg_distance_limits *limits);

/* Checks the memory for so many doubles of result and working memory for each point, and for tiles
   of the distances with this side. */
gpugeo_status gg_distance_call_check_result(gg_distance_call *call, double values, int64_t side);

/* Chooses the backend: the host's for distances of other objects than points, and for points
   without coordinates, all of whose distances are missing. The device is that which has the
   distances, if one does. `divided` of the request's bytes may be divided among devices, whose
   number is call->workers then; 0: they may not. */
gpugeo_status gg_distance_call_choose(gg_distance_call *call, const gg_request *request,
                                      double divided);

/* Leaves the call to the host. */
void gg_distance_call_take_host(gg_distance_call *call);

/* Computes what all distances share, on the backend if it is chosen, else on the host. */
gpugeo_status gg_distance_call_start(gg_distance_call *call);

/* Sets the report of a call that is computed by so many threads. */
void gg_distance_call_report(gg_distance_call *call, int32_t threads);

/* Plans the distances of points if the backend computes on devices or `on_host`. *plan is NULL if
   they are not planned. The call has been started. */
gpugeo_status gg_distance_call_plan(gg_distance_call *call, bool on_host,
                                    const gg_dist_plan **plan);

/* Frees the call's memory, finishes its report, and returns its status. */
gpugeo_status gg_distance_call_close(gg_distance_call *call);

GG_C_END

#endif
