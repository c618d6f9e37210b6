#include "golden.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/error.h"
#include "data.h"
#include "distance/missing_rows.h"

static const char *folder = "tests/golden";

table golden_table(const char *name) { return table_read(folder, name); }

int32_t golden_flag(const char *value) { return strcmp(value, "true") == 0; }

gpugeo_status golden_unknown(const golden *g, const char *name) {
  CHECK(false, "%s: unknown option %s", g->field[GOLDEN_CASE], name);
  return GPUGEO_OK;
}

int64_t golden_groups(const double *code, int64_t n, int32_t *group) {
  int64_t groups = 0;
  double at = -INFINITY;
  for (;; ++groups) {
    double next = INFINITY;
    for (int64_t i = 0; i < n; ++i)
      if (code[i] > at && code[i] < next) next = code[i];
    if (next == INFINITY) return groups;
    for (int64_t i = 0; i < n; ++i)
      if (code[i] == next) group[i] = (int32_t)groups;
    at = next;
  }
}

gpugeo_matrix golden_matrix(const char *name, const char *storage) {
  const gpugeo_type type = strcmp(storage, "integer") == 0  ? GPUGEO_TYPE_INT32
                           : strcmp(storage, "single") == 0 ? GPUGEO_TYPE_FLOAT
                                                            : GPUGEO_TYPE_DOUBLE;
  table t = golden_table(name);
  const int64_t size = t.rows * t.columns;
  void *data = malloc(size ? (size_t)size * sizeof(double) : 1);
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t k = 0; k < t.columns; ++k) {
      const double value = t.values[i * t.columns + k];
      const int64_t at = i + k * t.rows;
      if (type == GPUGEO_TYPE_INT32)
        ((int32_t *)data)[at] = isnan(value) ? INT32_MIN : (int32_t)value;
      else if (type == GPUGEO_TYPE_FLOAT)
        ((float *)data)[at] = (float)value;
      else
        ((double *)data)[at] = value;
    }
  gpugeo_matrix view = {data, type, t.rows, t.columns, t.rows, NULL};
  table_free(&t);
  return view;
}

gg_given golden_given(const char *value) {
  const size_t length = strlen(value);
  gg_given given = gg_given_number(strtod(value, NULL));
  if (length < 2 || value[0] != '"') return given;
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)length - 2, value + 1);
  gg_item_text(&given.items[0], text);
  return given;
}

gpugeo_status golden_number(golden *g, const char *name, const char *allowed, const char *value,
                            double *number) {
  const gg_given given = golden_given(value);
  return gg_any_number(name, allowed, &given, number, &g->error);
}

gpugeo_status golden_whole(golden *g, const char *name, const char *value, int64_t *number) {
  const gg_given given = golden_given(value);
  return gg_any_whole_number(name, &given, number, &g->error);
}

gpugeo_status golden_count(golden *g, const char *name, const char *value, int64_t least,
                           int64_t most, int64_t *number) {
  const gg_given given = golden_given(value);
  return gg_whole_number(name, &given, least, most, number, &g->error);
}

/* Takes an option that all functions have, as a wrapper does. */
static gpugeo_status take_common(golden *g, const char *name, const char *value, bool *taken) {
  *taken = true;
  if (strcmp(name, "precision") == 0)
    return gpugeo_find(GPUGEO_ENUM_PRECISION, value, (int32_t *)&g->run.precision, &g->error);
  if (strcmp(name, "backend") == 0)
    return gpugeo_find(GPUGEO_ENUM_BACKEND, value, (int32_t *)&g->run.backend, &g->error);
  if (strcmp(name, "threads") == 0) {
    int64_t threads = 0;
    gpugeo_status status = golden_count(g, name, value, 1, GPUGEO_THREADS_MAX, &threads);
    g->run.threads = (int32_t)threads;
    return status;
  }
  if (strcmp(name, "memory_limit") == 0)
    return golden_count(g, name, value, 1 << 20, INT64_MAX, &g->run.work_bytes);
  *taken = false;
  return GPUGEO_OK;
}

gpugeo_status golden_options(golden *g, gpugeo_status (*take)(golden *g, const char *name,
                                                              const char *value)) {
  gpugeo_status status = GPUGEO_OK;
  char *text = strdup(g->field[GOLDEN_OPTIONS]), *rest = NULL;
  for (char *pair = strtok_r(text, ";", &rest); pair && !status;
       pair = strtok_r(NULL, ";", &rest)) {
    char *value = strchr(pair, '=');
    *value++ = 0;
    bool taken;
    status = take_common(g, pair, value, &taken);
    if (!taken) status = take(g, pair, value);
  }
  free(text);
  return status;
}

/* The message of missing distances, as both wrappers make it. */
static void check_missing(const golden *g, const gpugeo_missing *missing) {
  const bool query = strcmp(g->field[GOLDEN_FUNCTION], "knn") == 0;
  const gg_missing_text text = gg_describe_missing(missing, !g->y ? NULL : query ? "query" : "y");
  CHECK(strcmp(text.text, g->field[GOLDEN_NOTE]) == 0, "%s: \"%s\", expected \"%s\"",
        g->field[GOLDEN_CASE], text.text, g->field[GOLDEN_NOTE]);
}

static bool agree(double got, double want, double tolerance, double absolute) {
  if (isnan(want)) return isnan(got);
  if (isinf(want)) return got == want;
  return fabs(got - want) <= absolute + tolerance * fabs(want);
}

static void compare(const golden *g, const golden_result *result) {
  table expected = golden_table(g->field[GOLDEN_EXPECTED]);
  const char *name = g->field[GOLDEN_CASE];
  const char *backend = gpugeo_name(GPUGEO_ENUM_BACKEND, result->report.backend);
  const double tolerance = strtod(g->field[GOLDEN_TOLERANCE], NULL);
  const double absolute = strtod(g->field[GOLDEN_ABSOLUTE], NULL);
  const bool same_size = CHECK(result->rows == expected.rows && result->columns == expected.columns,
                               "%s on %s: %lld x %lld values, expected %lld x %lld", name, backend,
                               (long long)result->rows, (long long)result->columns,
                               (long long)expected.rows, (long long)expected.columns);
  int64_t wrong = 0, first = 0;
  double first_got = 0, first_want = 0;
  for (int64_t i = 0; same_size && i < expected.rows; ++i)
    for (int64_t j = 0; j < expected.columns; ++j) {
      const int64_t at = i + j * expected.rows;
      const double got = g->type == GPUGEO_TYPE_FLOAT ? ((const float *)result->values)[at]
                                                      : ((const double *)result->values)[at];
      const double want = expected.values[i * expected.columns + j];
      if (agree(got, want, tolerance, absolute)) continue;
      if (wrong++ == 0) first = at, first_got = got, first_want = want;
    }
  CHECK(wrong == 0, "%s on %s: %lld values differ, the first is %lld: %.17g, expected %.17g", name,
        backend, (long long)wrong, (long long)first, first_got, first_want);
  const int notes = strcmp(g->field[GOLDEN_NOTE], "nonfinite") == 0   ? GPUGEO_NOTE_NONFINITE
                    : strcmp(g->field[GOLDEN_NOTE], "deviation") == 0 ? GPUGEO_NOTE_ZERO_DEVIATION
                    : g->field[GOLDEN_NOTE][0]                        ? GPUGEO_NOTE_MISSING
                                                                      : 0;
  if (notes == GPUGEO_NOTE_MISSING) check_missing(g, &result->report.missing);
  CHECK(result->report.notes == notes, "%s on %s: notes %d, expected %d", name, backend,
        result->report.notes, notes);
  table_free(&expected);
}

/* Runs one row of the manifest with the matrices x and y. */
static void run_with(const golden_family *family, char **field, gpugeo_backend backend,
                     const gpugeo_matrix *x, const gpugeo_matrix *y) {
  golden g = {.field = field, .x = *x, .y = y};
  golden_result result = {0};
  gpugeo_run_init(&g.run, sizeof g.run);
  g.run.backend = backend;
  g.type = strcmp(field[GOLDEN_STORAGE], "single") == 0 ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  const gpugeo_status status = family->compute(&g, &result);
  const char *message = status ? g.error.message : "";
  if (field[GOLDEN_ERROR][0]) {
    CHECK(status && strcmp(message, field[GOLDEN_ERROR]) == 0,
          "%s: error %d \"%s\", expected \"%s\"", field[GOLDEN_CASE], status, message,
          field[GOLDEN_ERROR]);
  } else if (CHECK(!status, "%s: error \"%s\"", field[GOLDEN_CASE], message)) {
    compare(&g, &result);
  }
  free(result.values);
}

/* True if a row can be run with sparse matrices, which great circles refuse. */
static bool can_be_sparse(const golden_family *family, char **field) {
  return family->sparse && strcmp(field[GOLDEN_METHOD], "great-circle") != 0;
}

/* Runs one row of the manifest on one backend, also with sparse copies of its matrices. */
static void run_case(const golden_family *family, char **field, gpugeo_backend backend) {
  const bool two = field[GOLDEN_Y][0];
  const gpugeo_matrix x = golden_matrix(field[GOLDEN_X], field[GOLDEN_STORAGE]);
  const gpugeo_matrix y =
      two ? golden_matrix(field[GOLDEN_Y], field[GOLDEN_STORAGE]) : (gpugeo_matrix){0};
  run_with(family, field, backend, &x, two ? &y : NULL);
  if (can_be_sparse(family, field)) {
    data_sparse sparse_x, sparse_y = {0};
    data_sparse_make(&x, 0, 4, 0, &sparse_x);
    if (two) data_sparse_make(&y, 1, 8, 0, &sparse_y);
    run_with(family, field, backend, &sparse_x.matrix, two ? &sparse_y.matrix : NULL);
    data_sparse_free(&sparse_x);
    data_sparse_free(&sparse_y);
  }
  free((void *)x.data);
  free((void *)y.data);
}

static bool computes(const golden_family *family, const char *function) {
  for (int i = 0; family->functions[i]; ++i)
    if (strcmp(family->functions[i], function) == 0) return true;
  return false;
}

/* The family's rows on one backend; how many there are. */
static int run_manifest(const golden_family *family, gpugeo_backend backend, bool there) {
  char path[256];
  snprintf(path, sizeof path, "%s/cases.csv", folder);
  char *text = text_read(path), *at = text, *field[GOLDEN_FIELDS];
  int rows = 0;
  csv_row(&at, field, GOLDEN_FIELDS);
  CHECK(strcmp(field[GOLDEN_CASE], "case") == 0 && strcmp(field[GOLDEN_ERROR], "error") == 0,
        "cases.csv has other columns than this test knows");
  for (int fields; (fields = csv_row(&at, field, GOLDEN_FIELDS)) > 0;) {
    if (!CHECK(fields == GOLDEN_FIELDS, "case %s has %d fields", field[GOLDEN_CASE], fields)) break;
    if (!computes(family, field[GOLDEN_FUNCTION])) continue;
    rows++;
    if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(3)) continue;
    if (there) run_case(family, field, backend);
  }
  free(text);
  return rows;
}

int golden_main(int argc, char **argv, const golden_family *family) {
  if (argc > 1) folder = argv[1];
  const int rows = run_manifest(family, GPUGEO_BACKEND_CPU, true);
  CHECK(rows >= family->least, "only %d golden cases of %s", rows, family->functions[0]);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK)
    run_manifest(family, GPUGEO_BACKEND_CUDA, true);
  else
    check_skip(rows, "CUDA: not present (%s), %d rows not run", error.message, rows);
  return check_end();
}
