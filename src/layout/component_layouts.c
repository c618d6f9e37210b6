/*
 * Lays out components separately: those of up to SMALL vertices on one thread each, many at a time;
 * larger ones one after the other by the backend.
 */
#include "layout/component_layouts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"
#include "layout/lengths.h"
#include "layout/multilevel.h"
#include "layout/packing.h"
#include "layout/step.h"
#include "layout/stress_layout.h"

enum { SMALL = 64 };

/* A component of more than one vertex. */
typedef struct piece {
  int64_t component, size;
} piece;

/* All that a call holds. */
typedef struct components_job {
  const gg_layout_setting *setting;
  const gg_layout_graph *csr;
  const gg_layout_components *components;
  double *positions;         /* of all vertices, each component around its own origin */
  double *packed;            /* for frames; NULL: no frames */
  piece *pieces;             /* largest first */
  int64_t count, large;      /* pieces, and the first ones that the backend lays out */
  double total, finished;    /* vertices of all pieces, and of those laid out by the backend */
  gg_layout_outcome outcome; /* the most iterations, and whether all converged */
  gg_lock lock;              /* of the outcome */
  int64_t component;         /* that is being laid out by the backend */
  int64_t frames_after;      /* iterations of the components before it */
  gpugeo_status frame_status;
} components_job;

/* --- Pieces ----------------------------------------------------------------------------------- */

/* Compares pieces for qsort(): the largest first, then by component. */
static int compare_pieces(const void *left, const void *right) {
  const piece *a = left, *b = right;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return a->component < b->component ? -1 : a->component > b->component;
}

/* Lists the pieces. The largest is left to the backend, whatever its size, as only the backend
   calls back for frames. */
static void find_pieces(components_job *job) {
  for (int64_t c = 0; c < job->components->count; ++c) {
    const int64_t size = gg_layout_component_size(job->components, c);
    if (size > 1) job->pieces[job->count++] = (piece){c, size};
    if (size > 1) job->total += (double)size;
  }
  qsort(job->pieces, (size_t)job->count, sizeof *job->pieces, compare_pieces);
  job->large = job->count > 0;
  const bool all = gg_layout_is_by_stress(job->setting->options);
  while (job->large < job->count && (all || job->pieces[job->large].size > SMALL))
    ++job->large;
}

/* Adds the outcome of a component to that of the layout. */
static void join_outcome(components_job *job, const gg_layout_outcome *part) {
  gg_lock_take(&job->lock);
  if (part->iterations > job->outcome.iterations) job->outcome.iterations = part->iterations;
  job->outcome.converged &= part->converged;
  gg_lock_give(&job->lock);
}

/* --- Small components ------------------------------------------------------------------------- */

/* A component of at most SMALL vertices: repulsion of all pairs, in double precision. Coordinates
   of a vertex follow each other. */
typedef struct small {
  const gg_layout_graph *csr;
  const int32_t *member, *rank;
  int64_t n;
  int dim;
  double position[SMALL * GG_LAYOUT_DIMS];
  double moved[SMALL * GG_LAYOUT_DIMS]; /* the next positions */
  double repulsion[SMALL * GG_LAYOUT_DIMS];
} small;

/* Computes the repulsion of all pairs of a small component. */
static void repel(small *s) {
  const int dim = s->dim;
  for (int64_t i = 0; i < s->n * dim; ++i)
    s->repulsion[i] = 0;
  for (int64_t i = 0; i < s->n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      double d[GG_LAYOUT_DIMS], square = (double)GG_LAYOUT_SOFT;
      for (int k = 0; k < dim; ++k) {
        d[k] = s->position[i * dim + k] - s->position[j * dim + k];
        square = fma(d[k], d[k], square);
      }
      for (int k = 0; k < dim; ++k) {
        s->repulsion[i * dim + k] += d[k] / square;
        s->repulsion[j * dim + k] -= d[k] / square;
      }
    }
}

/* Computes the next position of a vertex, and returns the length of its move. */
static double move_vertex(const small *s, int64_t i, double temperature, double *moved) {
  const gg_layout_frame frame = {.unit = 1, .inverse = 1};
  const int dim = s->dim;
  const int64_t v = s->member[i];
  double attraction[GG_LAYOUT_DIMS] = {0}, by[GG_LAYOUT_DIMS], square = 0;
  for (int64_t at = s->csr->start[v]; at < s->csr->start[v + 1]; ++at)
    gg_layout_pull(s->position + i * dim,
                   s->position + (int64_t)s->rank[s->csr->neighbor[at]] * dim,
                   s->csr->weight ? (double)s->csr->weight[at] : 1, dim, attraction);
  gg_layout_step(&frame, s->repulsion + i * dim, attraction, temperature, dim, by);
  for (int k = 0; k < dim; ++k) {
    moved[k] = gg_layout_moved(s->position[i * dim + k], by[k], -DBL_MAX, DBL_MAX);
    square = fma(by[k], by[k], square);
  }
  return sqrt(square);
}

/* Does one iteration, and returns the length of the longest move. */
static double iterate_layout(small *s, double temperature) {
  double longest = 0;
  repel(s);
  for (int64_t i = 0; i < s->n; ++i)
    longest = fmax(longest, move_vertex(s, i, temperature, s->moved + i * s->dim));
  for (int64_t i = 0; i < s->n * s->dim; ++i)
    s->position[i] = s->moved[i];
  return longest;
}

/* Places the vertices of a small component at random. */
static void place_small(small *s, uint64_t seed) {
  const double side = pow((double)s->n, 1.0 / s->dim);
  for (int64_t i = 0; i < s->n; ++i)
    for (int k = 0; k < s->dim; ++k)
      s->position[i * s->dim + k] =
          (gg_random_unit(seed, 3 * (uint64_t)s->member[i] + (uint64_t)k) - 0.5) * side;
}

/* Lays out a small component and copies its positions to the result. */
static gg_layout_outcome lay_out_piece(const components_job *job, int64_t c) {
  const gpugeo_layout_options *options = job->setting->options;
  const int64_t iterations = options->iterations < 0 ? GG_LAYOUT_ITERATIONS : options->iterations;
  small s = {.csr = job->csr,
             .member = job->components->member + job->components->start[c],
             .rank = job->components->rank,
             .n = gg_layout_component_size(job->components, c),
             .dim = options->dim};
  const double start = isnan(options->start_temp) ? sqrt((double)s.n) : options->start_temp;
  place_small(&s, options->seed);
  gg_layout_outcome outcome = {0};
  while (outcome.iterations < iterations && !outcome.converged) {
    const double temperature = gg_layout_temperature(start, outcome.iterations++, iterations);
    outcome.converged = iterate_layout(&s, temperature) <= options->tolerance;
  }
  for (int64_t i = 0; i < s.n; ++i)
    for (int k = 0; k < s.dim; ++k)
      job->positions[s.member[i] + k * job->csr->vertices] = s.position[i * s.dim + k];
  return outcome;
}

/* Lays out a range of small components. */
static void lay_out_pieces(void *data, gg_range range) {
  components_job *job = data;
  for (int64_t i = range.first; i < range.last; ++i) {
    const gg_layout_outcome one = lay_out_piece(job, job->pieces[job->large + i].component);
    join_outcome(job, &one);
  }
}

/* Lays out all small pieces. A piece of 64 vertices takes 4 ms. */
static gpugeo_status lay_out_small(components_job *job) {
  return gg_call_loop(job->setting->call, (gg_loop){.threads = job->setting->plan.threads,
                                                    .count = job->count - job->large,
                                                    .grain = 1,
                                                    .work = lay_out_pieces,
                                                    .job = job});
}

/* --- Large components ------------------------------------------------------------------------- */

/* Copies the positions of a component to those of all vertices. */
static void put_back(const components_job *job, int64_t c, const double *own) {
  const gg_layout_components *components = job->components;
  const int64_t n = job->csr->vertices, size = gg_layout_component_size(components, c);
  const int32_t *member = components->member + components->start[c];
  for (int k = 0; k < job->setting->options->dim; ++k)
    for (int64_t i = 0; i < size; ++i)
      job->positions[member[i] + k * n] = own[i + k * size];
}

/* Multiplies positions by a power of two. */
static void scale_positions(const components_job *job, double factor, double *positions) {
  const int64_t count = job->csr->vertices * job->setting->options->dim;
  for (int64_t i = 0; factor != 1 && i < count; ++i)
    positions[i] *= factor;
}

/* Packs the components, in the unit of their positions. */
static gpugeo_status pack(const components_job *job, double *packed, gpugeo_error *error) {
  const gg_layout_setting *setting = job->setting;
  scale_positions(job, 1 / setting->unit, job->positions);
  const gpugeo_status status =
      gg_layout_pack(job->components, job->csr->vertices, setting->options->dim,
                     setting->plan.threads, job->positions, packed, error);
  scale_positions(job, setting->unit, job->positions);
  if (packed != job->positions) scale_positions(job, setting->unit, packed);
  return status;
}

/* Passes a frame of one component on as a frame of all, packed. */
static int pass_frame(int64_t iteration, double temperature, const double *own, void *data) {
  components_job *job = data;
  const gpugeo_layout_options *options = job->setting->options;
  if (own != job->positions) put_back(job, job->component, own);
  job->frame_status = pack(job, job->packed, NULL);
  if (job->frame_status) return 1;
  return options->frame(job->frames_after + iteration, temperature, job->packed,
                        options->frame_data);
}

/* Returns the plan of a piece without its graph and positions. */
static gg_layout_plan plan_piece(components_job *job, const piece *p) {
  gg_layout_plan plan = job->setting->plan;
  job->component = p->component;
  plan.progress_from = job->finished / job->total;
  job->finished += (double)p->size;
  plan.progress_to = job->finished / job->total;
  if (job->packed) {
    plan.frame = pass_frame;
    plan.frame_data = job;
  }
  return plan;
}

/* Sets the plan's graph and positions: a copy of the component, or, of a connected graph, all. */
static gpugeo_status load_piece(const components_job *job, const piece *p, gg_layout_plan *plan) {
  gg_call *call = job->setting->call;
  plan->graph = *job->csr;
  plan->positions = job->positions;
  if (job->components->count == 1) return call->status;
  const int64_t count = p->size * plan->dim;
  GG_TRY(call, gg_layout_component_graph(job->csr, job->components, p->component, plan->threads,
                                         &plan->graph, call->error));
  plan->positions = gg_call_allocate(call, count, sizeof *plan->positions);
  return call->status;
}

/* The part of the progress of a layout by forces before one by stress. */
static const double forces_share = 0.2;

/* Returns the layout by forces that a piece has without stress, to be freed; NULL if none is
   needed, or after an error. The plan's progress continues after it. */
static double *lay_out_by_forces(const components_job *job, gg_layout_plan *plan) {
  gpugeo_layout_options options = *job->setting->options;
  gg_layout_setting own = *job->setting;
  if (options.algorithm != GPUGEO_LAYOUT_ALGORITHM_STRESS_FR || plan->iterations >= 0) return NULL;
  options.algorithm = GPUGEO_LAYOUT_ALGORITHM_FR;
  own.options = &options;
  gg_layout_plan forces = *plan;
  gg_layout_done unread;
  forces.frame = NULL;
  forces.tolerance = 0;
  forces.progress_to += (forces_share - 1) * (plan->progress_to - plan->progress_from);
  plan->progress_from = forces.progress_to;
  forces.positions =
      gg_call_allocate(own.call, plan->graph.vertices * plan->dim, sizeof *forces.positions);
  gg_layout_multilevel(&own, &forces, &unread);
  return forces.positions;
}

/* Lays out a piece by stress. */
static gpugeo_status lay_out_by_stress(const components_job *job, gg_layout_plan *plan,
                                       gg_layout_done *done) {
  const gg_layout_setting *setting = job->setting;
  double *own = NULL;
  if (job->components->count > 1)
    own = gg_layout_component_lengths(job->csr, job->components, job->component, setting->length,
                                      setting->call);
  plan->iterations = setting->options->iterations;
  double *forces = lay_out_by_forces(job, plan);
  gg_layout_by_stress(setting, plan, own ? own : setting->length, NULL, forces, done);
  gg_free(forces);
  gg_free(own);
  return setting->call->status;
}

/* Adds a piece that the backend has laid out to the layout, and frees its copy. */
static void return_piece(components_job *job, const piece *p, gg_layout_plan *plan,
                         const gg_layout_done *done) {
  gg_call *call = job->setting->call;
  job->frames_after += done->outcome.iterations;
  join_outcome(job, &done->outcome);
  if (job->frame_status) /* instead of the interrupt, by which pass_frame() has ended the layout */
    call->status = gg_fail_memory(call->error, job->components->count * (int64_t)sizeof(double));
  if (job->components->count == 1) return;
  if (!call->status) put_back(job, p->component, plan->positions);
  gg_free(plan->positions);
  gg_layout_graph_free(&plan->graph);
}

/* --- All -------------------------------------------------------------------------------------- */

/* Allocates what the layouts of components need, and sorts the components. */
static gpugeo_status make_job(components_job *job) {
  gg_call *call = job->setting->call;
  const gpugeo_layout_options *options = job->setting->options;
  const int64_t count = job->csr->vertices * options->dim, pieces = job->components->count;
  const bool frames = options->frame && options->frame_every > 0;
  gg_lock_make(&job->lock);
  job->pieces = gg_allocate(pieces, sizeof *job->pieces);
  if (frames) job->packed = gg_allocate(count, sizeof *job->packed);
  memset(job->positions, 0, (size_t)count * sizeof *job->positions);
  if (!job->pieces || (frames && !job->packed))
    return call->status =
               gg_fail_memory(call->error, (count + 2 * pieces) * (int64_t)sizeof(double));
  find_pieces(job);
  return GPUGEO_OK;
}

/* Frees what make_job() allocated. */
static void free_job(components_job *job) {
  gg_lock_free(&job->lock);
  gg_free(job->pieces);
  gg_free(job->packed);
}

gpugeo_status gg_layout_each_component(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                       const gg_layout_components *components, double *positions,
                                       gg_layout_done *done) {
  gg_call *call = setting->call;
  if (call->status) return call->status;
  components_job job = {.setting = setting,
                        .csr = csr,
                        .components = components,
                        .positions = positions,
                        .outcome = {.converged = true}};
  make_job(&job);
  *done = (gg_layout_done){.repulsion = GPUGEO_LAYOUT_REPULSION_EXACT, .levels = job.count == 0};
  lay_out_small(&job);
  for (int64_t i = 0; !call->status && i < job.large; ++i) {
    const piece *p = &job.pieces[i];
    gg_layout_plan plan = plan_piece(&job, p);
    gg_layout_done one = {0};
    load_piece(&job, p, &plan);
    if (gg_layout_is_by_stress(setting->options))
      lay_out_by_stress(&job, &plan, &one);
    else
      gg_layout_multilevel(setting, &plan, &one);
    return_piece(&job, p, &plan, &one);
    gg_stress_add(&one.sums, &done->sums);
    if (i > 0) done->sums = one.sums;
    if (i == 0) *done = one; /* levels, repulsion and temperature are those of the largest */
  }
  done->outcome = job.outcome;
  gg_call_poll(call, 0);
  GG_TRY(call, pack(&job, positions, call->error));
  free_job(&job);
  return call->status;
}
