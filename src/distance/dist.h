/* Checks of the arguments of distances, and what fills in and passes on a plan of them. */
#ifndef GG_DIST_H
#define GG_DIST_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/plan.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Checks what all families of distances share: the run, the matrices (the second is called
   y_name), and all options except shape. */
gpugeo_status gg_dist_check(const gpugeo_matrix *x, const gpugeo_matrix *y, const char *y_name,
                            const gpugeo_dist_options *options, gpugeo_error *error);

/* Check parts of it: the options and the run; and everything that does not need the data of x
   and y, which may be in files. */
gpugeo_status gg_dist_check_options(const gpugeo_dist_options *options, gpugeo_type type,
                                    gpugeo_error *error);
gpugeo_status gg_dist_check_sizes(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const char *y_name, const gpugeo_dist_options *options,
                                  gpugeo_error *error);

/* What a plan owns until the backend is done. */
typedef struct gg_dist_memory {
  double *weight, *shared;
  void *made_x, *made_y;   /* points that replace the given ones */
  gg_point_facts facts[2]; /* of x and of y */
} gg_dist_memory;

/* Returns the request of a plan that is not prepared yet, without the bytes of the result; found is
   GG_HAS_... of x and y. */
gg_request gg_dist_request(const gg_dist_plan *plan, gg_family family,
                           const gpugeo_dist_options *options, int found);

/* Finds the facts of the points of a plan, whose backend and device are chosen, or NULL for the
   host's. *found gets GG_HAS_... of x and y. memory begins as {0} and must be freed by
   gg_dist_memory_free(), also after a failure. */
gpugeo_status gg_dist_inspect(gg_dist_plan *plan, const gpugeo_dist_options *options,
                              gg_dist_memory *memory, int *found, gg_call *call);

/* Sets the plan's fields for the metric; found is GG_HAS_... of x and y. memory begins as {0} or
   has been filled by gg_dist_inspect(). */
gpugeo_status gg_dist_prepare(gg_dist_plan *plan, const gpugeo_dist_options *options, int found,
                              gg_dist_memory *memory, gg_call *call);
void gg_dist_memory_free(gg_dist_memory *memory);

/* Does the same for some of the points, with the metric's parameters of all points
   (metric_params.h). memory begins as {0}. */
gpugeo_status gg_dist_prepare_shared(gg_dist_plan *plan, const gpugeo_dist_options *options,
                                     const double *shared, gg_dist_memory *memory, gg_call *call);

/* Chooses the backend of a plan that gg_dist_plan_make() has made, prepares the plan and computes
   it. Correlations are such jobs, too (see cor.c). shared: the metric's parameters of all points
   (metric_params.h), or NULL if x and y are all points: they are computed then, and found is
   GG_HAS_... of x and y. */
gpugeo_status gg_dist_run(gg_dist_plan *plan, const gpugeo_dist_options *options, int found,
                          const double *shared, gg_call *call);

/* Returns the bytes of working memory that distances between the points of x (and y unless it is
   NULL) take on the CPU, without each thread's own, which is less than 1 MiB. */
double gg_dist_working(const gpugeo_matrix *x, const gpugeo_matrix *y,
                       const gpugeo_dist_options *options);

/* Adds distances that are missing to a report. */
void gg_report_missing(gpugeo_report *report, const gpugeo_missing *missing);

/* Sets all elements of a result. */
void gg_fill(gpugeo_type type, void *out, int64_t size, double value);

GG_C_END

#endif
