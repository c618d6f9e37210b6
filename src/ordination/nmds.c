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
 * any. Limit: the loads of coordinates, which are in no order, and the branches of the regression
 * and of the sorting.
 */
#include "ordination/nmds.h"

#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/radix.h"
#include "ordination/monotone.h"
#include "ordination/nmds_kernels.h"

enum {
  HISTORY = 5,   /* steps that a search remembers */
  HALVINGS = 20, /* of a step that does not lower the stress */
  QUIET = 3,     /* iterations in a row that lower the stress by less than its ratio */
  FEW = 64       /* at most so many ties are sorted by insertion */
};
static const double step_size = 2; /* of steepest descent, see choose_direction() */
static const double enough = 1e-4; /* of the fall that the gradient promises (Armijo) */

/* Groups of pairs of the same dissimilarity: the first pair and the end of each group that has more
   than one (weak ties), or the ends of all groups (strong ties). */
typedef struct tie_list {
  int32_t *pair;
  int64_t groups;
} tie_list;

/* A step and the change of the gradient on it. */
typedef struct history {
  double *step[HISTORY], *change[HISTORY], product[HISTORY], scale[HISTORY];
  int64_t count;
} history;

/* What one thread works with. Coordinates of a point are next to each other. */
typedef struct search {
  const gg_nmds_plan *plan;
  const tie_list *ties;
  const gg_nmds_kernels *kernels;
  int64_t length; /* n k */
  double *memory; /* of all arrays of doubles below; to be freed */
  double *x, *gradient, *other, *other_gradient, *direction;
  double *value, *fitted; /* of pairs */
  /* Of pairs, in the order of their distances where they are tied: numbers of the points, and of
     the pair. */
  int32_t *row, *column, *order;
  gg_monotone monotone;
  gg_radix sorter;
  history past;
} search;

/* The loop's job. */
typedef struct job {
  const gg_nmds_plan *plan;
  tie_list ties;
  search *searches; /* of each thread */
  gg_clock *clock;
} job;

/* --- Ties ------------------------------------------------------------------------------------- */

/* Lists the groups of ties. Returns false if there is no memory. */
static bool list_ties(tie_list *ties, const gg_nmds_plan *plan) {
  ties->pair = gg_allocate_large(plan->pairs, sizeof *ties->pair);
  for (int64_t first = 0, end; ties->pair && first < plan->pairs; first = end) {
    for (end = first + 1; end < plan->pairs && plan->delta[end] == plan->delta[first];)
      ++end;
    if (plan->strong) {
      ties->pair[ties->groups++] = (int32_t)end;
    } else if (end - first > 1) {
      ties->pair[2 * ties->groups] = (int32_t)first;
      ties->pair[2 * ties->groups++ + 1] = (int32_t)end;
    }
  }
  return ties->pair != NULL;
}

/* --- Memory ----------------------------------------------------------------------------------- */

double gg_nmds_working(const gg_nmds_plan *plan) {
  return (double)plan->pairs * (2 * sizeof(double) + 2 * (8 + 4) + 3 * 4) +
         gg_monotone_working(plan->pairs) +
         (double)plan->n * (double)plan->k * (5 + 2 * HISTORY) * sizeof(double);
}

/* Frees the memory of a search. */
static void free_search(search *s) {
  gg_free(s->memory);
  gg_free(s->row);
  gg_monotone_free(&s->monotone);
  gg_radix_free(&s->sorter);
}

/* Shares out the memory of a search. */
static void share_memory(search *s) {
  double *next = s->memory;
  double **vectors[] = {&s->x, &s->gradient, &s->other, &s->other_gradient, &s->direction};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i, next += s->length)
    *vectors[i] = next;
  for (int i = 0; i < HISTORY; ++i, next += 2 * s->length) {
    s->past.step[i] = next;
    s->past.change[i] = next + s->length;
  }
  s->value = next;
  s->fitted = next + s->plan->pairs;
  s->column = s->row + s->plan->pairs;
  s->order = s->column + s->plan->pairs;
}

/* Allocates the memory of a search, to be freed also after a failure. Returns false if there is
   none. */
static bool make_search(search *s, const job *j) {
  const gg_nmds_plan *plan = j->plan;
  const int64_t length = plan->n * plan->k;
  *s = (search){.plan = plan,
                .ties = &j->ties,
                .length = length,
                .kernels = GG_SIMD_CHOOSE(const gg_nmds_kernels, gg_nmds_kernels)};
  s->memory = gg_allocate_large(2 * plan->pairs + (5 + 2 * HISTORY) * length, sizeof *s->memory);
  s->row = gg_allocate_large(3 * plan->pairs, sizeof *s->row);
  if (!s->memory || !s->row || !gg_monotone_allocate(&s->monotone, plan->pairs)) return false;
  share_memory(s);
  return plan->strong || j->ties.groups == 0 || gg_radix_allocate(&s->sorter, plan->pairs, 1);
}

/* --- Disparities ------------------------------------------------------------------------------ */

/* Sorts a few pairs from `first` on by their values. */
static void insert_ties(search *s, int64_t first, int64_t end) {
  for (int64_t t = first + 1; t < end; ++t) {
    const double value = s->value[t];
    const int32_t row = s->row[t], column = s->column[t], order = s->order[t];
    int64_t at = t;
    for (; at > first && s->value[at - 1] > value; --at) {
      s->value[at] = s->value[at - 1];
      s->row[at] = s->row[at - 1];
      s->column[at] = s->column[at - 1];
      s->order[at] = s->order[at - 1];
    }
    s->value[at] = value;
    s->row[at] = row;
    s->column[at] = column;
    s->order[at] = order;
  }
}

/* Moves numbers into the order of the sorter. */
static void move_numbers(const gg_radix *sorter, int32_t *number, int64_t count) {
  memcpy(sorter->other_value, number, (size_t)count * sizeof *number);
  for (int64_t t = 0; t < count; ++t)
    number[t] = sorter->other_value[sorter->value[t]];
}

/* Sorts many pairs from `first` on by their values. A key is the bits of a value, which is not
   below 0, less those of the smallest one. */
static void sort_ties(search *s, int64_t first, int64_t end) {
  const int64_t count = end - first;
  double smallest = s->value[first], largest = smallest;
  for (int64_t t = first; t < end; ++t) {
    smallest = s->value[t] < smallest ? s->value[t] : smallest;
    largest = s->value[t] > largest ? s->value[t] : largest;
  }
  const uint64_t least = gg_radix_key(smallest);
  for (int64_t t = 0; t < count; ++t) {
    s->sorter.key[t] = gg_radix_key(s->value[first + t]) - least;
    s->sorter.value[t] = (int32_t)t;
  }
  gg_radix_sort(&s->sorter, count, gg_radix_bits(gg_radix_key(largest) - least), 1);
  memcpy(s->sorter.other_key, s->value + first, (size_t)count * sizeof *s->value);
  for (int64_t t = 0; t < count; ++t)
    memcpy(s->value + first + t, s->sorter.other_key + s->sorter.value[t], sizeof *s->value);
  move_numbers(&s->sorter, s->row + first, count);
  move_numbers(&s->sorter, s->column + first, count);
  move_numbers(&s->sorter, s->order + first, count);
}

/* Puts pairs of the same dissimilarity into the order of their distances (the primary treatment of
   ties). The order of the last configuration is a good beginning for few ties. */
static void order_ties(search *s) {
  for (int64_t group = 0; group < s->ties->groups; ++group) {
    const int64_t first = s->ties->pair[2 * group], end = s->ties->pair[2 * group + 1];
    if (end - first > FEW)
      sort_ties(s, first, end);
    else
      insert_ties(s, first, end);
  }
}

/* Writes the monotone regression of the values. */
static void fit_monotone(search *s) {
  const bool strong = s->plan->strong;
  gg_monotone *m = &s->monotone;
  if (!strong) order_ties(s);
  const int64_t count =
      gg_monotone_pool(m, s->value, s->plan->pairs, strong ? s->ties->pair : NULL, s->ties->groups);
  for (int64_t block = 0, t = 0; block < count; ++block) {
    const double mean = m->sum[block] / (double)(m->end[block] - t);
    for (; t < m->end[block]; ++t)
      s->fitted[t] = mean;
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

/* Returns the square of the stress, and writes its gradient. */
static double evaluate(search *s, const double *x, double *gradient) {
  const gg_nmds_pairs pairs = {.count = s->plan->pairs,
                               .k = s->plan->k,
                               .row = s->row,
                               .column = s->column,
                               .value = s->value,
                               .fitted = s->fitted};
  double gaps, total;
  s->kernels->measure(&pairs, x);
  if (s->plan->linear)
    fit_linear(s);
  else
    fit_monotone(s);
  s->kernels->sums(&pairs, &gaps, &total);
  const double square = total > 0 ? gaps / total : 0;
  memset(gradient, 0, (size_t)s->length * sizeof *gradient);
  s->kernels->pull(&pairs, x, 1 - square, s->monotone.prefix, gradient);
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
   that of steepest descent, with the length of 2 step_size steps of majorization (de Leeuw 1977).
   Returns the slope, 0 if there is none. */
static double choose_direction(search *s) {
  if (s->past.count > 0) {
    find_direction(s);
    const double slope = inner(s->gradient, s->direction, s->length);
    if (slope < 0) return slope;
    s->past.count = 0;
  }
  const double size = step_size * inner(s->x, s->x, s->length);
  for (int64_t i = 0; i < s->length; ++i)
    s->direction[i] = -size * s->gradient[i];
  return -size * inner(s->gradient, s->gradient, s->length);
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
  memcpy(s->row, plan->row, (size_t)plan->pairs * sizeof *s->row);
  memcpy(s->column, plan->column, (size_t)plan->pairs * sizeof *s->column);
  for (int64_t t = 0; t < plan->pairs; ++t)
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
  for (int64_t t = 0; t < s->plan->pairs; ++t) {
    s->plan->distance[s->order[t]] = s->value[t];
    s->plan->fitted[s->order[t]] = s->fitted[t];
  }
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

/* Lists pairs, and makes a search for each thread. */
static gpugeo_status make_searches(job *j, int32_t threads, gg_call *call) {
  const gg_nmds_plan *plan = j->plan;
  bool there = plan->linear || list_ties(&j->ties, plan);
  j->searches = gg_call_allocate(call, threads, sizeof *j->searches);
  if (!j->searches) return call->status;
  for (int32_t t = 0; t < threads; ++t)
    there = make_search(j->searches + t, j) && there;
  return GG_TRY(call,
                there ? GPUGEO_OK : gg_fail_memory(call->error, (int64_t)gg_nmds_working(plan)));
}

/* Frees what make_searches() has made. */
static void free_searches(job *j, int32_t threads) {
  for (int32_t t = 0; j->searches && t < threads; ++t)
    free_search(j->searches + t);
  gg_free(j->searches);
  gg_free(j->ties.pair);
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
  free_searches(&j, threads);
  return call->status;
}
