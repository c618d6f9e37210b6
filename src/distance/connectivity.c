/*
 * Connectivities (Zhang and Horvath 2005, Statistical Applications in Genetics and Molecular
 * Biology 4(1), 17). A panel of columns is correlated with all columns by gpugeo_cor(), on any
 * backend. The CPU then sums each column of the panel in the order of its rows, so a sum depends
 * neither on panels nor on threads. Powers that are whole numbers are products of the one before.
 */
#include "distance/connectivity.h"

#include <math.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/memory.h"

enum {
  CHUNK = GG_NETWORK_CHUNK,
  LANES = 8 /* parts of a sum, so that compilers use vectors */
};

/* A panel of correlations. */
typedef struct panel {
  const double *correlations; /* rows by columns */
  int64_t rows, first;        /* its first column */
  gg_network network;
  const double *powers;
  const int64_t *order; /* of the powers, ascending */
  int64_t count;
  double *out; /* rows by count */
} panel;

/* Adds the values of a chunk to the parts of a sum. */
static void add_chunk(const double *t, double *part) {
  for (int64_t k = 0; k < CHUNK; k += LANES)
    for (int l = 0; l < LANES; ++l)
      part[l] += t[k + l];
}

/* Adds a chunk of similarities, to all powers, to the parts of the sums: LANES for each power. */
static void add_powers(const panel *p, const double *s, double *parts) {
  double t[CHUNK], whole = 0;
  for (int64_t k = 0; k < CHUNK; ++k)
    t[k] = 1;
  for (int64_t i = 0; i < p->count; ++i) {
    const double power = p->powers[p->order[i]];
    double other[CHUNK], *raised = gg_network_is_whole(power) ? t : other;
    gg_network_raise(s, whole, power, raised);
    whole = gg_network_is_whole(power) ? power : whole;
    add_chunk(raised, parts + LANES * p->order[i]);
  }
}

/* Sums the powers of a column of the panel, whose similarity with itself is left out. */
static void sum_column(const panel *p, int64_t column, double *parts) {
  const double *r = p->correlations + column * p->rows;
  const int64_t own = p->first + column;
  for (int64_t i = 0; i < LANES * p->count; ++i)
    parts[i] = 0;
  for (int64_t first = 0; first < p->rows; first += CHUNK) {
    const int64_t n = gg_smaller(CHUNK, p->rows - first);
    double s[CHUNK] = {0};
    gg_network_similarities(r + first, n, p->network, s);
    if (own >= first && own < first + n) s[own - first] = 0;
    add_powers(p, s, parts);
  }
  for (int64_t i = 0; i < p->count; ++i) {
    double sum = 0;
    for (int l = 0; l < LANES; ++l)
      sum += parts[LANES * i + l];
    p->out[own + i * p->rows] = sum;
  }
}

/* What the threads of a panel have. */
typedef struct panel_loop {
  const panel *panel;
  double *parts; /* LANES * count for each thread */
} panel_loop;

/* Sums a range of columns of the panel. */
static void sum_columns(void *job, gg_range range) {
  const panel_loop *loop = job;
  for (int64_t column = range.first; column < range.last; ++column)
    sum_column(loop->panel, column, loop->parts + range.worker * LANES * loop->panel->count);
}

/* Returns the columns of a panel: as many as the working memory has room for. */
static int64_t panel_width(const gpugeo_matrix *x, const gpugeo_run *run) {
  const double limit = run->work_bytes ? (double)run->work_bytes : (double)GG_WORK_BYTES;
  const double width = limit / (8 * (double)x->ncol);
  return width >= (double)x->ncol ? x->ncol : width < 1 ? 1 : (int64_t)width;
}

/* Computes all panels. room: the correlations of `width` columns. */
static gpugeo_status sum_panels(const gpugeo_matrix *x, gpugeo_cor_options options, int64_t width,
                                double *room, panel *p, double *parts, gg_call *call) {
  panel_loop loop = {p, parts};
  int32_t notes = 0;
  gpugeo_missing missing = {0};
  gg_network_panel_options(x, &options, call);
  for (p->first = 0; !call->status && p->first < x->ncol; p->first += width) {
    const int64_t count = gg_smaller(width, x->ncol - p->first);
    const gpugeo_matrix part = gg_network_columns(x, p->first, count);
    const gpugeo_cor_options own = gg_network_part_options(&options, p->first, count);
    gg_network_add_notes(call->report, &notes, &missing);
    if (gg_call_poll(call, (double)p->first / (double)x->ncol)) break;
    GG_TRY(call, gpugeo_cor(x, &part, &own, GPUGEO_TYPE_DOUBLE, room, call->report, call->error));
    gg_call_loop(call, (gg_loop){.threads = gg_threads(options.run.threads),
                                 .count = count,
                                 .grain = 1,
                                 .work = sum_columns,
                                 .job = &loop});
  }
  gg_network_add_notes(call->report, &notes, &missing);
  call->report->notes = notes;
  call->report->missing = missing;
  return gg_call_end(call);
}

/* Checks powers, and writes their ascending order. */
static gpugeo_status order_powers(const double *powers, int64_t count, int64_t *order,
                                  gpugeo_error *error) {
  for (int64_t i = 0; i < count; ++i) {
    const gpugeo_status status = gg_network_check_power("powerVector", powers[i], error);
    if (status) return status;
    int64_t at = i;
    for (; at > 0 && powers[order[at - 1]] > powers[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_connectivity(const gpugeo_matrix *x, const gpugeo_cor_options *options,
                              gg_network network, const double *powers, int64_t count, double *out,
                              gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_check_run(&options->run, error));
  GG_TRY(&call, gg_check_matrix("x", x, error));
  if (call.status) return call.status;
  const int64_t width = panel_width(x, &options->run);
  GG_TRY(&call, gg_check_result((double)x->ncol * (double)width, GPUGEO_TYPE_DOUBLE, 0, error));
  double *room = gg_call_allocate(&call, x->ncol * width, sizeof *room);
  double *parts = gg_call_allocate(&call, gg_threads(options->run.threads) * LANES * (count + 1),
                                   sizeof *parts);
  int64_t *order = gg_call_allocate(&call, count + 1, sizeof *order);
  if (!call.status) GG_TRY(&call, order_powers(powers, count, order, error));
  panel p = {room, x->ncol, 0, network, powers, order, count, out};
  if (!call.status) sum_panels(x, *options, width, room, &p, parts, &call);
  gg_free(room);
  gg_free(parts);
  gg_free(order);
  return call.status;
}
