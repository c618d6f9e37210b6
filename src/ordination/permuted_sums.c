#include "ordination/permuted_sums.h"

#include "common/backend.h"
#include "common/context.h"

gpugeo_status gg_permuted_sums_run(gg_permuted_sums_plan *plan, const gpugeo_run *run,
                                   gg_clock *clock, double done, gpugeo_report *report,
                                   gpugeo_error *error) {
  const double n = (double)plan->n, pairs = n * n / 2;
  const double work = pairs * (1 + 0.1 * (double)gg_permuted_sums_count(plan));
  const gg_request request = {.family = GG_FAMILY_PERMUTED_SUMS, .work = work, .bytes = 8 * pairs};
  const gg_backend *backend;
  int32_t device;
  gpugeo_status status = gg_backend_choose(run, &request, &backend, &device, error);
  if (status) return status;
  plan->threads = gg_threads_for(run->threads, work);
  plan->work_bytes = run->work_bytes;
  plan->done = done;
  *report = gg_report_of(backend, device, 1, plan->threads);
  status = backend->permuted_sums(plan, clock, report, error);
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  return status;
}
