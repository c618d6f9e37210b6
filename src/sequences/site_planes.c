#include "sequences/site_planes.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "sequences/dna_codes.h"

/* Sites of a range of the loop that finds facts: its marks are in the first cache. */
enum { RANGE_SITES = 1 << 12 };

/* Numbers of each code, in cache lines of a thread's own. */
typedef struct histogram {
  _Alignas(64) int64_t of[256];
} histogram;

/* The loop that finds facts. */
typedef struct survey {
  const gg_alignment *x;
  histogram *found; /* for each thread */
  uint8_t *known;   /* of each site: GG_CODE_KNOWN if all bases are known */
} survey;

/* Counts the codes of a block of sites, and finds those that all sequences know. The inner loop
   runs over what lies together in memory. */
static void survey_block(const survey *s, int64_t first, int64_t last, int64_t *found) {
  const gg_alignment *x = s->x;
  memset(s->known + first, GG_CODE_KNOWN, (size_t)(last - first));
  if (x->step == 1) {
    for (int64_t i = 0; i < x->count; ++i)
      for (int64_t k = first; k < last; ++k) {
        const uint8_t code = x->codes[i * x->next + k];
        s->known[k] &= code;
        ++found[code];
      }
    return;
  }
  for (int64_t k = first; k < last; ++k)
    for (int64_t i = 0; i < x->count; ++i) {
      const uint8_t code = x->codes[i * x->next + k * x->step];
      s->known[k] &= code;
      ++found[code];
    }
}

/* Surveys blocks of sites; the loop's work. */
static void survey_blocks(void *job, gg_range range) {
  const survey *s = job;
  for (int64_t block = range.first; block < range.last; ++block) {
    const int64_t first = block * RANGE_SITES, end = first + RANGE_SITES;
    survey_block(s, first, end < s->x->sites ? end : s->x->sites, s->found[range.worker].of);
  }
}

/* Adds up what the threads have counted. */
static void sum_bases(const histogram *found, int32_t threads, int64_t bases[4]) {
  static const uint8_t code[] = {GG_CODE_A, GG_CODE_C, GG_CODE_G, GG_CODE_T};
  for (int b = 0; b < 4; ++b) {
    bases[b] = 0;
    for (int32_t t = 0; t < threads; ++t)
      bases[b] += found[t].of[code[b]];
  }
}

/* Lists the sites that all sequences know. */
static gpugeo_status list_known(const survey *s, gg_site_facts *facts, gg_call *call) {
  int64_t count = 0;
  for (int64_t k = 0; k < s->x->sites; ++k)
    count += s->known[k] != 0;
  facts->kept = gg_call_allocate(call, count + 1, sizeof *facts->kept);
  if (!facts->kept) return call->status;
  for (int64_t k = 0; k < s->x->sites; ++k)
    if (s->known[k]) facts->kept[facts->kept_count++] = k;
  return GPUGEO_OK;
}

gpugeo_status gg_site_facts_find(const gg_alignment *x, int32_t threads, gg_site_facts *facts,
                                 gg_call *call) {
  *facts = (gg_site_facts){0};
  if (call->status) return call->status;
  survey s = {.x = x};
  s.found = gg_allocate_zeros(threads, sizeof *s.found);
  s.known = gg_call_allocate(call, x->sites + 1, 1);
  if (!s.found && !call->status)
    call->status = gg_fail_memory(call->error, threads * (int64_t)sizeof *s.found);
  const gg_loop loop = {.threads = threads,
                        .count = (x->sites + RANGE_SITES - 1) / RANGE_SITES,
                        .grain = 1,
                        .work = survey_blocks,
                        .job = &s,
                        .share = 0.1};
  if (!call->status && !gg_call_loop(call, loop)) {
    sum_bases(s.found, threads, facts->bases);
    list_known(&s, facts, call);
  }
  gg_free(s.found);
  gg_free(s.known);
  return call->status;
}

/* --- Packing ---------------------------------------------------------------------------------- */

/* Sequences of a range of the loop that packs: of a matrix, whose sequences are rows, each cache
   line is then read once. */
enum { RANGE_SEQUENCES = 64 };

/* The loop that packs. */
typedef struct packing {
  const gg_alignment *x;
  const int64_t *kept; /* NULL: all sites */
  bool gaps;
  const gg_site_planes *planes;
  const uint8_t *codes; /* four of them; NULL: bases or gaps */
} packing;

/* Returns bit 0 of each of 8 bytes, those of the first byte lowest. */
static uint64_t gather_bits(uint64_t bytes) {
  return ((bytes & 0x0101010101010101) * 0x0102040810204080) >> 56;
}

/* Copies the codes of 64 sites of a sequence, or of the last ones and 0 for the others. */
static void copy_codes(const packing *p, int64_t sequence, int64_t word, uint8_t to[64]) {
  const uint8_t *codes = p->x->codes + sequence * p->x->next;
  const int64_t first = 64 * word, left = p->planes->sites - first;
  const int64_t count = left < 0 ? 0 : left < 64 ? left : 64;
  if (count < 64) memset(to, 0, 64);
  if (!p->kept && p->x->step == 1) {
    memcpy(to, codes + first, (size_t)count);
    return;
  }
  for (int64_t k = 0; k < count; ++k)
    to[k] = codes[(p->kept ? p->kept[first + k] : first + k) * p->x->step];
}

/* Bits of 8 or more sites. */
typedef struct site_bits {
  uint64_t high, low, known;
} site_bits;

/* Returns the bits of the bases of 8 sites. */
static site_bits bits_of_bases(uint64_t c) {
  return (site_bits){gather_bits(c >> 3 & ~(c >> 6 | c >> 7)),
                     gather_bits(c >> 3 & (c >> 4 | c >> 6)), gather_bits(c >> 3)};
}

/* Returns the bits of 8 bytes that are a code. */
static uint64_t find_code(uint64_t bytes, uint8_t code) {
  const uint64_t ones = 0x0101010101010101, others = bytes ^ ones * code;
  return gather_bits(~(((others & ones * 0x7f) + ones * 0x7f) | others) >> 7);
}

/* Returns the bits of 8 sites by four codes. */
static site_bits bits_of_codes(uint64_t c, const uint8_t codes[4]) {
  site_bits bits = {0};
  for (int k = 0; k < 4; ++k) {
    const uint64_t found = find_code(c, codes[k]);
    bits.known |= found;
    if (k & 2) bits.high |= found;
    if (k & 1) bits.low |= found;
  }
  return bits;
}

/* Packs 64 sites of a sequence, 8 codes at a time. */
static void pack_word(const packing *p, int64_t sequence, int64_t word) {
  uint8_t codes[64];
  uint64_t *to = p->planes->bits + sequence * GG_PLANES * p->planes->words + word;
  site_bits all = {0};
  copy_codes(p, sequence, word, codes);
  for (int k = 0; k < 64; k += 8) {
    uint64_t c;
    memcpy(&c, codes + k, sizeof c);
    const site_bits bits = p->gaps    ? (site_bits){find_code(c, GG_CODE_GAP), 0, 0}
                           : p->codes ? bits_of_codes(c, p->codes)
                                      : bits_of_bases(c);
    all.high |= bits.high << k;
    all.low |= bits.low << k;
    all.known |= bits.known << k;
  }
  to[GG_PLANE_HIGH * p->planes->words] = all.high;
  to[GG_PLANE_LOW * p->planes->words] = all.low;
  to[GG_PLANE_KNOWN * p->planes->words] = all.known;
}

/* Packs blocks of sequences, in the order in which their codes lie in memory; the loop's work. */
static void pack_blocks(void *job, gg_range range) {
  const packing *p = job;
  const int64_t words = p->planes->words;
  for (int64_t block = range.first; block < range.last; ++block) {
    const int64_t first = block * RANGE_SEQUENCES, left = p->x->count - first;
    const int64_t count = left < RANGE_SEQUENCES ? left : RANGE_SEQUENCES;
    for (int64_t k = 0; k < count * words; ++k)
      if (p->x->step == 1)
        pack_word(p, first + k / words, k % words);
      else
        pack_word(p, first + k % count, k / count);
  }
}

int64_t gg_site_planes_words(int64_t sites) {
  const int64_t lines = (sites + 64 * GG_PLANE_WORDS - 1) / (64 * GG_PLANE_WORDS);
  return GG_PLANE_WORDS * (lines | (lines > 0));
}

double gg_site_planes_bytes(int64_t count, int64_t sites) {
  return 8.0 * GG_PLANES * (double)count * (double)gg_site_planes_words(sites);
}

/* Packs sequences as `p` says, whose planes have their sites. */
static gpugeo_status pack(packing *p, int32_t threads, gg_site_planes *planes, gg_call *call) {
  if (call->status) return call->status;
  planes->words = gg_site_planes_words(planes->sites);
  const int64_t words = planes->count * GG_PLANES * planes->words;
  planes->bits = gg_call_allocate(call, words + 1, sizeof *planes->bits);
  if (!planes->bits) return call->status;
  gg_prefer_huge_pages(planes->bits, words * (int64_t)sizeof *planes->bits);
  p->planes = planes;
  const gg_loop loop = {.threads = threads,
                        .count = (planes->count + RANGE_SEQUENCES - 1) / RANGE_SEQUENCES,
                        .grain = 1,
                        .work = pack_blocks,
                        .job = p,
                        .begun = 0.1,
                        .share = 0.1};
  return gg_call_loop(call, loop);
}

gpugeo_status gg_site_planes_make(const gg_alignment *x, const gg_site_facts *kept, bool gaps,
                                  int32_t threads, gg_site_planes *planes, gg_call *call) {
  *planes = (gg_site_planes){.count = x->count, .sites = kept ? kept->kept_count : x->sites};
  packing p = {.x = x, .kept = kept ? kept->kept : NULL, .gaps = gaps};
  return pack(&p, threads, planes, call);
}

gpugeo_status gg_site_planes_of_codes(const gg_alignment *x, const uint8_t codes[4],
                                      int32_t threads, gg_site_planes *planes, gg_call *call) {
  *planes = (gg_site_planes){.count = x->count, .sites = x->sites};
  packing p = {.x = x, .codes = codes};
  return pack(&p, threads, planes, call);
}
