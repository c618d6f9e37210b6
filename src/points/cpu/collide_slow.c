/* Collisions by the arithmetic of point_step.h, one pair after the other: for points more than a
   box apart. */
#include "points/cpu/collide_slow.h"

#include <math.h>

#include "points/collide_step.h"

bool gg_cpu_is_near(const gg_cpu_search *search, double s, const double *differences) {
  double sum = 0;
  for (int c = 0; c < search->plan->rule.columns; ++c)
    sum = fma(differences[c], differences[c], sum);
  return gg_collide_near(sum, s);
}

/* True if two points are within the radius. */
static bool is_near(const gg_cpu_search *search, int64_t i, int64_t j) {
  const gg_cpu_points *a = &search->a, *b = &search->b;
  const gg_point_rule *rule = &search->plan->rule;
  double d[GG_POINT_COLUMNS];
  for (int c = 0; c < rule->columns; ++c)
    d[c] = gg_point_difference(a->coordinate[c][i], b->coordinate[c][j], rule->box[c]);
  return gg_cpu_is_near(search, a->radius ? a->radius[i] + b->radius[j] : search->plan->radius, d);
}

/* True if the filter admits the pair of rows. */
static bool passes(const gg_cpu_search *search, gg_cpu_filter filter, int64_t i, int64_t j) {
  const double after = search->b.row[j] - search->a.row[i];
  if (filter == GG_CPU_ALL) return true;
  return (filter == GG_CPU_APART ? fabs(after) : after) > (double)search->plan->exclude;
}

/* Returns the number of points in the spans that collide with point i, and lists them if found is
   not NULL. */
static int64_t search_spans(const gg_cpu_search *search, gg_cpu_filter filter, int64_t i,
                            const gg_span *spans, int count, int32_t *found) {
  int64_t sum = 0;
  for (int s = 0; s < count; ++s)
    for (int64_t j = spans[s].begin; j < spans[s].end; ++j)
      if (is_near(search, i, j) && passes(search, filter, i, j)) {
        if (found) found[sum] = (int32_t)j;
        ++sum;
      }
  return sum;
}

#define SLOWLY(filter)                                                                             \
  static int64_t count_##filter(const gg_cpu_search *search, int64_t i, const gg_span *spans,      \
                                int count) {                                                       \
    return search_spans(search, filter, i, spans, count, NULL);                                    \
  }                                                                                                \
  static int64_t list_##filter(const gg_cpu_search *search, int64_t i, const gg_span *spans,       \
                               int count, int32_t *found) {                                        \
    return search_spans(search, filter, i, spans, count, found);                                   \
  }
SLOWLY(GG_CPU_ALL)
SLOWLY(GG_CPU_APART)
SLOWLY(GG_CPU_AFTER)

gg_cpu_count *gg_cpu_count_slowly(gg_cpu_filter filter) {
  static gg_cpu_count *const kernels[] = {count_GG_CPU_ALL, count_GG_CPU_APART, count_GG_CPU_AFTER};
  return kernels[filter];
}

gg_cpu_list *gg_cpu_list_slowly(gg_cpu_filter filter) {
  static gg_cpu_list *const kernels[] = {list_GG_CPU_ALL, list_GG_CPU_APART, list_GG_CPU_AFTER};
  return kernels[filter];
}
