/*
 * Eigengenes of modules (Langfelder and Horvath 2007, BMC Systems Biology 1, 54): the first
 * eigenvector of the products of samples, summed over the genes of a module in their order. With
 * fewer genes than samples, the products of genes have the same eigenvalues, and the genes,
 * weighted by their first eigenvector, add up to the eigengene.
 *
 * Cost: with k the smaller one of n samples and m genes, n m k / 2 multiplications for the
 * products, and O(k^3) for their eigenvectors. A thread computes a module.
 */
#include "ordination/eigengenes.h"

#include <math.h>

#include "common/atomic.h"
#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/symmetric_eigen.h"

/* All modules. */
typedef struct eigengene_job {
  const gg_eigengene_plan *plan;
  const gg_eigengene_result *result;
  gg_clock *clock;
  int32_t failed; /* 1 without memory */
} eigengene_job;

/* A module. Products are those of the side with fewer members, which follow each other in
   `values`. */
typedef struct gene_module {
  const eigengene_job *job;
  int64_t number, genes, samples;
  bool by_samples; /* values: samples by genes, column-major; else genes by samples */
  double *column;  /* samples */
  double *values;
  double *products, *vector; /* side by side */
  double *value;             /* 5 side: eigenvalues, and working memory */
} gene_module;

/* Returns the number of samples or genes, whichever is smaller. */
static int64_t side_of(const gene_module *m) { return m->by_samples ? m->samples : m->genes; }

/* --- scaling ---------------------------------------------------------------------------------- */

/* Returns a power of two that is at least 1/2 of the largest finite magnitude, and not above it; 1
   if that is 0. */
static double magnitude_of(const double *value, int64_t n) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (isfinite(value[i])) largest = fmax(largest, fabs(value[i]));
  int exponent = 0;
  frexp(largest, &exponent);
  return largest > 0 ? ldexp(1, exponent - 1) : 1;
}

/* Scales a gene to mean 0 and standard deviation 1. Returns false if its values are constant or
   there is only one. */
static bool standardize(double *value, int64_t n) {
  const double unit = magnitude_of(value, n);
  double sum = 0, squares = 0, count = 0, first = NAN;
  bool differs = false;
  for (int64_t i = 0; i < n; ++i) {
    value[i] = isfinite(value[i]) ? value[i] / unit : NAN;
    if (isnan(value[i])) continue;
    if (isnan(first)) first = value[i];
    differs = differs || value[i] != first;
    sum += value[i] - first;
    count += 1;
  }
  if (!differs) return false;
  const double mean = sum / count;
  for (int64_t i = 0; i < n; ++i) {
    value[i] = (value[i] - first) - mean;
    squares += isnan(value[i]) ? 0 : value[i] * value[i];
  }
  const double deviation = sqrt(squares / (count - 1));
  for (int64_t i = 0; i < n; ++i)
    value[i] /= deviation;
  return true;
}

/* Loads gene g of the matrix, number k of the module, and adds it to the sums of the averages. */
static void load_gene(gene_module *m, int64_t g, int64_t k, double *sum, double *count) {
  const int64_t n = m->samples;
  for (int64_t i = 0; i < n; ++i)
    m->column[i] = gg_element(m->job->plan->x, i, g);
  const bool counts = !m->job->plan->scale || standardize(m->column, n);
  for (int64_t i = 0; i < n; ++i) {
    const bool there = counts && isfinite(m->column[i]);
    const double value = there ? m->column[i] : 0;
    m->values[m->by_samples ? k * n + i : i * m->genes + k] = value;
    sum[i] += value;
    count[i] += there;
  }
}

/* Loads all genes of a module, and writes its average. */
static void load_module(gene_module *m) {
  const gg_eigengene_plan *plan = m->job->plan;
  double *average = m->job->result->average + m->number * m->samples;
  double *count = m->vector; /* samples, before it has eigenvectors */
  for (int64_t i = 0; i < m->samples; ++i)
    average[i] = count[i] = 0;
  for (int64_t g = 0, k = 0; g < plan->x->ncol; ++g)
    if (plan->module[g] == (double)(m->number + 1)) load_gene(m, g, k++, average, count);
  for (int64_t i = 0; i < m->samples; ++i)
    average[i] = count[i] > 0 ? average[i] / count[i] : NAN;
}

/* --- components ------------------------------------------------------------------------------- */

/* Sums the products of all members of the side, over those of the other side in their order. */
static void sum_products(const gene_module *m) {
  const int64_t side = side_of(m), others = m->by_samples ? m->genes : m->samples;
  for (int64_t e = 0; e < side * side; ++e)
    m->products[e] = 0;
  for (int64_t o = 0; o < others; ++o) {
    const double *v = m->values + o * side;
    for (int64_t j = 0; j < side; ++j) {
      double *to = m->products + j * side;
      for (int64_t i = j; i < side; ++i)
        to[i] += v[i] * v[j];
    }
  }
  for (int64_t j = 0; j < side; ++j)
    for (int64_t i = 0; i < j; ++i)
      m->products[i + j * side] = m->products[j + i * side];
}

/* Writes the shares of the variance. */
static void write_explained(const gene_module *m) {
  const int64_t side = side_of(m), components = m->job->plan->components;
  double *out = m->job->result->explained + m->number * components, sum = 0;
  for (int64_t k = 0; k < side; ++k)
    sum += fmax(m->value[k], 0);
  for (int64_t k = 0; k < components; ++k)
    out[k] = k < side && sum > 0 ? fmax(m->value[k], 0) / sum : NAN;
}

/* Writes the first component, of length 1 or NaN. */
static void write_component(const gene_module *m, double *out) {
  double squares = 0;
  for (int64_t i = 0; i < m->samples; ++i) {
    double sum = 0;
    for (int64_t g = 0; !m->by_samples && g < m->genes; ++g)
      sum += m->values[i * m->genes + g] * m->vector[g];
    out[i] = m->by_samples ? m->vector[i] : sum;
    squares += out[i] * out[i];
  }
  const double length = m->value[0] > 0 ? sqrt(squares) : NAN;
  for (int64_t i = 0; i < m->samples; ++i)
    out[i] /= length;
}

/* Returns the sum of the products of the deviations from the mean; values that are NaN are left
   out. */
static double covariance_of(const double *a, const double *b, int64_t n) {
  double sum_a = 0, sum_b = 0, count = 0, sum = 0;
  for (int64_t i = 0; i < n; ++i)
    if (!isnan(a[i]) && !isnan(b[i])) sum_a += a[i], sum_b += b[i], count += 1;
  for (int64_t i = 0; i < n; ++i)
    if (!isnan(a[i]) && !isnan(b[i])) sum += (a[i] - sum_a / count) * (b[i] - sum_b / count);
  return sum;
}

/* Chooses the sign of an eigengene. */
static void align_component(const gene_module *m, double *out) {
  const double *average = m->job->result->average + m->number * m->samples;
  double direction = 0;
  if (m->job->plan->align) direction = covariance_of(out, average, m->samples);
  for (int64_t i = 0; !m->job->plan->align && i < m->samples; ++i)
    if (fabs(out[i]) > fabs(direction)) direction = out[i];
  for (int64_t i = 0; direction < 0 && i < m->samples; ++i)
    out[i] = -out[i];
}

/* Divides all values of a module that is not scaled by a power of two, so their products are
   finite. */
static void limit_values(const gene_module *m) {
  const double unit = magnitude_of(m->values, m->samples * m->genes);
  for (int64_t e = 0; e < m->samples * m->genes; ++e)
    m->values[e] /= unit;
}

/* Finds the eigengene of a module whose memory is there. */
static void find_eigengene(gene_module *m) {
  double *out = m->job->result->eigengene + m->number * m->samples;
  const int64_t side = side_of(m);
  load_module(m);
  if (!m->job->plan->scale) limit_values(m);
  sum_products(m);
  if (side > 0 && !gg_symmetric_eigen(m->products, side, m->value, m->vector, m->value + side,
                                      m->job->clock, 0))
    return;
  write_explained(m);
  if (side > 0) write_component(m, out);
  align_component(m, out);
}

/* Returns the number of genes of a module. */
static int64_t count_genes(const gg_eigengene_plan *plan, int64_t number) {
  int64_t count = 0;
  for (int64_t g = 0; g < plan->x->ncol; ++g)
    count += plan->module[g] == (double)(number + 1);
  return count;
}

/* Finds the eigengenes of a range of modules. */
static void find_eigengenes(void *own, gg_range range) {
  eigengene_job *job = own;
  const int64_t n = job->plan->x->nrow;
  for (int64_t number = range.first; number < range.last; ++number) {
    const int64_t genes = count_genes(job->plan, number);
    gene_module m = {.job = job, .number = number, .genes = genes, .samples = n};
    m.by_samples = n <= genes;
    const int64_t side = side_of(&m);
    const int64_t squares =
        side * side > n ? side * side : n; /* of `vector`, which has counts, too */
    double *room = gg_allocate(n + n * genes + side * side + squares + 5 * side, sizeof *room);
    if (room) {
      m.column = room;
      m.values = m.column + n;
      m.products = m.values + n * genes;
      m.vector = m.products + side * side;
      m.value = m.vector + squares;
      find_eigengene(&m);
    } else {
      gg_atomic_or(&job->failed, 1);
    }
    gg_free(room);
  }
}

/* Fails if the run names a backend other than the host's. */
static gpugeo_status check_backend(const gpugeo_run *run, gpugeo_error *error) {
  if (gg_run_allows_host(run)) return GPUGEO_OK;
  return gg_fail_backend(run, error, "for eigengenes");
}

/* Checks the modules of the genes. */
static gpugeo_status check_modules(const gg_eigengene_plan *plan, gpugeo_error *error) {
  if (plan->genes != plan->x->ncol)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "colors",
                   "colors must have %lld elements, one for each column of x, not %lld",
                   (long long)plan->x->ncol, (long long)plan->genes);
  for (int64_t g = 0; g < plan->genes; ++g) {
    const double module = plan->module[g];
    if (module >= 0 && module <= (double)plan->modules && module == floor(module)) continue;
    const gg_given given = gg_given_number(module);
    return gg_fail_given(error, "colors", "numbers of modules", &given);
  }
  return GPUGEO_OK;
}

gpugeo_status gg_eigengenes(const gg_eigengene_plan *plan, const gpugeo_run *run,
                            const gg_eigengene_result *result, gpugeo_report *report,
                            gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, check_backend(run, error));
  GG_TRY(&call, gg_check_matrix("x", plan->x, error));
  GG_TRY(&call, check_modules(plan, error));
  if (call.status) return call.status;
  const double n = (double)plan->x->nrow, genes = (double)plan->x->ncol, side = fmin(n, genes);
  const int32_t threads = gg_threads(run->threads);
  const double modules = fmin((double)threads, (double)plan->modules);
  GG_TRY(&call, gg_check_memory(8 * (n * genes + 2 * modules * side * side), "x", error,
                                "eigengenes of %lld samples of %lld genes need",
                                (long long)plan->x->nrow, (long long)plan->x->ncol));
  *call.report = gg_report_of(gg_host_backend(), -1, 1, threads);
  eigengene_job job = {.plan = plan, .result = result, .clock = call.clock};
  if (!call.status)
    gg_call_loop(&call, (gg_loop){.threads = threads,
                                  .count = plan->modules,
                                  .grain = 1,
                                  .work = find_eigengenes,
                                  .job = &job});
  if (job.failed) GG_TRY(&call, gg_fail_memory(error, (int64_t)(8 * n * genes)));
  return gg_call_end(&call);
}
