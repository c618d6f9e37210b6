/* Distance geometry of graphs on the line: arguments, blocks, and the combination of their
   realizations. */
#include "dgp/graph.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/uint128.h"
#include "dgp/graph_units.h"

GG_OPTIONS_INIT(dgp_graph, .tol = 1e-6, .max_solutions = 10)

static const gg_option option_rows[] = {
    {GG_OPTION("tol", NUMBER, gpugeo_dgp_graph_options, tol), .allowed = GG_FROM_ZERO},
    {GG_OPTION("max_solutions", WHOLE, gpugeo_dgp_graph_options, max_solutions)},
};

GG_DEFINE_OPTIONS(dgp_graph, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the options and the sizes of a graph. */
static gpugeo_status check_options(int64_t vertices, const gpugeo_dgp_edge *edges,
                                   int64_t edge_count, const gpugeo_dgp_graph_options *options,
                                   gpugeo_error *error) {
  gpugeo_status status = gg_check_run(&options->run, error);
  if (status) return status;
  status = gg_check_family(&options->run, GG_FAMILY_DGP_GRAPH, error);
  if (status) return status;
  if (!(options->tol >= 0) || isinf(options->tol))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tol", "tol must be " GG_FROM_ZERO ", not %s",
                   gg_number(options->tol).text);
  if (options->max_solutions < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "max_solutions",
                   "max_solutions must be at least 0, not %lld", (long long)options->max_solutions);
  if (vertices < 1 || edge_count < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges", "the graph must have a vertex");
  if (edge_count > 0 && !edges)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges", "edges must not be NULL");
  return GPUGEO_OK;
}

/* Checks an edge; number counts from 0. */
static gpugeo_status check_edge(const gpugeo_dgp_edge *e, int64_t number, int64_t vertices,
                                const gpugeo_dgp_graph_options *options, gpugeo_error *error) {
  const long long row = (long long)number + 1;
  const int64_t ends[2] = {e->u, e->v};
  for (int k = 0; k < 2; ++k)
    if (ends[k] < 0 || ends[k] >= vertices)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                     "edge %lld: the %s vertex must be between 1 and %lld (the vertices), not %lld",
                     row, k ? "second" : "first", (long long)vertices, (long long)ends[k] + 1);
  const gg_vertex_text u = gg_vertex(options->labels, e->u, 1);
  const gg_vertex_text v = gg_vertex(options->labels, e->v, 1);
  if (e->u == e->v)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edge %lld must join two vertices, not %s with itself", row, u.text);
  const double bounds[2] = {e->lower, e->upper};
  for (int k = 0; k < 2; ++k)
    if (!(bounds[k] >= 0) || isinf(bounds[k]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                     "edge %lld (%s, %s): %s must be a finite number of at least 0, not %s", row,
                     u.text, v.text, k ? "upper" : "lower", gg_number(bounds[k]).text);
  if (e->lower > e->upper)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edge %lld (%s, %s): lower must be at most upper, which is %s, not %s", row,
                   u.text, v.text, gg_number(e->upper).text, gg_number(e->lower).text);
  return GPUGEO_OK;
}

/* --- Components ------------------------------------------------------------------------------- */

/* Writes "{1, 2}, {3}, ...": the first vertices of the first components. */
static void list_components(const gg_graph_job *job, const int64_t *component, int64_t count,
                            char *text, size_t size) {
  const int64_t shown = 6, named = 8;
  size_t used = 0;
  text[0] = 0;
#define ADD(...)                                                                                   \
  do {                                                                                             \
    if (used < size) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);              \
  } while (0)
  for (int64_t c = 0; c < count && c < shown; ++c) {
    int64_t names = 0;
    ADD("%s", c ? ", {" : "{");
    for (int64_t v = 0; v < job->vertices && names <= named; ++v) {
      if (component[v] != c) continue;
      if (names < named)
        ADD("%s%s", names ? ", " : "", gg_vertex(job->options->labels, v, 1).text);
      else
        ADD(", ...");
      ++names;
    }
    ADD("}");
  }
  if (count > shown) ADD(", ...");
#undef ADD
}

/* Checks that the graph is connected. */
static gpugeo_status check_connected(const gg_graph_job *job) {
  gg_call *call = job->call;
  int64_t count = 0;
  int64_t *component = gg_call_allocate(call, job->vertices, sizeof *component);
  GG_TRY(call, gg_graph_components(&job->graph, component, &count, call->error));
  if (count > 1) {
    char text[400];
    list_components(job, component, count, text, sizeof text);
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "edges",
                         "the graph must be connected; it has %lld components: %s",
                         (long long)count, text));
  }
  gg_free(component);
  return call->status;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* A block and its realizations. */
typedef struct block {
  gg_block block;
  gg_block_found found;
  gg_count count;  /* mirror images included */
  int64_t images;  /* 2: each realization found stands for its mirror image, too */
  int64_t needed;  /* how many are needed for those that are returned */
  gg_units *twice; /* of those found that are needed, twice the positions */
} block;

/* Returns half of a number of realizations, rounded up. */
static int64_t half(int64_t count) { return count / 2 + count % 2; }

/* True if the block is a single cycle of exact distances, not all of which are 0. */
static bool exact_cycle(const gg_graph_job *job, const gg_block *block, const int64_t *chosen) {
  if (block->steps != block->vertices || block->mirrored == block->steps) return false;
  for (int64_t i = 0; i < block->steps; ++i)
    if (job->merged[chosen[i]].lower != job->merged[chosen[i]].upper) return false;
  return true;
}

/* The hooks of a nested call, whose progress is a part of the outer call's. */
typedef struct inner_hooks {
  const gpugeo_run *outer;
  double from, to;
} inner_hooks;

/* Calls the caller's interrupt hook. */
static int inner_interrupt(void *data) {
  const inner_hooks *hooks = data;
  return hooks->outer->interrupt && hooks->outer->interrupt(hooks->outer->hook_data);
}

/* Calls the caller's progress hook with the block's part of the whole. */
static void inner_progress(double fraction, void *data) {
  const inner_hooks *hooks = data;
  if (hooks->outer->progress)
    hooks->outer->progress(hooks->from + (hooks->to - hooks->from) * fraction,
                           hooks->outer->hook_data);
}

/* Orders the steps of a cycle around it: around[k] leads from one end to the next, and
   forward[k] is true if `to` is the next. */
static void go_around(const gg_block *block, int64_t *around, bool *forward, bool *used) {
  int64_t here = 0;
  memset(used, 0, (size_t)block->steps * sizeof *used);
  for (int64_t k = 0; k < block->steps; ++k)
    for (int64_t t = 0; t < block->steps; ++t) {
      const gg_block_step *step = &block->step[t];
      if (used[t] || (step->from != here && step->to != here)) continue;
      used[t] = true;
      around[k] = t;
      forward[k] = step->from == here;
      here = forward[k] ? step->to : step->from;
      break;
    }
}

/* Solves a cycle by gpugeo_dgp(), which has faster methods than the tree. Its sum may differ
   from 0 by the tolerance of all its distances: n tol, rounded. */
static gpugeo_status solve_cycle(const gg_graph_job *job, const gg_block *block, int64_t stored,
                                 double from, double to, gg_block_found *found) {
  gg_call *call = job->call;
  gpugeo_error *error = call->error;
  const int64_t steps = block->steps;
  inner_hooks hooks = {&job->options->run, from, to};
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  options.tol = (double)steps * job->options->tol;
  options.max_solutions = stored;
  options.symmetric = 1;
  options.run = job->options->run;
  options.run.backend = gg_host_backend()->id;
  options.run.threads = steps <= 20 ? 1 : job->threads; /* to start threads would take longer */
  options.run.interrupt = inner_interrupt;
  options.run.progress = inner_progress;
  options.run.hook_data = &hooks;

  const int64_t size = 2 * sizeof(double) + 2 * sizeof(bool);
  int64_t *around = gg_call_allocate(call, steps, size), room = 0, n = 0;
  if (!around) return call->status;
  double *d = (double *)(around + steps);
  bool *forward = (bool *)(d + steps), *used = forward + steps;
  go_around(block, around, forward, used);
  for (int64_t k = 0; k < steps; ++k)
    if (!block->step[around[k]].flat) d[n++] = block->step[around[k]].distance;

  gpugeo_dgp_result result;
  gpugeo_dgp_solution *solutions = NULL;
  if (!GG_TRY(call, gpugeo_dgp_size(d, n, &options, &room, error))) {
    solutions = gg_allocate(room, sizeof *solutions);
    found->sides = gg_allocate(room, steps);
    if (!solutions || !found->sides)
      call->status = gg_fail_memory(error, room * ((int64_t)sizeof *solutions + steps));
  }
  GG_TRY(call, gpugeo_dgp(d, n, &options, &result, solutions, NULL, error));
  if (call->status == GPUGEO_ERROR_ARGUMENT && error) {
    char reason[sizeof error->message];
    memcpy(reason, error->message, sizeof reason);
    gg_fail(error, call->status, "edges", "a cycle of %lld exact distances is too long: %.400s",
            (long long)n, reason);
  }
  if (!call->status) {
    found->count = (gg_count)result.count.high << 64 | result.count.low;
    found->stored = result.returned;
    for (int64_t i = 0; i < result.returned; ++i)
      for (int64_t k = 0, bit = 0; k < steps; ++k) {
        const bool flat = block->step[around[k]].flat;
        const bool right = flat || gg_uint128_bit(solutions[i].row, (int)bit) == forward[k];
        bit += !flat;
        found->sides[i * steps + around[k]] = right ? 1 : -1;
      }
  }
  gg_free(solutions);
  gg_free(around);
  return call->status;
}

/* Makes a block of its edges. */
static void make_block(gg_graph_job *job, int64_t b) {
  block *it = &job->block[b];
  const int64_t start = job->blocks.start[b];
  const gg_block_edges from = {.edges = job->edges,
                               .chosen = job->blocks.edge + start,
                               .count = job->blocks.start[b + 1] - start,
                               .root = job->blocks.root[b],
                               .rank = job->scratch};
  gg_block_make(&from, 0, &it->block, job->call);
  it->images = it->block.mirrored < it->block.steps ? 2 : 1;
}

/* Returns the fraction of the progress before block b. */
static double fraction_before(const gg_graph_job *job, int64_t b) {
  return (double)b / (double)job->blocks.count;
}

/* Counts the solutions of a block, and stores as many as are asked for. */
static void search_block(gg_graph_job *job, int64_t b) {
  block *it = &job->block[b];
  const double from = fraction_before(job, b), to = fraction_before(job, b + 1);
  const int64_t most = job->options->max_solutions, stored = it->images == 2 ? half(most) : most;
  if (exact_cycle(job, &it->block, job->blocks.edge + job->blocks.start[b]))
    solve_cycle(job, &it->block, stored, from, to, &it->found);
  else
    gg_block_search(&it->block, stored, job->threads, from, to, &it->found, job->call);
  if (!job->call->status) it->count = it->found.count * (gg_count)it->images;
}

/* Searches all blocks, until one has no realization. */
static gpugeo_status search_blocks(gg_graph_job *job) {
  gg_call *call = job->call;
  if (call->status) return call->status;
  job->block = gg_allocate_zeros(job->blocks.count + 1, sizeof *job->block);
  if (!job->block)
    call->status =
        gg_fail_memory(call->error, (job->blocks.count + 1) * (int64_t)sizeof *job->block);
  for (int64_t b = 0; b < job->blocks.count && !call->status; ++b)
    make_block(job, b);
  for (int64_t b = 0; b < job->blocks.count && !call->status; ++b) {
    search_block(job, b);
    if (job->block[b].count == 0) break;
  }
  return call->status;
}

/* Multiplies the numbers of solutions of all blocks. */
static void count_all(const gg_graph_job *job, gpugeo_dgp_graph_result *result) {
  gg_count total = 1;
  result->blocks = job->blocks.count;
  for (int64_t b = 0; b < job->blocks.count; ++b) {
    const gg_count count = job->block[b].count;
    if (job->blocks.start[b + 1] - job->blocks.start[b] == 1) ++result->bridges;
    if (count == 0 || total == 0) {
      total = 0;
      result->count_overflow = 0;
    } else if (total > (gg_count)-1 / count) {
      total = (gg_count)-1;
      result->count_overflow = 1;
    } else if (!result->count_overflow) {
      total *= count;
    }
  }
  const int64_t most = job->options->max_solutions;
  result->count = gg_uint128_make((uint64_t)total, (uint64_t)(total >> 64));
  result->returned = total < (gg_count)most ? (int64_t)total : most;
}

/* --- Realizations ----------------------------------------------------------------------------- */

/* Computes the positions of the realizations of each block that the first `returned` of the
   graph use. */
static gpugeo_status place_blocks(gg_graph_job *job, int64_t returned) {
  int64_t later = 1; /* combinations of the blocks after this one, as far as they matter */
  for (int64_t b = job->blocks.count - 1; b >= 0; --b) {
    block *it = &job->block[b];
    const int64_t rounds = (returned + later - 1) / later;
    it->needed = it->count < (gg_count)rounds ? (int64_t)it->count : rounds;
    later = it->count > (gg_count)(returned / later) ? returned : later * (int64_t)it->count;
    const int64_t found = (it->needed + it->images - 1) / it->images;
    it->twice = gg_call_allocate(job->call, found * it->block.vertices, sizeof *it->twice);
    if (gg_block_positions(&it->block, it->found.sides, found, it->twice, 1, job->call))
      return job->call->status;
  }
  return GPUGEO_OK;
}

/* Computes realization `row`, as twice the positions. Each realization of a block is followed by
   its mirror image. */
static void combine(const gg_graph_job *job, int64_t row, gg_units *twice) {
  twice[0] = 0;
  /* The digits of `row` are the realizations of the blocks; the last block's is the lowest. */
  for (int64_t b = job->blocks.count - 1; b >= 0; --b) {
    const block *it = &job->block[b];
    job->scratch[b] = row % it->needed;
    row /= it->needed;
  }
  for (int64_t b = 0; b < job->blocks.count; ++b) {
    const block *it = &job->block[b];
    const int64_t which = job->scratch[b];
    const gg_units *own = it->twice + which / it->images * it->block.vertices;
    const gg_units root = twice[it->block.vertex[0]];
    for (int64_t v = 1; v < it->block.vertices; ++v)
      twice[it->block.vertex[v]] = which % it->images ? root - own[v] : root + own[v];
  }
}

/* Writes the positions of the solutions that are returned. */
static gpugeo_status write_positions(gg_graph_job *job, int64_t returned, double *positions) {
  gg_call *call = job->call;
  place_blocks(job, returned);
  gg_units *twice = gg_call_allocate(call, job->vertices, sizeof *twice);
  for (int64_t row = 0; row < returned && !call->status; ++row) {
    combine(job, row, twice);
    for (int64_t v = 0; v < job->vertices; ++v)
      positions[row + v * job->options->max_solutions] = ldexp((double)twice[v], job->exponent - 1);
    gg_call_poll(call, 1);
  }
  gg_free(twice);
  return call->status;
}

/* Writes the vertices in the order in which they are placed. */
static void write_order(const gg_graph_job *job, gpugeo_dgp_vertex *order) {
  int64_t filled = 0;
  order[filled++] = (gpugeo_dgp_vertex){0, -1, -1};
  for (int64_t b = 0; b < job->blocks.count; ++b) {
    const gg_block *block = &job->block[b].block;
    for (int64_t v = 1; v < block->vertices; ++v)
      order[filled++] = (gpugeo_dgp_vertex){block->vertex[v], block->vertex[block->before[v]], b};
  }
}

/* --- The call --------------------------------------------------------------------------------- */

/* Fills in the error of an edge whose bounds are not whole numbers of units. */
static gpugeo_status fail_unit(const gg_graph_job *job, const gpugeo_dgp_edge *edge,
                               gpugeo_error *error) {
  const bool lower = !gg_graph_is_whole(fmin(edge->lower, job->cap), job->exponent);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                 "edges must have bounds that are multiples of 2^%d, to be added to the largest "
                 "ones exactly, but %s of the edge between %s and %s is %s",
                 job->exponent, lower ? "lower" : "upper",
                 gg_vertex(job->options->labels, edge->u, 1).text,
                 gg_vertex(job->options->labels, edge->v, 1).text,
                 gg_number(lower ? edge->lower : edge->upper).text);
}

/* True if a block needs no exact bounds: a bridge of which only the two sides are counted, and
   which has both, as its bounds do not contradict each other. */
static bool is_counted_bridge(const gg_graph_job *job, int64_t first, int64_t last) {
  const gpugeo_dgp_edge *edge = &job->merged[job->blocks.edge[first]];
  return last - first == 1 && job->options->max_solutions == 0 && edge->lower <= edge->upper;
}

/* Fails if an edge that is added to others, or has contradicting bounds, is not exact. */
static gpugeo_status check_exact(const gg_graph_job *job, gpugeo_error *error) {
  if (!gg_graph_tol_is_held(job))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tol",
                   "tol must be a multiple of 2^%d or at least 2^%d, to be added to the largest "
                   "bounds, not %s",
                   job->exponent, job->exponent + 30, gg_number(job->options->tol).text);
  for (int64_t b = 0; b < job->blocks.count; ++b) {
    const int64_t first = job->blocks.start[b], last = job->blocks.start[b + 1];
    if (is_counted_bridge(job, first, last)) continue;
    for (int64_t i = first; i < last; ++i)
      if (!gg_graph_is_held(job, job->blocks.edge[i]))
        return fail_unit(job, &job->merged[job->blocks.edge[i]], error);
  }
  return GPUGEO_OK;
}

/* Prepares the search: merges edges, chooses the unit and finds the blocks. */
static gpugeo_status make_job(gg_graph_job *job, const gpugeo_dgp_edge *edges, int64_t edge_count) {
  gg_call *call = job->call;
  job->merged = gg_allocate(edge_count, sizeof *job->merged);
  job->edges = gg_allocate(edge_count, sizeof *job->edges);
  job->ends = gg_allocate(edge_count, sizeof *job->ends);
  job->scratch = gg_allocate(job->vertices, sizeof *job->scratch);
  if (!job->merged || !job->edges || !job->ends || !job->scratch)
    return call->status = gg_fail_memory(
               call->error, edge_count * (int64_t)(sizeof *job->merged + sizeof *job->edges +
                                                   sizeof *job->ends) +
                                job->vertices * (int64_t)sizeof *job->scratch);
  for (int64_t v = 0; v < job->vertices; ++v)
    job->scratch[v] = -1;
  gg_graph_merge_edges(job, edges, edge_count);
  gg_graph_choose_units(job);
  GG_TRY(call, gg_graph_make(job->vertices, job->ends, job->count, &job->graph, call->error));
  check_connected(job);
  GG_TRY(call, gg_graph_blocks(&job->graph, &job->blocks, call->error));
  return GG_TRY(call, check_exact(job, call->error));
}

/* Frees the memory of a job. */
static void free_job(gg_graph_job *job) {
  for (int64_t b = 0; job->block && b < job->blocks.count; ++b) {
    gg_block_free(&job->block[b].block);
    gg_free(job->block[b].found.sides);
    gg_free(job->block[b].twice);
  }
  gg_free(job->block);
  gg_blocks_free(&job->blocks);
  gg_graph_free(&job->graph);
  gg_free(job->scratch);
  gg_free(job->ends);
  gg_free(job->edges);
  gg_free(job->merged);
}

/* Bytes of working memory for a vertex and for an edge that every graph takes, as measured by the
   peak for 10^6 vertices. */
static const double bytes_of_vertex = 24, bytes_of_edge = 250;

/* Checks the memory that a graph and its solutions need. */
static gpugeo_status check_room(int64_t vertices, int64_t edge_count,
                                const gpugeo_dgp_graph_options *options, gpugeo_error *error) {
  const int64_t max_solutions = options->max_solutions;
  const double working = bytes_of_vertex * (double)vertices + bytes_of_edge * (double)edge_count;
  gpugeo_status status =
      gg_check_work(&options->run, working, error, "a graph of %lld vertices and %lld edges",
                    (long long)vertices, (long long)edge_count);
  if (status) return status;
  status = gg_check_memory(working, "edges", error, "a graph of %lld vertices and %lld edges needs",
                           (long long)vertices, (long long)edge_count);
  if (status) return status;
  return gg_check_memory(working + (double)max_solutions * (double)vertices * 8, "max_solutions",
                         error, "max_solutions = %lld needs", (long long)max_solutions);
}

gpugeo_status gpugeo_dgp_graph_size(int64_t vertices, const gpugeo_dgp_edge *edges,
                                    int64_t edge_count, const gpugeo_dgp_graph_options *options,
                                    int64_t *size, gpugeo_error *error) {
  gpugeo_dgp_graph_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dgp_graph_options, options, taken, error);
  if (status) return status;
  status = check_options(vertices, edges, edge_count, options, error);
  for (int64_t i = 0; i < edge_count && !status; ++i)
    status = check_edge(&edges[i], i, vertices, options, error);
  if (status) return status;
  status = check_room(vertices, edge_count, options, error);
  if (!status) *size = options->max_solutions * vertices;
  return status;
}

gpugeo_status gpugeo_dgp_graph(int64_t vertices, const gpugeo_dgp_edge *edges, int64_t edge_count,
                               const gpugeo_dgp_graph_options *options,
                               gpugeo_dgp_graph_result *result, double *positions,
                               gpugeo_dgp_vertex *order, gpugeo_report *report,
                               gpugeo_error *error) {
  gpugeo_dgp_graph_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dgp_graph_options, options, taken, error);
  if (status) return status;
  int64_t size;
  status = gpugeo_dgp_graph_size(vertices, edges, edge_count, options, &size, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  gg_graph_job job = {.options = options,
                      .vertices = vertices,
                      .threads = gg_threads(options->run.threads),
                      .call = &call};
  *call.report = gg_report_of(gg_host_backend(), -1, 1, job.threads);
  gpugeo_dgp_graph_result made = {0};
  make_job(&job, edges, edge_count);
  if (!search_blocks(&job)) {
    count_all(&job, &made);
    if (made.returned > 0) write_positions(&job, made.returned, positions);
  }
  if (!call.status) {
    if (order) write_order(&job, order);
    *result = made;
  }
  free_job(&job);
  return gg_call_end(&call);
}

/* --- Edges of a matrix ------------------------------------------------------------------------ */

gpugeo_status gg_dgp_edges(const gpugeo_matrix *x, gpugeo_dgp_edge *edges, int64_t *vertices,
                           gpugeo_error *error) {
  if (x->ncol != 3 && x->ncol != 4)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "edges must have 3 or 4 columns (u, v, lower, upper), not %lld",
                   (long long)x->ncol);
  *vertices = 0;
  for (int64_t i = 0; i < x->nrow; ++i) {
    int64_t ends[2];
    for (int k = 0; k < 2; ++k) {
      const double value = gg_element(x, i, k);
      if (!(value >= 1 && value <= 9007199254740992.0 && value == floor(value)))
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                       "edge %lld: the %s vertex must be a whole number of at least 1, not %s",
                       (long long)i + 1, k ? "second" : "first", gg_number(value).text);
      ends[k] = (int64_t)value;
      if (ends[k] > *vertices) *vertices = ends[k];
    }
    edges[i] = (gpugeo_dgp_edge){ends[0] - 1, ends[1] - 1, gg_element(x, i, 2),
                                 gg_element(x, i, x->ncol - 1)};
  }
  return GPUGEO_OK;
}

gpugeo_decimal gg_dgp_graph_count(const gpugeo_dgp_graph_result *result, double *number) {
  const bool overflow = result->count_overflow != 0;
  *number = overflow ? INFINITY : gg_uint128_double(result->count);
  if (overflow) return (gpugeo_decimal){"2^128 or more"};
  return gpugeo_uint128_decimal(result->count);
}
