/* Lays out the components of a graph by stress from given positions, one after the other. */
#include "layout/placed_layouts.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "layout/lengths.h"
#include "layout/stress_layout.h"

/* All that a call holds. */
typedef struct placed_job {
  const gg_layout_setting *setting;
  const gg_layout_graph *csr;
  const gg_layout_components *components;
  const gg_layout_held *held;
  double *positions;    /* of all vertices */
  int64_t component;    /* that is being laid out */
  int64_t frames_after; /* iterations of the components before it */
} placed_job;

/* Returns a copy of a component's rows of columns that all vertices have; NULL if there are none,
   or after an error. */
static double *take_columns(const placed_job *job, const double *columns, int dim) {
  if (!columns) return NULL;
  const gg_layout_components *all = job->components;
  const int64_t size = gg_layout_component_size(all, job->component), n = job->csr->vertices;
  double *own = gg_call_allocate(job->setting->call, size * dim, sizeof *own);
  const int32_t *member = all->member + all->start[job->component];
  for (int k = 0; own && k < dim; ++k)
    for (int64_t i = 0; i < size; ++i)
      own[i + k * size] = columns[member[i] + k * n];
  return own;
}

/* Returns which of a component's vertices are fixed, or NULL as above. */
static uint8_t *take_fixed(const placed_job *job) {
  if (!job->held->fixed) return NULL;
  const gg_layout_components *all = job->components;
  const int64_t size = gg_layout_component_size(all, job->component);
  uint8_t *own = gg_call_allocate(job->setting->call, size, sizeof *own);
  for (int64_t i = 0; own && i < size; ++i)
    own[i] = job->held->fixed[all->member[all->start[job->component] + i]];
  return own;
}

/* Copies the positions of the component to those of all vertices. */
static void put_back(const placed_job *job, const double *own) {
  const gg_layout_components *all = job->components;
  const int64_t size = gg_layout_component_size(all, job->component), n = job->csr->vertices;
  const int32_t *member = all->member + all->start[job->component];
  for (int k = 0; k < job->setting->options->dim; ++k)
    for (int64_t i = 0; i < size; ++i)
      job->positions[member[i] + k * n] = own[i + k * size];
}

/* Passes a frame of one component on as a frame of all. */
static int pass_frame(int64_t iteration, double temperature, const double *own, void *data) {
  const placed_job *job = data;
  const gpugeo_layout_options *options = job->setting->options;
  put_back(job, own);
  return options->frame(job->frames_after + iteration, temperature, job->positions,
                        options->frame_data);
}

/* Returns the plan of the component, whose memory free_plan() frees. */
static gg_layout_plan make_plan(placed_job *job) {
  const gpugeo_layout_options *options = job->setting->options;
  gg_call *call = job->setting->call;
  const double all = (double)job->csr->vertices;
  const int64_t *start = job->components->start + job->component;
  gg_layout_plan plan = job->setting->plan;
  GG_TRY(call, gg_layout_component_graph(job->csr, job->components, job->component, plan.threads,
                                         &plan.graph, call->error));
  plan.positions = take_columns(job, job->positions, options->dim);
  plan.lower = take_columns(job, options->lower, options->dim);
  plan.upper = take_columns(job, options->upper, options->dim);
  plan.fixed = take_fixed(job);
  plan.iterations = options->iterations;
  plan.progress_from = (double)start[0] / all;
  plan.progress_to = (double)start[1] / all;
  plan.frame = plan.frame ? pass_frame : NULL;
  plan.frame_data = job;
  return plan;
}

/* Frees the memory of a plan. */
static void free_plan(gg_layout_plan *plan) {
  gg_layout_graph_free(&plan->graph);
  gg_free(plan->positions);
  gg_free((void *)plan->lower);
  gg_free((void *)plan->upper);
  gg_free((void *)plan->fixed);
}

/* Lays out the component. */
static gpugeo_status lay_out_component(placed_job *job, gg_layout_done *done) {
  gg_call *call = job->setting->call;
  gg_layout_done one = {0};
  gg_layout_plan plan = make_plan(job);
  double *length = gg_layout_component_lengths(job->csr, job->components, job->component,
                                               job->setting->length, call);
  const gpugeo_layout_options *options = job->setting->options;
  const double *const init = options->init_weight > 0 ? options->init : NULL;
  const gg_stress_held held = {take_columns(job, job->held->radius, 1),
                               take_columns(job, init, options->dim)};
  gg_layout_by_stress(job->setting, &plan, length, &held, NULL, &one);
  if (!call->status) put_back(job, plan.positions);
  if (one.outcome.iterations > done->outcome.iterations)
    done->outcome.iterations = one.outcome.iterations;
  done->outcome.converged &= one.outcome.converged;
  job->frames_after += one.outcome.iterations;
  if (one.pivots > done->pivots) done->pivots = one.pivots;
  gg_stress_add(&done->sums, &one.sums);
  gg_free(length);
  gg_free((void *)held.radius);
  gg_free((void *)held.anchor);
  free_plan(&plan);
  return call->status;
}

gpugeo_status gg_layout_each_within(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                    const gg_layout_components *components,
                                    const gg_layout_held *held, double *positions,
                                    gg_layout_done *done) {
  placed_job job = {.setting = setting,
                    .csr = csr,
                    .components = components,
                    .held = held,
                    .positions = positions};
  *done = (gg_layout_done){.levels = 1, .outcome = {.converged = true}};
  for (int64_t c = 0; !setting->call->status && c < components->count; ++c) {
    job.component = c;
    if (gg_layout_component_size(components, c) > 1) lay_out_component(&job, done);
  }
  return setting->call->status;
}
