/* Closest pairs and collisions. Part of gpugeo.h. */
#ifndef GPUGEO_POINTS_H
#define GPUGEO_POINTS_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Closest pairs ---------------------------------------------------------------------------- */

/* A pair of points and their distance. */
typedef struct gpugeo_pair {
  int64_t i, j; /* rows of x with i < j; with y: i is a row of x, j a row of y */
  double distance;
} gpugeo_pair;

typedef enum gpugeo_closest_metric {
  GPUGEO_CLOSEST_METRIC_EUCLIDEAN = 0,
  GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE = 1 /* columns are longitude and latitude in degrees */
} gpugeo_closest_metric;

/* All algorithms give the same result. The sweeps and divide and conquer are those of Baroni, Braga
   and Moreano (2020), "Paralelização e otimização em GPU do problema do par de pontos mais
   próximos", WPerformance: points sorted along the first column in regions of 32. They find pairs
   within x, euclidean, without a box. */
typedef enum gpugeo_closest_algorithm {
  GPUGEO_CLOSEST_ALGORITHM_AUTO = 0, /* the grid */
  GPUGEO_CLOSEST_ALGORITHM_GRID = 1,
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0 = 2, /* their Algorithm 1 */
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V1 = 3, /* optimization 1: the loop of a point ends at delta */
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2 = 4, /* and optimization 2: the border shrinks with delta */
  GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER = 5, /* CPU only */
  GPUGEO_CLOSEST_ALGORITHM_COUNT = 6
} gpugeo_closest_algorithm;

typedef struct gpugeo_closest_options {
  size_t size; /* set by gpugeo_closest_options_init() */
  gpugeo_closest_metric metric;
  gpugeo_closest_algorithm algorithm;
  int64_t k;            /* number of pairs, 1 to the number of all pairs */
  int32_t distinct;     /* nonzero: leaves out pairs at distance 0 */
  double sphere_radius; /* of the sphere, for great circles: positive and finite; distances are in
                         its unit */
  const double *box;    /* length of the period of each column, 0: not periodic; NULL: none is */
  int64_t box_length;   /* ncol(x) */
  gpugeo_run run;       /* precision is ignored */
} gpugeo_closest_options;

/* Fills *options with the defaults: euclidean, auto, k = 1, pairs at distance 0 count, the mean
   radius of the Earth in metres (6371008.8), no box. size is sizeof(gpugeo_closest_options). */
GPUGEO_EXPORT void gpugeo_closest_options_init(gpugeo_closest_options *options, size_t size);

/* Computes the number of pairs to allocate for gpugeo_closest_pair(), which is options->k. Checks
   all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_closest_pair_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                     const gpugeo_closest_options *options,
                                                     int64_t *size, gpugeo_error *error);

/*
 * Finds the k closest pairs among the rows of x or, if y is not NULL, of a row of x and a row of y.
 * Pairs are in ascending order of distance, ties in ascending order of i, then j.
 *
 * x, y   1 to 3 columns, at least a pair of rows, no missing or infinite coordinates
 * pairs  gpugeo_closest_pair_size() elements
 * found  number of pairs written: fewer than k only with `distinct`
 * ties   number of pairs that have the smallest distance; 0 if none was found
 *
 * Integer coordinates are compared exactly (as doubles if a length of the box is not a whole
 * number). Doubles are compared by the squared distance that fma computes in the order of the
 * columns, after scaling by a power of two: no square overflows, and differences down to 2^-990 of
 * the largest coordinate keep all digits. Great circles are compared by the haversine.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_closest_pair(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                const gpugeo_closest_options *options,
                                                gpugeo_pair *pairs, int64_t *found, int64_t *ties,
                                                gpugeo_report *report, gpugeo_error *error);

/* --- Collisions ------------------------------------------------------------------------------- */

/* What is computed; the number of pairs always is. */
typedef enum gpugeo_collisions_what {
  GPUGEO_COLLISIONS_WHAT_COUNT = 0,     /* the number of pairs that collide */
  GPUGEO_COLLISIONS_WHAT_PER_POINT = 1, /* also the number of collisions of each point of x */
  GPUGEO_COLLISIONS_WHAT_PAIRS = 2,     /* also the pairs */
  GPUGEO_COLLISIONS_WHAT_TABLE = 3      /* also the number for each pair of groups */
} gpugeo_collisions_what;

/* All algorithms give the same result. Usual, cyclic and lattice are those of ElfColCnt, which
   counts collisions of points of a chain. */
typedef enum gpugeo_collisions_algorithm {
  GPUGEO_COLLISIONS_ALGORITHM_AUTO = 0,
  GPUGEO_COLLISIONS_ALGORITHM_GRID = 1,
  GPUGEO_COLLISIONS_ALGORITHM_USUAL = 2,  /* all pairs: each point with those after it */
  GPUGEO_COLLISIONS_ALGORITHM_CYCLIC = 3, /* all pairs: each point with the next (n - 1) / 2 in a
                                          circle; within x only */
  GPUGEO_COLLISIONS_ALGORITHM_LATTICE = 4 /* whole-number points that collide if they are equal:
                                          radius, or sum of two radii, below 1 */
} gpugeo_collisions_algorithm;

typedef struct gpugeo_collisions_options {
  size_t size; /* set by gpugeo_collisions_options_init() */
  gpugeo_collisions_what what;
  gpugeo_collisions_algorithm algorithm;
  double radius;        /* two points collide at a distance of at most radius: positive, finite;
                           NaN, the default, is an error without radii */
  const double *radii;  /* instead: at most r_i + r_j, with a positive, finite radius for each point
                           of x, then of y; NULL: radius */
  int64_t radii_length; /* nrow(x) + nrow(y) */
  int64_t exclude;      /* pairs with |i - j| <= exclude do not collide: at least 0; 0 with y */
  const int32_t *group; /* what TABLE: the group of each point of x, then of y, 0 to groups - 1 */
  int64_t group_length; /* nrow(x) + nrow(y) */
  int32_t groups;       /* number of groups */
  const double *box;  /* as in gpugeo_closest_options; a length that is not 0 must be at least twice
                         the radius, or the largest sum of two radii */
  int64_t box_length; /* ncol(x) */
  gpugeo_run run;     /* precision is ignored */
  gpugeo_closest_metric metric; /* great circles: two columns, no box, not the algorithm LATTICE */
  double sphere_radius; /* of the sphere, for great circles: positive and finite; radius and radii
                           are distances in its unit */
} gpugeo_collisions_options;

/* Fills *options with the defaults: count, auto, no radius, radii, groups or box, euclidean, the
   mean radius of the Earth in metres (6371008.8). size is sizeof(gpugeo_collisions_options). */
GPUGEO_EXPORT void gpugeo_collisions_options_init(gpugeo_collisions_options *options, size_t size);

/* A computation, running or finished. */
typedef struct gpugeo_collisions gpugeo_collisions;

/*
 * Starts to find the collisions among the rows of x or, if y is not NULL, between those of x and
 * those of y. Returns as soon as the arguments are checked and copied; the computation continues on
 * a thread of its own. The hooks of options->run are not called.
 *
 * x, y        1 to 3 columns, no missing or infinite coordinates
 * collisions  allocated by the call; the caller releases it with gpugeo_collisions_free()
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_launch(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                     const gpugeo_collisions_options *options,
                                                     gpugeo_collisions **collisions,
                                                     gpugeo_error *error);

/* Finds the same collisions and returns when they are found. Calls the hooks of options->run, and
   does not copy x and y. */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_compute(const gpugeo_matrix *x,
                                                      const gpugeo_matrix *y,
                                                      const gpugeo_collisions_options *options,
                                                      gpugeo_collisions **collisions,
                                                      gpugeo_error *error);

/* True (nonzero) if the computation has ended, with success or not. Never waits. */
GPUGEO_EXPORT int32_t gpugeo_collisions_done(const gpugeo_collisions *collisions);

/*
 * Waits until a computation has ended, and returns its status. It can be called any number of
 * times.
 *
 * run    its hooks are called while the call waits; NULL: none. If a hook stops the call, the
 *        computation continues, and can be waited for again.
 * count  the number of pairs that collide; may be NULL
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_wait(gpugeo_collisions *collisions,
                                                   const gpugeo_run *run, int64_t *count,
                                                   gpugeo_report *report, gpugeo_error *error);

/*
 * Copy the results of a finished computation. Each fails with GPUGEO_ERROR_ARGUMENT if the options
 * did not ask for it, or the computation has not ended, and else with the status of the
 * computation.
 *
 * per_point  nrow(x) elements: the number of collisions of each point of x
 * pairs      count by 2, column-major, of type int32 or double: rows i of x and j of x or y, in
 *            ascending order of i, then j; within x i < j
 * table      groups by groups, column-major: with y, element (a, b) counts pairs of a point of x in
 *            group a and a point of y in group b; within x it is symmetric, and counts a pair of
 *            points of one group once
 * distance   count elements: the distance of each of the pairs. x and y are the points that were
 *            computed, y NULL within x
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_per_point(const gpugeo_collisions *collisions,
                                                        double *per_point, gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_pairs(const gpugeo_collisions *collisions,
                                                    gpugeo_type type, void *pairs,
                                                    gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_table(const gpugeo_collisions *collisions,
                                                    double *table, gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_distances(const gpugeo_collisions *collisions,
                                                        const gpugeo_matrix *x,
                                                        const gpugeo_matrix *y, double *distance,
                                                        gpugeo_error *error);

/* Ends the computation and releases it; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_collisions_free(gpugeo_collisions *collisions);

#ifdef __cplusplus
}
#endif

#endif
