/*
 * Correlations of all pairs of columns that are ranked on the device: what those of Kendall and
 * those of Spearman for pairwise complete observations share. Columns are there in panels, the
 * fewest that the device's memory allows, usually one.
 *
 * A plan is a gg_kendall_plan or a gg_rank_plan.
 */
#ifndef GG_CUDA_COLUMN_PAIRS_CUH
#define GG_CUDA_COLUMN_PAIRS_CUH

#include "cuda/common/chunks.cuh"
#include "cuda/common/device.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/column_ranks.cuh"

namespace gpugeo {

/* Columns on the device at a time, and results in one of two chunks. */
struct column_panels {
  int64_t panel, values;
};

/* Divides the columns into panels of at least one column. column: bytes of one in both stores;
   rest: bytes that are left for columns and results. */
template <class Plan>
column_panels divide_columns(const Plan &plan, const result &to, int64_t column, int64_t rest) {
  const int64_t most = 1 << 17; /* so that a column of results fits into a slot */
  const int64_t longest = larger(plan.x->columns, plan.y->columns);
  const int64_t value = to.value_bytes();
  column_panels d;
  d.panel = smaller(rest / (column + 2 * chunk_queue::COLUMNS * value), most);
  d.panel = smaller(larger(d.panel, 1), longest);
  const int64_t spare = (rest - d.panel * column) / 2 / value;
  d.values = larger(chunk_queue::COLUMNS * d.panel,
                    smaller(chunk_queue::values_wanted(to, plan.workers), spare));
  return d;
}

/* Loads panels and has compute(block, same) handle each pair of them in which this worker takes
   part. load_x(first, count) and load_y(first, count) bring columns; if `same`, those of y are
   those of x and are not loaded. */
template <class Plan, class LoadX, class LoadY, class Compute>
void visit_panels(const Plan &plan, int64_t panel, chunk_queue &chunks, cudaStream_t upload,
                  LoadX load_x, LoadY load_y, Compute compute) {
  const bool symmetric = plan.x == plan.y;
  for (int64_t i = 0; i < plan.x->columns; i += panel) {
    const int64_t i_end = smaller(i + panel, plan.x->columns);
    bool there = false;
    for (int64_t j = 0; j < (symmetric ? i_end : plan.y->columns); j += panel) {
      const int64_t j_end = smaller(j + panel, plan.y->columns);
      const bool same = symmetric && i == j;
      const pair_block block = {i, i_end, j, j_end, same ? j : j_end, 0};
      if (!chunks.takes_part(block)) continue;
      chunks.wait_for_chunks(upload); /* they may read what the stores hold */
      if (!there) load_x(i, i_end - i);
      there = true;
      if (!same) load_y(j, j_end - j);
      compute(block, same);
    }
  }
}

/* True if a panel of y is there next to one of x. */
template <class Plan> bool has_two_panels(const Plan &plan, int64_t panel) {
  return plan.x != plan.y || panel < plan.x->columns;
}

/* A number on the device that kernels set to 1 when a column is constant on the observations of a
   pair. */
class flat_flag {
public:
  explicit flat_flag(cudaStream_t stream) {
    flag_.allocate(sizeof(int32_t));
    GG_CUDA(cudaMemsetAsync(flag_.as(), 0, sizeof(int32_t), stream));
  }

  int32_t *get() const { return flag_.as<int32_t>(); }

  /* Adds the note that a standard deviation is 0 if the flag is set. */
  void report(gpugeo_report *report) const {
    int32_t found = 0;
    GG_CUDA(cudaMemcpy(&found, flag_.as(), sizeof found, cudaMemcpyDeviceToHost));
    if (found) report->notes |= GPUGEO_NOTE_ZERO_DEVIATION;
  }

private:
  device_memory flag_;
};

template <class Plan> result result_of(const Plan &plan) {
  const bool symmetric = plan.x == plan.y;
  const double rows = (double)plan.x->columns;
  result to;
  to.out = plan.out;
  to.type = plan.type;
  to.from_float = plan.type == GPUGEO_TYPE_FLOAT;
  to.condensed = false;
  to.symmetric = symmetric;
  to.rows = plan.x->columns;
  to.missing = plan.missing;
  to.threads = plan.threads;
  to.pairs = symmetric ? rows * (rows + 1) / 2 : rows * (double)plan.y->columns;
  return to;
}

/* Correlates on all workers of a team. divide(to, ranking, budget) returns how the work is divided
   to fit into `budget` bytes; work(worker, to, ranking, division, untaken) computes the chunks of
   one worker. */
template <class Plan, class Divide, class Work>
void correlate_columns(const Plan &plan, team &team, Divide divide, Work work) {
  const result to = result_of(plan);
  const int64_t budget = team.least_budget(plan.work_bytes);
  const column_ranks_size ranking(budget, plan.x->n, larger(plan.x->columns, plan.y->columns));
  const auto division = divide(to, ranking, budget);
  chunk_counter untaken(0);
  team.run([&](const worker &here) {
    result mine = to;
    mine.threads = here.threads;
    work(here, mine, ranking, division, &untaken);
  });
}

} // namespace gpugeo

#endif
