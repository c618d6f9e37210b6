/* Cophenetic distances: along the dendrogram's order, two points are joined by the last of the
   merges between neighbours from one to the other. */
#include <math.h>
#include <string.h>

#include "cluster/merges.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"

enum { MOST_POINTS = 1 << 30 }; /* clusters, merged ones included, have numbers of 31 bits */

/* A dendrogram, whose points are in an order in which no branches cross. */
typedef struct dendrogram {
  int64_t n;
  const double *height;
  int32_t *order; /* of each position its point */
  int32_t *at;    /* of each point its position */
  int32_t *gap;   /* of each position but the last the merge that joins it with the next */
  double *rooms;  /* n values for each thread */
  double *out;
} dendrogram;

/* Sets the order and the gaps. size and start have 2 n - 1 elements. */
static void lay_out(const dendrogram *d, const int32_t *merge, int32_t *size, int32_t *start) {
  const int64_t n = d->n;
  gg_merges_lay_out(merge, n, size, start);
  for (int64_t k = 0; k < n - 1; ++k)
    d->gap[start[merge[k + n - 1]] - 1] = (int32_t)k;
  for (int64_t i = 0; i < n; ++i) {
    d->at[i] = start[i];
    d->order[start[i]] = (int32_t)i;
  }
}

/* Writes the distances between a point and all later ones. */
static void write_column(const dendrogram *d, int64_t point, double *room) {
  const int64_t n = d->n, at = d->at[point];
  int32_t last = -1;
  for (int64_t k = at + 1; k < n; ++k) {
    last = d->gap[k - 1] > last ? d->gap[k - 1] : last;
    room[d->order[k]] = d->height[last];
  }
  last = -1;
  for (int64_t k = at - 1; k >= 0; --k) {
    last = d->gap[k] > last ? d->gap[k] : last;
    room[d->order[k]] = d->height[last];
  }
  memcpy(d->out + gg_condensed_column(n, point), room + point + 1,
         (size_t)(n - point - 1) * sizeof *room);
}

/* Writes a range of columns of cophenetic distances; the loop's work. */
static void write_columns(void *own, gg_range range) {
  const dendrogram *d = own;
  for (int64_t j = range.first; j < range.last; ++j)
    write_column(d, j, d->rooms + range.worker * d->n);
}

/* Computes all distances; whole has room for 7 n - 2 numbers. */
static gpugeo_status compute_distances(dendrogram *d, const int32_t *merge, int32_t *whole,
                                       int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = d->n;
  d->order = whole;
  d->at = whole + n;
  d->gap = whole + 2 * n;
  lay_out(d, merge, whole + 3 * n, whole + 5 * n);
  const gg_loop loop = {.threads = threads,
                        .count = n - 1,
                        .grain = 1 + ((int64_t)1 << 17) / n, /* 0.2 ms */
                        .work = write_columns,
                        .job = d,
                        .share = 1};
  return gg_call_loop(call, loop);
}

/* Returns the bytes of working memory of so many threads. */
static int64_t working_bytes(int64_t n, int32_t threads) { return n * (30 + 8 * (int64_t)threads); }

/* Returns the number of threads: as many as the loop can use, but at least one, and no more than
   the working memory has room for. */
static int32_t count_threads(int64_t n, const gpugeo_run *run) {
  const int32_t threads = gg_threads_for(run->threads, 15 * (double)n * (double)n); /* 1.5 ns */
  if (run->work_bytes == 0) return threads;
  const int64_t most = (run->work_bytes - working_bytes(n, 0)) / (8 * n);
  return most >= threads ? threads : most < 1 ? 1 : (int32_t)most;
}

/* Checks the run, the number of points, and the working memory. */
static gpugeo_status check_arguments(int64_t n, const gpugeo_run *run, gpugeo_error *error) {
  gpugeo_status status = gg_check_run(run, error);
  if (!status) status = gg_check_family(run, GG_FAMILY_COPHENETIC, error);
  if (status) return status;
  if (n < 2 || n > MOST_POINTS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "n", "n must be between 2 and %d, not %lld",
                   MOST_POINTS, (long long)n);
  return gg_check_work(run, (double)working_bytes(n, 1), error,
                       "cophenetic distances of %lld points", (long long)n);
}

gpugeo_status gpugeo_cophenetic(int64_t n, const int32_t *merge, const double *height,
                                const gpugeo_run *run, double *out, gpugeo_report *report,
                                gpugeo_error *error) {
  gpugeo_status status = check_arguments(n, run, error);
  if (!status && (!merge || !height))
    status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, merge ? "height" : "merge",
                     "%s must not be NULL", merge ? "height" : "merge");
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, report, error);
  const int32_t threads = count_threads(n, run);
  dendrogram d = {.n = n, .height = height, .out = out};
  int32_t *whole = gg_allocate(7 * n, sizeof *whole);
  d.rooms = gg_allocate(n * threads, sizeof *d.rooms);
  if (whole && d.rooms) {
    GG_TRY(&call, gg_merges_check(merge, n, error));
    compute_distances(&d, merge, whole, threads, &call);
  } else {
    call.status = gg_fail_memory(error, working_bytes(n, threads));
  }
  gg_free(whole);
  gg_free(d.rooms);
  *call.report = gg_report_of(gg_host_backend(), -1, 1, threads);
  return gg_call_end(&call);
}
