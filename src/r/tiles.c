#include "common/error.h"
#include "entry.h"
#include "result_memory.h"
#include "run.h"

gpugeo_status gg_r_source(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_point_source *source, gpugeo_error *error) {
  *source = (gpugeo_point_source){.matrix = view};
  if (!Rf_inherits(value, "gpu_hdf5")) return gg_r_matrix(value, argument, view, error);
  source->matrix = NULL;
  gpugeo_status status = gg_r_path(gg_r_element(value, "file"), "file", &source->file, error);
  if (!status) status = gg_r_string(gg_r_element(value, "name"), "name", &source->name, error);
  return status;
}

SEXP gg_r_hdf5_version(void) { return Rf_mkString(gpugeo_hdf5_version()); }

SEXP gg_r_point_source_size(SEXP x, SEXP call) {
  gpugeo_error error;
  gpugeo_matrix view;
  gpugeo_point_source source;
  int64_t rows = 0, columns = 0;
  gpugeo_status status = gg_r_source(x, "x", &view, &source, &error);
  if (!status) status = gpugeo_point_source_size(&source, &rows, &columns, &error);
  if (status) gg_r_stop(&error, call);
  SEXP size = Rf_allocVector(REALSXP, 2);
  REAL(size)[0] = (double)rows;
  REAL(size)[1] = (double)columns;
  return size;
}

/* Reads a number; NULL stands for 0. */
static gpugeo_status optional(const char *argument, SEXP value, int64_t least, int64_t *number,
                              gpugeo_error *error) {
  *number = 0;
  if (value == R_NilValue) return GPUGEO_OK;
  return gg_r_whole(value, argument, least, (int64_t)1 << 53, number, error);
}

SEXP gg_r_tiles_plan(SEXP sizes, SEXP side, SEXP memory_limit, SEXP call) {
  gpugeo_error error;
  gpugeo_tiles tiles;
  int64_t wanted = 0, memory = 0;
  const double *n = REAL_RO(sizes);
  gpugeo_status status = optional("side", side, 1, &wanted, &error);
  if (!status) status = optional("memory_limit", memory_limit, 1 << 20, &memory, &error);
  if (!status)
    status = gpugeo_tiles_plan((int64_t)n[0], (int64_t)n[1], (int64_t)n[2], wanted, memory, &tiles,
                               &error);
  if (!status && tiles.count > INT32_MAX)
    status = gg_fail(&error, GPUGEO_ERROR_ARGUMENT, "side",
                     "side must be larger: %lld makes %lld tiles, more than a data frame has rows",
                     (long long)tiles.side, (long long)tiles.count);
  if (status) gg_r_stop(&error, call);
  const char *names[] = {"side", "table", ""};
  SEXP plan = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(plan, 0, Rf_ScalarReal((double)tiles.side));
  SEXP table = Rf_allocMatrix(REALSXP, (int)tiles.count, 4);
  SET_VECTOR_ELT(plan, 1, table);
  double *to = REAL(table);
  for (int64_t t = 0; t < tiles.count; ++t) {
    gpugeo_tile tile;
    gpugeo_tiles_get(&tiles, t, &tile, NULL);
    to[t] = (double)tile.row + 1;
    to[t + tiles.count] = (double)tile.rows;
    to[t + 2 * tiles.count] = (double)tile.column + 1;
    to[t + 3 * tiles.count] = (double)tile.columns;
  }
  UNPROTECT(1);
  return plan;
}

/* The arguments that all functions below read. */
typedef struct arguments {
  gpugeo_matrix x_view, y_view;
  gpugeo_point_source x, y;
  const gpugeo_point_source *other; /* y or NULL */
  gpugeo_dist_options options;
  gg_r_hooks hooks;
} arguments;

/* Reads the arguments. metric: list(method, p, scale, cov). */
static gpugeo_status read_arguments(SEXP x, SEXP y, SEXP metric, SEXP settings, SEXP held,
                                    arguments *a, gpugeo_error *error) {
  gpugeo_dist_options_init(&a->options, sizeof a->options);
  a->options.missing = NA_REAL;
  a->other = y == R_NilValue ? NULL : &a->y;
  gpugeo_status status = gg_r_source(x, "x", &a->x_view, &a->x, error);
  if (!status && a->other) status = gg_r_source(y, "y", &a->y_view, &a->y, error);
  if (!status)
    status = gg_r_dist_options(gg_r_element(metric, "method"), gg_r_element(metric, "p"),
                               gg_r_element(metric, "scale"), gg_r_element(metric, "cov"),
                               &a->options, error);
  if (!status) status = gg_r_run(settings, held, &a->hooks, &a->options.run, error);
  return status;
}

SEXP gg_r_dist_metric_params(SEXP x, SEXP y, SEXP metric, SEXP settings, SEXP warn, SEXP call) {
  gpugeo_error error;
  gpugeo_report report;
  arguments a;
  int64_t size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_status status = read_arguments(x, y, metric, settings, held, &a, &error);
  if (!status) status = gpugeo_dist_metric_params_size(&a.x, a.other, &a.options, &size, &error);
  if (status) gg_r_stop(&error, call);
  SEXP shared = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  status = gpugeo_dist_metric_params(&a.x, a.other, &a.options, REAL(shared), &report, &error);
  gg_r_hooks_finish(&a.hooks);
  if (status) gg_r_stop(&error, call);
  if (Rf_asLogical(warn)) gg_r_warn(&report, a.other ? "y" : NULL, call);
  UNPROTECT(2);
  return shared;
}

SEXP gg_r_dist_tile(SEXP x, SEXP y, SEXP metric, SEXP shared, SEXP plan, SEXP tile, SEXP settings,
                    SEXP warn, SEXP call, SEXP environment) {
  gpugeo_error error;
  arguments a;
  gpugeo_tiles tiles;
  gpugeo_tile place = {0};
  gpugeo_report report = {0};
  int64_t number = 0;
  const double *n = REAL_RO(plan);
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_status status = read_arguments(x, y, metric, settings, held, &a, &error);
  if (!status)
    status = gpugeo_tiles_plan((int64_t)n[0], (int64_t)n[1], 0, (int64_t)n[2], 0, &tiles, &error);
  const gg_given given = gg_r_given(tile);
  if (!status) status = gg_number_from_one("tile", "tiles", &given, tiles.count, &number, &error);
  if (!status) status = gpugeo_tiles_get(&tiles, number, &place, &error);
  if (status) gg_r_stop(&error, call);

  SEXP out = PROTECT(gg_r_result(REALSXP, (R_xlen_t)(place.rows * place.columns)));
  const bool has_shared = shared != R_NilValue;
  status = gpugeo_dist_tile(&a.x, a.other, &a.options, has_shared ? REAL_RO(shared) : NULL,
                            has_shared ? XLENGTH(shared) : 0, &tiles, number, GPUGEO_TYPE_DOUBLE,
                            REAL(out), &report, &error);
  gg_r_hooks_finish(&a.hooks);
  if (status) gg_r_stop(&error, call);
  SEXP size = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(size)[0] = (int)place.rows;
  INTEGER(size)[1] = (int)place.columns;
  Rf_setAttrib(out, R_DimSymbol, size);
  if (!Rf_asLogical(warn)) report.notes &= ~GPUGEO_NOTE_MISSING;
  gg_r_report_of(&report, "gpu_dist_tile", a.other ? "y" : NULL, call, environment);
  UNPROTECT(3);
  return out;
}
