/* Correlation and covariance matrices: applies the `use` rules of stats::cor and calls the kernels
   of the distance matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/sparse.h"
#include "distance/bicor.h"
#include "distance/column_spread.h"
#include "distance/dist.h"
#include "distance/distance_correlation.h"
#include "distance/kendall.h"
#include "distance/rank.h"
#include "distance/weighted_columns.h"

GG_OPTIONS_INIT(cor, .missing = NAN, .robust_x = 1, .max_outliers = 1, .robust_y = 1,
                .pearson_fallback = GPUGEO_PEARSON_FALLBACK_INDIVIDUAL)

static const gg_option option_rows[] = {
    {GG_OPTION("use", CHOICE, gpugeo_cor_options, use), .choices = GPUGEO_ENUM_COR_USE},
    {GG_OPTION("method", CHOICE, gpugeo_cor_options, method), .choices = GPUGEO_ENUM_COR_METHOD},
};

GG_DEFINE_OPTIONS(cor, option_rows);

static const gg_option bicor_rows[] = {
    {GG_OPTION("robustX", FLAG, gpugeo_cor_options, robust_x), .octave = "robustx"},
    {GG_OPTION("robustY", FLAG, gpugeo_cor_options, robust_y), .octave = "robusty"},
    {GG_OPTION("maxPOutliers", NUMBER, gpugeo_cor_options, max_outliers), .octave = "maxpoutliers",
     .allowed = GG_SHARE},
    {GG_OPTION("quick", NUMBER, gpugeo_cor_options, quick), .allowed = GG_SHARE},
    {GG_OPTION("pearsonFallback", CHOICE, gpugeo_cor_options, pearson_fallback),
     .octave = "pearsonfallback", .choices = GPUGEO_ENUM_PEARSON_FALLBACK},
    {GG_OPTION("cosineX", FLAG, gpugeo_cor_options, cosine_x), .octave = "cosinex"},
    {GG_OPTION("cosineY", FLAG, gpugeo_cor_options, cosine_y), .octave = "cosiney"},
    {GG_OPTION("weights.x", MATRIX, gpugeo_cor_options, weights_x), .octave = "weights"},
    {GG_OPTION("weights.y", MATRIX, gpugeo_cor_options, weights_y), .octave = "weightsy"},
};

/* The options of bicor, of cosines and of weights are fields of those of correlations. */
const gg_option_table gg_bicor_options =
    GG_OPTION_TABLE(bicor_rows, gpugeo_cor_options, fill_defaults);

/* Fails unless a value is between 0 and 1. */
static gpugeo_status check_share(const char *argument, double value, gpugeo_error *error) {
  if (value >= 0 && value <= 1) return GPUGEO_OK;
  const gg_given given = gg_given_number(value);
  return gg_fail_given(error, argument, GG_SHARE, &given);
}

/* Checks the options of bicor, also for other methods. */
static gpugeo_status check_bicor(const gpugeo_cor_options *options, gpugeo_error *error) {
  gpugeo_status status = check_share("maxPOutliers", options->max_outliers, error);
  if (!status) status = check_share("quick", options->quick, error);
  if (status) return status;
  if (options->pearson_fallback < GPUGEO_PEARSON_FALLBACK_NONE ||
      options->pearson_fallback > GPUGEO_PEARSON_FALLBACK_ALL)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "pearsonFallback",
                   "pearsonFallback must be between 0 and 2, not %d",
                   (int)options->pearson_fallback);
  if (options->method >= GPUGEO_COR_METHOD_BICOR && options->covariance)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                   "method must be \"pearson\", \"spearman\" or \"kendall\" for covariances, "
                   "not \"%s\"",
                   gpugeo_name(GPUGEO_ENUM_COR_METHOD, (int32_t)options->method));
  return GPUGEO_OK;
}

/* Returns the weights of x. */
static gg_weights x_weights(const gpugeo_cor_options *options) {
  return (gg_weights){"weights.x", &options->weights_x};
}

/* Returns the weights of y. */
static gg_weights y_weights(const gpugeo_cor_options *options) {
  return (gg_weights){"weights.y", &options->weights_y};
}

/* True if values have weights. */
static bool is_weighted(const gpugeo_cor_options *options) {
  return gg_weights_given(&options->weights_x) || gg_weights_given(&options->weights_y);
}

/* True if the cosine of a matrix is asked for. */
static bool has_cosine(const gpugeo_matrix *y, const gpugeo_cor_options *options) {
  return options->cosine_x || (y && options->cosine_y);
}

/* True if the columns are transformed as those of bicor are. */
static bool is_transformed(const gpugeo_matrix *y, const gpugeo_cor_options *options) {
  return options->method == GPUGEO_COR_METHOD_BICOR || is_weighted(options) ||
         has_cosine(y, options);
}

/* Checks the weights and what they and cosines are combined with. */
static gpugeo_status check_weights(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                   const gpugeo_cor_options *options, gpugeo_error *error) {
  const bool weighted = is_weighted(options), cosine = has_cosine(y, options);
  const char *method = gpugeo_name(GPUGEO_ENUM_COR_METHOD, (int32_t)options->method);
  if (weighted && options->method != GPUGEO_COR_METHOD_PEARSON)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                   "method must be \"pearson\" with weights, not \"%s\"", method);
  if (cosine && options->method != GPUGEO_COR_METHOD_PEARSON &&
      options->method != GPUGEO_COR_METHOD_BICOR)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                   "method must be \"pearson\" or \"bicor\" for cosines, not \"%s\"", method);
  if (options->covariance && (weighted || cosine))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "covariance",
                   "covariance must be 0 with weights and for cosines, not %d",
                   (int)options->covariance);
  if (!y && gg_weights_given(&options->weights_y))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights.y",
                   "weights.y must be left out without y, not a matrix of %lld x %lld",
                   (long long)options->weights_y.nrow, (long long)options->weights_y.ncol);
  const gg_weights of_x = x_weights(options), of_y = y_weights(options);
  gpugeo_status status = gg_weights_check(&of_x, x, "x", error);
  return status || !y ? status : gg_weights_check(&of_y, y, "y", error);
}

/* Checks the arguments of a matrix of correlations; y may be NULL. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                     const gpugeo_cor_options *options, gpugeo_type type,
                                     gpugeo_error *error) {
  gpugeo_status status = gg_check_run(&options->run, error);
  if (!status) status = gg_check_any_matrix("x", x, error);
  if (!status && y) status = gg_check_any_matrix("y", y, error);
  if (status) return status;
  if (options->method < GPUGEO_COR_METHOD_PEARSON || options->method > GPUGEO_COR_METHOD_DCOR)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method", "method must be between 0 and 4, not %d",
                   (int)options->method);
  if (options->use < GPUGEO_COR_USE_EVERYTHING || options->use > GPUGEO_COR_USE_PAIRWISE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "use", "use must be between 0 and 4, not %d",
                   (int)options->use);
  if (options->covariance < GPUGEO_COVARIANCE_NONE ||
      options->covariance > GPUGEO_COVARIANCE_MATLAB)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "covariance",
                   "covariance must be between 0 and 3, not %d", (int)options->covariance);
  if (options->covariance && options->use == GPUGEO_COR_USE_PAIRWISE &&
      options->method != GPUGEO_COR_METHOD_PEARSON)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "use",
                   "use must be \"everything\", \"all.obs\", \"complete.obs\" or "
                   "\"na.or.complete\" for covariances of method \"%s\", not "
                   "\"pairwise.complete.obs\"",
                   gpugeo_name(GPUGEO_ENUM_COR_METHOD, (int32_t)options->method));
  status = check_bicor(options, error);
  if (status) return status;
  if (type != GPUGEO_TYPE_DOUBLE && type != GPUGEO_TYPE_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be double or float, not %d",
                   (int)type);
  if (y && y->nrow != x->nrow)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "y", "y must have %lld rows, as x has, not %lld",
                   (long long)x->nrow, (long long)y->nrow);
  return check_weights(x, y, options, error);
}

/* Returns the bytes of the spreads of columns, and of those for finding them. */
static double spread_bytes(const gpugeo_matrix *x, const gpugeo_matrix *y,
                           const gpugeo_cor_options *options) {
  if (!options->covariance) return 0;
  const double columns = (double)x->ncol + (double)(y ? y->ncol : 0);
  const bool ranks = options->method == GPUGEO_COR_METHOD_SPEARMAN;
  const double column = 8 * (double)x->nrow + (ranks ? (double)gg_rank_room(x->nrow) : 0);
  return 16 * columns + gg_threads(options->run.threads) * column;
}

/* Returns the bytes of the columns that are prepared, at most the limit of working memory, and of
   their ranks. */
static double working_bytes(const gpugeo_matrix *x, const gpugeo_matrix *y,
                            const gpugeo_cor_options *options) {
  if (options->method == GPUGEO_COR_METHOD_KENDALL) {
    const double limit =
        options->run.work_bytes ? (double)options->run.work_bytes : (double)GG_WORK_BYTES;
    const int64_t columns = x->ncol + (y ? y->ncol : 0);
    const double words = (double)x->nrow * (double)x->nrow / 128 + 8;
    const double bits = 16 * ((double)columns + 16) * words; /* with those of ties */
    return gg_kendall_bytes(columns, x->nrow) + (bits < limit ? bits : limit);
  }
  if (options->method == GPUGEO_COR_METHOD_DCOR)
    return gg_dcor_bytes(x->nrow, x->ncol + (y ? y->ncol : 0), gg_threads(options->run.threads));
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric.kind = options->method == GPUGEO_COR_METHOD_SPEARMAN ? GPUGEO_METRIC_SPEARMAN
                                                                   : GPUGEO_METRIC_PEARSON;
  dist.points = GPUGEO_POINTS_COLUMNS;
  dist.run = options->run;
  double bytes = gg_dist_working(x, y, &dist) + spread_bytes(x, y, options);
  if (is_transformed(y, options)) {
    const bool pairwise = options->use == GPUGEO_COR_USE_PAIRWISE;
    bytes += gg_bicor_bytes(x, pairwise) + (y ? gg_bicor_bytes(y, pairwise) : 0);
  }
  if (is_weighted(options)) bytes += gg_weights_bytes(x) + (y ? gg_weights_bytes(y) : 0);
  return bytes;
}

gpugeo_status gpugeo_cor_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                              const gpugeo_cor_options *options, gpugeo_type type, int64_t *size,
                              gpugeo_error *error) {
  gpugeo_cor_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(cor_options, options, taken, error);
  if (status) return status;
  status = check_arguments(x, y, options, type, error);
  const int64_t columns = status ? 0 : y ? y->ncol : x->ncol;
  if (!status)
    status = gg_check_result((double)x->ncol * (double)columns, type, working_bytes(x, y, options),
                             error);
  if (!status) *size = x->ncol * columns;
  return status;
}

/* Sets the correlations of columns with themselves to 1: all of them if `use` ignores missing
   values, as in stats::cor, else those that are not missing. */
static void set_diagonal(gpugeo_type type, void *out, int64_t n, bool always) {
  for (int64_t i = 0; i < n; ++i) {
    if (type == GPUGEO_TYPE_FLOAT) {
      float *value = (float *)out + i * (n + 1);
      if (always || !isnan(*value)) *value = 1;
    } else {
      double *value = (double *)out + i * (n + 1);
      if (always || !isnan(*value)) *value = 1;
    }
  }
}

/* Some columns of a matrix, and their orders. */
typedef struct rank_panel {
  const gpugeo_matrix *matrix;
  int64_t first;        /* column of the matrix */
  gpugeo_matrix values; /* dense */
  double *room;         /* values, if the matrix is sparse */
  gg_rank_order order;
} rank_panel;

/* Frees a panel of ranks. */
static void free_panel(rank_panel *panel) {
  gg_rank_order_free(&panel->order);
  gg_free(panel->room);
}

/* Loads `count` columns of a matrix from `first` on. To be freed also after a failure. */
static gpugeo_status load_panel(const gpugeo_matrix *x, int64_t first, int64_t count, bool ordered,
                                int32_t threads, rank_panel *panel, gg_call *call) {
  if (call->status) return call->status;
  *panel = (rank_panel){.matrix = x, .first = first, .values = *x};
  panel->values.ncol = count;
  if (x->sparse) {
    GG_TRY(call, gg_check_memory(20 * (double)count * (double)x->nrow, "x", call->error,
                                 "ranks of %lld columns of %lld elements, stored or not, need",
                                 (long long)count, (long long)x->nrow));
    if (call->status) return call->status;
    panel->room = gg_allocate(count * x->nrow, sizeof *panel->room);
    if (!panel->room)
      return GG_TRY(call, gg_fail_memory(call->error, count * x->nrow * (int64_t)sizeof(double)));
    gg_sparse_load(x, GPUGEO_POINTS_COLUMNS, (gg_block){first, count, 0, x->nrow}, 1, x->nrow,
                   panel->room);
    panel->values = (gpugeo_matrix){.data = panel->room,
                                    .type = GPUGEO_TYPE_DOUBLE,
                                    .nrow = x->nrow,
                                    .ncol = count,
                                    .ld = x->nrow};
  } else if (first > 0) {
    const int64_t size = x->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
    panel->values.data = (const char *)x->data + first * x->ld * size;
  }
  return gg_rank_order_make(&panel->values, ordered, &panel->order, threads, call);
}

/* Copies the correlations of two panels to their offsets in all of them, and if `mirrored` to those
   of the transposed ones. */
static void place_block(const gg_rank_plan *plan, const rank_panel *x, const rank_panel *y,
                        bool mirrored, void *out) {
  const int64_t rows = x->values.ncol;
  const int64_t size = plan->type == GPUGEO_TYPE_FLOAT ? 4 : 8;
  for (int64_t j = 0; j < y->values.ncol; ++j)
    for (int64_t i = 0; i < rows; ++i) {
      const char *from = (const char *)plan->out + (i + j * rows) * size;
      const int64_t a = x->first + i, b = y->first + j;
      memcpy((char *)out + (a + b * x->matrix->ncol) * size, from, (size_t)size);
      if (mirrored) memcpy((char *)out + (b + a * x->matrix->ncol) * size, from, (size_t)size);
    }
}

/* Pairwise Spearman correlations of panels of columns. */
typedef struct rank_job {
  const gpugeo_matrix *x, *y; /* y: NULL for those within x */
  const gg_backend *backend;
  gg_rank_plan *plan;
  int64_t width; /* columns of a panel */
  void *out;     /* all correlations; plan->out has room for those of two panels, or is out */
} rank_job;

/* Computes the correlations of the columns of y that begin at `first` with those of x, of which
   there is one panel or several. */
static gpugeo_status rank_panels(const rank_job *job, rank_panel *y, gg_call *call) {
  const bool ordered = !job->backend->can.ranks;
  const int64_t columns = job->y ? job->x->ncol : y->first + y->values.ncol;
  for (int64_t i = 0; !call->status && i < columns; i += job->width) {
    const int64_t count = i + job->width < columns ? job->width : columns - i;
    const bool same = !job->y && i == y->first;
    rank_panel x = {0};
    if (!same) load_panel(job->x, i, count, ordered, job->plan->threads, &x, call);
    job->plan->x = same ? &y->order : &x.order;
    job->plan->y = &y->order;
    GG_TRY(call, job->backend->rank_pairs(job->plan, call));
    if (!call->status && job->plan->out != job->out)
      place_block(job->plan, same ? y : &x, y, !job->y, job->out);
    free_panel(&x);
  }
  return call->status;
}

/* Computes the correlations of all panels. Progress is that of the panels of y. */
static gpugeo_status rank_all(const rank_job *job, gg_call *call) {
  const gpugeo_matrix *of = job->y ? job->y : job->x;
  const double columns = (double)of->ncol;
  for (int64_t j = 0; !call->status && j < of->ncol; j += job->width) {
    const int64_t count = j + job->width < of->ncol ? job->width : of->ncol - j;
    gg_call_part part;
    rank_panel y = {0};
    gg_call_part_begin(call, (double)j / columns, (double)count / columns, &part);
    load_panel(of, j, count, !job->backend->can.ranks, job->plan->threads, &y, &part.call);
    rank_panels(job, &y, &part.call);
    free_panel(&y);
    gg_call_part_end(&part);
  }
  return call->status;
}

/* Returns the columns of a panel: all of them of dense matrices, else as many as fit into the
   limit of working memory twice, each with 20 bytes for a row. */
static int64_t panel_width(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t work_bytes) {
  const int64_t columns = y && y->ncol > x->ncol ? y->ncol : x->ncol;
  if (!x->sparse && !(y && y->sparse)) return columns;
  const double limit = work_bytes ? (double)work_bytes : (double)GG_WORK_BYTES;
  const double width = limit / (40 * (double)x->nrow);
  return width >= (double)columns ? columns : width < 1 ? 1 : (int64_t)width;
}

/* Computes Spearman correlations for which each pair of columns is ranked on its own complete
   rows. Sparse matrices are expanded in panels, on the CPU. */
static gpugeo_status rank_pairwise(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                   const gpugeo_cor_options *options, gpugeo_type type, void *out,
                                   gg_call *call) {
  if (call->status) return call->status;
  gg_rank_plan plan = {
      .type = type,
      .out = out,
      .missing = options->missing,
      .threads = gg_threads(options->run.threads),
      .work_bytes = options->run.work_bytes,
  };
  const double pairs = (double)x->ncol * (double)(y ? y->ncol : x->ncol) * (y ? 1 : 0.5);
  const gg_request request = {.family = GG_FAMILY_RANK_PAIRS,
                              .sparse = x->sparse || (y && y->sparse),
                              .work = 20 * pairs * (double)x->nrow,
                              .bytes = 8 * pairs};
  rank_job job = {.x = x, .y = y, .plan = &plan, .out = out};
  GG_TRY(call, gg_backend_spread(&options->run, &request, &job.backend, &plan.device, &plan.workers,
                                 call->error));
  if (call->status) return call->status;
  *call->report = gg_report_of(job.backend, plan.device, plan.workers, plan.threads);
  job.width = panel_width(x, y, options->run.work_bytes);
  void *block = NULL;
  if (job.width < x->ncol || (y && job.width < y->ncol)) {
    block = gg_allocate(job.width * job.width, sizeof(double));
    if (!block)
      return GG_TRY(call,
                    gg_fail_memory(call->error, job.width * job.width * (int64_t)sizeof(double)));
    plan.out = block;
  }
  rank_all(&job, call);
  gg_free(block);
  return gg_call_end(call);
}

/* Returns the time that the CPU takes for a pair of columns of n observations, in 0.1 ns: by bits
   or by merge sort. */
static double kendall_work(double n) { return fmin(n * n / 20, 30 * n * log2(n)); }

/* Computes Kendall correlations. */
static gpugeo_status count_pairs(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                 const gpugeo_cor_options *options, gpugeo_type type, void *out,
                                 gg_call *call) {
  if (call->status) return call->status;
  gg_kendall_columns columns_x = {0}, columns_y = {0};
  gg_kendall_plan plan = {
      .x = &columns_x,
      .y = y ? &columns_y : &columns_x,
      .pairwise = options->use == GPUGEO_COR_USE_PAIRWISE,
      .covariance = options->covariance != GPUGEO_COVARIANCE_NONE,
      .type = type,
      .out = out,
      .missing = options->missing,
      .threads = gg_threads(options->run.threads),
      .work_bytes = options->run.work_bytes,
  };
  const double n = (double)x->nrow, columns = (double)(y ? y->ncol : x->ncol);
  const double pairs = (double)x->ncol * columns * (y ? 1 : 0.5);
  const gg_request request = {
      .family = GG_FAMILY_KENDALL,
      .sparse = x->sparse || (y && y->sparse),
      .work = pairs * kendall_work(n),
      .bytes = 8 * (n * ((double)x->ncol + columns) + pairs),
      .latency = (pairs + 4096) * n * n / 1e14, /* an H200 counts so many pairs in a second */
  };
  const gg_backend *backend;
  GG_TRY(call, gg_backend_spread(&options->run, &request, &backend, &plan.device, &plan.workers,
                                 call->error));
  if (call->status) return call->status;
  *call->report = gg_report_of(backend, plan.device, plan.workers, plan.threads);
  gg_prefer_huge_pages(out,
                       (int64_t)(columns * (double)x->ncol) * (type == GPUGEO_TYPE_FLOAT ? 4 : 8));
  const bool coded = !backend->can.ranks;
  gg_kendall_make(x, "x", coded, plan.threads, &columns_x, call);
  if (!call->status && y) gg_kendall_make(y, "y", coded, plan.threads, &columns_y, call);
  GG_TRY(call, backend->kendall(&plan, call));
  gg_kendall_free(&columns_x);
  gg_kendall_free(&columns_y);
  return gg_call_end(call);
}

/* Returns the options of distances between columns. */
static gpugeo_dist_options column_options(const gpugeo_cor_options *options, gpugeo_metric metric) {
  gpugeo_dist_options columns;
  gpugeo_dist_options_init(&columns, sizeof columns);
  columns.metric.kind = metric;
  columns.points = GPUGEO_POINTS_COLUMNS;
  columns.shape = GPUGEO_SHAPE_FULL;
  columns.missing = options->missing;
  columns.run = options->run;
  return columns;
}

/* Returns the number of columns without missing values; found is GG_HAS_... of all matrices. */
static int64_t whole_columns(const gpugeo_matrix *x, int found) {
  return found & GG_HAS_MISSING ? gg_whole_columns(x) : x->ncol;
}

/* True if a constant column is paired with one without missing values; stats::cor warns then. A
   column is paired with itself only for pairwise `use`. */
static bool constant_pair(const gpugeo_matrix *x, const gpugeo_matrix *y, gpugeo_cor_use use,
                          int found) {
  if (y)
    return (gg_constant_column(x) && whole_columns(y, found) > 0) ||
           (gg_constant_column(y) && whole_columns(x, found) > 0);
  return gg_constant_column(x) && (use == GPUGEO_COR_USE_PAIRWISE || whole_columns(x, found) > 1);
}

/* A call of gpugeo_cor(). */
typedef struct cor_job {
  const gpugeo_matrix *x, *y; /* as given; y may be NULL */
  const gpugeo_cor_options *options;
  gpugeo_type type;
  void *out;
  int64_t size; /* elements of out */
  gg_call *call;
  int found;                    /* GG_HAS_... of the rows in use */
  bool pairwise;                /* rows are left out for each pair of columns */
  gpugeo_matrix x_used, y_used; /* the rows in use */
  gg_rows x_rows, y_rows;       /* their memory, where rows were left out */
  bool weighted;                /* each of x_used and y_used is followed by its weights, */
  double *x_joined, *y_joined;  /* which have this memory */
} cor_job;

/* Returns the matrix that replaces y, borrowed from the job, or NULL without y. */
static const gpugeo_matrix *second_matrix(const cor_job *job) {
  return job->y ? &job->y_used : NULL;
}

/* Copies the complete rows. */
static gpugeo_status use_complete_rows(cor_job *job) {
  if (gg_complete_rows(&job->x_used, second_matrix(job), &job->x_rows, &job->y_rows, job->call))
    return job->call->status;
  job->found &= ~GG_HAS_MISSING;
  job->x_used = job->x_rows.matrix;
  if (job->y) job->y_used = job->y_rows.matrix;
  return GPUGEO_OK;
}

/* Finds out what the columns have, on the backend that would compute their products. */
static gpugeo_status inspect_columns(cor_job *job) {
  /* A metric without a test of points. */
  const gpugeo_dist_options options = column_options(job->options, GPUGEO_METRIC_EUCLIDEAN);
  gg_dist_plan plan = gg_dist_plan_make(&job->x_used, second_matrix(job), &options, 0);
  const bool any = plan.nx > 0 && plan.ny > 0 && plan.m > 0;
  gg_dist_memory memory = {0};
  gg_call *call = job->call;
  if (any && !gg_dist_is_sparse(&plan)) {
    const gg_request request = gg_dist_request(&plan, GG_FAMILY_DIST, &options, 0);
    GG_TRY(call,
           gg_backend_choose(&options.run, &request, &plan.backend, &plan.device, call->error));
  }
  gg_dist_inspect(&plan, &options, &memory, &job->found, call);
  gg_dist_memory_free(&memory);
  return call->status;
}

/* Finds the rows in use. */
static gpugeo_status choose_rows(cor_job *job) {
  const gpugeo_cor_use use = job->options->use;
  gg_call *call = job->call;
  if (inspect_columns(job) || !(job->found & GG_HAS_MISSING)) return call->status;
  if (use == GPUGEO_COR_USE_ALL_OBS)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_DATA, "x",
                                "%s must have no missing values with use = \"all.obs\"",
                                job->weighted ? "x and its weights" : "x"));
  job->pairwise = use == GPUGEO_COR_USE_PAIRWISE;
  const bool complete = use == GPUGEO_COR_USE_COMPLETE_OBS || use == GPUGEO_COR_USE_NA_OR_COMPLETE;
  return complete ? use_complete_rows(job) : GPUGEO_OK;
}

/* Returns the flags for finishing pairs of columns. */
static int finish_flags(const cor_job *job) {
  const int covariance = job->options->covariance;
  if (job->options->use == GPUGEO_COR_USE_EVERYTHING) return GG_FINISH_PROPAGATE;
  if (!job->pairwise || !covariance) return 0;
  return GG_FINISH_COVARIANCE | (covariance == GPUGEO_COVARIANCE_POPULATION ? GG_FINISH_POPULATION
                                 : covariance == GPUGEO_COVARIANCE_MATLAB   ? GG_FINISH_MATLAB
                                                                            : 0);
}

/* Computes correlations by the distance kernels on columns. */
static gpugeo_status correlate(const cor_job *job) {
  const bool pearson = job->options->method == GPUGEO_COR_METHOD_PEARSON;
  const gpugeo_dist_options options =
      column_options(job->options, pearson ? GPUGEO_METRIC_PEARSON : GPUGEO_METRIC_SPEARMAN);
  gg_dist_plan plan = gg_dist_plan_make(&job->x_used, second_matrix(job), &options,
                                        GG_FINISH_SIMILARITY | finish_flags(job));
  plan.type = job->type;
  plan.out = job->out;
  return gg_dist_run(&plan, &options, job->found, NULL, job->call);
}

/* Notes the columns whose median absolute deviation is 0, or that are constant. */
static void note_columns(const cor_job *job, const gg_bicor_columns *x, const gg_bicor_columns *y) {
  gpugeo_report *report = job->call->report;
  if (x->flat || y->flat) report->notes |= GPUGEO_NOTE_ZERO_DEVIATION;
  if (x->zero_mad + y->zero_mad == 0) return;
  report->notes |= GPUGEO_NOTE_ZERO_MAD;
  report->missing = (gpugeo_missing){.x_rows = x->zero_mad, .y_rows = y->zero_mad};
  report->missing.reasons = (int32_t)job->options->pearson_fallback;
  memcpy(report->missing.x_first, x->first, sizeof x->first);
  memcpy(report->missing.y_first, y->first, sizeof y->first);
}

/* Computes the products of transformed columns, then anew those of pairs with missing values. */
static void multiply_columns(const cor_job *job, const gg_bicor_columns *x,
                             const gg_bicor_columns *y, gg_call *call) {
  if (call->status) return;
  const gpugeo_cor_options *options = job->options;
  const gpugeo_matrix x_view = {x->z, GPUGEO_TYPE_DOUBLE, x->rows, x->columns, x->rows, NULL};
  const gpugeo_matrix y_view = {y->z, GPUGEO_TYPE_DOUBLE, y->rows, y->columns, y->rows, NULL};
  const gpugeo_dist_options cosine = column_options(options, GPUGEO_METRIC_COSINE);
  gg_dist_plan plan = gg_dist_plan_make(&x_view, job->y ? &y_view : NULL, &cosine,
                                        GG_FINISH_SIMILARITY | GG_FINISH_PROPAGATE);
  plan.type = job->type;
  plan.out = job->out;
  gg_dist_run(&plan, &cosine, GG_HAS_MISSING, NULL, call);
  const gg_bicor_pairs pairs = {.x = x,
                                .y = job->y ? y : x,
                                .tolerance = options->quick * (double)x->rows,
                                .type = job->type,
                                .out = job->out,
                                .missing = options->missing};
  if (job->pairwise) gg_bicor_replace(&pairs, plan.threads, call);
}

/* Transforms the columns of a matrix in use. */
static void transform_matrix(const cor_job *job, gpugeo_matrix x, bool robust, bool cosine,
                             gg_bicor_columns *made) {
  const gpugeo_cor_options *options = job->options;
  gg_bicor_rule rule = {.robust = robust && options->method == GPUGEO_COR_METHOD_BICOR,
                        .cosine = cosine,
                        .max_outliers = options->max_outliers,
                        .fallback = options->pearson_fallback};
  if (job->weighted) {
    x.ncol /= 2;
    rule.weights = (const double *)x.data + x.ncol * x.ld;
  }
  gg_bicor_make(&x, &rule, job->pairwise, gg_threads(options->run.threads), made, job->call);
}

/* Computes biweight midcorrelations, and Pearson's with weights or without means. */
static gpugeo_status correlate_transformed(const cor_job *job) {
  const gpugeo_cor_options *options = job->options;
  gg_bicor_columns x = {0}, y = {0};
  transform_matrix(job, job->x_used, options->robust_x, options->cosine_x, &x);
  if (job->y) transform_matrix(job, job->y_used, options->robust_y, options->cosine_y, &y);
  multiply_columns(job, &x, &y, job->call);
  if (!job->call->status) note_columns(job, &x, &y);
  gg_bicor_free(&x);
  gg_bicor_free(&y);
  return gg_call_end(job->call);
}

/* Computes distance correlations. */
static gpugeo_status correlate_distances(const cor_job *job) {
  const gg_dcor_plan plan = {.x = &job->x_used,
                             .y = second_matrix(job),
                             .pairwise = job->pairwise,
                             .type = job->type,
                             .out = job->out,
                             .missing = job->options->missing,
                             .threads = gg_threads(job->options->run.threads)};
  *job->call->report = gg_report_of(gg_host_backend(), -1, 1, plan.threads);
  return gg_dcor(&plan, job->call);
}

/* Makes covariances of the correlations in job->out; pairwise, of the covariances of scaled
   columns. */
static gpugeo_status multiply_spreads(cor_job *job) {
  const gpugeo_cor_options *options = job->options;
  const gg_spread spread = job->pairwise                                   ? GG_SPREAD_SCALE
                           : options->method == GPUGEO_COR_METHOD_SPEARMAN ? GG_SPREAD_RANKS
                                                                           : GG_SPREAD_DEVIATION;
  const double n = (double)job->x_used.nrow;
  const double divisor = n == 1 || options->covariance == GPUGEO_COVARIANCE_POPULATION ? n : n - 1;
  const int32_t threads = gg_threads(options->run.threads);
  gg_column_spreads x = {0}, y = {0};
  const gg_spread_product product = {.x = &x,
                                     .y = job->y ? &y : &x,
                                     .rows = job->x->ncol,
                                     .columns = job->y ? job->y->ncol : job->x->ncol,
                                     .within = !job->y,
                                     .type = job->type,
                                     .out = job->out,
                                     .missing = options->missing};
  gg_column_spreads_make(&job->x_used, spread, divisor, threads, &x, job->call);
  if (job->y) gg_column_spreads_make(&job->y_used, spread, divisor, threads, &y, job->call);
  gg_spread_multiply(&product, threads, job->call);
  gg_column_spreads_free(&x);
  gg_column_spreads_free(&y);
  return job->call->status;
}

/* Computes the correlations of at least two rows, or of one for covariances. */
static gpugeo_status correlate_rows(const cor_job *job) {
  const gpugeo_cor_options *options = job->options;
  if (options->method == GPUGEO_COR_METHOD_KENDALL)
    return count_pairs(&job->x_used, second_matrix(job), options, job->type, job->out, job->call);
  if (is_transformed(job->y, options)) return correlate_transformed(job);
  if (options->method == GPUGEO_COR_METHOD_DCOR) return correlate_distances(job);
  if (job->pairwise && options->method == GPUGEO_COR_METHOD_SPEARMAN)
    return rank_pairwise(job->x, job->y, options, job->type, job->out, job->call);
  return correlate(job);
}

/* Fills the result from the rows in use. */
static gpugeo_status fill_result(cor_job *job) {
  const gpugeo_cor_use use = job->options->use;
  gg_call *call = job->call;
  if (call->status) return call->status;
  if (job->x_used.nrow == 0 && use == GPUGEO_COR_USE_COMPLETE_OBS)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_DATA, "x",
                                "x must have a complete row with use = \"complete.obs\""));
  const int64_t least = job->options->covariance > GPUGEO_COVARIANCE_SAMPLE ? 1 : 2;
  if (job->x_used.nrow < least || job->size == 0) {
    gg_fill(job->type, job->out, job->size, job->options->missing);
    return GPUGEO_OK;
  }
  if (correlate_rows(job)) return call->status;
  if (job->options->covariance) {
    if (job->options->method != GPUGEO_COR_METHOD_KENDALL) multiply_spreads(job);
    return gg_call_end(call);
  }
  if (job->options->method == GPUGEO_COR_METHOD_DCOR) return GPUGEO_OK;
  const bool transformed = is_transformed(job->y, job->options);
  if (!transformed && !job->pairwise &&
      constant_pair(&job->x_used, second_matrix(job), use, job->found))
    call->report->notes |= GPUGEO_NOTE_ZERO_DEVIATION;
  if (!job->y)
    set_diagonal(job->type, job->out, job->x->ncol, !transformed && use != GPUGEO_COR_USE_PAIRWISE);
  return GPUGEO_OK;
}

/* Joins the matrices with their weights. */
static gpugeo_status join_weights(cor_job *job) {
  const gg_weights of_x = x_weights(job->options), of_y = y_weights(job->options);
  job->weighted = !job->call->status && is_weighted(job->options);
  if (!job->weighted) return job->call->status;
  gg_weights_join(job->x, &of_x, &job->x_used, job->call);
  job->x_joined = (double *)job->x_used.data;
  if (job->y) {
    gg_weights_join(job->y, &of_y, &job->y_used, job->call);
    job->y_joined = (double *)job->y_used.data;
  }
  return job->call->status;
}

gpugeo_status gpugeo_cor(const gpugeo_matrix *x, const gpugeo_matrix *y,
                         const gpugeo_cor_options *options, gpugeo_type type, void *out,
                         gpugeo_report *report, gpugeo_error *error) {
  gpugeo_cor_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(cor_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  cor_job job = {.x = x, .y = y, .options = options, .type = type, .out = out, .call = &call};
  GG_TRY(&call, gpugeo_cor_size(x, y, options, type, &job.size, error));
  const gg_family family = options->method == GPUGEO_COR_METHOD_KENDALL ? GG_FAMILY_KENDALL
                           : options->method == GPUGEO_COR_METHOD_DCOR  ? GG_FAMILY_DCOR
                                                                        : GG_FAMILY_DIST;
  GG_TRY(&call, gg_check_family(&options->run, family, error));
  if (GG_TRY(&call, gg_report_start(&options->run, family, call.report, error))) return call.status;
  job.x_used = *x;
  job.y_used = y ? *y : *x;
  join_weights(&job);
  choose_rows(&job);
  fill_result(&job);
  gg_free(job.x_joined);
  gg_free(job.y_joined);
  gg_rows_free(&job.x_rows);
  gg_rows_free(&job.y_rows);
  return call.status;
}
