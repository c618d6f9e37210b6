/*
 * Distances between the tips of a tree along its edges.
 *
 * A tip's distances to its ancestors are added up to the root; the others follow in preorder, each
 * from the node above it. Every distance is a sum of the lengths on its path alone, so that a
 * missing length makes only distances across it missing. Each pair is computed from its lower tip.
 * Cost: O(nodes) for each tip.
 */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "trees/tree_check.h"

/* The tree, and what all threads read. */
typedef struct paths {
  int64_t tips, edges, all;
  const int32_t *edge; /* in preorder */
  double *length;      /* in preorder */
  int32_t *above;      /* of each node the edge to it; -1: the root */
  double *rooms;       /* `all` values for each thread */
  double *out;
} paths;

/* Computes the distances of a tip to all nodes. */
static void find_distances(const paths *p, int64_t tip, double *distance) {
  for (int64_t k = 0; k < p->all; ++k)
    distance[k] = -INFINITY; /* not known yet */
  distance[tip] = 0;
  for (int32_t e = p->above[tip]; e >= 0; e = p->above[p->edge[e]])
    distance[p->edge[e]] = distance[p->edge[e + p->edges]] + p->length[e];
  for (int64_t e = 0; e < p->edges; ++e) {
    double *below = &distance[p->edge[e + p->edges]];
    if (*below == -INFINITY) *below = distance[p->edge[e]] + p->length[e];
  }
}

/* Writes the distances of a range of tips to later ones; the loop's work. */
static void write_distances(void *own, gg_range range) {
  const paths *p = own;
  double *distance = p->rooms + range.worker * p->all;
  for (int64_t i = range.first; i < range.last; ++i) {
    find_distances(p, i, distance);
    p->out[i * p->tips + i] = 0;
    for (int64_t j = i + 1; j < p->tips; ++j)
      p->out[i * p->tips + j] = p->out[j * p->tips + i] = distance[j];
  }
}

/* Fills what all threads read. */
static void fill_paths(const gpugeo_tree *tree, const int32_t *from, paths *p) {
  for (int64_t k = 0; k < p->all; ++k)
    p->above[k] = -1;
  for (int64_t e = 0; e < p->edges; ++e) {
    p->length[e] = tree->length[from[e]];
    p->above[p->edge[e + p->edges]] = (int32_t)e;
  }
}

/* Checks that lengths are finite or missing. */
static gpugeo_status check_lengths(const gpugeo_tree *tree, gg_call *call) {
  if (call->status) return call->status;
  if (!tree->length)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                                "tree must have lengths of its edges, not none"));
  for (int64_t e = 0; e < tree->edges; ++e)
    if (isinf(tree->length[e]))
      return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                                  "tree must have finite lengths, but that of edge %lld is not",
                                  (long long)e + 1));
  return call->status;
}

/* Computes all distances of a checked tree. */
static void compute(const gpugeo_tree *tree, const int32_t *edge, const int32_t *from, double *out,
                    int32_t threads, gg_call *call) {
  paths p = {.tips = tree->tips,
             .edges = tree->edges,
             .all = tree->tips + tree->nodes,
             .edge = edge,
             .out = out};
  p.length = gg_call_allocate(call, p.edges, sizeof *p.length);
  p.above = gg_call_allocate(call, p.all, sizeof *p.above);
  p.rooms = gg_call_allocate(call, p.all * threads, sizeof *p.rooms);
  if (!call->status) {
    fill_paths(tree, from, &p);
    const gg_loop loop = {.threads = threads,
                          .count = p.tips,
                          .grain = 1 + ((int64_t)1 << 16) / p.all, /* 0.2 ms */
                          .work = write_distances,
                          .job = &p,
                          .share = 1};
    gg_call_loop(call, loop);
  }
  gg_free(p.length);
  gg_free(p.above);
  gg_free(p.rooms);
}

gpugeo_status gpugeo_tree_distances(const gpugeo_tree *tree, const gpugeo_run *run, double *out,
                                    gpugeo_report *report, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call;
  int32_t *edge = NULL, *from = NULL;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, gg_check_family(run, GG_FAMILY_COPHENETIC, error));
  if (!call.status) gg_tree_check(tree, &edge, &from, &call);
  check_lengths(tree, &call);
  const double all = (double)(tree->tips + tree->nodes);
  const int32_t threads =
      call.status ? 1 : gg_threads_for(run->threads, 20 * all * (double)tree->tips); /* 2 ns */
  GG_TRY(&call, gg_check_work(run, all * (8.0 * threads + 32), error, "distances of %lld tips",
                              (long long)tree->tips));
  if (!call.status) compute(tree, edge, from, out, threads, &call);
  gg_free(edge);
  gg_free(from);
  *call.report = gg_report_of(gg_host_backend(), -1, 1, threads);
  return gg_call_end(&call);
}
