/*
 * What the core and the CUDA backend's shared object, libgpugeo_cuda.so, know of each other.
 *
 * The core loads the file by itself (cuda.c), hidden from the rest of the process, and the file has
 * no symbol of the core: the core hands over a table of its functions (gg_core), and the file gives
 * the backend's table. cuda/core.cc defines the functions of gg_core under their own names, so
 * code in cuda/ calls them as the core does.
 */
#ifndef GG_BACKENDS_CUDA_LIBRARY_H
#define GG_BACKENDS_CUDA_LIBRARY_H

#include <stdarg.h>

#include "cluster/clusters.h"
#include "cluster/mst.h"
#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/error.h"
#include "common/parallel.h"
#include "common/sparse.h"
#include "common/test_hooks.h"
#include "common/thread_flags.h"
#include "distance/knn.h"
#include "distance/rank.h"
#include "layout/pivot_axes.h"
#include "ordination/mds_solve.h"
#include "ordination/pcoa_solve.h"
#include "ordination/tested.h"
#include "points/closest_plan.h"
#include "points/collide_result.h"
#include "points/points.h"

GG_C_BEGIN

/* Changes when gg_cuda_about, gg_core or gg_cuda_library change. */
enum { GG_CUDA_ABI = 14 };

/* The makefiles define them: a checksum of the sources of the CUDA backend and of all headers, as
   a file from other sources can have other structs; and sm_80+sm_90+ptx_90. */
#ifndef GG_CUDA_SOURCES
#define GG_CUDA_SOURCES unknown
#endif
#ifndef GG_CUDA_ARCHITECTURES
#define GG_CUDA_ARCHITECTURES none
#endif
#define GG_TEXT_OF(word)                                    #word
#define GG_TEXT(macro)                                      GG_TEXT_OF(macro)

/* The functions of the core that cuda/ calls: FUNCTION(type, name, parameters, arguments), and
   PROCEDURE without the type. gg_fail() calls gg_fail_list(). */
/* clang-format off */
#define GG_CORE_FUNCTIONS(FUNCTION, PROCEDURE) \
  PROCEDURE(gpugeo_run_init, (gpugeo_run *run, size_t size), (run, size)) \
  FUNCTION(gpugeo_status, gg_fail_list, (gpugeo_error *error, gpugeo_status code, \
      const char *argument, const char *format, va_list list), \
      (error, code, argument, format, list)) \
  FUNCTION(gpugeo_status, gg_fail_interrupt, (gpugeo_error *error), (error)) \
  FUNCTION(double, gg_now, (void), ()) \
  PROCEDURE(gg_clock_start, (gg_clock *clock, const gpugeo_run *run), (clock, run)) \
  FUNCTION(bool, gg_clock_poll, (gg_clock *clock, double fraction), (clock, fraction)) \
  PROCEDURE(gg_clock_part_begin, (gg_clock *whole, double done, double share, \
      gg_clock_part *part), (whole, done, share, part)) \
  PROCEDURE(gg_clock_part_end, (gg_clock_part *part), (part)) \
  FUNCTION(bool, gg_thread_is, (gg_thread_flag flag), (flag)) \
  FUNCTION(bool, gg_thread_set, (gg_thread_flag flag, bool value), (flag, value)) \
  FUNCTION(int32_t, gg_copying_threads, (int32_t threads), (threads)) \
  FUNCTION(bool, gg_parallel_for, (const gg_loop *loop), (loop)) \
  PROCEDURE(gg_parallel_copying, (bool begins), (begins)) \
  FUNCTION(int64_t, gg_sparse_part_slices, (const gg_sparse_part *part), (part)) \
  PROCEDURE(gg_sparse_part_find, (const gg_sparse_part *part, int64_t slice, int64_t *begin, \
      int64_t *end), (part, slice, begin, end)) \
  PROCEDURE(gg_sparse_part_copy, (const gg_sparse_part *part, int64_t slice, int64_t begin, \
      int64_t end, gg_sparse_entry *to), (part, slice, begin, end, to)) \
  FUNCTION(gpugeo_status, gg_radius_allocate, (gpugeo_neighbors *found, gpugeo_error *error), \
      (found, error)) \
  FUNCTION(gpugeo_status, gg_dist_source_columns, (const gg_dist_source *source, int64_t first, \
      int64_t last, double *out, gpugeo_error *error), (source, first, last, out, error)) \
  FUNCTION(gpugeo_status, gg_fail_distances, (const char *name, const gg_bad_distances *bad, \
      gpugeo_error *error), (name, bad, error)) \
  FUNCTION(gpugeo_status, gg_check_distances, (const char *name, const gg_bad_distances *unfit, \
      const gg_bad_distances *negative, gpugeo_error *error), (name, unfit, negative, error)) \
  FUNCTION(gpugeo_status, gg_pcoa_solve, (const gg_pcoa_plan *plan, const gg_gower *gower, \
      gpugeo_error *error), (plan, gower, error)) \
  PROCEDURE(gg_pivot_axes_find, (const gg_pivot_products *products, int64_t pivots, int32_t dim, \
      gg_pivot_axes *axes), (products, pivots, dim, axes)) \
  FUNCTION(gpugeo_status, gg_mds_solve, (const gg_mds_plan *plan, \
      const gg_mds_products *products, gpugeo_error *error), (plan, products, error)) \
  FUNCTION(gpugeo_status, gg_clusters_make, (const gg_hclust_plan *plan, gg_merge *merges, \
      gg_clusters *clusters, gpugeo_error *error), (plan, merges, clusters, error)) \
  PROCEDURE(gg_clusters_free, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_set_scale, (gg_clusters *clusters, gpugeo_linkage linkage, double most), \
      (clusters, linkage, most)) \
  FUNCTION(bool, gg_clusters_list_pairs, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_begin_rewrite, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_take_columns, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_merge, (gg_clusters *clusters, int64_t low, int64_t high, \
      double distance), (clusters, low, high, distance)) \
  PROCEDURE(gg_clusters_begin_round, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_end_round, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_search_all, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_lose_merged, (gg_clusters *clusters), (clusters)) \
  FUNCTION(bool, gg_clusters_removes, (const gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_next_removal, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_remove, (gg_clusters *clusters), (clusters)) \
  PROCEDURE(gg_clusters_scale_squares, (gg_clusters *clusters), (clusters)) \
  FUNCTION(gpugeo_status, gg_forest_make, (int64_t n, const double *cores, int64_t room, \
      int32_t threads, gg_forest *forest, gpugeo_error *error), \
      (n, cores, room, threads, forest, error)) \
  PROCEDURE(gg_forest_free, (gg_forest *forest), (forest)) \
  FUNCTION(bool, gg_tree_shows_finite, (const gg_dist_source *points, \
      const gg_mst_result *found), (points, found)) \
  FUNCTION(gg_point_range, gg_point_range_join, (const gg_point_range *a, \
      const gg_point_range *b), (a, b)) \
  PROCEDURE(gg_point_load, (const gg_point_rule *rule, const gpugeo_matrix *x, int64_t i, \
      double *point), (rule, x, i, point)) \
  FUNCTION(gpugeo_status, gg_closest_rule, (const gg_closest_plan *plan, \
      const gg_point_range *x_range, const gg_point_range *y_range, gg_point_rule *rule, \
      gpugeo_error *error), (plan, x_range, y_range, rule, error)) \
  FUNCTION(gpugeo_status, gg_collide_room, (const gg_collide_plan *plan, \
      gg_collide_result *result, gpugeo_error *error), (plan, result, error))
/* clang-format on */

#define GG_CORE_FUNCTION(type, name, parameters, arguments) type(*name) parameters;
#define GG_CORE_PROCEDURE(name, parameters, arguments)      void(*name) parameters;
typedef struct gg_core {
  GG_CORE_FUNCTIONS(GG_CORE_FUNCTION, GG_CORE_PROCEDURE)
} gg_core;
#undef GG_CORE_PROCEDURE
#undef GG_CORE_FUNCTION

/* Which file it is: the only part that the core reads before it has checked the ABI number. Its
   layout never changes. */
typedef struct gg_cuda_about {
  int32_t abi;
  char version[32];        /* of gpugeo */
  char sources[32];        /* GG_CUDA_SOURCES */
  char architectures[256]; /* GG_CUDA_ARCHITECTURES */
  char text[512];          /* all of these in a form that configure finds in the file */
} gg_cuda_about;

#define GG_CUDA_ABOUT                                                                              \
  {                                                                                                \
    GG_CUDA_ABI, GPUGEO_VERSION, GG_TEXT(GG_CUDA_SOURCES), GG_TEXT(GG_CUDA_ARCHITECTURES),         \
        "gpugeo CUDA library " GPUGEO_VERSION                                                      \
        " of sources " GG_TEXT(GG_CUDA_SOURCES) " for " GG_TEXT(GG_CUDA_ARCHITECTURES) ";"         \
  }

/* What the file gives. */
typedef struct gg_cuda_library {
  const gg_backend *backend;
  gpugeo_status (*layout_forces)(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                 gpugeo_error *error); /* for tests */
  /* Ends the use by the core with this table, which is about to be unloaded. */
  void (*leave)(const gg_core *core);
} gg_cuda_library;

/* The file's two symbols, the second a function. It keeps the core's table and returns its own, or
   NULL for another ABI number and while another core in this process uses the file. */
#define GG_CUDA_ABOUT_SYMBOL   "gpugeo_cuda_about"
#define GG_CUDA_BACKEND_SYMBOL "gpugeo_cuda_backend"
typedef const gg_cuda_library *gg_cuda_open(int32_t abi, const gg_core *core);

GG_C_END

#endif
