/* What all searches for collisions share: points, passes by all threads, and what they find. */
#include "points/cpu/collide_search.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "points/collide_result.h"
#include "points/collide_step.h"
#include "points/cpu/collide_slow.h"
#include "points/cpu/collide_sphere.h"

/* --- Points ----------------------------------------------------------------------------------- */

gpugeo_status gg_cpu_points_allocate(const gg_cpu_search *search, int64_t n,
                                     gg_cpu_points *points) {
  const gg_collide_plan *plan = search->plan;
  const int32_t columns = plan->rule.columns;
  const int64_t length = n + GG_CPU_PAD, arrays = columns + 1 + (plan->radii_x != NULL);
  double *block = gg_call_allocate(search->call, length * arrays, sizeof *block);
  *points = (gg_cpu_points){.n = n, .block = block};
  if (!block) return search->call->status;
  gg_prefer_huge_pages(block, length * arrays * (int64_t)sizeof *block);
  for (int64_t a = 0; a < arrays; ++a) /* read next to the last ones, and not used */
    memset(block + a * length + n, 0, GG_CPU_PAD * sizeof *block);
  for (int32_t c = 0; c < columns; ++c)
    points->coordinate[c] = block + c * length;
  points->row = block + columns * length;
  if (plan->radii_x) points->radius = block + (columns + 1) * length;
  return GPUGEO_OK;
}

typedef struct copying {
  const gg_collide_plan *plan;
  const gg_grid *grid;
  const double *radii;
  gg_cpu_points *points;
} copying;

/* Copies a range of points in the order of the grid. */
static void copy_points(void *job, gg_range range) {
  const copying *c = job;
  const gg_collide_plan *plan = c->plan;
  const gg_grid *grid = c->grid;
  gg_cpu_points *points = c->points;
  for (int64_t i = range.first; i < range.last; ++i) {
    for (int32_t k = 0; k < plan->rule.columns; ++k)
      points->coordinate[k][i] = grid->at[k][i];
    points->row[i] = (double)grid->row[i];
    if (c->radii) points->radius[i] = c->radii[grid->row[i]] * plan->rule.scale;
  }
}

void gg_cpu_points_of_grid(const gg_collide_plan *plan, const gg_grid *grid, const double *radii,
                           gg_cpu_points *points) {
  copying c = {plan, grid, radii, points};
  (void)gg_parallel_for(&(gg_loop){
      .threads = plan->threads, .count = grid->n, .grain = 16384, .work = copy_points, .job = &c});
}

/* --- A pass ----------------------------------------------------------------------------------- */

void gg_cpu_search_start(gg_cpu_search *search, gpugeo_collisions_what what, bool own) {
  const gg_collide_plan *plan = search->plan;
  search->what = what;
  search->pairing = own ? GG_CPU_OWN : GG_CPU_ONCE;
  search->filter = plan->within && (own || plan->exclude > 0) ? GG_CPU_APART : GG_CPU_ALL;
  if (plan->within && own && what == GPUGEO_COLLISIONS_WHAT_PAIRS) search->filter = GG_CPU_AFTER;

  const gg_point_range range = gg_point_range_join(&plan->range_x, &plan->range_y);
  bool box = false;
  for (int32_t c = 0; c < plan->rule.columns; ++c) {
    const double length = plan->rule.box[c];
    if (length == 0) continue;
    box = true;
    if (range.high[c] * plan->rule.scale - range.low[c] * plan->rule.scale > length)
      search->far = true;
  }
  search->limit = gg_collide_limit(plan->radius);
  const gg_cpu_collide_kernels *kernels =
      GG_SIMD_CHOOSE(const gg_cpu_collide_kernels, gg_cpu_collide);
  const bool radii = plan->radii_x != NULL, slowly = search->far;
  search->count = slowly ? gg_cpu_count_slowly(search->filter)
                         : kernels->count[plan->rule.columns - 1][box][radii][search->filter];
  search->list = slowly ? gg_cpu_list_slowly(search->filter)
                        : kernels->list[plan->rule.columns - 1][box][radii][search->filter];
  if (!search->sphere) return;
  search->sphere->list = search->list;
  search->count = gg_cpu_count_sphere;
  search->list = gg_cpu_list_sphere;
}

bool gg_cpu_stopped(gg_cpu_search *search, double done) {
  return gg_clock_poll(search->call->clock, search->before + search->share * done);
}

bool gg_cpu_stopped_after(gg_cpu_search *search, gg_cpu_found *found, int64_t pairs) {
  found->since += pairs;
  if (found->since < (int64_t)1 << 21) return gg_clock_stopped(search->call->clock);
  found->since = 0;
  return gg_cpu_stopped(search, found->done);
}

/* --- Lists that are kept ---------------------------------------------------------------------- */

/* True if the pass that counts keeps its lists, and memory was enough for them. */
static bool keeps_lists(const gg_cpu_search *search) {
  return search->lists && !gg_atomic_load(&search->lists_lost);
}

/* Returns room for a row with n partners in the task's list, or NULL: then all lists are
   dropped. */
static int32_t *extend_list(gg_cpu_search *search, gg_cpu_found *found, int64_t n) {
  const int64_t length = found->list_length + n + 2;
  if (length > found->list_room) {
    const int64_t most = search->plan->work_bytes ? search->plan->work_bytes : GG_WORK_BYTES;
    const int64_t room = length > 2 * found->list_room ? length + 1024 : 2 * found->list_room;
    const int64_t more = (room - found->list_room) * (int64_t)sizeof(int32_t);
    const int64_t bytes = gg_atomic_add(&search->list_bytes, more) + more;
    int32_t *list = bytes <= most ? gg_reallocate(found->list, room, sizeof *list) : NULL;
    if (!list) {
      gg_atomic_store(&search->lists_lost, true);
      return NULL;
    }
    found->list = list;
    found->list_room = room;
  }
  int32_t *end = found->list + found->list_length;
  found->list_length = length;
  return end;
}

/* Stores the list of a task, which ends with a row of -1. */
static void keep_list(gg_cpu_search *search, gg_cpu_found *found, int64_t task) {
  int32_t *end = keeps_lists(search) ? extend_list(search, found, 0) : NULL;
  if (end) {
    end[0] = -1;
    search->lists[task] = found->list;
    found->list = NULL;
  }
  found->list_length = 0;
  if (end) found->list_room = 0;
}

/* Frees the lists of all tasks. */
static void free_lists(gg_cpu_search *search, int64_t tasks) {
  for (int64_t t = 0; search->lists && t < tasks; ++t)
    gg_free(search->lists[t]);
  gg_free(search->lists);
  search->lists = NULL;
}

/* Writes the partners of a task's rows into the result. */
static void write_list(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task) {
  const gg_collide_result *result = search->result;
  (void)own, (void)found;
  for (const int32_t *at = search->lists[task]; at[0] >= 0; at += 2 + at[1]) {
    int64_t *first = &result->first[at[0]];
    for (int32_t k = 0; k < at[1]; ++k)
      result->partner[*first + k] = at[2 + k];
    *first += at[1];
  }
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* Maximum number of groups for which each thread has its own table. */
static const int64_t most_groups = 256;

/* Frees what a thread has found. */
static void free_found(gg_cpu_found *found) {
  gg_free(found->positions);
  gg_free(found->table);
  gg_free(found->histogram);
  gg_free(found->list);
}

/* Allocates what a thread needs. Returns false without memory. */
static bool make_found(const gg_collide_plan *plan, gg_cpu_found *found) {
  const int64_t groups = plan->what == GPUGEO_COLLISIONS_WHAT_TABLE ? plan->groups : 0;
  const bool table = groups > 0 && groups <= most_groups;
  *found = (gg_cpu_found){
      .made = true,
      .positions = gg_allocate(GG_CPU_MOST_POSITIONS, sizeof *found->positions),
      .table = table ? gg_allocate_zeros(groups * groups, sizeof *found->table) : NULL,
      .histogram = groups ? gg_allocate(2 * groups, sizeof *found->histogram) : NULL,
  };
  return found->positions && (found->table || !table) && (found->histogram || !groups);
}

/* Adds a thread's counts to the result. */
static void add_found(gg_cpu_search *search, const gg_cpu_found *found) {
  const int64_t groups = search->plan->groups;
  search->result->count += found->count;
  for (int64_t e = 0; found->table && e < groups * groups; ++e)
    search->result->table[e] += found->table[e];
}

typedef struct pass {
  gg_cpu_search *search;
  gg_cpu_task *work;
  void *own;
  int64_t tasks;
  gg_cpu_found *found; /* of each thread, made when it comes */
  bool lacking;        /* memory */
} pass;

/* Runs a range of tasks, and keeps their lists. */
static void do_tasks(void *job, gg_range range) {
  pass *p = job;
  gg_cpu_search *search = p->search;
  gg_cpu_found *found = &p->found[range.worker];
  if (!found->made && !make_found(search->plan, found)) gg_atomic_store(&p->lacking, true);
  if (gg_atomic_load(&p->lacking)) return;
  for (int64_t task = range.first; task < range.last; ++task) {
    found->done = (double)task / (double)p->tasks;
    p->work(search, p->own, found, task);
    if (search->lists && p->work != write_list) keep_list(search, found, task);
  }
}

/* Runs all tasks, and adds up the results of all threads. Returns false if stopped, or if there
   is no memory. */
static bool do_pass(pass *p) {
  const int32_t threads = p->search->plan->threads;
  memset(p->found, 0, (size_t)threads * sizeof *p->found);
  const bool done = gg_parallel_for(&(gg_loop){.threads = threads,
                                               .count = p->tasks,
                                               .grain = 1,
                                               .work = do_tasks,
                                               .job = p,
                                               .stop = &p->lacking,
                                               .clock = p->search->call->clock,
                                               .begun = p->search->before,
                                               .share = p->search->share});
  for (int32_t t = 0; t < threads; ++t) {
    add_found(p->search, &p->found[t]);
    free_found(&p->found[t]);
  }
  return done && !p->lacking;
}

gpugeo_status gg_cpu_pass(gg_cpu_search *search, int64_t tasks, gg_cpu_task *work, void *own) {
  gg_call *call = search->call;
  if (call->status) return call->status;
  pass p = {search, work, own, tasks, NULL, false};
  p.found = gg_allocate(search->plan->threads, sizeof *p.found);
  const bool done = p.found && do_pass(&p);
  gg_free(p.found);
  if (p.found && !p.lacking) return gg_call_require(call, done);
  const int64_t groups = search->plan->groups;
  return GG_TRY(call,
                gg_fail_memory(call->error, GG_CPU_MOST_POSITIONS * (int64_t)sizeof(int32_t) +
                                                groups * (groups + 2) * (int64_t)sizeof(int64_t)));
}

/* --- What is found ---------------------------------------------------------------------------- */

/* Counts or stores a pair of rows that is found once. */
static void take_pair(gg_cpu_search *search, gg_cpu_found *found, int64_t i, int64_t j) {
  const gg_collide_plan *plan = search->plan;
  gg_collide_result *result = search->result;
  const bool turned = plan->within && j < i;
  if (search->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    const int64_t offset = plan->group_x[i] + (int64_t)plan->group_y[j] * plan->groups;
    if (found->table)
      ++found->table[offset];
    else
      gg_atomic_add(&result->table[offset], 1);
  } else if (search->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    gg_atomic_add(&result->per_point[i], 1);
    gg_atomic_add(&result->per_point[j], 1);
  } else if (search->filling) {
    const int64_t position = gg_atomic_add(&result->first[turned ? j : i], 1);
    result->partner[position] = (int32_t)(turned ? i : j);
  } else {
    gg_atomic_add(&result->first[turned ? j : i], 1);
  }
}

/* Notes the points in the spans that collide with point i of a. The spans have at most
   GG_CPU_MOST_POSITIONS points together. */
static void take_spans(gg_cpu_search *search, gg_cpu_found *found, int64_t i, const gg_span *spans,
                       int count) {
  const int64_t row = (int64_t)search->a.row[i];
  const int64_t n = search->list(search, i, spans, count, found->positions);
  const double *rows = search->b.row;
  if (search->what == GPUGEO_COLLISIONS_WHAT_PAIRS && search->pairing == GG_CPU_OWN) {
    int64_t *first = &search->result->first[row];
    int32_t *list = search->filling ? NULL : extend_list(search, found, n);
    if (list) {
      list[0] = (int32_t)row;
      list[1] = (int32_t)n;
    }
    int32_t *partner = search->filling ? search->result->partner + *first : list ? list + 2 : NULL;
    for (int64_t k = 0; partner && k < n; ++k)
      partner[k] = (int32_t)rows[found->positions[k]];
    *first += n;
    return;
  }
  for (int64_t k = 0; k < n; ++k)
    take_pair(search, found, row, (int64_t)rows[found->positions[k]]);
}

void gg_cpu_test_point(gg_cpu_search *search, gg_cpu_found *found, int64_t i, const gg_span *spans,
                       int count) {
  const gpugeo_collisions_what what = search->what;
  gg_collide_result *result = search->result;
  if (what == GPUGEO_COLLISIONS_WHAT_COUNT) {
    found->count += search->count(search, i, spans, count);
    return;
  }
  if (search->pairing == GG_CPU_OWN && what != GPUGEO_COLLISIONS_WHAT_TABLE) {
    int64_t *counts = what == GPUGEO_COLLISIONS_WHAT_PER_POINT ? result->per_point : result->first;
    /* Rows are scattered in memory: that of a later point is prefetched. */
    __builtin_prefetch(&counts[(int64_t)search->a.row[i + GG_CPU_PAD]], 1);
    if (!search->filling && !keeps_lists(search)) {
      counts[(int64_t)search->a.row[i]] += search->count(search, i, spans, count);
      return;
    }
  }
  int64_t points = 0;
  for (int s = 0; s < count; ++s)
    points += spans[s].end - spans[s].begin;
  if (points <= GG_CPU_MOST_POSITIONS) {
    take_spans(search, found, i, spans, count);
    return;
  }
  for (int s = 0; s < count; ++s)
    for (int64_t j = spans[s].begin; j < spans[s].end; j += GG_CPU_MOST_POSITIONS) {
      const gg_span piece = {j, gg_smaller(j + GG_CPU_MOST_POSITIONS, spans[s].end)};
      take_spans(search, found, i, &piece, 1);
    }
}

/* --- Pairs ------------------------------------------------------------------------------------ */

/* Replaces the numbers of partners by offsets of each row's first partner. */
static void accumulate(const gg_collide_plan *plan, gg_collide_result *result) {
  int64_t sum = 0;
  for (int64_t i = 0; i <= plan->nx; ++i) {
    const int64_t here = i < plan->nx ? result->first[i] : 0;
    result->first[i] = sum;
    sum += here;
  }
  result->count = sum;
}

/* Compares rows for qsort(). */
static int compare(const void *a, const void *b) {
  const int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
  return (first > second) - (first < second);
}

/* Sorts a list of rows. */
static void sort_list(int32_t *list, int64_t n) {
  if (n > 40) {
    qsort(list, (size_t)n, sizeof *list, compare);
    return;
  }
  for (int64_t i = 1; i < n; ++i) {
    const int32_t value = list[i];
    int64_t j = i;
    for (; j > 0 && list[j - 1] > value; --j)
      list[j] = list[j - 1];
    list[j] = value;
  }
}

/* Rows whose partners a thread sorts at a time. */
enum { SORTED_ROWS = 4096 };

/* Sorts the partners of the points of a task. */
static void sort_rows(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task) {
  const gg_collide_result *result = search->result;
  const int64_t end = gg_smaller((task + 1) * SORTED_ROWS, search->plan->nx);
  (void)own, (void)found;
  for (int64_t i = task * SORTED_ROWS; i < end; ++i) {
    sort_list(result->partner + result->first[i], result->first[i + 1] - result->first[i]);
    if ((i & 63) == 0 && gg_cpu_stopped(search, (double)i / (double)search->plan->nx)) return;
  }
}

/* Writes the partners of all rows, from the stored lists or by a second search. */
static gpugeo_status fill_partners(gg_cpu_search *search, int64_t tasks, gg_cpu_task *work,
                                   void *data) {
  const gg_collide_plan *plan = search->plan;
  gg_collide_result *result = search->result;
  gg_call *call = search->call;
  if (call->status) return call->status;
  accumulate(plan, result);
  GG_TRY(call, gg_collide_room(plan, result, call->error));
  if (keeps_lists(search)) {
    gg_cpu_pass(search, tasks, write_list, NULL);
  } else {
    free_lists(search, tasks);
    search->filling = true;
    gg_cpu_pass(search, tasks, work, data);
  }
  if (call->status) return call->status;
  /* Filling has moved each offset to the next one. */
  memmove(result->first + 1, result->first, (size_t)plan->nx * sizeof *result->first);
  result->first[0] = 0;
  return GPUGEO_OK;
}

gpugeo_status gg_cpu_passes(gg_cpu_search *search, bool own, int64_t tasks, gg_cpu_task *work,
                            void *data) {
  if (search->call->status) return search->call->status;
  const gg_collide_plan *plan = search->plan;
  const bool pairs = plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS;
  const double before = search->before, rest = 1 - before;
  search->share = rest * (pairs ? 0.45 : 1);
  gg_cpu_search_start(search, plan->what, own);
  if (pairs && own &&
      plan->algorithm != GPUGEO_COLLISIONS_ALGORITHM_LATTICE) /* which has them at hand */
    search->lists = gg_allocate_zeros(tasks, sizeof *search->lists);
  gg_cpu_pass(search, tasks, work, data);
  search->before = before + rest * 0.45;
  if (pairs) fill_partners(search, tasks, work, data);
  free_lists(search, tasks);
  if (!pairs) return search->call->status;
  search->before = before + rest * 0.9;
  search->share = rest * 0.1;
  return gg_cpu_pass(search, (plan->nx + SORTED_ROWS - 1) / SORTED_ROWS, sort_rows, NULL);
}
