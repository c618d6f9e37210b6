/* Steps that the algorithms of k-means share. Threads take columns, or blocks of points: no sum
   depends on their number. */
#include "cluster/kmeans_steps.h"

#include <math.h>

#include "common/error.h"
#include "common/memory.h"

void gg_kmeans_pack(const gg_kmeans *means, const int64_t *number, int64_t first, int64_t count,
                    double *to) {
  for (int64_t j = 0; j < means->p; ++j) {
    const double *from = means->x + j * means->ld;
    for (int64_t i = 0; i < count; ++i)
      to[j * GG_KMEANS_BLOCK + i] = from[number ? number[i] : first + i];
    for (int64_t i = count; i < GG_KMEANS_BLOCK; ++i)
      to[j * GG_KMEANS_BLOCK + i] = 0;
  }
}

/* --- Means and sums of squares ---------------------------------------------------------------- */

/* A loop over columns. */
typedef struct column_job {
  gg_kmeans *means;
  double *sum; /* of each cluster in each column, or of each column */
} column_job;

/* Averages columns. */
static void average_columns(void *job_, gg_range range) {
  const column_job *job = job_;
  gg_kmeans *means = job->means;
  for (int64_t j = range.first; j < range.last; ++j) {
    const double *x = means->x + j * means->ld;
    double *sum = job->sum + j * means->k;
    for (int64_t l = 0; l < means->k; ++l)
      sum[l] = 0;
    for (int64_t i = 0; i < means->n; ++i)
      sum[means->cluster[i]] += x[i];
    for (int64_t l = 0; l < means->k; ++l)
      means->center[l * means->p + j] = means->size[l] > 0 ? sum[l] / means->size[l] : NAN;
  }
}

/* Sums the squares of columns. */
static void total_columns(void *job_, gg_range range) {
  const column_job *job = job_;
  const gg_kmeans *means = job->means;
  for (int64_t j = range.first; j < range.last; ++j) {
    const double *x = means->x + j * means->ld;
    double mean = 0, total = 0;
    for (int64_t i = 0; i < means->n; ++i)
      mean += x[i];
    mean /= (double)means->n;
    for (int64_t i = 0; i < means->n; ++i)
      total += (x[i] - mean) * (x[i] - mean);
    job->sum[j] = total;
  }
}

/* Runs a loop over the columns. */
static gpugeo_status run_columns(column_job *job, void (*work)(void *, gg_range)) {
  gg_kmeans *means = job->means;
  return gg_call_loop(
      means->call,
      (gg_loop){
          .threads = means->threads, .count = means->p, .grain = 1, .work = work, .job = job});
}

gpugeo_status gg_kmeans_average(gg_kmeans *means) {
  column_job job = {.means = means,
                    .sum = gg_call_allocate(means->call, means->p * means->k + 1, sizeof *job.sum)};
  if (means->call->status) return means->call->status;
  for (int64_t l = 0; l < means->k; ++l)
    means->size[l] = 0;
  for (int64_t i = 0; i < means->n; ++i)
    ++means->size[means->cluster[i]];
  run_columns(&job, average_columns);
  gg_free(job.sum);
  return means->call->status;
}

/* Adds the square of coordinate j of point i to its cluster. */
static void add_square(const gg_kmeans *means, int64_t i, int64_t j, double *within) {
  const int32_t l = means->cluster[i];
  const double difference = means->x[i + j * means->ld] - means->center[l * means->p + j];
  within[l] += difference * difference;
}

void gg_kmeans_measure(const gg_kmeans *means, bool by_columns, double *within) {
  const int64_t n = means->n, p = means->p;
  for (int64_t l = 0; l < means->k; ++l)
    within[l] = 0;
  for (int64_t j = 0; by_columns && j < p; ++j)
    for (int64_t i = 0; i < n; ++i)
      add_square(means, i, j, within);
  for (int64_t i = 0; !by_columns && i < n; ++i)
    for (int64_t j = 0; j < p; ++j)
      add_square(means, i, j, within);
}

gpugeo_status gg_kmeans_total(gg_kmeans *means, double *total) {
  column_job job = {.means = means,
                    .sum = gg_call_allocate(means->call, means->p, sizeof *job.sum)};
  if (!means->call->status) run_columns(&job, total_columns);
  *total = 0;
  for (int64_t j = 0; !means->call->status && j < means->p; ++j)
    *total += job.sum[j];
  gg_free(job.sum);
  return means->call->status;
}

/* --- Nearest centres -------------------------------------------------------------------------- */

/* A loop over blocks of points. */
typedef struct block_job {
  gg_kmeans *means;
  double *rows;
  int32_t *second;
  double *room; /* of each thread */
} block_job;

/* Copies and assigns the points of blocks. */
static void assign_blocks(void *job_, gg_range range) {
  const block_job *job = job_;
  gg_kmeans *means = job->means;
  const int64_t p = means->p, size = (p + 4) * GG_KMEANS_BLOCK;
  double *point = job->room + range.worker * size, *own = point + p * GG_KMEANS_BLOCK;
  const gg_kmeans_block block = {.p = p,
                                 .k = means->k,
                                 .center = means->center,
                                 .point = point,
                                 .best = own,
                                 .next = own + GG_KMEANS_BLOCK,
                                 .nearest = own + 2 * GG_KMEANS_BLOCK,
                                 .second = own + 3 * GG_KMEANS_BLOCK};
  for (int64_t b = range.first; b < range.last; ++b) {
    const int64_t first = b * GG_KMEANS_BLOCK, rest = means->n - first;
    const int64_t count = rest < GG_KMEANS_BLOCK ? rest : GG_KMEANS_BLOCK;
    gg_kmeans_pack(means, NULL, first, count, point);
    means->kernels->nearest(&block);
    for (int64_t i = 0; i < count; ++i) {
      means->cluster[first + i] = (int32_t)block.nearest[i];
      if (job->second) job->second[first + i] = (int32_t)block.second[i];
      for (int64_t j = 0; j < p; ++j)
        job->rows[(first + i) * p + j] = point[j * GG_KMEANS_BLOCK + i];
    }
  }
}

gpugeo_status gg_kmeans_assign(gg_kmeans *means, double *rows, int32_t *second) {
  const int64_t size = (means->p + 4) * GG_KMEANS_BLOCK;
  block_job job = {means, rows, second,
                   gg_call_allocate(means->call, means->threads * size, sizeof *job.room)};
  if (!means->call->status)
    gg_call_loop(means->call, (gg_loop){.threads = means->threads,
                                        .count = (means->n + GG_KMEANS_BLOCK - 1) / GG_KMEANS_BLOCK,
                                        .work = assign_blocks,
                                        .job = &job});
  gg_free(job.room);
  return means->call->status;
}

/* --- k-means++ -------------------------------------------------------------------------------- */

enum { DRAWN_TOGETHER = 512 /* points whose squares are one part of the sum of all */ };

/* The squared distances from the nearest centre drawn. */
typedef struct draw_job {
  gg_kmeans *means;
  const double *center; /* the last one drawn */
  double *square;       /* of each point */
  double *part;         /* sums of DRAWN_TOGETHER points */
} draw_job;

/* Lowers the squares of points, and adds them up. */
static void lower_squares(void *job_, gg_range range) {
  const draw_job *job = job_;
  const gg_kmeans *means = job->means;
  double from_last[DRAWN_TOGETHER];
  for (int64_t part = range.first; part < range.last; ++part) {
    const int64_t first = part * DRAWN_TOGETHER, rest = means->n - first;
    const int64_t count = rest < DRAWN_TOGETHER ? rest : DRAWN_TOGETHER;
    double *square = job->square + first, sum = 0;
    means->kernels->squares(job->center, means->p, means->x + first, means->ld, count, from_last);
    for (int64_t i = 0; i < count; ++i) {
      if (from_last[i] < square[i]) square[i] = from_last[i];
      sum += square[i];
    }
    job->part[part] = sum;
  }
}

/* Returns the first point up to which the squares add up to more than a share of their sum, or the
   last one with a square above 0; -1 if there is none. */
static int64_t draw_point(const draw_job *job, int64_t parts, double share) {
  double sum = 0, before = 0;
  int64_t part = 0, drawn = -1;
  for (int64_t a = 0; a < parts; ++a)
    sum += job->part[a];
  for (; part + 1 < parts && before + job->part[part] <= share * sum; ++part)
    before += job->part[part];
  for (int64_t i = part * DRAWN_TOGETHER; i < job->means->n; ++i) {
    before += job->square[i];
    if (job->square[i] > 0) drawn = i;
    if (drawn == i && before > share * sum) break;
  }
  for (int64_t i = part * DRAWN_TOGETHER - 1; drawn < 0 && i >= 0; --i)
    if (job->square[i] > 0) drawn = i;
  return drawn;
}

/* Makes point i centre number l. */
static void take_point(gg_kmeans *means, int64_t l, int64_t i) {
  for (int64_t j = 0; j < means->p; ++j)
    means->center[l * means->p + j] = means->x[i + j * means->ld];
}

/* Draws all centres after the first one. */
static void draw_others(draw_job *job, int64_t parts, const double *uniform) {
  gg_kmeans *means = job->means;
  for (int64_t l = 1; l < means->k && !means->call->status; ++l) {
    job->center = means->center + (l - 1) * means->p;
    gg_call_loop(
        means->call,
        (gg_loop){.threads = means->threads, .count = parts, .work = lower_squares, .job = job});
    const int64_t i = means->call->status ? 0 : draw_point(job, parts, uniform[l]);
    if (i < 0)
      GG_TRY(means->call,
             gg_fail(means->call->error, GPUGEO_ERROR_ARGUMENT, "x",
                     "x must have at least %lld different rows, as many as clusters, not %lld",
                     (long long)means->k, (long long)l));
    else
      take_point(means, l, i);
  }
}

gpugeo_status gg_kmeans_draw(gg_kmeans *means, const double *uniform) {
  const int64_t n = means->n, parts = (n + DRAWN_TOGETHER - 1) / DRAWN_TOGETHER;
  draw_job job = {.means = means,
                  .square = gg_call_allocate(means->call, n + parts, sizeof *job.square)};
  if (means->call->status) return means->call->status;
  job.part = job.square + n;
  for (int64_t i = 0; i < n; ++i)
    job.square[i] = INFINITY;
  take_point(means, 0, (int64_t)(uniform[0] * (double)n));
  draw_others(&job, parts, uniform);
  gg_free(job.square);
  return means->call->status;
}
