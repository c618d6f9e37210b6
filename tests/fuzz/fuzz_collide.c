/* Fuzzes gpugeo_collisions_compute(): any points and options. Checks each algorithm against the
   others, the numbers per point and per group against the pairs, and simple points against all
   pairs. */
#include "fuzz.h"

enum { MOST_X = 460, MOST_Y = 40, GROUPS = 4 };

/* What one call is about. */
typedef struct question {
  const gpugeo_matrix *x, *y; /* y NULL: within x */
  gpugeo_collisions_options options;
} question;

static int64_t rows_of_y(const question *q) { return q->y ? q->y->nrow : q->x->nrow; }

/* Rows in range and in order. */
static void check_order(const question *q, const int32_t *pairs, int64_t count) {
  for (int64_t e = 0; e < count; ++e) {
    const int32_t i = pairs[e], j = pairs[e + count];
    demand(i >= 0 && i < q->x->nrow && j >= 0 && j < rows_of_y(q) && (q->y || i < j));
    demand(e == 0 || pairs[e - 1] < i || (pairs[e - 1] == i && pairs[e - 1 + count] < j));
  }
}

static void check_per_point(const question *q, const gpugeo_collisions *found, int64_t count) {
  double *number = malloc((size_t)q->x->nrow * sizeof *number + 1), sum = 0;
  demand(gpugeo_collisions_per_point(found, number, NULL) == GPUGEO_OK);
  for (int64_t i = 0; i < q->x->nrow; ++i)
    sum += number[i];
  demand(sum == (double)count * (q->y ? 1 : 2));
  free(number);
}

static void check_table(const question *q, const gpugeo_collisions *found, int64_t count) {
  double number[GROUPS * GROUPS], sum = 0;
  demand(gpugeo_collisions_table(found, number, NULL) == GPUGEO_OK);
  for (int i = 0; i < GROUPS; ++i)
    for (int j = 0; j < GROUPS; ++j) {
      demand(q->y || number[i + j * GROUPS] == number[j + i * GROUPS]);
      if (q->y || i <= j) sum += number[i + j * GROUPS];
    }
  demand(sum == (double)count);
}

/* --- Simple points ---------------------------------------------------------------------------- */

static bool is_simple_question(const question *q) {
  const gpugeo_collisions_options *o = &q->options;
  if (o->metric != GPUGEO_CLOSEST_METRIC_EUCLIDEAN) return false;
  for (int64_t c = 0; o->box && c < o->box_length; ++c)
    if (!is_simple(o->box[c])) return false;
  return is_simple(o->radius) && is_simple_matrix(q->x) && (!q->y || is_simple_matrix(q->y));
}

/* Of two coordinates in a box of this length; 0: not periodic. */
static double difference(double a, double b, double box) {
  const double d = fabs(a - b);
  return box > 0 ? fmin(fmod(d, box), box - fmod(d, box)) : d;
}

static bool collide(const question *q, int64_t i, int64_t j) {
  const gpugeo_collisions_options *o = &q->options;
  const gpugeo_matrix *y = q->y ? q->y : q->x;
  if (!q->y && j - i <= o->exclude) return false;
  const double reach = o->radii ? o->radii[i] + o->radii[j + (q->y ? q->x->nrow : 0)] : o->radius;
  double squares = 0;
  for (int64_t c = 0; c < q->x->ncol; ++c) {
    const double d = difference(element(q->x, i, c), element(y, j, c), o->box ? o->box[c] : 0);
    squares += d * d;
  }
  return squares <= reach * reach;
}

static int64_t count_simple(const question *q) {
  int64_t count = 0;
  for (int64_t i = 0; i < q->x->nrow; ++i)
    for (int64_t j = q->y ? 0 : i + 1; j < rows_of_y(q); ++j)
      count += collide(q, i, j);
  return count;
}

/* --- The target ------------------------------------------------------------------------------- */

/* The number of collisions, and the pairs to be freed where these were asked for; -1: refused. */
static int64_t ask(const question *q, int32_t **pairs) {
  gpugeo_collisions *found = NULL;
  gpugeo_error error;
  int64_t count = -1;
  const gpugeo_status status = gpugeo_collisions_compute(q->x, q->y, &q->options, &found, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return -1;
  demand(gpugeo_collisions_wait(found, NULL, &count, NULL, NULL) == GPUGEO_OK && count >= 0);
  *pairs = malloc((size_t)count * 2 * sizeof **pairs + 1);
  if (q->options.what == GPUGEO_COLLISIONS_WHAT_PAIRS) {
    demand(gpugeo_collisions_pairs(found, GPUGEO_TYPE_INT32, *pairs, NULL) == GPUGEO_OK);
    check_order(q, *pairs, count);
  }
  if (q->options.what == GPUGEO_COLLISIONS_WHAT_PER_POINT) check_per_point(q, found, count);
  if (q->options.what == GPUGEO_COLLISIONS_WHAT_TABLE) check_table(q, found, count);
  gpugeo_collisions_free(found);
  return count;
}

static void check_methods(question *q, int64_t work_bytes) {
  int32_t *first_pairs = NULL;
  int64_t first = -1;
  for (int algorithm = GPUGEO_COLLISIONS_ALGORITHM_AUTO;
       algorithm <= GPUGEO_COLLISIONS_ALGORITHM_LATTICE; ++algorithm) {
    int32_t *pairs = NULL;
    set_way(&q->options.run, algorithm % WAYS, work_bytes);
    q->options.algorithm = (gpugeo_collisions_algorithm)algorithm;
    const int64_t count = ask(q, &pairs);
    if (count >= 0 && first >= 0) {
      demand(count == first);
      if (q->options.what == GPUGEO_COLLISIONS_WHAT_PAIRS)
        demand(memcmp(pairs, first_pairs, (size_t)count * 2 * sizeof *pairs) == 0);
    }
    if (first < 0 && count >= 0) {
      first = count;
      first_pairs = pairs;
    } else {
      free(pairs);
    }
  }
  if (first >= 0 && is_simple_question(q)) demand(first == count_simple(q));
  free(first_pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  question q = {.y = NULL};
  gpugeo_collisions_options *o = &q.options;
  gpugeo_collisions_options_init(o, sizeof *o);
  o->what = (gpugeo_collisions_what)take(&b, GPUGEO_COLLISIONS_WHAT_TABLE);
  const int64_t work_bytes = take(&b, 255), columns = 1 + take(&b, 2);
  const int64_t nx = take(&b, 59) + (take(&b, 7) == 7 ? 400 : 0), ny = take(&b, MOST_Y);
  const bool within = take(&b, 1);
  const gpugeo_type type = (gpugeo_type)take(&b, 2);
  o->radius = take(&b, 1) ? take_double(&b) : 0.5 * (1 + take(&b, 8));
  o->exclude = within ? take(&b, 30) : 0;
  double box[3], radii[MOST_X + MOST_Y];
  int32_t group[MOST_X + MOST_Y];
  for (int c = 0; c < 3; ++c)
    box[c] = take(&b, 1) ? 0 : fabs(take_double(&b)) + 0.5;
  if (take(&b, 2) == 2) {
    o->box = box;
    o->box_length = columns;
  }
  const bool various = take(&b, 2) == 2;
  for (int k = 0; k < MOST_X + MOST_Y; ++k) {
    const int value = k < 16 ? take(&b, 15) : k * 7 % 16;
    radii[k] = 0.25 * (1 + value % 4);
    group[k] = value / 4;
  }
  const int64_t points = nx + (within ? 0 : ny);
  if (various) o->radii = radii;
  o->radii_length = various ? points : 0;
  if (o->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    o->group = group;
    o->group_length = points;
    o->groups = GROUPS;
  }
  gpugeo_matrix x = take_matrix(&b, type, nx, columns), y = take_matrix(&b, type, ny, columns);
  if (take(&b, 3) == 3) {
    o->metric = GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE;
    o->sphere_radius = take(&b, 3) == 3 ? take_double(&b) : 1;
  }
  q.x = &x;
  q.y = within ? NULL : &y;
  check_methods(&q, work_bytes);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}
