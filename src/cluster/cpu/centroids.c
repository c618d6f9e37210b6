/*
 * Clustering of many points by Ward's linkages without a matrix of distances: the distance between
 * two clusters is that of their centroids times a factor of their sizes. Pairs of clusters that are
 * nearest to each other are merged in rounds, as in hclust.c; then the nearest clusters of merged
 * ones and of those that have lost theirs are searched among all centroids, by tiles of rounded
 * distances. Only those that may be nearest are computed by the rule of centroid_step.h, which
 * makes the result.
 *
 * Limited by the tiles: five to seven times the distances between all points.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cluster/centroid_step.h"
#include "cluster/clusters.h"
#include "cluster/cpu/working.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/cpu/tiles.h"

/* Memory of centroids has a row of m values for each cluster. */
typedef struct centroids {
  const gg_hclust_plan *plan;
  gg_call *call;
  gg_clusters clusters;
  int64_t m;
  double *high, *low; /* the centroids */
  double *level;      /* of each cluster the distance at which it was merged; 0: a point */
  double *sought;     /* `high` of the clusters that are searched */
  double norm;        /* no `low` of a centroid has a larger norm */
  gg_lock lock;       /* of the nearest clusters, while tiles are searched */
} centroids;

/* --- Memory ----------------------------------------------------------------------------------- */

/* Copies the points to the rows of `high`. */
static void load_points(void *own, gg_range range) {
  const centroids *c = own;
  enum { BLOCK = 64 };
  const gg_dist_plan *points = c->plan->points;
  double room[BLOCK * BLOCK];
  for (int64_t i0 = range.first; i0 < range.last; i0 += BLOCK) {
    const int64_t count = range.last - i0 < BLOCK ? range.last - i0 : BLOCK;
    for (int64_t k0 = 0; k0 < c->m; k0 += BLOCK) {
      const int64_t k1 = k0 + BLOCK < c->m ? k0 + BLOCK : c->m;
      const gg_block block = {i0, count, k0, k1 - k0};
      gg_cpu_load_points(&points->x, points->points, block, BLOCK, room);
      for (int64_t i = 0; i < count; ++i)
        for (int64_t k = k0; k < k1; ++k)
          c->high[(i0 + i) * c->m + k] = room[(k - k0) * BLOCK + i] * c->clusters.scale;
    }
  }
}

/* Returns the largest absolute coordinate. */
static double largest(const centroids *c) {
  double most = 0;
  for (int64_t i = 0; i < c->plan->n * c->m; ++i)
    most = gg_greater(most, fabs(c->high[i]));
  return most;
}

/* Loads all points, a second time if a scale is needed. */
static gpugeo_status load_scaled(centroids *c) {
  const gg_loop loop = {.threads = c->plan->threads,
                        .count = c->plan->n,
                        .grain = 1 + ((int64_t)1 << 16) / c->m,
                        .work = load_points,
                        .job = c};
  if (gg_call_loop(c->call, loop)) return c->call->status;
  gg_clusters_set_scale(&c->clusters, c->plan->linkage, largest(c));
  return c->clusters.scale == 1 ? GPUGEO_OK : gg_call_loop(c->call, loop);
}

/* Allocates the clusters and their centroids and loads the points. */
static gpugeo_status make_centroids(const gg_hclust_plan *plan, gg_merge *merges, centroids *c,
                                    gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = plan->n, m = plan->points->m;
  *c = (centroids){.plan = plan, .call = call, .m = m};
  gg_lock_make(&c->lock);
  GG_TRY(call, gg_clusters_make(plan, merges, &c->clusters, call->error));
  if (call->status) return call->status;
  c->high = gg_allocate_large(n * m, sizeof *c->high);
  c->low = gg_allocate_zeros(n * m, sizeof *c->low);
  c->sought = gg_allocate_large(n * m, sizeof *c->sought);
  c->level = gg_allocate_zeros(n, sizeof *c->level);
  if (!c->high || !c->low || !c->sought || !c->level)
    return GG_TRY(call, gg_fail_memory(call->error, (3 * m + 1) * n * (int64_t)sizeof *c->high));
  return load_scaled(c);
}

/* Frees the clusters and their centroids. */
static void free_centroids(centroids *c) {
  gg_lock_free(&c->lock);
  gg_clusters_free(&c->clusters);
  gg_free(c->high);
  gg_free(c->low);
  gg_free(c->sought);
  gg_free(c->level);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* A cluster that is searched, before one is found. */
static const gg_nearest none_yet = {INFINITY, INT32_MAX};

/* A search of the nearest clusters of some. */
typedef struct search {
  centroids *centroids;
  const int32_t *searched; /* the clusters of the rows; NULL: all, which are points */
} search;

/* A tile with what is known of its clusters. Its rows are clusters that are searched. */
typedef struct tile {
  centroids *centroids;
  const gg_cpu_position *position;
  bool points; /* rows and columns are points that are all searched */
  int32_t row[GG_CPU_TILE];
  _Alignas(64) double row_size[GG_CPU_TILE], row_limit[GG_CPU_TILE];
  gg_nearest row_nearest[GG_CPU_TILE], column_nearest[GG_CPU_TILE];
} tile;

/* Returns the centroid of a cluster, in two parts, high and low. */
static gg_centroid centroid(const centroids *c, int64_t cluster) {
  return (gg_centroid){c->high + cluster * c->m, c->low + cluster * c->m, 1};
}

/* Returns Ward's distance of two clusters, at least the level of each. */
static double distance_between(const centroids *c, int64_t a, int64_t b) {
  const double *size = c->clusters.size;
  return gg_ward_distance(gg_centroid_distance(centroid(c, a), centroid(c, b), c->m),
                          gg_ward_factor(size[a], size[b]), gg_greater(c->level[a], c->level[b]));
}

/* Returns the upper bound of tile values that can be at most the distance, for clusters of that
   size. */
static double limit_of(const centroids *c, double distance, double size) {
  const double relative = 4 * (double)(c->m + 8) * DBL_EPSILON;
  return gg_ward_limit(distance, size, c->norm, relative) + 1e-280; /* squares may vanish */
}

/* Returns the nearest cluster that is known of a cluster. */
static gg_nearest known_nearest(const gg_clusters *all, int64_t cluster) {
  return (gg_nearest){all->distance[cluster], all->nearest[cluster]};
}

/* Reads the nearest clusters known of the tile's rows and columns. searched: numbers of rows, or
   NULL. */
static void open_tile(tile *t, const int32_t *searched) {
  centroids *c = t->centroids;
  const gg_clusters *all = &c->clusters;
  const gg_cpu_position *position = t->position;
  gg_lock_take(&c->lock);
  for (int64_t r = 0; r < position->rows; ++r) {
    t->row[r] = searched ? searched[position->row + r] : (int32_t)(position->row + r);
    t->row_nearest[r] = known_nearest(all, t->row[r]);
  }
  for (int64_t k = 0; k < position->columns; ++k)
    t->column_nearest[k] = known_nearest(all, position->column + k);
  gg_lock_give(&c->lock);
  for (int64_t r = 0; r < GG_CPU_TILE; ++r) {
    t->row_size[r] = r < position->rows ? all->size[t->row[r]] : 0;
    t->row_limit[r] =
        r < position->rows ? limit_of(c, t->row_nearest[r].distance, t->row_size[r]) : -INFINITY;
  }
}

/* Multiplies the squared distances of a column by the factors. */
static void weigh_column(const tile *t, double size, double *value) {
  for (int64_t r = 0; r < t->position->rows; ++r)
    value[r] *= gg_ward_factor(t->row_size[r], size);
}

/* True if a column's cluster may find a nearer one in its tile: its nearest one is known, or it is
   searched in no other tile. */
static bool column_takes(const tile *t, const gg_nearest *nearest) {
  return t->points || (nearest->cluster >= 0 && nearest->cluster < none_yet.cluster);
}

/* Compares a column with its rows that are within the limits, and notes the nearest clusters. */
static void search_column(tile *t, int64_t column, double *value) {
  const centroids *c = t->centroids;
  const int64_t j = t->position->column + column;
  const double size = c->clusters.size[j];
  gg_nearest *nearest = &t->column_nearest[column];
  const bool takes = column_takes(t, nearest);
  int32_t hits[GG_CPU_TILE];
  if (!(size > 0)) return;
  if (!t->points) weigh_column(t, size, value);
  const double limit = takes ? limit_of(c, nearest->distance, size) : -INFINITY;
  const int64_t count = gg_cpu_kernels_for(false)->select(
      value, t->position->diagonal ? column + 1 : 0, t->position->rows, limit, t->row_limit, hits);
  for (int64_t h = 0; h < count; ++h) {
    const int32_t r = hits[h], i = t->row[r];
    if (i == j) continue;
    const double distance = distance_between(c, i, j);
    if (gg_nearest_take(&t->row_nearest[r], distance, (int32_t)j))
      t->row_limit[r] = limit_of(c, distance, t->row_size[r]);
    if (takes) gg_nearest_take(nearest, distance, i);
  }
}

/* Replaces the nearest cluster by one that is nearer, or as near with a lower number. */
static void offer_nearest(gg_clusters *all, int64_t cluster, const gg_nearest *found) {
  gg_nearest nearest = known_nearest(all, cluster);
  if (!gg_nearest_take(&nearest, found->distance, found->cluster)) return;
  all->distance[cluster] = nearest.distance;
  all->nearest[cluster] = nearest.cluster;
}

/* Writes back the nearest clusters that the tile has found. */
static void close_tile(const tile *t) {
  centroids *c = t->centroids;
  gg_lock_take(&c->lock);
  for (int64_t r = 0; r < t->position->rows; ++r)
    offer_nearest(&c->clusters, t->row[r], &t->row_nearest[r]);
  for (int64_t k = 0; k < t->position->columns; ++k)
    if (column_takes(t, &t->column_nearest[k]))
      offer_nearest(&c->clusters, t->position->column + k, &t->column_nearest[k]);
  gg_lock_give(&c->lock);
}

/* Searches a tile for nearest clusters. */
static int32_t search_tile(void *own, const gg_cpu_position *position, void *values) {
  const search *s = own;
  tile t = {.centroids = s->centroids, .position = position, .points = !s->searched};
  open_tile(&t, s->searched);
  for (int64_t column = 0; column < position->columns; ++column)
    search_column(&t, column, (double *)values + column * position->ld);
  close_tile(&t);
  return 0;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* Returns the plan of the squared distances between the first `searched` rows of the memory of
   those that are searched and all clusters; within these, if it is 0. */
static gg_dist_plan plan_tiles(const centroids *c, int64_t searched) {
  gg_dist_plan plan = *c->plan->points;
  plan.y = (gpugeo_matrix){.data = c->high,
                           .type = GPUGEO_TYPE_DOUBLE,
                           .nrow = c->m,
                           .ncol = c->clusters.active,
                           .ld = c->m};
  plan.x = plan.y;
  plan.points = GPUGEO_POINTS_COLUMNS;
  plan.symmetric = searched == 0;
  if (!plan.symmetric) {
    plan.x.data = c->sought;
    plan.x.ncol = searched;
  }
  plan.nx = plan.x.ncol;
  plan.ny = plan.y.ncol;
  plan.finish |= GG_FINISH_SQUARED;
  plan.threads = c->plan->threads;
  return plan;
}

/* Searches the listed clusters: before the first merge all points. share: of the call's progress.
 */
static gpugeo_status search_nearest(centroids *c, double done, double share) {
  if (c->call->status) return c->call->status;
  gg_clusters *clusters = &c->clusters;
  const bool points = clusters->merged == 0;
  search s = {c, points ? NULL : clusters->search};
  for (int64_t k = 0; k < clusters->searches; ++k) {
    const int64_t cluster = clusters->search[k];
    clusters->distance[cluster] = none_yet.distance;
    clusters->nearest[cluster] = none_yet.cluster;
    if (!points)
      memcpy(c->sought + k * c->m, c->high + cluster * c->m, (size_t)c->m * sizeof *c->high);
  }
  if (clusters->searches == 0) return GPUGEO_OK;
  const gg_dist_plan plan = plan_tiles(c, points ? 0 : clusters->searches);
  const gg_cpu_sink sink = {.own = &s, .before = done, .share = share, .take = search_tile};
  return gg_cpu_tiles(&plan, &sink, c->call);
}

/* Merges the centroids of the listed pairs. */
static void merge_pairs(void *own, gg_range range) {
  centroids *c = own;
  const gg_column_pairs *pair = &c->clusters.pair;
  for (int64_t p = range.first; p < range.last; ++p) {
    const int64_t low = pair->low[p] * c->m, high = pair->high[p] * c->m;
    for (int64_t k = 0; k < c->m; ++k)
      gg_centroid_merge(&c->high[low + k], &c->low[low + k], c->high[high + k], c->low[high + k],
                        pair->ni[p], pair->nj[p]);
    c->level[pair->low[p]] = pair->dij[p];
  }
}

/* Keeps `norm` the largest one of all centroids. */
static void measure_pairs(centroids *c) {
  const gg_column_pairs *pair = &c->clusters.pair;
  for (int64_t p = 0; p < c->clusters.pairs; ++p) {
    const double *low = c->low + pair->low[p] * c->m;
    double sum = 0;
    for (int64_t k = 0; k < c->m; ++k)
      sum += low[k] * low[k];
    c->norm = gg_greater(c->norm, sqrt(sum) * (1 + (double)c->m * DBL_EPSILON));
  }
}

/* Removes clusters that were merged into others. */
static void remove_merged(centroids *c) {
  gg_clusters *all = &c->clusters;
  const size_t row = (size_t)c->m * sizeof *c->high;
  gg_clusters_next_removal(all);
  for (int64_t k = 0; k < all->columns; ++k) {
    const int64_t old = all->from[k];
    c->level[k] = c->level[old];
    memmove(c->high + k * c->m, c->high + old * c->m, row);
    memmove(c->low + k * c->m, c->low + old * c->m, row);
  }
  gg_clusters_remove(all);
}

/* Merges all pairs of clusters that are each other's nearest. */
static gpugeo_status merge_round(centroids *c) {
  gg_clusters *all = &c->clusters;
  const double done = gg_clusters_fraction(all, gg_clusters_alive(all));
  gg_clusters_list_pairs(all);
  gg_clusters_begin_round(all);
  const gg_loop loop = {.threads = c->plan->threads,
                        .count = all->pairs,
                        .grain = 1 + 4096 / c->m, /* 0.1 ms */
                        .work = merge_pairs,
                        .job = c,
                        .begun = done};
  if (gg_call_loop(c->call, loop)) return c->call->status;
  measure_pairs(c);
  gg_clusters_lose_merged(all);
  gg_clusters_end_round(all);
  if (gg_clusters_alive(all) < 2) return GPUGEO_OK;
  search_nearest(c, done, gg_clusters_fraction(all, gg_clusters_alive(all)) - done);
  if (!c->call->status && gg_clusters_removes(all)) remove_merged(c);
  return c->call->status;
}

gpugeo_status gg_merge_centroids(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call) {
  if (call->status) return call->status;
  centroids c;
  make_centroids(plan, merges, &c, call);
  if (!call->status) gg_clusters_search_all(&c.clusters);
  search_nearest(&c, 0, 1.0 / 3);
  while (!call->status && gg_clusters_alive(&c.clusters) > 1)
    merge_round(&c);
  gg_clusters_scale_squares(&c.clusters);
  free_centroids(&c);
  return call->status;
}
