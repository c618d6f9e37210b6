/*
 * UniFrac distances and Faith's phylogenetic diversity.
 *
 * A sample becomes coordinates: for each branch above its individuals its length (unweighted), or
 * its length times the share of individuals below it (weighted). For all types but the variance
 * adjusted one, coordinates are rounded to multiples of a power of two, whole numbers whose sums
 * are exact. Then sum |a - b| = sum a + sum b - 2 sum min(a, b), and the length of branches in
 * either sample is sum a + sum b - sum min(a, b): only branches that both samples have are visited.
 * In the same way, terms of powers of shares are known for branches of one sample.
 *
 * A task is a panel of 8 samples, whose coordinates are expanded chunk by chunk, and a block of
 * others, whose entries are read. The variance adjusted distance merges the entries of both
 * samples, in preorder.
 *
 * On a device the distances of the other types come from exact sums as well: unweighted ones from
 * products of the coordinates of one sample with the branches, 0 or 1, of the other one, on matrix
 * instructions; the others from the Manhattan distances of coordinates.
 *
 * Cost: for each pair the branches of one sample, of both if adjusted by variance.
 *
 * C. Lozupone and R. Knight (2005), Applied and Environmental Microbiology 71, 8228-8235.
 * C. A. Lozupone et al. (2007), Applied and Environmental Microbiology 73, 1576-1585.
 * Q. Chang, Y. Luan and F. Sun (2011), BMC Bioinformatics 12, 118.
 * J. Chen et al. (2012), Bioinformatics 28, 2106-2113.
 * D. P. Faith (1992), Biological Conservation 61, 1-10.
 */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/dist_lazy.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/random.h"
#include "communities/branch_kernels.h"
#include "communities/branches.h"
#include "distance/dist.h"

#define ALPHA_ALLOWED "a number from 0 to 1"

GG_OPTIONS_INIT(unifrac, .type = GPUGEO_UNIFRAC_TYPE_UNWEIGHTED, .alpha = 0.5)

static const gg_option option_rows[] = {
    {GG_OPTION("type", CHOICE, gpugeo_unifrac_options, type), .choices = GPUGEO_ENUM_UNIFRAC_TYPE},
    {GG_OPTION("root", FLAG, gpugeo_unifrac_options, root)},
    {GG_OPTION("alpha", NUMBER, gpugeo_unifrac_options, alpha), .allowed = ALPHA_ALLOWED},
};

GG_DEFINE_OPTIONS(unifrac, option_rows);

/* --- Coordinates ------------------------------------------------------------------------------ */

/* The samples of a call, prepared. */
typedef struct unifrac_job {
  gg_branches samples;      /* values: coordinates of at most 0, shares (powers) or individuals */
  gpugeo_unifrac_type type; /* NORMALIZED for GENERALIZED with alpha 1 */
  double alpha;
  int exponent;       /* lengths were divided by 2^exponent */
  int planes;         /* of sums: 1, with powers 2 */
  double *weight;     /* of each entry, for powers */
  double *sum;        /* of each sample that of its coordinates or weights */
  int64_t chunks;     /* of branches */
  int32_t *chunk_end; /* chunks of each sample: how many entries precede the end of the chunk */
  const gg_branch_kernels *kernels;
} unifrac_job;

/* Returns an exponent such that the sum of length p^alpha over the branches of a sample is below
   2^exponent: by Hoelder's inequality it is at most total^(1 - alpha) height^alpha. */
static int bound_of_sum(const gg_branch_tree *tree, double alpha) {
  int total, height;
  (void)frexp(tree->total, &total);
  (void)frexp(tree->height, &height);
  return (int)ceil((1 - alpha) * total + alpha * height);
}

/* Returns the power of shares of a type: 0 for lengths alone. */
static double power_of(const unifrac_job *job) {
  if (job->type == GPUGEO_UNIFRAC_TYPE_GENERALIZED) return job->alpha;
  return job->type == GPUGEO_UNIFRAC_TYPE_UNWEIGHTED ? 0 : 1;
}

/* Sums of a sample are below 2^SUM_EXPONENT. */
enum { SUM_EXPONENT = 50 };
#define MOST_SUM 0x1p50

/* Scales the lengths for such sums. */
static void scale_lengths(unifrac_job *job) {
  gg_branch_tree *tree = &job->samples.tree;
  job->exponent = bound_of_sum(tree, power_of(job)) - SUM_EXPONENT;
  for (int64_t k = 0; k < tree->count; ++k)
    tree->length[k] = ldexp(tree->length[k], -job->exponent);
}

/* Returns the run of a sample's entries [begin, end). */
static gg_branch_run run_of(const unifrac_job *job, int64_t begin, int64_t end) {
  const gg_branches *samples = &job->samples;
  return (gg_branch_run){.count = end - begin,
                         .branch = samples->branch + begin,
                         .value = samples->value + begin,
                         .weight = job->weight ? job->weight + begin : NULL,
                         .length = samples->tree.length,
                         .alpha = job->alpha};
}

/* Returns the coordinate of an entry of sample i, with the sign changed. */
static double coordinate_of(const unifrac_job *job, int64_t i, int64_t e) {
  const gg_branches *samples = &job->samples;
  const double length = samples->tree.length[samples->branch[e]];
  if (job->type == GPUGEO_UNIFRAC_TYPE_UNWEIGHTED) return -rint(length);
  return -rint(length * (samples->value[e] / samples->total[i]));
}

/* Computes the coordinates and ends of chunks of a range of samples; the loop's work. */
static void prepare_samples(void *own, gg_range range) {
  unifrac_job *job = own;
  gg_branches *samples = &job->samples;
  for (int64_t i = range.first; i < range.last; ++i) {
    const int64_t begin = samples->start[i], end = samples->start[i + 1];
    int32_t *chunk_end = job->chunk_end + i * job->chunks;
    for (int64_t c = 0, e = begin; c < job->chunks; ++c) {
      while (e < end && samples->branch[e] < (c + 1) * GG_BRANCH_CHUNK)
        ++e;
      chunk_end[c] = (int32_t)(e - begin);
    }
    for (int64_t e = begin; e < end; ++e)
      samples->value[e] =
          job->weight ? samples->value[e] / samples->total[i] : coordinate_of(job, i, e);
    const gg_branch_run run = run_of(job, begin, end);
    if (job->weight) job->kernels->weights(&run, job->weight + begin);
    job->sum[i] = 0;
    for (int64_t e = begin; e < end; ++e)
      job->sum[i] += job->weight ? job->weight[e] : -samples->value[e];
  }
}

/* Makes the coordinates. */
static gpugeo_status prepare(unifrac_job *job, gg_call *call) {
  const gg_branches *samples = &job->samples;
  if (call->status || job->type == GPUGEO_UNIFRAC_TYPE_VARIANCE) return call->status;
  const bool powers = job->type == GPUGEO_UNIFRAC_TYPE_GENERALIZED;
  const int64_t entries = samples->start[samples->samples];
  job->planes = powers ? 2 : 1;
  job->chunks = samples->tree.count / GG_BRANCH_CHUNK + 1;
  job->kernels = GG_SIMD_CHOOSE(const gg_branch_kernels, gg_branch_kernels);
  scale_lengths(job);
  if (powers) job->weight = gg_call_allocate(call, entries, sizeof *job->weight);
  job->sum = gg_call_allocate(call, samples->samples, sizeof *job->sum);
  job->chunk_end = gg_call_allocate(call, samples->samples * job->chunks, sizeof *job->chunk_end);
  if (call->status) return call->status;
  return gg_call_loop(call, (gg_loop){.threads = gg_threads_for(call->run->threads,
                                                                50.0 * (double)entries), /* 5 ns */
                                      .count = samples->samples,
                                      .work = prepare_samples,
                                      .job = job,
                                      .begun = 0.2});
}

/* --- Distances -------------------------------------------------------------------------------- */

/* Sums over the branches of two samples. */
typedef struct pair_sums {
  double part, all; /* numerator and denominator of the distance */
} pair_sums;

/* Adds a branch to the sums of the variance adjusted distance of samples with na and nb
   individuals. */
static void add_adjusted(pair_sums *sums, double length, const double below[2],
                         const double total[2]) {
  const double m = below[0] + below[1], rest = total[0] + total[1] - m;
  if (!(rest > 0)) return;
  const double a = below[0] > 0 ? below[0] / total[0] : 0,
               b = below[1] > 0 ? below[1] / total[1] : 0;
  const double deviation = sqrt(m) * sqrt(rest);
  sums->part += length * fabs(a - b) / deviation;
  sums->all += length * (a + b) / deviation;
}

/* Returns the sums of the variance adjusted distance, merging the entries of both samples. */
static pair_sums adjusted_sums(const gg_branches *samples, int64_t i, int64_t j) {
  const double total[2] = {samples->total[i], samples->total[j]};
  int64_t e = samples->start[i], f = samples->start[j];
  pair_sums sums = {0, 0};
  while (e < samples->start[i + 1] || f < samples->start[j + 1]) {
    const int32_t a = e < samples->start[i + 1] ? samples->branch[e] : INT32_MAX;
    const int32_t b = f < samples->start[j + 1] ? samples->branch[f] : INT32_MAX;
    const double below[2] = {a <= b ? samples->value[e++] : 0, b <= a ? samples->value[f++] : 0};
    add_adjusted(&sums, samples->tree.length[a < b ? a : b], below, total);
  }
  return sums;
}

/* Returns the sums of two samples by what they have in common: a value of each plane. */
static pair_sums sums_of(const unifrac_job *job, int64_t i, int64_t j, const double *common) {
  const double both = job->sum[i] + job->sum[j];
  switch (job->type) {
  case GPUGEO_UNIFRAC_TYPE_UNWEIGHTED:
    return (pair_sums){both + 2 * common[0], both + common[0]};
  case GPUGEO_UNIFRAC_TYPE_GENERALIZED:
    return (pair_sums){both - common[0], both - common[GG_BRANCH_PANEL]};
  case GPUGEO_UNIFRAC_TYPE_WEIGHTED:
    return (pair_sums){ldexp(both + 2 * common[0], job->exponent), 1};
  default:
    return (pair_sums){both + 2 * common[0], both};
  }
}

/* Returns the distance of two samples. */
static double distance_of(const unifrac_job *job, int64_t i, int64_t j, const double *common) {
  const gg_branches *samples = &job->samples;
  if (i == j) return 0;
  if (samples->total[i] == 0 && samples->total[j] == 0) return NAN;
  const pair_sums sums = job->type == GPUGEO_UNIFRAC_TYPE_VARIANCE ? adjusted_sums(samples, i, j)
                                                                   : sums_of(job, i, j, common);
  return sums.part == 0 ? 0 : sums.part / sums.all;
}

enum { BLOCK = 128 }; /* samples of a task, against a panel */

/* The distances of a tile, or those below the diagonal in the condensed order. */
typedef struct tile_job {
  const unifrac_job *job;
  gpugeo_tile tile;
  bool condensed;
  double *out;
  double *rooms; /* of each thread: a panel and sums */
  int64_t panels, blocks;
} tile_job;

/* A task: samples [row, row_end) against the panel's [column, column_end). */
typedef struct tile_task {
  int64_t row, row_end, column, column_end;
} tile_task;

/* Returns the number of values of a thread's room. */
static int64_t room_size(const unifrac_job *job) {
  return job->planes * GG_BRANCH_PANEL * (GG_BRANCH_CHUNK + BLOCK);
}

/* Returns how many entries of a sample precede a chunk. */
static int64_t entries_before(const unifrac_job *job, int64_t sample, int64_t chunk) {
  return chunk ? job->chunk_end[sample * job->chunks + chunk - 1] : 0;
}

/* Returns the run of a sample's entries in a chunk. */
static gg_branch_run run_in_chunk(const unifrac_job *job, int64_t sample, int64_t chunk) {
  const int64_t start = job->samples.start[sample];
  gg_branch_run run = run_of(job, start + entries_before(job, sample, chunk),
                             start + entries_before(job, sample, chunk + 1));
  run.first = chunk * GG_BRANCH_CHUNK;
  return run;
}

/* Writes the panel's values in a chunk, or clears them. Returns their number. */
static int64_t fill_panel(const unifrac_job *job, const tile_task *task, int64_t chunk, bool clear,
                          double *panel) {
  int64_t count = 0;
  for (int64_t j = task->column; j < task->column_end; ++j) {
    const gg_branch_run run = run_in_chunk(job, j, chunk);
    count += run.count;
    for (int64_t e = 0; e < run.count; ++e) {
      double *at =
          panel + (run.branch[e] - run.first) * job->planes * GG_BRANCH_PANEL + j - task->column;
      at[0] = clear ? 0 : run.value[e];
      if (run.weight) at[GG_BRANCH_PANEL] = clear ? 0 : run.weight[e];
    }
  }
  return count;
}

/* Adds up what the samples of a task have in common. */
static void add_common(const unifrac_job *job, const tile_task *task, double *panel, double *sums) {
  const int64_t step = job->planes * GG_BRANCH_PANEL;
  memset(sums, 0, sizeof *sums * (size_t)(step * (task->row_end - task->row)));
  for (int64_t c = 0; c < job->chunks; ++c) {
    if (!fill_panel(job, task, c, false, panel)) continue;
    for (int64_t i = task->row; i < task->row_end; ++i) {
      gg_branch_run run = run_in_chunk(job, i, c);
      run.panel = panel;
      run.sums = sums + (i - task->row) * step;
      (job->weight ? job->kernels->powers : job->kernels->minima)(&run);
    }
    fill_panel(job, task, c, true, panel);
  }
}

/* Writes the distances of a task. */
static void write_distances(const tile_job *t, const tile_task *task, const double *sums) {
  const gpugeo_tile *tile = &t->tile;
  for (int64_t j = task->column; j < task->column_end; ++j) {
    double *out = t->condensed ? t->out + gg_condensed_column(tile->rows, j) - j - 1
                               : t->out + (j - tile->column) * tile->rows - tile->row;
    for (int64_t i = t->condensed ? gg_larger(task->row, j + 1) : task->row; i < task->row_end; ++i)
      out[i] =
          distance_of(t->job, i, j,
                      sums + (i - task->row) * t->job->planes * GG_BRANCH_PANEL + j - task->column);
  }
}

/* Computes tasks; the loop's work. */
static void compute_tasks(void *own, gg_range range) {
  const tile_job *t = own;
  double *panel = t->rooms ? t->rooms + range.worker * room_size(t->job) : NULL;
  double *sums = panel ? panel + t->job->planes * GG_BRANCH_PANEL * GG_BRANCH_CHUNK : NULL;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int64_t column = t->tile.column + k / t->blocks * GG_BRANCH_PANEL;
    const int64_t row = t->tile.row + k % t->blocks * BLOCK;
    const tile_task task = {row, gg_smaller(row + BLOCK, t->tile.row + t->tile.rows), column,
                            gg_smaller(column + GG_BRANCH_PANEL, t->tile.column + t->tile.columns)};
    if (t->condensed && task.row_end <= column + 1) continue;
    if (panel) add_common(t->job, &task, panel, sums);
    write_distances(t, &task, sums);
  }
}

/* Returns the work of some of all pairs in units of 0.1 ns: for each branch of a sample 0.3 ns,
   with powers 3 ns, adjusted by variance 15 ns. */
static double work_of(const unifrac_job *job, double pairs) {
  const gg_branches *samples = &job->samples;
  const double entries =
      (double)samples->start[samples->samples] / (double)gg_larger(1, samples->samples);
  const double price = job->type == GPUGEO_UNIFRAC_TYPE_VARIANCE ? 150 : job->weight ? 30 : 3;
  return pairs * (50 + price * entries);
}

/* Computes a tile of distances, or all below the diagonal. */
static gpugeo_status compute_tile(tile_job *t, double done, double share, gg_call *call) {
  if (call->status) return call->status;
  const double pairs = (double)t->tile.rows * (double)t->tile.columns;
  const int32_t threads =
      gg_threads_for(call->run->threads, work_of(t->job, t->condensed ? pairs / 2 : pairs));
  t->panels = (t->tile.columns + GG_BRANCH_PANEL - 1) / GG_BRANCH_PANEL;
  t->blocks = (t->tile.rows + BLOCK - 1) / BLOCK;
  call->report->threads = threads;
  if (t->job->planes) {
    t->rooms = gg_allocate_zeros(threads * room_size(t->job), sizeof *t->rooms);
    if (!t->rooms)
      return GG_TRY(call, gg_fail_memory(call->error, 8 * threads * room_size(t->job)));
  }
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = t->panels * t->blocks,
                               .grain = 1,
                               .work = compute_tasks,
                               .job = t,
                               .begun = done,
                               .share = share});
  gg_free(t->rooms);
  return call->status;
}

/* --- On another backend ----------------------------------------------------------------------- */

/* The distances of all samples, by sums of coordinates that a backend computes. */
typedef struct device_job {
  unifrac_job *job;
  gpugeo_backend backend;
  const int32_t *start; /* of the samples */
  double *out;          /* in the condensed order */
  /* Unweighted: sums of products of samples [first, n), in rows, with [first, last). */
  int64_t first, last;
  double *products;
} device_job;

/* Returns samples [first, last) as columns. values: of all entries; NULL: all 1. start: room for
   their starts, borrowed by *sparse as the samples are. */
static gpugeo_matrix columns_of(const device_job *device, int64_t first, int64_t last,
                                const double *values, int32_t *start, gpugeo_sparse *sparse) {
  const gg_branches *samples = &device->job->samples;
  const int64_t m = samples->tree.count, before = device->start[first];
  for (int64_t i = first; i <= last; ++i)
    start[i - first] = (int32_t)(device->start[i] - before);
  *sparse = (gpugeo_sparse){start, samples->branch + before, sizeof *start, false,
                            device->start[last] - before};
  return (gpugeo_matrix){
      values ? values + before : NULL, GPUGEO_TYPE_DOUBLE, m, last - first, m, sparse};
}

/* Returns the options of a call on the backend. */
static gpugeo_dist_options backend_options(const device_job *device, gpugeo_metric metric,
                                           const gg_call *call) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run = *call->run;
  options.run.backend = device->backend;
  return options;
}

/* Replaces the distances of coordinates of a range of samples; the loop's work. */
static void finish_columns(void *own, gg_range range) {
  const device_job *device = own;
  const unifrac_job *job = device->job;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *out = device->out + gg_condensed_column(job->samples.samples, j) - j - 1;
    for (int64_t i = j + 1; i < job->samples.samples; ++i) {
      const double common = (out[i] - (job->sum[i] + job->sum[j])) / 2;
      out[i] = distance_of(job, i, j, &common);
    }
  }
}

/* Writes the distances of a range of samples of the block from products; the loop's work. */
static void finish_products(void *own, gg_range range) {
  const device_job *device = own;
  const int64_t n = device->job->samples.samples, rows = n - device->first;
  for (int64_t j = device->first + range.first; j < device->first + range.last; ++j) {
    double *out = device->out + gg_condensed_column(n, j) - j - 1;
    const double *product = device->products + (j - device->first) * rows - device->first;
    for (int64_t i = j + 1; i < n; ++i) {
      const double common = product[i] * MOST_SUM;
      out[i] = distance_of(device->job, i, j, &common);
    }
  }
}

/* Runs the work of a loop over so many samples, at the end of a call. */
static gpugeo_status finish_samples(device_job *device, void (*work)(void *own, gg_range range),
                                    int64_t count, double begun, gg_call *call) {
  const double values = (double)count * (double)device->job->samples.samples;
  return gg_call_loop(call, (gg_loop){.threads = gg_threads_for(call->run->threads, 20 * values),
                                      .count = count,
                                      .grain = 16,
                                      .work = work,
                                      .job = device,
                                      .begun = begun,
                                      .share = 1 - begun});
}

/* Computes the distances from the Manhattan distances of coordinates. */
static gpugeo_status compute_differences(device_job *device, gg_call *call) {
  const int64_t n = device->job->samples.samples;
  const gpugeo_dist_options options = backend_options(device, GPUGEO_METRIC_MANHATTAN, call);
  int32_t *start = gg_call_allocate(call, n + 1, sizeof *start);
  if (call->status) return call->status;
  gpugeo_sparse sparse;
  const gpugeo_matrix x = columns_of(device, 0, n, device->job->samples.value, start, &sparse);
  gg_dist_plan plan = gg_dist_plan_make(&x, NULL, &options, 0);
  plan.out = device->out;
  gg_call_part part;
  gg_call_part_begin(call, 0, 0.9, &part);
  gg_dist_run(&plan, &options, 0, NULL, &part.call);
  gg_call_part_end(&part);
  gg_free(start);
  return call->status ? call->status : finish_samples(device, finish_columns, n, 0.9, call);
}

/* Computes the products of the block: the coordinates of its rows by ones. */
static gpugeo_status multiply_block(const device_job *device, int32_t *start, gg_call *call) {
  const int64_t n = device->job->samples.samples;
  const gpugeo_dist_options options = backend_options(device, GPUGEO_METRIC_EUCLIDEAN, call);
  gpugeo_sparse rows, columns;
  const gpugeo_matrix x =
      columns_of(device, device->first, n, device->job->samples.value, start, &rows);
  const gpugeo_matrix y =
      columns_of(device, device->first, device->last, NULL, start + n + 1, &columns);
  gg_dist_plan plan = gg_dist_plan_make(&x, &y, &options, GG_FINISH_SIMILARITY);
  plan.step = GG_STEP_product;
  plan.finite = true;
  plan.shape = GPUGEO_SHAPE_FULL;
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = device->products;
  const gg_request request = gg_dist_request(&plan, GG_FAMILY_DIST, &options, 0);
  GG_TRY(call, gg_backend_spread(call->run, &request, &plan.backend, &plan.device, &plan.workers,
                                 call->error));
  return call->status ? call->status : GG_TRY(call, plan.backend->dist(&plan, call));
}

/* Computes the distances of presence, block by block of samples. Coordinates are divided by
   MOST_SUM, which is exact: sums of products are from -1 to 0. */
static gpugeo_status compute_presence(device_job *device, gg_call *call) {
  gg_branches *samples = &device->job->samples;
  const int64_t n = samples->samples, width = gg_smaller(n, gg_larger(8, n / 16));
  int32_t *start = gg_call_allocate(call, 2 * (n + 1), sizeof *start);
  device->products = gg_call_allocate(call, n * width, sizeof *device->products);
  for (int64_t e = 0; e < samples->start[n] && !call->status; ++e)
    samples->value[e] *= 1 / MOST_SUM;
  for (int64_t first = 0; first < n && !call->status; first = device->last) {
    gg_call_part part;
    device->first = first;
    device->last = gg_smaller(first + width, n);
    gg_call_part_begin(call, (double)first / (double)n, (double)(device->last - first) / (double)n,
                       &part);
    if (!multiply_block(device, start, &part.call))
      finish_samples(device, finish_products, device->last - first, 0.9, &part.call);
    gg_call_part_end(&part);
  }
  gg_free(device->products);
  gg_free(start);
  return call->status;
}

/* Computes all distances on a backend. */
static gpugeo_status compute_on(unifrac_job *job, gpugeo_backend backend, double *out,
                                gg_call *call) {
  const int64_t n = job->samples.samples;
  int32_t *start = gg_call_allocate(call, n + 1, sizeof *start);
  for (int64_t i = 0; i <= n && start; ++i)
    start[i] = (int32_t)job->samples.start[i];
  device_job device = {.job = job, .backend = backend, .start = start, .out = out};
  const bool presence = job->type == GPUGEO_UNIFRAC_TYPE_UNWEIGHTED;
  gg_call_part part;
  gg_call_part_begin(call, 0.2, 0.8, &part);
  if (start) (presence ? compute_presence : compute_differences)(&device, &part.call);
  gg_call_part_end(&part);
  gg_free(start);
  return call->status;
}

/* Chooses the backend. On a device all branches are visited. */
static gpugeo_status choose_backend(const unifrac_job *job, const gg_backend **backend,
                                    gg_call *call) {
  if (call->status) return call->status;
  const gg_branches *samples = &job->samples;
  const double pairs = (double)samples->samples * (double)samples->samples / 2;
  const double work = pairs * (double)samples->tree.count;
  const int64_t entries = samples->start[samples->samples];
  const gg_request request = {.family = GG_FAMILY_UNIFRAC,
                              .sparse = true,
                              .algorithm = (int)job->type,
                              .work = work,
                              .skipped = work > 0 ? 1 - fmin(1, work_of(job, pairs) / work) : 0,
                              .bytes = 12 * (double)entries + 8 * pairs,
                              .resident = 12 * (double)entries};
  int32_t device = -1;
  GG_TRY(call, gg_backend_choose(call->run, &request, backend, &device, call->error));
  if (!call->status) *call->report = gg_report_of(*backend, device, 1, 1);
  if (call->status || *backend == gg_host_backend() || entries <= INT32_MAX) return call->status;
  *backend = gg_host_backend();
  if (call->run->backend == GPUGEO_BACKEND_AUTO) return call->status;
  return GG_TRY(call, gg_fail_backend(call->run, call->error,
                                      "for more than %d branches of samples", INT32_MAX));
}

/* --- The calls -------------------------------------------------------------------------------- */

/* Checks the options. */
static gpugeo_status check_options(const gpugeo_unifrac_options *options, gpugeo_error *error) {
  if (options->type < 0 || options->type >= GPUGEO_UNIFRAC_TYPE_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be between 0 and %d, not %d",
                   GPUGEO_UNIFRAC_TYPE_COUNT - 1, (int)options->type);
  if (options->alpha >= 0 && options->alpha <= 1) return GPUGEO_OK;
  const gg_given given = gg_given_number(options->alpha);
  return gg_fail_given(error, "alpha", ALPHA_ALLOWED, &given);
}

/* Returns the type that computes what the options ask for. */
static gpugeo_unifrac_type type_of(const gpugeo_unifrac_options *options) {
  const bool shares = options->type == GPUGEO_UNIFRAC_TYPE_GENERALIZED && options->alpha == 1;
  return shares ? GPUGEO_UNIFRAC_TYPE_NORMALIZED : options->type;
}

/* Checks that the backend that the run names computes the type. */
static gpugeo_status check_backend(const gpugeo_unifrac_options *options, gpugeo_error *error) {
  return gg_check_choice(&options->run, GG_FAMILY_UNIFRAC, (int)type_of(options), error,
                         "for type \"%s\"",
                         gpugeo_name(GPUGEO_ENUM_UNIFRAC_TYPE, (int32_t)options->type));
}

/* Frees what a job has. */
static void close_job(unifrac_job *job) {
  gg_branches_free(&job->samples);
  gg_free(job->weight);
  gg_free(job->sum);
  gg_free(job->chunk_end);
}

/* Checks the arguments but the backend, and prepares the samples. job: to be closed, also after a
   failure. */
static gpugeo_status open_job(unifrac_job *job, const gpugeo_matrix *x, const gpugeo_tree *tree,
                              const int32_t *tip, const gpugeo_unifrac_options *options,
                              gg_call *call) {
  job->type = type_of(options);
  job->alpha = options->alpha;
  const double bytes = job->type == GPUGEO_UNIFRAC_TYPE_GENERALIZED ? 20 : 12;
  gg_branches_make(x, tree, tip, options, bytes, &job->samples, call);
  *call->report = gg_report_of(gg_host_backend(), -1, 1, 1);
  return prepare(job, call);
}

gpugeo_status gpugeo_unifrac(const gpugeo_matrix *x, const gpugeo_tree *tree, const int32_t *tip,
                             const gpugeo_unifrac_options *options, double *out,
                             gpugeo_report *report, gpugeo_error *error) {
  gpugeo_unifrac_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(unifrac_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  unifrac_job job = {.planes = 0};
  const gg_backend *backend = gg_host_backend();
  GG_TRY(&call, check_options(options, error));
  GG_TRY(&call, check_backend(options, error));
  open_job(&job, x, tree, tip, options, &call);
  const int64_t n = job.samples.samples;
  choose_backend(&job, &backend, &call);
  tile_job all = {.job = &job, .tile = {0, n, 0, n}, .condensed = true, .out = out};
  if (backend != gg_host_backend() && n > 1 && job.samples.tree.count > 0)
    compute_on(&job, backend->id, out, &call);
  else
    compute_tile(&all, 0.2, 0.8, &call);
  close_job(&job);
  return gg_call_end(&call);
}

gpugeo_status gpugeo_faith(const gpugeo_matrix *x, const gpugeo_tree *tree, const int32_t *tip,
                           const gpugeo_unifrac_options *options, double *out,
                           gpugeo_report *report, gpugeo_error *error) {
  gpugeo_unifrac_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(unifrac_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  gg_branches samples = {.samples = 0};
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_COMMUNITIES, error));
  gg_branches_make(x, tree, tip, options, 12, &samples, &call);
  *call.report = gg_report_of(gg_host_backend(), -1, 1, 1);
  for (int64_t i = 0; i < samples.samples && !call.status; ++i) {
    out[i] = 0;
    for (int64_t e = samples.start[i]; e < samples.start[i + 1]; ++e)
      out[i] += samples.tree.length[samples.branch[e]];
  }
  gg_branches_free(&samples);
  return gg_call_end(&call);
}

/* --- Distances that are computed when they are asked for -------------------------------------- */

/* Those of a job. */
typedef struct unifrac_lazy {
  gpugeo_dist_lazy base; /* the first field */
  unifrac_job job;
} unifrac_lazy;

/* Computes a tile of distances. */
static gpugeo_status lazy_tile(const gpugeo_dist_lazy *lazy, const gpugeo_tile *tile, double *out,
                               double done, double share, gg_call *call) {
  tile_job t = {.job = &((const unifrac_lazy *)lazy)->job, .tile = *tile, .out = out};
  return compute_tile(&t, done, share, call);
}

/* Computes a hash of the samples, the lengths and alpha. */
static uint64_t lazy_fingerprint(const gpugeo_dist_lazy *lazy) {
  const unifrac_job *job = &((const unifrac_lazy *)lazy)->job;
  const gg_branches *samples = &job->samples;
  const int64_t entries = samples->start[samples->samples];
  const int64_t numbers[2] = {job->exponent, samples->tree.count};
  uint64_t hash = gg_random_hash(0, numbers, 2);
  if (job->weight) hash = gg_random_hash(hash, &job->alpha, 1);
  hash = gg_random_hash(hash, samples->tree.length, samples->tree.count);
  hash = gg_random_hash(hash, samples->start, samples->samples + 1);
  hash = gg_random_hash(hash, samples->value, entries);
  hash = gg_random_hash(hash, samples->total, samples->samples);
  for (int64_t e = 0; e < entries; ++e)
    hash = gg_random_mix(hash + GG_RANDOM_STEP) ^ gg_random_mix((uint64_t)samples->branch[e] + 1);
  return hash;
}

/* Frees distances. */
static void lazy_free(gpugeo_dist_lazy *lazy) {
  close_job(&((unifrac_lazy *)lazy)->job);
  gg_free(lazy);
}

gpugeo_status gpugeo_unifrac_lazy(const gpugeo_matrix *x, const gpugeo_tree *tree,
                                  const int32_t *tip, const gpugeo_unifrac_options *options,
                                  gpugeo_dist_lazy **made, gpugeo_report *report,
                                  gpugeo_error *error) {
  gpugeo_unifrac_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(unifrac_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  unifrac_lazy *lazy = gg_call_allocate(&call, 1, sizeof *lazy);
  if (!lazy) return call.status;
  *lazy = (unifrac_lazy){
      .base = {.tile = lazy_tile, .release = lazy_free, .fingerprint = lazy_fingerprint}};
  GG_TRY(&call, check_options(options, error));
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_COMMUNITIES, error));
  open_job(&lazy->job, x, tree, tip, options, &call);
  lazy->base.n = lazy->job.samples.samples;
  lazy->base.metric = gpugeo_name(GPUGEO_ENUM_UNIFRAC_TYPE, options->type);
  if (call.status)
    lazy_free(&lazy->base);
  else
    *made = &lazy->base;
  return gg_call_end(&call);
}
