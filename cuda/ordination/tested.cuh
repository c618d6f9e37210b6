/* The distances of a permutation test on the device. */
#ifndef GG_CUDA_TESTED_CUH
#define GG_CUDA_TESTED_CUH

#include <memory>

#include "cuda/common/pieces.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "cuda/distance/point_ranks.cuh"
#include "ordination/tested.h"

namespace gpugeo {

/* Distances of a source as a test needs them: checked, and as they are or as ranks. */
struct tested_source {
  const gg_dist_source *source; /* started */
  const gg_dist_plan *points;   /* of points; else NULL */
  const char *name;             /* in messages */
  bool infinite;                /* infinite distances are allowed, */
  bool negative;                /* and those below GG_LEAST_DISTANCE */
  bool ranked;                  /* replaces the distances by their ranks */
  bool own;                     /* a copy, also of distances that are on the device */
};

/* The condensed matrix of a test. */
class tested_distances {
public:
  /* Device memory that is used next to the matrix while distances are computed and ranked: at most
     MOST_REST, at least LEAST_REST. */
  static constexpr int64_t LEAST_REST = (int64_t)128 << 20, MOST_REST = (int64_t)768 << 20;

  /* Returns the bytes of the matrix of a source, and those that bring() takes with it. */
  static int64_t kept_bytes(const tested_source &from);
  static int64_t device_bytes(const tested_source &from);

  /* Brings, checks and ranks the distances, and waits for them; [done, done + share] of the call's
     progress. Returns the core's errors about distances. To be called once. */
  gpugeo_status bring(const tested_source &from, const worker &here, pieces &pieces, double done,
                      double share, gpugeo_error *error);

  const void *values() const { return values_; }
  double *own_values() const { return matrix_.as<double>(); }
  bool single() const { return single_; } /* floats, else doubles */

private:
  gpugeo_status fill(const tested_source &from, const worker &here, double done, double share,
                     gpugeo_error *error);
  gpugeo_status check(const tested_source &from, pieces &pieces, double done, gpugeo_error *error);
  void rank(pieces &pieces, double done);

  int64_t n_ = 0;
  bool single_ = false;
  const void *values_ = nullptr;
  device_memory matrix_, found_;
  std::unique_ptr<value_ranker> ranker_;
};

/* Returns so many bad distances, and the first, which has that index in the condensed matrix on the
   device. */
gg_bad_distances bad_distances(const void *values, bool single, int64_t n, unsigned long long count,
                               unsigned long long first);

} // namespace gpugeo

#endif
