/*
 * Forces after stress: a layout by stress is scaled to where the energy of forces is least, and
 * moved by iterations that are too cool to change its shape, which bring neighbours together.
 */
#include "layout/stress_forces.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "layout/energy.h"

/* The largest weight of an edge. */
static const double most_weight = 1e9;

/* All that the iterations need in the unit of forces. */
typedef struct settling {
  const gg_layout_setting *setting;
  const gg_layout_plan *stress; /* of the layout by stress */
  gg_layout_plan plan;
  double *start; /* positions before */
  double factor; /* of positions */
} settling;

/* Returns the weights for which edges alone have their lengths, in the setting's unit: a pair at
   distance d is at rest if w d^2 = 1 / d. NULL without lengths, or after an error. */
static float *make_weights(const settling *s, const double *length) {
  if (!length) return NULL;
  const int64_t entries = s->stress->graph.start[s->stress->graph.vertices];
  float *weight = gg_call_allocate(s->setting->call, entries, sizeof *weight);
  for (int64_t e = 0; weight && e < entries; ++e) {
    const double inverse = s->setting->unit / length[e];
    weight[e] = (float)fmin(inverse * inverse * inverse, most_weight);
  }
  return weight;
}

/* Returns columns times the factor, or NULL if there are none, or after an error. */
static double *scaled(const settling *s, const double *columns) {
  if (!columns) return NULL;
  const int64_t count = s->plan.graph.vertices * s->plan.dim;
  double *made = gg_call_allocate(s->setting->call, count, sizeof *made);
  for (int64_t i = 0; made && i < count; ++i)
    made[i] = columns[i] * s->factor;
  return made;
}

/* Scales the positions and bounds, and finds the first temperature. */
static gpugeo_status begin(settling *s, double start_of_mean) {
  gg_call *call = s->setting->call;
  const gg_layout_plan *stress = s->stress;
  const int64_t count = stress->graph.vertices * stress->dim;
  double mean = 0;
  s->start = gg_call_allocate(call, count, sizeof *s->start);
  if (call->status) return call->status;
  memcpy(s->start, stress->positions, (size_t)count * sizeof *s->start);
  for (int64_t i = 0; i < count; ++i)
    stress->positions[i] /= s->setting->unit;
  const double scale = gg_layout_force_scale(&s->plan.graph, NULL, stress->positions, stress->dim);
  for (int64_t i = 0; i < count; ++i)
    stress->positions[i] *= scale;
  s->factor = scale / s->setting->unit;
  s->plan.lower = scaled(s, stress->lower);
  s->plan.upper = scaled(s, stress->upper);
  gg_layout_mean_length(&s->plan.graph, stress->positions, stress->dim, stress->threads, &mean,
                        call);
  s->plan.start_temp = start_of_mean * mean;
  return call->status;
}

/* Returns the positions to their unit: fixed vertices are where they were, others in the bounds. */
static void finish(const settling *s) {
  const gg_layout_plan *stress = s->stress;
  const int64_t n = stress->graph.vertices;
  for (int64_t i = 0; i < n * stress->dim; ++i) {
    double at = stress->positions[i] / s->factor;
    if (stress->lower) at = fmax(at, stress->lower[i]);
    if (stress->upper) at = fmin(at, stress->upper[i]);
    stress->positions[i] = stress->fixed && stress->fixed[i % n] ? s->start[i] : at;
  }
}

gpugeo_status gg_layout_settle(const gg_layout_setting *setting, const gg_layout_plan *plan,
                               const double *length, gg_settling how) {
  gg_call *call = setting->call;
  if (call->status || plan->iterations == 0) return call->status;
  settling s = {.setting = setting, .stress = plan, .plan = *plan};
  gg_layout_done unread;
  float *weight = make_weights(&s, length);
  s.plan.graph.weight = weight;
  s.plan.lower = s.plan.upper = NULL;
  s.plan.frame = NULL;
  s.plan.tolerance = 0;
  s.plan.progress_from = 0;
  s.plan.progress_to = 1;
  s.plan.iterations =
      plan->iterations < 0 ? how.iterations : gg_smaller(plan->iterations, how.iterations);
  if (!call->status && !begin(&s, how.start_of_mean)) {
    gg_layout_iterate(setting, &s.plan, &unread);
    finish(&s);
  }
  gg_free(weight);
  gg_free(s.start);
  gg_free((void *)s.plan.lower);
  gg_free((void *)s.plan.upper);
  return call->status;
}
