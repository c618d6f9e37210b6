/*
 * The pairs of a distance matrix in tiles: packs points into panels, hands out tiles of pairs to
 * the threads, and gives finished tiles to a sink.
 *
 * Limited by floating-point throughput: a subtraction and a fused multiply-add for each pair and
 * coordinate.
 */
#include "distance/cpu/tiles.h"

#include <math.h>
#include <stdlib.h>

#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sparse.h"
#include "common/test_hooks.h"
#include "distance/cpu/read_tiles.h"
#include "distance/cpu/tile.h"
#include "distance/rank.h"

const gg_cpu_kernels *gg_cpu_kernels_for(bool single) {
  return single ? GG_SIMD_CHOOSE(const gg_cpu_kernels, gg_cpu_f32)
                : GG_SIMD_CHOOSE(const gg_cpu_kernels, gg_cpu_f64);
}

/* Returns the number of sums of a step. */
static int64_t step_sums(gg_step step) {
#define SUMS(name, sums) [GG_STEP_##name] = sums,
  static const unsigned char counts[] = {GG_STEPS_ANY(SUMS) GG_STEPS_DOUBLE(SUMS)};
#undef SUMS
  return counts[step];
}

/* The marks of a block of points (see tile.h), and which panels are squeezed. */
typedef struct marks {
  uint64_t *words;
  bool *squeezed;
} marks;

/* A job, and what follows from the plan and this machine. */
typedef struct job {
  const gg_dist_plan *plan;
  const gg_cpu_sink *sink;
  const gg_cpu_kernels *kernels, *preparing; /* of the plan's type, and for double */
  int64_t real_size;
  int64_t tile;   /* points a tile has in each direction, whole panels */
  int64_t block;  /* points packed at a time, whole tiles */
  void *weight;   /* m reals */
  char *packed_x; /* block points */
  char *packed_y; /* likewise; packed_x where both are the same points */
  bool marked;    /* the coordinates that are not 0 are marked */
  marks marks_x, marks_y;
  char *scratch;        /* of all threads */
  int64_t scratch_size; /* bytes of one */
  int64_t groups;       /* where those of marked kernels are in it */
  double before, share; /* fraction done before the present blocks, and their part of the whole */
  gg_call *call;
} job;

/* True if all threads must stop. The calling thread calls the hooks; `done` is the finished
   fraction of the present blocks. */
static bool asked_to_stop(const job *job, double done) {
  return gg_clock_poll(job->call->clock, job->before + job->share * done);
}

static gg_marked_use use = GG_MARKED_AUTO;
void gg_cpu_set_marked_use(gg_marked_use chosen) { use = chosen; }

/* Returns n rounded up to a multiple of step. */
static int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

/* Returns the words of marks of a panel. */
static int64_t words_of_panel(const job *job) {
  return (job->kernels->panel / GG_MARKED_POINTS + 1) * gg_mark_words(job->plan->m);
}

/* --- packing ---------------------------------------------------------------------------------- */

#define LOAD(type, VALUE)                                                                          \
  static void load_##type(const gpugeo_matrix *x, gpugeo_points points, gg_block block,            \
                          int64_t stride, double *z) {                                             \
    const type *data = x->data;                                                                    \
    const int64_t k0 = block.coordinate, first = block.point, count = block.points;                \
    if (points == GPUGEO_POINTS_ROWS)                                                              \
      for (int64_t k = 0; k < block.coordinates; ++k)                                              \
        for (int64_t i = 0; i < count; ++i)                                                        \
          z[k * stride + i] = VALUE(data[first + i + (k0 + k) * x->ld]);                           \
    else                                                                                           \
      for (int64_t i = 0; i < count; ++i)                                                          \
        for (int64_t k = 0; k < block.coordinates; ++k)                                            \
          z[k * stride + i] = VALUE(data[k0 + k + (first + i) * x->ld]);                           \
  }
LOAD(double, (double))
LOAD(float, (double))
LOAD(int32_t, gg_integer_value)

void gg_cpu_load_points(const gpugeo_matrix *x, gpugeo_points points, gg_block block,
                        int64_t stride, double *z) {
  if (x->sparse)
    gg_sparse_load(x, points, block, stride, 1, z);
  else if (x->type == GPUGEO_TYPE_DOUBLE)
    load_double(x, points, block, stride, z);
  else if (x->type == GPUGEO_TYPE_FLOAT)
    load_float(x, points, block, stride, z);
  else
    load_int32_t(x, points, block, stride, z);
  for (int64_t k = 0; block.points < stride && k < block.coordinates; ++k)
    for (int64_t i = block.points; i < stride; ++i)
      z[k * stride + i] = 0;
}

/* Returns the doubles of a panel that is rounded to float later. */
static int64_t wide_values(const gg_dist_plan *plan, const gg_cpu_kernels *kernels) {
  return plan->single ? kernels->panel * plan->m : 0;
}

/* Packs one panel: loads, ranks, prepares, and rounds to float where the plan is single. `scratch`
   has room for the panel in doubles in that case, and then for ranks. */
static void pack_panel(const job *job, const gpugeo_matrix *x, int64_t n, int64_t first,
                       void *packed, char *scratch) {
  const gg_dist_plan *plan = job->plan;
  const int64_t panel = job->kernels->panel, count = gg_smaller(panel, n - first);
  double *wide = (double *)scratch, *z = plan->single ? wide : packed;
  const int64_t run = (int64_t)1 << 15; /* short enough to be asked often, far longer than a page */
  for (int64_t k = 0; k < plan->m && !asked_to_stop(job, 0); k += run) {
    const gg_block block = {first, count, k, gg_smaller(run, plan->m - k)};
    gg_cpu_load_points(x, plan->points, block, panel, z + k * panel);
  }
  if (plan->ranked) gg_rank_panel(z, count, plan->m, panel, wide + wide_values(plan, job->kernels));
  if (plan->prepare != GG_PREPARE_NOTHING)
    job->preparing->prepare(z, plan->m, plan->prepare, plan->centre, plan->factor, panel);
  if (plan->single)
    for (int64_t e = 0; e < panel * plan->m; ++e)
      ((float *)packed)[e] = (float)z[e];
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* True if any of the panels is squeezed. */
static bool any_squeezed(const bool *squeezed, int64_t panels) {
  for (int64_t q = 0; q < panels; ++q)
    if (squeezed[q]) return true;
  return false;
}

/* Sets the marks of a tile, whose first points in the blocks are i and j, if it is one for marked
   kernels. */
static void set_marks(const job *job, const marks *marks_y, int64_t i, int64_t j,
                      gg_cpu_tile *tile) {
  const int64_t panel = job->kernels->panel, words = words_of_panel(job);
  if (!job->marked || (!any_squeezed(job->marks_x.squeezed + i / panel, tile->rows / panel) &&
                       !any_squeezed(marks_y->squeezed + j / panel, tile->columns / panel)))
    return;
  tile->a_marks = job->marks_x.words + i / panel * words;
  tile->b_marks = marks_y->words + j / panel * words;
}

/* A block of points on its way into `packed`. */
typedef struct packing {
  const job *job;
  const gpugeo_matrix *x;
  int64_t n, first; /* points of x, and the block's first */
  char *packed;
  marks marks;
} packing;

/* Marks panel q of a block. Squeezes it if marked kernels are expected to be faster for pairs of
   such points: with random marks in 0.35 of the positions they visit 0.73 of the coordinates. */
static void mark_panel(const job *job, void *packed, int64_t q, const marks *marks) {
  const double most = use == GG_MARKED_ALWAYS ? INFINITY : 0.35;
  marks->squeezed[q] =
      job->kernels->squeeze(packed, job->plan->m, most, marks->words + q * words_of_panel(job));
}

/* Packs the points of a range of panels, and marks them. */
static void pack_panels(void *own, gg_range panels) {
  const packing *p = own;
  const job *job = p->job;
  const int64_t panel = job->kernels->panel;
  for (int64_t q = panels.first; q < panels.last; ++q) {
    char *packed = p->packed + q * panel * job->plan->m * job->real_size;
    pack_panel(job, p->x, p->n, p->first + q * panel, packed,
               job->scratch + panels.worker * job->scratch_size);
    if (job->marked) mark_panel(job, packed, q, &p->marks);
  }
}

/* Packs the points [first, first + count) of x into `packed`. */
static void pack_block(const job *job, const gpugeo_matrix *x, int64_t n, int64_t first,
                       int64_t count, char *packed, marks marks) {
  packing p = {job, x, n, first, packed, marks};
  const int64_t panel = job->kernels->panel, values = (int64_t)1 << 16; /* in 0.1 ms */
  gg_parallel_for(&(gg_loop){.threads = job->plan->threads,
                             .count = (count + panel - 1) / panel,
                             .grain = 1 + values / (panel * job->plan->m + 1),
                             .work = pack_panels,
                             .job = &p});
}

/* The tiles of two blocks, in series that follow each other. */
typedef struct tile_walk {
  int64_t rows, columns; /* tiles */
  bool within;           /* only those on and below the diagonal; rows equals columns */
  bool avoid_shared_points;
  int64_t series, before; /* the present series, and how many tiles are in those before it */
} tile_walk;

/* Returns the number of tiles of a walk. */
static int64_t walk_length(const tile_walk *walk) {
  return walk->within ? walk->rows * (walk->rows + 1) / 2 : walk->rows * walk->columns;
}

/* Finds row and column of a tile; the index must never decrease. A series is a column of tiles,
   from the diagonal on within. Scattered, it is a diagonal, so the tiles that threads have
   at the same time share no points, but for neighbouring series. */
static void walk_to(tile_walk *walk, int64_t index, int64_t *row, int64_t *column) {
  for (int64_t length;; walk->before += length, ++walk->series) {
    const int64_t whole = walk->avoid_shared_points ? walk->columns : walk->rows;
    length = walk->within ? whole - walk->series : whole;
    if (index < walk->before + length) break;
  }
  const int64_t at = index - walk->before;
  *row = walk->within || !walk->avoid_shared_points ? at + (walk->within ? walk->series : 0)
                                                    : (at + walk->series) % walk->rows;
  *column = walk->avoid_shared_points ? at : walk->series;
}

/* Two blocks of packed points, whose tiles the threads take from a common counter. */
typedef struct block_pair {
  const job *job;
  const char *packed_y;
  marks marks_y;
  int64_t x0, y0, rows, columns; /* first points and their numbers */
  bool within;                   /* both are the same points */
  tile_walk start;
  int64_t tiles, next;
  int32_t notes;
} block_pair;

/* Returns the tile in row r and column c of tiles. */
static gg_cpu_position position_of_tile(const block_pair *b, int64_t r, int64_t c) {
  const int64_t tile = b->job->tile, rows = gg_smaller(tile, b->rows - r * tile);
  return (gg_cpu_position){.row = b->x0 + r * tile,
                           .column = b->y0 + c * tile,
                           .rows = rows,
                           .columns = gg_smaller(tile, b->columns - c * tile),
                           .ld = round_up(rows, b->job->kernels->panel),
                           .diagonal = b->within && r == c};
}

/* Returns the tile at a position, whose first points in the blocks are i and j, with a thread's
   scratch. */
static gg_cpu_tile make_tile(const block_pair *b, const gg_cpu_position *position, int64_t i,
                             int64_t j, char *scratch) {
  const job *job = b->job;
  const gg_dist_plan *plan = job->plan;
  const int64_t panel = job->kernels->panel, point = plan->m * job->real_size;
  gg_cpu_tile tile = {
      .a = job->packed_x + i * point,
      .b = b->packed_y + j * point,
      .weight = job->weight,
      .m = plan->m,
      .rows = round_up(position->rows, panel),
      .columns = round_up(position->columns, panel),
      .diagonal = position->diagonal,
      .p = plan->p,
      .finish = plan->finish,
      .sums = scratch + job->tile * job->tile * job->real_size,
      .groups = scratch + job->groups,
      .out = scratch,
  };
  set_marks(job, &b->marks_y, i, j, &tile);
  return tile;
}

/* Draws tiles of a pair of blocks and computes them, until none is left. */
static void compute_tiles(void *own, int32_t worker) {
  block_pair *b = own;
  const job *job = b->job;
  const gg_cpu_kernels *kernels = job->kernels;
  const gg_step step = job->plan->step;
  const bool refined = step == GG_STEP_product && !(job->plan->finish & GG_FINISH_SIMILARITY);
  tile_walk walk = b->start;
  int32_t notes = 0;
  for (;;) {
    int64_t r, c;
    const int64_t index = gg_atomic_add(&b->next, 1);
    if (index >= b->tiles || asked_to_stop(job, (double)index / (double)b->tiles)) break;
    walk_to(&walk, index, &r, &c);
    const gg_cpu_position position = position_of_tile(b, r, c);
    const gg_cpu_tile tile = make_tile(b, &position, r * job->tile, c * job->tile,
                                       job->scratch + worker * job->scratch_size);
    (tile.a_marks ? kernels->marked_tile : kernels->tile)[step](&tile);
    if (refined) kernels->refine(&tile);
    notes |= job->sink->take(job->sink->own, &position, tile.out);
  }
  if (notes) gg_atomic_or(&b->notes, notes);
}

/* Computes all pairs of the points of block x from x0 with those of block y from y0. Returns
   notes. */
static int32_t compute_blocks(const job *job, int64_t x0, int64_t y0, bool pack_y) {
  const gg_dist_plan *plan = job->plan;
  block_pair b = {.job = job,
                  .x0 = x0,
                  .y0 = y0,
                  .rows = gg_smaller(job->block, plan->nx - x0),
                  .columns = gg_smaller(job->block, plan->ny - y0),
                  .within = plan->symmetric && x0 == y0};
  b.packed_y = b.within ? job->packed_x : job->packed_y;
  b.start = (tile_walk){.rows = (b.rows + job->tile - 1) / job->tile,
                        .columns = (b.columns + job->tile - 1) / job->tile,
                        .within = b.within,
                        .avoid_shared_points = job->sink->avoid_shared_points};
  b.tiles = walk_length(&b.start);
  b.marks_y = b.within ? job->marks_x : job->marks_y;
  pack_block(job, &plan->x, plan->nx, x0, b.rows, job->packed_x, job->marks_x);
  if (!b.within && pack_y)
    pack_block(job, &plan->y, plan->ny, y0, b.columns, job->packed_y, job->marks_y);
  gg_parallel_team((int32_t)gg_smaller(plan->threads, b.tiles), compute_tiles, &b);
  return b.notes;
}

/* --- the job ---------------------------------------------------------------------------------- */

/* Returns the side of the tiles: at most GG_CPU_TILE points, so small that each thread has
   several tiles and that the sink's memory for their points is within the limit. */
static int64_t choose_tile(const gg_dist_plan *plan, int64_t panel, int64_t point_bytes,
                           int64_t work) {
  int64_t tile = GG_CPU_TILE;
  while (tile > panel && 2 * tile * point_bytes > work)
    tile /= 2;
  while (tile > panel) {
    const int64_t rows = (plan->nx + tile - 1) / tile, columns = (plan->ny + tile - 1) / tile;
    if ((plan->symmetric ? rows * (rows + 1) / 2 : rows * columns) >= 8 * plan->threads) break;
    tile /= 2;
  }
  return round_up(tile, panel);
}

/* Frees the marks of a block. */
static void free_marks(marks *marks) {
  gg_free(marks->words);
  gg_free(marks->squeezed);
}

/* Frees the memory of a job. */
static void free_job(job *job) {
  free_marks(&job->marks_x);
  free_marks(&job->marks_y);
  gg_free(job->weight);
  gg_free(job->packed_x);
  gg_free(job->packed_y);
  gg_free(job->scratch);
}

/* True if marked kernels may be used: zeros may be left out, and weights are finite. */
static bool has_marks(const gg_dist_plan *plan, const gg_cpu_kernels *kernels) {
  if (!gg_dist_skips_zeros(plan)) return false;
  for (int64_t k = 0; plan->weight && k < plan->m; ++k)
    if (!isfinite(plan->single ? (float)plan->weight[k] : plan->weight[k])) return false;
  return kernels->marked_tile[plan->step] && use != GG_MARKED_NEVER;
}

/* Allocates the marks of a block. Returns false without memory. */
static bool make_marks(const job *job, marks *marks) {
  const int64_t panels = job->block / job->kernels->panel;
  marks->words = gg_allocate(panels * words_of_panel(job), sizeof *marks->words);
  marks->squeezed = gg_allocate(panels, sizeof *marks->squeezed);
  return marks->words && marks->squeezed;
}

/* Sets the sizes and allocates working memory: two packed blocks of points, with what the sink
   keeps of them, within the plan's limit (one tile of points each at the least), and each
   thread's values and sums of a tile. */
static gpugeo_status make_job(const gg_dist_plan *plan, job *job, gpugeo_error *error) {
  job->plan = plan;
  job->kernels = gg_cpu_kernels_for(plan->single);
  job->preparing = gg_cpu_kernels_for(false);
  job->real_size = plan->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
  const int64_t panel = job->kernels->panel, point = plan->m * job->real_size;
  const int64_t work = plan->work_bytes ? plan->work_bytes : GG_WORK_BYTES;
  job->tile = choose_tile(plan, panel, job->sink->point_bytes, work);
  const int64_t most = plan->nx > plan->ny ? plan->nx : plan->ny;
  int64_t block = work / 2 / (point + job->sink->point_bytes) / job->tile * job->tile;
  if (block < job->tile) block = job->tile;
  job->block = gg_smaller(block, round_up(most, job->tile));

  job->marked = has_marks(plan, job->kernels);
  const int64_t run = job->marked ? GG_MARKED_RUN : job->kernels->run;
  const int64_t sums = plan->m > run ? step_sums(plan->step) : 0;
  job->groups = job->tile * job->tile * job->real_size * (1 + sums);
  job->scratch_size = job->groups;
  if (job->marked) job->scratch_size += 2 * job->tile * GG_MARKED_RUN * job->real_size;
  int64_t packing = wide_values(plan, job->kernels) * (int64_t)sizeof(double);
  if (plan->ranked) packing += gg_rank_room(plan->m);
  if (job->scratch_size < packing) job->scratch_size = packing;
  job->scratch_size = round_up(job->scratch_size, 4096);

  const bool two_blocks = !plan->symmetric || job->block < plan->nx;
  const double bytes = (two_blocks ? 2.0 : 1.0) * (double)job->block * (double)point +
                       (double)plan->threads * (double)job->scratch_size;
  gpugeo_status status = GPUGEO_OK;
  if (bytes > 2 * (double)work) /* the least there can be: gg_dist_working() has not counted it */
    status = gg_check_memory(bytes, "", error, "tiles of %lld points of %lld coordinates need",
                             (long long)job->block, (long long)plan->m);
  if (status) return status;
  job->weight = gg_allocate(plan->m, job->real_size);
  job->packed_x = gg_allocate(job->block, point);
  job->packed_y = two_blocks ? gg_allocate(job->block, point) : NULL;
  job->scratch = gg_allocate(plan->threads, job->scratch_size);
  const bool marks = !job->marked || (make_marks(job, &job->marks_x) &&
                                      (!two_blocks || make_marks(job, &job->marks_y)));
  if (!marks || !job->weight || !job->packed_x || (two_blocks && !job->packed_y) || !job->scratch)
    return gg_fail_memory(error, (int64_t)bytes);
  for (int64_t k = 0; k < plan->m; ++k) {
    const double weight = plan->weight ? plan->weight[k] : 1;
    if (plan->single)
      ((float *)job->weight)[k] = (float)weight;
    else
      ((double *)job->weight)[k] = weight;
  }
  return GPUGEO_OK;
}

/* Computes all pairs of blocks; each block of columns is packed once, for all blocks of rows. */
static gpugeo_status compute_job(job *job) {
  gg_call *call = job->call;
  if (call->status) return call->status;
  const gg_dist_plan *plan = job->plan;
  const gg_cpu_sink *sink = job->sink;
  const double pairs = gg_dist_work(plan) / (double)plan->m;
  for (int64_t y0 = 0; !gg_clock_stopped(call->clock) && y0 < plan->ny; y0 += job->block) {
    const int64_t columns = gg_smaller(job->block, plan->ny - y0);
    bool pack_y = true; /* once for all blocks of x next to it */
    if (sink->open) sink->open(sink->own, GG_CPU_COLUMNS, y0, columns);
    for (int64_t x0 = plan->symmetric ? y0 : 0; !gg_clock_stopped(call->clock) && x0 < plan->nx;
         x0 += job->block) {
      const bool within = plan->symmetric && x0 == y0;
      const int64_t rows = gg_smaller(job->block, plan->nx - x0);
      job->share = sink->share * (double)rows * (double)columns * (within ? 0.5 : 1) / pairs;
      if (sink->open && !within) sink->open(sink->own, GG_CPU_ROWS, x0, rows);
      call->report->notes |= compute_blocks(job, x0, y0, pack_y);
      if (sink->close && !within && !gg_clock_stopped(call->clock))
        sink->close(sink->own, GG_CPU_ROWS);
      if (!within) pack_y = false;
      job->before += job->share;
    }
    if (sink->close && !gg_clock_stopped(call->clock)) sink->close(sink->own, GG_CPU_COLUMNS);
  }
  return gg_call_require(call, !gg_clock_stopped(call->clock));
}

gpugeo_status gg_cpu_tiles(const gg_dist_plan *plan, const gg_cpu_sink *sink, gg_call *call) {
  if (call->status) return call->status;
  if (plan->reader.read) return gg_read_tiles(plan, sink, call);
  job job = {.sink = sink, .before = sink->before, .call = call};
  GG_TRY(call, make_job(plan, &job, call->error));
  if (sink->start) GG_TRY(call, sink->start(sink->own, job.block, job.tile, call->error));
  compute_job(&job);
  free_job(&job);
  return call->status;
}
