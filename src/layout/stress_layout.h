/* Layouts by stress of one connected graph. */
#ifndef GG_LAYOUT_STRESS_LAYOUT_H
#define GG_LAYOUT_STRESS_LAYOUT_H

#include "layout/iterations.h"

/* Graphs of up to so many vertices have all vertices as pivots. */
enum { GG_STRESS_ALL = 1000, GG_STRESS_PIVOTS = 200 };

/* What vertices keep to next to fixed vertices and bounds; NULL: nothing. */
typedef struct gg_stress_held {
  const double *radius; /* of each vertex: distance from the origin; NaN: any */
  const double *anchor; /* vertices by dim: where options->init_weight pulls them */
} gg_stress_held;

/* Lays out a connected graph by stress, on the setting's backend if it can, else on the host, and
   then by forces if that is the algorithm. The plan has the graph and positions; its frames,
   iterations (negative: the default), tolerance and part of the progress. The layout starts from
   the positions unless `held` is NULL. `length` has the lengths of the entries of its graph; NULL:
   all 1. `forces` is a layout by forces, whose neighbours forces after stress should keep, vertices
   by dim, column-major, in any unit; NULL: none. */
gpugeo_status gg_layout_by_stress(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                  const double *length, const gg_stress_held *held,
                                  const double *forces, gg_layout_done *done);

/* True if a layout begins by stress. */
static inline bool gg_layout_is_by_stress(const gpugeo_layout_options *options) {
  return options->algorithm != GPUGEO_LAYOUT_ALGORITHM_FR;
}

/* Returns what the options have that only the host's layouts by stress have, or NULL. */
const char *gg_stress_host_option(const gpugeo_layout_options *options);

/* True if a backend's function lays out a component of so many vertices with these options: not all
   vertices are pivots, and nothing is the host's. */
bool gg_stress_fits_device(const gpugeo_layout_options *options, int64_t vertices);

/* Returns about how many bytes of device memory that takes, for a component of so many entries. */
double gg_stress_device_bytes(const gpugeo_layout_options *options, int64_t vertices,
                              int64_t entries);

/* Returns the bytes of working memory for a component of so many vertices. */
double gg_stress_bytes(const gpugeo_layout_options *options, int64_t vertices, int32_t threads);

#endif
