/* Neighbours and collisions by great circles against all pairs by the formula of common/sphere.h:
   the same results with the same bits, wherever the points are; the work, which must not grow with
   the number of pairs; and the backend. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/backend.h"
#include "common/random.h"
#include "common/sphere.h"
#include "common/test_hooks.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/knn.h"
#include "gpugeo.h"
#include "null_backend.h"
#include "points/collide_plan.h"

/* --- Places ----------------------------------------------------------------------------------- */

typedef enum places {
  EVERYWHERE,
  TOWNS,     /* clusters of 1e-5 degrees, about a metre */
  NEAREST,   /* clusters of 1e-13 degrees, below the margin of the bounds */
  DATE_LINE, /* within 1e-3 degrees of it, with longitudes on both sides and beyond 180 */
  POLES,
  EQUAL,     /* at 5 locations, by several names */
  ANTIPODES, /* near two opposite locations */
  LATTICE,   /* whole degrees: many equal distances */
  MERIDIAN,
  HOLES, /* everywhere, and some coordinates are missing */
  PLACES
} places;

static double uniform(uint64_t *state) {
  *state += GG_RANDOM_STEP;
  return (double)(gg_random_mix(*state) >> 11) * 0x1p-53;
}

static void make_place(places kind, int64_t i, uint64_t *state, double *longitude,
                       double *latitude) {
  const double u = uniform(state), v = uniform(state), w = uniform(state);
  const double east = 540 * u - 180, north = 180 * asin(2 * v - 1) / acos(-1.0);
  *longitude = east;
  *latitude = north;
  switch (kind) {
  case TOWNS:
    *longitude = 36.0 * (double)(i % 9) - 170 + 1e-5 * u;
    *latitude = 19.0 * (double)(i % 9) - 80 + 1e-5 * v;
    break;
  case NEAREST:
    *longitude = (double)(i % 3) + 1e-13 * u;
    *latitude = 50 + 1e-13 * v;
    break;
  case DATE_LINE:
    *longitude = w < 0.3 ? 180 - 1e-3 * u : w < 0.6 ? -180 + 1e-3 * u : 180 + 1e-3 * u;
    *latitude = 1e-3 * v;
    break;
  case POLES:
    *latitude = (w < 0.5 ? -1 : 1) * (90 - (i % 7 ? 1e-3 * v * v : 0));
    break;
  case EQUAL:
    *longitude = i % 5 == 0 ? (w < 0.5 ? 180 : -180) : i % 5 == 1 ? (w < 0.5 ? -30 : 330) : u;
    *latitude = i % 5 < 2 ? 20 : i % 5 == 2 ? 90 : i % 5 == 3 ? -90 : 0;
    if (i % 5 == 4) *longitude = w < 0.5 ? 0 : 360;
    break;
  case ANTIPODES:
    *longitude = (i % 2 ? 40 : -140) + 1e-6 * u;
    *latitude = (i % 2 ? 33 : -33) + 1e-6 * v;
    break;
  case LATTICE:
    *longitude = floor(30 * u);
    *latitude = floor(60 * v) - 30;
    break;
  case MERIDIAN:
    *longitude = 12.5;
    break;
  case HOLES:
    if (w < 0.05) *longitude = NAN;
    if (w < 0.02 || w > 0.97) *latitude = NAN;
    break;
  default:
    break;
  }
}

/* Returns n locations, n by 2. */
static double *make_places(places kind, int64_t n, uint64_t seed) {
  double *x = malloc((size_t)(2 * n) * sizeof *x + 1);
  for (int64_t i = 0; i < n; ++i)
    make_place(kind, i, &seed, &x[i], &x[i + n]);
  return x;
}

/* --- All pairs -------------------------------------------------------------------------------- */

static double distance_between(const double *x, int64_t n, int64_t i, const double *y, int64_t ny,
                               int64_t j, double radius) {
  double a[3], b[3];
  if (isnan(x[i]) || isnan(x[i + n]) || isnan(y[j]) || isnan(y[j + ny])) return NAN;
  gg_sphere_point(x[i], x[i + n], a);
  gg_sphere_point(y[j], y[j + ny], b);
  return gg_sphere_distance(radius, gg_sphere_haversine(a, b));
}

static int compare_found(const void *a, const void *b) {
  return gg_neighbor_before(*(const gg_neighbor *)a, *(const gg_neighbor *)b)   ? -1
         : gg_neighbor_before(*(const gg_neighbor *)b, *(const gg_neighbor *)a) ? 1
                                                                                : 0;
}

/* Returns all points of x in the order of their distances from point j of y; y NULL: of x, and then
   without itself. */
static gg_neighbor *all_of(const double *x, int64_t n, const double *y, int64_t ny, int64_t j,
                           double radius) {
  gg_neighbor *found = malloc((size_t)n * sizeof *found);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    if (y || i != j)
      found[count++] =
          (gg_neighbor){distance_between(x, n, i, y ? y : x, y ? ny : n, j, radius), (int32_t)i};
  qsort(found, (size_t)count, sizeof *found, compare_found);
  return found;
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

typedef struct problem {
  places kind;
  int64_t n, ny; /* ny 0: within x */
  const double *x, *y;
  gpugeo_matrix x_matrix, y_matrix;
  gpugeo_knn_options options;
} problem;

static void compare_nearest(const problem *p) {
  const int64_t asked = p->ny ? p->ny : p->n, k = p->options.k;
  int32_t *index = malloc((size_t)(asked * k) * sizeof *index);
  double *distance = malloc((size_t)(asked * k) * sizeof *distance);
  gpugeo_error error;
  gpugeo_status status = gpugeo_knn(&p->x_matrix, p->ny ? &p->y_matrix : NULL, &p->options, index,
                                    distance, NULL, &error);
  CHECK(!status, "%s", error.message);
  char wrong[200] = "";
  for (int64_t j = 0; !status && j < asked && !*wrong; ++j) {
    gg_neighbor *all = all_of(p->x, p->n, p->y, p->ny, j, p->options.metric.sphere_radius);
    for (int64_t r = 0; r < k && !*wrong; ++r) {
      const int32_t found = index[j + r * asked];
      const double at = distance[j + r * asked];
      if (found != all[r].index || !same(at, all[r].distance))
        snprintf(wrong, sizeof wrong, "neighbour %lld of %lld is %d at %.17g, not %d at %.17g",
                 (long long)r, (long long)j, found, at, all[r].index, all[r].distance);
    }
    free(all);
  }
  CHECK(!*wrong, "kind %d, n %lld, ny %lld, k %lld: %s", p->kind, (long long)p->n, (long long)p->ny,
        (long long)k, wrong);
  free(index);
  free(distance);
}

static void compare_near(const problem *p) {
  gpugeo_neighbors found;
  gpugeo_error error;
  gpugeo_status status =
      gpugeo_radius(&p->x_matrix, p->ny ? &p->y_matrix : NULL, &p->options, &found, NULL, &error);
  if (!CHECK(!status, "%s", error.message)) return;
  char wrong[200] = "";
  for (int64_t j = 0; j < found.points && !*wrong; ++j) {
    gg_neighbor *all = all_of(p->x, p->n, p->y, p->ny, j, p->options.metric.sphere_radius);
    const int64_t count = found.start[j + 1] - found.start[j], most = p->n - (p->ny ? 0 : 1);
    int64_t expected = 0;
    while (expected < most && all[expected].distance <= p->options.radius)
      ++expected;
    if (count != expected)
      snprintf(wrong, sizeof wrong, "%lld within of %lld, not %lld", (long long)count, (long long)j,
               (long long)expected);
    for (int64_t r = 0; r < count && !*wrong; ++r) {
      const int64_t at = found.start[j] + r;
      if (found.index[at] != all[r].index || found.distance[at] != all[r].distance)
        snprintf(wrong, sizeof wrong, "neighbour %lld of %lld", (long long)r, (long long)j);
    }
    free(all);
  }
  CHECK(!*wrong, "kind %d, radius %g: %s", p->kind, p->options.radius, wrong);
  gpugeo_neighbors_free(&found);
}

static void test_places(places kind, int64_t n, int64_t ny, gpugeo_backend backend) {
  static const double radii[] = {6371008.8, 1, 0x1p-1000, 1e300};
  static int turn;
  problem p = {.kind = kind, .n = n, .ny = ny};
  double *x = make_places(kind, n, 11), *y = ny ? make_places(kind, ny, 12) : NULL;
  p.x = x;
  p.y = y;
  p.x_matrix = (gpugeo_matrix){x, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  p.y_matrix = (gpugeo_matrix){y, GPUGEO_TYPE_DOUBLE, ny, 2, ny, NULL};
  gpugeo_knn_options_init(&p.options, sizeof p.options);
  p.options.run.backend = backend;
  p.options.run.threads = 1 + turn % 3;
  p.options.metric.kind = GPUGEO_METRIC_GREAT_CIRCLE;
  p.options.metric.sphere_radius = radii[turn++ % 4];
  const int64_t most = n - (ny ? 0 : 1), ks[] = {1, 7, 24, 25, most};
  for (size_t i = 0; i < sizeof ks / sizeof *ks; ++i) {
    p.options.k = ks[i] < most ? ks[i] : most;
    compare_nearest(&p);
  }
  /* Radii that are distances. */
  gg_neighbor *all = all_of(x, n, y, ny, 0, p.options.metric.sphere_radius);
  const double within[] = {0, all[0].distance, all[most / 3].distance, all[most - 1].distance,
                           INFINITY};
  for (size_t i = 0; i < sizeof within / sizeof *within; ++i) {
    p.options.radius = within[i] >= 0 ? within[i] : 1;
    compare_near(&p);
  }
  free(all);
  free(x);
  free(y);
}

/* --- Collisions ------------------------------------------------------------------------------- */

static int64_t count_collisions(const gpugeo_matrix *x, double radius,
                                gpugeo_collisions_algorithm algorithm, double sphere_radius,
                                gpugeo_backend backend) {
  gpugeo_collisions_options options;
  gpugeo_collisions *collisions;
  gpugeo_error error;
  int64_t count = -1;
  gpugeo_collisions_options_init(&options, sizeof options);
  options.run.backend = backend;
  options.algorithm = algorithm;
  options.radius = radius;
  options.metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
  options.sphere_radius = sphere_radius;
  gpugeo_status status = gpugeo_collisions_compute(x, NULL, &options, &collisions, &error);
  if (!CHECK(!status, "%s", error.message)) return -1;
  gpugeo_collisions_wait(collisions, NULL, &count, NULL, NULL);
  gpugeo_collisions_free(collisions);
  return count;
}

/* Compares for radii that are distances. Cells of more than 256 points are crowds. */
static void test_collisions(places kind, int64_t n, gpugeo_backend backend) {
  const double sphere_radius = 57.25;
  double *x = make_places(kind, n, 51);
  const gpugeo_matrix matrix = {x, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  gg_neighbor *all = all_of(x, n, NULL, 0, 0, sphere_radius);
  const int64_t ranks[] = {0, 5, n / 3, n - 2};
  for (size_t r = 0; r < sizeof ranks / sizeof *ranks; ++r) {
    const double radius = all[ranks[r]].distance;
    if (!(radius > 0)) continue;
    int64_t expected = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j)
        expected += distance_between(x, n, i, x, n, j, sphere_radius) <= radius;
    for (int a = GPUGEO_COLLISIONS_ALGORITHM_GRID; a <= GPUGEO_COLLISIONS_ALGORITHM_CYCLIC; ++a) {
      const int64_t count =
          count_collisions(&matrix, radius, (gpugeo_collisions_algorithm)a, sphere_radius, backend);
      CHECK(count == expected, "kind %d, radius %g, algorithm %d: %lld collisions, not %lld", kind,
            radius, a, (long long)count, (long long)expected);
    }
  }
  free(all);
  free(x);
}

/* Writes a result of collisions to `to`, in which there is room. Returns the count. */
static int64_t collide_to(const gpugeo_matrix *x, const gpugeo_matrix *y,
                          const gpugeo_collisions_options *options, double *to) {
  gpugeo_collisions *collisions;
  gpugeo_error error;
  int64_t count = -1;
  gpugeo_status status = gpugeo_collisions_compute(x, y, options, &collisions, &error);
  if (!CHECK(!status, "%s", error.message)) return -1;
  gpugeo_collisions_wait(collisions, NULL, &count, NULL, NULL);
  if (options->what == GPUGEO_COLLISIONS_WHAT_PER_POINT)
    status = gpugeo_collisions_per_point(collisions, to, &error);
  else if (options->what == GPUGEO_COLLISIONS_WHAT_PAIRS)
    status = gpugeo_collisions_pairs(collisions, GPUGEO_TYPE_DOUBLE, to, &error);
  else if (options->what == GPUGEO_COLLISIONS_WHAT_TABLE)
    status = gpugeo_collisions_table(collisions, to, &error);
  CHECK(!status, "%s", error.message);
  gpugeo_collisions_free(collisions);
  return count;
}

/* Compares all results with those of the CPU, within x and with y, by a radius and by radii. */
static void test_collision_results(places kind, gpugeo_backend backend) {
  enum { N = 200, NY = 70, ROOM = N * N * 2 };
  double *x = make_places(kind, N, 61), *y = make_places(kind, NY, 62), radii[N + NY];
  int32_t group[N + NY];
  for (int i = 0; i < N + NY; ++i) {
    radii[i] = 1e5 * (1 + i % 13);
    group[i] = i % 5;
  }
  const gpugeo_matrix x_matrix = {x, GPUGEO_TYPE_DOUBLE, N, 2, N, NULL};
  const gpugeo_matrix y_matrix = {y, GPUGEO_TYPE_DOUBLE, NY, 2, NY, NULL};
  double *expected = malloc(ROOM * sizeof *expected), *got = malloc(ROOM * sizeof *got);
  for (int choice = 0; choice < 16; ++choice) {
    const gpugeo_matrix *other = choice % 2 ? &y_matrix : NULL;
    gpugeo_collisions_options options;
    gpugeo_collisions_options_init(&options, sizeof options);
    options.metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
    options.radius = 1.5e6;
    options.what = (gpugeo_collisions_what)(choice / 4);
    options.exclude = other ? 0 : 3;
    if (choice / 2 % 2) options.radii = radii, options.radii_length = N + (other ? NY : 0);
    if (options.what == GPUGEO_COLLISIONS_WHAT_TABLE)
      options.group = group, options.group_length = N + (other ? NY : 0), options.groups = 5;
    memset(expected, 0, ROOM * sizeof *expected);
    memset(got, 0, ROOM * sizeof *got);
    options.run.backend = GPUGEO_BACKEND_CPU;
    const int64_t count = collide_to(&x_matrix, other, &options, expected);
    options.run.backend = backend;
    const int64_t same_count = collide_to(&x_matrix, other, &options, got);
    CHECK(count > 0 && count == same_count && memcmp(expected, got, ROOM * sizeof *got) == 0,
          "kind %d, choice %d: %lld collisions, not %lld, or other ones", kind, choice,
          (long long)same_count, (long long)count);
  }
  free(x);
  free(y);
  free(expected);
  free(got);
}

/* --- Bounds ----------------------------------------------------------------------------------- */

/* Compares the limits of a distance with the units of the two points that have it. */
static void test_limit(void) {
  const int64_t n = CHECK_SMALL ? 200 : 1000;
  for (int kind = 0; kind < HOLES; ++kind) {
    double *x = make_places((places)kind, n, 21);
    double closest = INFINITY, sure = INFINITY;
    for (int64_t e = 0; e < n * n; ++e) {
      double a[3], b[3], u[3], v[3], sum = 0;
      gg_sphere_point(x[e / n], x[e / n + n], a);
      gg_sphere_point(x[e % n], x[e % n + n], b);
      gg_sphere_unit(a, u);
      gg_sphere_unit(b, v);
      for (int c = 0; c < 3; ++c)
        sum = fma(u[c] - v[c], u[c] - v[c], sum);
      const double d = gg_sphere_distance(2, gg_sphere_haversine(a, b));
      closest = fmin(closest, gg_sphere_chord_limit(2, d) - sum);
      const double shorter = gg_sphere_sure_chord(2, d * (1 - 0x1p-53));
      if (shorter >= 0 && d > 0) sure = fmin(sure, sum - shorter * shorter);
    }
    CHECK(closest >= 0, "kind %d: a limit is too small by %g", kind, -closest);
    CHECK(sure > 0, "kind %d: a sure chord is too long by %g", kind, -sure);
    free(x);
  }
}

/* --- Growth of the work ----------------------------------------------------------------------- */

static double work_of(places kind, int64_t n) {
  double *x = make_places(kind, n, 31);
  const gpugeo_matrix matrix = {x, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  const int64_t k = 10;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_GREAT_CIRCLE;
  gg_dist_memory memory = {0};
  gpugeo_report report;
  gg_clock clock;
  gpugeo_error error;
  gg_clock_start(&clock, &options.run);
  gg_knn_plan plan = {.dist = gg_dist_plan_make(&matrix, NULL, &options, 0), .k = k};
  plan.index = malloc((size_t)(n * k) * sizeof *plan.index);
  plan.distance = malloc((size_t)(n * k) * sizeof *plan.distance);
  gg_kd_work work = {0};
  bool done = false;
  gpugeo_status status =
      gg_dist_prepare(&plan.dist, &options, 0, &memory, GG_CALL_OF(&clock, &report, &error));
  if (!status) status = gg_kd_knn(&plan, &work, &done, GG_CALL_OF(&clock, NULL, &error));
  CHECK(!status && done, "kind %d", kind);
  gg_dist_memory_free(&memory);
  free(plan.index);
  free(plan.distance);
  free(x);
  return (double)(work.eights + work.leaves + work.scans) / (double)n;
}

static void test_growth(void) {
  static const places kinds[] = {EVERYWHERE, TOWNS, DATE_LINE, EQUAL, MERIDIAN};
  const int64_t n = CHECK_SMALL ? 1000 : 3000;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const double before = work_of(kinds[i], n), after = work_of(kinds[i], 4 * n);
    CHECK(after < 1.2 * before + 5 && after < 100, "kind %d: %.1f for each query, then %.1f",
          kinds[i], before, after);
  }
}

/* --- The backend ------------------------------------------------------------------------------ */

static int knn_calls;
static gpugeo_status count_knn(const gg_knn_plan *plan, gg_call *call) {
  (void)plan, (void)call;
  ++knn_calls;
  return GPUGEO_OK;
}

/* Adds a backend that AUTO prefers and that has no great circles. */
static void test_backend(void) {
  static gg_backend fast;
  fast = null_backend;
  fast.can.algorithms[GG_FAMILY_KNN] = fast.can.algorithms[GG_FAMILY_DBSCAN] = GG_ALL_ALGORITHMS;
  fast.can.automatic = true;
  fast.knn = count_knn;
  knn_calls = 0;
  CHECK(gg_backend_add(&fast), "there is no room");
  double *x = make_places(EVERYWHERE, 50, 41), distance[50];
  int32_t index[50];
  const gpugeo_matrix matrix = {x, GPUGEO_TYPE_DOUBLE, 50, 2, 50, NULL};
  gpugeo_knn_options options;
  gpugeo_report report;
  gpugeo_error error;
  gpugeo_knn_options_init(&options, sizeof options);
  gpugeo_status status = gpugeo_knn(&matrix, NULL, &options, index, distance, &report, &error);
  CHECK(!status && knn_calls == 1, "AUTO does not take the fast backend");
  options.metric.kind = GPUGEO_METRIC_GREAT_CIRCLE;
  status = gpugeo_knn(&matrix, NULL, &options, index, distance, &report, &error);
  CHECK(!status && knn_calls == 1 && report.backend == GPUGEO_BACKEND_CPU,
        "AUTO takes the fast backend for great circles");
  gpugeo_dbscan_options clusters;
  gpugeo_dbscan_options_init(&clusters, sizeof clusters);
  clusters.metric.kind = GPUGEO_METRIC_GREAT_CIRCLE;
  clusters.run.backend = fast.id;
  clusters.metric.sphere_radius = clusters.eps = 1;
  const gpugeo_distances points = {.x = &matrix};
  status = gpugeo_dbscan(&points, &clusters, index, NULL, &report, &error);
  CHECK(
      status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, "backend") == 0 &&
          strcmp(
              error.message,
              "backend must be \"auto\" or \"cpu\" for clusters by great circles, not \"null\"") ==
              0,
      "status %d: %s", status, error.message);
  free(x);
}

/* --- Chords ----------------------------------------------------------------------------------- */

/* Takes the part of a backend on which neighbours are searched by chords alone. */
static gpugeo_status knn_by_chords(const gg_knn_plan *plan, gg_call *call) {
  CHECK(plan->dist.sphere_radius == 0, "a plan of great circles");
  ++knn_calls;
  return gg_host_backend()->knn(plan, call);
}
static gpugeo_status radius_by_chords(const gg_radius_plan *plan, gpugeo_neighbors *found,
                                      gg_call *call) {
  CHECK(plan->dist.sphere_radius == 0, "a plan of great circles");
  ++knn_calls;
  return gg_host_backend()->radius(plan, found, call);
}

static gpugeo_status collide_by_chords(const gg_collide_plan *plan, gg_collide_result *result,
                                       gg_call *call) {
  CHECK(plan->sphere_radius == 0 && plan->rule.kind != GG_POINT_SPHERE, "a plan on the sphere");
  return gg_host_backend()->collide(plan, result, call);
}

/* Adds a backend that has no great circles, and returns its number. */
static gpugeo_backend add_chords(void) {
  static gg_backend chords;
  chords = null_backend;
  static const gg_family families[] = {GG_FAMILY_KNN, GG_FAMILY_RADIUS, GG_FAMILY_COLLIDE};
  for (int f = 0; f < 3; ++f)
    chords.can.algorithms[families[f]] = GG_ALL_ALGORITHMS;
  chords.knn = knn_by_chords;
  chords.radius = radius_by_chords;
  chords.collide = collide_by_chords;
  CHECK(gg_backend_add(&chords), "there is no room");
  return chords.id;
}

int main(void) {
  const int64_t n = CHECK_SMALL ? 150 : 500;
  const gpugeo_backend chords = add_chords();
  gpugeo_error error;
  const bool cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!cuda) check_skip(1, "CUDA: %s", error.message);
  const gpugeo_backend backends[] = {GPUGEO_BACKEND_CPU, chords, GPUGEO_BACKEND_CUDA};
  for (int kind = 0; kind < PLACES; ++kind) {
    for (int b = 0; b < 2 + (int)cuda; ++b) {
      if (b == 2 && check_leaves_out(2)) continue;
      knn_calls = 0;
      test_places((places)kind, n, 0, backends[b]);
      test_places((places)kind, n, 90, backends[b]);
      test_places((places)kind, 12, 3, backends[b]);
      CHECK((knn_calls > 0) == (b == 1), "backend %d: %d calls", b, knn_calls);
    }
    for (int b = 0; kind != HOLES && b < 2 + (int)cuda; ++b)
      test_collisions((places)kind, CHECK_SMALL ? 300 : 900, backends[b]);
    for (int b = 1; kind != HOLES && b < 2 + (int)cuda; ++b)
      test_collision_results((places)kind, backends[b]);
  }
  test_limit();
  test_growth();
  test_backend();
  return check_end();
}
