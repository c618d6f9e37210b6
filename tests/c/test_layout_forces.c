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
  return how == UNIFORM ? 20 * u : 10 * (double)dice_whole(d, 3) + 0.2 * u * u * u;
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

/* Repulsion is summed in float, between places that are known to 2^-23 of half the extent. */
static void check_exact(const problem *p) {
  const gg_layout_plan plan = plan_of(p, GPUGEO_REPULSION_EXACT);
  forces f = forces_of(p, &plan);
  direct d = direct_make(p);
  const double extent = extent_of(p);
  double worst = 0, pull = 0;
  for (int64_t i = 0; i < p->n; ++i)
    for (int c = 0; c < p->dim; ++c) {
      const int64_t at = i + c * p->n;
      const double bound = 0x1p-22 * d.magnitude[i] + 0x1p-23 * extent * d.slope[i];
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

int main(void) {
  test_exact();
  return check_end();
}
