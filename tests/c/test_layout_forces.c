/* Forces of layouts against direct sums, and what iterations promise, on every backend present. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "check.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "layout/cpu/tree.h"
#include "layout/plan.h"
#include "witness.h"

/* The one that is tested. */
static const gg_backend *backend = &gg_cpu_backend;

/* True if a case on a device is left out: see check_leaves_out(). */
static bool leaves_out(int nth) { return backend != &gg_cpu_backend && check_leaves_out(nth); }
static gpugeo_status (*layout_forces)(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                      gpugeo_error *error) = gg_cpu_layout_forces;

/* --- problems --------------------------------------------------------------------------------- */

typedef struct problem {
  char name[120];
  int64_t n, *start;
  int32_t dim, *neighbor;
  float *weight, *mass;
  double *x; /* column-major */
} problem;

/* OUTLYING: most lie close together, some far from them and from each other. */
typedef enum spread { UNIFORM, CLUSTERED, OUTLYING, SPREADS } spread;
static const char *const spread_names[] = {"uniform", "clustered", "outlying"};

/* A cycle with chords from i to 3 i: each edge in both rows, the rows in order. */
static void make_graph(problem *p) {
  const int64_t n = p->n;
  uint8_t *joined = calloc((size_t)(n * n), 1);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t other[2] = {(i + 1) % n, 3 * i % n};
    for (int k = 0; k < 2; ++k)
      if (other[k] != i) joined[i * n + other[k]] = joined[other[k] * n + i] = 1;
  }
  p->start = malloc((size_t)(n + 1) * sizeof *p->start);
  p->neighbor = malloc((size_t)(4 * n + 1) * sizeof *p->neighbor);
  int64_t edges = 0;
  for (int64_t i = 0; i < n; ++i) {
    p->start[i] = edges;
    for (int64_t j = 0; j < n; ++j)
      if (joined[i * n + j]) p->neighbor[edges++] = (int32_t)j;
  }
  p->start[n] = edges;
  free(joined);
}

static double coordinate(dice *d, spread how) {
  const double u = dice_real(d);
  if (how == UNIFORM) return 20 * u;
  if (how == CLUSTERED) return 10 * (double)dice_whole(d, 3) + 0.2 * u;
  return dice_whole(d, 25) == 0 ? 20 * u : 9.9 + 0.2 * u;
}

static problem problem_make(int64_t n, int32_t dim, spread how, bool weighted, double scale,
                            double offset, uint64_t seed) {
  problem p = {.n = n, .dim = dim};
  dice d = {seed};
  make_graph(&p);
  p.x = malloc((size_t)(n * dim + 1) * sizeof *p.x);
  for (int64_t i = 0; i < n * dim; ++i)
    p.x[i] = coordinate(&d, how) * scale + offset;
  if (weighted) {
    p.weight = malloc((size_t)(p.start[n] + 1) * sizeof *p.weight);
    p.mass = malloc((size_t)(n + 1) * sizeof *p.mass);
    for (int64_t i = 0; i < n; ++i) {
      p.mass[i] = (float)(1 + dice_whole(&d, 5));
      for (int64_t e = p.start[i]; e < p.start[i + 1]; ++e)
        p.weight[e] = (float)(1 + (i + p.neighbor[e]) % 4) / 2;
    }
  }
  snprintf(p.name, sizeof p.name, "%lld vertices %s in %d-D, %s, times %g from %g", (long long)n,
           spread_names[how], dim, weighted ? "weighted" : "plain", scale, offset);
  return p;
}

static void problem_free(problem *p) {
  free(p->start);
  free(p->neighbor);
  free(p->weight);
  free(p->mass);
  free(p->x);
}

static gg_layout_plan plan_of(const problem *p, gpugeo_layout_repulsion repulsion) {
  return (gg_layout_plan){
      .graph = {p->n, p->start, p->neighbor, p->weight},
      .dim = p->dim,
      .positions = p->x,
      .mass = p->mass,
      .iterations = 1,
      .cooling = 1,
      .start_temp = 1,
      .repulsion = repulsion,
      .theta = 0.8,
      .expansion_order = p->dim == 2 ? 4 : 2,
      .progress_to = 1,
      .threads = 1,
  };
}

/* --- forces against direct sums --------------------------------------------------------------- */

/* Sums of all pairs in double, column-major. */
typedef struct direct {
  double *repulsion, *attraction;
  double *magnitude, *pull; /* of each vertex: sums of the lengths of its pairs' forces */
  double *slope;            /* sum of m / d^2: how fast repulsion changes with the positions */
} direct;

static direct direct_make(const problem *p) {
  const size_t size = (size_t)(p->n * p->dim + 1);
  direct d = {calloc(size, sizeof(double)), calloc(size, sizeof(double)),
              calloc(size, sizeof(double)), calloc(size, sizeof(double)),
              calloc(size, sizeof(double))};
  for (int64_t i = 0; i < p->n; ++i) {
    for (int64_t j = 0; j < p->n; ++j) {
      double square = 0;
      for (int c = 0; c < p->dim; ++c)
        square += pow(p->x[i + c * p->n] - p->x[j + c * p->n], 2);
      if (square == 0) continue;
      const double mass = p->mass ? (double)p->mass[j] : 1;
      d.magnitude[i] += mass / sqrt(square);
      d.slope[i] += mass / square;
      for (int c = 0; c < p->dim; ++c)
        d.repulsion[i + c * p->n] += mass * (p->x[i + c * p->n] - p->x[j + c * p->n]) / square;
    }
    for (int64_t e = p->start[i]; e < p->start[i + 1]; ++e) {
      const int64_t j = p->neighbor[e];
      double square = 0;
      for (int c = 0; c < p->dim; ++c)
        square += pow(p->x[i + c * p->n] - p->x[j + c * p->n], 2);
      const double weight =
          (p->weight ? (double)p->weight[e] : 1) / (p->mass ? (double)p->mass[i] : 1);
      d.pull[i] += weight * square;
      for (int c = 0; c < p->dim; ++c)
        d.attraction[i + c * p->n] +=
            weight * sqrt(square) * (p->x[j + c * p->n] - p->x[i + c * p->n]);
    }
  }
  return d;
}

static void direct_free(direct *d) {
  free(d->repulsion);
  free(d->attraction);
  free(d->magnitude);
  free(d->pull);
  free(d->slope);
}

typedef struct forces {
  double *repulsion, *attraction;
} forces;

static forces forces_of(const problem *p, const gg_layout_plan *plan) {
  const size_t size = (size_t)(p->n * p->dim + 1) * sizeof(double);
  forces f = {malloc(size), malloc(size)};
  const gg_layout_forces out = {f.repulsion, f.attraction};
  gpugeo_error error = {0};
  const gpugeo_status status = layout_forces(plan, &out, &error);
  CHECK(status == GPUGEO_OK, "%s: %s", p->name, error.message);
  return f;
}

static void forces_free(forces *f) {
  free(f->repulsion);
  free(f->attraction);
}

static double extent_of(const problem *p) {
  double extent = 0;
  for (int c = 0; c < p->dim; ++c) {
    double low = p->x[c * p->n], high = low;
    for (int64_t i = 0; i < p->n; ++i) {
      low = fmin(low, p->x[i + c * p->n]);
      high = fmax(high, p->x[i + c * p->n]);
    }
    extent = fmax(extent, high - low);
  }
  return extent;
}

/* Repulsion is summed in float, between positions whose distance is known to 2^-23 of the extent.
 */
static void check_exact(const problem *p) {
  const gg_layout_plan plan = plan_of(p, GPUGEO_LAYOUT_REPULSION_EXACT);
  forces f = forces_of(p, &plan);
  direct d = direct_make(p);
  const double extent = extent_of(p);
  double worst = 0, pull = 0;
  for (int64_t i = 0; i < p->n; ++i)
    for (int c = 0; c < p->dim; ++c) {
      const int64_t at = i + c * p->n;
      const double bound = 0x1p-21 * d.magnitude[i] + 0x1p-23 * extent * d.slope[i];
      worst = fmax(worst, fabs(f.repulsion[at] - d.repulsion[at]) / bound);
      pull = fmax(pull, fabs(f.attraction[at] - d.attraction[at]) / d.pull[i]);
    }
  CHECK(worst < 1, "%s: repulsion is wrong by %g of the bound", p->name, worst);
  CHECK(pull < 1e-12, "%s: attraction is wrong by %g", p->name, pull);
  forces_free(&f);
  direct_free(&d);
}

static void test_exact(void) {
  static const int64_t sizes[] = {2, 3, 15, 16, 17, 33, 300, 700};
  static const double scales[] = {1, 1e-20, 1e90};
  uint64_t seed = 1;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int dim = 2; dim <= 3; ++dim)
      for (int weighted = 0; weighted < 2; ++weighted)
        for (int k = 0; k < 3; ++k) {
          if (leaves_out(5)) continue;
          problem p =
              problem_make(sizes[s], dim, UNIFORM, weighted, scales[k], k == 0 ? 1e6 : 0, seed++);
          check_exact(&p);
          problem_free(&p);
        }
}

/* --- Barnes-Hut ------------------------------------------------------------------------------- */

/* Root mean square of the errors of repulsion, each relative to the length of its force. */
static double error_of(const problem *p, const forces *f, const direct *d) {
  double sum = 0;
  for (int64_t i = 0; i < p->n; ++i) {
    double wrong = 0, square = 0;
    for (int c = 0; c < p->dim; ++c) {
      const int64_t at = i + c * p->n;
      wrong += pow(f->repulsion[at] - d->repulsion[at], 2);
      square += pow(d->repulsion[at], 2);
    }
    sum += wrong / square;
  }
  return sqrt(sum / (double)p->n);
}

/* The errors that each order may have at theta 0.3, 0.5 and 0.8, and the default orders at the
   default theta (0: not tested). */
typedef struct accuracy {
  int32_t dim, order;
  double most[SPREADS][4];
} accuracy;

/* Returns the theta of a column of the table. */
static double theta_of(int dim, int t) {
  static const double thetas[] = {0.3, 0.5, 0.8};
  return t < 3 ? thetas[t] : dim == 2 ? 1.2 : 1;
}

static const accuracy accuracies[] = {
    {2, 0, {{1e-3, 5e-3, 1.2e-2}, {1.5e-3, 4e-3, 2e-2}, {1.7e-3, 4e-3, 1.1e-2}}},
    {2, 2, {{1.6e-4, 6e-4, 2.4e-3}, {3e-4, 2e-3, 1e-2}, {6e-4, 1e-3, 3.5e-3}}},
    {2, 4, {{1e-5, 6e-5, 3e-4, 1e-2}, {1.5e-4, 2e-4, 1.2e-3, 1e-2}, {5e-4, 5e-4, 6e-4, 6e-3}}},
    {3, 0, {{2.5e-3, 8e-3, 3e-2}, {4e-3, 2.6e-2, 6e-2}, {3e-3, 1e-2, 3e-2}}},
    {3, 2, {{5e-5, 2e-4, 1.2e-3, 4e-3}, {2.5e-4, 4e-3, 2.4e-2, 4e-2}, {1e-4, 3e-4, 1.2e-3, 3e-3}}},
};

static void test_barnes_hut(void) {
  for (int how = 0; how < SPREADS; ++how)
    for (int weighted = 0; weighted < 2; ++weighted)
      for (int dim = 2; dim <= 3; ++dim) {
        problem p = problem_make(3000, dim, (spread)how, weighted, 1, 0, 77);
        direct d = direct_make(&p);
        for (size_t k = 0; k < sizeof accuracies / sizeof *accuracies; ++k)
          for (int t = 0; t < 4 && accuracies[k].dim == dim; ++t) {
            if (accuracies[k].most[how][t] == 0 || leaves_out(7)) continue;
            gg_layout_plan plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
            plan.expansion_order = accuracies[k].order;
            plan.theta = theta_of(dim, t);
            forces f = forces_of(&p, &plan);
            const double error = error_of(&p, &f, &d);
            CHECK(error < accuracies[k].most[how][t], "%s, order %d, theta %g: wrong by %g", p.name,
                  plan.expansion_order, plan.theta, error);
            forces_free(&f);
          }
        direct_free(&d);
        problem_free(&p);
      }
}

/* --- the same bits ---------------------------------------------------------------------------- */

static gpugeo_status lay_out(const gg_layout_plan *plan, gg_layout_outcome *outcome) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_report report = {.backend = backend->id};
  gpugeo_error error = {0};
  const gpugeo_status status = backend->layout(plan, outcome, GG_CALL_OF(&clock, &report, &error));
  CHECK(status == GPUGEO_OK, "%s", error.message);
  return status;
}

/* Positions after some iterations, to be freed. */
static double *laid_out(const problem *p, gg_layout_plan plan, gg_layout_outcome *outcome) {
  const size_t size = (size_t)(p->n * p->dim + 1) * sizeof(double);
  plan.positions = memcpy(malloc(size), p->x, size);
  (void)lay_out(&plan, outcome);
  return plan.positions;
}

/* Every instruction set, and several numbers of threads. */
static void check_same_bits(const problem *p, gg_layout_plan plan, gg_simd widest) {
  static const int32_t threads[] = {3, 2, 1, 4, 5};
  if (leaves_out(5)) return;
  gg_layout_outcome outcome;
  double *first = laid_out(p, plan, &outcome);
  for (int k = 0; k < 5; ++k) {
    if (leaves_out(5)) continue;
    const gg_simd simd = k < (int)widest ? (gg_simd)k : widest;
    gg_set_simd(simd);
    plan.threads = threads[k];
    double *other = laid_out(p, plan, &outcome);
    CHECK(memcmp(first, other, (size_t)(p->n * p->dim) * sizeof *first) == 0,
          "%s: other bits with instructions %d and %d threads", p->name, simd, threads[k]);
    free(other);
  }
  gg_set_simd(widest);
  free(first);
}

static void test_same_bits(void) {
  const gg_simd widest = gg_context_get()->simd;
  for (int how = 0; how < SPREADS; ++how)
    for (int kind = 0; kind < 8; ++kind) {
      const bool exact = kind / 2 % 2;
      problem p = problem_make((exact ? 700 : 2600) + 7 * kind, 2 + kind / 4, (spread)how, kind % 2,
                               1, 0, (uint64_t)kind);
      gg_layout_plan plan =
          plan_of(&p, exact ? GPUGEO_LAYOUT_REPULSION_EXACT : GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
      plan.iterations = plan.cooling = 2;
      check_same_bits(&p, plan, widest);
      plan.iterations = plan.cooling = 5;
      plan.start_temp = 0.01; /* short moves, after which the CPU keeps the order of vertices */
      check_same_bits(&p, plan, widest);
      problem_free(&p);
    }
}

/* --- several iterations ----------------------------------------------------------------------- */

/* By the tree vertices go where they go by all pairs, also in iterations that keep the tree's
   cells. Relative to how far they go, the positions differ by at most twice the errors that forces
   may have. */
static void test_kept_cells(void) {
  static const double starts[] = {0.001, 0.005};
  for (int how = 0; how < SPREADS; ++how)
    for (int dim = 2; dim <= 3; ++dim)
      for (int k = 0; k < 2; ++k) {
        if (leaves_out(5)) continue;
        problem p = problem_make(3000, dim, (spread)how, true, 1, 0, 78);
        gg_layout_outcome outcome;
        double *x[2], apart = 0, moved = 0;
        for (int t = 0; t < 2; ++t) {
          gg_layout_plan plan =
              plan_of(&p, t ? GPUGEO_LAYOUT_REPULSION_BARNES_HUT : GPUGEO_LAYOUT_REPULSION_EXACT);
          plan.iterations = plan.cooling = 8;
          plan.start_temp = starts[k];
          x[t] = laid_out(&p, plan, &outcome);
        }
        for (int64_t i = 0; i < p.n * dim; ++i) {
          apart += pow(x[1][i] - x[0][i], 2);
          moved += pow(x[0][i] - p.x[i], 2);
        }
        const double most = 2 * accuracies[dim == 2 ? 2 : 4].most[how][2];
        CHECK(sqrt(apart / moved) < most, "%s, temperature %g: %g of the moves apart", p.name,
              starts[k], sqrt(apart / moved));
        free(x[0]);
        free(x[1]);
        problem_free(&p);
      }
}

/* --- coincident vertices ---------------------------------------------------------------------- */

static bool all_finite(const double *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Two of them are pushed apart in opposite directions, however far from 0 they are. */
static void test_two(void) {
  static const double offsets[] = {0, 1, -1e9, 1e300};
  for (int dim = 2; dim <= 3; ++dim)
    for (int k = 0; k < 4; ++k)
      for (int repulsion = 1; repulsion <= 2; ++repulsion) {
        problem p = problem_make(2, dim, UNIFORM, false, 0, offsets[k], 1);
        gg_layout_plan plan = plan_of(&p, (gpugeo_layout_repulsion)repulsion);
        forces f = forces_of(&p, &plan);
        double square = 0;
        bool opposite = true;
        for (int c = 0; c < dim; ++c) {
          square += f.repulsion[2 * c] * f.repulsion[2 * c];
          opposite = opposite && f.repulsion[2 * c] == -f.repulsion[2 * c + 1];
        }
        CHECK(opposite && square > 0 && isfinite(square), "%s: squared force %g", p.name, square);
        gg_layout_outcome outcome;
        double *x = laid_out(&p, plan, &outcome);
        double moved = 0;
        for (int c = 0; c < dim; ++c)
          moved += pow(x[2 * c] - p.x[2 * c], 2);
        CHECK(all_finite(x, 2 * dim), "%s: not finite", p.name);
        if (offsets[k] < 1e15)
          CHECK(fabs(sqrt(moved) - 1) < 1e-6, "%s: moved by %g, not by the temperature", p.name,
                sqrt(moved));
        free(x);
        forces_free(&f);
        problem_free(&p);
      }
}

/* A star or a path, or no edge. */
typedef enum shape { STAR, PATH, NOTHING, SHAPES } shape;
static const char *const shape_names[] = {"a star", "a path", "nothing"};

static problem shape_make(shape what, int64_t n, int32_t dim) {
  problem p = {.n = n, .dim = dim};
  p.start = malloc((size_t)(n + 1) * sizeof *p.start);
  p.neighbor = malloc((size_t)(2 * n) * sizeof *p.neighbor);
  p.x = calloc((size_t)(n * dim + 1), sizeof *p.x);
  int64_t edges = 0;
  for (int64_t i = 0; i < n; ++i) {
    p.start[i] = edges;
    if (what == STAR && i > 0) p.neighbor[edges++] = 0;
    if (what == PATH && i > 0) p.neighbor[edges++] = (int32_t)(i - 1);
    if (what == PATH && i + 1 < n) p.neighbor[edges++] = (int32_t)(i + 1);
    for (int64_t j = 1; what == STAR && i == 0 && j < n; ++j)
      p.neighbor[edges++] = (int32_t)j;
  }
  p.start[n] = edges;
  snprintf(p.name, sizeof p.name, "%s of %lld vertices in %d-D", shape_names[what], (long long)n,
           dim);
  return p;
}

/* Many of them end, and part. */
static void test_many(void) {
  for (int what = 0; what < SHAPES; ++what)
    for (int dim = 2; dim <= (what == NOTHING ? 3 : 2); ++dim) {
      const bool small = CHECK_SMALL && backend != &gg_cpu_backend;
      problem p = shape_make((shape)what, small ? 10000 : 1000000, dim);
      gg_layout_plan plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
      plan.iterations = plan.cooling = 2;
      plan.threads = 2;
      plan.start_temp = 1000;
      gg_layout_outcome outcome = {0};
      double *x = laid_out(&p, plan, &outcome);
      CHECK(outcome.iterations == 2, "%s: %lld iterations", p.name, (long long)outcome.iterations);
      CHECK(all_finite(x, p.n * dim), "%s: not finite", p.name);
      int64_t still = 0;
      for (int64_t i = 0; i < p.n; ++i)
        still += x[i] == 0 && x[i + p.n] == 0;
      CHECK(still < 10, "%s: %lld vertices stay where all were", p.name, (long long)still);
      free(x);
      problem_free(&p);
    }
}

/* --- the tree --------------------------------------------------------------------------------- */

/* True if each vertex is in one leaf and no leaf with different keys is too large. */
static bool covers(const gg_layout_tree *tree, const uint64_t *key, int64_t n) {
  int64_t held = 0;
  for (int64_t k = 0; k < tree->count; ++k) {
    const gg_layout_node *node = &tree->node[k];
    int32_t first = node->first;
    for (int32_t c = 0; c < node->children; ++c) {
      const gg_layout_node *child = &tree->node[node->child + c];
      if (child->first != first || child->last <= first) return false;
      first = child->last;
    }
    if (node->children > 0 && (node->children < 2 || first != node->last)) return false;
    if (node->children > 0) continue;
    held += node->last - node->first;
    if (node->last - node->first > GG_LAYOUT_TREE_LEAF && key[node->first] != key[node->last - 1])
      return false;
  }
  return held == n;
}

static int compare_keys(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* Keys that are all equal, nearly so, or as far apart as makes the deepest tree. */
static void test_tree(void) {
  enum { N = 20000, KINDS = 4 };
  static uint64_t key[N];
  static int32_t fine[N];
  static float mass[N];
  dice d = {5};
  for (int i = 0; i < N; ++i)
    mass[i] = 1;
  for (int dim = 2; dim <= 3; ++dim)
    for (int kind = 0; kind < KINDS; ++kind) {
      const int bits = dim == 2 ? 62 : 63;
      for (int i = 0; i < N; ++i) {
        const uint64_t any = (uint64_t)dice_whole(&d, INT64_MAX - 1);
        key[i] = kind == 0   ? 12345
                 : kind == 1 ? 12345 + any % 3
                 : kind == 2 ? ((uint64_t)1 << any % (uint64_t)bits) - 1
                             : any >> any % 60 % (uint64_t)bits & (((uint64_t)1 << bits) - 1);
      }
      qsort(key, N, sizeof *key, compare_keys);
      const gg_repel_sources sources = {N, {fine, fine, fine}, mass};
      gg_layout_tree tree = {.dim = dim, .expansion_order = 2, .theta = 0.8};
      const bool divided = gg_layout_tree_divide(&tree, key, N);
      if (CHECK(divided, "no memory for a tree")) {
        gg_layout_tree_sum(&tree, &sources, 2);
        CHECK(covers(&tree, key, N), "%d-D, kind %d: leaves do not hold each vertex once", dim,
              kind);
        CHECK(tree.levels <= bits / dim + 1, "%d-D, kind %d: %d levels", dim, kind, tree.levels);
        CHECK(tree.count < 2 * N, "%d-D, kind %d: %lld nodes", dim, kind, (long long)tree.count);
        if (kind == 0) CHECK(tree.count == 1, "%lld nodes for one place", (long long)tree.count);
      }
      gg_layout_tree_free(&tree);
    }
}

/* With theta 0 no cell is taken as a whole: the sums are the exact ones in another order. */
static void test_theta_0(void) {
  for (int dim = 2; dim <= 3; ++dim) {
    problem p = problem_make(2000, dim, CLUSTERED, true, 1, 0, 8);
    gg_layout_plan plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
    plan.theta = 0;
    forces tree = forces_of(&p, &plan);
    plan.repulsion = GPUGEO_LAYOUT_REPULSION_EXACT;
    forces exact = forces_of(&p, &plan);
    direct d = direct_make(&p);
    double worst = 0;
    for (int64_t k = 0; k < p.n * dim; ++k)
      worst = fmax(worst, fabs(tree.repulsion[k] - exact.repulsion[k]) / d.magnitude[k % p.n]);
    CHECK(worst < 3e-6, "%s: theta 0 differs from exact sums by %g", p.name, worst);
    direct_free(&d);
    forces_free(&tree);
    forces_free(&exact);
    problem_free(&p);
  }
}

/* --- iterations ------------------------------------------------------------------------------- */

static double distance_of(const problem *p, const double *x, int64_t i, int64_t j) {
  double square = 0;
  for (int c = 0; c < p->dim; ++c)
    square += pow(x[i + c * p->n] - x[j + c * p->n], 2);
  return sqrt(square);
}

static double energy_of(const problem *p, const double *x) {
  double energy = 0;
  for (int64_t i = 0; i < p->n; ++i) {
    for (int64_t j = 0; j < i; ++j)
      energy -= log(distance_of(p, x, i, j));
    for (int64_t e = p->start[i]; e < p->start[i + 1]; ++e)
      energy += pow(distance_of(p, x, i, p->neighbor[e]), 3) / 6; /* each edge is met twice */
  }
  return energy;
}

static void test_energy(void) {
  for (int dim = 2; dim <= 3; ++dim)
    for (int repulsion = 1; repulsion <= 2; ++repulsion) {
      problem p = problem_make(400, dim, UNIFORM, false, 1, 0, 3);
      gg_layout_plan plan = plan_of(&p, (gpugeo_layout_repulsion)repulsion);
      plan.cooling = plan.iterations = 60;
      gg_layout_outcome outcome;
      double *x = laid_out(&p, plan, &outcome);
      plan.positions = x;
      const double start = energy_of(&p, p.x), middle = energy_of(&p, x);
      plan.start_temp = 0.1;
      (void)lay_out(&plan, &outcome);
      const double end = energy_of(&p, x);
      CHECK(end < middle && middle < start, "%s: energy %g, then %g, then %g", p.name, start,
            middle, end);
      free(x);
      problem_free(&p);
    }
}

/* Input seen in a mirror gives output seen in it, up to what floats round, for a few iterations. */
static void test_mirror(void) {
  for (int repulsion = 1; repulsion <= 2; ++repulsion) {
    problem p = problem_make(500, 2, UNIFORM, true, 1, 0, 4);
    gg_layout_plan plan = plan_of(&p, (gpugeo_layout_repulsion)repulsion);
    plan.iterations = plan.cooling = 3;
    gg_layout_outcome outcome;
    double *x = laid_out(&p, plan, &outcome);
    for (int64_t i = 0; i < p.n; ++i)
      p.x[i] = -p.x[i];
    double *mirrored = laid_out(&p, plan, &outcome), worst = 0;
    for (int64_t i = 0; i < p.n; ++i)
      worst = fmax(worst, fmax(fabs(x[i] + mirrored[i]), fabs(x[i + p.n] - mirrored[i + p.n])));
    /* a tree has its cells elsewhere in a mirror */
    CHECK(worst < (repulsion == 1 ? 1e-4 : 2e-2), "repulsion %d: mirrored layouts differ by %g",
          repulsion, worst);
    free(x);
    free(mirrored);
    problem_free(&p);
  }
}

/* Fixed vertices stay, others stay within their bounds and move as far as they may. */
static void test_limits(void) {
  problem p = problem_make(300, 3, UNIFORM, false, 1, 0, 6);
  uint8_t *fixed = calloc((size_t)p.n, 1);
  double *lower = malloc((size_t)(p.n * 3) * sizeof *lower);
  double *upper = malloc((size_t)(p.n * 3) * sizeof *upper);
  for (int64_t k = 0; k < p.n * 3; ++k) {
    lower[k] = k % 3 ? p.x[k] - 0.01 : -INFINITY;
    upper[k] = k % 2 ? p.x[k] + 0.02 : INFINITY;
    fixed[k % p.n] = k % p.n % 5 == 0;
  }
  gg_layout_plan plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_EXACT);
  plan.fixed = fixed;
  plan.lower = lower;
  plan.upper = upper;
  plan.iterations = plan.cooling = 10;
  gg_layout_outcome outcome;
  double *x = laid_out(&p, plan, &outcome);
  int64_t outside = 0, moved = 0, at_bounds = 0;
  for (int64_t k = 0; k < p.n * 3; ++k) {
    moved += fixed[k % p.n] && x[k] != p.x[k];
    outside += x[k] < lower[k] || x[k] > upper[k];
    at_bounds += x[k] == lower[k] || x[k] == upper[k];
  }
  CHECK(moved == 0, "%lld fixed coordinates moved", (long long)moved);
  CHECK(outside == 0, "%lld coordinates are out of bounds", (long long)outside);
  CHECK(at_bounds > 100, "only %lld coordinates are at a bound", (long long)at_bounds);
  free(x);
  free(fixed);
  free(lower);
  free(upper);
  problem_free(&p);
}

/* No vertex moves further than the temperature, and iterations end when none moves far. */
static void test_convergence(void) {
  problem p = problem_make(200, 2, UNIFORM, false, 1, 0, 9);
  gg_layout_plan plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_EXACT);
  plan.start_temp = 0.25;
  gg_layout_outcome outcome;
  double *x = laid_out(&p, plan, &outcome), longest = 0;
  for (int64_t i = 0; i < p.n; ++i)
    longest = fmax(longest, hypot(x[i] - p.x[i], x[i + p.n] - p.x[i + p.n]));
  CHECK(fabs(longest - 0.25) < 1e-12, "the longest move is %g", longest);
  CHECK(!outcome.converged && outcome.iterations == 1, "converged after %lld iterations",
        (long long)outcome.iterations);
  free(x);
  plan.iterations = plan.cooling = 1000;
  plan.start_temp = 1;
  plan.tolerance = 0.5;
  x = laid_out(&p, plan, &outcome);
  CHECK(outcome.converged && outcome.iterations > 1 && outcome.iterations <= 502,
        "%lld iterations until moves of 0.5", (long long)outcome.iterations);
  free(x);
  problem_free(&p);
  p = problem_make(1, 2, UNIFORM, false, 1, 0, 9);
  plan = plan_of(&p, GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
  plan.iterations = plan.cooling = 10;
  x = laid_out(&p, plan, &outcome);
  CHECK(outcome.converged && outcome.iterations == 1 && x[0] == p.x[0],
        "one vertex moves for %lld iterations", (long long)outcome.iterations);
  free(x);
  problem_free(&p);
}

/* Whatever finite positions there are: never NaN or infinite, however far apart. */
static void test_finite(void) {
  static const double scales[] = {0, 5e-324, 1e-310, 1e-150, 1e150, 1e299, 5e306};
  static const double temps[] = {1e-300, 1, 1e300};
  for (int k = 0; k < 7; ++k)
    for (int t = 0; t < 3; ++t)
      for (int kind = 0; kind < 8; ++kind) {
        if (leaves_out(11)) continue;
        problem p = problem_make(100, 2 + kind / 4, (spread)(kind % 2), true, scales[k],
                                 k == 0 ? 1e300 : 0, 12);
        gg_layout_plan plan = plan_of(&p, (gpugeo_layout_repulsion)(1 + kind / 2 % 2));
        plan.iterations = plan.cooling = 4;
        plan.start_temp = temps[t];
        gg_layout_outcome outcome;
        double *x = laid_out(&p, plan, &outcome);
        CHECK(all_finite(x, p.n * p.dim), "%s, temperature %g: not finite", p.name, temps[t]);
        free(x);
        problem_free(&p);
      }
}

/* --- hooks ------------------------------------------------------------------------------------ */

typedef struct told {
  int frames;
  int64_t iteration;
  bool wrong;
} told;

static int take_frame(int64_t iteration, double temperature, const double *positions, void *data) {
  told *t = data;
  t->wrong = t->wrong || iteration != t->iteration + 3 ||
             fabs(temperature - (1 - (double)iteration / 20)) > 1e-12 || !isfinite(positions[0]);
  t->iteration = iteration;
  return ++t->frames == 4;
}

static gpugeo_status hooked(const gg_layout_plan *plan, gpugeo_run *run,
                            gg_layout_outcome *outcome) {
  gg_clock clock;
  gg_clock_start(&clock, run);
  gpugeo_report report = {.backend = backend->id};
  return backend->layout(plan, outcome, GG_CALL_OF(&clock, &report, NULL));
}

static void test_hooks(void) {
  gg_clock_set_polls(1);
  for (int repulsion = 1; repulsion <= 2; ++repulsion) {
    problem p = problem_make(3000, 2, UNIFORM, false, 1, 0, 2);
    gg_layout_plan plan = plan_of(&p, (gpugeo_layout_repulsion)repulsion);
    plan.iterations = plan.cooling = 1000000;
    plan.progress_from = 0.25;
    plan.progress_to = 0.5;
    plan.threads = 2;
    witness w = {.stop_at = 2};
    gpugeo_run run;
    gpugeo_run_init(&run, sizeof run);
    witness_watch(&w, &run);
    gg_layout_outcome outcome;
    CHECK(hooked(&plan, &run, &outcome) == GPUGEO_ERROR_INTERRUPT, "not interrupted");
    CHECK(w.asked == 2, "asked %d times", w.asked);
    CHECK(!w.backwards && w.last >= 0.25 && w.last < 0.5, "progress %g", w.last);

    gpugeo_run_init(&run, sizeof run);
    told t = {0};
    plan.iterations = plan.cooling = 20;
    plan.frame = take_frame;
    plan.frame_every = 3;
    plan.frame_data = &t;
    CHECK(hooked(&plan, &run, &outcome) == GPUGEO_ERROR_INTERRUPT, "a frame did not end it");
    CHECK(t.frames == 4 && !t.wrong && outcome.iterations == 12, "%d frames, %lld iterations",
          t.frames, (long long)outcome.iterations);
    problem_free(&p);
  }
  gg_clock_set_polls(0);
}

static void test_backend(void) {
  test_exact();
  test_barnes_hut();
  test_same_bits();
  test_kept_cells();
  test_two();
  test_many();
  test_theta_0();
  test_energy();
  test_mirror();
  test_limits();
  test_convergence();
  test_finite();
  test_hooks();
}

int main(void) {
  test_tree();
  test_backend();
  gpugeo_error error;
  const gg_backend *cuda;
  if (gg_backend_open(&gg_cuda_backend, &cuda, &error)) {
    check_skip(1, "CUDA: not present (%s), its forces not tested", error.message);
    return check_end();
  }
  backend = cuda;
  layout_forces = gg_cuda_layout_forces;
  test_backend();
  return check_end();
}
