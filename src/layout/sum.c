#include "layout/sum.h"

#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { RUN = 256 }; /* numbers whose terms are added up first */

/* A sum under way. */
typedef struct summing {
  gg_layout_term term;
  const void *job;
  int64_t count;
  double *of_run;
} summing;

static void sum_runs(void *job, gg_range range) {
  const summing *s = job;
  for (int64_t run = range.first; run < range.last; ++run) {
    const int64_t first = run * RUN, last = first + RUN;
    s->of_run[run] = s->term(s->job, first, last < s->count ? last : s->count);
  }
}

gpugeo_status gg_layout_sum(gg_layout_term term, const void *job, int64_t count, int32_t threads,
                            gg_clock *clock, double *sum, gpugeo_error *error) {
  const int64_t runs = (count + RUN - 1) / RUN;
  summing s = {term, job, count, gg_allocate(runs, sizeof *s.of_run)};
  if (!s.of_run) return gg_fail_memory(error, runs * (int64_t)sizeof *s.of_run);
  const bool done = gg_parallel_for(&(gg_loop){
      .threads = threads, .count = runs, .grain = 4, .work = sum_runs, .job = &s, .clock = clock});
  for (int64_t run = 0; run < runs && done; ++run)
    *sum += s.of_run[run];
  free(s.of_run);
  return done ? GPUGEO_OK : gg_fail_interrupt(error);
}
