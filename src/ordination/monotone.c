/*
 * Monotone regression by pooling of adjacent violators (Kruskal 1964b; Barlow et al. 1972). The
 * blocks are those of the lower convex hull of the sums of the first values (0, 1, ... of them): a
 * block's mean is the slope of its edge. A sum that is above a chord of two others is no vertex of
 * the hull. Therefore the sums at the ends of chunks are pooled first, and sums between them are
 * pooled only if they are below the hull of these.
 *
 * Pooling has branches that no processor foresees, O(1) of them for each value that is left; all
 * else takes O(values) without branches. A sum is never a difference of large ones: it is made of
 * sums within a chunk and sums of whole chunks.
 */
#include "ordination/monotone.h"

#include <string.h>

#include "common/context.h"
#include "common/memory.h"

enum {
  CHUNK = 64, /* values */
  AT_ONCE = 4 /* chunks whose sums are found at the same time, as an addition takes 4 cycles */
};

/* Returns the number of chunks, the last of which may be shorter. */
static int64_t chunks_of(int64_t count) { return (count + CHUNK - 1) / CHUNK; }

double gg_monotone_working(int64_t most) {
  return (double)most * (2 * sizeof(double) + sizeof(int32_t)) +
         (double)chunks_of(most) * (2 * sizeof(double) + sizeof(int32_t));
}

bool gg_monotone_allocate(gg_monotone *m, int64_t most) {
  const int64_t chunks = chunks_of(most);
  *m = (gg_monotone){.kernels = GG_SIMD_CHOOSE(const gg_nmds_kernels, gg_nmds_kernels),
                     .prefix = gg_allocate_large(most, sizeof *m->prefix),
                     .sum = gg_allocate_large(most, sizeof *m->sum),
                     .end = gg_allocate_large(most, sizeof *m->end),
                     .chunk = gg_allocate_large(chunks, sizeof *m->chunk),
                     .rise = gg_allocate_large(chunks, sizeof *m->rise),
                     .chunk_end = gg_allocate_large(chunks, sizeof *m->chunk_end)};
  return m->prefix && m->sum && m->end && m->chunk && m->rise && m->chunk_end;
}

void gg_monotone_free(gg_monotone *m) {
  gg_free(m->prefix);
  gg_free(m->sum);
  gg_free(m->end);
  gg_free(m->chunk);
  gg_free(m->rise);
  gg_free(m->chunk_end);
}

/* Writes the sums of AT_ONCE whole chunks from the given value on. */
static void add_whole_chunks(gg_monotone *m, const double *value, int64_t first) {
  double a = 0, b = 0, c = 0, d = 0, *prefix = m->prefix + first, *chunk = m->chunk + first / CHUNK;
  for (int64_t t = 0; t < CHUNK; ++t) {
    prefix[t] = a += value[first + t];
    prefix[CHUNK + t] = b += value[first + CHUNK + t];
    prefix[2 * CHUNK + t] = c += value[first + 2 * CHUNK + t];
    prefix[3 * CHUNK + t] = d += value[first + 3 * CHUNK + t];
  }
  chunk[0] = a, chunk[1] = b, chunk[2] = c, chunk[3] = d;
}

/* Writes the sums of all chunks. */
static void add_chunks(gg_monotone *m, const double *value, int64_t count) {
  int64_t t = 0;
  for (; count - t >= AT_ONCE * CHUNK; t += AT_ONCE * CHUNK)
    add_whole_chunks(m, value, t);
  for (; t < count; ++t)
    m->chunk[t / CHUNK] = m->prefix[t] = value[t] + (t % CHUNK > 0 ? m->prefix[t - 1] : 0);
}

/* Returns the sum of the values from `first` to before `end`. */
static inline double sum_between(const gg_monotone *m, int64_t first, int64_t end) {
  double sum = first % CHUNK > 0 ? -m->prefix[first - 1] : 0;
  for (int64_t c = first / CHUNK; c < end / CHUNK; ++c)
    sum += m->chunk[c];
  return end % CHUNK > 0 ? sum + m->prefix[end - 1] : sum;
}

/* Pools `count` parts, given by their ascending ends, into blocks of rising means. Overwrites the
   ends by those of the blocks, and writes their sums. Returns the number of blocks. */
static int64_t pool(const gg_monotone *m, int32_t *end, double *block_sum, int64_t count) {
  int64_t blocks = 0, last = 0, begin = 0; /* of the last block: end and begin; not yet stored */
  double sum = 0;
  for (int64_t part = 0; part < count; last = end[part++]) {
    const double next = sum_between(m, last, end[part]);
    if (next * (double)(last - begin) > sum * (double)(end[part] - last)) {
      block_sum[blocks] = sum;
      end[blocks++] = (int32_t)last;
      begin = last;
      sum = next;
      continue;
    }
    sum += next;
    while (blocks > 0) {
      const int64_t before = blocks > 1 ? end[blocks - 2] : 0;
      if (block_sum[blocks - 1] * (double)(end[part] - begin) < sum * (double)(begin - before))
        break;
      sum += block_sum[--blocks];
      begin = before;
    }
  }
  block_sum[blocks] = sum;
  end[blocks] = (int32_t)last;
  return blocks + 1;
}

/* Lists the ends of parts of a block of chunks: where the sum is below the block's chord, and the
   block's end. Returns the end of the list. */
static int32_t *list_parts(const gg_monotone *m, int64_t first, int64_t end, double slope,
                           int32_t *list) {
  double chord = 0; /* at the begin of a chunk, less the sum of the values before it */
  for (int64_t at = first; at < end; at += CHUNK) {
    const int64_t count = at + CHUNK < end ? CHUNK : end - at - 1;
    list = m->kernels->below(m->prefix + at, count, chord, slope, (int32_t)at, list);
    chord += slope * CHUNK - m->chunk[at / CHUNK];
  }
  *list = (int32_t)end;
  return list + 1;
}

/* Writes the ends of parts: those at which a block may end. Returns their number. */
static int64_t find_parts(gg_monotone *m, int64_t count) {
  const int64_t chunks = chunks_of(count);
  for (int64_t c = 0; c < chunks; ++c)
    m->chunk_end[c] = (int32_t)(c + 1 < chunks ? (c + 1) * CHUNK : count);
  const int64_t blocks = pool(m, m->chunk_end, m->rise, chunks);
  int32_t *list = m->end;
  for (int64_t block = 0, first = 0; block < blocks; first = m->chunk_end[block++]) {
    const int64_t end = m->chunk_end[block];
    list = list_parts(m, first, end, m->rise[block] / (double)(end - first), list);
  }
  return list - m->end;
}

int64_t gg_monotone_pool(gg_monotone *m, const double *value, int64_t count,
                         const int32_t *group_end, int64_t groups) {
  add_chunks(m, value, count);
  if (group_end)
    memcpy(m->end, group_end, (size_t)groups * sizeof *m->end);
  else
    groups = find_parts(m, count);
  return pool(m, m->end, m->sum, groups);
}
