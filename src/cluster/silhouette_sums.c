/*
 * Silhouettes, from tiles of distances that are computed or read once and not kept.
 *
 * For each point and cluster the distances are added up one after the other in the order of the
 * points, so the sums have the same bits for tiles of any size, threads and sources: those of
 * the loop over all pairs i < j. Tiles come column by column, and a tile is added to the sums of
 * its rows, and below the diagonal then to those of its columns. If the sums of all points take
 * more memory than there is, the points are taken in strips, and each distance is computed twice.
 *
 * Limited by the distances; adding a tile takes two additions for each of its elements. A device
 * that has the distances adds them itself (cuda/cluster/silhouette.cu).
 */
#include <math.h>

#include "cluster/silhouette_step.h"
#include "cluster/silhouette_sums.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"

enum {
  GROUP = 64,  /* points whose sums are next to each other: those of 20 clusters take 10 KiB */
  SIDE = 1024, /* points of a tile at most: 8 MiB of distances */
  LINE = 8     /* columns of a tile that are added together: a cache line of sums */
};

/* What one thread has seen. */
typedef struct survey {
  _Alignas(64) gg_bad_distances bad;
  bool overflow; /* a sum is infinite */
} survey;

typedef struct job {
  const gg_silhouette_plan *plan;
  gg_call *call;
  int64_t n, side;
  int64_t strip;        /* points whose sums are in memory at a time: whole groups, or all */
  int64_t first, count; /* points of the present strip */
  double scale;         /* a power of two by which distances are multiplied */
  double *size;         /* of each cluster its points */
  double *total;        /* of each group and cluster: the sums of the points */
  double *values;       /* of a tile */
  gpugeo_tile tile;
  survey *surveys;
} job;

/* Returns the number of groups of GROUP points. */
static int64_t groups_of(int64_t points) { return (points + GROUP - 1) / GROUP; }

/* Returns where the sum of a point of the strip is, borrowed from the job. */
static double *total_of(const job *j, int64_t point, int64_t cluster) {
  return j->total + (point / GROUP * j->plan->clusters + cluster) * GROUP + point % GROUP;
}

/* --- One tile --------------------------------------------------------------------------------- */

/* Counts the bad distances in some rows of a tile, those of pairs i > j. */
static void count_bad(const job *j, int64_t first, int64_t last, gg_bad_distances *bad) {
  const gpugeo_tile *tile = &j->tile;
  for (int64_t c = 0; c < tile->columns; ++c)
    for (int64_t r = first; r < last; ++r) {
      const double value = j->values[r + c * tile->rows];
      if (tile->row + r > tile->column + c && !isfinite(value))
        gg_bad_distances_add(bad, tile->row + r, tile->column + c, value);
    }
}

/* Adds the rows [first, first + count) of a tile, which are of one group; or only checks them. */
static void add_rows(const job *j, int64_t first, int64_t count, gg_bad_distances *bad) {
  const gpugeo_tile *tile = &j->tile;
  const int64_t point = tile->row - j->first + first;
  const double scale = j->scale;
  double zero = 0;
  for (int64_t c = 0; c < tile->columns; ++c) {
    const double *value = j->values + first + c * tile->rows;
#pragma omp simd reduction(+ : zero)
    for (int64_t r = 0; r < count; ++r)
      zero += value[r] * 0;
    if (!j->plan->width) continue;
    double *total = total_of(j, point, j->plan->cluster[tile->column + c]);
#pragma omp simd
    for (int64_t r = 0; r < count; ++r)
      total[r] += value[r] * scale;
  }
  if (zero != 0) count_bad(j, first, first + count, bad);
}

/* Adds `count` columns from `first` on, at most LINE of one group. */
static inline void add_line(const job *j, int64_t first, int64_t count) {
  const gpugeo_tile *tile = &j->tile;
  const int32_t *cluster = j->plan->cluster + tile->row;
  const double *value = j->values + first * tile->rows, scale = j->scale;
  double *line = total_of(j, tile->column - j->first + first, 0);
  for (int64_t r = 0; r < tile->rows; ++r) {
    double *total = line + (int64_t)cluster[r] * GROUP;
    for (int64_t c = 0; c < count; ++c)
      total[c] += value[r + c * tile->rows] * scale;
  }
}

/* Adds `count` columns to the sums, LINE at a time. */
static void add_columns(const job *j, int64_t first, int64_t count) {
  for (int64_t c = 0; c < count; c += LINE) {
    if (c + LINE <= count)
      add_line(j, first + c, LINE);
    else
      add_line(j, first + c, count - c);
  }
}

/* Gives a group of rows or columns of the tile to the visitor. */
static void visit_group(const job *j, bool columns, int64_t first, int64_t count) {
  const gpugeo_tile *tile = &j->tile;
  const gg_distance_block block = {.first = (columns ? tile->column : tile->row) + first,
                                   .count = count,
                                   .other = columns ? tile->row : tile->column,
                                   .others = columns ? tile->rows : tile->columns,
                                   .value = j->values + first * (columns ? tile->rows : 1),
                                   .point_step = columns ? tile->rows : 1,
                                   .other_step = columns ? 1 : tile->rows};
  j->plan->visit(j->plan->visitor, &block);
}

/* Adds groups of rows, and then of columns. */
static void add_groups(void *own, gg_range range) {
  const job *j = own;
  const int64_t row_groups = groups_of(j->tile.rows);
  for (int64_t g = range.first; g < range.last; ++g) {
    const bool columns = g >= row_groups;
    const int64_t first = (columns ? g - row_groups : g) * GROUP;
    const int64_t count = gg_smaller(GROUP, (columns ? j->tile.columns : j->tile.rows) - first);
    if (!columns)
      add_rows(j, first, count, &j->surveys[range.worker].bad);
    else if (j->plan->width)
      add_columns(j, first, count);
    if (j->plan->visit && j->scale == 1) visit_group(j, columns, first, count);
  }
}

/* Sets the distances of points from themselves to 0: a metric may have none. */
static void clear_diagonal(const job *j) {
  const gpugeo_tile *tile = &j->tile;
  for (int64_t r = 0; r < tile->rows; ++r) {
    const int64_t c = tile->row + r - tile->column;
    if (c >= 0 && c < tile->columns) j->values[r + c * tile->rows] = 0;
  }
}

/* Computes or reads a tile and adds it. mirrored: to its columns, too. */
static gpugeo_status take_tile(job *j, bool mirrored, double done, double share) {
  const double distances = 0.8 * share; /* the rest is adding */
  if (gg_dist_source_tile(j->plan->source, &j->tile, j->values, done, distances, j->call))
    return j->call->status;
  clear_diagonal(j);
  const gg_loop loop = {.threads = j->plan->threads,
                        .count =
                            groups_of(j->tile.rows) + (mirrored ? groups_of(j->tile.columns) : 0),
                        .grain = 1, /* up to 50 us */
                        .work = add_groups,
                        .job = j,
                        .begun = done + distances,
                        .share = share - distances};
  return gg_call_loop(j->call, loop);
}

/* --- Strips ----------------------------------------------------------------------------------- */

/* Adds all distances of the points of a strip. */
static gpugeo_status add_strip(job *j, double done, double share) {
  const int64_t n = j->n, end = j->first + j->count;
  const bool whole = j->count == n;
  const double part = share / ((double)n * (double)j->count * (whole ? 0.5 : 1));
  for (int64_t column = 0; !j->call->status && column < n; column += j->side)
    for (int64_t row = whole ? column : j->first; !j->call->status && row < end; row += j->side) {
      const bool diagonal = whole && row == column;
      j->tile = (gpugeo_tile){row, gg_smaller(j->side, end - row), column,
                              gg_smaller(j->side, n - column)};
      const double own = part * (double)j->tile.rows * (double)j->tile.columns;
      take_tile(j, whole && !diagonal, done, diagonal ? own / 2 : own);
      done += diagonal ? own / 2 : own;
    }
  return j->call->status;
}

/* Sets the results of some points of a group, from `point` of the strip on. */
static void finish_group(const job *j, int64_t point, int64_t count, survey *seen) {
  const gg_silhouette_plan *plan = j->plan;
  const int32_t *own = plan->cluster + j->first + point;
  int32_t *neighbor = plan->neighbor + j->first + point;
  double *width = plan->width + j->first + point, least[GROUP];
  for (int64_t r = 0; r < count; ++r) {
    neighbor[r] = -1;
    least[r] = NAN;
  }
  for (int64_t c = 0; c < plan->clusters; ++c) {
    const double *total = total_of(j, point, c);
    for (int64_t r = 0; r < count && j->size[c] > 0; ++r)
      if (c != own[r])
        gg_silhouette_take(total[r], j->size[c], (int32_t)c, &neighbor[r], &least[r]);
  }
  for (int64_t r = 0; r < count; ++r) {
    const double size = j->size[own[r]], total = *total_of(j, point + r, own[r]);
    seen->overflow = seen->overflow || isinf(total) || isinf(least[r]);
    width[r] = neighbor[r] < 0 ? NAN : gg_silhouette_width(total, size, least[r]);
  }
}

/* Computes the silhouettes of a range of groups; the loop's work. */
static void finish_groups(void *own, gg_range range) {
  const job *j = own;
  for (int64_t g = range.first; g < range.last; ++g)
    finish_group(j, g * GROUP, gg_smaller(GROUP, j->count - g * GROUP), &j->surveys[range.worker]);
}

/* Adds up the distances of a strip of points and computes their silhouettes. */
static gpugeo_status compute_strip(job *j, double done, double share) {
  const int64_t groups = groups_of(j->count), sums = groups * j->plan->clusters * GROUP;
  for (int64_t k = 0; k < sums && j->plan->width; ++k)
    j->total[k] = 0;
  if (add_strip(j, done, share) || !j->plan->width) return j->call->status;
  const gg_loop loop = {.threads = j->plan->threads,
                        .count = groups,
                        .grain = 1 + 1024 / j->plan->clusters, /* 0.1 ms */
                        .work = finish_groups,
                        .job = j};
  gg_parallel_for(&loop);
  return GPUGEO_OK;
}

/* --- All points ------------------------------------------------------------------------------- */

/* Returns what all threads have noted together. */
static survey join_surveys(const job *j) {
  survey all = {.overflow = false};
  for (int32_t t = 0; t < j->plan->threads; ++t) {
    gg_bad_distances_join(&all.bad, &j->surveys[t].bad);
    all.overflow = all.overflow || j->surveys[t].overflow;
  }
  return all;
}

/* Computes the silhouettes of all points, in strips. */
static gpugeo_status compute_strips(job *j, double done, double share) {
  for (j->first = 0; !j->call->status && j->first < j->n; j->first += j->strip) {
    j->count = gg_smaller(j->strip, j->n - j->first);
    const double part = share * (double)j->count / (double)j->n;
    compute_strip(j, done, part);
    done += part;
  }
  return j->call->status;
}

/* Computes everything; again with smaller distances if a sum is infinite. */
static gpugeo_status compute_sums(job *j, double done, double share) {
  if (compute_strips(j, done, share)) return j->call->status;
  const survey seen = join_surveys(j);
  if (seen.bad.count > 0)
    return GG_TRY(j->call, gg_fail_distances(j->plan->name, &seen.bad, j->call->error));
  if (!seen.overflow) return GPUGEO_OK;
  j->scale = 0x1p-40; /* more than there are points */
  return compute_strips(j, done + share, 0);
}

/* --- Memory ----------------------------------------------------------------------------------- */

double gg_silhouette_working(int64_t n, int64_t clusters) {
  const double side = (double)gg_smaller(GROUP, n);
  return 8 * (double)clusters * (GROUP + 1) + 8 * side * side;
}

/* Chooses the sizes: a quarter of the memory is for a tile, and half for sums. */
static void choose_sizes(job *j) {
  const double bytes = (double)j->plan->work_bytes, clusters = (double)j->plan->clusters;
  const int64_t fits = (int64_t)(sqrt(bytes / 4 / 8) / GROUP) * GROUP;
  j->side = fits < GROUP ? GROUP : gg_smaller(fits, SIDE);
  j->side = gg_smaller(j->side, j->n);
  const double groups = floor(bytes / 2 / (8 * clusters * GROUP));
  const bool all = groups * GROUP >= (double)j->n || !j->plan->width;
  j->strip = all ? j->n : (groups < 1 ? 1 : (int64_t)groups) * GROUP;
}

/* Chooses the sizes, allocates the job and counts the points of the clusters. */
static gpugeo_status make_job(job *j) {
  const gg_silhouette_plan *plan = j->plan;
  choose_sizes(j);
  const int64_t sums = plan->width ? groups_of(j->strip) * plan->clusters * GROUP : 1;
  j->size = gg_allocate_zeros(plan->clusters, sizeof *j->size);
  j->total = gg_allocate_large(sums, sizeof *j->total);
  j->values = gg_allocate_large(j->side * j->side, sizeof *j->values);
  j->surveys = gg_allocate_zeros(plan->threads, sizeof *j->surveys);
  if (!j->size || !j->total || !j->values || !j->surveys)
    return GG_TRY(j->call,
                  gg_fail_memory(j->call->error, 8 * (plan->clusters + sums + j->side * j->side)));
  for (int64_t i = 0; i < j->n; ++i)
    ++j->size[plan->cluster[i]];
  if (plan->has_noise) j->size[plan->clusters - 1] = 0;
  return GPUGEO_OK;
}

gpugeo_status gg_silhouette_compute(const gg_silhouette_plan *plan, double done, double share,
                                    gg_call *call) {
  if (call->status) return call->status;
  job j = {.plan = plan, .call = call, .n = plan->source->n, .scale = 1};
  if (!make_job(&j)) compute_sums(&j, done, share);
  gg_free(j.size);
  gg_free(j.total);
  gg_free(j.values);
  gg_free(j.surveys);
  return call->status;
}
