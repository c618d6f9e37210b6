/*
 * Shortest paths: without lengths breadth first, from up to 64 sources at once whose sets are the
 * bits of a word (Then et al. 2014, MS-BFS), in O(edges) for each distance at which sources reach a
 * vertex; with lengths by Dijkstra's algorithm with a binary heap, in O(edges log vertices) for
 * each source.
 */
#include "layout/paths.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"

/* Steps between two polls of the clock: of at most about 100 ns each, cache misses included. */
enum { STEPS = 1 << 16 };

/* A search from one source looks for the next level among the vertices that are not reached if the
   rows of the last level have more entries than these fractions of the vertices, and of the entries
   of rows that are not reached. This takes 0.45 of the time on a
   graph by preferential attachment of 33,696 vertices, and changes nothing on a grid. */
enum { PULL_VERTICES = 4, PULL_EDGES = 4 };

/* True if the clock has stopped the call, after `added` steps; asks after STEPS of them. */
static bool is_stopped(gg_clock *clock, int64_t added, int64_t *steps) {
  *steps += added;
  if (*steps < STEPS) return false;
  *steps = 0;
  return gg_clock_poll(clock, 0);
}

/* Returns the steps that leaving a vertex takes. */
static int64_t steps_of(const gg_layout_graph *csr, int32_t v) {
  return 1 + csr->start[v + 1] - csr->start[v];
}

/* --- Breadth first ---------------------------------------------------------------------------- */

/* A search from several sources: bit s of a word is source s. */
typedef struct wave {
  const gg_layout_graph *csr;
  uint64_t *seen;         /* of each vertex: the sources that have reached it */
  uint64_t *now;          /* those that have reached it at the present distance */
  uint64_t *next;         /* those that reach it at the next */
  int32_t *front, *fresh; /* vertices with bits in now, and in next */
  int64_t fronts, freshes;
  double *distances;
  int64_t stride;
  gg_clock *clock;
  int64_t steps;
} wave;

/* Places the arrays of a search in its working memory. */
static void wave_place(wave *w, void *work) {
  const int64_t n = w->csr->vertices;
  w->seen = work;
  w->now = w->seen + n;
  w->next = w->now + n;
  w->front = (int32_t *)(w->next + n);
  w->fresh = w->front + n;
}

/* Begins at the sources. Returns false if the clock has stopped it. */
static bool wave_begin(wave *w, const int32_t *sources, int count) {
  const int64_t n = w->csr->vertices;
  memset(w->seen, 0, (size_t)(3 * n) * sizeof *w->seen);
  for (int64_t v = 0; v < n; ++v) {
    if (is_stopped(w->clock, 1, &w->steps)) return false;
    for (int s = 0; s < count; ++s)
      w->distances[s + v * w->stride] = INFINITY;
  }
  for (int s = 0; s < count; ++s) {
    const int32_t v = sources[s];
    if (!w->now[v]) w->front[w->fronts++] = v;
    w->now[v] |= (uint64_t)1 << s;
    w->seen[v] |= (uint64_t)1 << s;
    w->distances[s + v * w->stride] = 0;
  }
  return true;
}

/* Marks what a vertex of the front reaches. */
static void wave_spread(wave *w, int32_t v) {
  const gg_layout_graph *csr = w->csr;
  for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e) {
    const int32_t other = csr->neighbor[e];
    const uint64_t added = w->now[v] & ~w->seen[other];
    if (!added) continue;
    if (!w->next[other]) w->fresh[w->freshes++] = other;
    w->next[other] |= added;
  }
  w->now[v] = 0;
}

/* Moves a vertex to the front, and writes its distance from the sources that have reached it. */
static void wave_arrive(wave *w, int32_t v, double distance) {
  const uint64_t bits = w->next[v];
  w->now[v] = bits;
  w->next[v] = 0;
  w->seen[v] |= bits;
  double *row = w->distances + v * w->stride;
  for (uint64_t left = bits; left; left &= left - 1)
    row[__builtin_ctzll(left)] = distance;
}

/* Goes on by one edge. Returns false if the clock has stopped it. */
static bool wave_advance(wave *w, double distance) {
  w->freshes = 0;
  for (int64_t i = 0; i < w->fronts; ++i) {
    const int32_t v = w->front[i];
    if (is_stopped(w->clock, steps_of(w->csr, v), &w->steps)) return false;
    wave_spread(w, v);
  }
  for (int64_t i = 0; i < w->freshes; ++i)
    wave_arrive(w, w->fresh[i], distance);
  int32_t *front = w->fresh;
  w->fresh = w->front;
  w->front = front;
  w->fronts = w->freshes;
  return true;
}

/* A search from one source, level by level. */
typedef struct levels {
  const gg_layout_graph *csr;
  int32_t *queue;       /* vertices in the order in which they are reached */
  int64_t left, queued; /* vertices of the queue that are left, and all */
  int64_t edges;        /* entries of the rows of the last level */
  int64_t unseen;       /* and of the vertices that are not reached */
  double *distances;
  int64_t stride;
  gg_clock *clock;
  int64_t steps;
} levels;

/* Reaches a vertex at a distance. */
static inline void levels_reach(levels *l, int32_t v, double distance) {
  const int64_t entries = l->csr->start[v + 1] - l->csr->start[v];
  l->distances[v * l->stride] = distance;
  l->queue[l->queued++] = v;
  l->edges += entries;
  l->unseen -= entries;
}

/* Reaches the next level from the vertices of the last. Returns false if the clock has stopped
   it. */
static bool levels_push(levels *l, double distance) {
  const gg_layout_graph *csr = l->csr;
  for (const int64_t last = l->queued; l->left < last; ++l->left) {
    const int32_t v = l->queue[l->left];
    if (is_stopped(l->clock, steps_of(csr, v), &l->steps)) return false;
    for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e)
      if (isinf(l->distances[csr->neighbor[e] * l->stride]))
        levels_reach(l, csr->neighbor[e], distance);
  }
  return true;
}

/* True if a vertex has a neighbour at a distance. */
static bool is_next_to(const levels *l, int64_t v, double distance) {
  for (int64_t e = l->csr->start[v]; e < l->csr->start[v + 1]; ++e)
    if (l->distances[l->csr->neighbor[e] * l->stride] == distance) return true;
  return false;
}

/* Reaches the next level from the vertices that are not reached: faster if most of them are in it
   (Beamer, Asanovic and Patterson 2012). Returns false if the clock has stopped it. */
static bool levels_pull(levels *l, double distance) {
  l->left = l->queued;
  for (int32_t v = 0; v < l->csr->vertices; ++v) {
    if (!isinf(l->distances[v * l->stride])) continue;
    if (is_stopped(l->clock, steps_of(l->csr, v), &l->steps)) return false;
    if (is_next_to(l, v, distance - 1)) levels_reach(l, v, distance);
  }
  return true;
}

/* Begins a search from one source. */
static levels levels_begin(const gg_layout_graph *csr, int32_t source, int32_t *queue,
                           double *distances, int64_t stride, gg_clock *clock) {
  levels l = {.csr = csr,
              .queue = queue,
              .unseen = csr->start[csr->vertices],
              .distances = distances,
              .stride = stride,
              .clock = clock};
  for (int64_t v = 0; v < csr->vertices; ++v)
    distances[v * stride] = INFINITY;
  levels_reach(&l, source, 0);
  return l;
}

/* Searches breadth first from one source. queue has room for all vertices. */
static bool search_one(const gg_layout_graph *csr, int32_t source, int32_t *queue,
                       double *distances, int64_t stride, gg_clock *clock) {
  levels l = levels_begin(csr, source, queue, distances, stride, clock);
  bool done = true;
  for (double distance = 1; done && l.left < l.queued; ++distance) {
    const bool pull = l.edges > csr->vertices / PULL_VERTICES && l.edges > l.unseen / PULL_EDGES;
    l.edges = 0;
    done = pull ? levels_pull(&l, distance) : levels_push(&l, distance);
  }
  return done;
}

int64_t gg_paths_visit(const gg_layout_graph *csr, int32_t source, int32_t *queue,
                       double *distances, gg_clock *clock) {
  levels l = levels_begin(csr, source, queue, distances, 1, clock);
  for (double distance = 1; l.left < l.queued; ++distance)
    if (!levels_push(&l, distance)) return -1;
  return l.queued;
}

/* --- With lengths ----------------------------------------------------------------------------- */

/* The vertices that are reached and not left yet: the nearest at the root of a binary heap. */
typedef struct heap {
  double *distance; /* of each vertex */
  int32_t *vertex;  /* in the order of the heap, from 0 */
  int32_t *at;      /* of each vertex: its index in the heap, or one of the constants below */
  int64_t count;
} heap;

enum { UNREACHED = -1, LEFT = -2 };

/* Puts a vertex at an index of the heap. */
static void heap_put(heap *h, int64_t at, int32_t v) {
  h->vertex[at] = v;
  h->at[v] = (int32_t)at;
}

/* Moves a vertex from an index towards the root, to where it belongs. */
static void heap_raise(heap *h, int64_t at, int32_t v) {
  for (; at > 0; at = (at - 1) / 2) {
    const int32_t parent = h->vertex[(at - 1) / 2];
    if (h->distance[parent] <= h->distance[v]) break;
    heap_put(h, at, parent);
  }
  heap_put(h, at, v);
}

/* Moves a vertex from the root to where it belongs. */
static void heap_lower(heap *h, int32_t v) {
  int64_t at = 0;
  for (int64_t child = 1; child < h->count; child = 2 * at + 1) {
    if (child + 1 < h->count && h->distance[h->vertex[child + 1]] < h->distance[h->vertex[child]])
      ++child;
    if (h->distance[v] <= h->distance[h->vertex[child]]) break;
    heap_put(h, at, h->vertex[child]);
    at = child;
  }
  heap_put(h, at, v);
}

/* Takes the nearest vertex out of a heap that is not empty. */
static int32_t heap_take(heap *h) {
  const int32_t nearest = h->vertex[0];
  h->at[nearest] = LEFT;
  --h->count;
  if (h->count > 0) heap_lower(h, h->vertex[h->count]);
  return nearest;
}

/* Lowers the distance of a vertex that is not left yet. A sum beyond the range of doubles reaches
   nothing. */
static void heap_reach(heap *h, int32_t v, double distance) {
  if (!(distance < h->distance[v])) return;
  h->distance[v] = distance;
  heap_raise(h, h->at[v] == UNREACHED ? h->count++ : h->at[v], v);
}

/* Places the arrays of a heap in working memory, and begins at a source. */
static heap heap_begin(int64_t n, int32_t source, void *work) {
  heap h = {.distance = work};
  h.vertex = (int32_t *)(h.distance + n);
  h.at = h.vertex + n;
  for (int64_t v = 0; v < n; ++v) {
    h.distance[v] = INFINITY;
    h.at[v] = UNREACHED;
  }
  heap_reach(&h, source, 0);
  return h;
}

/* Searches from one source by lengths. */
static bool search_lengths(const gg_path_graph *graph, int32_t source, void *work,
                           double *distances, int64_t stride, gg_clock *clock) {
  const gg_layout_graph *csr = &graph->csr;
  heap h = heap_begin(csr->vertices, source, work);
  int64_t steps = 0;
  while (h.count > 0) {
    const int32_t v = heap_take(&h);
    if (is_stopped(clock, steps_of(csr, v), &steps)) return false;
    for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e)
      if (h.at[csr->neighbor[e]] != LEFT)
        heap_reach(&h, csr->neighbor[e], h.distance[v] + graph->length[e]);
  }
  for (int64_t v = 0; v < csr->vertices; ++v)
    distances[v * stride] = h.distance[v];
  return true;
}

/* --- Both ------------------------------------------------------------------------------------- */

int64_t gg_paths_vertex_bytes(const gg_path_graph *graph) {
  return graph->length ? sizeof(double) + 2 * sizeof(int32_t)
                       : 3 * sizeof(uint64_t) + 2 * sizeof(int32_t);
}

/* Searches breadth first from several sources. */
static bool search_hops(const gg_layout_graph *csr, const int32_t *sources, int count, void *work,
                        double *distances, int64_t stride, gg_clock *clock) {
  wave w = {.csr = csr, .distances = distances, .stride = stride, .clock = clock};
  wave_place(&w, work);
  bool done = wave_begin(&w, sources, count);
  for (double distance = 1; done && w.fronts > 0; ++distance)
    done = wave_advance(&w, distance);
  return done;
}

bool gg_paths_search(const gg_path_graph *graph, const int32_t *sources, int count, void *work,
                     double *distances, int64_t stride, gg_clock *clock) {
  if (!graph->length && count == 1)
    return search_one(&graph->csr, sources[0], work, distances, stride, clock);
  if (!graph->length)
    return search_hops(&graph->csr, sources, count, work, distances, stride, clock);
  bool done = true;
  for (int s = 0; done && s < count; ++s)
    done = search_lengths(graph, sources[s], work, distances + s, stride, clock);
  return done;
}
