/*
 * Nonmetric multidimensional scaling (Kruskal 1964a, b): minimizes stress 1,
 *
 *   S = sqrt(sum (d - f)^2 / sum d^2),
 *
 * of the distances d in a configuration, where the disparities f are the monotone regression of d
 * on the dissimilarities. S^2 has the derivative 2 ((d - f) - S^2 d) / sum d^2 by a distance, since
 * f is the best one (Kruskal 1964b, section 3). It is followed by the limited-memory BFGS method
 * (Liu and Nocedal 1989), which needs fewer regressions than Kruskal's steepest descent.
 *
 * A start is the work of one thread, in one order of operations, so results depend neither on the
 * threads nor on the other starts. An evaluation takes O(pairs) time, and sorts ties if there are
 * any. Limit: the roots and the divisions.
 */
#include "ordination/nmds.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/radix.h"

enum {
  HISTORY = 8,   /* steps that a search remembers */
  HALVINGS = 20, /* of a step that does not lower the stress */
  QUIET = 3,     /* iterations in a row that lower the stress by less than its ratio */
  FEW = 64       /* at most so many ties are sorted by insertion */
};
static const double first_step = 0.1; /* of the configuration's norm */
static const double enough = 1e-4;    /* of the fall that the gradient promises (Armijo) */

/* A step and the change of the gradient on it. */
typedef struct history {
  double *step[HISTORY], *change[HISTORY], product[HISTORY], scale[HISTORY];
  int64_t count;
} history;

/* What one thread works with. Coordinates of a point are next to each other. */
typedef struct search {
  const gg_nmds_plan *plan;
  int64_t length; /* n k */
  bool ties;
  double *memory; /* of all arrays of doubles below; to be freed */
  double *x, *gradient, *other, *other_gradient, *direction;
  double *value, *fitted, *sum, *size; /* of pairs, or of blocks of them */
  int32_t *order, *end;                /* order: of pairs whose ties are sorted */
  gg_radix sorter;
  history past;
} search;

/* The loop's job. */
typedef struct job {
  const gg_nmds_plan *plan;
  search *searches; /* of each thread */
  gg_clock *clock;
} job;

/* --- Memory ----------------------------------------------------------------------------------- */

double gg_nmds_working(const gg_nmds_plan *plan) {
  return (double)plan->pairs * (4 * sizeof(double) + 2 * (8 + 4) + 2 * 4) +
         (double)plan->n * (double)plan->k * (5 + 2 * HISTORY) * sizeof(double);
}

/* Frees the memory of a search. */
static void free_search(search *s) {
  gg_free(s->memory);
  gg_free(s->order);
  gg_free(s->end);
  gg_radix_free(&s->sorter);
}

/* Shares out the doubles of a search. */
static void share_memory(search *s) {
  const int64_t pairs = s->plan->pairs;
  double *next = s->memory;
  double **vectors[] = {&s->x, &s->gradient, &s->other, &s->other_gradient, &s->direction};
  double **lists[] = {&s->value, &s->fitted, &s->sum, &s->size};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i, next += s->length)
    *vectors[i] = next;
  for (int i = 0; i < HISTORY; ++i, next += 2 * s->length) {
    s->past.step[i] = next;
    s->past.change[i] = next + s->length;
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i, next += pairs)
    *lists[i] = next;
}

/* True if two successive pairs have the same dissimilarity. */
static bool has_ties(const gg_nmds_plan *plan) {
  for (int64_t p = 1; p < plan->pairs; ++p)
    if (plan->delta[p] == plan->delta[p - 1]) return true;
  return false;
}

/* Allocates the memory of a search, to be freed also after a failure. Returns false if there is
   none. */
static bool make_search(search *s, const gg_nmds_plan *plan) {
  const int64_t length = plan->n * plan->k;
  *s = (search){.plan = plan, .length = length};
  s->ties = !plan->linear && !plan->strong && has_ties(plan);
  s->memory = gg_allocate_large(4 * plan->pairs + (5 + 2 * HISTORY) * length, sizeof *s->memory);
  s->end = gg_allocate_large(plan->pairs, sizeof *s->end);
  s->order = s->ties ? gg_allocate_large(plan->pairs, sizeof *s->order) : NULL;
  if (!s->memory || !s->end || (s->ties && !s->order)) return false;
  share_memory(s);
  return !s->ties || gg_radix_allocate(&s->sorter, plan->pairs, 1);
}

/* --- Disparities ------------------------------------------------------------------------------ */

/* Returns the end of the pairs that have the dissimilarity of the pair `first`. */
static int64_t tie_end(const gg_nmds_plan *plan, int64_t first) {
  int64_t end = first + 1;
  while (end < plan->pairs && plan->delta[end] == plan->delta[first])
    ++end;
  return end;
}

/* Sorts a few pairs by their values. */
static void insert_ties(const double *value, int32_t *order, int64_t count) {
  for (int64_t t = 1; t < count; ++t) {
    const int32_t pair = order[t];
    int64_t at = t;
    for (; at > 0 && (value[order[at - 1]] > value[pair] ||
                      (value[order[at - 1]] == value[pair] && order[at - 1] > pair));
         --at)
      order[at] = order[at - 1];
    order[at] = pair;
  }
}

/* Sorts many pairs from `first` on by their values. */
static void sort_ties(search *s, int64_t first, int64_t count) {
  uint64_t largest = 0;
  for (int64_t t = 0; t < count; ++t) {
    const uint64_t key = gg_radix_key(s->value[first + t]) - gg_radix_key(0);
    s->sorter.key[t] = key;
    s->sorter.value[t] = (int32_t)(first + t);
    largest = key > largest ? key : largest;
  }
  gg_radix_sort(&s->sorter, count, gg_radix_bits(largest), 1);
  memcpy(s->order + first, s->sorter.value, (size_t)count * sizeof *s->order);
}

/* Puts pairs of the same dissimilarity into the order of their distances (the primary treatment of
   ties), equal ones in their own order. The order of the last configuration is a good beginning for
   few ties. */
static void order_ties(search *s) {
  for (int64_t first = 0, end; first < s->plan->pairs; first = end) {
    end = tie_end(s->plan, first);
    const int64_t count = end - first;
    if (count > FEW)
      sort_ties(s, first, count);
    else if (count > 1)
      insert_ties(s->value, s->order + first, count);
  }
}

/* Adds the values of pairs from `first` on that have one disparity to *sum. Returns their end. */
static inline int64_t add_values(const search *s, int64_t first, double *sum) {
  const int64_t end = s->plan->strong ? tie_end(s->plan, first) : first + 1;
  for (int64_t t = first; t < end; ++t)
    *sum += s->value[s->ties ? s->order[t] : t];
  return end;
}

/* Pools pairs into blocks whose means rise. Returns the number of blocks. The last block stays in
   registers: it takes in pairs whose mean is not above its own, then blocks before it. */
static int64_t pool_pairs(search *s) {
  const int64_t pairs = s->plan->pairs;
  double sum = 0, size = 0;
  int64_t count = 0;
  if (s->ties) order_ties(s);
  for (int64_t first = 0, end; first < pairs; first = end) {
    double next = 0;
    end = add_values(s, first, &next);
    const double many = (double)(end - first);
    if (next * size > sum * many) { /* a new block; the first of all has size 0 and joins */
      s->sum[count] = sum;
      s->size[count] = size;
      s->end[count++] = (int32_t)first;
      sum = next;
      size = many;
      continue;
    }
    sum += next;
    size += many;
    for (; count > 0 && s->sum[count - 1] * size >= sum * s->size[count - 1]; --count) {
      sum += s->sum[count - 1];
      size += s->size[count - 1];
    }
  }
  s->sum[count] = sum;
  s->size[count] = size;
  s->end[count] = (int32_t)pairs;
  return count + 1;
}

/* Writes the monotone regression of the values. */
static void fit_monotone(search *s) {
  const int64_t count = pool_pairs(s);
  for (int64_t block = 0, t = 0; block < count; ++block) {
    const double mean = s->sum[block] / s->size[block];
    for (; t < s->end[block]; ++t)
      s->fitted[s->ties ? s->order[t] : t] = mean;
  }
}

/* Writes the linear regression of the values. */
static void fit_linear(search *s) {
  const gg_nmds_plan *plan = s->plan;
  double mean = 0, centre = 0, both = 0, squares = 0;
  for (int64_t p = 0; p < plan->pairs; ++p) {
    mean += s->value[p] / (double)plan->pairs;
    centre += plan->delta[p] / (double)plan->pairs;
  }
  for (int64_t p = 0; p < plan->pairs; ++p) {
    both += (plan->delta[p] - centre) * (s->value[p] - mean);
    squares += (plan->delta[p] - centre) * (plan->delta[p] - centre);
  }
  const double slope = squares > 0 ? both / squares : 0;
  for (int64_t p = 0; p < plan->pairs; ++p)
    s->fitted[p] = mean + slope * (plan->delta[p] - centre);
}

/* --- Stress ----------------------------------------------------------------------------------- */

/* Writes the distances of the pairs. k is a constant where the function is inlined. */
static inline void measure_in(search *s, const double *x, int64_t k) {
  const gg_nmds_plan *plan = s->plan;
  for (int64_t p = 0; p < plan->pairs; ++p) {
    const double *a = x + plan->row[p] * k, *b = x + plan->column[p] * k;
    double square = 0;
    for (int64_t c = 0; c < k; ++c)
      square += (a[c] - b[c]) * (a[c] - b[c]);
    s->value[p] = sqrt(square);
  }
}

/* Adds to the gradient what the pairs give, times the sum of squares of the distances. */
static inline void add_pulls(search *s, const double *x, double square, double *gradient,
                             int64_t k) {
  const gg_nmds_plan *plan = s->plan;
  for (int64_t p = 0; p < plan->pairs; ++p) {
    const double d = s->value[p];
    if (!(d > 0)) continue;
    const double pull = 1 - square - s->fitted[p] / d;
    const int64_t i = plan->row[p] * k, j = plan->column[p] * k;
    for (int64_t c = 0; c < k; ++c) {
      const double move = pull * (x[i + c] - x[j + c]);
      gradient[i + c] += move;
      gradient[j + c] -= move;
    }
  }
}

/* Returns the square of the stress of a configuration, from its distances and disparities. total:
   the sum of the squared distances. */
static double stress_square(search *s, double *total) {
  double rest = 0;
  *total = 0;
  for (int64_t p = 0; p < s->plan->pairs; ++p) {
    const double d = s->value[p], gap = d - s->fitted[p];
    rest += gap * gap;
    *total += d * d;
  }
  return *total > 0 ? rest / *total : 0;
}

/* Returns the square of the stress, and writes its gradient. */
static double evaluate(search *s, const double *x, double *gradient) {
  const int64_t k = s->plan->k;
  double total;
  if (k == 2)
    measure_in(s, x, 2);
  else
    measure_in(s, x, k);
  if (s->plan->linear)
    fit_linear(s);
  else
    fit_monotone(s);
  const double square = stress_square(s, &total);
  memset(gradient, 0, (size_t)s->length * sizeof *gradient);
  if (k == 2)
    add_pulls(s, x, square, gradient, 2);
  else
    add_pulls(s, x, square, gradient, k);
  for (int64_t i = 0; i < s->length && total > 0; ++i)
    gradient[i] *= 2 / total;
  return square;
}

/* --- Search ----------------------------------------------------------------------------------- */

/* Returns the inner product of two vectors. */
static double inner(const double *a, const double *b, int64_t length) {
  double sum = 0;
  for (int64_t i = 0; i < length; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Adds a multiple of b to a. */
static void add_multiple(double *a, const double *b, double factor, int64_t length) {
  for (int64_t i = 0; i < length; ++i)
    a[i] += factor * b[i];
}

/* Moves the centre of a configuration to 0, and makes the mean square norm of its points 1. */
static void normalize(search *s, double *x) {
  const int64_t n = s->plan->n, k = s->plan->k;
  for (int64_t c = 0; c < k; ++c) {
    double mean = 0;
    for (int64_t i = 0; i < n; ++i)
      mean += x[i * k + c];
    mean /= (double)n;
    for (int64_t i = 0; i < n; ++i)
      x[i * k + c] -= mean;
  }
  const double norm = sqrt(inner(x, x, s->length) / (double)n);
  for (int64_t i = 0; i < s->length && norm > 0; ++i)
    x[i] /= norm;
}

/* Remembers the step from x to the other configuration, unless the gradient does not rise on it. */
static void remember(search *s) {
  history *past = &s->past;
  const int64_t at = past->count % HISTORY, length = s->length;
  for (int64_t i = 0; i < length; ++i) {
    past->step[at][i] = s->other[i] - s->x[i];
    past->change[at][i] = s->other_gradient[i] - s->gradient[i];
  }
  past->product[at] = inner(past->step[at], past->change[at], length);
  if (past->product[at] > 0) ++past->count;
}

/* Writes the direction: minus the gradient, times the inverse of the Hessian that the past gives
   (Liu and Nocedal 1989, the two-loop recursion). */
static void find_direction(search *s) {
  history *past = &s->past;
  const int64_t length = s->length, oldest = past->count > HISTORY ? past->count - HISTORY : 0;
  for (int64_t i = 0; i < length; ++i)
    s->direction[i] = -s->gradient[i];
  for (int64_t m = past->count - 1; m >= oldest; --m) {
    const int64_t at = m % HISTORY;
    past->scale[at] = inner(past->step[at], s->direction, length) / past->product[at];
    add_multiple(s->direction, past->change[at], -past->scale[at], length);
  }
  const int64_t last = (past->count - 1) % HISTORY;
  const double factor = past->product[last] / inner(past->change[last], past->change[last], length);
  for (int64_t i = 0; i < length; ++i)
    s->direction[i] *= factor;
  for (int64_t m = oldest; m < past->count; ++m) {
    const int64_t at = m % HISTORY;
    const double own = inner(past->change[at], s->direction, length) / past->product[at];
    add_multiple(s->direction, past->step[at], past->scale[at] - own, length);
  }
}

/* Writes the direction of the next step. Without a past, or if it would not lower the stress, it is
   that of steepest descent. Returns the slope, 0 if there is none. */
static double choose_direction(search *s) {
  const double norm = sqrt(inner(s->gradient, s->gradient, s->length));
  if (s->past.count > 0) {
    find_direction(s);
    const double slope = inner(s->gradient, s->direction, s->length);
    if (slope < 0) return slope;
    s->past.count = 0;
  }
  const double size = first_step * sqrt((double)s->plan->n);
  for (int64_t i = 0; i < s->length && norm > 0; ++i)
    s->direction[i] = -s->gradient[i] / norm * size;
  return -norm * size;
}

/* Makes a step that lowers the square of the stress, by halving it until it does. Returns false if
   none does. */
static bool make_step(search *s, double *square) {
  const double slope = choose_direction(s);
  double length = 1;
  for (int halving = 0; halving < HALVINGS && slope < 0; ++halving, length /= 2) {
    memcpy(s->other, s->x, (size_t)s->length * sizeof *s->x);
    add_multiple(s->other, s->direction, length, s->length);
    const double next = evaluate(s, s->other, s->other_gradient);
    if (!(next <= *square + enough * length * slope)) continue;
    remember(s);
    double *x = s->x, *gradient = s->gradient;
    s->x = s->other, s->gradient = s->other_gradient;
    s->other = x, s->other_gradient = gradient;
    *square = next;
    return true;
  }
  return false;
}

/* Returns the length of the gradient of the stress, times the square root of n, as if the mean
   square norm of the points were 1. */
static double gradient_scale(const search *s, double square) {
  const double norms = inner(s->gradient, s->gradient, s->length) * inner(s->x, s->x, s->length);
  return square > 0 ? sqrt(norms) / (2 * sqrt(square)) : 0;
}

/* Searches from the configuration x. Returns the cause of its end. */
static gg_nmds_cause descend(search *s, gg_clock *clock, double *square, int *iterations) {
  const gg_nmds_plan *plan = s->plan;
  int quiet = 0;
  s->past.count = 0;
  for (int64_t t = 0; s->ties && t < plan->pairs; ++t)
    s->order[t] = (int32_t)t;
  *square = evaluate(s, s->x, s->gradient);
  for (*iterations = 0; *iterations < plan->most; ++*iterations) {
    if (gg_clock_poll(clock, 0)) break; /* the loop fails then */
    const double before = *square;
    if (sqrt(before) < plan->least_stress) return GG_NMDS_STRESS;
    if (gradient_scale(s, before) < plan->least_gradient) return GG_NMDS_GRADIENT;
    if (!make_step(s, square)) {
      if (s->past.count == 0) return GG_NMDS_GRADIENT;
      s->past.count = 0; /* tries steepest descent */
      continue;
    }
    quiet = sqrt(*square) > plan->largest_ratio * sqrt(before) ? quiet + 1 : 0;
    if (quiet == QUIET) return GG_NMDS_RATIO;
  }
  return GG_NMDS_ITERATIONS;
}

/* Copies a configuration between columns and points. */
static void copy_points(const gg_nmds_plan *plan, const double *from, double *to, bool to_columns) {
  for (int64_t i = 0; i < plan->n; ++i)
    for (int64_t c = 0; c < plan->k; ++c) {
      const int64_t column = c * plan->n + i, point = i * plan->k + c;
      to[to_columns ? column : point] = from[to_columns ? point : column];
    }
}

/* Writes the distances and disparities of the configuration that was found. */
static void write_fit(search *s) {
  evaluate(s, s->x, s->gradient);
  memcpy(s->plan->distance, s->value, (size_t)s->plan->pairs * sizeof *s->value);
  memcpy(s->plan->fitted, s->fitted, (size_t)s->plan->pairs * sizeof *s->fitted);
}

/* Searches from starts; the loop's work. */
static void search_starts(void *own, gg_range range) {
  job *j = own;
  const gg_nmds_plan *plan = j->plan;
  search *s = j->searches + range.worker;
  for (int64_t r = range.first; r < range.last; ++r) {
    double square;
    copy_points(plan, plan->start + r * s->length, s->x, false);
    normalize(s, s->x);
    plan->cause[r] = descend(s, j->clock, &square, plan->iterations + r);
    normalize(s, s->x);
    plan->stress[r] = sqrt(square);
    copy_points(plan, s->x, plan->points + r * s->length, true);
    if (plan->distance && r == plan->starts - 1) write_fit(s);
  }
}

/* Makes a search for each thread. */
static gpugeo_status make_searches(job *j, int32_t threads, gg_call *call) {
  bool there = true;
  j->searches = gg_call_allocate(call, threads, sizeof *j->searches);
  if (!j->searches) return call->status;
  for (int32_t t = 0; t < threads; ++t)
    there = make_search(j->searches + t, j->plan) && there;
  return GG_TRY(call,
                there ? GPUGEO_OK : gg_fail_memory(call->error, (int64_t)gg_nmds_working(j->plan)));
}

gpugeo_status gg_nmds(const gg_nmds_plan *plan, gg_call *call) {
  const int32_t threads = (int32_t)(plan->threads < plan->starts ? plan->threads : plan->starts);
  job j = {.plan = plan, .clock = call->clock};
  make_searches(&j, threads, call);
  const gg_loop loop = {.threads = threads,
                        .count = plan->starts,
                        .grain = 1,
                        .work = search_starts,
                        .job = &j,
                        .share = 1};
  gg_call_loop(call, loop);
  for (int32_t t = 0; j.searches && t < threads; ++t)
    free_search(j.searches + t);
  gg_free(j.searches);
  return call->status;
}
