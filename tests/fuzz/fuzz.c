/* What the fuzz targets share; see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/context.h"
#include "common/test_hooks.h"

void demand_failed(const char *condition, const char *file, int line) {
  fprintf(stderr, "%s:%d: this must hold: %s\n", file, line, condition);
  abort();
}

void demand_status(gpugeo_status status, unsigned allowed, const gpugeo_error *error) {
  if (status == GPUGEO_OK) return;
  if (!(allowed >> status & 1)) {
    fprintf(stderr, "status %d: %s\n", (int)status, error->message);
    demand_failed("the status is allowed", __FILE__, __LINE__);
  }
  const size_t length = strnlen(error->message, sizeof error->message);
  demand(error->code == (int32_t)status && length > 0 && length < sizeof error->message);
  demand(memchr(error->argument, 0, sizeof error->argument) != NULL);
}

/* --- Values ----------------------------------------------------------------------------------- */

int64_t take_int64(bytes *b) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= (uint64_t)take(b, 255) << 8 * i;
  return (int64_t)value;
}

double take_double(bytes *b) {
  double value = (take(b, 64) - 32) / 2.0;
  if (take(b, 7) == 7 && b->end - b->next >= (ptrdiff_t)sizeof value) {
    memcpy(&value, b->next, sizeof value);
    b->next += sizeof value;
  }
  return value;
}

static int32_t to_int32(double value) { return fabs(value) < 2e9 ? (int32_t)value : INT32_MIN; }

gpugeo_matrix take_matrix(bytes *b, gpugeo_type type, int64_t rows, int64_t columns) {
  const int64_t ld = rows + take(b, 2), last = columns ? (columns - 1) * ld + rows : 0;
  void *data = malloc((size_t)last * (type == GPUGEO_TYPE_DOUBLE ? 8 : 4) + 1);
  for (int64_t i = 0; i < last; ++i) {
    const double value = take_double(b);
    if (type == GPUGEO_TYPE_DOUBLE) ((double *)data)[i] = value;
    if (type == GPUGEO_TYPE_FLOAT)
      ((float *)data)[i] = fabs(value) <= 3e38 ? (float)value : (float)NAN;
    if (type == GPUGEO_TYPE_INT32) ((int32_t *)data)[i] = to_int32(value);
  }
  return (gpugeo_matrix){data, type, rows, columns, ld, NULL};
}

double element(const gpugeo_matrix *x, int64_t row, int64_t column) {
  const int64_t at = row + column * x->ld;
  if (x->type == GPUGEO_TYPE_FLOAT) return (double)((const float *)x->data)[at];
  if (x->type == GPUGEO_TYPE_DOUBLE) return ((const double *)x->data)[at];
  const int32_t value = ((const int32_t *)x->data)[at];
  return value == INT32_MIN ? NAN : (double)value; /* NAN alone is a float */
}

double coordinate(const gpugeo_matrix *x, gpugeo_points points, int64_t point, int64_t k) {
  return points == GPUGEO_POINTS_ROWS ? element(x, point, k) : element(x, k, point);
}

bool is_simple(double value) { return fabs(value) <= 64 && 4 * value == floor(4 * value); }

bool is_simple_matrix(const gpugeo_matrix *x) {
  for (int64_t j = 0; j < x->ncol; ++j)
    for (int64_t i = 0; i < x->nrow; ++i)
      if (!is_simple(element(x, i, j))) return false;
  return true;
}

/* Numbers of about 1; few of them are no scale or weight. */
static void take_scale(bytes *b, int64_t count, double *to) {
  for (int64_t k = 0; k < count; ++k)
    to[k] = take(b, 31) == 31 ? take_double(b) : 0.25 * (1 + take(b, 11));
}

/* A symmetric matrix, mostly positive definite. */
static void take_cov(bytes *b, int64_t m, double *cov) {
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = j; i < m; ++i)
      cov[i + j * m] = cov[j + i * m] = i == j ? (double)take(b, 31) : (take(b, 16) - 8) / 16.0;
}

/* Takes the types and weights of columns. */
static void take_columns(bytes *b, int64_t m, parameters *room, gpugeo_metric_options *metric) {
  for (int64_t k = 0; k < m; ++k)
    room->types[k] = take(b, 31) == 31 ? take_double(b) : take(b, 2);
  take_scale(b, m, room->weights);
  metric->types = room->types;
  metric->column_weights = room->weights;
  metric->types_length = metric->weights_length = m;
}

void take_parameters(bytes *b, int64_t m, parameters *room, gpugeo_metric_options *metric) {
  const gpugeo_metric kind = metric->kind;
  const bool gower = kind == GPUGEO_METRIC_GOWER, seuclidean = kind == GPUGEO_METRIC_SEUCLIDEAN;
  const bool mahalanobis = kind == GPUGEO_METRIC_MAHALANOBIS;
  demand(m <= MOST_COORDINATES);
  if ((seuclidean || mahalanobis) && take(b, 1)) metric->singular = take(b, GPUGEO_SINGULAR_COUNT);
  if ((seuclidean || gower) && take(b, 1)) {
    take_scale(b, m, room->scale);
    metric->scale = room->scale;
    metric->scale_length = take(b, 15) == 15 ? take(b, MOST_COORDINATES) : m;
  }
  if (mahalanobis && take(b, 1)) {
    take_cov(b, m, room->cov);
    metric->cov = (gpugeo_matrix){room->cov, GPUGEO_TYPE_DOUBLE, m, m, m, NULL};
  }
  if (gower && take(b, 1)) take_columns(b, m, room, metric);
  if (kind == GPUGEO_METRIC_GREAT_CIRCLE && take(b, 1)) metric->sphere_radius = take_double(b);
}

/* --- Ways to compute -------------------------------------------------------------------------- */

void set_way(gpugeo_run *run, int way, int64_t work_bytes) {
  run->backend = GPUGEO_BACKEND_CPU;
  run->threads = way == 0 ? 1 : 2;
  run->work_bytes = way == 0 ? 0 : work_bytes;
  static const gg_simd simd[] = {GG_SIMD_AVX512, GG_SIMD_128, GG_SIMD_GENERIC};
  gg_set_simd(simd[way]);
}

/* --- Calls that take distances ---------------------------------------------------------------- */

/* Numbers of points of which there are no distances. */
static int64_t take_wrong_number(bytes *b) {
  static const int64_t wrong[] = {-1, 0, INT64_MIN, INT64_MAX, (int64_t)1 << 40, (int64_t)1 << 62};
  return wrong[take(b, 5)];
}

/* Condensed distances, none of them negative unless asked for. */
static double *take_condensed(bytes *b, int64_t n) {
  const bool negative = take(b, 7) == 7;
  const int64_t count = n > 0 ? n * (n - 1) / 2 : 0;
  double *made = malloc((size_t)count * sizeof *made + 1);
  for (int64_t i = 0; i < count; ++i) {
    const double value = take_double(b);
    made[i] = negative ? value : fabs(value);
  }
  return made;
}

given_distances take_given(bytes *b, int most) {
  given_distances made = {.condensed = NULL};
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  made.metric = o.metric;
  made.metric.kind = (gpugeo_metric)take(b, GPUGEO_METRIC_COUNT);
  made.metric.p = take_double(b);
  if (take(b, 7) == 7) made.metric.singular = take(b, GPUGEO_SINGULAR_COUNT);
  made.points = (gpugeo_points)take(b, 1);
  made.precision = take(b, 7) == 7 ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
  made.work_bytes = take(b, 3) == 3 ? 512 * take(b, 255) : 0;
  const bool rows = made.points == GPUGEO_POINTS_ROWS;
  const int64_t n = made.n = take(b, most), m = take(b, 6);
  switch (take(b, 7)) {
  case 0:
  case 1:
  case 2:
    made.condensed = take_condensed(b, n);
    break;
  case 3:
    made.n = take_wrong_number(b);
    made.condensed = malloc(1);
    break;
  default:
    made.x = take_matrix(b, (gpugeo_type)take(b, 2), rows ? n : m, rows ? m : n);
    made.room = malloc(sizeof *made.room);
    take_parameters(b, m, made.room, &made.metric);
  }
  made.from.condensed = made.condensed;
  made.from.condensed_points = made.condensed ? made.n : 0;
  return made;
}

void given_distances_free(given_distances *given) {
  free(given->condensed);
  free((void *)given->x.data);
  free(given->room);
}

int64_t points_of(const given_distances *given) {
  return given->n > 0 && given->n < 256 ? given->n : 0;
}

double *distances_of(const given_distances *given) {
  const int64_t n = points_of(given), count = n * (n - 1) / 2;
  double *made = malloc((size_t)count * sizeof *made + 1);
  if (given->condensed) {
    memcpy(made, given->condensed, (size_t)count * sizeof *made);
    return made;
  }
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  set_way(&o.run, 0, 0);
  gpugeo_error error;
  const gpugeo_status status =
      gpugeo_dist(&given->x, NULL, &o, GPUGEO_TYPE_DOUBLE, made, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA, &error);
  if (!status) return made;
  free(made);
  return NULL;
}

double distance_at(const double *condensed, int64_t n, int64_t i, int64_t j) {
  if (i == j) return 0;
  const int64_t low = i < j ? i : j, high = i < j ? j : i;
  return condensed[low * n - low * (low + 1) / 2 + high - low - 1];
}

/* Adds an array of bytes; with little room behind it, so that the sanitizer sees what is too far.
 */
static void *add_part(results *r, int64_t count, int64_t size, bool real) {
  demand(r->parts < (int)(sizeof r->part / sizeof *r->part));
  void *data = malloc((size_t)(count * size) + (count == 0));
  r->part[r->parts].data = data;
  r->part[r->parts].bytes = count * size;
  r->part[r->parts++].real = real;
  return data;
}

double *add_reals(results *r, int64_t count) {
  double *made = add_part(r, count, sizeof *made, true);
  for (int64_t i = 0; i < count; ++i)
    made[i] = NAN;
  return made;
}

int32_t *add_wholes(results *r, int64_t count) {
  int32_t *made = add_part(r, count, sizeof *made, false);
  for (int64_t i = 0; i < count; ++i)
    made[i] = -7;
  return made;
}

void results_free(results *r) {
  for (int k = 0; k < r->parts; ++k)
    free(r->part[k].data);
}

/* True if both are the same numbers, of which any two NaN are. */
static bool same_reals(const double *a, const double *b, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (memcmp(a + i, b + i, sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

static void demand_same(const results *a, const results *b) {
  demand(a->parts == b->parts);
  for (int k = 0; k < a->parts; ++k) {
    const int64_t bytes = a->part[k].bytes;
    demand(bytes == b->part[k].bytes);
    if (a->part[k].real)
      demand(same_reals(a->part[k].data, b->part[k].data, bytes / (int64_t)sizeof(double)));
    else
      demand(memcmp(a->part[k].data, b->part[k].data, (size_t)bytes) == 0);
  }
}

/* Makes the call in one way; from: what is given. */
static gpugeo_status call_in_way(distance_call *call, const void *own, const given_distances *given,
                                 int way, results *r, gpugeo_error *error) {
  given_distances given_now = *given;
  if (!given->condensed) given_now.from.x = &given->x;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  set_way(&run, way, given->work_bytes);
  if (way > 0) run.threads = 3;
  run.precision = given->precision;
  return call(own, &given_now, &run, r, error);
}

/* Makes the call again and demands that it ends as the first one. */
static void call_again(distance_call *call, const void *own, const given_distances *given, int way,
                       gpugeo_status status, const results *r) {
  results again = {.parts = 0};
  gpugeo_error error;
  const gpugeo_status now = call_in_way(call, own, given, way, &again, &error);
  demand_status(now, ALLOW_ARGUMENT | ALLOW_DATA | ALLOW_MEMORY, &error);
  const bool limited = way > 0 && given->work_bytes > 0 && now == GPUGEO_ERROR_MEMORY;
  demand(now == status || limited);
  if (!now) demand_same(r, &again);
  results_free(&again);
}

gpugeo_status call_in_ways(distance_call *call, const void *own, const given_distances *given,
                           bool sources, results *r) {
  gpugeo_error error;
  r->parts = 0;
  const gpugeo_status status = call_in_way(call, own, given, 0, r, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA | (given->condensed ? ALLOW_MEMORY : 0),
                &error);
  for (int way = 1; way < WAYS; ++way)
    call_again(call, own, given, way, status, r);
  if (!sources || given->condensed || status) return status;
  given_distances as_condensed = *given;
  as_condensed.condensed = distances_of(given);
  demand(as_condensed.condensed != NULL || given->n < 2 ||
         given->metric.kind == GPUGEO_METRIC_GREAT_CIRCLE); /* of which there is no matrix */
  if (!as_condensed.condensed) return status;
  as_condensed.from.condensed = as_condensed.condensed;
  as_condensed.from.condensed_points = given->n;
  call_again(call, own, &as_condensed, 0, status, r);
  free(as_condensed.condensed);
  return status;
}

/* --- Files ------------------------------------------------------------------------------------ */

enum { MOST_PATHS = 16 };
static char folder[256];
static char *paths[MOST_PATHS];

static void remove_folder(void) {
  for (int i = 0; i < MOST_PATHS && paths[i]; ++i) {
    unlink(paths[i]);
    free(paths[i]);
  }
  rmdir(folder);
}

static void make_folder(void) {
  const char *set = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.200s/gpugeo-fuzz-XXXXXX", set && *set ? set : "/dev/shm");
  demand(mkdtemp(folder) != NULL);
  atexit(remove_folder);
}

const char *scratch_path(const char *name) {
  if (!folder[0]) make_folder();
  const size_t length = strlen(folder) + strlen(name) + 2;
  char *path = malloc(length);
  snprintf(path, length, "%s/%s", folder, name);
  int at = 0;
  while (paths[at])
    ++at;
  demand(at < MOST_PATHS - 1);
  return paths[at] = path;
}

scratch_file scratch_file_open(const char *name) {
  scratch_file file = {.path = scratch_path(name)};
  file.handle = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  demand(file.handle >= 0);
  return file;
}

void scratch_file_write(const scratch_file *file, const void *data, size_t size) {
  demand(ftruncate(file->handle, 0) == 0);
  for (size_t done = 0; done < size;) {
    const ssize_t count = pwrite(file->handle, (const char *)data + done, size - done, (off_t)done);
    demand(count > 0);
    done += (size_t)count;
  }
}

void scratch_file_patch(const scratch_file *file, int64_t offset, uint8_t value) {
  struct stat about;
  demand(fstat(file->handle, &about) == 0);
  if (offset < about.st_size) demand(pwrite(file->handle, &value, 1, (off_t)offset) == 1);
}
