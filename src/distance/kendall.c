#include "distance/kendall.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/rank.h"

enum { BLOCK = 256 }; /* columns that are ranked at a time */

double gg_kendall_bytes(int64_t columns, int64_t n) {
  const double values = (double)columns * (double)n;
  const double block = (double)(columns < BLOCK ? columns : BLOCK) * (double)n;
  return 8 * values + 16 * (double)columns + 8 * block;
}

void gg_kendall_free(gg_kendall_columns *made) {
  gg_free(made->code);
  gg_free(made->present);
  gg_free(made->untied);
}

/* A loop over columns. */
typedef struct column_loop {
  const gg_kendall_columns *x;
  int64_t first, count; /* columns of the block */
  const double *ranks;  /* of the block: gg_rank_columns() */
  int32_t *order;       /* of all columns */
  int64_t *counts;      /* 2 n + 1 for each thread */
} column_loop;

/* Writes the codes of a column: twice the rank, which is whole for ties as well. */
static void write_codes(const column_loop *loop, int64_t c, int32_t *code) {
  for (int64_t k = 0; k < loop->x->n; ++k) {
    const double rank = loop->ranks[k * loop->count + c];
    code[k] = isnan(rank) ? GG_KENDALL_MISSING : (int32_t)(2 * rank) - 1;
  }
}

/* Counts the values of each code. */
static void count_codes(const int32_t *code, int64_t n, int64_t *counts) {
  memset(counts, 0, (size_t)(2 * n + 1) * sizeof *counts);
  for (int64_t k = 0; k < n; ++k)
    if (code[k] >= 0) ++counts[code[k]];
}

/* Codes a range of columns, and counts their values and untied pairs. */
static void code_columns(void *job, gg_range range) {
  const column_loop *loop = job;
  const gg_kendall_columns *x = loop->x;
  const int64_t n = x->n;
  int64_t *counts = loop->counts + range.worker * (2 * n + 1);
  for (int64_t c = range.first; c < range.last; ++c) {
    int32_t *code = x->code + (loop->first + c) * n;
    write_codes(loop, c, code);
    count_codes(code, n, counts);
    int64_t present = 0, tied = 0;
    for (int64_t v = 0; v < 2 * n; ++v) {
      present += counts[v];
      tied += counts[v] * (counts[v] - 1) / 2;
    }
    x->present[loop->first + c] = present;
    x->untied[loop->first + c] = present * (present - 1) / 2 - tied;
  }
}

/* Sorts the rows of a range of columns by their codes, by counting. */
static void order_columns(void *job, gg_range range) {
  const column_loop *loop = job;
  const gg_kendall_columns *x = loop->x;
  const int64_t n = x->n;
  int64_t *counts = loop->counts + range.worker * (2 * n + 1);
  for (int64_t i = range.first; i < range.last; ++i) {
    const int32_t *code = x->code + i * n;
    count_codes(code, n, counts);
    for (int64_t v = 0, before = 0; v < 2 * n; ++v) {
      const int64_t count = counts[v];
      counts[v] = before;
      before += count;
    }
    for (int64_t k = 0; k < n; ++k)
      if (code[k] >= 0) loop->order[counts[code[k]]++ + i * n] = (int32_t)k;
  }
}

/* Runs work for all columns. Returns false if it was interrupted. */
static bool run_loop(column_loop *loop, void (*work)(void *, gg_range), int32_t threads,
                     gg_clock *clock) {
  return gg_parallel_for(&(gg_loop){.threads = threads,
                                    .count = loop->count,
                                    .grain = 1 + 16384 / loop->x->n,
                                    .work = work,
                                    .job = loop,
                                    .clock = clock});
}

/* Ranks and codes all columns, block by block. */
static bool code_blocks(const gpugeo_matrix *x, column_loop *loop, double *ranks, void *room,
                        int32_t threads, gg_clock *clock) {
  loop->ranks = ranks;
  for (loop->first = 0; loop->first < x->ncol; loop->first += BLOCK) {
    const int64_t left = x->ncol - loop->first;
    loop->count = left < BLOCK ? left : BLOCK;
    if (!gg_rank_columns(x, loop->first, loop->count, ranks, room, threads, clock)) return false;
    if (!run_loop(loop, code_columns, threads, clock)) return false;
  }
  return true;
}

/* Finds whether there are gaps and ties. */
static void find_flags(gg_kendall_columns *made) {
  for (int64_t i = 0; i < made->columns; ++i) {
    const int64_t present = made->present[i];
    made->gaps |= present < made->n;
    made->ties |= made->untied[i] < present * (present - 1) / 2;
  }
}

gpugeo_status gg_kendall_make(const gpugeo_matrix *x, const char *argument, bool coded,
                              int32_t threads, gg_kendall_columns *made, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = x->nrow, block = x->ncol < BLOCK ? x->ncol : BLOCK;
  if (n > GG_KENDALL_ROWS)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, argument,
                                "%s must have at most %d rows for Kendall correlations, not %lld",
                                argument, (int)GG_KENDALL_ROWS, (long long)n));
  *made = (gg_kendall_columns){.n = n, .columns = x->ncol, .values = x};
  if (!coded) return GPUGEO_OK;
  made->code = gg_allocate(n * x->ncol, sizeof *made->code);
  made->present = gg_allocate(x->ncol, sizeof *made->present);
  made->untied = gg_allocate(x->ncol, sizeof *made->untied);
  double *ranks = gg_allocate(n * block, sizeof *ranks);
  void *room = gg_allocate(threads, gg_rank_room(n));
  column_loop loop = {.x = made, .counts = gg_allocate(threads * (2 * n + 1), sizeof *loop.counts)};
  if (!made->code || !made->present || !made->untied || !ranks || !room || !loop.counts)
    GG_TRY(call, gg_fail_memory(call->error, (int64_t)gg_kendall_bytes(x->ncol, n)));
  else if (!code_blocks(x, &loop, ranks, room, threads, call->clock))
    GG_TRY(call, gg_fail_interrupt(call->error));
  else
    find_flags(made);
  gg_free(ranks);
  gg_free(room);
  gg_free(loop.counts);
  return call->status;
}

gpugeo_status gg_kendall_order(const gg_kendall_columns *x, int32_t threads, int32_t **order,
                               gg_call *call) {
  if (call->status) return call->status;
  const int64_t values = x->n * x->columns, counts = threads * (2 * x->n + 1);
  column_loop loop = {.x = x,
                      .count = x->columns,
                      .order = gg_allocate(values, sizeof *loop.order),
                      .counts = gg_allocate(counts, sizeof *loop.counts)};
  if (!loop.order || !loop.counts)
    GG_TRY(call, gg_fail_memory(call->error, 4 * values + 8 * counts));
  else if (!run_loop(&loop, order_columns, threads, call->clock))
    GG_TRY(call, gg_fail_interrupt(call->error));
  gg_free(loop.counts);
  *order = loop.order;
  return call->status;
}
