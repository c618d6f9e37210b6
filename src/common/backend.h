/*
 * A backend: a table of what it can do and of its functions. Families ask the table, and nothing
 * but the table: no family compares numbers of backends. src/backends/backends.c lists all
 * backends.
 */
#ifndef GG_BACKEND_H
#define GG_BACKEND_H

#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Plans and results, each defined by its family. */
typedef struct gg_dist_plan gg_dist_plan;
typedef struct gg_point_lists gg_point_lists;
typedef struct gg_inspect_plan gg_inspect_plan;
typedef struct gg_point_facts gg_point_facts;
typedef struct gg_brought_points gg_brought_points;
typedef struct gg_whitening_plan gg_whitening_plan;
typedef struct gg_whitening_result gg_whitening_result;
typedef struct gg_rank_plan gg_rank_plan;
typedef struct gg_kendall_plan gg_kendall_plan;
typedef struct gg_knn_plan gg_knn_plan;
typedef struct gg_radius_plan gg_radius_plan;
typedef struct gg_pairs gg_pairs;
typedef struct gg_mst_result gg_mst_result;
typedef struct gg_dbscan_plan gg_dbscan_plan;
typedef struct gg_reach_plan gg_reach_plan;
typedef struct gg_permuted_sums_plan gg_permuted_sums_plan;
typedef struct gg_mantel_plan gg_mantel_plan;
typedef struct gg_pcoa_plan gg_pcoa_plan;
typedef struct gg_mds_plan gg_mds_plan;
typedef struct gg_closest_plan gg_closest_plan;
typedef struct gg_closest_result gg_closest_result;
typedef struct gg_collide_plan gg_collide_plan;
typedef struct gg_collide_result gg_collide_result;
typedef struct gg_dgp_plan gg_dgp_plan;
typedef struct gg_dgp_sums_plan gg_dgp_sums_plan;
typedef struct gg_layout_plan gg_layout_plan;
typedef struct gg_layout_outcome gg_layout_outcome;
typedef struct gg_hclust_plan gg_hclust_plan;
typedef struct gg_merge gg_merge;
typedef struct gg_silhouette_plan gg_silhouette_plan;
typedef struct gg_silhouette_outcome gg_silhouette_outcome;

/* What a call computes. */
typedef enum gg_family {
  GG_FAMILY_DIST,
  GG_FAMILY_RANK_PAIRS, /* Spearman correlations of pairwise complete observations */
  GG_FAMILY_KNN,
  GG_FAMILY_RADIUS,
  GG_FAMILY_CLOSEST,
  GG_FAMILY_COLLIDE,
  GG_FAMILY_DGP,
  GG_FAMILY_DGP_SUMS,
  GG_FAMILY_DGP_GRAPH, /* computed by the core itself, on the host */
  GG_FAMILY_LAYOUT,
  GG_FAMILY_QUALITY, /* likewise */
  GG_FAMILY_HCLUST,
  GG_FAMILY_MST,
  GG_FAMILY_DBSCAN,
  GG_FAMILY_COPHENETIC, /* computed by the core itself, on the host */
  GG_FAMILY_HDBSCAN,
  GG_FAMILY_KENDALL,
  GG_FAMILY_PERMUTED_SUMS,
  GG_FAMILY_MANTEL,
  GG_FAMILY_DIST_DEVICE, /* distances that stay on a device */
  GG_FAMILY_PCOA,
  GG_FAMILY_MRPP, /* permuted sums that also have those of each group */
  GG_FAMILY_MDS,
  GG_FAMILY_SILHOUETTE,
  GG_FAMILIES
} gg_family;

/* A family's algorithms as bits: 1 << gpugeo_closest_algorithm, 1 << gpugeo_dgp_algorithm,
   1 << gpugeo_mds_type, and 1 << gpugeo_mds_type + GPUGEO_MDS_TYPE_COUNT for squares. */
#define GG_ALGORITHM(algorithm) (1u << (algorithm))
#define GG_ALL_ALGORITHMS       (~0u)

/* What a backend can do, and from which size on it is the faster one. */
typedef struct gg_capabilities {
  uint32_t algorithms[GG_FAMILIES]; /* 0: the backend does not have the family */
  uint32_t same_bits; /* 1 << family: results are the CPU's, bit by bit; else only as accurate */
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

  /* The families; NULL for those the backend does not have. Each fills plan->out or its result, and
     adds to the report's notes and device_seconds. */
  gpugeo_status (*dist)(const gg_dist_plan *plan, gg_clock *clock, gpugeo_report *report,
                        gpugeo_error *error);
  /* Computes distances to memory of the device, to made->values, which stays there until release()
     or dist_device_free(): both set it to NULL. */
  gpugeo_status (*dist_device_make)(const gg_dist_plan *plan, gpugeo_dist_device *made,
                                    gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
  void (*dist_device_free)(gpugeo_dist_device *distances);
  /* Read distances between points, and columns [first, last) of the condensed order. */
  gpugeo_status (*dist_device_read)(const gpugeo_dist_device *from, const gg_point_lists *lists,
                                    double *out, gpugeo_error *error);
  gpugeo_status (*dist_device_columns)(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                       double *out, gg_clock *clock, gpugeo_error *error);
  /* Finds out what distances depend on (point_facts.h), and may keep the points on the device,
     which free_points() frees; NULL: the core does. */
  gpugeo_status (*inspect_points)(const gg_inspect_plan *plan, gg_point_facts *facts,
                                  gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
  void (*free_points)(gg_brought_points *points);
  /* Factors a covariance for Mahalanobis' distance; NULL: the core does. */
  gpugeo_status (*whitening)(const gg_whitening_plan *plan, gg_whitening_result *result,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*rank_pairs)(const gg_rank_plan *plan, gg_clock *clock, gpugeo_report *report,
                              gpugeo_error *error);
  gpugeo_status (*knn)(const gg_knn_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error);
  /* Expects ny + 1 zeros in found->start. */
  gpugeo_status (*radius)(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*mst)(const gg_pairs *plan, gg_mst_result *result, gg_clock *clock,
                       gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*dbscan)(const gg_dbscan_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error);
  /* Finds the tree of mutual reachability, and fills plan->core. */
  gpugeo_status (*hdbscan)(const gg_reach_plan *plan, gg_mst_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*closest)(const gg_closest_plan *plan, gg_closest_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*collide)(const gg_collide_plan *plan, gg_collide_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*dgp)(const gg_dgp_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error);
  gpugeo_status (*dgp_sums)(const gg_dgp_sums_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error);
  gpugeo_status (*layout)(const gg_layout_plan *plan, gg_layout_outcome *outcome, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*kendall)(const gg_kendall_plan *plan, gg_clock *clock, gpugeo_report *report,
                           gpugeo_error *error);
  /* Writes n - 1 merges. */
  gpugeo_status (*hclust)(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                          gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*permuted_sums)(const gg_permuted_sums_plan *plan, gg_clock *clock,
                                 gpugeo_report *report, gpugeo_error *error);
  gpugeo_status (*mantel)(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error);
  /* Fills plan->result. */
  gpugeo_status (*pcoa)(const gg_pcoa_plan *plan, gg_clock *clock, gpugeo_report *report,
                        gpugeo_error *error);
  /* Moves plan->x, and fills plan->result but for the coordinates. A backend that has this has
     pcoa. */
  gpugeo_status (*mds)(const gg_mds_plan *plan, gg_clock *clock, gpugeo_report *report,
                       gpugeo_error *error);
  /* Adds up distances where it computes them. NULL on the host, where the core does. */
  gpugeo_status (*silhouette)(const gg_silhouette_plan *plan, gg_silhouette_outcome *outcome,
                              gg_clock *clock, gpugeo_report *report, gpugeo_error *error);
} gg_backend;

/* --- The backends there are --- */

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

/* Adds a backend to the list or, if its number is taken, puts it in the place of that one. It must
   stay where it is. Not while other threads call gpugeo. False if there is no room. */
bool gg_backend_add(const gg_backend *backend);

/* True if the backend has the family. */
bool gg_backend_has(const gg_backend *backend, gg_family family);

/* --- The backend of a call --- */

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

/* True if the run leaves it to gpugeo to compute on the host. */
bool gg_run_allows_host(const gpugeo_run *run);

/* Returns the backend for a run and its device, -1 where it has none; both are checked. */
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

#ifdef __cplusplus
}
#endif

#endif
