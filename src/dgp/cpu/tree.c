/*
 * Branch-and-prune on the CPU: the binary tree of partial sums, depth first. Without pruning it is
 * the tree of Hengeveld and Mucherino (2022), section II: a level for each distance in their order,
 * and only leaves are tested.
 */
#include "dgp/cpu/tree.h"

#include <math.h>

#include "common/uint128.h"

enum {
  TASK_LEVELS = 12,
  POLL_LEVELS = 18,
  RANGE_LEVELS = 14 /* leaves of the tasks that a thread takes at a time, as a power of two */
};

typedef struct tree {
  gg_cpu_dgp_work *work;
  int levels, poll; /* number of levels, and the level where hooks are asked */
  bool prune;
  int64_t low, high; /* hull of the windows */
  int64_t d[64];     /* of each level */
  int64_t rest[65];  /* sum of d from a level on */
  uint64_t bit[64];  /* of the row, for each level */
  int task_levels;   /* a task is a node so many levels below the root */
  double done;       /* fraction of the tasks */
} tree;

/* The hits of one task in each window. */
typedef struct hits {
  uint64_t count[GG_DGP_WINDOWS];
} hits;

/* Counts and stores a row whose sum is in a window. */
static void leaf(const tree *t, int64_t sum, uint64_t row, hits *hits) {
  if (sum < t->low || sum > t->high) return;
  const gg_dgp_plan *plan = t->work->plan;
  for (int w = 0; w < plan->window_count; ++w)
    if (plan->windows[w].low <= sum && sum <= plan->windows[w].high) {
      ++hits->count[w];
      gg_cpu_dgp_keep(t->work, w, gg_uint128_make(row, 0));
    }
}

/* Visits the subtree below a node at `level` with the given partial sum and row. */
static void search_subtree(const tree *t, int level, int64_t sum, uint64_t row, hits *hits) {
  if (t->prune && (sum + t->rest[level] < t->low || sum - t->rest[level] > t->high)) return;
  if (level == t->levels) {
    leaf(t, sum, row, hits);
    return;
  }
  if (level <= t->poll && gg_cpu_dgp_stop(t->work, t->done)) return;
  search_subtree(t, level + 1, sum - t->d[level], row, hits);
  search_subtree(t, level + 1, sum + t->d[level], row | t->bit[level], hits);
}

/* Sets the levels in the order of the distances, or with pruning from the largest to the
   smallest, which prunes earlier. */
static void plant(tree *t, const gg_dgp_plan *plan) {
  t->levels = plan->n;
  t->poll = plan->n > POLL_LEVELS ? plan->n - POLL_LEVELS : 0;
  t->prune = plan->prune;
  gg_cpu_dgp_hull(plan, &t->low, &t->high);
  for (int j = 0; j < plan->n; ++j) {
    int at = j;
    for (; plan->prune && at > 0 && t->d[at - 1] < plan->d[j]; --at) {
      t->d[at] = t->d[at - 1];
      t->bit[at] = t->bit[at - 1];
    }
    t->d[at] = plan->d[j];
    t->bit[at] = (uint64_t)1 << j;
  }
  t->rest[plan->n] = 0;
  for (int j = plan->n - 1; j >= 0; --j)
    t->rest[j] = t->rest[j + 1] + t->d[j];
}

/* Walks the part of the tree below the choices of a task. */
static void do_task(const tree *t, int64_t task, hits *hits) {
  int64_t sum = 0;
  uint64_t row = 0;
  for (int level = 0; level < t->task_levels; ++level) {
    const bool plus = task >> (t->task_levels - 1 - level) & 1;
    sum += plus ? t->d[level] : -t->d[level];
    row |= plus ? t->bit[level] : 0;
  }
  search_subtree(t, t->task_levels, sum, row, hits);
}

typedef struct job {
  const tree *root;
  hits all;
} job;

/* Walks the parts of a range of tasks, and adds up their counts. */
static void do_tasks(void *data, gg_range range) {
  job *job = data;
  tree t = *job->root;
  hits found = {{0}};
  for (int64_t task = range.first; task < range.last && !gg_clock_stopped(t.work->clock); ++task) {
    t.done = ldexp((double)task, -t.task_levels);
    do_task(&t, task, &found);
  }
  for (int w = 0; w < t.work->plan->window_count; ++w)
    gg_atomic_add(&job->all.count[w], found.count[w]);
}

void gg_cpu_dgp_tree(gg_cpu_dgp_work *work) {
  const gg_dgp_plan *plan = work->plan;
  tree root = {.work = work};
  plant(&root, plan);
  root.task_levels = plan->n < TASK_LEVELS ? 0 : TASK_LEVELS;
  const int below = plan->n - root.task_levels; /* levels of a task */
  job job = {.root = &root};
  (void)gg_parallel_for(
      &(gg_loop){.threads = plan->threads,
                 .count = (int64_t)1 << root.task_levels,
                 .grain = below < RANGE_LEVELS ? (int64_t)1 << (RANGE_LEVELS - below) : 1,
                 .work = do_tasks,
                 .job = &job,
                 .clock = work->clock,
                 .begun = work->before,
                 .share = work->share});
  for (int w = 0; w < plan->window_count; ++w)
    plan->windows[w].count = gg_uint128_make(job.all.count[w], 0);
}
