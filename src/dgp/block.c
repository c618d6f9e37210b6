#include "dgp/block.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "dgp/adjacency.h"

/* --- The order of vertices -------------------------------------------------------------------- */

/* The state while a block is prepared. Vertices have local numbers here, in the order of their
   first edges, the root 0. */
typedef struct ordering {
  gg_graph graph;
  gg_ends *ends;
  int64_t *name;    /* the graph's vertex */
  int64_t *rank;    /* in the order, -1: not placed */
  int64_t *known;   /* placed neighbours */
  int64_t *branch;  /* unplaced vertices in the search for an ear: the one next to a placed vertex,
                       -1: not seen */
  int64_t *far;     /* edges from there */
  int64_t *waiting; /* of that search */
  int64_t *memory;
} ordering;

/* Returns the unplaced vertex with the most placed neighbours. */
static int64_t most_known(const ordering *o) {
  int64_t best = -1;
  for (int64_t v = 0; v < o->graph.vertices; ++v)
    if (o->rank[v] < 0 && (best < 0 || o->known[v] > o->known[best])) best = v;
  return best;
}

/* Returns the first vertex of a shortest ear: a path through unplaced vertices, each end of
   which has an edge to a placed one. Searches breadth first from all placed vertices; an ear is
   where two branches meet. */
static int64_t shortest_ear(ordering *o) {
  const gg_graph *g = &o->graph;
  int64_t held = 0, best = -1, length = 2 * g->vertices + 1;
  for (int64_t v = 0; v < g->vertices; ++v) {
    o->branch[v] = -1;
    if (o->rank[v] >= 0 || o->known[v] == 0) continue;
    o->branch[v] = v;
    o->far[v] = 0;
    o->waiting[held++] = v;
  }
  for (int64_t at = 0; at < held && 2 * o->far[o->waiting[at]] < length; ++at) {
    const int64_t v = o->waiting[at];
    for (int64_t i = g->start[v]; i < g->start[v + 1]; ++i) {
      const int64_t w = gg_other_end(g, g->edge[i], v);
      if (o->rank[w] >= 0 || o->branch[w] == o->branch[v]) continue;
      if (o->branch[w] < 0) {
        o->branch[w] = o->branch[v];
        o->far[w] = o->far[v] + 1;
        o->waiting[held++] = w;
      } else if (o->far[v] + o->far[w] < length) {
        length = o->far[v] + o->far[w];
        best = o->branch[v] < o->branch[w] ? o->branch[v] : o->branch[w];
      }
    }
  }
  return best;
}

/* Gives a vertex its rank, and counts it as a known neighbour of its neighbours. */
static void put_vertex(ordering *o, int64_t v, int64_t rank) {
  const gg_graph *g = &o->graph;
  o->rank[v] = rank;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; ++i)
    ++o->known[gg_other_end(g, g->edge[i], v)];
}

/* Ranks the vertices: each next one has most neighbours before it, or begins the shortest ear. */
static gpugeo_status order_vertices(ordering *o, double fraction, gg_call *call) {
  if (call->status) return call->status;
  put_vertex(o, 0, 0);
  for (int64_t rank = 1; rank < o->graph.vertices; ++rank) {
    int64_t next = most_known(o);
    if (o->known[next] < 2 && rank < o->graph.vertices - 1) next = shortest_ear(o);
    put_vertex(o, next, rank);
    if (gg_call_poll(call, fraction)) return call->status;
  }
  return GPUGEO_OK;
}

/* Allocates the ordering of a block's edges, and names its vertices, the root first. */
static gpugeo_status ordering_make(const gg_block_edges *from, ordering *o, gg_call *call) {
  *o = (ordering){0};
  if (call->status) return call->status;
  const int64_t count = from->count;
  int64_t *rank = from->rank;
  const int64_t most = count + 1; /* vertices: as many as edges, or one more for a bridge */
  o->ends = gg_allocate(count, sizeof *o->ends);
  o->memory = gg_allocate(6 * most, sizeof *o->memory);
  if (!o->ends || !o->memory)
    return call->status = gg_fail_memory(call->error, (8 * most) * (int64_t)sizeof *o->memory);
  o->name = o->memory;
  o->rank = o->name + most;
  o->known = o->rank + most;
  o->branch = o->known + most;
  o->far = o->branch + most;
  o->waiting = o->far + most;
  int64_t vertices = 0;
  o->name[vertices] = from->root;
  rank[from->root] = vertices++;
  for (int64_t i = 0; i < count; ++i) {
    const gg_block_edge *edge = &from->edges[from->chosen[i]];
    const int64_t both[2] = {edge->u, edge->v};
    for (int k = 0; k < 2; ++k)
      if (rank[both[k]] < 0) {
        o->name[vertices] = both[k];
        rank[both[k]] = vertices++;
      }
    o->ends[i] = (gg_ends){rank[both[0]], rank[both[1]]};
  }
  for (int64_t v = 0; v < vertices; ++v) {
    rank[o->name[v]] = -1;
    o->rank[v] = -1;
    o->known[v] = 0;
  }
  return GG_TRY(call, gg_graph_make(vertices, o->ends, count, &o->graph, call->error));
}

/* Frees an ordering. */
static void ordering_free(ordering *o) {
  gg_graph_free(&o->graph);
  gg_free(o->ends);
  gg_free(o->memory);
}

/* --- A block made ready ----------------------------------------------------------------------- */

/* Compares steps by `to`, then by width: the narrowest interval places the vertex best. */
static int compare_steps(const void *left, const void *right) {
  const gg_block_step *a = left, *b = right;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  const gg_units wide_a = a->most - a->least, wide_b = b->most - b->least;
  if (wide_a != wide_b) return wide_a < wide_b ? -1 : 1;
  return a->from < b->from ? -1 : a->from > b->from;
}

/* Writes the steps of a block in the order of its vertices, and the first one that has a mirror
   image. */
static void make_steps(const gg_block_edges *from, const ordering *o, gg_block *block) {
  const int64_t count = from->count;
  for (int64_t i = 0; i < count; ++i) {
    const gg_block_edge *e = &from->edges[from->chosen[i]];
    const int64_t u = o->rank[o->ends[i].u], v = o->rank[o->ends[i].v];
    block->step[i] = (gg_block_step){.from = u < v ? u : v,
                                     .to = u < v ? v : u,
                                     .least = e->least,
                                     .most = e->most,
                                     .distance = e->distance,
                                     .flat = e->flat};
  }
  qsort(block->step, (size_t)count, sizeof *block->step, compare_steps);
  block->before[0] = -1;
  block->mirrored = count;
  for (int64_t i = count - 1; i >= 0; --i) {
    gg_block_step *step = &block->step[i];
    step->is_first = i == 0 || block->step[i - 1].to != step->to;
    if (step->is_first) block->before[step->to] = step->from;
    if (!step->flat) block->mirrored = i;
  }
}

/* Computes the lengths of the shortest paths from one vertex, each edge at its upper bound, by
   the Bellman-Ford algorithm with a queue of the vertices that came nearer. */
static void reach_from(const gg_block_edges *from, ordering *o, int64_t source, gg_units *reach) {
  const gg_graph *g = &o->graph;
  const int64_t n = g->vertices;
  int64_t *waits = o->known; /* the order is made: it is free */
  for (int64_t v = 0; v < n; ++v) {
    reach[v] = (gg_units)1 << 124; /* beyond all paths */
    waits[v] = 0;
  }
  reach[o->rank[source]] = 0;
  o->waiting[0] = source;
  for (int64_t first = 0, held = 1; held > 0; --held) {
    const int64_t v = o->waiting[first];
    first = first + 1 < n ? first + 1 : 0;
    waits[v] = 0;
    for (int64_t i = g->start[v]; i < g->start[v + 1]; ++i) {
      const int64_t w = gg_other_end(g, g->edge[i], v);
      const gg_units length = reach[o->rank[v]] + from->edges[from->chosen[g->edge[i]]].most;
      if (length >= reach[o->rank[w]]) continue;
      reach[o->rank[w]] = length;
      if (waits[w]) continue;
      waits[w] = 1;
      /* v has left the queue, but held still counts it. */
      o->waiting[(first + held - 1) % n] = w;
      ++held;
    }
  }
}

/* Computes how far apart the vertices of a block can be. */
static gpugeo_status make_reach(const gg_block_edges *from, ordering *o, gg_block *block,
                                double fraction, gg_call *call) {
  for (int64_t v = 0; v < block->vertices; ++v) {
    if (gg_call_poll(call, fraction)) return call->status;
    reach_from(from, o, v, block->reach + o->rank[v] * block->vertices);
  }
  return GPUGEO_OK;
}

/* Checks the memory for the distances between all pairs of n vertices. */
static gpugeo_status check_reach(int64_t n, const gpugeo_run *run, gpugeo_error *error) {
  const double bytes = (double)n * (double)n * (double)sizeof(gg_units);
  gpugeo_status status = gg_check_work(run, bytes, error, "a block of %lld vertices", (long long)n);
  if (status) return status;
  return gg_check_memory(bytes, "edges", error, "a block of %lld vertices needs", (long long)n);
}

/* Allocates the arrays of a block of n vertices. */
static gpugeo_status allocate_block(int64_t n, gg_block *block, gg_call *call) {
  if (call->status) return call->status;
  block->vertices = n;
  block->vertex = gg_allocate(n, sizeof *block->vertex);
  block->before = gg_allocate(n, sizeof *block->before);
  block->step = gg_allocate(block->steps, sizeof *block->step);
  block->reach = gg_allocate(n * n, sizeof *block->reach);
  if (!block->vertex || !block->before || !block->step || !block->reach)
    call->status = gg_fail_memory(call->error, n * n * (int64_t)sizeof *block->reach +
                                                   block->steps * (int64_t)sizeof *block->step);
  return call->status;
}

gpugeo_status gg_block_make(const gg_block_edges *from, double fraction, gg_block *block,
                            gg_call *call) {
  *block = (gg_block){.steps = from->count};
  ordering o;
  ordering_make(from, &o, call);
  GG_TRY(call, check_reach(o.graph.vertices, call->run, call->error));
  order_vertices(&o, fraction, call);
  if (!allocate_block(o.graph.vertices, block, call)) {
    for (int64_t v = 0; v < block->vertices; ++v)
      block->vertex[o.rank[v]] = o.name[v];
    make_steps(from, &o, block);
    make_reach(from, &o, block, fraction, call);
  }
  ordering_free(&o);
  return call->status;
}

void gg_block_free(gg_block *block) {
  gg_free(block->vertex);
  gg_free(block->before);
  gg_free(block->step);
  gg_free(block->reach);
}

/* --- Constraints ------------------------------------------------------------------------------ */

/* An entry of `range` and its value before it was narrowed. */
typedef struct change {
  int64_t at;
  gg_units value;
} change;

/*
 * The constraints on the placed vertices from the steps taken so far: x_j - x_i is at most range[i
 * * vertices + j]. The entries are all consequences of each other (shortest paths), so a step
 * can be checked against one of them, and no set of steps that passes is in contradiction (Dechter,
 * Meiri and Pearl 1991).
 */
typedef struct walker {
  _Alignas(64) const gg_block *block; /* each thread's in cache lines of its own */
  gg_units *range;
  change *changes; /* by which steps are undone; NULL: they never are */
  int64_t changed, room;
  int64_t *mark;      /* of each step, `changed` before it */
  signed char *tried; /* of each step: 0: nothing, 1: right, 2: right and left */
  int64_t *below;     /* scratch: vertices that come nearer */
  bool given;         /* the steps are those of a realization: no reach to check */
  bool no_memory;
} walker;

/* Returns the bound of the position of vertex j from vertex i. */
static gg_units *range_of(const walker *w, int64_t i, int64_t j) {
  return &w->range[i * w->block->vertices + j];
}

/* Narrows a bound, and notes the former one if steps can be taken back. Returns false without
   memory. */
static bool narrow(walker *w, int64_t i, int64_t j, gg_units value) {
  gg_units *entry = range_of(w, i, j);
  if (w->changes) {
    if (w->changed == w->room) {
      change *larger = gg_reallocate(w->changes, 2 * w->room, sizeof *larger);
      if (!larger) {
        w->no_memory = true;
        return false;
      }
      w->changes = larger;
      w->room *= 2;
    }
    w->changes[w->changed++] = (change){entry - w->range, *entry};
  }
  *entry = value;
  return true;
}

/* Adds x_v - x_u <= most, which is consistent with the others, for the first `placed` vertices. */
static bool add_bound(walker *w, int64_t u, int64_t v, gg_units most, int64_t placed) {
  if (most >= *range_of(w, u, v)) return true;
  int64_t count = 0;
  for (int64_t j = 0; j < placed; ++j)
    if (most + *range_of(w, v, j) < *range_of(w, u, j)) w->below[count++] = j;
  for (int64_t i = 0; i < placed; ++i) {
    const gg_units to_v = *range_of(w, i, u) + most;
    if (to_v >= *range_of(w, i, v)) continue;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t j = w->below[k];
      const gg_units value = to_v + *range_of(w, v, j);
      if (value < *range_of(w, i, j) && !narrow(w, i, j, value)) return false;
    }
  }
  return true;
}

/* Places a vertex by one distance. True if it is within reach of all placed ones. */
static bool place_vertex(walker *w, const gg_block_step *step, gg_units least, gg_units most) {
  const int64_t n = w->block->vertices, v = step->to;
  *range_of(w, v, v) = 0;
  for (int64_t j = 0; j < v; ++j) {
    const gg_units up = *range_of(w, j, step->from) + most;
    const gg_units down = *range_of(w, step->from, j) - least;
    const gg_units reach = w->block->reach[v * n + j];
    if (!w->given && (up < -reach || down < -reach)) return false;
    *range_of(w, j, v) = up;
    *range_of(w, v, j) = down;
  }
  return true;
}

/* Takes step t with `to` to the right (+1) or left (-1). Returns false if this contradicts the
   steps before; then nothing has changed. */
static bool take_step(walker *w, int64_t t, int side) {
  const gg_block_step *step = &w->block->step[t];
  const gg_units least = side > 0 ? step->least : -step->most;
  const gg_units most = side > 0 ? step->most : -step->least;
  const int64_t u = step->from, v = step->to;
  if (least > most) return false;
  if (step->is_first) return place_vertex(w, step, least, most);
  if (*range_of(w, v, u) + most < 0 || *range_of(w, u, v) - least < 0) return false;
  return add_bound(w, u, v, most, v + 1) && add_bound(w, v, u, -least, v + 1);
}

/* Restores the bounds before step t. */
static void take_back(walker *w, int64_t t) {
  while (w->changed > w->mark[t]) {
    const change *last = &w->changes[--w->changed];
    w->range[last->at] = last->value;
  }
}

/* Allocates a walker. Returns false without memory. */
static bool walker_make(walker *w, const gg_block *block) {
  const int64_t n = block->vertices;
  *w = (walker){.block = block, .room = 64};
  w->range = gg_allocate(n * n, sizeof *w->range);
  w->changes = gg_allocate(w->room, sizeof *w->changes);
  w->mark = gg_allocate(block->steps, sizeof *w->mark);
  w->tried = gg_allocate(block->steps, sizeof *w->tried);
  w->below = gg_allocate(n, sizeof *w->below);
  if (w->range) w->range[0] = 0;
  return w->range && w->changes && w->mark && w->tried && w->below;
}

/* Frees a walker. */
static void walker_free(walker *w) {
  gg_free(w->range);
  gg_free(w->changes);
  gg_free(w->mark);
  gg_free(w->tried);
  gg_free(w->below);
}

/* --- The search ------------------------------------------------------------------------------- */

/* The data that all threads of a search share. */
typedef struct search {
  const gg_block *block;
  int64_t most;
  gg_clock *clock;
  double from, to; /* fractions done at its beginning and its end */
  bool no_memory;  /* set by any thread */
  int64_t tasks;
  struct task *task;
} search;

/* One part of a search: the realizations that begin with the given sides. */
typedef struct task {
  const signed char *begin;
  gg_count count;
  int64_t seen; /* count for other threads, while it fits */
  int64_t stored, room;
  signed char *sides;
} task;

/* True if all threads must stop: interrupted, or without memory. */
static bool stopped(const search *s) {
  return gg_atomic_load(&s->no_memory) || gg_clock_stopped(s->clock);
}

/* True if all threads must stop; the calling thread calls the hooks. */
static bool asked_to_stop(search *s) { return gg_clock_poll(s->clock, s->from) || stopped(s); }

/* Stops all threads of a search without memory. */
static void run_out_of_memory(search *s) { gg_atomic_store(&s->no_memory, true); }

/* Called for each realization of the steps up to `last`; false ends the search. */
typedef bool (*visitor)(void *data, const walker *w, int64_t last);

/*
 * Visits all ways to take the steps from `first` up to `last`, the earlier ones being taken: right
 * before left. Returns false if it ended early: stopped, without memory, by the visitor, or after
 * `budget` steps.
 */
static bool explore_walks(search *s, walker *w, int64_t first, int64_t last, int64_t budget,
                          visitor visit, void *data) {
  if (first == last) return visit(data, w, last);
  int64_t t = first, taken = 0;
  w->tried[first] = 0;
  while (t >= first) {
    if (taken++ == budget) return false;
    if (taken % 16 == 0 && asked_to_stop(s)) return false;
    const int sides = w->block->step[t].flat || t == w->block->mirrored ? 1 : 2;
    if (w->tried[t] > 0) take_back(w, t);
    if (w->tried[t] == sides) {
      --t;
      continue;
    }
    w->mark[t] = w->changed;
    ++w->tried[t];
    if (take_step(w, t, w->tried[t] == 1 ? 1 : -1)) {
      if (t + 1 < last)
        w->tried[++t] = 0;
      else if (!visit(data, w, last))
        return false;
    }
    if (w->no_memory) {
      run_out_of_memory(s);
      return false;
    }
  }
  return true;
}

/* Copies the sides of the first steps, 1 for right and -1 for left. */
static void copy_sides(const walker *w, int64_t last, signed char *sides) {
  for (int64_t t = 0; t < last; ++t)
    sides[t] = w->tried[t] == 1 ? 1 : -1;
}

/* Allocates room for one more list of sides. */
static bool grow_lists(task *t, int64_t steps) {
  if (t->stored < t->room) return true;
  const int64_t room = t->room ? 2 * t->room : 16;
  signed char *larger = gg_reallocate(t->sides, room, steps);
  if (!larger) return false;
  t->sides = larger;
  t->room = room;
  return true;
}

/* True if the tasks before this one have found as many realizations as are to be stored. */
static bool enough_before(const search *s, const task *t) {
  int64_t sum = 0;
  for (const task *other = s->task; other < t && sum < s->most; ++other) {
    const int64_t seen = gg_atomic_load(&other->seen);
    sum += seen < s->most ? seen : s->most;
  }
  return sum >= s->most;
}

typedef struct counting {
  search *s;
  task *t;
  bool full; /* nothing more is to be stored */
} counting;

/* Counts a solution, and stores it while there are fewer than the search needs. */
static bool count_one(void *data, const walker *w, int64_t last) {
  counting *c = data;
  task *t = c->t;
  ++t->count;
  if (c->full || t->stored == c->s->most) return true;
  gg_atomic_store(&t->seen, (int64_t)t->count);
  if (t->stored == t->room && enough_before(c->s, t)) {
    c->full = true;
    return true;
  }
  if (!grow_lists(t, last)) {
    run_out_of_memory(c->s);
    return false;
  }
  copy_sides(w, last, t->sides + t->stored++ * last);
  return true;
}

/* Stores the beginning of a realization, `last` steps long, in a task. */
static bool keep_beginning(void *data, const walker *w, int64_t last) {
  counting *c = data;
  ++c->t->count;
  if (!grow_lists(c->t, last)) {
    run_out_of_memory(c->s);
    return false;
  }
  copy_sides(w, last, c->t->sides + c->t->stored++ * last);
  return true;
}

/* Searches all solutions that begin with the steps of a task. */
static void run_task(search *s, walker *w, task *t, int64_t begun) {
  for (int64_t i = 0; i < begun; ++i) {
    w->tried[i] = t->begin[i] > 0 ? 1 : 2;
    (void)take_step(w, i, t->begin[i]); /* passed before */
  }
  counting c = {s, t, s->most == 0};
  (void)explore_walks(s, w, begun, s->block->steps, INT64_MAX, count_one, &c);
  w->changed = 0; /* the next task begins anew */
}

/* All tasks of a search, whose beginnings have `begun` steps. */
typedef struct tasks {
  search *search;
  int64_t begun;
  walker *walkers; /* of each thread, from its first task on */
} tasks;

/* Runs a range of tasks with the walker of the thread. */
static void run_range(void *job, gg_range range) {
  const tasks *all = job;
  search *s = all->search;
  walker *w = &all->walkers[range.worker];
  if (!w->block && !walker_make(w, s->block)) run_out_of_memory(s);
  for (int64_t task = range.first; task < range.last && !stopped(s); ++task)
    run_task(s, w, &s->task[task], all->begun);
}

/* Runs all tasks in parallel. */
static void run_tasks(search *s, int64_t begun, int32_t threads) {
  tasks all = {s, begun, gg_allocate(threads, sizeof *all.walkers)};
  if (!all.walkers) {
    run_out_of_memory(s);
    return;
  }
  memset(all.walkers, 0, (size_t)threads * sizeof *all.walkers);
  (void)gg_parallel_for(&(gg_loop){.threads = threads,
                                   .count = s->tasks,
                                   .grain = 1,
                                   .work = run_range,
                                   .job = &all,
                                   .stop = &s->no_memory,
                                   .clock = s->clock,
                                   .begun = s->from,
                                   .share = s->to - s->from});
  for (int32_t t = 0; t < threads; ++t)
    walker_free(&all.walkers[t]);
  gg_free(all.walkers);
}

/* Joins the results of all tasks in their order. */
static bool gather_solutions(const search *s, gg_block_found *found) {
  const int64_t steps = s->block->steps;
  int64_t stored = 0;
  for (int64_t i = 0; i < s->tasks; ++i) {
    found->count += s->task[i].count;
    stored += s->task[i].stored;
  }
  found->stored = stored < s->most ? stored : s->most;
  found->sides = gg_allocate(found->stored, steps);
  if (!found->sides) return false;
  int64_t filled = 0;
  for (int64_t i = 0; i < s->tasks; ++i) {
    const int64_t left = found->stored - filled;
    const int64_t take = s->task[i].stored < left ? s->task[i].stored : left;
    if (take > 0) memcpy(found->sides + filled * steps, s->task[i].sides, (size_t)(take * steps));
    filled += take;
  }
  return true;
}

/* Finds the number of steps after which a search is cut into tasks, and the beginnings of that
   length, of which there are enough to use all threads if possible. */
static bool cut_search(search *s, walker *w, int64_t *begun, task *beginnings) {
  const int64_t wanted = 64, stride = 4, deepest = 64;
  for (*begun = stride; !stopped(s); *begun += stride) {
    if (*begun > s->block->steps) *begun = s->block->steps;
    gg_free(beginnings->sides); /* lists of another length */
    *beginnings = (task){0};
    counting c = {s, beginnings, false};
    if (!explore_walks(s, w, 0, *begun, INT64_MAX, keep_beginning, &c)) return false;
    if (beginnings->stored >= wanted || *begun == s->block->steps || *begun >= deepest) return true;
  }
  return false;
}

/* Searches in parallel; each beginning is a task. */
static void search_in_parts(search *s, walker *w, int32_t threads, gg_block_found *found) {
  int64_t begun = 0;
  task beginnings = {0};
  if (cut_search(s, w, &begun, &beginnings) && beginnings.stored > 0) {
    s->task = gg_allocate_zeros(beginnings.stored, sizeof *s->task);
    if (s->task) {
      s->tasks = beginnings.stored;
      for (int64_t i = 0; i < s->tasks; ++i)
        s->task[i].begin = beginnings.sides + i * begun;
      run_tasks(s, begun, threads);
      if (!stopped(s) && !gather_solutions(s, found)) run_out_of_memory(s);
      for (int64_t i = 0; i < s->tasks; ++i)
        gg_free(s->task[i].sides);
      gg_free(s->task);
    } else {
      run_out_of_memory(s);
    }
  }
  gg_free(beginnings.sides);
}

gpugeo_status gg_block_search(const gg_block *block, int64_t most, int32_t threads, double from,
                              double to, gg_block_found *found, gg_call *call) {
  const int64_t small = 20000; /* steps that take less time than to start threads */
  search s = {.block = block, .most = most, .clock = call->clock, .from = from, .to = to};
  *found = (gg_block_found){0};
  if (call->status) return call->status;
  walker w;
  if (!walker_make(&w, block)) {
    run_out_of_memory(&s);
  } else {
    task whole = {0};
    counting c = {&s, &whole, most == 0};
    s.task = &whole;
    if (explore_walks(&s, &w, 0, block->steps, threads > 1 ? small : INT64_MAX, count_one, &c)) {
      s.tasks = 1;
      if (!gather_solutions(&s, found)) run_out_of_memory(&s);
    } else if (!stopped(&s)) {
      w.changed = 0;
      s.tasks = 0;
      search_in_parts(&s, &w, threads, found);
    }
    gg_free(whole.sides);
  }
  walker_free(&w);
  if (!stopped(&s)) return GPUGEO_OK;
  gg_free(found->sides);
  *found = (gg_block_found){0};
  const int64_t n = block->vertices;
  if (s.no_memory)
    return call->status = gg_fail_memory(call->error, threads * n * n * (int64_t)sizeof(gg_units));
  return gg_call_require(call, false);
}

gpugeo_status gg_block_positions(const gg_block *block, const signed char *sides, int64_t count,
                                 gg_units *twice, double fraction, gg_call *call) {
  walker w;
  if (call->status) return call->status;
  if (!walker_make(&w, block))
    call->status =
        gg_fail_memory(call->error, block->vertices * block->vertices * (int64_t)sizeof *w.range);
  gg_free(w.changes);
  w.changes = NULL; /* no step is taken back */
  w.given = true;
  for (int64_t i = 0; i < count && !call->status; ++i) {
    for (int64_t t = 0; t < block->steps; ++t)
      (void)take_step(&w, t, sides[i * block->steps + t]);
    for (int64_t v = 0; v < block->vertices; ++v)
      twice[i * block->vertices + v] = *range_of(&w, 0, v) - *range_of(&w, v, 0);
    gg_call_poll(call, fraction);
  }
  walker_free(&w);
  return call->status;
}
