/*
 * The CPU backend's distance matrices: packs points into panels, hands out tiles of pairs to the
 * threads, and writes finished tiles where they belong.
 *
 * Limits: with many coordinates the floating-point pipes (a subtraction and a fused multiply-add a
 * pair and coordinate); with few, the first touch of the result's pages.
 */

#include <math.h>
#include <stdlib.h>

#include "../context.h"
#include "../error.h"
#include "../matrix.h"
#include "../memory.h"
#include "cpu.h"
#include "dist_tile.h"

static const int64_t default_work_bytes = (int64_t)256 << 20;
static const int64_t largest_tile =
    128; /* points: two packed runs and the sums fit a level 2 cache */

static const gg_cpu_kernels *kernels_of(gg_simd simd, bool single) {
#if defined(GG_CPU_X86)
  if (simd == GG_SIMD_AVX512) return single ? &gg_cpu_avx512_f32 : &gg_cpu_avx512_f64;
  if (simd == GG_SIMD_AVX2) return single ? &gg_cpu_avx2_f32 : &gg_cpu_avx2_f64;
#else
  (void)simd;
#endif
  return single ? &gg_cpu_generic_f32 : &gg_cpu_generic_f64;
}

static int64_t step_sums(gg_step step) {
#define SUMS(name, sums) [GG_STEP_##name] = sums,
  static const unsigned char counts[] = {GG_STEPS_ANY(SUMS) GG_STEPS_DOUBLE(SUMS)};
#undef SUMS
  return counts[step];
}

/* Progress over all blocks. */
typedef struct work_done {
  gg_clock *clock;
  double before, share; /* fraction done before the present blocks, and their part of the whole */
  int stop;             /* set once, by the calling thread */
} work_done;

/* A job, and what follows from the plan and this machine. */
typedef struct job {
  const gg_dist_plan *plan;
  const gg_cpu_kernels *kernels, *preparing; /* of the plan's type, and for double */
  int64_t real_size;
  int64_t tile;         /* points a tile has in each direction, whole panels */
  int64_t block;        /* points packed at a time, whole tiles */
  void *weight;         /* m reals */
  char *packed_x;       /* block points */
  char *packed_y;       /* likewise; packed_x where both are the same points */
  char *scratch;        /* of all threads */
  int64_t scratch_size; /* bytes of one */
  work_done *work;
} job;

/* Must all threads stop? The calling thread asks the hooks; `done` is the part of the present
   blocks that is done. */
static bool asked_to_stop(const job *job, double done) {
  work_done *work = job->work;
  return gg_clock_poll_team(work->clock, work->before + work->share * done, &work->stop);
}

static int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* --- packing -------------------------------------------------------------------------------- */

/* Coordinates [k0, k1) of `count` points from `first` on to z[k * stride + i], as doubles; zeros
   for the rest of the panel. */
#define LOAD(type, VALUE)                                                                          \
  static void load_##type(const gpugeo_matrix *x, gpugeo_points points, int64_t first,             \
                          int64_t count, int64_t k0, int64_t k1, int64_t stride, double *z) {      \
    const type *data = x->data;                                                                    \
    if (points == GPUGEO_ROWS)                                                                     \
      for (int64_t k = k0; k < k1; ++k)                                                            \
        for (int64_t i = 0; i < count; ++i)                                                        \
          z[k * stride + i] = VALUE(data[first + i + k * x->ld]);                                  \
    else                                                                                           \
      for (int64_t i = 0; i < count; ++i)                                                          \
        for (int64_t k = k0; k < k1; ++k)                                                          \
          z[k * stride + i] = VALUE(data[k + (first + i) * x->ld]);                                \
    if (count < stride)                                                                            \
      for (int64_t k = k0; k < k1; ++k)                                                            \
        for (int64_t i = count; i < stride; ++i)                                                   \
          z[k * stride + i] = 0;                                                                   \
  }
LOAD(double, (double))
LOAD(float, (double))
LOAD(int32_t, gg_integer_value)

static void load_points(const gpugeo_matrix *x, gpugeo_points points, int64_t first, int64_t count,
                        int64_t k0, int64_t k1, int64_t stride, double *z) {
  switch (x->type) {
  case GPUGEO_DOUBLE:
    load_double(x, points, first, count, k0, k1, stride, z);
    break;
  case GPUGEO_FLOAT:
    load_float(x, points, first, count, k0, k1, stride, z);
    break;
  case GPUGEO_INT32:
    load_int32_t(x, points, first, count, k0, k1, stride, z);
    break;
  }
}

/* Packs one panel: loads, prepares, and rounds to float where the plan is single. `wide` is scratch
   of panel * m doubles for that case. */
static void pack_panel(const job *job, const gpugeo_matrix *x, int64_t n, int64_t first,
                       void *packed, double *wide) {
  const gg_dist_plan *plan = job->plan;
  const int64_t panel = job->kernels->panel;
  double *z = plan->single ? wide : packed;
  const int64_t run = (int64_t)1 << 15; /* short enough to be asked often, far longer than a page */
  for (int64_t k = 0; k < plan->m && !asked_to_stop(job, 0); k += run)
    load_points(x, plan->points, first, smaller(panel, n - first), k, smaller(k + run, plan->m),
                panel, z);
  if (plan->prepare != GG_PREPARE_NOTHING)
    job->preparing->prepare(z, plan->m, plan->prepare, plan->centre, plan->factor, panel);
  if (plan->single)
    for (int64_t e = 0; e < panel * plan->m; ++e)
      ((float *)packed)[e] = (float)z[e];
}

/* --- writing -------------------------------------------------------------------------------- */

/* A tile's first pair, its numbers of points that exist, and the leading dimension of its values.
 */
typedef struct tile_place {
  int64_t row, column, rows, columns, ld;
} tile_place;

/* Values of a tile to where they belong, missing ones as the plan's missing value: only what is
   below the diagonal when the pairs are within x, and to both sides of it in a full matrix. Returns
   notes. */
#define WRITE(name, real, type)                                                                    \
  static int32_t write_##name(const gg_dist_plan *plan, const void *values, const tile_place *t) { \
    const real *value = values;                                                                    \
    const type missing = (type)plan->missing;                                                      \
    const bool condensed = plan->shape == GPUGEO_CONDENSED;                                        \
    const bool marked = plan->step == GG_STEP_correlation_missing;                                 \
    int32_t notes = 0;                                                                             \
    for (int64_t c = 0; c < t->columns; ++c, value += t->ld) {                                     \
      const int64_t j = t->column + c;                                                             \
      const int64_t below = plan->symmetric ? j - t->row + condensed : 0;                          \
      type *to = condensed ? (type *)plan->out + gg_condensed_column(plan->nx, j) - j - 1          \
                           : (type *)plan->out + j * plan->nx;                                     \
      to += t->row;                                                                                \
      const int64_t start = below > 0 ? below : 0;                                                 \
      SIMD_LOOP for (int64_t r = start; r < t->rows; ++r) to[r] =                                  \
          value[r] == value[r] ? (type)value[r] : missing;                                         \
      for (int64_t r = start; marked && r < t->rows; ++r)                                          \
        if (isinf(value[r])) to[r] = missing, notes = GPUGEO_NOTE_ZERO_DEVIATION;                  \
    }                                                                                              \
    if (!plan->symmetric || condensed) return notes;                                               \
    type *out = plan->out;                                                                         \
    for (int64_t r = 0, i = t->row; r < t->rows; ++r, ++i)                                         \
      for (int64_t c = 0, j = t->column; c < t->columns && j < i; ++c, ++j)                        \
        out[j + i * plan->nx] = out[i + j * plan->nx];                                             \
    return notes;                                                                                  \
  }
#define SIMD_LOOP _Pragma("omp simd")
WRITE(double_double, double, double)
WRITE(double_float, double, float)
WRITE(float_double, float, double)
WRITE(float_float, float, float)

static int32_t write_tile(const gg_dist_plan *plan, const void *values, const tile_place *t) {
  if (plan->single)
    return plan->type == GPUGEO_FLOAT ? write_float_float(plan, values, t)
                                      : write_float_double(plan, values, t);
  return plan->type == GPUGEO_FLOAT ? write_double_float(plan, values, t)
                                    : write_double_double(plan, values, t);
}

/* --- tiles ---------------------------------------------------------------------------------- */

/* One thread's tile: a and b are its first points in the packed blocks. */
static int32_t compute_tile(const job *job, char *scratch, const tile_place *t, const char *a,
                            const char *b) {
  const gg_dist_plan *plan = job->plan;
  const int64_t panel = job->kernels->panel;
  char *values = scratch;
  gg_cpu_tile tile = {
      .a = a,
      .b = b,
      .weight = job->weight,
      .m = plan->m,
      .rows = round_up(t->rows, panel),
      .columns = round_up(t->columns, panel),
      .diagonal = plan->symmetric && t->row == t->column,
      .p = plan->p,
      .finish = plan->finish,
      .sums = values + job->tile * job->tile * job->real_size,
      .out = values,
  };
  job->kernels->tile[plan->step](&tile);
  tile_place place = *t;
  place.ld = tile.rows;
  return write_tile(plan, values, &place);
}

/* Packs the points [first, first + count) of x into `packed`, all threads of the team together. */
static void pack_block(const job *job, const gpugeo_matrix *x, int64_t n, int64_t first,
                       int64_t count, char *packed, double *wide) {
  const int64_t panel = job->kernels->panel, panels = (count + panel - 1) / panel;
#pragma omp for schedule(static)
  for (int64_t q = 0; q < panels; ++q)
    pack_panel(job, x, n, first + q * panel, packed + q * panel * job->plan->m * job->real_size,
               wide);
}

/* All pairs of the points of block x from x0 with those of block y from y0, by a team of threads
   that take tiles from a common counter. Returns notes. */
static int32_t compute_blocks(const job *job, int64_t x0, int64_t y0, bool pack_y) {
  const gg_dist_plan *plan = job->plan;
  const bool within = plan->symmetric && x0 == y0;
  const char *packed_y = within ? job->packed_x : job->packed_y;
  const int64_t point = plan->m * job->real_size;
  const int64_t rows = smaller(job->block, plan->nx - x0);
  const int64_t columns = smaller(job->block, plan->ny - y0);
  const int64_t tile_rows = (rows + job->tile - 1) / job->tile;
  const int64_t tile_columns = (columns + job->tile - 1) / job->tile;
  const int64_t tiles = within ? tile_rows * (tile_rows + 1) / 2 : tile_rows * tile_columns;
  int64_t next = 0;
  int32_t notes = 0;
#pragma omp parallel num_threads(plan->threads) reduction(| : notes)
  {
    char *scratch = job->scratch + gg_thread_number() * job->scratch_size;
    pack_block(job, &plan->x, plan->nx, x0, rows, job->packed_x, (double *)scratch);
    if (!within && pack_y)
      pack_block(job, &plan->y, plan->ny, y0, columns, job->packed_y, (double *)scratch);
    for (int64_t tile_column = 0, before = 0;;) {
      int64_t index;
#pragma omp atomic capture
      index = next++;
      if (index >= tiles || asked_to_stop(job, (double)index / (double)tiles)) break;
      /* The tiles of a column follow each other; within x the column starts at the diagonal. */
      for (int64_t in_column; tile_column < tile_columns; before += in_column, ++tile_column) {
        in_column = within ? tile_rows - tile_column : tile_rows;
        if (index < before + in_column) break;
      }
      const int64_t r = (index - before + (within ? tile_column : 0)) * job->tile;
      const int64_t c = tile_column * job->tile;
      const tile_place place = {x0 + r, y0 + c, smaller(job->tile, rows - r),
                                smaller(job->tile, columns - c), 0};
      notes |= compute_tile(job, scratch, &place, job->packed_x + r * point, packed_y + c * point);
    }
  }
  return notes;
}

/* --- the job -------------------------------------------------------------------------------- */

/* Tiles of at most largest_tile points, small enough that there are several for each thread. */
static int64_t choose_tile(const gg_dist_plan *plan, int64_t panel) {
  int64_t tile = largest_tile;
  while (tile > panel) {
    const int64_t rows = (plan->nx + tile - 1) / tile, columns = (plan->ny + tile - 1) / tile;
    if ((plan->symmetric ? rows * (rows + 1) / 2 : rows * columns) >= 8 * plan->threads) break;
    tile /= 2;
  }
  return round_up(tile, panel);
}

static void free_job(job *job) {
  free(job->weight);
  free(job->packed_x);
  free(job->packed_y);
  free(job->scratch);
}

/* Sizes and working memory: two packed blocks of points within the plan's limit (one tile of points
   each at the least), and each thread's values and sums of a tile. */
static gpugeo_status make_job(const gg_dist_plan *plan, job *job, gpugeo_error *error) {
  const gg_simd simd = gg_context_get()->simd;
  job->plan = plan;
  job->kernels = kernels_of(simd, plan->single);
  job->preparing = kernels_of(simd, false);
  job->real_size = plan->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
  const int64_t panel = job->kernels->panel, point = plan->m * job->real_size;
  job->tile = choose_tile(plan, panel);
  const int64_t work = plan->work_bytes ? plan->work_bytes : default_work_bytes;
  const int64_t most = plan->nx > plan->ny ? plan->nx : plan->ny;
  int64_t block = work / 2 / point / job->tile * job->tile;
  if (block < job->tile) block = job->tile;
  job->block = smaller(block, round_up(most, job->tile));

  const int64_t sums = plan->m > job->kernels->run ? step_sums(plan->step) : 0;
  job->scratch_size = job->tile * job->tile * job->real_size * (1 + sums);
  const int64_t wide = plan->single ? panel * plan->m * (int64_t)sizeof(double) : 0;
  if (job->scratch_size < wide) job->scratch_size = wide;
  job->scratch_size = round_up(job->scratch_size, 4096);

  const bool two_blocks = !plan->symmetric || job->block < plan->nx;
  job->weight = gg_allocate(plan->m, job->real_size);
  job->packed_x = gg_allocate(job->block, point);
  job->packed_y = two_blocks ? gg_allocate(job->block, point) : NULL;
  job->scratch = gg_allocate(plan->threads, job->scratch_size);
  if (!job->weight || !job->packed_x || (two_blocks && !job->packed_y) || !job->scratch)
    return gg_fail_memory(error, (two_blocks ? 2 : 1) * job->block * point +
                                     plan->threads * job->scratch_size);
  for (int64_t k = 0; k < plan->m; ++k) {
    const double weight = plan->weight ? plan->weight[k] : 1;
    if (plan->single)
      ((float *)job->weight)[k] = (float)weight;
    else
      ((double *)job->weight)[k] = weight;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_cpu_dist(const gg_dist_plan *plan, gg_clock *clock, gpugeo_report *report,
                          gpugeo_error *error) {
  work_done work = {clock, 0, 0, 0};
  job job = {.work = &work};
  gpugeo_status status = make_job(plan, &job, error);
  const double pairs = (double)plan->nx * (double)plan->ny * (plan->symmetric ? 0.5 : 1);
  for (int64_t y0 = 0; !status && y0 < plan->ny; y0 += job.block) {
    bool pack_y = true; /* once for all blocks of x beside it */
    for (int64_t x0 = plan->symmetric ? y0 : 0; !status && x0 < plan->nx; x0 += job.block) {
      const double rows = (double)smaller(job.block, plan->nx - x0);
      const double columns = (double)smaller(job.block, plan->ny - y0);
      work.share = rows * columns * (plan->symmetric && x0 == y0 ? 0.5 : 1) / pairs;
      report->notes |= compute_blocks(&job, x0, y0, pack_y);
      if (!plan->symmetric || x0 != y0) pack_y = false;
      work.before += work.share;
      if (work.stop) status = gg_fail_interrupt(error);
    }
  }
  free_job(&job);
  return status;
}
