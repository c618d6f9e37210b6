/* The CPU's forces of layouts against direct sums, and what its iterations promise. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "check.h"
#include "context.h"
#include "data.h"
#include "gpugeo.h"

/* --- problems --------------------------------------------------------------------------------- */

typedef struct problem {
  char name[120];
  int64_t n, *start;
  int32_t dim, *neighbor;
  float *weight, *mass;
  double *x; /* column-major */
} problem;

typedef enum spread { UNIFORM, CLUSTERED, SPREADS } spread;
static const char *const spread_names[] = {"uniform", "clustered"};

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
  return how == UNIFORM ? 20 * u : 10 * (double)dice_whole(d, 3) + 0.2 * u;
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

static gg_layout_plan plan_of(const problem *p, gpugeo_repulsion repulsion) {
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
      .order = p->dim == 2 ? 4 : 2,
      .progress_to = 1,
      .threads = 1,
  };
}

/* --- forces against direct sums --------------------------------------------------------------- */

/* Sums of all pairs in double, column-major. */
typedef struct direct {
  double *repulsion, *attraction;
  double *magnitude, *pull; /* of each vertex: sums of the lengths of its pairs' forces */
  double *slope;            /* sum of m / d^2: how fast repulsion changes with the places */
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
  const gpugeo_status status = gg_cpu_backend.layout_forces(plan, &out, &error);
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

/* Repulsion is summed in float, between places whose distance is known to 2^-23 of the extent. */
static void check_exact(const problem *p) {
  const gg_layout_plan plan = plan_of(p, GPUGEO_REPULSION_EXACT);
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

/* The errors that each order may have at theta 0.3, 0.5 and 0.8. */
typedef struct accuracy {
  int32_t dim, order;
  double most[SPREADS][3];
} accuracy;

static const double thetas[] = {0.3, 0.5, 0.8};
static const accuracy accuracies[] = {
    {2, 0, {{1e-3, 5e-3, 1.2e-2}, {1.5e-3, 4e-3, 1.5e-2}}},
    {2, 2, {{1.6e-4, 6e-4, 2.4e-3}, {3e-4, 2e-3, 1e-2}}},
    {2, 4, {{1e-5, 6e-5, 3e-4}, {1.5e-4, 2e-4, 1.2e-3}}},
    {3, 0, {{2.5e-3, 8e-3, 3e-2}, {4e-3, 2.6e-2, 6e-2}}},
    {3, 2, {{5e-5, 2e-4, 1.2e-3}, {2.5e-4, 4e-3, 2.4e-2}}},
};

static void test_barnes_hut(void) {
  for (int how = 0; how < SPREADS; ++how)
    for (int weighted = 0; weighted < 2; ++weighted)
      for (int dim = 2; dim <= 3; ++dim) {
        problem p = problem_make(3000, dim, (spread)how, weighted, 1, 0, 77);
        direct d = direct_make(&p);
        for (size_t k = 0; k < sizeof accuracies / sizeof *accuracies; ++k)
          for (int t = 0; t < 3 && accuracies[k].dim == dim; ++t) {
            gg_layout_plan plan = plan_of(&p, GPUGEO_REPULSION_BARNES_HUT);
            plan.order = accuracies[k].order;
            plan.theta = thetas[t];
            forces f = forces_of(&p, &plan);
            const double error = error_of(&p, &f, &d);
            CHECK(error < accuracies[k].most[how][t], "%s, order %d, theta %g: wrong by %g", p.name,
                  plan.order, plan.theta, error);
            forces_free(&f);
          }
        direct_free(&d);
        problem_free(&p);
      }
}

/* --- the same bits ---------------------------------------------------------------------------- */

static gpugeo_status lay_out(const gg_layout_plan *plan, gg_layout_outcome *outcome) {
  gpugeo_run run;
  gpugeo_run_init(&run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_report report = {.backend = GPUGEO_CPU};
  gpugeo_error error = {0};
  const gpugeo_status status = gg_cpu_backend.layout(plan, outcome, &clock, &report, &error);
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

static void test_same_bits(void) {
  const gg_simd widest = gg_context_get()->simd;
  for (int how = 0; how < SPREADS; ++how)
    for (int kind = 0; kind < 8; ++kind) {
      problem p =
          problem_make(1000 + 7 * kind, 2 + kind / 4, (spread)how, kind % 2, 1, 0, (uint64_t)kind);
      gg_layout_plan plan =
          plan_of(&p, kind / 2 % 2 ? GPUGEO_REPULSION_EXACT : GPUGEO_REPULSION_BARNES_HUT);
      plan.iterations = plan.cooling = 5;
      gg_layout_outcome outcome;
      gg_set_simd(widest);
      double *first = laid_out(&p, plan, &outcome);
      for (int simd = 0; simd <= (int)widest; ++simd)
        for (int threads = 1; threads <= 5; threads += 2) {
          gg_set_simd((gg_simd)simd);
          plan.threads = threads;
          double *other = laid_out(&p, plan, &outcome);
          CHECK(memcmp(first, other, (size_t)(p.n * p.dim) * sizeof *first) == 0,
                "%s: other bits with instructions %d and %d threads", p.name, simd, threads);
          free(other);
        }
      gg_set_simd(widest);
      free(first);
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
        gg_layout_plan plan = plan_of(&p, (gpugeo_repulsion)repulsion);
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
  p.x = calloc((size_t)(n * dim), sizeof *p.x);
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
    for (int dim = 2; dim <= 3; ++dim) {
      problem p = shape_make((shape)what, 1000000, dim);
      gg_layout_plan plan = plan_of(&p, GPUGEO_REPULSION_BARNES_HUT);
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

int main(void) {
  test_exact();
  test_barnes_hut();
  test_same_bits();
  test_two();
  test_many();
  return check_end();
}
