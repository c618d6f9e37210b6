/* Fuzzes gpugeo_closest_pair(): any points and options. Checks each algorithm against the others,
   and simple points against all pairs. */
#include "fuzz.h"

enum { MOST = 64 };

static void check_pairs(const gpugeo_pair *pairs, int64_t found, int64_t nx, int64_t ny,
                        bool within) {
  for (int64_t p = 0; p < found; ++p) {
    demand(pairs[p].i >= 0 && pairs[p].i < nx && pairs[p].j >= 0 && pairs[p].j < ny);
    demand(!within || pairs[p].i < pairs[p].j);
    demand(pairs[p].distance >= 0 && (p == 0 || pairs[p - 1].distance <= pairs[p].distance));
  }
}

static int compare(const void *left, const void *right) {
  const gpugeo_pair *a = left, *b = right;
  if (a->distance < b->distance || a->distance > b->distance)
    return a->distance < b->distance ? -1 : 1;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

/* Squares of simple coordinates add up exactly. */
static double simple_distance(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t i,
                              int64_t j) {
  double squares = 0;
  for (int64_t c = 0; c < x->ncol; ++c) {
    const double d = element(x, i, c) - element(y, j, c);
    squares += d * d;
  }
  return sqrt(squares);
}

/* All pairs in order. */
static void check_simple(const gpugeo_matrix *x, const gpugeo_matrix *y, bool within, bool distinct,
                         int64_t k, const gpugeo_pair *pairs, int64_t found) {
  gpugeo_pair *all = malloc((size_t)(x->nrow * y->nrow) * sizeof *all + 1);
  int64_t count = 0;
  for (int64_t i = 0; i < x->nrow; ++i)
    for (int64_t j = within ? i + 1 : 0; j < y->nrow; ++j) {
      const double distance = simple_distance(x, y, i, j);
      if (distance > 0 || !distinct) all[count++] = (gpugeo_pair){i, j, distance};
    }
  qsort(all, (size_t)count, sizeof *all, compare);
  demand(found == (k < count ? k : count));
  for (int64_t p = 0; p < found; ++p)
    demand(compare(&all[p], &pairs[p]) == 0);
  free(all);
}

/* The answer of the first algorithm that applies. */
typedef struct answer {
  bool given;
  gpugeo_pair pairs[MOST];
  int64_t found, ties;
} answer;

static void ask(const gpugeo_matrix *x, const gpugeo_matrix *y, const gpugeo_closest_options *o,
                answer *first) {
  gpugeo_error error;
  answer now = {.given = true};
  const gpugeo_status status =
      gpugeo_closest_pair(x, y, o, now.pairs, &now.found, &now.ties, NULL, &error);
  demand_status(status, ALLOW_ARGUMENT, &error);
  if (status) return;
  check_pairs(now.pairs, now.found, x->nrow, y ? y->nrow : x->nrow, !y);
  if (!first->given) *first = now;
  demand(now.found == first->found && now.ties == first->ties);
  for (int64_t p = 0; p < now.found; ++p)
    demand(compare(&now.pairs[p], &first->pairs[p]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  gpugeo_closest_options o;
  gpugeo_closest_options_init(&o, sizeof o);
  o.metric = (gpugeo_closest_metric)take(&b, 1);
  o.distinct = take(&b, 1);
  o.k = take(&b, MOST);
  const int64_t nx = take(&b, 120), ny = take(&b, 60), columns = take(&b, 4);
  const bool within = take(&b, 1);
  double box[4];
  for (int c = 0; c < 4; ++c)
    box[c] = take_double(&b);
  if (take(&b, 1)) {
    o.box = box;
    o.box_length = columns;
  }
  gpugeo_matrix x = take_matrix(&b, (gpugeo_type)take(&b, 2), nx, columns);
  gpugeo_matrix y = take_matrix(&b, (gpugeo_type)take(&b, 2), ny, columns);
  if (take(&b, 3) == 3) o.sphere_radius = take_double(&b);
  answer first = {.given = false};
  for (int algorithm = 0; algorithm < GPUGEO_CLOSEST_ALGORITHM_COUNT; ++algorithm) {
    set_way(&o.run, algorithm % WAYS, 1);
    o.algorithm = (gpugeo_closest_algorithm)algorithm;
    ask(&x, within ? NULL : &y, &o, &first);
  }
  const gpugeo_matrix *other = within ? &x : &y;
  if (first.given && o.metric == GPUGEO_CLOSEST_METRIC_EUCLIDEAN && !o.box &&
      is_simple_matrix(&x) && is_simple_matrix(other))
    check_simple(&x, other, within, o.distinct, o.k, first.pairs, first.found);
  free((void *)x.data);
  free((void *)y.data);
  return 0;
}
