/* The rounds of a clustering whose working matrix is on one device: what the host does. */
#include "cuda/cluster/device_rounds.cuh"

#include <vector>

#include "cuda/common/divider.cuh"

namespace gpugeo {
namespace {

constexpr int LEAST_ROUNDS = 4; /* in place that are enqueued at a time, at first */
constexpr int MOST_ROUNDS = 64; /* and later: so many between two polls of the hooks */

} // namespace

/* --- Memory ----------------------------------------------------------------------------------- */

/* Returns the bytes of the lists of n clusters, and divides the memory unless it is NULL. */
int64_t device_rounds::divide(int64_t n, char *memory) {
  divider part(memory);
  for (int32_t **list : {&w_.row, &w_.from, &w_.pair_of, &w_.low, &w_.high, &w_.nearest})
    part.take(*list, n);
  for (double **list : {&w_.size, &w_.ni, &w_.nj, &w_.dij, &w_.pair_size, &w_.distance})
    part.take(*list, n);
  part.take(rounds_.state, 1);
  part.take(rounds_.firsts, divide_up(n, 32));
  part.take(rounds_.found, larger(n, ROUND_BLOCKS));
  part.take(rounds_.lost, n);
  part.take(rounds_.ended, ROUND_BLOCKS);
  part.take(rounds_.merges, n);
  return part.bytes();
}

void device_rounds::make(double *matrix, int64_t n) {
  lists_.allocate(divide(n, nullptr));
  divide(n, lists_.as());
  GG_CUDA(cudaMemset(rounds_.ended, 0, ROUND_BLOCKS * sizeof(unsigned)));
  w_.values = matrix;
  w_.n = w_.rows = n;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

void device_rounds::take_nearest() {
  take_list(clusters_.nearest, w_.nearest, clusters_.active);
  take_list(clusters_.distance, w_.distance, clusters_.active);
}

void device_rounds::send_nearest() {
  bring_list(w_.nearest, clusters_.nearest, clusters_.active);
  bring_list(w_.distance, clusters_.distance, clusters_.active);
}

void device_rounds::merge() {
  while (gg_clusters_alive(&clusters_) > 1)
    if (gg_clusters_list_pairs(&clusters_))
      rewrite();
    else
      run_in_place();
}

/* Has the listed pairs merged in a matrix of fewer columns. */
void device_rounds::rewrite() {
  gg_clusters_begin_rewrite(&clusters_);
  const gg_clusters &c = clusters_;
  bring_list(w_.row, c.row, c.active);
  bring_list(w_.size, c.size, c.active);
  bring_list(w_.pair_of, c.pair_of, c.active);
  bring_list(w_.from, c.from, c.columns);
  bring_list(w_.low, c.pair.low, c.pairs);
  bring_list(w_.high, c.pair.high, c.pairs);
  bring_list(w_.ni, c.pair.ni, c.pairs);
  bring_list(w_.nj, c.pair.nj, c.pairs);
  bring_list(w_.dij, c.pair.dij, c.pairs);
  bring_list(w_.pair_size, c.pair_size, c.pairs);
  w_.active = c.active;
  w_.columns = c.columns;
  work_.run(fraction(), [&] { merge_rows(w_, linkage_, work_.stream()); });
  gg_clusters_take_columns(&clusters_);
  take_nearest();
}

/* Takes the merges of rounds in place to the lists of the host. */
void device_rounds::take_merges(const round_state &state) {
  std::vector<merge_step> merges((size_t)state.merged);
  take_list(merges.data(), rounds_.merges, state.merged);
  for (const merge_step &one : merges)
    gg_clusters_merge(&clusters_, one.low, one.high, one.distance);
  clusters_.credit = state.credit;
  take_nearest();
}

/* Merges pairs in place until the next round is to rewrite the matrix. */
void device_rounds::run_in_place() {
  const gg_clusters &c = clusters_;
  bring_list(w_.row, c.row, c.active);
  bring_list(w_.size, c.size, c.active);
  bring_list(w_.pair_of, c.pair_of, c.active);
  w_.active = c.active;
  round_state state = {};
  state.alive = gg_clusters_alive(&c);
  state.credit = c.credit;
  bring_list(rounds_.state, &state, 1);
  for (int rounds = LEAST_ROUNDS; !state.done; rounds = (int)smaller(2 * rounds, MOST_ROUNDS)) {
    work_.run(gg_clusters_fraction(&c, state.alive),
              [&] { merge_in_place(w_, rounds_, linkage_, rounds, work_.stream()); });
    take_list(&state, rounds_.state, 1);
  }
  take_merges(state);
}

} // namespace gpugeo
