/* Collisions on every algorithm against direct loops, and what the issue and the paper future. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "system.h"
#include "witness.h"

/* --- The reference: direct loops -------------------------------------------------------------- */

/* One problem. Points are row-major, n of x and then m of y. */
typedef struct problem {
  const char *name;
  int64_t n, m; /* m < 0: within x */
  int columns;
  double *points;
  gpugeo_type type;
  double unit; /* a power of two that brings squares into the range of doubles */
  double radius;
  double *radii;
  int64_t exclude;
  double box[3];
  bool boxed;
  int32_t *group, groups;
} problem;

static int64_t all_points(const problem *p) { return p->n + (p->m > 0 ? p->m : 0); }

static double difference(const problem *p, int64_t a, int64_t b, int c) {
  const double length = p->boxed ? p->box[c] * p->unit : 0;
  double d =
      fabs(p->points[a * p->columns + c] * p->unit - p->points[b * p->columns + c] * p->unit);
  if (length == 0) return d;
  if (d > length) d = fmod(d, length);
  return length - d < d ? length - d : d;
}

/* The rule, written once more: the rounded root of the sum by fma in the order of columns. */
static bool collide(const problem *p, int64_t a, int64_t b) {
  const double s = p->radii ? p->radii[a] * p->unit + p->radii[b] * p->unit : p->radius * p->unit;
  double sum = 0;
  for (int c = 0; c < p->columns; ++c) {
    const double d = difference(p, a, b, c);
    sum = fma(d, d, sum);
  }
  return sqrt(sum) <= s;
}

/* What the reference finds: pairs in order, as i + j * n. */
typedef struct answer {
  int64_t count, *i, *j;
} answer;

static answer solve(const problem *p) {
  const bool within = p->m < 0;
  const int64_t others = within ? p->n : p->m;
  answer a = {0, malloc(sizeof(int64_t) * (size_t)(p->n * others + 1)),
              malloc(sizeof(int64_t) * (size_t)(p->n * others + 1))};
  for (int64_t i = 0; i < p->n; ++i)
    for (int64_t j = within ? i + 1 : 0; j < others; ++j) {
      if (within && j - i <= p->exclude) continue;
      if (!collide(p, i, within ? j : p->n + j)) continue;
      a.i[a.count] = i;
      a.j[a.count++] = j;
    }
  return a;
}

/* --- gpugeo ----------------------------------------------------------------------------------- */

static const char *const algorithms[] = {"auto", "grid", "usual", "cyclic", "lattice"};
static const char *const whats[] = {"count", "per_point", "pairs", "table"};

/* The points as two matrices with one unused element after each column. */
static gpugeo_matrix stored(const problem *p, int64_t first, int64_t n) {
  return data_matrix(p->points + first * p->columns, n, p->columns, p->type, GPUGEO_POINTS_ROWS, 1);
}

static void check_pairs(const problem *p, const answer *a, const gpugeo_collisions *found,
                        const char *text) {
  const int64_t size = 2 * a->count;
  int32_t *pairs = malloc(sizeof *pairs * (size_t)size + 1);
  double *reals = malloc(sizeof *reals * (size_t)size + 1);
  (void)p;
  CHECK(!gpugeo_collisions_pairs(found, GPUGEO_TYPE_INT32, pairs, NULL), "%s: no pairs", text);
  CHECK(!gpugeo_collisions_pairs(found, GPUGEO_TYPE_DOUBLE, reals, NULL), "%s: no pairs", text);
  int64_t wrong = 0;
  for (int64_t e = 0; e < a->count; ++e) {
    wrong += pairs[e] != a->i[e] || pairs[e + a->count] != a->j[e];
    wrong += reals[e] != (double)a->i[e] || reals[e + a->count] != (double)a->j[e];
  }
  CHECK(wrong == 0, "%s: %lld of %lld pairs are wrong", text, (long long)wrong,
        (long long)a->count);
  CHECK(gpugeo_collisions_distances(found, NULL, NULL, reals, NULL) == GPUGEO_ERROR_ARGUMENT,
        "%s: distances without points", text);
  free(pairs);
  free(reals);
}

static void check_per_point(const problem *p, const answer *a, const gpugeo_collisions *found,
                            const char *text) {
  double *got = malloc(sizeof *got * (size_t)p->n + 1);
  int64_t *want = calloc((size_t)p->n + 1, sizeof *want), wrong = 0;
  for (int64_t e = 0; e < a->count; ++e) {
    ++want[a->i[e]];
    if (p->m < 0) ++want[a->j[e]];
  }
  CHECK(!gpugeo_collisions_per_point(found, got, NULL), "%s: no numbers", text);
  for (int64_t i = 0; i < p->n; ++i)
    wrong += got[i] != (double)want[i];
  CHECK(wrong == 0, "%s: %lld points have a wrong number", text, (long long)wrong);
  free(got);
  free(want);
}

static void check_table(const problem *p, const answer *a, const gpugeo_collisions *found,
                        const char *text) {
  const int64_t groups = p->groups;
  double *got = malloc(sizeof *got * (size_t)(groups * groups) + 1);
  int64_t *want = calloc((size_t)(groups * groups) + 1, sizeof *want), wrong = 0;
  for (int64_t e = 0; e < a->count; ++e) {
    const int32_t g = p->group[a->i[e]], h = p->group[(p->m < 0 ? 0 : p->n) + a->j[e]];
    ++want[g + h * groups];
    if (p->m < 0 && g != h) ++want[h + g * groups];
  }
  CHECK(!gpugeo_collisions_table(found, got, NULL), "%s: no table", text);
  for (int64_t e = 0; e < groups * groups; ++e)
    wrong += got[e] != (double)want[e];
  CHECK(wrong == 0, "%s: %lld places of the table are wrong", text, (long long)wrong);
  free(got);
  free(want);
}

static gpugeo_collisions_options options_of(const problem *p, int what, int algorithm,
                                            int threads) {
  gpugeo_collisions_options o;
  gpugeo_collisions_options_init(&o, sizeof o);
  o.what = (gpugeo_collisions_what)what;
  o.algorithm = (gpugeo_collisions_algorithm)algorithm;
  o.radius = p->radius;
  o.exclude = p->exclude;
  o.run.backend = GPUGEO_BACKEND_CPU;
  o.run.threads = threads;
  o.run.work_bytes = threads == 3; /* too little to keep lists: pairs are searched twice */
  if (p->radii) {
    o.radii = p->radii;
    o.radii_length = all_points(p);
  }
  if (p->boxed) {
    o.box = p->box;
    o.box_length = p->columns;
  }
  if (what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    o.group = p->group;
    o.group_length = all_points(p);
    o.groups = p->groups;
  }
  return o;
}

/* One call, held against the answer. */
static void check_call(const problem *p, const answer *a, int what, int algorithm, int threads,
                       gpugeo_backend backend) {
  char text[200];
  snprintf(text, sizeof text, "%s, %d columns, %s by %s, %d threads, %s, %s", p->name, p->columns,
           whats[what], algorithms[algorithm], threads, gpugeo_simd(),
           gpugeo_name(GPUGEO_ENUM_BACKEND, backend));
  gpugeo_matrix x = stored(p, 0, p->n), y = stored(p, p->n, p->m > 0 ? p->m : 0);
  gpugeo_collisions_options o = options_of(p, what, algorithm, threads);
  o.run.backend = backend;
  gpugeo_collisions *found = NULL;
  gpugeo_error error = {0};
  int64_t count = -1;
  gpugeo_report report;
  gpugeo_status status = gpugeo_collisions_compute(&x, p->m < 0 ? NULL : &y, &o, &found, &error);
  if (CHECK(!status, "%s: %s", text, error.message)) {
    CHECK(gpugeo_collisions_done(found), "%s: not done", text);
    CHECK(!gpugeo_collisions_wait(found, NULL, &count, &report, NULL), "%s: no count", text);
    CHECK(count == a->count, "%s: %lld collisions, expected %lld", text, (long long)count,
          (long long)a->count);
    CHECK(report.backend == backend, "%s: backend %d", text, (int)report.backend);
    if (what == GPUGEO_COLLISIONS_WHAT_PER_POINT) check_per_point(p, a, found, text);
    if (what == GPUGEO_COLLISIONS_WHAT_PAIRS && count == a->count) check_pairs(p, a, found, text);
    if (what == GPUGEO_COLLISIONS_WHAT_TABLE) check_table(p, a, found, text);
  }
  gpugeo_collisions_free(found);
  free((void *)x.data);
  free((void *)y.data);
}

static bool with_cuda;

/* All algorithms that apply, all results, one thread and three, every instruction set. */
static void check_problem(const problem *p, bool lattice) {
  const answer a = solve(p);
  const gg_simd widest = gg_context_get()->simd;
  for (int what = 0; what < 4; ++what)
    for (int algorithm = 0; algorithm < 5; ++algorithm) {
      if (algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE && !lattice) continue;
      if (algorithm == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC && p->m >= 0) continue;
      check_call(p, &a, what, algorithm, 1, GPUGEO_BACKEND_CPU);
      check_call(p, &a, what, algorithm, 3, GPUGEO_BACKEND_CPU);
      if (with_cuda && !check_leaves_out(7))
        check_call(p, &a, what, algorithm, 1, GPUGEO_BACKEND_CUDA);
      /* The others search as one of these two does. */
      const bool of_search =
          what == GPUGEO_COLLISIONS_WHAT_COUNT || what == GPUGEO_COLLISIONS_WHAT_PAIRS;
      for (int simd = 0; of_search && simd < (int)widest; ++simd) {
        gg_set_simd((gg_simd)simd);
        check_call(p, &a, what, algorithm, 1, GPUGEO_BACKEND_CPU);
      }
      gg_set_simd(widest);
    }
  free(a.i);
  free(a.j);
}

/* --- Problems --------------------------------------------------------------------------------- */

typedef enum shape {
  UNIFORM,  /* in [0, 1) */
  WHOLE,    /* few whole numbers, many equal */
  EQUAL,    /* all at one location */
  BALL,     /* all within the radius of each other, not equal */
  CLUSTERS, /* two tight ones at the radius of each other, some noise */
  FAR,      /* 1e9 and little more */
  HUGE_ONES,
  TINY_ONES,
  SPREAD, /* over the whole range of int32 */
  SHAPES
} shape;
static const char *const shape_names[] = {"uniform", "whole", "equal", "ball",  "clusters",
                                          "far",     "huge",  "tiny",  "spread"};

static double coordinate(shape kind, int64_t i, int c, dice *d) {
  switch (kind) {
  case UNIFORM:
    return (dice_real(d) + 1) / 2;
  case WHOLE:
    return (double)dice_whole(d, 12) - 6;
  case EQUAL:
    return 3.25 * (c + 1);
  case BALL:
    return 5 + 1e-3 * dice_real(d);
  case CLUSTERS:
    if (i % 7 == 0) return dice_real(d);
    return (c == 0 && i % 2 ? 0.25 : 0) + (i % 3 ? 0 : 1e-4 * dice_real(d));
  case FAR:
    return 1e9 + (double)dice_whole(d, 64) / 32;
  case HUGE_ONES:
    return dice_real(d) * 1e200;
  case TINY_ONES:
    return dice_real(d) * 1e-300;
  default:
    return (double)(dice_whole(d, UINT32_MAX - 1) - INT32_MAX);
  }
}

static double radius_for(shape kind) {
  static const double radii[] = {0.13, 2.3, 0.5, 0.5, 0.25, 0.40625, 2e199, 2e-301, 1.5e9};
  return radii[kind];
}

static problem make_problem(shape kind, int64_t n, int64_t m, int columns, uint64_t seed) {
  dice d = {seed};
  problem p = {.name = shape_names[kind],
               .n = n,
               .m = m,
               .columns = columns,
               .type = kind == WHOLE || kind == SPREAD ? GPUGEO_TYPE_INT32 : GPUGEO_TYPE_DOUBLE,
               .unit = kind == HUGE_ONES   ? 0x1p-600
                       : kind == TINY_ONES ? 0x1p600
                                           : 1,
               .radius = radius_for(kind),
               .groups = 3};
  const int64_t points = all_points(&p);
  p.points = malloc(sizeof *p.points * (size_t)(points * columns) + 1);
  p.group = malloc(sizeof *p.group * (size_t)points + 1);
  for (int64_t i = 0; i < points; ++i) {
    for (int c = 0; c < columns; ++c)
      p.points[i * columns + c] = coordinate(kind, i, c, &d);
    p.group[i] = (int32_t)dice_whole(&d, 2);
  }
  return p;
}

static void free_problem(problem *p) {
  free(p->points);
  free(p->group);
  free(p->radii);
}

/* Radii whose largest sum is `most`. */
static void give_radii(problem *p, double most, uint64_t seed) {
  dice d = {seed};
  const int64_t points = all_points(p);
  p->radii = malloc(sizeof *p->radii * (size_t)points + 1);
  for (int64_t i = 0; i < points; ++i)
    p->radii[i] = most / 2 * (double)(1 + dice_whole(&d, 7)) / 8;
}

/* Returns the distance of the two points of a problem, and checks that gpugeo_closest_pair() and,
   if there is no box, gpugeo_dist() have it, too. */
static double distance_of_two(const problem *p, gpugeo_backend backend) {
  double sum = 0, distance = 0;
  for (int c = 0; c < p->columns; ++c)
    sum = fma(difference(p, 0, 1, c), difference(p, 0, 1, c), sum);
  gpugeo_matrix x = stored(p, 0, 2);
  gpugeo_closest_options o;
  gpugeo_closest_options_init(&o, sizeof o);
  o.run.backend = backend;
  if (p->boxed) {
    o.box = p->box;
    o.box_length = p->columns;
  }
  gpugeo_pair pair = {0};
  int64_t found = 0, ties = 0;
  CHECK(!gpugeo_closest_pair(&x, NULL, &o, &pair, &found, &ties, NULL, NULL), "no pair");
  CHECK(pair.distance == sqrt(sum), "the closest pair is at %.17g, not %.17g", pair.distance,
        sqrt(sum));
  gpugeo_dist_options d;
  gpugeo_dist_options_init(&d, sizeof d);
  d.run.backend = backend;
  if (!p->boxed && !gpugeo_dist(&x, NULL, &d, GPUGEO_TYPE_DOUBLE, &distance, NULL, NULL))
    CHECK(distance == sqrt(sum), "the distance is %.17g, not %.17g", distance, sqrt(sum));
  free((void *)x.data);
  return sqrt(sum);
}

/* Returns the number of collisions of the two points of a problem. */
static int64_t collisions_of_two(const problem *p, int algorithm, gpugeo_backend backend) {
  gpugeo_matrix x = stored(p, 0, 2);
  gpugeo_collisions_options o = options_of(p, GPUGEO_COLLISIONS_WHAT_COUNT, algorithm, 1);
  o.run.backend = backend;
  gpugeo_collisions *found = NULL;
  int64_t count = -1;
  CHECK(!gpugeo_collisions_compute(&x, NULL, &o, &found, NULL) &&
            !gpugeo_collisions_wait(found, NULL, &count, NULL, NULL),
        "no count");
  gpugeo_collisions_free(found);
  free((void *)x.data);
  return count;
}

/* Two points collide at their distance and not at the double below, with a radius and with radii,
   in a box, and if their integer squares pass 2^53. */
static void check_two(gpugeo_backend backend) {
  dice d = {77};
  for (int trial = 0; trial < (CHECK_SMALL ? 200 : 1200); ++trial) {
    if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(11)) continue;
    double points[6], half[2];
    problem p = {.points = points, .n = 2, .m = -1, .columns = 1 + trial % 3, .unit = 1};
    p.type = trial % 4 == 3 ? GPUGEO_TYPE_INT32 : GPUGEO_TYPE_DOUBLE;
    p.boxed = trial % 8 >= 5;
    for (int c = 0; c < 6; ++c)
      points[c] = p.type == GPUGEO_TYPE_INT32 ? (double)dice_whole(&d, 1000000000) : dice_real(&d);
    for (int c = 0; c < 3; ++c)
      p.box[c] = p.type == GPUGEO_TYPE_INT32 ? 1.6e9 : 1.6;
    const double distance = distance_of_two(&p, backend), below = nextafter(distance, 0);
    if (p.boxed && 2 * distance > p.box[0]) continue;
    for (int radii = 0; radii < 2; ++radii)
      for (int algorithm = 1; algorithm < 4; ++algorithm) {
        if (radii) p.radii = half;
        p.radius = distance;
        half[0] = half[1] = distance / 2;
        CHECK(collisions_of_two(&p, algorithm, backend) == 1, "trial %d: none at %.17g", trial,
              distance);
        p.radius = below;
        half[0] = half[1] = below / 2;
        CHECK(collisions_of_two(&p, algorithm, backend) == 0, "trial %d: one below %.17g", trial,
              distance);
      }
  }
}

static void test_two(void) {
  const gg_simd widest = gg_context_get()->simd;
  for (int simd = 0; simd <= (int)widest; ++simd) {
    gg_set_simd((gg_simd)simd);
    check_two(GPUGEO_BACKEND_CPU);
  }
  if (with_cuda) check_two(GPUGEO_BACKEND_CUDA);
}

static void test_shapes(void) {
  static const int64_t sizes[][2] = {{0, -1},  {1, -1},   {2, -1},   {3, -1},
                                     {40, -1}, {270, -1}, {70, 171}, {5, 0}};
  for (int kind = 0; kind < SHAPES; ++kind)
    for (int columns = 1; columns <= 3; ++columns)
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int variant = 0; variant < 4; ++variant) {
          if (CHECK_SMALL && (kind + 2 * columns + variant) % 8) continue;
          problem p = make_problem((shape)kind, sizes[s][0], sizes[s][1], columns, s + 1);
          if (variant == 1) give_radii(&p, p.radius, 7);
          if (variant == 2 && p.m < 0) p.exclude = 1 + (int64_t)s;
          if (variant == 3) {
            p.boxed = true;
            for (int c = 0; c < columns; ++c)
              p.box[c] = c == 1 ? 0 : 3 * p.radius;
            if (kind == WHOLE) p.box[0] = 9; /* whole: exact */
          }
          check_problem(&p, false);
          free_problem(&p);
        }
}

/* Equal beads of a lattice; also beyond what keys of cells hold, and periodic. */
static void test_lattice(void) {
  for (int columns = 1; columns <= 3; ++columns)
    for (int variant = 0; variant < 6; ++variant) {
      if (CHECK_SMALL && variant % 3 != columns % 3) continue;
      const int64_t m = variant == 1 ? 300 : -1;
      problem p = make_problem(WHOLE, 500, m, columns, 3);
      p.name = "lattice";
      p.radius = 0.75;
      if (variant == 2) p.exclude = 40;
      if (variant == 3) {
        p.boxed = true;
        for (int c = 0; c < columns; ++c)
          p.box[c] = 4 + c;
      }
      if (variant == 4) { /* doubles, far apart */
        p.type = GPUGEO_TYPE_DOUBLE;
        for (int64_t i = 0; i < p.n * columns; ++i)
          p.points[i] *= 1e15;
      }
      if (variant == 5) give_radii(&p, 0.9, 1);
      check_problem(&p, true);
      free_problem(&p);
    }
}

/* Crowded cells of more than 256 points, of which a cell has several neighbours: trees, and
   counting at once what is within the radius. */
static void test_crowds(void) {
  for (int columns = 1; columns <= 3; ++columns)
    for (int variant = 0; variant < 7; ++variant) {
      if (CHECK_SMALL && variant % 3 != columns % 3) continue;
      const int64_t n = columns == 1 ? 1100 : 2200, m = variant == 1 ? n - 150 : -1;
      problem p = make_problem(variant >= 5 ? CLUSTERS : UNIFORM, n, m, columns, 11);
      p.name = "crowds";
      p.radius = variant >= 5 ? 0.25 : 0.3;
      for (int64_t i = 0; i < all_points(&p); ++i)
        for (int c = 1; c < columns; ++c)
          p.points[i * columns + c] *= c == 1 ? 0.7 : 0.1;
      if (variant == 2 || variant == 6) p.exclude = 100;
      if (variant == 3) give_radii(&p, 0.4, 5);
      if (variant == 4) {
        p.boxed = true;
        p.box[0] = 1;
        p.box[1] = 0.7;
      }
      const answer a = solve(&p);
      for (int what = 0; what < 4; ++what) {
        check_call(&p, &a, what, GPUGEO_COLLISIONS_ALGORITHM_GRID, 1, GPUGEO_BACKEND_CPU);
        check_call(&p, &a, what, GPUGEO_COLLISIONS_ALGORITHM_GRID, 3, GPUGEO_BACKEND_CPU);
        if (with_cuda && !check_leaves_out(3))
          check_call(&p, &a, what, GPUGEO_COLLISIONS_ALGORITHM_GRID, 1, GPUGEO_BACKEND_CUDA);
      }
      free(a.i);
      free(a.j);
      free_problem(&p);
    }
}

/* --- What is known without a reference -------------------------------------------------------- */

static int64_t count_of(const gpugeo_matrix *x, const gpugeo_collisions_options *o) {
  gpugeo_collisions *found = NULL;
  gpugeo_error error = {0};
  int64_t count = -1;
  CHECK(!gpugeo_collisions_compute(x, NULL, o, &found, &error), "%s", error.message);
  if (found) (void)gpugeo_collisions_wait(found, NULL, &count, NULL, NULL);
  gpugeo_collisions_free(found);
  return count;
}

/* The generators of ElfColCnt: a straight chain has no two equal beads, one laid in pairs n / 2. */
static void test_generators(void) {
  static const int64_t sizes[] = {220, 221, 16384, 16385, 16604, 16605};
  const size_t count = CHECK_SMALL ? 2 : sizeof sizes / sizeof *sizes;
  for (size_t s = 0; s < count; ++s) {
    const int64_t n = sizes[s];
    int32_t *beads = calloc((size_t)(3 * n), sizeof *beads);
    const gpugeo_matrix x = {beads, GPUGEO_TYPE_INT32, n, 3, n, NULL};
    for (int paired = 0; paired < 2; ++paired)
      for (int algorithm = 0; algorithm < 5; ++algorithm) {
        for (int64_t i = 0; i < n; ++i)
          beads[i] = (int32_t)(paired ? i / 2 : i);
        gpugeo_collisions_options o;
        gpugeo_collisions_options_init(&o, sizeof o);
        o.run.backend = GPUGEO_BACKEND_CPU;
        o.algorithm = (gpugeo_collisions_algorithm)algorithm;
        o.radius = 0.5;
        CHECK(count_of(&x, &o) == (paired ? n / 2 : 0), "%lld beads by %s", (long long)n,
              algorithms[algorithm]);
        if (algorithm == GPUGEO_COLLISIONS_ALGORITHM_LATTICE) continue;
        o.radius = 1; /* neighbours on the chain collide, too; the chain in pairs is half as long */
        const int64_t places = (n + 1) / 2;
        const int64_t full = n % 2 ? places - 1 : places; /* locations with two beads */
        const int64_t want = paired ? n / 2 + 4 * (full - 1) + (n % 2 ? 2 : 0) : n - 1;
        CHECK(count_of(&x, &o) == want, "%lld beads at a distance of 1 by %s", (long long)n,
              algorithms[algorithm]);
        o.exclude = 1;
        if (!paired)
          CHECK(count_of(&x, &o) == 0, "%lld beads without neighbours by %s", (long long)n,
                algorithms[algorithm]);
      }
    free(beads);
  }
}

/* The example of the paper. */
static void test_example(void) {
  const double beads[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  const gpugeo_matrix x = {beads, GPUGEO_TYPE_DOUBLE, 4, 3, 4, NULL};
  gpugeo_collisions_options o;
  gpugeo_collisions_options_init(&o, sizeof o);
  o.radius = 1;
  for (int algorithm = 0; algorithm < 4; ++algorithm) {
    o.algorithm = (gpugeo_collisions_algorithm)algorithm;
    CHECK(count_of(&x, &o) == 2, "the four beads by %s", algorithms[algorithm]);
  }
}

/* Points in a cube of this side within [0, 1]^3, in columns, to be freed. */
static double *tight_points(int64_t n, double side) {
  double *points = malloc(sizeof *points * (size_t)(3 * n));
  dice d = {5};
  for (int64_t i = 0; i < 3 * n; ++i)
    points[i] = 0.5 + side / 2 * dice_real(&d);
  return points;
}

static gpugeo_collisions_options dense_options(void) {
  gpugeo_collisions_options o;
  gpugeo_collisions_options_init(&o, sizeof o);
  o.run.backend = GPUGEO_BACKEND_CPU;
  o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_GRID;
  o.radius = 0.01;
  return o;
}

/* Points of which all pairs collide, more than 2^32: they are counted, and as pairs they need more
   than the memory that is allowed. */
static void test_dense(double side) {
  const int64_t n = 100000;
  double *points = tight_points(n, side);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 3, n, NULL};
  gpugeo_collisions_options o = dense_options();
  CHECK(count_of(&x, &o) == 4999950000, "dense, side %g", side);
  o.what = GPUGEO_COLLISIONS_WHAT_PAIRS; /* 56 GiB */
  set_variable("GPUGEO_MEMORY", "8");
  gpugeo_collisions *found = NULL;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_collisions_compute(&x, NULL, &o, &found, &error);
  set_variable("GPUGEO_MEMORY", NULL);
  CHECK(status == GPUGEO_ERROR_MEMORY && !found &&
            strcmp(error.message, "the 4999950000 pairs that collide need 55.9 GiB, more than "
                                  "the 8.0 GiB of memory that GPUGEO_MEMORY allows") == 0,
        "pairs of all: status %d, \"%s\"", status, error.message);
  free(points);
}

/* The same without neighbours in the order of the points, a few and half of them. */
static void test_dense_exclude(double side) {
  const int64_t n = 20000;
  double *points = tight_points(n, side);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 3, n, NULL};
  gpugeo_collisions_options o = dense_options();
  const int64_t excluded[] = {10, n / 2};
  for (int e = 0; e < 2; ++e) {
    o.exclude = excluded[e];
    const int64_t left = n - excluded[e] - 1;
    CHECK(count_of(&x, &o) == left * (left + 1) / 2, "dense, side %g, exclude %lld", side,
          (long long)o.exclude);
  }
  free(points);
}

/* --- Hooks ------------------------------------------------------------------------------------ */

/* The hooks are asked at every poll: progress never goes back, and the first question that is
   answered so stops the call. Of two threads the calling one may come to no poll. */
static void test_hooks(void) {
  static const struct {
    int64_t n, m;
    gpugeo_collisions_what what;
    gpugeo_collisions_algorithm algorithm;
    double radius;
  } calls[] = {
      {15000, -1, GPUGEO_COLLISIONS_WHAT_COUNT, GPUGEO_COLLISIONS_ALGORITHM_USUAL, 0.1},
      {15000, -1, GPUGEO_COLLISIONS_WHAT_TABLE, GPUGEO_COLLISIONS_ALGORITHM_CYCLIC, 0.01},
      {80000, -1, GPUGEO_COLLISIONS_WHAT_PAIRS, GPUGEO_COLLISIONS_ALGORITHM_GRID, 0.04},
      {40000, 40000, GPUGEO_COLLISIONS_WHAT_PAIRS, GPUGEO_COLLISIONS_ALGORITHM_GRID, 0.05},
      {20000, -1, GPUGEO_COLLISIONS_WHAT_PER_POINT, GPUGEO_COLLISIONS_ALGORITHM_GRID, 0.5},
  };
  gg_clock_set_polls(1);
  for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
    for (int way = 0; way < 6; ++way) {
      const int stop_at = way / 2, threads = 1 + way % 2;
      problem p = make_problem(UNIFORM, calls[c].n, calls[c].m, 3, c);
      p.radius = calls[c].radius;
      gpugeo_collisions_options o =
          options_of(&p, (int)calls[c].what, (int)calls[c].algorithm, threads);
      witness w = {.stop_at = stop_at};
      witness_watch(&w, &o.run);
      gpugeo_matrix x = stored(&p, 0, p.n), y = stored(&p, p.n, p.m > 0 ? p.m : 0);
      gpugeo_collisions *found = NULL;
      gpugeo_error error = {0};
      const gpugeo_status status =
          gpugeo_collisions_compute(&x, p.m < 0 ? NULL : &y, &o, &found, &error);
      const bool stopped = stop_at && (threads == 1 || w.asked == stop_at);
      CHECK(status == (stopped ? GPUGEO_ERROR_INTERRUPT : GPUGEO_OK) && !found == stopped,
            "call %d, stop at %d: status %d", (int)c, stop_at, status);
      CHECK((w.asked > 2 || stop_at || threads > 1) && w.told == w.asked &&
                (!stopped || w.asked == stop_at),
            "call %d, stop at %d: asked %d times, told %d times", (int)c, stop_at, w.asked, w.told);
      CHECK(!w.backwards && !w.beyond, "call %d: progress went back, or left [0, 1]", (int)c);
      gpugeo_collisions_free(found);
      free((void *)x.data);
      free((void *)y.data);
      free_problem(&p);
    }
  gg_clock_set_polls(0);
}

/* --- Wrong arguments -------------------------------------------------------------------------- */

typedef gpugeo_status asking(const gpugeo_matrix *, const gpugeo_matrix *,
                             const gpugeo_collisions_options *, gpugeo_collisions **,
                             gpugeo_error *);

static void expect_from(asking *ask, const gpugeo_matrix *x, const gpugeo_matrix *y,
                        const gpugeo_collisions_options *o, const char *argument,
                        const char *message) {
  gpugeo_collisions *found = NULL;
  gpugeo_error error = {0};
  CHECK(ask(x, y, o, &found, &error) == GPUGEO_ERROR_ARGUMENT && !found &&
            strcmp(error.argument, argument) == 0 && strcmp(error.message, message) == 0,
        "%s: \"%s\", expected \"%s\"", error.argument, error.message, message);
  CHECK(ask(x, y, o, &found, NULL) == GPUGEO_ERROR_ARGUMENT, "%s without error", argument);
}

/* Both ways of asking fail with this, and without an error to write to, too. */
static void expect(const gpugeo_matrix *x, const gpugeo_matrix *y,
                   const gpugeo_collisions_options *o, const char *argument, const char *message) {
  expect_from(gpugeo_collisions_compute, x, y, o, argument, message);
  expect_from(gpugeo_collisions_launch, x, y, o, argument, message);
}

static void test_arguments(void) {
#define NOT_GIVEN "radius must be given, or radii: the largest distance at which points collide"
  const double values[] = {0, 0.5, 2, 3, 1e16, 5}, radii[] = {0.5, 0.25, INFINITY};
  const int32_t group[] = {0, 3, 1, INT32_MIN};
  const double box[] = {8, 2.5};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL},
                      one = {values, GPUGEO_TYPE_DOUBLE, 1, 2, 1, NULL};
  gpugeo_collisions_options o;
#define WRONG(y, argument, message, ...)                                                           \
  gpugeo_collisions_options_init(&o, sizeof o);                                                    \
  o.radius = 1;                                                                                    \
  __VA_ARGS__;                                                                                     \
  expect(&x, y, &o, argument, message)
  expect(&x, NULL, NULL, "options",
         "options must be filled by gpugeo_collisions_options_init(), not NULL");
  WRONG(NULL, "options",
        "options must be filled by gpugeo_collisions_options_init() of gpugeo " GPUGEO_VERSION
        " or earlier, not have a size of 7",
        o.size = 7);
  WRONG(NULL, "threads", "threads must be a whole number between 1 and 1024, not -1",
        o.run.threads = -1);
  WRONG(NULL, "what", "what must be between 0 and 3, not 4", o.what = (gpugeo_collisions_what)4);
  WRONG(NULL, "algorithm", "algorithm must be between 0 and 4, not 5",
        o.algorithm = (gpugeo_collisions_algorithm)5);
  WRONG(&one, "algorithm", "algorithm must not be \"cyclic\" with y",
        o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_CYCLIC);
  WRONG(NULL, "exclude", "exclude must be a whole number of at least 0, not -2", o.exclude = -2);
  WRONG(&one, "exclude", "exclude must be 0 with y, not 1", o.exclude = 1);
  gpugeo_collisions_options_init(&o, sizeof o);
  expect(&x, NULL, &o, "radius", NOT_GIVEN);
  WRONG(NULL, "radius", NOT_GIVEN, o.radius = NAN);
  WRONG(NULL, "radius", "radius must be a positive finite number, not Inf", o.radius = INFINITY);
  WRONG(NULL, "radii", "radii must be positive and finite, but value 3 is Inf", o.radii = radii,
        o.radii_length = 3);
  WRONG(&one, "radii", "radii must have a value for each of the 4 points, not 3 values",
        o.radii = radii, o.radii_length = 3);
  WRONG(NULL, "group", "group must be given with what = \"table\"",
        o.what = GPUGEO_COLLISIONS_WHAT_TABLE);
  WRONG(NULL, "group", "group must not be given without what = \"table\"", o.group = group,
        o.group_length = 3);
  WRONG(NULL, "group", "group must have a value for each of the 3 points, not 2 values",
        o.what = GPUGEO_COLLISIONS_WHAT_TABLE, o.group = group, o.group_length = 2, o.groups = 4);
  WRONG(NULL, "group", "group must be below the number of groups, 3, but value 2 is 3",
        o.what = GPUGEO_COLLISIONS_WHAT_TABLE, o.group = group, o.group_length = 3, o.groups = 3);
  WRONG(&one, "group", "group must have no missing values, but value 4 is missing",
        o.what = GPUGEO_COLLISIONS_WHAT_TABLE, o.group = group, o.group_length = 4, o.groups = 4);
  WRONG(NULL, "box", "box must be at least 3, twice the radius of 1.5, but value 2 is 2.5",
        o.box = box, o.box_length = 2, o.radius = 1.5);
  WRONG(&one, "box",
        "box must be at least 3, twice the largest sum of two radii, 1.5, but value 2 is 2.5",
        o.box = box, o.box_length = 2, o.radii_length = 4,
        o.radii = ((const double[]){0.5, 1, 0.25, 0.5}));
  WRONG(NULL, "x", "x must have whole coordinates with algorithm \"lattice\", but row 2 has 0.5",
        o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_LATTICE, o.radius = 0.5);
  WRONG(NULL, "radius", "radius must be below 1 with algorithm \"lattice\", not 1",
        o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_LATTICE);
  WRONG(NULL, "radii", "two radii must be less than 1 together with algorithm \"lattice\", not 1.5",
        o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_LATTICE, o.radii_length = 3,
        o.radii = ((const double[]){0.5, 1, 0.25}));
  WRONG(NULL, "box", "box must have whole numbers with algorithm \"lattice\", but value 2 is 2.5",
        o.algorithm = GPUGEO_COLLISIONS_ALGORITHM_LATTICE, o.radius = 0.5, o.box = box,
        o.box_length = 2);
#undef WRONG
#undef NOT_GIVEN
}

int main(void) {
  gpugeo_error error;
  with_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!with_cuda) check_skip(1, "CUDA: not present (%s)", error.message);
  test_arguments();
  test_example();
  test_two();
  test_shapes();
  test_lattice();
  test_crowds();
  test_hooks();
  test_generators();
  test_dense(0);
  test_dense(2e-3);
  test_dense_exclude(0);
  test_dense_exclude(2e-3);
  return check_end();
}
