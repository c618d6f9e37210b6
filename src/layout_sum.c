#include "layout_sum.h"

#include <stdlib.h>

#include "error.h"
#include "memory.h"

enum { RUN = 256 }; /* numbers whose terms are added up first */

gpugeo_status gg_layout_sum(gg_layout_term term, const void *job, int64_t count, int32_t threads,
                            gg_clock *clock, double *sum, gpugeo_error *error) {
  const int64_t runs = (count + RUN - 1) / RUN;
  double *of_run = gg_allocate(runs, sizeof *of_run);
  if (!of_run) return gg_fail_memory(error, runs * (int64_t)sizeof *of_run);
  int stop = 0;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (runs > 1)
  for (int64_t run = 0; run < runs; ++run) {
    of_run[run] = 0;
    if (gg_clock_poll_team(clock, 0, &stop)) continue;
    for (int64_t number = run * RUN; number < count && number < (run + 1) * RUN; ++number)
      of_run[run] += term(job, number);
  }
  for (int64_t run = 0; run < runs; ++run)
    *sum += of_run[run];
  free(of_run);
  return stop ? gg_fail_interrupt(error) : GPUGEO_OK;
}
