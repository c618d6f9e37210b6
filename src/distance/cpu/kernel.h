/*
 * The CPU kernels, compiled once for each instruction set, see lanes.h, by kernel_f64.c and by
 * kernel_f32.c, which defines GG_SINGLE. Both define real, and KERNELS, the name of the table at
 * the end.
 *
 * A kernel computes one tile of pairs. Its points lie in packed panels (see tile.h); a block
 * of points by points is held in registers while it walks along the coordinates, and SIMD lanes run
 * over pairs, never over coordinates, so each pair's sum has one order on every machine.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/vector.h"
#include "distance/dist.h"
#if !defined(GG_SINGLE)
#include "distance/power.h"
#endif
#include "distance/cpu/tile.h"
#include "distance/metric_step.h"
#if !defined(GG_SINGLE)
#include "distance/metric_prepare.h"
#endif

enum {
  PANEL = GG_PANEL_BYTES / sizeof(real),
  RUN = 256 /* coordinates taken at a time: so much of both panels stays in the caches */
};

/* Blocks of VECTORS vectors by COLUMNS points, so sums and operands fit into the registers:
   32 with AVX-512 and NEON, 16 with AVX2. An fma takes most of the 16 of SSE2, whose blocks are
   four sums that do not wait for each other. A power takes most of the registers itself. */
#if defined(GG_LANES_AVX512) || defined(__aarch64__)
#define BLOCK_COLUMNS(sums) ((sums) == 1 ? 8 : (sums) <= 4 ? 4 : 2)
#elif defined(GG_LANES_128)
#define BLOCK_COLUMNS(sums) 2
#define BLOCK_VECTORS(sums) 2
#else
#define BLOCK_COLUMNS(sums) ((sums) == 1 ? 4 : (sums) <= 3 ? 2 : 1)
#endif
#if !defined(BLOCK_VECTORS)
#define BLOCK_VECTORS(sums) ((sums) <= 2 ? 2 : 1)
#endif

#define UNROLL _Pragma("GCC unroll 8")

/* Makes the constants of a run, with the terms of step cao. */
#if defined(GG_SINGLE)
#define RUN_OF_STEP(name) const step_run run = step_run_make(tile->m, tile->p, tile->finish);
#else
#define RUN_OF_STEP(name)                                                                          \
  step_run run = step_run_make(tile->m, tile->p, tile->finish);                                    \
  real terms[GG_STEP_##name == GG_STEP_cao ? CAO_TERMS : 1];                                       \
  if (GG_STEP_##name == GG_STEP_cao) {                                                             \
    cao_make_terms(terms);                                                                         \
    run.terms = terms;                                                                             \
  }
#endif

#define KERNEL(name, SUMS)                                                                         \
  GG_TARGET static void name##_tile(const gg_cpu_tile *tile) {                                     \
    enum {                                                                                         \
      POWER = GG_STEP_##name >= GG_STEP_power,                                                     \
      VECTORS = POWER ? 1 : BLOCK_VECTORS(SUMS),                                                   \
      COLUMNS = POWER ? 4 : BLOCK_COLUMNS(SUMS),                                                   \
      ROWS = VECTORS * GG_LANES,                                                                   \
      BLOCK = ROWS * COLUMNS * (SUMS)                                                              \
    };                                                                                             \
    RUN_OF_STEP(name)                                                                              \
    for (int64_t k0 = 0; k0 < tile->m; k0 += RUN) {                                                \
      const int64_t k1 = tile->m - k0 < RUN ? tile->m : k0 + RUN;                                  \
      int64_t kept = 0;                                                                            \
      for (int64_t j = 0; j < tile->columns; j += COLUMNS) {                                       \
        for (int64_t i = 0; i < tile->rows; i += ROWS) {                                           \
          if (tile->diagonal && i + ROWS <= j) continue;                                           \
          const real *a = (const real *)tile->a + i / PANEL * PANEL * tile->m + i % PANEL;         \
          const real *b = (const real *)tile->b + j / PANEL * PANEL * tile->m + j % PANEL;         \
          V s[COLUMNS][VECTORS][SUMS];                                                             \
          UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)        \
              UNROLL for (int q = 0; q < (SUMS); ++q) s[c][v][q] =                                 \
                  k0 == 0 ? sum_start(GG_STEP_##name, q)                                           \
                          : v_load((real *)tile->sums + kept +                                     \
                                   ((c * VECTORS + v) * (SUMS) + q) * GG_LANES);                   \
          for (int64_t k = k0; k < k1; ++k) {                                                      \
            V w = v_set(((const real *)tile->weight)[k]), x[VECTORS];                              \
            UNROLL for (int v = 0; v < VECTORS; ++v) x[v] = v_load(a + k * PANEL + v * GG_LANES);  \
            UNROLL for (int c = 0; c < COLUMNS; ++c) {                                             \
              V y = v_set(b[k * PANEL + c]);                                                       \
              UNROLL for (int v = 0; v < VECTORS; ++v) name##_step(x[v], y, w, &run, s[c][v]);     \
            }                                                                                      \
          }                                                                                        \
          if (k1 == tile->m) {                                                                     \
            real *out = (real *)tile->out + i + j * tile->rows;                                    \
            UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)      \
                v_store(out + c * tile->rows + v * GG_LANES, name##_finish(s[c][v], &run));        \
          } else {                                                                                 \
            UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)      \
                UNROLL for (int q = 0; q < (SUMS); ++q) v_store(                                   \
                    (real *)tile->sums + kept + ((c * VECTORS + v) * (SUMS) + q) * GG_LANES,       \
                    s[c][v][q]);                                                                   \
          }                                                                                        \
          kept += BLOCK;                                                                           \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

/* Returns the marks of a panel that begins with point i of those at `marks`, or, with `words` words
   each, of the GG_MARKED_POINTS points that begin with point i. */
static inline const uint64_t *marks_at(const uint64_t *marks, int64_t i, int64_t words) {
  const int64_t of_panel = (PANEL / GG_MARKED_POINTS + 1) * words;
  return marks + i / PANEL * of_panel + i % PANEL / GG_MARKED_POINTS * words;
}

/* Returns the marks of `rows` points in a word. */
static inline uint64_t join_marks(const uint64_t *marks, int64_t rows, int64_t words) {
  uint64_t joined = 0;
  for (int64_t g = 0; g < rows / GG_MARKED_POINTS; ++g)
    joined |= marks[g * words];
  return joined;
}

/* Writes a segment of a panel to groups of `width` points, GG_MARKED_RUN coordinates each, which
   follow each other: visits then meet few cache lines. `word` describes the segment. */
VFN void expand_segment(const real *panel, uint64_t word, int64_t coordinates, int width,
                        real *to) {
  const real *segment = panel + (word >> GG_COUNT_BITS);
  const uint64_t count = word & GG_NOT_SQUEEZED;
  if (count == GG_NOT_SQUEEZED) {
    for (int64_t k = 0; k < coordinates; ++k, segment += PANEL)
      for (int64_t i = 0; i < PANEL; i += width)
        memcpy(to + i * GG_MARKED_RUN + k * width, segment + i, (size_t)width * sizeof *to);
    return;
  }
  const uint16_t *position = (const uint16_t *)(segment + count);
  memset(to, 0, PANEL * GG_MARKED_RUN * sizeof *to);
  for (uint64_t e = 0; e < count; ++e) {
    const unsigned k = position[e] / PANEL, i = position[e] % PANEL, lane = i % (unsigned)width;
    to[(i - lane) * GG_MARKED_RUN + k * (unsigned)width + lane] = segment[e];
  }
}

/* Expands a word of coordinates of some points, whose marks are at `marks`. */
VFN void expand_panels(const void *packed, const uint64_t *marks, int64_t points, int64_t m,
                       int64_t word, int width, real *to) {
  const int64_t words = gg_mark_words(m), rest = m - word * GG_MARKED_RUN;
  for (int64_t i = 0; i < points; i += PANEL)
    expand_segment((const real *)packed + i * m,
                   marks_at(marks, i, words)[PANEL / GG_MARKED_POINTS * words + word],
                   rest < GG_MARKED_RUN ? rest : GG_MARKED_RUN, width, to + i * GG_MARKED_RUN);
}

/* Kernels of sparse points: as above, for the coordinates that are marked for a block of points by
   points. Blocks are small because the fewer points they have, the fewer coordinates are marked. */
#define MARKED_ROWS          (GG_LANES > GG_MARKED_POINTS ? GG_LANES : GG_MARKED_POINTS)
/* Blocks of 4 columns visit fewer coordinates than blocks of 8. Products, which visit a tenth of
   them, are faster with more sums that do not wait for each other: 0 JOIN 1 is 0 for them. */
#define MARKED_COLUMNS(join) (!(join) && (GG_LANES == 8 || GG_LANES == 4) ? 8 : 4)
#define MARKED_KERNEL(name, SUMS, JOIN)                                                            \
  GG_TARGET static void name##_marked(const gg_cpu_tile *tile) {                                   \
    enum {                                                                                         \
      ROWS = MARKED_ROWS,                                                                          \
      VECTORS = ROWS / GG_LANES,                                                                   \
      COLUMNS = MARKED_COLUMNS(0 JOIN 1),                                                          \
      BLOCK = ROWS * COLUMNS * (SUMS)                                                              \
    };                                                                                             \
    RUN_OF_STEP(name)                                                                              \
    const int64_t words = gg_mark_words(tile->m);                                                  \
    real *all_a = tile->groups, *all_b = all_a + tile->rows * GG_MARKED_RUN;                       \
    for (int64_t k0 = 0; k0 < tile->m; k0 += GG_MARKED_RUN) {                                      \
      const real *weight = (const real *)tile->weight + k0;                                        \
      int64_t kept = 0;                                                                            \
      const int64_t word = k0 / GG_MARKED_RUN;                                                     \
      expand_panels(tile->a, tile->a_marks, tile->rows, tile->m, word, ROWS, all_a);               \
      expand_panels(tile->b, tile->b_marks, tile->columns, tile->m, word, COLUMNS, all_b);         \
      for (int64_t i = 0; i < tile->rows; i += ROWS) {                                             \
        const uint64_t marks = join_marks(marks_at(tile->a_marks, i, words) + word, ROWS, words);  \
        const real *a = all_a + i * GG_MARKED_RUN;                                                 \
        for (int64_t j = 0; j < tile->columns; j += COLUMNS) {                                     \
          if (tile->diagonal && i + ROWS <= j) continue;                                           \
          const real *b = all_b + j * GG_MARKED_RUN;                                               \
          V s[COLUMNS][VECTORS][SUMS];                                                             \
          UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)        \
              UNROLL for (int q = 0; q < (SUMS); ++q) s[c][v][q] =                                 \
                  k0 == 0 ? sum_start(GG_STEP_##name, q)                                           \
                          : v_load((real *)tile->sums + kept +                                     \
                                   ((c * VECTORS + v) * (SUMS) + q) * GG_LANES);                   \
          const uint64_t *b_marks = marks_at(tile->b_marks, j, words) + word;                      \
          uint64_t left = marks JOIN join_marks(b_marks, COLUMNS, words);                          \
          for (; left; left &= left - 1) {                                                         \
            const uint64_t k = (uint64_t)__builtin_ctzll(left);                                    \
            V w = v_set(weight[k]), x[VECTORS];                                                    \
            UNROLL for (int v = 0; v < VECTORS; ++v) x[v] = v_load(a + k * ROWS + v * GG_LANES);   \
            UNROLL for (int c = 0; c < COLUMNS; ++c) {                                             \
              V y = v_set(b[k * COLUMNS + c]);                                                     \
              UNROLL for (int v = 0; v < VECTORS; ++v) name##_step(x[v], y, w, &run, s[c][v]);     \
            }                                                                                      \
          }                                                                                        \
          if (k0 + GG_MARKED_RUN >= tile->m) {                                                     \
            real *out = (real *)tile->out + i + j * tile->rows;                                    \
            UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)      \
                v_store(out + c * tile->rows + v * GG_LANES, name##_finish(s[c][v], &run));        \
          } else {                                                                                 \
            UNROLL for (int c = 0; c < COLUMNS; ++c) UNROLL for (int v = 0; v < VECTORS; ++v)      \
                UNROLL for (int q = 0; q < (SUMS); ++q) v_store(                                   \
                    (real *)tile->sums + kept + ((c * VECTORS + v) * (SUMS) + q) * GG_LANES,       \
                    s[c][v][q]);                                                                   \
          }                                                                                        \
          kept += BLOCK;                                                                           \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

/* Returns the marks of some coordinates, at most 64, of GG_MARKED_POINTS points. */
static uint64_t mark_word(const real *z, int64_t coordinates) {
  uint64_t marks = 0;
  for (int64_t k = 0; k < coordinates; ++k, z += PANEL) {
    unsigned marked = 0;
    for (int i = 0; i < GG_MARKED_POINTS; ++i)
      marked |= z[i] != 0;
    marks |= (uint64_t)marked << k;
  }
  return marks;
}

/* Moves a segment of `values` values to `to`, which is not behind it, squeezed if that makes it
   smaller. Sets its count, or GG_NOT_SQUEEZED, and returns its end, in whole values. */
static real *squeeze_segment(const real *segment, int64_t values, real *to, uint64_t *count) {
  uint16_t position[GG_MARKED_RUN * PANEL];
  const uint64_t in_value = sizeof *to / sizeof *position;
  uint64_t kept = 0;
  for (int64_t e = 0; e < values; ++e)
    kept += segment[e] != 0;
  const uint64_t squeezed = kept + (kept + in_value - 1) / in_value;
  if (squeezed >= (uint64_t)values) {
    memmove(to, segment, (size_t)values * sizeof *to);
    *count = GG_NOT_SQUEEZED;
    return to + values;
  }
  kept = 0;
  for (int64_t e = 0; e < values; ++e) {
    const real value = segment[e];
    to[kept] = value;
    position[kept] = (uint16_t)e;
    kept += value != 0;
  }
  memcpy(to + kept, position, kept * sizeof *position);
  *count = kept;
  return to + squeezed;
}

/* Writes the marks of a panel. If fewer than the part `most` of them are set, keeps only the values
   that are not 0, and returns true. */
static bool squeeze_panel(void *panel, int64_t m, double most, uint64_t *marks) {
  const int64_t words = gg_mark_words(m);
  int64_t set = 0;
  real *z = panel;
  for (int64_t i = 0; i < PANEL; i += GG_MARKED_POINTS)
    for (int64_t k = 0; k < m; k += GG_MARKED_RUN, ++marks) {
      *marks = mark_word(z + k * PANEL + i, m - k < GG_MARKED_RUN ? m - k : GG_MARKED_RUN);
      set += __builtin_popcountll(*marks);
    }
  const bool squeezes = (double)set < most * (double)(PANEL / GG_MARKED_POINTS * m);
  real *to = z;
  for (int64_t word = 0; word < words; ++word) {
    const int64_t k = word * GG_MARKED_RUN, rest = m - k;
    const int64_t values = PANEL * (rest < GG_MARKED_RUN ? rest : GG_MARKED_RUN);
    const uint64_t start = (uint64_t)(squeezes ? to - z : k * PANEL);
    uint64_t count = GG_NOT_SQUEEZED;
    if (squeezes) to = squeeze_segment(z + k * PANEL, values, to, &count);
    marks[word] = start << GG_COUNT_BITS | count;
  }
  return squeezes;
}

/* clang-format off */
GG_STEPS_ANY(KERNEL)
#if !defined(GG_SINGLE)
GG_STEPS_DOUBLE(KERNEL)
#endif
GG_STEPS_MARKED_ANY(MARKED_KERNEL)
#if !defined(GG_SINGLE)
GG_STEPS_MARKED_DOUBLE(MARKED_KERNEL)
#endif
/* clang-format on */

/* --- near pairs of step product --------------------------------------------------------------- */

/* True if some of the pairs of two panels, at `out`, are near. The panels are the same points if
   `diagonal`: a point and itself do not count, but get distance 0. */
VFN bool any_near(real *out, int64_t ld, bool diagonal) {
  bool any = false;
  for (int64_t c = 0; c < PANEL; ++c, out += ld)
    for (int64_t i = diagonal ? c / GG_LANES * GG_LANES : 0; i < PANEL; i += GG_LANES) {
      unsigned near = m_any(is_near(v_load(out + i))) ? m_bits(is_near(v_load(out + i))) : 0;
      if (diagonal && i <= c) {
        if (near & 1u << (c - i)) out[c] = 0;
        near &= ~0u << (c - i) << 1;
      }
      any = any || near;
    }
  return any;
}

/* Writes the distances of near pairs of two panels, whose squared differences are at `squares`. */
VFN void put_near(const real *squares, real *out, int64_t ld) {
  for (int64_t c = 0; c < PANEL; ++c, out += ld, squares += PANEL)
    for (int64_t i = 0; i < PANEL; i += GG_LANES) {
      V value = v_load(out + i);
      v_store(out + i, v_select(is_near(value), near_distance(v_load(squares + i)), value));
    }
}

/* Computes near pairs of step product again, panel by panel, in a finished tile. */
GG_TARGET static void refine_near(const gg_cpu_tile *tile) {
  real squares[PANEL * PANEL];
  const int64_t words = (PANEL / GG_MARKED_POINTS + 1) * gg_mark_words(tile->m);
  gg_cpu_tile part = *tile;
  part.rows = part.columns = PANEL;
  part.diagonal = false;
  part.finish = GG_FINISH_SQUARED;
  part.out = squares;
  for (int64_t j = 0; j < tile->columns; j += PANEL)
    for (int64_t i = tile->diagonal ? j : 0; i < tile->rows; i += PANEL) {
      real *out = (real *)tile->out + i + j * tile->rows;
      if (!any_near(out, tile->rows, tile->diagonal && i == j)) continue;
      part.a = (const real *)tile->a + i * tile->m;
      part.b = (const real *)tile->b + j * tile->m;
      if (tile->a_marks) {
        part.a_marks = tile->a_marks + i / PANEL * words;
        part.b_marks = tile->b_marks + j / PANEL * words;
      }
      (tile->a_marks ? euclidean_marked : euclidean_tile)(&part);
      put_near(squares, out, tile->rows);
    }
}

#if !defined(GG_SINGLE)
/* Prepares the points of one panel in place. */
GG_TARGET static void prepare_panel(double *z, int64_t m, gg_prepare what, const double *centre,
                                    const double *factor, int64_t stride) {
  for (int64_t lane = 0; lane < stride; lane += GG_LANES) {
    double *first = z + lane;
    switch (what) {
    case GG_PREPARE_NOTHING:
      break;
    case GG_PREPARE_BINARY:
      prepare_binary(first, stride, m);
      break;
    case GG_PREPARE_MAGNITUDE:
      prepare_magnitude(first, stride, m);
      break;
    case GG_PREPARE_UNIT:
      prepare_unit(first, stride, m);
      break;
    case GG_PREPARE_CENTRED:
      prepare_centred(first, stride, m);
      break;
    case GG_PREPARE_WHITENED:
      prepare_whitened(first, stride, m, centre, factor);
      break;
    case GG_PREPARE_SCALED:
      prepare_scaled(first, stride, m, centre, factor);
      break;
    }
  }
}
#endif

#if !defined(GG_SINGLE)
GG_TARGET static int64_t select_values(const double *value, int64_t first, int64_t end,
                                       double limit, const double *limits, int32_t *positions) {
  const V most = v_set(limit);
  int64_t count = 0;
  for (int64_t i = first / GG_LANES * GG_LANES; i < end; i += GG_LANES) {
    const V v = v_load(value + i);
    M pass = m_not(v_lt(most, v));
    if (limits) pass = m_or(pass, m_not(v_lt(v_load(limits + i), v)));
    if (!m_any(pass)) continue;
    for (unsigned bits = m_bits(pass); bits; bits &= bits - 1) {
      const int64_t position = i + __builtin_ctz(bits);
      if (position >= first && position < end) positions[count++] = (int32_t)position;
    }
  }
  return count;
}
#endif

#define ENTRY(name, sums)              [GG_STEP_##name] = name##_tile,
#define MARKED_ENTRY(name, sums, join) [GG_STEP_##name] = name##_marked,
const gg_cpu_kernels KERNELS = {
    .panel = PANEL,
    .run = RUN,
    .squeeze = squeeze_panel,
    .refine = refine_near,
#if defined(GG_SINGLE)
    .prepare = NULL,
    .tile = {GG_STEPS_ANY(ENTRY)},
    .marked_tile = {GG_STEPS_MARKED_ANY(MARKED_ENTRY)},
    .select = NULL,
#else
    .prepare = prepare_panel,
    .tile = {GG_STEPS_ANY(ENTRY) GG_STEPS_DOUBLE(ENTRY)},
    .marked_tile = {GG_STEPS_MARKED_ANY(MARKED_ENTRY) GG_STEPS_MARKED_DOUBLE(MARKED_ENTRY)},
    .select = select_values,
#endif
};
