/* Components one by one: many small ones at a time, large ones by the backend. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/parts.h"

/* A component of more than one vertex. */
typedef struct piece {
  int64_t component, size;
} piece;

/* All that a call holds. */
typedef struct apart_job {
  const gg_layout_setting *setting;
  const gg_layout_graph *csr;
  const gg_layout_components *components;
  double *positions; /* of all vertices, each component by itself */
  double *packed;    /* for frames */
  piece *pieces;     /* largest first */
  int64_t count;
  double total;         /* vertices of all pieces */
  int64_t component;    /* under way */
  int64_t frames_after; /* iterations on the components before */
  gpugeo_status frame_status;
} apart_job;

static int compare_pieces(const void *left, const void *right) {
  const piece *a = left, *b = right;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return a->component < b->component ? -1 : a->component > b->component;
}

static void find_pieces(apart_job *job) {
  for (int64_t c = 0; c < job->components->count; ++c) {
    const int64_t size = gg_layout_component_size(job->components, c);
    if (size > 1) job->pieces[job->count++] = (piece){c, size};
    if (size > 1) job->total += (double)size;
  }
  qsort(job->pieces, (size_t)job->count, sizeof *job->pieces, compare_pieces);
}

/* Copies a component's own positions to where they stand among all. */
static void put_back(const apart_job *job, int64_t c, const double *own) {
  const gg_layout_components *components = job->components;
  const int64_t n = job->csr->vertices, size = gg_layout_component_size(components, c);
  const int32_t *member = components->member + components->start[c];
  for (int k = 0; k < job->setting->options->dim; ++k)
    for (int64_t i = 0; i < size; ++i)
      job->positions[member[i] + k * n] = own[i + k * size];
}

/* The backend's frames are of one component: tells all, packed. */
static int tell_frame(int64_t iteration, double temperature, const double *own, void *data) {
  apart_job *job = data;
  const gpugeo_layout_options *options = job->setting->options;
  if (own != job->positions) put_back(job, job->component, own);
  job->frame_status = gg_layout_pack(job->components, job->csr->vertices, options->dim,
                                     job->setting->plan.threads, job->positions, job->packed, NULL);
  if (job->frame_status) return 1;
  return options->frame(job->frames_after + iteration, temperature, job->packed,
                        options->frame_data);
}

/* --- Large components ----------------------------------------------------------------------------
 */

static gpugeo_status lay_out_graph(apart_job *job, gg_layout_plan *plan, gg_layout_done *done,
                                   gpugeo_error *error) {
  if (job->packed) {
    plan->frame = tell_frame;
    plan->frame_data = job;
  }
  gpugeo_status status = gg_layout_levels(job->setting, plan, done, error);
  job->frames_after += done->outcome.iterations;
  if (!job->frame_status) return status;
  return gg_fail_memory(error, job->components->count * (int64_t)sizeof(double));
}

static gpugeo_status lay_out_large(apart_job *job, gg_layout_plan *plan, gg_layout_done *done,
                                   gpugeo_error *error) {
  if (job->components->count == 1) { /* the graph itself, in place */
    plan->graph = *job->csr;
    plan->positions = job->positions;
    return lay_out_graph(job, plan, done, error);
  }
  const int64_t count =
      gg_layout_component_size(job->components, job->component) * job->setting->options->dim;
  gg_layout_graph part;
  gpugeo_status status = gg_layout_component_graph(job->csr, job->components, job->component,
                                                   job->setting->plan.threads, &part, error);
  double *own = gg_allocate(count, sizeof *own);
  if (!status && !own) status = gg_fail_memory(error, count * (int64_t)sizeof *own);
  plan->graph = part;
  plan->positions = own;
  if (!status) status = lay_out_graph(job, plan, done, error);
  if (!status) put_back(job, job->component, own);
  free(own);
  gg_layout_graph_free(&part);
  return status;
}

/* --- Small components ----------------------------------------------------------------------------
 */

/* Small components under way. */
typedef struct small_job {
  const apart_job *apart;
  const piece *pieces;
  gg_lock lock; /* of the outcome */
  gg_layout_outcome outcome;
} small_job;

/* Joins the outcome of a part with that of the whole: the most iterations, and whether all
   converged. */
static void join_outcome(gg_layout_outcome *whole, const gg_layout_outcome *part) {
  if (part->iterations > whole->iterations) whole->iterations = part->iterations;
  whole->converged &= part->converged;
}

static void lay_out_pieces(void *data, gg_range range) {
  small_job *job = data;
  const apart_job *apart = job->apart;
  gg_layout_outcome all = {.converged = true}, one;
  for (int64_t i = range.first; i < range.last; ++i) {
    gg_layout_small(apart->setting, apart->csr, apart->components, job->pieces[i].component,
                    apart->positions, &one);
    join_outcome(&all, &one);
  }
  gg_lock_take(&job->lock);
  join_outcome(&job->outcome, &all);
  gg_lock_give(&job->lock);
}

/* All pieces from `first` on. A piece of 64 vertices takes 4 ms. */
static gpugeo_status lay_out_small(const apart_job *job, int64_t first, gg_layout_done *done,
                                   gpugeo_error *error) {
  small_job small = {.apart = job, .pieces = job->pieces + first, .outcome = done->outcome};
  gg_lock_make(&small.lock);
  const bool finished = gg_parallel_for(&(gg_loop){.threads = job->setting->plan.threads,
                                                   .count = job->count - first,
                                                   .grain = 1,
                                                   .work = lay_out_pieces,
                                                   .job = &small,
                                                   .clock = job->setting->clock});
  gg_lock_free(&small.lock);
  done->outcome = small.outcome;
  return finished ? GPUGEO_OK : gg_fail_interrupt(error);
}

/* --- All -----------------------------------------------------------------------------------------
 */

/* The largest component by the backend whatever its size, so that there is something to tell
   frames of. The result speaks of it, but for the iterations, the most of any component. */
static gpugeo_status lay_out_all(apart_job *job, gg_layout_done *done, gpugeo_error *error) {
  int64_t large = job->count > 0;
  while (large < job->count && job->pieces[large].size > GG_LAYOUT_SMALL)
    ++large;
  *done = (gg_layout_done){.outcome = {.converged = true},
                           .repulsion = GPUGEO_REPULSION_EXACT,
                           .levels = job->count == 0};
  gg_layout_done of_small = *done;
  gpugeo_status status = lay_out_small(job, large, &of_small, error);
  double finished = 0;
  for (int64_t i = 0; !status && i < large; ++i) {
    gg_layout_plan plan = job->setting->plan;
    gg_layout_done one = {0};
    job->component = job->pieces[i].component;
    plan.progress_from = finished / job->total;
    finished += (double)job->pieces[i].size;
    plan.progress_to = finished / job->total;
    status = lay_out_large(job, &plan, &one, error);
    if (i == 0) {
      *done = one;
      continue;
    }
    join_outcome(&done->outcome, &one.outcome);
  }
  join_outcome(&done->outcome, &of_small.outcome);
  return status;
}

gpugeo_status gg_layout_apart(const gg_layout_setting *setting, const gg_layout_graph *csr,
                              const gg_layout_components *components, double *positions,
                              gg_layout_done *done, gpugeo_error *error) {
  const int64_t count = csr->vertices * setting->options->dim;
  apart_job job = {.setting = setting,
                   .csr = csr,
                   .components = components,
                   .positions = positions,
                   .pieces = gg_allocate(components->count, sizeof *job.pieces)};
  const bool frames = setting->options->frame && setting->options->frame_every > 0;
  if (frames) job.packed = gg_allocate(count, sizeof *job.packed);
  gpugeo_status status = GPUGEO_OK;
  if (!job.pieces || (frames && !job.packed))
    status = gg_fail_memory(error, (count + 2 * components->count) * (int64_t)sizeof(double));
  memset(positions, 0, (size_t)count * sizeof *positions);
  if (!status) {
    find_pieces(&job);
    status = lay_out_all(&job, done, error);
  }
  if (!status)
    status = gg_layout_pack(components, csr->vertices, setting->options->dim, setting->plan.threads,
                            positions, positions, error);
  free(job.pieces);
  free(job.packed);
  return status;
}
