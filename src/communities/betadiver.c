/* The indices of beta diversity that Koleff, Gaston and Lennon (2003) compare. */
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/portable_log.h"

GG_OPTIONS_INIT(betadiver, .method = GPUGEO_BETA_W)

static const gg_option betadiver_rows[] = {
    {GG_OPTION("method", CHOICE, gpugeo_betadiver_options, method),
     .choices = GPUGEO_ENUM_BETA_INDEX, .may_be_null = true, .is_argument = true},
};
GG_DEFINE_OPTIONS(betadiver, betadiver_rows);

/* Returns x log(x). */
static double times_log(double x) { return x * gg_log(x); }

/* Returns beta_I, of Routledge. */
static double routledge(double a, double b, double c) {
  const double sum = 2 * a + b + c;
  return gg_log(sum) - (2 * a * gg_log(2) + times_log(a + b) + times_log(a + c)) / sum;
}

/* Returns the smaller of two numbers, both of which are there. */
static double smaller(double b, double c) { return b < c ? b : c; }

/* Returns an index of a pair of sites: a species are at both, b and c at one of them. */
static double beta_of(gpugeo_beta_index index, double a, double b, double c) {
  const double all = a + b + c, sum = 2 * a + b + c, least = smaller(b, c);
  switch (index) {
  case GPUGEO_BETA_C:
  case GPUGEO_BETA_L:
    return (b + c) / 2;
  case GPUGEO_BETA_WB:
    return b + c;
  case GPUGEO_BETA_R:
    return 2 * b * c / (all * all - 2 * b * c);
  case GPUGEO_BETA_I:
    return routledge(a, b, c);
  case GPUGEO_BETA_E:
    return gg_exp(routledge(a, b, c)) - 1;
  case GPUGEO_BETA_J:
    return a / all;
  case GPUGEO_BETA_SOR:
    return 2 * a / sum;
  case GPUGEO_BETA_M:
    return sum * (b + c) / all;
  case GPUGEO_BETA_MINUS2:
    return least / (b + c - least + a);
  case GPUGEO_BETA_CO:
    return (a * c + a * b + 2 * b * c) / (2 * (a + b) * (a + c));
  case GPUGEO_BETA_CC:
  case GPUGEO_BETA_G:
    return (b + c) / all;
  case GPUGEO_BETA_MINUS3:
    return least / all;
  case GPUGEO_BETA_19:
    return 2 * (b * c + 1) / all / (all - 1);
  case GPUGEO_BETA_RLB:
    return a / (a + c);
  case GPUGEO_BETA_SIM:
    return least / (least + a);
  case GPUGEO_BETA_GL:
    return 2 * fabs(b - c) / sum;
  case GPUGEO_BETA_Z:
    return (gg_log(2) - gg_log(sum) + gg_log(all)) / gg_log(2);
  default:
    return (b + c) / sum; /* w, -1, t, me, hk */
  }
}

/* A loop over the columns of a condensed matrix. */
typedef struct beta_loop {
  gpugeo_beta_index index;
  int64_t n;
  const double *species;
  double *d;
} beta_loop;

/* Writes columns; the loop's work. */
static void write_columns(void *own, gg_range range) {
  const beta_loop *loop = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *d = loop->d + gg_condensed_column(loop->n, j);
    for (int64_t i = j + 1; i < loop->n; ++i, ++d) {
      const double first = loop->species[j], second = loop->species[i];
      const double both = (first + second - *d) / 2;
      *d = beta_of(loop->index, both, second - both, first - both);
    }
  }
}

gpugeo_status gpugeo_betadiver(int64_t n, const double *species,
                               const gpugeo_betadiver_options *options, double *d,
                               gpugeo_report *report, gpugeo_error *error) {
  gpugeo_betadiver_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(betadiver_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_check_run(call.run, error));
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_COMMUNITIES, error));
  if (options->method < 0 || options->method >= GPUGEO_BETA_COUNT)
    GG_TRY(&call, gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                          "method must be between 0 and %d, not %d", GPUGEO_BETA_COUNT - 1,
                          (int)options->method));
  const double row = 200 * (double)n; /* in 0.1 ns: 20 ns a pair */
  const int32_t threads = gg_threads_for(call.run->threads, row * (double)n / 2);
  beta_loop loop = {options->method, n, species, d};
  *call.report = gg_report_of(gg_host_backend(), -1, 1, threads);
  if (!call.status)
    gg_call_loop(&call, (gg_loop){.threads = threads,
                                  .count = n,
                                  .grain = 1 + (int64_t)(1e6 / (row + 1)),
                                  .work = write_columns,
                                  .job = &loop,
                                  .share = 1});
  return gg_call_end(&call);
}
