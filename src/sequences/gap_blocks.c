#include "sequences/gap_blocks.h"

#include <stdbool.h>

#include "common/memory.h"

/* True if a site is a gap. */
static bool is_gap(const uint64_t *bits, int64_t site) {
  return bits[site / 64] >> (site % 64) & 1;
}

/* Writes the blocks of a sequence unless `blocks` is NULL, and returns their number. */
static int64_t list_blocks(const gg_site_planes *planes, int64_t sequence, gg_gap_block *blocks) {
  const uint64_t *bits = gg_site_planes_of(planes, sequence);
  int64_t count = 0;
  for (int64_t site = 0; site < planes->sites;) {
    const int64_t first = site;
    if (site % 64 == 0 && !bits[site / 64]) {
      site += 64;
      continue;
    }
    while (site < planes->sites && is_gap(bits, site))
      ++site;
    if (site > first && blocks) blocks[count] = (gg_gap_block){first, site - first};
    count += site > first;
    site += site == first;
  }
  return count;
}

gpugeo_status gg_gap_blocks_find(const gg_site_planes *planes, gg_gap_blocks *gaps, gg_call *call) {
  *gaps = (gg_gap_blocks){0};
  gaps->start = gg_call_allocate(call, planes->count + 1, sizeof *gaps->start);
  if (!gaps->start) return call->status;
  gaps->start[0] = 0;
  for (int64_t i = 0; i < planes->count; ++i) {
    if (gg_call_poll(call, 0.2)) return call->status;
    gaps->start[i + 1] = gaps->start[i] + list_blocks(planes, i, NULL);
  }
  gaps->blocks = gg_call_allocate(call, gaps->start[planes->count] + 1, sizeof *gaps->blocks);
  for (int64_t i = 0; gaps->blocks && i < planes->count; ++i)
    list_blocks(planes, i, gaps->blocks + gaps->start[i]);
  return call->status;
}

void gg_gap_blocks_free(gg_gap_blocks *gaps) {
  gg_free(gaps->start);
  gg_free(gaps->blocks);
}

int64_t gg_gap_blocks_differ(const gg_gap_blocks *gaps, int64_t i, int64_t j) {
  const gg_gap_block *a = gaps->blocks + gaps->start[i], *b = gaps->blocks + gaps->start[j];
  const gg_gap_block *a_end = gaps->blocks + gaps->start[i + 1];
  const gg_gap_block *b_end = gaps->blocks + gaps->start[j + 1];
  int64_t differ = (a_end - a) + (b_end - b);
  while (a < a_end && b < b_end) {
    if (a->first == b->first && a->length == b->length) differ -= 2;
    const bool next_a = a->first <= b->first, next_b = b->first <= a->first;
    a += next_a;
    b += next_b;
  }
  return differ;
}
