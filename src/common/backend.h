/*
 * A backend: a table of what it can do and of its functions. Families ask the table, and nothing
 * but the table: no family compares numbers of backends. src/backends/backends.c lists all
 * backends.
 */
#ifndef GG_BACKEND_H
#define GG_BACKEND_H

#include <stdbool.h>

#include "common/backend_list.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "common/clock.h"
#include "common/platform.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Plans and results, each defined by its family. */
#define GG_DECLARE_PLAN(name, plan_type) typedef struct plan_type plan_type;
#define GG_DECLARE_RESULT(name, plan_type, result_type)                                            \
  typedef struct plan_type plan_type;                                                              \
  typedef struct result_type result_type;
GG_BACKEND_FUNCTIONS(GG_DECLARE_PLAN, GG_DECLARE_RESULT)
GG_DEVICE_FUNCTIONS(GG_DECLARE_PLAN, GG_DECLARE_RESULT)
typedef struct gg_point_lists gg_point_lists;
typedef struct gg_brought_points gg_brought_points;

/* What a call computes: GG_FAMILY_DIST, ... */
#define GG_FAMILY_NUMBER(name, cuda, title) GG_FAMILY_##name,
typedef enum gg_family { GG_FAMILY_LIST(GG_FAMILY_NUMBER) GG_FAMILIES } gg_family;

/* The bit of a family in a set of families: of at most 64. */
#define GG_FAMILY_BIT(family) (UINT64_C(1) << (family))

/* What a backend can do, and from which size on it is the faster one. */
typedef struct gg_capabilities {
  uint32_t algorithms[GG_FAMILIES]; /* 0: the backend does not have the family */
  uint64_t same_bits; /* of families: results are the CPU's, bit by bit; else only as accurate */
  bool devices;   /* computes on devices, numbered from 0; else the functions of devices are NULL */
  bool automatic; /* GPUGEO_BACKEND_AUTO may take it */
  bool sparse;    /* takes sparse matrices */
  bool sphere;    /* finds neighbours and collisions by great circles */
  bool ranks;     /* replaces points by their ranks itself */
  bool exclusive; /* serves one call at a time: refused in the hooks of a call that it computes */
  /* Estimates of time, in seconds, by which AUTO decides. */
  double call_seconds;     /* of a call, however small */
  double bytes_per_second; /* of input and output over the link */
  double work_per_second;  /* pairs of coordinates, of one device */
  double spread_seconds;   /* a call that takes one device longer is spread over all of them */
  /* Limits and thresholds of families. */
  int dgp_steps;           /* base-2 logarithm of the most steps that a search may take */
  int64_t exact_repulsion; /* up to so many vertices, exact repulsion is faster than the tree */
} gg_capabilities;

typedef struct gg_backend {
  gpugeo_backend id;
  const char *name;  /* as users write it: "cuda" */
  const char *title; /* in text: "CUDA" */
  gg_capabilities can;

  /* GPUGEO_OK, or GPUGEO_ERROR_BACKEND and the reason. */
  gpugeo_status (*available)(gpugeo_error *error);
  int32_t (*device_count)(void);
  /* Returns the device that is used by default. */
  int32_t (*device_default)(void);
  /* How many threads can compute a call together on a device, or on GPUGEO_DEVICE_ALL. */
  int32_t (*workers)(int32_t device);
  gpugeo_status (*device_get)(int32_t device, gpugeo_device *info, gpugeo_error *error);
  /* Frees all that is kept between calls; NULL: nothing is. */
  void (*release)(void);
  /* Most bytes that a table may take which grows with the memory that there is. */
  gpugeo_status (*table_bytes)(int32_t device, int64_t *bytes, gpugeo_error *error);

  /* The table of a library that available() has loaded, which then replaces this one and
     has all functions; NULL: this table has them. */
  const struct gg_backend *(*loaded)(void);

  /* NULL for those the backend does not have. */
#define GG_PLAN_MEMBER(name, plan_type) gpugeo_status (*name)(GG_PLAN_PARAMETERS(plan_type));
#define GG_RESULT_MEMBER(name, plan_type, result_type)                                             \
  gpugeo_status (*name)(GG_RESULT_PARAMETERS(plan_type, result_type));
  GG_BACKEND_FUNCTIONS(GG_PLAN_MEMBER, GG_RESULT_MEMBER)
  GG_DEVICE_FUNCTIONS(GG_PLAN_MEMBER, GG_RESULT_MEMBER)
  void (*dist_device_free)(gpugeo_dist_device *distances);
  /* Read distances between points, and columns [first, last) of the condensed order. */
  gpugeo_status (*dist_device_read)(const gpugeo_dist_device *from, const gg_point_lists *lists,
                                    double *out, gpugeo_error *error);
  gpugeo_status (*dist_device_columns)(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                       double *out, gg_call *call);
  void (*free_points)(gg_brought_points *points);
} gg_backend;

/* --- The backends there are ------------------------------------------------------------------- */

/* The one list, which stands above the families: src/backends/backends.c. */
extern const gg_backend *const gg_backend_list[];
extern const int gg_backend_list_length;

/* Returns the number of backends, whether they are available or not, and one of them by its index.
   The first computes everything, on the host. */
int gg_backend_count(void);
const gg_backend *gg_backend_at(int index);

/* Returns the backend of a number, or NULL for GPUGEO_BACKEND_AUTO and for numbers that no backend
 * has. */
const gg_backend *gg_backend_of(gpugeo_backend id);

/* Returns the first one. */
const gg_backend *gg_host_backend(void);

/* Checks that a backend can be used. *table becomes the table with its functions, which for a
   backend in a library is the library's. */
gpugeo_status gg_backend_open(const gg_backend *backend, const gg_backend **table,
                              gpugeo_error *error);

/* True if the backend has the family. */
bool gg_backend_has(const gg_backend *backend, gg_family family);

/* --- The backend of a call -------------------------------------------------------------------- */

/* What a call asks of a backend. */
typedef struct gg_request {
  gg_family family;
  bool sparse;   /* of sparse matrices */
  bool sphere;   /* neighbours or collisions by great circles */
  int algorithm; /* of the family: one that AUTO need not have; 0: any */
  /* By these AUTO decides. */
  double work;     /* the number of pairs of coordinates, */
  double skipped;  /* the part of the work that the host leaves out, as the coordinates are 0, */
  double bytes;    /* the input and output that would cross the link, */
  double latency;  /* the seconds of steps that wait for each other on a device, */
  double resident; /* and the bytes that a device must hold at a time, */
  bool alone;      /* to which nothing of that size is added, such as results */
} gg_request;

/* Checks all of a run's fields but the device. */
gpugeo_status gg_check_run(const gpugeo_run *run, gpugeo_error *error);

/* Returns the first backend that has the family, whether it is available or not. */
const gg_backend *gg_backend_with(gg_family family);

/* Checks that the backend that a run names has the family: 'backend must be "auto" or "cpu" for
   graphs, not "cuda"'. */
gpugeo_status gg_check_family(const gpugeo_run *run, gg_family family, gpugeo_error *error);

/* Checks that it has the algorithm, which users call `name`: 'method "divide-conquer" must be given
   with backend "cpu", not "cuda"'. */
gpugeo_status gg_check_algorithm(const gpugeo_run *run, gg_family family, int algorithm,
                                 const char *name, gpugeo_error *error);

/* Does the same for an algorithm that users know by another argument. what: as gg_fail_backend()
   takes it. */
GG_PRINTF(5, 6)
gpugeo_status gg_check_choice(const gpugeo_run *run, gg_family family, int algorithm,
                              gpugeo_error *error, const char *what, ...);

/* Fails because the host alone computes what the run asks of the backend that it names: 'backend
   must be "auto" or "cpu" for model "GG95", not "cuda"'. what: 'for model "%s"', with its values.
 */
GG_PRINTF(3, 4)
gpugeo_status gg_fail_backend(const gpugeo_run *run, gpugeo_error *error, const char *what, ...);

/* True if the run leaves it to gpugeo to compute on the host. */
bool gg_run_allows_host(const gpugeo_run *run);

/* Returns the backend for a run, opened, and its device, -1 where it has none; both are checked. */
gpugeo_status gg_backend_choose(const gpugeo_run *run, const gg_request *request,
                                const gg_backend **backend, int32_t *device, gpugeo_error *error);

/* Does the same for a family that uses all devices by default: `workers` threads compute, each
   on a device. *device is GPUGEO_DEVICE_ALL where they are on several. */
gpugeo_status gg_backend_spread(const gpugeo_run *run, const gg_request *request,
                                const gg_backend **backend, int32_t *device, int32_t *workers,
                                gpugeo_error *error);

/* Does the same for a job that takes one device, and all of them where one has too little memory:
   `divided` bytes of the request's are then divided equally among `workers`. */
gpugeo_status gg_backend_divide(const gpugeo_run *run, const gg_request *request, double divided,
                                const gg_backend **backend, int32_t *device, int32_t *workers,
                                gpugeo_error *error);

/* Returns the report of a call that is about to be computed so, workers 1 where it is not spread.
 */
gpugeo_report gg_report_of(const gg_backend *backend, int32_t device, int32_t workers,
                           int32_t threads);

/* Returns the report of a call that may turn out to have nothing to compute. Fails for a backend or
   device that is not there, whatever the size of the problem. */
gpugeo_status gg_report_start(const gpugeo_run *run, gg_family family, gpugeo_report *report,
                              gpugeo_error *error);

GG_C_END

#endif
