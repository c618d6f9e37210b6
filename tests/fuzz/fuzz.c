/* What the fuzz targets share; see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/context.h"

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

/* --- Values ------------------------------------------------------------------------------------
 */

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

/* --- Ways to compute ---------------------------------------------------------------------------
 */

void set_way(gpugeo_run *run, int way, int64_t work_bytes) {
  run->backend = GPUGEO_BACKEND_CPU;
  run->threads = way == 0 ? 1 : 2;
  run->work_bytes = way == 0 ? 0 : work_bytes;
  static const gg_simd simd[] = {GG_SIMD_AVX512, GG_SIMD_128, GG_SIMD_GENERIC};
  gg_set_simd(simd[way]);
}

/* --- Files -------------------------------------------------------------------------------------
 */

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
