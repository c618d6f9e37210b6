/* The pairs of a distance matrix in tiles, which are passed to a sink. */
#ifndef GG_CPU_TILES_H
#define GG_CPU_TILES_H

#include "common/call.h"
#include "common/sparse.h"
#include "distance/cpu/tile.h"
#include "distance/cpu/tile_sink.h"
#include "distance/dist.h"

/* Computes or reads all tiles of a plan: within x, those on and below the diagonal. */
gpugeo_status gg_cpu_tiles(const gg_dist_plan *plan, const gg_cpu_sink *sink, gg_call *call);

/* Copies a block of points to z[k * stride + i], as doubles, with zeros for i from their number to
   stride - 1. */
void gg_cpu_load_points(const gpugeo_matrix *x, gpugeo_points points, gg_block block,
                        int64_t stride, double *z);

/* Returns the kernels of the instruction set in use, which are static. */
const gg_cpu_kernels *gg_cpu_kernels_for(bool single);

#endif
