/*
 * Closest pairs by a grid.
 *
 * A sample of the points, searched in the same way, determines a reach within which k pairs are
 * expected (Rabin's idea; Khuller and Matias, 1995, prove a linear bound on the pairs within it for
 * any distribution of points). All points are sorted into cells of that size, so only pairs in
 * the same cell or in neighbouring ones are tested; the reach shrinks with the k-th best pair
 * found. If there are fewer than k pairs within it, it is doubled, and the search is repeated.
 * Coincident points are first joined into one location with several rows if the sample has many of
 * them.
 *
 * Whatever the sample, the result is that of all pairs: a pair is left out only if k better ones
 * have been found. Therefore threads and chunks do not change it.
 */
#include "points/cpu/closest_grid.h"

#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/box_tree.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "points/cpu/closest_locations.h"

double gg_closest_reach(const gg_point_rule *rule, gg_square square) {
  const double value = gg_square_value(rule->kind, square);
  if (rule->kind != GG_POINT_SPHERE) return value * (1 + 0x1p-48) + 0x1p-1000;
  const double chord = 2 * sqrt(value) * (1 + 0x1p-44) + 0x1p-46; /* see gg_sphere_unit() */
  return chord * chord;
}

/* --- the search among sorted points ----------------------------------------------------------- */

/* Returns the smaller of two numbers. */
static double smaller(double a, double b) { return a < b ? a : b; }

/* The data that the threads of a search share. */
typedef struct sweep {
  const gg_closest_search *search;
  const gg_grid *x, *y;                          /* y is x within */
  const gg_locations *locations_x, *locations_y; /* NULL: each point is a location */
  double reach;                                  /* read and written atomically; it only shrinks */
  gg_lock lock;                                  /* for shrinking it */
  double before, share;                          /* of the progress */
  struct worker *workers;
} sweep;

enum { CHUNK = 4096 }; /* positions that a thread takes at a time: 0.1 to 1 ms */

/* Returns the reach, which other threads may be lowering. */
static double read_reach(const sweep *s) { return gg_atomic_load_double(&s->reach); }

/* Lowers the reach of all threads. */
static void lower_reach(sweep *s, double reach) {
  gg_lock_take(&s->lock);
  if (reach < read_reach(s)) gg_atomic_store_double(&s->reach, reach);
  gg_lock_give(&s->lock);
}

/* The data of one thread, in cache lines of its own. */
typedef struct worker {
  _Alignas(64) sweep *sweep;
  gg_best best;
  gg_grid_walk walk;
  double reach;  /* that of the sweep, when last read */
  int64_t start; /* of the positions in work */
  bool stopped;
} worker;

/* Loads the point at a position of the grid. */
static void load_point(const gg_point_rule *rule, const gg_grid *grid, const gpugeo_matrix *raw,
                       int64_t position, int64_t row, double *point) {
  if (rule->kind == GG_POINT_SPHERE) {
    gg_point_load(rule, raw, row, point);
    return;
  }
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    point[c] = c < rule->columns ? grid->at[c][position] : 0;
}

/* Tests the points at two positions that may be within reach. */
static void test_pair(worker *w, int64_t p, int64_t q) {
  const sweep *s = w->sweep;
  const gg_closest_search *search = s->search;
  const gg_point_rule *rule = &search->rule;
  double a[GG_POINT_COLUMNS], b[GG_POINT_COLUMNS];
  int64_t i = s->x->row[p], j = s->y->row[q];
  const gg_best_rows rows_a =
      s->locations_x ? gg_locations_rows(s->locations_x, i) : (gg_best_rows){0};
  const gg_best_rows rows_b =
      s->locations_y ? gg_locations_rows(s->locations_y, j) : (gg_best_rows){0};
  if (s->locations_x) {
    i = rows_a.row[0];
    j = rows_b.row[0];
  }
  load_point(rule, s->x, &search->x.raw, p, i, a);
  load_point(rule, s->y, &search->y.raw, q, j, b);
  const gg_square square = gg_point_square(rule, a, b);
  if (s->locations_x)
    gg_best_offer_locations(&w->best, square, rows_a, rows_b, search->within);
  else
    gg_best_offer(&w->best, square, i, j, search->within);
  if (!gg_best_full(&w->best)) return;
  const double reach = gg_closest_reach(rule, w->best.pairs[0].square);
  if (reach >= w->reach) return;
  w->reach = reach;
  lower_reach(w->sweep, reach);
}

/* Tests the point at p of x against those at [first, last) of y. */
static void compare_run(worker *w, int64_t p, int64_t first, int64_t last) {
  const sweep *s = w->sweep;
  const double *box = s->search->rule.box;
  const int columns = s->x->shape.columns;
  for (int64_t q = first; q < last; ++q) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) {
      const double d = gg_point_difference(s->x->at[c][p], s->y->at[c][q], box[c]);
      sum += d * d;
    }
    if (sum <= w->reach) test_pair(w, p, q);
  }
}

/* True if the search must stop. `done` is the number of finished positions of x. */
static bool asked_to_stop(sweep *s, int64_t done) {
  const double fraction = (double)done / (double)(s->x->n + 1);
  return gg_clock_poll(s->search->call->clock, s->before + s->share * fraction);
}

/* --- crowded cells ---------------------------------------------------------------------------- */

/* Two nodes whose points are to be compared, of trees over x and over y; the same one: its points
   with each other. */
typedef struct node_pair {
  const gg_tree *tree_a, *tree_b;
  const gg_tree_node *a, *b;
} node_pair;

/* Compares all pairs of two leaves, or within a leaf. */
static void compare_leaves(worker *w, const node_pair *n) {
  for (int64_t p = n->a->first; p < n->a->last; ++p)
    for (int64_t q = n->a == n->b ? p + 1 : n->b->first; q < n->b->last; ++q) {
      const int64_t at = n->tree_b->position[q];
      compare_run(w, n->tree_a->position[p], at, at + 1);
    }
}

/* Compares the points of two nodes, or within a node, that may be within reach. */
static void compare_nodes(worker *w, node_pair n) {
  const double *box = w->sweep->search->rule.box;
  const int columns = n.tree_a->columns;
  if (w->stopped || gg_tree_gap(n.a, n.b, columns, box) > w->reach) return;
  if (!n.a->left && !n.b->left) {
    w->stopped = asked_to_stop(w->sweep, w->start);
    compare_leaves(w, &n);
    w->reach = smaller(w->reach, read_reach(w->sweep));
    return;
  }
  if (n.a == n.b) {
    const gg_tree_node *left = n.tree_a->nodes + n.a->left, *right = left + 1;
    compare_nodes(w, (node_pair){n.tree_a, n.tree_a, left, left});
    compare_nodes(w, (node_pair){n.tree_a, n.tree_a, right, right});
    compare_nodes(w, (node_pair){n.tree_a, n.tree_a, left, right});
    return;
  }
  /* The larger node is divided; the child that is nearer comes first. */
  const int64_t count_a = n.a->last - n.a->first, count_b = n.b->last - n.b->first;
  node_pair one = n, other = n;
  if (n.a->left && (count_a >= count_b || !n.b->left)) {
    one.a = n.tree_a->nodes + n.a->left;
    other.a = one.a + 1;
  } else {
    one.b = n.tree_b->nodes + n.b->left;
    other.b = one.b + 1;
  }
  const bool in_order =
      gg_tree_gap(one.a, one.b, columns, box) <= gg_tree_gap(other.a, other.b, columns, box);
  compare_nodes(w, in_order ? one : other);
  compare_nodes(w, in_order ? other : one);
}

/* Makes a tree over some positions of a grid. */
static bool plant(const gg_grid *grid, int64_t first, int64_t last, gg_tree *tree) {
  return gg_tree_make(grid->shape.columns, (const double *const *)grid->at, first, last, tree);
}

/* Does the same as look_around() for more than 4,096 pairs: cells can be much larger than the
   distances of points in them if cells cannot be small relative to the whole range, or if two
   sets are far from each other. Returns false if there is no memory; then nothing was done. */
static bool look_around_crowd(worker *w, int64_t p, int64_t end, const gg_grid_run *runs,
                              int count) {
  const sweep *s = w->sweep;
  gg_tree a, b[GG_GRID_RUNS];
  if (!plant(s->x, p, end, &a)) return false;
  int made = 0;
  while (made < count && plant(s->y, runs[made].first, runs[made].last, &b[made]))
    ++made;
  if (made == count) {
    if (s->search->within) compare_nodes(w, (node_pair){&a, &a, a.nodes, a.nodes});
    for (int r = 0; r < count; ++r)
      compare_nodes(w, (node_pair){&a, &b[r], a.nodes, b[r].nodes});
  }
  for (int r = 0; r < made; ++r)
    gg_tree_free(&b[r]);
  gg_tree_free(&a);
  return made == count;
}

/* Tests all pairs of the cell of x at [p, end) and the points near it. */
static void look_around(worker *w, int64_t p, int64_t end) {
  const sweep *s = w->sweep;
  const bool within = s->search->within;
  double location[GG_POINT_COLUMNS] = {0, 0, 0};
  for (int c = 0; c < s->x->shape.columns; ++c)
    location[c] = s->x->at[c][p];
  gg_grid_run runs[GG_GRID_RUNS];
  const int count = gg_grid_near(s->y, location, within ? end : 0, &w->walk, runs);
  const int64_t crowded = 4096; /* pairs */
  int64_t near = within ? end - p : 0;
  for (int r = 0; r < count; ++r)
    near += runs[r].last - runs[r].first;
  if ((end - p) * near > crowded && look_around_crowd(w, p, end, runs, count)) return;
  for (int64_t a = p; a < end; ++a) {
    if (within) compare_run(w, a, a + 1, end);
    for (int r = 0; r < count; ++r)
      compare_run(w, a, runs[r].first, runs[r].last);
  }
}

/* Tests the cells that begin at the positions of a range. */
static void look_around_cells(void *job, gg_range range) {
  sweep *s = job;
  worker *w = &s->workers[range.worker];
  const int64_t until = gg_grid_cell_start(s->x, range.last);
  w->start = range.first;
  for (int64_t p = gg_grid_cell_start(s->x, range.first), end; p < until && !w->stopped; p = end) {
    w->reach = read_reach(s);
    end = gg_grid_cell_end(s->x, p);
    look_around(w, p, end);
  }
}

/* Takes the pairs of rows at one location, which no pair of positions represents. */
static void take_locations(const sweep *s, gg_best *best) {
  if (!s->locations_x || !s->search->within) return;
  const gg_square zero = {0, 0};
  for (int64_t location = 0; location < s->x->n; ++location) {
    const gg_best_rows rows = gg_locations_rows(s->locations_x, location);
    gg_best_offer_locations(best, zero, rows, rows, true);
  }
}

/* Tests all positions on so many threads. */
static void look_around_all(sweep *s, int32_t threads) {
  gg_lock_make(&s->lock);
  gg_call_loop(s->search->call, (gg_loop){.threads = threads,
                                          .count = s->x->n,
                                          .grain = CHUNK,
                                          .work = look_around_cells,
                                          .job = s,
                                          .begun = s->before,
                                          .share = s->share});
  gg_lock_free(&s->lock);
}

/* Finds all pairs within reach. Each thread has its own list of the best; that of the first is
   `best`. */
static gpugeo_status sweep_all(sweep *s, gg_best *best) {
  gg_call *call = s->search->call;
  if (call->status) return call->status;
  const int64_t k = best->k, chunks = (s->x->n + CHUNK - 1) / CHUNK;
  const int32_t threads = chunks < s->search->threads ? (int32_t)chunks : s->search->threads;
  gg_closest_pair *pairs = threads > 1 ? gg_allocate((threads - 1) * k, sizeof *pairs) : NULL;
  s->workers = gg_allocate(threads, sizeof *s->workers);
  if (!s->workers || (threads > 1 && !pairs)) {
    call->status = gg_fail_memory(call->error, (threads - 1) * k * (int64_t)sizeof *pairs);
  } else {
    take_locations(s, best);
    for (int32_t t = 0; t < threads; ++t) {
      s->workers[t] = (worker){.sweep = s, .best = *best};
      if (t > 0) gg_best_start(&s->workers[t].best, k, best->distinct, pairs + (t - 1) * k);
    }
    look_around_all(s, threads);
    *best = s->workers[0].best;
    for (int32_t t = 1; t < threads; ++t)
      gg_best_join(best, &s->workers[t].best);
  }
  gg_free(s->workers);
  gg_free(pairs);
  return call->status;
}

/* --- one attempt ------------------------------------------------------------------------------ */

/* Searches all pairs within a reach. `many`: coincident points are joined into locations. */
static gpugeo_status search_within(const gg_closest_search *search, double reach, bool many,
                                   gg_best *best) {
  gg_call *call = search->call;
  double length[GG_POINT_COLUMNS];
  const int columns = (int)search->x.location.ncol;
  for (int c = 0; c < columns; ++c) {
    length[c] = sqrt(reach) * (1 + 0x1p-30);
    /* A difference to an image is rounded by up to 2^-53 of the box. */
    length[c] += 0x1p-50 * search->rule.box[c];
  }
  const gg_grid_shape shape =
      gg_grid_shape_make(columns, search->low, search->high, length, search->rule.box);
  const double start = search->before, quarter = search->share / 4;
  sweep s = {.search = search, .reach = reach, .before = start + 2 * quarter, .share = 2 * quarter};
  gg_grid_points from = {.shape = &shape,
                         .points = &search->x.location,
                         .scale = search->rule.scale,
                         .threads = search->threads,
                         .before = start,
                         .after = start + quarter};
  gg_grid x, y = {0};
  gg_locations locations_x = {0}, locations_y = {0};
  gg_grid_build(&from, &x, call);
  from.points = &search->y.location;
  from.before = start + quarter;
  from.after = s.before;
  if (!search->within) gg_grid_build(&from, &y, call);
  if (many) gg_locations_make(&x, &search->rule, &search->x.raw, s.before, &locations_x, call);
  if (many && !search->within)
    gg_locations_make(&y, &search->rule, &search->y.raw, s.before, &locations_y, call);
  s.x = &x;
  s.y = search->within ? &x : &y;
  if (many) {
    s.locations_x = &locations_x;
    s.locations_y = search->within ? &locations_x : &locations_y;
  }
  sweep_all(&s, best);
  gg_locations_free(&locations_x);
  gg_locations_free(&locations_y);
  gg_grid_free(&x);
  gg_grid_free(&y);
  return call->status;
}

/* --- the sample ------------------------------------------------------------------------------- */

/* Returns a random number below n (the upper bits of a multiplicative congruential generator
   with a fixed seed). */
static int64_t random_below(uint64_t *state, int64_t n) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((double)(*state >> 11) * 0x1p-53 * (double)n);
}

/* Copies sampled rows of a matrix, as doubles. */
static void take_rows(const gpugeo_matrix *x, int64_t count, uint64_t seed, double *values) {
  for (int64_t s = 0; s < count; ++s) {
    const int64_t from = (int64_t)((double)x->nrow / (double)count * (double)s);
    const int64_t to = (int64_t)((double)x->nrow / (double)count * (double)(s + 1));
    const int64_t row = from + random_below(&seed, to - from);
    for (int64_t c = 0; c < x->ncol; ++c)
      values[s + c * count] = gg_element(x, row < x->nrow ? row : x->nrow - 1, c);
  }
}

/* Samples one row of each of `count` equal parts of a set, the same rows of raw and location.
   sample->raw.data is to be freed. */
static gpugeo_status sample_set(const gg_closest_set *set, int64_t count, bool sphere,
                                gg_closest_set *sample, gg_call *call) {
  const int64_t columns = set->raw.ncol, all = columns + (sphere ? set->location.ncol : 0);
  double *values = gg_call_allocate(call, count * all, sizeof *values);
  *sample = (gg_closest_set){0};
  if (!values) return call->status;
  const uint64_t seed = 20201113;
  take_rows(&set->raw, count, seed, values);
  sample->raw = (gpugeo_matrix){values, GPUGEO_TYPE_DOUBLE, count, columns, count, NULL};
  sample->location = sample->raw;
  if (sphere) {
    take_rows(&set->location, count, seed, values + count * columns);
    sample->location = (gpugeo_matrix){
        values + count * columns, GPUGEO_TYPE_DOUBLE, count, set->location.ncol, count, NULL};
  }
  return call->status;
}

/* Returns the number of pairs of points. */
static double pairs_of(double nx, double ny, bool within) {
  return within ? nx * (nx - 1) / 2 : nx * ny;
}

/* The estimate from a sample. */
typedef struct expectation {
  double reach; /* within it k pairs are to be expected; INFINITY when nothing is known */
  bool many;    /* so many points coincide that it pays to make locations */
} expectation;

/* Returns the size of a sample of n points, n^(2/3). */
static int64_t sample_size(int64_t n) {
  const int64_t size = (int64_t)cbrt((double)n * (double)n);
  return size < n ? (size < 1 ? 1 : size) : n;
}

/* Finds the closest pairs of a sample, which tell how far those of all points may be. */
static gpugeo_status search_sample(const gg_closest_search *search, const gg_best *best,
                                   expectation *expect) {
  gg_call *call = search->call;
  const bool within = search->within, sphere = search->rule.kind == GG_POINT_SPHERE;
  const int64_t nx = search->x.raw.nrow, ny = search->y.raw.nrow;
  const int64_t sx = sample_size(nx), sy = sample_size(ny);
  const double pairs = pairs_of((double)nx, (double)ny, within);
  const double sample_pairs = pairs_of((double)sx, (double)sy, within);
  /* The k-th best pair is almost surely no further than the wanted-th best of the sample. */
  const double mean = (double)best->k * sample_pairs / pairs;
  double wanted = floor(mean + 4 * sqrt(mean) + 1);
  wanted = smaller(wanted, smaller((double)best->k, sample_pairs));
  *expect = (expectation){INFINITY, false};
  gg_closest_search sample = *search;
  sample.share = 0;
  gg_best found = {0};
  gg_closest_pair *room = gg_call_allocate(call, (int64_t)wanted, sizeof *room);
  gg_best_start(&found, (int64_t)wanted, best->distinct, room);
  sample_set(&search->x, sx, sphere, &sample.x, call);
  sample.y = sample.x;
  if (!within) sample_set(&search->y, sy, sphere, &sample.y, call);
  if (!gg_closest_grid(&sample, &found)) {
    if (gg_best_full(&found))
      expect->reach = gg_closest_reach(&search->rule, found.pairs[0].square);
    expect->many = (double)found.zeros * (pairs / sample_pairs) > 4 * (double)(nx + ny);
  }
  if (!within) gg_free((void *)sample.y.raw.data);
  gg_free((void *)sample.x.raw.data);
  gg_free(room);
  return call->status;
}

gpugeo_status gg_closest_grid(const gg_closest_search *search, gg_best *best) {
  gg_call *call = search->call;
  if (call->status) return call->status;
  const double pairs =
      pairs_of((double)search->x.raw.nrow, (double)search->y.raw.nrow, search->within);
  const double few = 4096;
  expectation expect = {INFINITY, false};
  if (pairs > few) search_sample(search, best, &expect);
  const gg_best empty = *best;
  gg_closest_search now = *search;
  double left = search->share;
  while (!call->status) {
    now.share = 0.9 * left; /* the rest is for another attempt */
    *best = empty;
    search_within(&now, expect.reach, expect.many, best);
    if (gg_best_full(best) || isinf(expect.reach)) break;
    expect.reach *= 4;
    now.before += now.share;
    left -= now.share;
  }
  return call->status;
}
