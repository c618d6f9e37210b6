/* Runs every golden case of inst/extdata on every backend that is there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "error.h"
#include "gpugeo.h"
#include "table.h"

static const char *folder = "inst/extdata";

enum {
  CASE,
  FUNCTION,
  X,
  Y,
  METHOD,
  OPTIONS,
  STORAGE,
  EXPECTED,
  TOLERANCE,
  ABSOLUTE,
  NOTE,
  ERROR,
  FIELDS
};

/* A matrix in the storage a wrapper would pass, column-major; the caller frees data. */
static gpugeo_matrix stored(const table *t, const char *storage) {
  const gpugeo_type type = strcmp(storage, "integer") == 0  ? GPUGEO_INT32
                           : strcmp(storage, "single") == 0 ? GPUGEO_FLOAT
                                                            : GPUGEO_DOUBLE;
  const int64_t size = t->rows * t->columns;
  void *data = malloc(size ? (size_t)size * sizeof(double) : 1);
  for (int64_t i = 0; i < t->rows; ++i)
    for (int64_t k = 0; k < t->columns; ++k) {
      const double value = t->values[i * t->columns + k];
      const int64_t at = i + k * t->rows;
      if (type == GPUGEO_INT32)
        ((int32_t *)data)[at] = isnan(value) ? INT32_MIN : (int32_t)value;
      else if (type == GPUGEO_FLOAT)
        ((float *)data)[at] = (float)value;
      else
        ((double *)data)[at] = value;
    }
  return (gpugeo_matrix){data, type, t->rows, t->columns, t->rows};
}

/* One case with everything its fields name. */
typedef struct golden {
  char **field;
  table x, y, scale, cov;
  gpugeo_matrix x_view, y_view, cov_view;
  gpugeo_dist_options dist;
  gpugeo_cor_options cor;
  gpugeo_error error;
} golden;

/* Takes one option, as a wrapper does. */
static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  gpugeo_run *run = &g->dist.run;
  if (strcmp(name, "p") == 0) {
    g->dist.p = strtod(value, NULL);
  } else if (strcmp(name, "scale") == 0) {
    g->scale = table_read(folder, value);
    g->dist.scale = g->scale.values;
    g->dist.scale_length = g->scale.rows * g->scale.columns;
  } else if (strcmp(name, "cov") == 0) {
    g->cov = table_read(folder, value);
    g->cov_view = stored(&g->cov, "double");
    g->dist.cov = g->cov_view;
  } else if (strcmp(name, "use") == 0) {
    return gpugeo_use_find(value, &g->cor.use, &g->error);
  } else if (strcmp(name, "precision") == 0) {
    return gpugeo_precision_find(value, &run->precision, &g->error);
  } else if (strcmp(name, "backend") == 0) {
    return gpugeo_backend_find(value, &run->backend, &g->error);
  } else if (strcmp(name, "threads") == 0) {
    int64_t threads = 0;
    gpugeo_status status =
        gg_whole_number("threads", strtod(value, NULL), 1, INT32_MAX, &threads, &g->error);
    run->threads = (int32_t)threads;
    return status;
  } else {
    CHECK(false, "%s: unknown option %s", g->field[CASE], name);
  }
  return GPUGEO_OK;
}

static gpugeo_status take_options(golden *g) {
  char *pair = strtok(g->field[OPTIONS], ";");
  for (; pair; pair = strtok(NULL, ";")) {
    char *value = strchr(pair, '=');
    *value++ = 0;
    gpugeo_status status = take_option(g, pair, value);
    if (status) return status;
  }
  return GPUGEO_OK;
}

/* Computes the case; *out holds *size values in the type, to be freed. */
static gpugeo_status compute(golden *g, gpugeo_type type, void **out, int64_t *size,
                             gpugeo_report *report) {
  const gpugeo_matrix *y = g->field[Y][0] ? &g->y_view : NULL;
  gpugeo_status status;
  if (strcmp(g->field[FUNCTION], "cor") == 0) {
    g->cor.run = g->dist.run;
    status = gpugeo_cor_size(&g->x_view, y, &g->cor, type, size, &g->error);
    if (status) return status;
    *out = malloc((size_t)*size * sizeof(double) + 1);
    return gpugeo_cor(&g->x_view, y, &g->cor, type, *out, report, &g->error);
  }
  g->dist.layout = strcmp(g->field[FUNCTION], "dist") == 0 ? GPUGEO_CONDENSED : GPUGEO_FULL;
  status = gpugeo_dist_size(&g->x_view, y, &g->dist, type, size, &g->error);
  if (status) return status;
  *out = malloc((size_t)*size * sizeof(double) + 1);
  return gpugeo_dist(&g->x_view, y, &g->dist, type, *out, report, &g->error);
}

static bool agree(double got, double want, double tolerance, double absolute) {
  if (isnan(want)) return isnan(got);
  if (isinf(want)) return got == want;
  return fabs(got - want) <= absolute + tolerance * fabs(want);
}

static void compare(const golden *g, gpugeo_type type, const void *out, int64_t size,
                    const gpugeo_report *report) {
  table expected = table_read(folder, g->field[EXPECTED]);
  const char *name = g->field[CASE], *backend = gpugeo_backend_name(report->backend);
  const double tolerance = strtod(g->field[TOLERANCE], NULL);
  const double absolute = strtod(g->field[ABSOLUTE], NULL);
  CHECK(size == expected.rows * expected.columns, "%s on %s: %lld values, expected %lld", name,
        backend, (long long)size, (long long)(expected.rows * expected.columns));
  int64_t wrong = 0, first = 0;
  double first_got = 0, first_want = 0;
  for (int64_t i = 0; i < expected.rows; ++i)
    for (int64_t j = 0; j < expected.columns; ++j) {
      const int64_t at = i + j * expected.rows;
      if (at >= size) continue;
      const double got =
          type == GPUGEO_FLOAT ? ((const float *)out)[at] : ((const double *)out)[at];
      const double want = expected.values[i * expected.columns + j];
      if (agree(got, want, tolerance, absolute)) continue;
      if (wrong++ == 0) first = at, first_got = got, first_want = want;
    }
  CHECK(wrong == 0, "%s on %s: %lld values differ, the first is %lld: %.17g, expected %.17g", name,
        backend, (long long)wrong, (long long)first, first_got, first_want);
  const int notes = strcmp(g->field[NOTE], "nonfinite") == 0   ? GPUGEO_NOTE_NONFINITE
                    : strcmp(g->field[NOTE], "deviation") == 0 ? GPUGEO_NOTE_ZERO_DEVIATION
                                                               : 0;
  CHECK(report->notes == notes, "%s on %s: notes %d, expected %d", name, backend, report->notes,
        notes);
  table_free(&expected);
}

/* Runs one row of the manifest on one backend. */
static void run_case(char **field, gpugeo_backend backend) {
  golden g = {.field = field};
  gpugeo_dist_options_init(&g.dist);
  gpugeo_cor_options_init(&g.cor);
  g.dist.run.backend = backend;
  g.x = table_read(folder, field[X]);
  g.x_view = stored(&g.x, field[STORAGE]);
  if (field[Y][0]) {
    g.y = table_read(folder, field[Y]);
    g.y_view = stored(&g.y, field[STORAGE]);
  }
  void *out = NULL;
  int64_t size = 0;
  gpugeo_report report = {0};
  /* A wrapper gives single for single, and else double. */
  const gpugeo_type type = strcmp(field[STORAGE], "single") == 0 ? GPUGEO_FLOAT : GPUGEO_DOUBLE;
  gpugeo_status status = strcmp(field[FUNCTION], "cor") == 0
                             ? gpugeo_cor_method_find(field[METHOD], &g.cor.method, &g.error)
                             : gpugeo_metric_find(field[METHOD], &g.dist.metric, &g.error);
  if (!status) status = take_options(&g);
  if (!status) status = compute(&g, type, &out, &size, &report);
  if (field[ERROR][0]) {
    CHECK(status && strcmp(g.error.message, field[ERROR]) == 0,
          "%s: error %d \"%s\", expected \"%s\"", field[CASE], status,
          status ? g.error.message : "", field[ERROR]);
  } else if (CHECK(!status, "%s: error \"%s\"", field[CASE], status ? g.error.message : "")) {
    compare(&g, type, out, size, &report);
  }
  free(out);
  free((void *)g.x_view.data);
  free((void *)g.y_view.data);
  free((void *)g.cov_view.data);
  table_free(&g.x);
  table_free(&g.y);
  table_free(&g.scale);
  table_free(&g.cov);
}

/* All rows on one backend; the number of rows. */
static int run_manifest(gpugeo_backend backend, bool there) {
  char path[256];
  snprintf(path, sizeof path, "%s/cases.csv", folder);
  char *text = text_read(path), *at = text, *field[FIELDS];
  int rows = 0;
  csv_row(&at, field, FIELDS);
  CHECK(strcmp(field[CASE], "case") == 0 && strcmp(field[ERROR], "error") == 0,
        "cases.csv has other columns than this test knows");
  for (int fields; (fields = csv_row(&at, field, FIELDS)) > 0; ++rows) {
    if (!there) continue;
    if (CHECK(fields == FIELDS, "row %d has %d fields", rows + 2, fields)) run_case(field, backend);
  }
  free(text);
  return rows;
}

int main(int argc, char **argv) {
  if (argc > 1) folder = argv[1];
  const int rows = run_manifest(GPUGEO_CPU, true);
  CHECK(rows > 400, "only %d golden cases", rows);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_CUDA, &error) == GPUGEO_OK)
    run_manifest(GPUGEO_CUDA, true);
  else
    check_skip(rows, "CUDA: not present (%s), %d rows not run", error.message, rows);
  return check_end();
}
