/*
 * Bringing the distances of a test to the device, checking them, and ranking them.
 *
 * Limits: the link or the distance kernels, and the sort of ranks (cuda/common/sort.cu).
 */
#include "cuda/ordination/tested.cuh"

#include "cuda/common/launch.cuh"
#include "ordination/permuted_sums.h"

namespace gpugeo {
namespace {

enum { THREADS = 256 };

/* Distances that a test cannot take: how many, and the first in condensed order. */
struct survey {
  unsigned long long unfit, first_unfit, negative, first_negative;
};

template <class T>
__global__ void __launch_bounds__(THREADS)
    find_bad(const T *values, int64_t count, bool infinite, bool may_be_negative, survey *found) {
  for (int64_t e = this_item(); e < count; e += (int64_t)gridDim.x * blockDim.x) {
    const double value = (double)values[e];
    if (isnan(value) || (isinf(value) && !infinite)) {
      atomicAdd(&found->unfit, 1ull);
      atomicMin(&found->first_unfit, (unsigned long long)e);
    } else if (value < GG_LEAST_DISTANCE && !may_be_negative) {
      atomicAdd(&found->negative, 1ull);
      atomicMin(&found->first_negative, (unsigned long long)e);
    }
  }
}

/* Returns the number of pairs of n points. */
int64_t pairs_of(int64_t n) { return n * (n - 1) / 2; }

/* True if the matrix is the one that is on the device already. */
bool is_there(const tested_source &from) {
  return from.source->on_device && !from.own && !from.ranked;
}

} // namespace

int64_t tested_distances::kept_bytes(const tested_source &from) {
  return is_there(from) ? 0 : pairs_of(from.source->n) * (int64_t)sizeof(double);
}

int64_t tested_distances::device_bytes(const tested_source &from) {
  return from.ranked ? value_ranker::device_bytes(pairs_of(from.source->n)) : kept_bytes(from);
}

gpugeo_status tested_distances::bring(const tested_source &from, const worker &here, pieces &pieces,
                                      double done, double share, gpugeo_error *error) {
  n_ = from.source->n;
  gpugeo_status status = fill(from, here, done, share, error);
  if (!status) status = check(from, pieces, done + share, error);
  if (!status && from.ranked) rank(pieces, done + share);
  return status;
}

gpugeo_status tested_distances::fill(const tested_source &from, const worker &here, double done,
                                     double share, gpugeo_error *error) {
  const gpugeo_dist_device *there = from.source->on_device;
  if (from.ranked) ranker_.reset(new value_ranker(pairs_of(n_)));
  if (there && !from.own) {
    values_ = there->values;
    single_ = there->single;
    return GPUGEO_OK;
  }
  if (!from.ranked) matrix_.allocate(kept_bytes(from));
  void *const to = from.ranked ? ranker_->room() : matrix_.as();
  values_ = to;
  part_clock part(here.clock, done, share);
  worker mine = here;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*from.source, from.points, mine, budget, {to, n_, true}, error);
}

gg_bad_distances bad_distances(const void *values, bool single, int64_t n, unsigned long long count,
                               unsigned long long first) {
  gg_bad_distances bad = {(int64_t)count, 0, 0, 0};
  if (count == 0) return bad;
  const pair_block all = all_pairs(n);
  const int64_t e = (int64_t)first;
  bad.j = all.column_of(e);
  bad.i = bad.j + 1 + e - all.offset(bad.j);
  float value = 0;
  const int64_t bytes = single ? sizeof value : sizeof bad.value;
  GG_CUDA(cudaMemcpy(single ? (void *)&value : &bad.value,
                     static_cast<const char *>(values) + e * bytes, (size_t)bytes,
                     cudaMemcpyDeviceToHost));
  if (single) bad.value = (double)value;
  return bad;
}

/* Fails for distances that are missing, infinite or negative, as far as they are not allowed. */
gpugeo_status tested_distances::check(const tested_source &from, pieces &pieces, double done,
                                      gpugeo_error *error) {
  survey found = {0, ~0ull, 0, ~0ull};
  found_.allocate(sizeof found);
  copy_in(found_.as(), &found, sizeof found);
  const int64_t count = pairs_of(n_);
  const unsigned blocks = (unsigned)smaller(divide_up(count, THREADS), 1 << 14);
  pieces.begin(done);
  if (single_)
    find_bad<<<blocks, THREADS, 0, pieces.stream()>>>(static_cast<const float *>(values_), count,
                                                      from.infinite, from.negative,
                                                      found_.as<survey>());
  else
    find_bad<<<blocks, THREADS, 0, pieces.stream()>>>(static_cast<const double *>(values_), count,
                                                      from.infinite, from.negative,
                                                      found_.as<survey>());
  pieces.end();
  pieces.drain(done);
  GG_CUDA(cudaMemcpy(&found, found_.as(), sizeof found, cudaMemcpyDeviceToHost));
  const gg_bad_distances unfit =
      bad_distances(values_, single_, n_, found.unfit, found.first_unfit);
  const gg_bad_distances negative =
      bad_distances(values_, single_, n_, found.negative, found.first_negative);
  return gg_check_distances(from.name, &unfit, &negative, error);
}

void tested_distances::rank(pieces &pieces, double done) {
  pieces.begin(done);
  if (single_)
    ranker_->rank(static_cast<const float *>(values_), matrix_, pieces.stream());
  else
    ranker_->rank(static_cast<const double *>(values_), matrix_, pieces.stream());
  pieces.end();
  pieces.drain(done);
  ranker_.reset();
  values_ = matrix_.as();
  single_ = false;
}

} // namespace gpugeo
