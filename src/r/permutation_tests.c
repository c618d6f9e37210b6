#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distances.h"
#include "entry.h"
#include "free_permutations.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum {
  TILE_PERMUTATIONS = 64,
  TILE_POINTS = 16
}; /* lines of the cache that a tile writes, reads */

/* Permutations that become those of the core: numbers from 0, each permutation contiguous. */
typedef struct order_job {
  const int *given; /* a matrix of numbers from 1 */
  int32_t *order;
  int64_t n, permutations;
  bool rows;                    /* permutations are the rows of the matrix, else the columns */
  bool missing, without_memory; /* results */
} order_job;

/* Takes points [first, last) of permutations [begin, end), a tile of the matrix. */
static bool take_tile(order_job *job, int64_t begin, int64_t end, int64_t first, int64_t last) {
  const int64_t step = job->rows ? job->permutations : 1, next = job->rows ? 1 : job->n;
  bool missing = false;
  for (int64_t p = begin; p < end; ++p) {
    const int *given = job->given + p * next;
    for (int64_t i = first; i < last; ++i) {
      const int number = given[i * step];
      missing = missing || number == NA_INTEGER;
      job->order[p * job->n + i] = number == NA_INTEGER ? -1 : number - 1;
    }
  }
  return missing;
}

/* Reads the permutations of a range of tiles, counted from 0 then. */
static void take_tiles(void *own, gg_range range) {
  order_job *job = own;
  const int64_t begin = range.first * TILE_PERMUTATIONS;
  const int64_t end = gg_smaller(range.last * TILE_PERMUTATIONS, job->permutations);
  bool missing = false;
  for (int64_t p = begin; p < end; p += TILE_PERMUTATIONS)
    for (int64_t i = 0; i < job->n; i += TILE_POINTS)
      missing = take_tile(job, p, gg_smaller(p + TILE_PERMUTATIONS, end), i,
                          gg_smaller(i + TILE_POINTS, job->n)) ||
                missing;
  if (missing) gg_atomic_store(&job->missing, true);
}

/* Inverts the permutations of a range. */
static void invert(void *own, gg_range range) {
  order_job *job = own;
  int32_t *room = gg_allocate(job->n, sizeof *room);
  if (!room) gg_atomic_store(&job->without_memory, true);
  for (int64_t p = range.first; room && p < range.last; ++p)
    gg_r_invert(job->order + p * job->n, job->n, room);
  gg_free(room);
}

/* Takes the permutations of a matrix. */
static gpugeo_status take_order(order_job *job, bool inverse, int32_t threads,
                                gpugeo_error *error) {
  gg_loop loop = {.threads = gg_threads_for(threads, (double)job->n * (double)job->permutations),
                  .count = (job->permutations + TILE_PERMUTATIONS - 1) / TILE_PERMUTATIONS,
                  .grain = 1,
                  .work = take_tiles,
                  .job = job};
  gg_parallel_for(&loop);
  if (job->missing)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                   "permutations must have a row of the numbers 1 to %lld for each permutation",
                   (long long)job->n);
  if (!inverse) return GPUGEO_OK;
  const gpugeo_status status =
      gg_check_order(job->order, job->n, job->permutations, threads, error);
  if (status) return status;
  loop.count = job->permutations;
  loop.work = invert;
  gg_parallel_for(&loop);
  return job->without_memory ? gg_fail_memory(error, job->n * (int64_t)sizeof *job->order)
                             : GPUGEO_OK;
}

/* Returns the permutations of the options order and rows, those of a matrix or free ones that are
   drawn, as a matrix with a column for each. They are inverted where vegan permutes groups, not
   points. */
static SEXP read_order(gg_r_call *call, bool inverse, const gpugeo_run *run) {
  const SEXP given = gg_r_option(call, "order");
  const bool drawn = !Rf_isMatrix(given), rows = Rf_asLogical(gg_r_option(call, "rows"));
  const int *numbers = INTEGER_RO(given);
  const int height = drawn ? numbers[0] : Rf_nrows(given);
  const int width = drawn ? numbers[1] : Rf_ncols(given);
  order_job job = {.given = numbers,
                   .n = rows ? width : height,
                   .permutations = rows ? height : width,
                   .rows = rows};
  SEXP order = PROTECT(Rf_allocMatrix(INTSXP, (int)job.n, (int)job.permutations));
  job.order = INTEGER(order);
  gpugeo_status status = GPUGEO_OK;
  if (drawn && job.n > 0)
    status = gg_r_free_permutations(run, job.n, job.permutations, inverse, job.order, &call->error);
  else if (job.n > 0) /* the core refuses to test no points */
    status = take_order(&job, inverse, run->threads, &call->error);
  gg_r_continue(call, status);
  UNPROTECT(1);
  return order;
}

SEXP gg_r_order(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  int32_t inverse = 0;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_flag(&call, "inverse", &inverse);
  gg_r_require(&call);
  SEXP order = read_order(&call, inverse, &run);
  UNPROTECT(1);
  return order;
}

/* Reads the design, whose shapes the R code has made, with what read_order() returned. */
static gpugeo_design read_design(const gg_r_call *call, SEXP order) {
  const SEXP basis = gg_r_option(call, "basis"), group = gg_r_option(call, "group");
  gpugeo_design design = {
      .points = Rf_nrows(order), .order = INTEGER_RO(order), .permutations = Rf_ncols(order)};
  if (basis != R_NilValue) {
    design.basis = REAL_RO(basis);
    design.columns = Rf_ncols(basis);
  } else {
    design.group = INTEGER_RO(group);
    design.groups = Rf_asInteger(gg_r_option(call, "groups"));
  }
  return design;
}

/* Computes the sums of squares of a design. The margins of terms need not be orthogonal to the
   columns of the model, and may with them be more columns than points, of which the core takes as
   many at once. */
static gpugeo_status compute_sums(gg_r_call *call, const gpugeo_distances *x,
                                  const gpugeo_permanova_options *options, gpugeo_design design,
                                  double *sums, double *total) {
  const int64_t columns = design.columns;
  design.columns = gg_smaller(columns, design.points);
  gpugeo_status status =
      gpugeo_permanova(x, options, &design, sums, total, &call->report, &call->error);
  for (int64_t done = design.columns; !status && done < columns; done += design.columns) {
    design.basis += design.columns * design.points;
    sums += design.columns * (design.permutations + 1);
    design.columns = gg_smaller(columns - done, design.points);
    status = gpugeo_permanova(x, options, &design, sums, total, &call->report, &call->error);
  }
  return status;
}

SEXP gg_r_permanova(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_permanova_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_open_distances(&call, "x", &distances, &gg_permanova_options, &options, &options.metric,
                      &options.run);

  const SEXP order = PROTECT(read_order(&call, false, &options.run));
  const gpugeo_design design = read_design(&call, order);
  const char *names[] = {"sums", "total", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP sums =
      Rf_allocMatrix(REALSXP, (int)design.permutations + 1, design.basis ? (int)design.columns : 1);
  SET_VECTOR_ELT(made, 0, sums);
  SEXP total = gg_r_set_vector(made, 1, REALSXP, 1);
  gg_r_finish(&call,
              compute_sums(&call, &distances.given, &options, design, REAL(sums), REAL(total)));
  gg_r_report(&call, "gpu_adonis2", NULL);
  UNPROTECT(3);
  return made;
}

typedef struct class_job {
  const int32_t *group;
  int64_t n;
  int *pair_class;
} class_job;

/* Writes the classes of the pairs of a range of columns: 1 between groups, else the group's. */
static void write_classes(void *own, gg_range range) {
  const class_job *job = own;
  const int32_t *group = job->group;
  int *at = job->pair_class + gg_condensed_column(job->n, range.first);
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = j + 1; i < job->n; ++i)
      *at++ = group[i] == group[j] ? group[j] + 2 : 1;
}

/* Returns a factor of pairs of points, in the order of their distances: the first of `classes`
   between groups, the others within each. */
static SEXP pair_classes(const int32_t *group, int64_t n, SEXP classes, int32_t threads) {
  const SEXP made = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)(n * (n - 1) / 2)));
  class_job job = {group, n, INTEGER(made)};
  gg_parallel_for(&(gg_loop){.threads = gg_threads_for(threads, (double)n * (double)n),
                             .count = n,
                             .grain = 1 + 200000 / n, /* at most 0.2 ms */
                             .work = write_classes,
                             .job = &job});
  Rf_setAttrib(made, R_LevelsSymbol, classes);
  Rf_setAttrib(made, R_ClassSymbol, Rf_mkString("factor"));
  UNPROTECT(1);
  return made;
}

SEXP gg_r_anosim(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_anosim_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_anosim_options_init(&options, sizeof options);
  const int64_t n =
      gg_r_open_distances(&call, "x", &distances, NULL, &options, &options.metric, &options.run);

  const SEXP order = PROTECT(read_order(&call, true, &options.run));
  const gpugeo_design design = read_design(&call, order);
  const char *names[] = {"statistic", "ranks", "classes", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP statistic = gg_r_set_vector(made, 0, REALSXP, design.permutations + 1);
  SEXP ranks = gg_r_set_vector(made, 1, REALSXP, gg_pairs_room(n, GG_RANKS_POINTS));
  gg_r_finish(&call, gpugeo_anosim(&distances.given, &options, &design, REAL(statistic),
                                   REAL(ranks), &call.report, &call.error));
  SET_VECTOR_ELT(made, 2,
                 pair_classes(design.group, n, gg_r_option(&call, "classes"), options.run.threads));
  gg_r_report(&call, "gpu_anosim", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_mrpp(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mrpp_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_open_distances(&call, "x", &distances, &gg_mrpp_options, &options, &options.metric,
                      &options.run);

  const SEXP order = PROTECT(read_order(&call, true, &options.run));
  const gpugeo_design design = read_design(&call, order);
  const char *names[] = {"delta", "group_mean", "mean", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP delta = gg_r_set_vector(made, 0, REALSXP, design.permutations + 1);
  SEXP within = gg_r_set_vector(made, 1, REALSXP, design.groups);
  SEXP mean = gg_r_set_vector(made, 2, REALSXP, 1);
  gg_r_finish(&call, gpugeo_mrpp(&distances.given, &options, &design, REAL(delta), REAL(within),
                                 REAL(mean), &call.report, &call.error));
  gg_r_report(&call, "gpu_mrpp", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_mantel(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  enum { SIDES = 3 };
  static const char *const names[] = {"x", "y", "z"};
  static const char *const sources[] = {"source", "source_y", "source_z"};
  gg_r_call call;
  gg_r_distances side[SIDES];
  gpugeo_mantel_options options;
  const int sides = Rf_length(inputs) / 2;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  for (int s = 0; s < SIDES; ++s)
    PROTECT(gg_r_begin_distances(&side[s]));
  gpugeo_mantel_options_init(&options, sizeof options);
  for (int s = 0; s < sides; ++s)
    gg_r_read_stored(&call, names[s], sources[s], 2 * s, &side[s]);
  gg_r_read_options(&call, &gg_mantel_options, &options);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);

  const SEXP order = PROTECT(read_order(&call, false, &options.run));
  SEXP statistic = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)Rf_ncols(order) + 1));
  const gpugeo_status status =
      gpugeo_mantel(&side[0].given, &side[1].given, sides > 2 ? &side[2].given : NULL, &options,
                    INTEGER_RO(order), Rf_ncols(order), REAL(statistic), &call.report, &call.error);
  for (int s = 0; s < SIDES; ++s)
    gg_r_close_distances(&side[s]);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_mantel", NULL);
  UNPROTECT(SIDES + 3);
  return statistic;
}
