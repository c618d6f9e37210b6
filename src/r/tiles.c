#include "call.h"
#include "common/error.h"
#include "entry.h"

void gg_r_source(gg_r_call *call, SEXP value, const char *name, gpugeo_matrix *view,
                 gpugeo_point_source *source) {
  *source = (gpugeo_point_source){.matrix = view};
  if (!Rf_inherits(value, "gpu_hdf5")) {
    gg_r_matrix(call, value, name, view);
    return;
  }
  source->matrix = NULL;
  source->file = gg_r_path(call, gg_r_element(value, "file"), "file");
  source->name = gg_r_text(call, gg_r_element(value, "name"), "name");
}

SEXP gg_r_hdf5_version(void) { return Rf_mkString(gpugeo_hdf5_version()); }

SEXP gg_r_point_source_size(SEXP x, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix view;
  gpugeo_point_source source;
  int64_t rows = 0, columns = 0;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  gg_r_source(&call, x, "x", &view, &source);
  if (!call.status)
    gg_r_check(&call, gpugeo_point_source_size(&source, &rows, &columns, &call.error));
  gg_r_require(&call);
  SEXP size = Rf_allocVector(REALSXP, 2);
  REAL(size)[0] = (double)rows;
  REAL(size)[1] = (double)columns;
  UNPROTECT(1);
  return size;
}

/* Reads a number that may be NULL: 0. */
static int64_t optional(gg_r_call *call, const char *name, int64_t least) {
  int64_t number = 0;
  if (gg_r_has(call, name)) gg_r_whole(call, name, least, (int64_t)1 << 53, &number);
  return number;
}

SEXP gg_r_tiles_plan(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_tiles tiles = {0};
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  const double *n = REAL_RO(gg_r_input(&call, 0));
  const int64_t side = optional(&call, "side", 1);
  const int64_t memory = optional(&call, "memory_limit", 1 << 20);
  if (!call.status)
    gg_r_check(&call, gpugeo_tiles_plan((int64_t)n[0], (int64_t)n[1], (int64_t)n[2], side, memory,
                                        &tiles, &call.error));
  if (!call.status && tiles.count > INT32_MAX)
    gg_r_check(&call, gg_fail(&call.error, GPUGEO_ERROR_ARGUMENT, "side",
                              "side must be larger: %lld makes %lld tiles, more than a data frame "
                              "has rows",
                              (long long)tiles.side, (long long)tiles.count));
  gg_r_require(&call);
  const char *names[] = {"side", "table", ""};
  SEXP plan = PROTECT(Rf_mkNamed(VECSXP, names));
  gg_r_set_number(plan, 0, (double)tiles.side);
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
  UNPROTECT(2);
  return plan;
}

/* The inputs of the functions below. */
typedef struct sources {
  gpugeo_matrix x_view, y_view;
  gpugeo_point_source x, y;
  const gpugeo_point_source *other; /* y or NULL */
} sources;

/* Reads the points, the metric and the settings of tiles. */
static void read_arguments(gg_r_call *call, sources *in, gpugeo_dist_options *options) {
  SEXP y = gg_r_input(call, 1);
  gpugeo_dist_options_init(options, sizeof *options);
  options->missing = NA_REAL;
  in->other = y == R_NilValue ? NULL : &in->y;
  gg_r_source(call, gg_r_input(call, 0), "x", &in->x_view, &in->x);
  if (in->other) gg_r_source(call, y, "y", &in->y_view, &in->y);
  gg_r_read_options(call, &gg_metric_options, &options->metric);
  gg_r_settings(call, &options->run);
}

SEXP gg_r_dist_metric_params(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  sources in;
  gpugeo_dist_options options;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  read_arguments(&call, &in, &options);
  if (!call.status)
    gg_r_check(&call,
               gpugeo_dist_metric_params_size(&in.x, in.other, &options, &size, &call.error));
  gg_r_require(&call);
  SEXP shared = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, gpugeo_dist_metric_params(&in.x, in.other, &options, REAL(shared),
                                               &call.report, &call.error));
  if (Rf_asLogical(gg_r_option(&call, "warn"))) gg_r_warn(&call, in.other ? "y" : NULL);
  UNPROTECT(2);
  return shared;
}

/* Reads the options plan (points of x and of y or -1, side) and tile. */
static int64_t read_tile(gg_r_call *call, gpugeo_tiles *tiles, gpugeo_tile *tile) {
  const double *n = REAL_RO(gg_r_option(call, "plan"));
  const gg_given given = gg_r_given(gg_r_option(call, "tile"));
  int64_t number = 0;
  if (!call->status)
    gg_r_check(call, gpugeo_tiles_plan((int64_t)n[0], (int64_t)n[1], 0, (int64_t)n[2], 0, tiles,
                                       &call->error));
  if (!call->status)
    gg_r_check(call,
               gg_number_from_one("tile", "tiles", &given, tiles->count, &number, &call->error));
  if (!call->status) gg_r_check(call, gpugeo_tiles_get(tiles, number, tile, &call->error));
  return number;
}

SEXP gg_r_dist_tile(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  sources in;
  gpugeo_dist_options options;
  gpugeo_tiles tiles;
  gpugeo_tile tile = {0};
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  read_arguments(&call, &in, &options);
  const int64_t number = read_tile(&call, &tiles, &tile);
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(tile.rows * tile.columns)));
  SEXP shared = gg_r_option(&call, "shared");
  const bool has_shared = shared != R_NilValue;
  gg_r_finish(&call,
              gpugeo_dist_tile(&in.x, in.other, &options, has_shared ? REAL_RO(shared) : NULL,
                               has_shared ? XLENGTH(shared) : 0, &tiles, number, GPUGEO_TYPE_DOUBLE,
                               REAL(out), &call.report, &call.error));
  SEXP size = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(size)[0] = (int)tile.rows;
  INTEGER(size)[1] = (int)tile.columns;
  Rf_setAttrib(out, R_DimSymbol, size);
  if (!Rf_asLogical(gg_r_option(&call, "warn"))) call.report.notes &= ~GPUGEO_NOTE_MISSING;
  gg_r_report(&call, "gpu_dist_tile", in.other ? "y" : NULL);
  UNPROTECT(3);
  return out;
}
