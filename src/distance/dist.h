/* The plan of a distance or correlation matrix, from the core to a backend. */
#ifndef GG_DIST_H
#define GG_DIST_H

#include <stdbool.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/matrix.h"
#include "distance/metric_names.h"
#include "distance/point_facts.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job with all arguments checked and all defaults filled in. Backends only compute. */
typedef struct gg_dist_plan {
  gpugeo_matrix x, y;                      /* y is x when symmetric */
  const gg_point_facts *x_facts, *y_facts; /* NULL where there are none */
  gpugeo_points points;
  int64_t nx, ny, m; /* points and coordinates, all at least 1 */
  bool symmetric;    /* within x */
  gg_step step;
  gg_prepare prepare;
  int finish;           /* GG_FINISH_... */
  bool single;          /* arithmetic in float */
  bool finite;          /* no coordinate is missing or infinite */
  bool ranked;          /* points are still to be replaced by their ranks, by the backend */
  double p;             /* steps power and halves */
  double sphere_radius; /* neighbours by great circles, see gg_sphere_of(); else 0 */
  const double *weight; /* m, steps seuclidean: one over the standard deviation; step gower: of a
                           column, negative if it is asymmetric; else NULL */
  const double *centre; /* m, GG_PREPARE_WHITENED and GG_PREPARE_SCALED */
  const double *factor; /* m by m row-major lower triangular, GG_PREPARE_WHITENED; m,
                           GG_PREPARE_SCALED */
  gpugeo_shape shape;
  gpugeo_type type; /* of out: double or float */
  void *out;
  double missing;            /* put in place of every NaN */
  int32_t threads;           /* at least 1 */
  const gg_backend *backend; /* that computes the plan; NULL: the host's */
  int32_t device;            /* CUDA device, from 0, or GPUGEO_DEVICE_ALL, */
  int32_t workers;           /* on which so many threads compute */
  int64_t work_bytes;        /* 0: the backend's default */
} gg_dist_plan;

/* Returns the number of elements of `factor`; with 0 there is no `centre` either. */
static inline int64_t gg_factor_size(const gg_dist_plan *plan) {
  return plan->prepare == GG_PREPARE_WHITENED ? plan->m * plan->m
         : plan->prepare == GG_PREPARE_SCALED ? plan->m
                                              : 0;
}

/* Returns the note of a plan that made values missing because a point is constant, as
   GG_STEP_correlation_missing marks it: distances have none. */
static inline int32_t gg_note_of_flat(const gg_dist_plan *plan) {
  return plan->finish & GG_FINISH_SIMILARITY ? GPUGEO_NOTE_ZERO_DEVIATION : 0;
}

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
  void *made_x, *made_y;   /* points in the place of those that were given */
  gg_point_facts facts[2]; /* of x and of y */
} gg_dist_memory;

/* Returns the plan of checked arguments that have at least one pair and one coordinate, without
   `out` and without the fields that gg_dist_prepare() sets. finish is GG_FINISH_... */
gg_dist_plan gg_dist_plan_make(const gpugeo_matrix *x, const gpugeo_matrix *y,
                               const gpugeo_dist_options *options, int finish);

/* True if x or y is sparse. */
bool gg_dist_is_sparse(const gg_dist_plan *plan);

/* True if the CPU leaves out coordinates where points are 0: some points are sparse when they are
   prepared, and the metric's steps change no sum there, as numbers are finite. */
bool gg_dist_skips_zeros(const gg_dist_plan *plan);

enum { GG_SPHERE_UNIT = 3, GG_SPHERE_ROOM = 6 }; /* values of a unit, and with the point */

/* Returns point i of x or y, in a plan of neighbours by great circles, as common/sphere.h has it.
   The plan's metric is the squared Euclidean distance of their units, which are the columns of x
   and y. */
static inline const double *gg_sphere_of(const gpugeo_matrix *x, int64_t i) {
  return (const double *)x->data + i * GG_SPHERE_ROOM + GG_SPHERE_UNIT;
}

/* Returns the number of coordinates of all pairs. */
double gg_dist_work(const gg_dist_plan *plan);

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

/* Plans a job and passes it to a backend. Correlations are such jobs, too (see cor.c). */
gpugeo_status gg_dist_run(const gpugeo_matrix *x, const gpugeo_matrix *y,
                          const gpugeo_dist_options *options, int finish, int found,
                          gpugeo_type type, void *out, gg_call *call);

/* Does the same for some of the points. */
gpugeo_status gg_dist_run_shared(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                 const gpugeo_dist_options *options, const double *shared,
                                 gpugeo_type type, void *out, gg_call *call);

/* Returns the bytes of working memory that distances between the points of x (and y unless it is
   NULL) take on the CPU, without each thread's own, which is less than 1 MiB. */
double gg_dist_working(const gpugeo_matrix *x, const gpugeo_matrix *y,
                       const gpugeo_dist_options *options);

/* Adds distances that are missing to a report. */
void gg_report_missing(gpugeo_report *report, const gpugeo_missing *missing);

/* Sets all elements of a result. */
void gg_fill(gpugeo_type type, void *out, int64_t size, double value);

#ifdef __cplusplus
}
#endif

#endif
