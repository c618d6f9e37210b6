/* Distances that stay on the device. */
#ifndef GG_CUDA_DIST_RESIDENT_CUH
#define GG_CUDA_DIST_RESIDENT_CUH

#include "cuda/common/chunks.cuh"
#include "cuda/common/place.cuh"
#include "cuda/common/team.cuh"
#include "distance/dist.h"
#include "distance/dist_device.h"
#include "distance/dist_source.h"

namespace gpugeo {

/* Computes the distances of a plan within x to a matrix that the worker's device can write, which
   has finished then. budget: device memory that it may take meanwhile. untaken: shared by workers
   of the same budget, each of which computes a part of them. */
void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to, chunk_counter &untaken);

/* Does the same by one worker. */
void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to);

/* Returns all pairs of n points: the block whose values a condensed matrix has. */
__host__ __device__ inline pair_block all_pairs(int64_t n) { return {0, n, 0, n, 0, 1}; }

/* Brings all distances of a source to a matrix of doubles on the worker's device: copies them, or
   computes those of points. Returns the core's errors about distances. */
gpugeo_status fill_resident(const gg_dist_source &source, const gg_dist_plan *points,
                            const worker &here, int64_t budget, const resident_matrix &to,
                            gpugeo_error *error);

/* A matrix on a device. */
struct placed_matrix {
  device_resources *resources;
  resident_matrix matrix;
};

/* Copies distances from memory or a file, each once, to matrices of doubles, which have the same
   points and may be on several devices. The calling thread only. */
gpugeo_status copy_columns(const gg_dist_source &source, const std::vector<placed_matrix> &to,
                           gg_clock *clock, gpugeo_error *error);

/* Points in device memory, whose distances are read: those of `rows` from those of `columns`. */
struct device_lists {
  const int64_t *rows, *columns;
  int64_t row_count, column_count;

  __host__ __device__ int64_t count() const { return row_count * column_count; }
};

/* Copies distances that are on the device to `out`, which is there, too: row_count by column_count,
   column-major. Does not wait. */
void gather_distances(const gpugeo_dist_device &from, const device_lists &lists, double *out,
                      cudaStream_t stream);

/* Condensed distances of n points on the device: floats if `single`, else doubles. */
struct condensed_values {
  const void *values;
  int64_t n;
  bool single;
  double missing; /* replaces NaN when floats are widened */
};

/* Copies columns [first, last) of distances, which are finished, to `out` on the host. */
void fetch_columns(const condensed_values &from, int64_t first, int64_t last, double *out,
                   const worker &here);

} // namespace gpugeo

#endif
