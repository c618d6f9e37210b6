/* Golden cases of tiles, of distances in files and of points in files. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "common/error.h"
#include "golden.h"
#include "temporary.h"

/* The options of a case and what they refer to. */
typedef struct file_case {
  gpugeo_dist_options dist;
  gpugeo_dist_file_options output;
  const char *name; /* of a dataset to be read */
  int64_t side;
  char kind[32];  /* of file, see tests/golden/README.md; "": none */
  char text[160]; /* a name of a dataset */
  table cov;
  char *folder, *path;
} file_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  static const char *const shapes[] = {"condensed", "square"};
  static const char *const precisions[] = {"double", "float"};
  file_case *c = g->own;
  gpugeo_status status = GPUGEO_OK;
  int which = 0;
  if (strcmp(name, "file") == 0) {
    snprintf(c->kind, sizeof c->kind, "%s", value);
  } else if (strcmp(name, "name") == 0 || strcmp(name, "file_name") == 0) {
    snprintf(c->text, sizeof c->text, "%s", value);
    c->name = c->output.name = c->text;
  } else if (strcmp(name, "file_shape") == 0) {
    status = gg_one_of(name, value, shapes, &which, &g->error);
    c->output.shape = which ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  } else if (strcmp(name, "file_precision") == 0) {
    status = gg_one_of(name, value, precisions, &which, &g->error);
    c->output.type = which ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  } else if (strcmp(name, "side") == 0) {
    status = golden_count(g, name, value, 1, INT64_MAX, &c->side);
  } else if (strcmp(name, "p") == 0) {
    status = golden_number(g, name, GG_EXPONENT, value, &c->dist.metric.p);
  } else if (strcmp(name, "cov") == 0) {
    c->cov = golden_table(value); /* symmetric, so that its rows are its columns */
    c->dist.metric.cov = (gpugeo_matrix){c->cov.values,  GPUGEO_TYPE_DOUBLE, c->cov.rows,
                                         c->cov.columns, c->cov.rows,        NULL};
  } else {
    return golden_unknown(g, name);
  }
  return status;
}

static bool is(const char *kind, const char *other) { return strcmp(kind, other) == 0; }

/* Writes the distances of the matrix "plain". */
static void write_plain(const char *path, gpugeo_shape shape) {
  gpugeo_dist_options options;
  gpugeo_dist_file_options output;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file_options_init(&output, sizeof output);
  output.file = path;
  output.shape = shape;
  const gpugeo_matrix x = golden_matrix("plain", "double");
  const gpugeo_point_source source = {.matrix = &x};
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_file_write(&source, &options, &output, NULL, &error), "%s", error.message);
  free((void *)x.data);
}

/* Puts 512 bytes before those of a file. */
static void add_block(const char *path) {
  static char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  const size_t size = fread(bytes + 512, 1, sizeof bytes - 512, file);
  fclose(file);
  file = fopen(path, "wb");
  CHECK(fwrite(bytes, 1, 512 + size, file) == 512 + size, "%s cannot be written", path);
  fclose(file);
}

/* Makes what the kind of file asks for. */
static void prepare(file_case *c) {
  c->folder = temporary_folder();
  c->path = is(c->kind, "nameless")
                ? strdup("")
                : temporary_path(c->folder, is(c->kind, "no-folder") ? "none/d.h5" : "d.h5");
  c->output.file = c->path;
  if (is(c->kind, "folder")) {
    mkdir(c->path, 0755);
  } else if (is(c->kind, "pipe")) {
    mkfifo(c->path, 0600);
  } else if (is(c->kind, "block")) {
    write_plain(c->path, GPUGEO_SHAPE_FULL);
    add_block(c->path);
  } else if (is(c->kind, "text") || is(c->kind, "empty")) {
    temporary_write(c->path, is(c->kind, "text") ? "no HDF5\n" : "");
  } else if (is(c->kind, "condensed") || is(c->kind, "square") || is(c->kind, "read-only")) {
    write_plain(c->path, is(c->kind, "square") ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED);
    if (is(c->kind, "read-only")) chmod(c->path, 0444);
  } else {
    CHECK(is(c->kind, "new") || is(c->kind, "no-folder") || is(c->kind, "nameless"),
          "unknown kind of file %s", c->kind);
  }
}

/* Puts "{file}" where a message has the path. */
static void hide_path(const char *path, char *message) {
  char *at = *path ? strstr(message, path) : NULL;
  if (!at) return;
  char *rest = strdup(at + strlen(path));
  sprintf(at, "{file}%s", rest); /* shorter than any path of a temporary file */
  free(rest);
}

static double *room(golden_result *result, int64_t rows, int64_t columns) {
  result->rows = rows;
  result->columns = columns;
  return result->values = malloc((size_t)(rows * columns) * sizeof(double) + 1);
}

/* All distances of a file. */
static gpugeo_status read_all(golden *g, const file_case *c, golden_result *result) {
  gpugeo_dist_file *file = NULL;
  gpugeo_dist_file_info info;
  gpugeo_status status = gpugeo_dist_file_open(c->path, c->name, &file, &info, &g->error);
  if (status) return status;
  int64_t *all = malloc((size_t)info.points * sizeof *all + 1);
  for (int64_t i = 0; i < info.points; ++i)
    all[i] = i;
  status = gpugeo_dist_file_read(file, all, info.points, all, info.points, c->dist.missing,
                                 room(result, info.points, info.points), &g->error);
  gpugeo_dist_file_close(file);
  free(all);
  return status;
}

/* The first row, rows, first column and columns of each tile, counted from 1. */
static gpugeo_status plan_tiles(golden *g, const file_case *c, golden_result *result) {
  const gpugeo_point_source x = {.matrix = &g->x}, y = {.matrix = g->y};
  gpugeo_tiles tiles;
  int64_t size = 0;
  gpugeo_status status =
      gpugeo_dist_metric_params_size(&x, g->y ? &y : NULL, &c->dist, &size, &g->error);
  if (!status)
    status = gpugeo_tiles_plan(g->x.nrow, g->y ? g->y->nrow : -1, g->x.ncol, c->side,
                               c->dist.run.work_bytes, &tiles, &g->error);
  if (status) return status;
  double *values = room(result, tiles.count, 4);
  for (int64_t t = 0; !status && t < tiles.count; ++t) {
    gpugeo_tile tile;
    status = gpugeo_tiles_get(&tiles, t, &tile, &g->error);
    values[t] = (double)tile.row + 1;
    values[t + tiles.count] = (double)tile.rows;
    values[t + 2 * tiles.count] = (double)tile.column + 1;
    values[t + 3 * tiles.count] = (double)tile.columns;
  }
  return status;
}

static gpugeo_status run_function(golden *g, file_case *c, golden_result *result) {
  const char *function = g->field[GOLDEN_FUNCTION];
  if (is(function, "tiles")) return plan_tiles(g, c, result);
  if (is(function, "dist_open")) return read_all(g, c, result);
  if (is(function, "dist_file")) {
    const gpugeo_point_source x = {.matrix = &g->x};
    gpugeo_status status =
        gpugeo_dist_file_write(&x, &c->dist, &c->output, &result->report, &g->error);
    return status ? status : read_all(g, c, result);
  }
  const gpugeo_point_source x = {.file = c->path,
                                 .name = c->name}; /* dist_points: only what fails */
  int64_t size = 0;
  return gpugeo_dist_metric_params_size(&x, NULL, &c->dist, &size, &g->error);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  file_case c = {.side = 0};
  gpugeo_dist_options_init(&c.dist, sizeof c.dist);
  gpugeo_dist_file_options_init(&c.output, sizeof c.output);
  g->own = &c;
  result->report.backend = g->run.backend;
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.dist.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.dist.run = g->run;
  if (!status && *c.kind) prepare(&c);
  if (!status) status = run_function(g, &c, result);
  if (c.path) {
    hide_path(c.path, g->error.message);
    temporary_remove(c.path);
    temporary_remove(c.folder);
  }
  table_free(&c.cov);
  return status;
}

int main(int argc, char **argv) {
  golden_family family = {.functions = {"tiles", "dist_file", "dist_open", "dist_points"},
                          .least = 60,
                          .compute = compute};
  if (!*gpugeo_hdf5_version()) {
    check_skip(1, "built without HDF5: golden cases of files");
    family.functions[1] = NULL;
    family.least = 15;
  }
  return golden_main(argc, argv, &family);
}
