/* Fuzzes gpugeo_knn() and gpugeo_radius(): any matrices and options. Checks each neighbour against
   the sorted distances of gpugeo_dist(), bit for bit. */
#include "fuzz.h"

typedef struct candidate {
  double distance;
  int32_t index;
} candidate;

/* Nearest first, a missing distance last, ties by the smaller index. */
static int compare(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  if (isnan(a->distance) != isnan(b->distance)) return isnan(a->distance) ? 1 : -1;
  if (a->distance < b->distance || a->distance > b->distance)
    return a->distance < b->distance ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* What one call is about. */
typedef struct question {
  const gpugeo_matrix *x, *query; /* query NULL: within x */
  int64_t candidates, queries;    /* points */
  gpugeo_knn_options options;
  double *full; /* candidates by queries */
} question;

/* All candidates of a query in order; returns how many there are. */
static int64_t sort_candidates(const question *q, int64_t query, candidate *sorted) {
  int64_t count = 0;
  for (int64_t i = 0; i < q->candidates; ++i)
    if (q->query || i != query)
      sorted[count++] = (candidate){q->full[i + query * q->candidates], (int32_t)i};
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  return count;
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_knn(const question *q) {
  gpugeo_error error;
  int64_t size;
  gpugeo_status status = gpugeo_knn_size(q->x, q->query, &q->options, &size, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  int32_t *index = malloc((size_t)size * sizeof *index + 1);
  double *distance = malloc((size_t)size * sizeof *distance + 1);
  candidate *sorted = malloc((size_t)q->candidates * sizeof *sorted + 1);
  status = gpugeo_knn(q->x, q->query, &q->options, index, distance, NULL, &error);
  demand_status(status, 0, &error);
  for (int64_t i = 0; i < q->queries; ++i) {
    demand(sort_candidates(q, i, sorted) >= q->options.k);
    for (int64_t k = 0; k < q->options.k; ++k) {
      demand(index[i + k * q->queries] == sorted[k].index);
      demand(same(distance[i + k * q->queries], sorted[k].distance));
    }
  }
  free(sorted);
  free(distance);
  free(index);
}

static void check_radius(const question *q) {
  gpugeo_error error;
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(q->x, q->query, &q->options, &found, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  candidate *sorted = malloc((size_t)q->candidates * sizeof *sorted + 1);
  demand(found.points == q->queries && found.start[0] == 0);
  for (int64_t i = 0; i < q->queries; ++i) {
    const int64_t count = sort_candidates(q, i, sorted);
    int64_t at = found.start[i];
    for (int64_t c = 0; c < count && sorted[c].distance <= q->options.radius; ++c, ++at) {
      demand(at < found.start[i + 1] && found.index[at] == sorted[c].index);
      demand(same(found.distance[at], sorted[c].distance));
    }
    demand(at == found.start[i + 1]);
  }
  free(sorted);
  gpugeo_neighbors_free(&found);
}

/* The distances; false where these are refused: then neighbours are, too. */
static bool compute_full(question *q) {
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  o.metric = q->options.metric;
  o.points = q->options.points;
  o.shape = GPUGEO_SHAPE_FULL;
  set_way(&o.run, 0, 0);
  q->full = malloc((size_t)(q->candidates * q->queries) * sizeof *q->full + 1);
  gpugeo_error error;
  const gpugeo_status status =
      gpugeo_dist(q->x, q->query, &o, GPUGEO_TYPE_DOUBLE, q->full, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA, &error);
  return !status;
}

/* Where distances are refused, neighbours are, too, unless there is no pair of points or they are
   locations on a sphere. */
static void check_refused(const question *q) {
  gpugeo_neighbors found;
  gpugeo_error error;
  const gpugeo_status status = gpugeo_radius(q->x, q->query, &q->options, &found, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA, &error);
  if (status) return;
  demand(q->options.metric.kind == GPUGEO_METRIC_GREAT_CIRCLE ||
         q->candidates < (q->query ? 1 : 2) || q->queries == 0);
  gpugeo_neighbors_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  question q = {.full = NULL};
  gpugeo_knn_options *o = &q.options;
  gpugeo_knn_options_init(o, sizeof *o);
  o->metric.kind = (gpugeo_metric)take(&b, GPUGEO_METRIC_COUNT);
  o->points = (gpugeo_points)take(&b, 1);
  o->metric.p = take_double(&b);
  o->k = take(&b, 60);
  o->radius = take_double(&b);
  const int way = take(&b, WAYS - 1);
  const int64_t work_bytes = take(&b, 255);
  const int64_t nx = take(&b, 60), m = take(&b, 12), ny = take(&b, 20);
  const bool within = take(&b, 1), rows = o->points == GPUGEO_POINTS_ROWS;
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? nx : m, rows ? m : nx);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), rows ? ny : m, rows ? m : ny);
  parameters room;
  take_parameters(&b, m, &room, &o->metric);
  q.x = &x;
  q.query = within ? NULL : &y;
  q.candidates = nx;
  q.queries = within ? nx : ny;
  const bool allowed = compute_full(&q);
  set_way(&o->run, way, work_bytes);
  if (allowed) {
    check_knn(&q);
    check_radius(&q);
  } else {
    check_refused(&q);
  }
  free(q.full);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}
