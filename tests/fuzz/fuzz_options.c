/* Fuzzes names, environment variables and the options of a run. Checks that a name which is found
   is that of its value, and plain numbers of the environment. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>

/* --- Names ------------------------------------------------------------------------------------ */

static void check_names(const char *name) {
  for (int kind = 0; kind < GPUGEO_ENUM_COUNT; ++kind) {
    gpugeo_error error;
    int32_t value = -1, again = -1;
    const gpugeo_status status = gpugeo_find((gpugeo_enum)kind, name, &value, &error);
    demand_status(status, ALLOW_ARGUMENT, &error);
    if (status) continue;
    const char *first = gpugeo_name((gpugeo_enum)kind, value);
    demand(first[0] && !gpugeo_find((gpugeo_enum)kind, first, &again, NULL) && again == value);
  }
}

/* --- The environment -------------------------------------------------------------------------- */

static const char *const variables[] = {"GPUGEO_THREADS", "_R_CHECK_LIMIT_CORES_",
                                        "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "GPUGEO_MEMORY"};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* The number that a text of digits alone is; 0 where it is none or longer than 4 digits. */
static long plain_number(const char *text) {
  const size_t length = strlen(text);
  if (length == 0 || length > 4 || strspn(text, "0123456789") != length) return 0;
  return strtol(text, NULL, 10);
}

/* GPUGEO_THREADS comes first; 1,024 threads are always allowed. */
static void check_threads(const char *text) {
  const int32_t threads = gpugeo_default_threads();
  const long wanted = plain_number(text);
  demand(threads >= 1);
  if (wanted >= 1 && wanted <= 1024) demand(threads == wanted);
}

/* A result that needs more than GPUGEO_MEMORY allows is refused. */
static void check_memory(const char *text) {
  gpugeo_matrix x = {NULL, GPUGEO_TYPE_DOUBLE, 0, 0, 0, NULL};
  const double unit = 0;
  x.data = &unit; /* gpugeo_dist_size() looks at shapes alone */
  x.nrow = x.ld = 1 << 20;
  x.ncol = 1;
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  o.shape = GPUGEO_SHAPE_FULL;
  int64_t size;
  gpugeo_error error;
  const gpugeo_status status = gpugeo_dist_size(&x, NULL, &o, GPUGEO_TYPE_DOUBLE, &size, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY, &error);
  const long gib = plain_number(text); /* the result needs 2^43 bytes, 8,192 GiB */
  if (gib > 0 && gib < 8192) demand(status == GPUGEO_ERROR_MEMORY);
}

static void check_environment(int which, const char *text) {
  setenv(variables[which], text, 1);
  if (which == 0)
    check_threads(text);
  else
    demand(gpugeo_default_threads() >= 1);
  check_memory(which == VARIABLES - 1 ? text : "");
  unsetenv(variables[which]);
}

/* --- Options of a run ------------------------------------------------------------------------- */

/* Few values, so that a machine never has to start many threads. */
static void take_run(bytes *b, gpugeo_run *run) {
  static const int32_t number[] = {0, 1, 2, 3, -1, -2, INT32_MIN, INT32_MAX, 1025, 1000000};
  run->backend = (gpugeo_backend)(take(b, 4) - 1);
  run->device = number[take(b, 9)];
  run->threads = number[take(b, 9)];
  run->precision = (gpugeo_precision)(take(b, 3) - 1);
  run->work_bytes = take(b, 1) ? take_int64(b) : take(b, 255);
  if (take(b, 15) == 15) run->size = (size_t)take_int64(b);
}

static void check_run(bytes *b) {
  const double at[] = {0, 1, 3, 4, 8, 6};
  const gpugeo_matrix x = {at, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
  gpugeo_dist_options o;
  gpugeo_dist_options_init(&o, sizeof o);
  take_run(b, &o.run);
  o.shape = (gpugeo_shape)take(b, 3);
  o.metric.kind = (gpugeo_metric)take(b, 15);
  o.points = (gpugeo_points)take(b, 2);
  const gpugeo_type type = (gpugeo_type)take(b, 3);
  if (take(b, 15) == 15) o.size = (size_t)take_int64(b);
  double out[16];
  gpugeo_error error;
  int64_t size = 0;
  gpugeo_status status = gpugeo_dist_size(&x, NULL, &o, type, &size, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_BACKEND, &error);
  if (status) return;
  demand(size <= 16);
  status = gpugeo_dist(&x, NULL, &o, type, out, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_DATA | ALLOW_BACKEND, &error);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  for (int i = 0; i < VARIABLES; ++i)
    unsetenv(variables[i]);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  const int what = take(&b, VARIABLES + 1);
  if (what == VARIABLES + 1) {
    check_run(&b);
    return 0;
  }
  const size_t length = (size_t)(b.end - b.next);
  char *text = calloc(length + 1, 1);
  if (length) memcpy(text, b.next, length);
  if (what == VARIABLES)
    check_names(text);
  else
    check_environment(what, text);
  free(text);
  return 0;
}
