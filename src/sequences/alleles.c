/* Distances of profiles of alleles: loci that differ. */
#include <math.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/options.h"
#include "sequences/pair_counts.h"

/* The profiles of a call, one after the other. */
typedef struct profiles {
  int64_t count, loci;
  uint32_t *alleles;
  gg_count_alleles *differ;
  double *out;
} profiles;

/* Copies the alleles, 0 for missing ones. */
static gpugeo_status copy_alleles(const gpugeo_matrix *x, profiles *p, gg_call *call) {
  for (int64_t k = 0; k < p->loci; ++k) {
    if (gg_clock_poll_loop(call->clock, k)) return call->status = gg_fail_interrupt(call->error);
    for (int64_t i = 0; i < p->count; ++i) {
      const double allele = gg_element(x, i, k);
      if (!isnan(allele) && !(allele >= 0 && allele <= UINT32_MAX && allele == floor(allele)))
        return call->status =
                   gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                           "x must have whole numbers from 0 to 4294967295, but row %lld, column "
                           "%lld is %.15g",
                           (long long)i + 1, (long long)k + 1, allele);
      p->alleles[i * p->loci + k] = isnan(allele) ? 0 : (uint32_t)allele;
    }
  }
  return GPUGEO_OK;
}

/* Writes the distance of a pair. */
static void write_distance(void *own, int64_t i, int64_t j, const int64_t *counts) {
  const profiles *p = own;
  (void)counts;
  p->out[gg_condensed_column(p->count, j) + i - j - 1] =
      (double)p->differ(p->alleles + i * p->loci, p->alleles + j * p->loci, p->loci);
}

/* Checks all arguments. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, gg_call *call) {
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_family(call->run, GG_FAMILY_SEQUENCES, call->error));
  GG_TRY(call, gg_check_matrix("x", x, call->error));
  if (call->status) return call->status;
  const double bytes = 4 * (double)x->nrow * (double)x->ncol;
  GG_TRY(call, gg_check_work(call->run, bytes, call->error, "%lld profiles of %lld loci",
                             (long long)x->nrow, (long long)x->ncol));
  return GG_TRY(call, gg_check_memory(bytes, "x", call->error,
                                      "distances of %lld profiles of %lld loci need",
                                      (long long)x->nrow, (long long)x->ncol));
}

gpugeo_status gpugeo_dist_alleles(const gpugeo_matrix *x, const gpugeo_run *run, double *out,
                                  gpugeo_report *report, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, report, error);
  if (check_arguments(x, &call)) return call.status;
  const double n = (double)x->nrow, words = (double)x->ncol / 4; /* 0.25 ns for a locus */
  const int32_t threads =
      gg_threads_for(run->threads, 10 * n * (double)x->ncol + 5 * n * n * (words + 10));
  *call.report = gg_report_of(gg_host_backend(), -1, 1, threads);
  profiles p = {.count = x->nrow, .loci = x->ncol, .out = out};
  p.differ = GG_SIMD_CHOOSE(const gg_count_kernels, gg_count_kernels)->alleles;
  p.alleles = gg_call_allocate(&call, p.count * p.loci + 1, sizeof *p.alleles);
  if (!call.status) copy_alleles(x, &p, &call);
  const gpugeo_tile all = gg_pair_block_of(p.count);
  gg_pair_visit(&all, words, threads, &(gg_pair_sink){write_distance, &p}, 0, &call);
  gg_free(p.alleles);
  return gg_call_end(&call);
}
