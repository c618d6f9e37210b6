/* Fuzzes sparse matrices: any numbers in arrays that are no longer than the struct says. Checks
   that damaged matrices are refused, and that all others have the distances, correlations,
   covariances and neighbours of the dense matrix, bit for bit. */
#include "fuzz.h"

enum { MOST_SLICES = 12, MOST_STORED = MOST_SLICES * MOST_SLICES, K = 2 };

/* A sparse matrix, the numbers in its arrays, and a dense matrix of doubles for its copy. */
typedef struct question {
  gpugeo_matrix matrix, dense;
  gpugeo_sparse sparse;
  int64_t start[MOST_SLICES + 1], index[MOST_STORED], slices, length, stored;
  double value[MOST_STORED];
} question;

/* A small number, one less often than the others any eight bytes. */
static int64_t take_number(bytes *b) {
  const int way = take(b, 7);
  return way == 7 ? take_int64(b) : take(b, MOST_SLICES + 2) - 1;
}

/* Fills the arrays as they should be. */
static void take_elements(bytes *b, question *q) {
  for (int64_t s = 0; s < q->slices; ++s) {
    for (int64_t i = 0; i < q->length; ++i)
      if (take(b, 2) == 2) q->index[q->stored++] = i;
    q->start[s + 1] = q->stored;
  }
}

/* Fills the arrays with any numbers. */
static void take_any_elements(bytes *b, question *q) {
  q->stored = take(b, MOST_STORED);
  for (int64_t s = 0; s <= q->slices; ++s)
    q->start[s] = take_number(b);
  for (int64_t e = 0; e < q->stored; ++e)
    q->index[e] = take_number(b);
}

/* True if the arrays are as gpugeo.h describes them. */
static bool is_sound(const question *q) {
  if (q->start[0] != 0 || q->start[q->slices] > q->stored) return false;
  for (int64_t s = 0; s < q->slices; ++s) {
    if (q->start[s] > q->start[s + 1]) return false;
    if (q->start[s + 1] > q->stored) return false;
    for (int64_t e = q->start[s]; e < q->start[s + 1]; ++e)
      if (q->index[e] < 0 || q->index[e] >= q->length ||
          (e > q->start[s] && q->index[e] <= q->index[e - 1]))
        return false;
  }
  return true;
}

/* Copies numbers to new memory that has room for no more. Rounds them to what it can hold. */
static void *copied(int64_t *numbers, int64_t count, int32_t bytes) {
  char *copy = malloc((size_t)(count * bytes) + (count == 0));
  for (int64_t e = 0; e < count; ++e) {
    const int32_t narrow = (int32_t)numbers[e];
    if (bytes == 4) numbers[e] = narrow;
    if (bytes == 4)
      memcpy(copy + 4 * e, &narrow, sizeof narrow);
    else
      memcpy(copy + 8 * e, &numbers[e], sizeof numbers[e]);
  }
  return copy;
}

/* Takes the values, in memory that has room for no more. */
static void *take_data(bytes *b, question *q, gpugeo_type type) {
  const gpugeo_matrix made = take_matrix(b, type, q->stored, 1);
  for (int64_t e = 0; e < q->stored; ++e)
    q->value[e] = element(&made, e, 0);
  void *exact = malloc((size_t)q->stored * (type == GPUGEO_TYPE_DOUBLE ? 8 : 4) + !q->stored);
  memcpy(exact, made.data, (size_t)q->stored * (type == GPUGEO_TYPE_DOUBLE ? 8 : 4));
  free((void *)made.data);
  return exact;
}

/* Removes an array or makes the number of elements negative. Returns false if that makes the matrix
   unsound. */
static bool keep_struct(bytes *b, gpugeo_sparse *sparse) {
  const int which = take(b, 31);
  const void **const arrays[] = {&sparse->start, &sparse->index};
  if (which == 1 || which == 2) {
    free((void *)*arrays[which - 1]);
    *arrays[which - 1] = NULL;
  }
  if (which == 3) sparse->stored = -1 - sparse->stored;
  return which != 1 && which != 3 && (which != 2 || sparse->stored == 0);
}

static void take_question(bytes *b, question *q) {
  const int way = take(b, 3);
  const int32_t index_bytes = take(b, 15) == 15 ? take(b, 9) : take(b, 1) ? 4 : 8;
  const bool by_rows = take(b, 1);
  q->slices = take(b, MOST_SLICES);
  q->length = take(b, MOST_SLICES);
  if (way == 0)
    take_any_elements(b, q);
  else
    take_elements(b, q);
  if (way == 1 && take(b, 1)) q->start[take(b, (int)q->slices)] = take_number(b);
  if (way == 1 && q->stored > 0) q->index[take(b, (int)q->stored - 1)] = take_number(b);
  const int32_t written = index_bytes == 4 ? 4 : 8;
  q->sparse = (gpugeo_sparse){.start = copied(q->start, q->slices + 1, written),
                              .index = copied(q->index, q->stored, written),
                              .index_bytes = index_bytes,
                              .by_rows = by_rows,
                              .stored = q->stored};
  const gpugeo_type type = (gpugeo_type)take(b, 2);
  const bool pattern = take(b, 7) == 7;
  void *data = take_data(b, q, type);
  for (int64_t e = 0; pattern && e < q->stored; ++e)
    q->value[e] = 1;
  if (pattern) free(data);
  q->matrix = (gpugeo_matrix){.data = pattern ? NULL : data,
                              .type = type,
                              .nrow = by_rows ? q->slices : q->length,
                              .ncol = by_rows ? q->length : q->slices,
                              .sparse = &q->sparse};
}

/* Expands a sound matrix. */
static void expand(question *q) {
  const int64_t rows = q->matrix.nrow, columns = q->matrix.ncol;
  double *z = calloc((size_t)(rows * columns) + 1, sizeof *z);
  for (int64_t s = 0; s < q->slices; ++s)
    for (int64_t e = q->start[s]; e < q->start[s + 1]; ++e)
      z[q->sparse.by_rows ? s + q->index[e] * rows : q->index[e] + s * rows] = q->value[e];
  q->dense = (gpugeo_matrix){z, GPUGEO_TYPE_DOUBLE, rows, columns, rows, NULL};
}

/* --- Calls ------------------------------------------------------------------------------------ */

enum { MOST_VALUES = MOST_SLICES * MOST_SLICES };

/* One call's answer. */
typedef struct answer {
  gpugeo_status status;
  gpugeo_error error;
  double value[MOST_VALUES];
  int32_t index[K * MOST_SLICES];
} answer;

typedef struct calls {
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  gpugeo_knn_options knn;
  int64_t work_bytes;
} calls;

static calls take_calls(bytes *b) {
  calls c;
  gpugeo_dist_options_init(&c.dist, sizeof c.dist);
  gpugeo_cor_options_init(&c.cor, sizeof c.cor);
  gpugeo_knn_options_init(&c.knn, sizeof c.knn);
  c.dist.metric.kind = (gpugeo_metric)take(b, GPUGEO_METRIC_COUNT - 1);
  c.dist.metric.p = take_double(b);
  c.dist.points = (gpugeo_points)take(b, 1);
  c.dist.shape = GPUGEO_SHAPE_FULL;
  const int kind = take(b, 7);
  c.dist.run.precision = (gpugeo_precision)(kind % 2);
  c.cor.covariance = (gpugeo_covariance)(kind / 2);
  c.cor.method = (gpugeo_cor_method)take(b, 2);
  c.cor.use = (gpugeo_cor_use)take(b, 4);
  c.knn.metric = c.dist.metric;
  c.knn.points = c.dist.points;
  c.knn.k = K;
  c.work_bytes = take(b, 255);
  return c;
}

/* Makes call number `which`. */
static answer ask(calls *c, int which, const gpugeo_matrix *x, int way) {
  answer a;
  memset(&a, 0, sizeof a);
  gpugeo_run *run = which == 0 ? &c->dist.run : which == 1 ? &c->cor.run : &c->knn.run;
  set_way(run, way, c->work_bytes);
  if (which == 0)
    a.status = gpugeo_dist(x, NULL, &c->dist, GPUGEO_TYPE_DOUBLE, a.value, NULL, &a.error);
  else if (which == 1)
    a.status = gpugeo_cor(x, NULL, &c->cor, GPUGEO_TYPE_DOUBLE, a.value, NULL, &a.error);
  else
    a.status = gpugeo_knn(x, NULL, &c->knn, a.index, a.value, NULL, &a.error);
  demand_status(a.status, ALLOW_ARGUMENT | ALLOW_DATA, &a.error);
  return a;
}

/* Sparse matrices are refused as longitudes and latitudes. */
static bool is_refused(const calls *c, int which, const answer *a) {
  return which == 2 && c->knn.metric.kind == GPUGEO_METRIC_GREAT_CIRCLE &&
         a->status == GPUGEO_ERROR_ARGUMENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  calls c = take_calls(&b);
  question q = {.stored = 0};
  take_question(&b, &q);
  const bool whole = keep_struct(&b, &q.sparse);
  const bool sound =
      whole && (q.sparse.index_bytes == 4 || q.sparse.index_bytes == 8) && is_sound(&q);
  if (sound) expand(&q);
  for (int which = 0; which < 3; ++which) {
    const answer wanted = sound ? ask(&c, which, &q.dense, 0) : (answer){.status = GPUGEO_OK};
    for (int way = 0; way < WAYS; ++way) {
      const answer a = ask(&c, which, &q.matrix, way);
      if (!sound) {
        demand(a.status == GPUGEO_ERROR_ARGUMENT);
      } else if (!is_refused(&c, which, &a)) {
        demand(a.status == wanted.status && strcmp(a.error.message, wanted.error.message) == 0);
        if (!a.status)
          demand(memcmp(a.value, wanted.value, sizeof a.value) == 0 &&
                 memcmp(a.index, wanted.index, sizeof a.index) == 0);
      }
    }
  }
  free((void *)q.sparse.start);
  free((void *)q.sparse.index);
  free((void *)q.matrix.data);
  free((void *)q.dense.data);
  return 0;
}
