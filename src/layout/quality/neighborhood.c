/*
 * Measures how well a layout keeps neighbours together. The g neighbours of a vertex in the graph
 * are compared with the g vertices nearest to it in the layout, ties by number. A search for g
 * vertices takes about g log(g) steps, so all searches take about as many steps as there are edges,
 * times a logarithm.
 */
#include "layout/quality/neighborhood.h"

#include <math.h>
#include <stdlib.h>

#include "common/box_tree.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

/* A vertex and its squared distance from the vertex that is searched for. */
typedef struct distant {
  double square;
  int64_t vertex;
} distant;

/* True if a is nearer than b, or as near with a smaller vertex. */
static inline bool is_before(distant a, distant b) {
  return a.square != b.square ? a.square < b.square : a.vertex < b.vertex;
}

/* All vertices in a tree of bounding boxes. */
typedef struct forest {
  const gg_measured *measured;
  gg_tree tree;   /* a position is a vertex */
  bool planted;   /* the tree is built */
  int64_t *least; /* the smallest vertex of each node */
  distant *room;  /* `most` for each thread */
  int64_t most;   /* neighbours of a vertex */
  double *sums;   /* of each run of vertices */
} forest;

/* The nearest vertices found so far, in a heap with the farthest first. */
typedef struct nearest {
  distant *heap;
  int64_t wanted, found;
} nearest;

/* Replaces the furthest vertex by a nearer one. */
static void sift_down(nearest *near, distant moved) {
  int64_t at = 0;
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= near->found) break;
    if (child + 1 < near->found && is_before(near->heap[child], near->heap[child + 1])) ++child;
    if (!is_before(moved, near->heap[child])) break;
    near->heap[at] = near->heap[child];
    at = child;
  }
  near->heap[at] = moved;
}

/* Offers a vertex to the nearest ones. */
static void offer_vertex(nearest *near, distant candidate) {
  if (near->found == near->wanted) {
    if (is_before(candidate, near->heap[0])) sift_down(near, candidate);
    return;
  }
  int64_t at = near->found++;
  while (at > 0 && is_before(near->heap[(at - 1) / 2], candidate)) {
    near->heap[at] = near->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  near->heap[at] = candidate;
}

/* Returns a lower bound of the vertices of a node: its gap is at most any of their squared
   distances, as both are summed in the same way. */
static distant bound_of(const forest *f, const gg_tree_node *from, int64_t node) {
  static const double not_periodic[GG_TREE_COLUMNS] = {0};
  const gg_measured *m = f->measured;
  return (distant){gg_tree_gap(from, &f->tree.nodes[node], m->dim, not_periodic), f->least[node]};
}

/* Offers the vertices of a node that may be among the nearest to `vertex`, whose position is the
   box `from`. The tree is balanced, and so not deep. */
static void search_node(const forest *f, int64_t vertex, const gg_tree_node *from, int64_t node,
                        distant bound, nearest *near) {
  if (near->found == near->wanted && !is_before(bound, near->heap[0])) return;
  const gg_tree_node *box = &f->tree.nodes[node];
  if (box->left == 0) {
    for (int64_t p = box->first; p < box->last; ++p) {
      const int64_t other = f->tree.position[p];
      if (other != vertex)
        offer_vertex(near, (distant){gg_measured_square(f->measured, vertex, other), other});
    }
    return;
  }
  int64_t one = box->left, two = one + 1;
  distant bound_one = bound_of(f, from, one), bound_two = bound_of(f, from, two);
  if (is_before(bound_two, bound_one)) {
    const distant swap = bound_one;
    bound_one = bound_two;
    bound_two = swap;
    one = two--;
  }
  search_node(f, vertex, from, one, bound_one, near);
  search_node(f, vertex, from, two, bound_two, near);
}

/* Returns the Jaccard index of a vertex with neighbours. */
static double jaccard(const forest *f, int64_t vertex, distant *heap) {
  const gg_measured *m = f->measured;
  const gg_layout_graph *graph = &m->graph;
  const int64_t degree = graph->start[vertex + 1] - graph->start[vertex];
  nearest near = {heap, degree, 0};
  gg_tree_node from = {.left = 0};
  for (int c = 0; c < m->dim; ++c)
    from.low[c] = from.high[c] = m->at[c][vertex];
  search_node(f, vertex, &from, 0, bound_of(f, &from, 0), &near);
  const distant last = near.heap[0];
  int64_t common = 0;
  for (int64_t e = graph->start[vertex]; e < graph->start[vertex + 1]; ++e) {
    const int64_t other = graph->neighbor[e];
    common += !is_before(last, (distant){gg_measured_square(m, vertex, other), other});
  }
  return (double)common / (double)(2 * degree - common);
}

/* --- All vertices ----------------------------------------------------------------------------- */

/* Vertices are searched for in the order of the tree, so successive searches visit the same
   nodes. Indices are added in runs of this length. */
static const int64_t run_length = 256;

/* Returns the sum of the Jaccard indices of a run. Hubs take long: the calling thread polls. */
static double sum_run(const forest *f, int64_t run, distant *heap) {
  const gg_layout_graph *graph = &f->measured->graph;
  const int64_t first = run * run_length, after = first + run_length;
  double sum = 0;
  for (int64_t p = first; p < after && p < graph->vertices; ++p) {
    const double done = (double)p / (double)graph->vertices;
    if (gg_clock_poll(f->measured->call->clock, 0.6 + 0.2 * done)) break;
    const int64_t vertex = f->tree.position[p];
    if (graph->start[vertex] < graph->start[vertex + 1]) sum += jaccard(f, vertex, heap);
  }
  return sum;
}

/* Computes the sums of a range of runs. */
static void search_runs(void *job, gg_range range) {
  forest *f = job;
  for (int64_t r = range.first; r < range.last; ++r)
    f->sums[r] = sum_run(f, r, f->room + f->most * range.worker);
}

/* Computes the sums of all runs. */
static gpugeo_status search_all(forest *f, int64_t runs) {
  return gg_call_loop(f->measured->call, (gg_loop){.threads = f->measured->threads,
                                                   .count = runs,
                                                   .grain = 1,
                                                   .work = search_runs,
                                                   .job = f,
                                                   .begun = 0.6,
                                                   .share = 0.2});
}

/* Finds the smallest vertex below each node of the tree. */
static void find_least(const gg_tree *tree, int64_t *least) {
  for (int64_t n = tree->count - 1; n >= 0; --n) { /* children follow their parents */
    const gg_tree_node *node = &tree->nodes[n];
    if (node->left) {
      const int64_t left = least[node->left], right = least[node->left + 1];
      least[n] = left < right ? left : right;
      continue;
    }
    least[n] = INT64_MAX;
    for (int64_t p = node->first; p < node->last; ++p)
      if (tree->position[p] < least[n]) least[n] = tree->position[p];
  }
}

/* Counts the vertices with neighbours, and finds the most neighbours of one. */
static int64_t count_joined(const gg_layout_graph *graph, int64_t *most) {
  int64_t joined = 0;
  for (int64_t v = 0; v < graph->vertices; ++v) {
    const int64_t degree = graph->start[v + 1] - graph->start[v];
    joined += degree > 0;
    if (degree > *most) *most = degree;
  }
  return joined;
}

/* Allocates all and builds the tree. To be freed by free_forest(), also after a failure. */
static gpugeo_status make_forest(forest *f, int64_t runs) {
  const gg_measured *m = f->measured;
  gg_call *call = m->call;
  if (call->status) return call->status;
  const int64_t n = m->graph.vertices;
  f->sums = gg_allocate(runs, sizeof *f->sums);
  f->room = gg_allocate(f->most * m->threads, sizeof *f->room);
  f->planted = gg_tree_make(m->dim, m->at, 0, n, &f->tree);
  if (f->planted) f->least = gg_allocate(f->tree.count, sizeof *f->least);
  if (!f->sums || !f->room || !f->least)
    return call->status = gg_fail_memory(
               call->error, f->most * m->threads * (int64_t)sizeof *f->room +
                                n * (int64_t)(sizeof *f->least + sizeof(gg_tree_node)));
  find_least(&f->tree, f->least);
  return GPUGEO_OK;
}

/* Frees the memory of the search. */
static void free_forest(forest *f) {
  if (f->planted) gg_tree_free(&f->tree);
  gg_free(f->least);
  gg_free(f->room);
  gg_free(f->sums);
}

gpugeo_status gg_layout_neighborhood(const gg_measured *m, gpugeo_layout_quality_result *quality) {
  const int64_t n = m->graph.vertices, runs = (n + run_length - 1) / run_length;
  forest f = {.measured = m};
  const int64_t joined = count_joined(&m->graph, &f.most);
  if (joined == 0) return m->call->status;
  make_forest(&f, runs);
  if (!search_all(&f, runs)) {
    quality->neighborhood = 0;
    for (int64_t r = 0; r < runs; ++r)
      quality->neighborhood += f.sums[r] / (double)joined;
  }
  free_forest(&f);
  return m->call->status;
}
