/* The interface between the CPU's searches for collisions and their kernels. */
#ifndef GG_CPU_COLLIDE_KERNELS_H
#define GG_CPU_COLLIDE_KERNELS_H

#include "common/simd.h"
#include "points/collide_plan.h"
#include "points/cpu/grid.h"
#include "points/sphere_plan.h"

/* Elements after the last of each array of points that may be read. */
enum { GG_CPU_PAD = 8 };

/* Points in the order of the search: coordinates and radii times the rule's scale. */
typedef struct gg_cpu_points {
  int64_t n;
  double *coordinate[GG_POINT_COLUMNS]; /* those there are */
  double *radius;                       /* or NULL */
  double *row;                          /* of the matrix */
  double *block;                        /* the memory of all */
} gg_cpu_points;

/* A range of points in that order. */
typedef struct gg_span {
  int64_t begin, end;
} gg_span;

/* Which of the colliding pairs (i, j) count, by their rows. */
typedef enum gg_cpu_filter {
  GG_CPU_ALL,   /* any */
  GG_CPU_APART, /* |i - j| > exclude: within x no point with itself */
  GG_CPU_AFTER, /* j - i > exclude */
  GG_CPU_FILTERS
} gg_cpu_filter;

typedef struct gg_cpu_search gg_cpu_search;

/* Returns how many points of b in the spans collide with point i of a. */
typedef int64_t gg_cpu_count(const gg_cpu_search *search, int64_t i, const gg_span *spans,
                             int count);

/* Does the same and writes their positions in b to `found`, which has room for all of the spans. */
typedef int64_t gg_cpu_list(const gg_cpu_search *search, int64_t i, const gg_span *spans, int count,
                            int32_t *found);

/* The kernels of one instruction set, by columns - 1, presence of a box, presence of radii, and
   filter. */
typedef struct gg_cpu_collide_kernels {
  gg_cpu_count *count[GG_POINT_COLUMNS][2][2][GG_CPU_FILTERS];
  gg_cpu_list *list[GG_POINT_COLUMNS][2][2][GG_CPU_FILTERS];
} gg_cpu_collide_kernels;

extern const gg_cpu_collide_kernels GG_SIMD_FORMS(gg_cpu_collide);

/* How often a search finds a pair. */
typedef enum gg_cpu_pairing {
  GG_CPU_ONCE, /* each pair once, from either end */
  GG_CPU_OWN   /* all pairs of a point, or all with a later one, when it is this point's turn */
} gg_cpu_pairing;

/* A search on a sphere: the plan of the search is that of the units of the points, in space, within
   a chord that is long enough, and what its kernel lists is tested again. */
typedef struct gg_cpu_sphere {
  gg_sphere_plan places;
  double sure;       /* units at most that far apart collide; may be negative */
  gg_cpu_list *list; /* the kernel */
} gg_cpu_sphere;

/* One search: points of a are tested with points of b. */
struct gg_cpu_search {
  const gg_collide_plan *plan;
  gg_collide_result *result;
  gpugeo_collisions_what
      what;           /* to be found by the present pass: the plan's, or COUNT before PAIRS */
  gg_cpu_points a, b; /* the same within x */
  gg_cpu_pairing pairing;
  gg_cpu_filter filter;
  gg_cpu_count *count;
  gg_cpu_list *list;
  gg_cpu_sphere *sphere; /* or NULL */
  double limit;          /* the squared distance at which points collide, without radii */
  bool far;              /* points may be more than a box apart */
  bool filling;          /* second search of PAIRS */
  /* Lists of partners by task, each row's number, their number and themselves, so there need
     be no second search: NULL when they are not kept. */
  int32_t **lists;
  int64_t list_bytes;   /* of all lists; beyond the plan's work_bytes they are given up */
  bool lists_lost;      /* set by any thread */
  gg_call *call;        /* threads only read its clock */
  double before, share; /* fraction done before this pass, and its part of the whole */
};

#endif
