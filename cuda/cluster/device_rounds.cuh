/* The rounds of a clustering whose working matrix is on one device. */
#ifndef GG_CUDA_CLUSTER_DEVICE_ROUNDS_CUH
#define GG_CUDA_CLUSTER_DEVICE_ROUNDS_CUH

#include "cluster/clusters.h"
#include "cuda/cluster/working.cuh"
#include "cuda/common/pieces.cuh"

namespace gpugeo {

/*
 * The lists of clusters are the core's, in memory of the host (gg_clusters): a round that rewrites
 * the matrix takes 12 bytes of each cluster to the host and 60 back. Rounds in place have lists of
 * their own on the device, and the host gets their merges when the next round rewrites the matrix.
 */
class device_rounds {
public:
  /* Takes clusters, which the core has made by then, and launches that merge them. */
  device_rounds(gg_clusters &clusters, gpugeo_linkage linkage, pieces &work)
      : clusters_(clusters), linkage_(linkage), work_(work) {}

  /* Returns the bytes of the lists of n clusters. */
  int64_t bytes(int64_t n) { return divide(n, nullptr); }

  /* Allocates them on the current device, for a matrix of n by n elements that is there. */
  void make(double *matrix, int64_t n);

  /* Merges until one cluster is left. The host has the nearest clusters, and so has the device. */
  void merge();

  /* Copy the nearest clusters to the host, and to the device. */
  void take_nearest();
  void send_nearest();

  const working_view &view() const { return w_; }

private:
  int64_t divide(int64_t n, char *memory);
  void rewrite();
  void run_in_place();
  void take_merges(const round_state &state);
  double fraction() const {
    return gg_clusters_fraction(&clusters_, gg_clusters_alive(&clusters_));
  }

  gg_clusters &clusters_;
  const gpugeo_linkage linkage_;
  pieces &work_;
  device_memory lists_;
  working_view w_ = {};
  round_view rounds_ = {};
};

} // namespace gpugeo

#endif
