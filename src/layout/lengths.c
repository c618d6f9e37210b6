/* Checks lengths of edges, and finds those of the entries of a CSR. */
#include "layout/lengths.h"

#include <float.h>
#include <math.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"

/* Returns a vertex of an edge, numbered from 0. */
static int32_t end_of(const gpugeo_graph *graph, int64_t e, int k) {
  return (int32_t)(gg_element(&graph->edges, e, k) - (double)graph->first);
}

/* Fails for an edge whose length is not allowed. */
static gpugeo_status fail_length(const gpugeo_graph *graph, double length, int64_t e, bool limited,
                                 gpugeo_error *error) {
  const gg_vertex_text u = gg_vertex(graph->labels, end_of(graph, e, 0), graph->first);
  const gg_vertex_text v = gg_vertex(graph->labels, end_of(graph, e, 1), graph->first);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "lengths",
                 "edge %lld (%s, %s): length must be %s, not %s", (long long)e + 1, u.text, v.text,
                 limited ? "between 1e-300 and 1e+300" : "positive and finite",
                 gg_number(length).text);
}

gpugeo_status gg_layout_lengths_check(const gpugeo_graph *graph, const double *lengths,
                                      int64_t count, bool limited, gpugeo_error *error) {
  const double least = limited ? GG_LAYOUT_LENGTH_LEAST : 0;
  const double most = limited ? GG_LAYOUT_LENGTH_MOST : DBL_MAX;
  if (!lengths) return GPUGEO_OK;
  if (count != graph->edges.nrow)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "lengths",
                   "lengths must have a value for each of the %lld edges, not %lld values",
                   (long long)graph->edges.nrow, (long long)count);
  for (int64_t e = 0; e < count; ++e)
    if (!(lengths[e] > 0 && lengths[e] >= least && lengths[e] <= most))
      return fail_length(graph, lengths[e], e, limited, error);
  return GPUGEO_OK;
}

/* Returns the entry of the CSR from u to v, which are joined by an edge. */
static int64_t find_entry(const gg_layout_graph *csr, int32_t u, int32_t v) {
  int64_t first = csr->start[u], last = csr->start[u + 1] - 1;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (csr->neighbor[middle] < v)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/* Lowers the length of the entry from u to v. */
static void lower_length(const gg_layout_graph *csr, int32_t u, int32_t v, double length,
                         double *of_entry) {
  const int64_t entry = find_entry(csr, u, v);
  of_entry[entry] = fmin(of_entry[entry], length);
}

double *gg_layout_lengths_make(const gpugeo_graph *graph, const double *lengths,
                               const gg_layout_graph *csr, gg_call *call) {
  if (!lengths || call->status) return NULL;
  const int64_t entries = csr->start[csr->vertices];
  double *made = gg_call_allocate(call, entries, sizeof *made);
  for (int64_t at = 0; made && at < entries; ++at)
    made[at] = INFINITY;
  for (int64_t e = 0; made && e < graph->edges.nrow; ++e) {
    if (gg_clock_poll_loop(call->clock, e)) {
      gg_call_require(call, false);
      break;
    }
    const int32_t u = end_of(graph, e, 0), v = end_of(graph, e, 1);
    if (u == v) continue;
    lower_length(csr, u, v, lengths[e], made);
    lower_length(csr, v, u, lengths[e], made);
  }
  if (!call->status) return made;
  gg_free(made);
  return NULL;
}

double *gg_layout_component_lengths(const gg_layout_graph *csr,
                                    const gg_layout_components *components, int64_t c,
                                    const double *length, gg_call *call) {
  if (!length || call->status) return NULL;
  int64_t entries = 0;
  for (int64_t i = components->start[c]; i < components->start[c + 1]; ++i) {
    const int32_t v = components->member[i];
    entries += csr->start[v + 1] - csr->start[v];
  }
  double *own = gg_call_allocate(call, entries, sizeof *own), *next = own;
  for (int64_t i = components->start[c]; own && i < components->start[c + 1]; ++i) {
    const int32_t v = components->member[i];
    for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e)
      *next++ = length[e];
  }
  return own;
}
