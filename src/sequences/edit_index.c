/*
 * Deletion neighbourhoods (Mor and Fraenkel 1982, Commun. ACM 25, 935): texts at an edit distance
 * of k have a common variant by at most k deletions from each. A substitution and an exchange
 * delete one letter from both, an insertion one from one of both. Variants are found by their
 * hashes, so that some texts are handed on that are no neighbours, but no neighbour is left out.
 *
 * A text of m letters has at most m^k / k! + ... variants, of which each takes O(1): the hash of a
 * text is a polynomial, which those of its parts make up.
 */
#include "sequences/edit_index.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/random.h"

static const uint64_t base = GG_RANDOM_STEP; /* of the polynomial; odd */

/* Returns the coefficient of a letter. */
static uint64_t coefficient(uint32_t code) { return gg_random_mix(code + base); }

/* What variants of a text are handed to. */
typedef struct variants {
  const uint32_t *codes;
  int64_t length;
  const uint64_t *rest; /* hashes of the text from each letter on */
  void (*take)(void *own, uint64_t hash);
  void *own;
} variants;

/* Hands on the variants that begin with a text of hash `begun` and go on with letters from `from`
   on, of which up to `left` are deleted. power: base to the number of letters of that text. Calls
   itself for each deletion, at most GG_EDIT_INDEX_MOST times within each other. */
static void take_variants(const variants *v, uint64_t begun, uint64_t power, int64_t from,
                          int left) {
  v->take(v->own, gg_random_mix(begun + power * v->rest[from]));
  if (left == 0) return;
  for (int64_t k = from; k < v->length; ++k) {
    /* Deleting any one of equal neighbours makes the same variant. */
    if (k == from || v->codes[k] != v->codes[k - 1])
      take_variants(v, begun, power, k + 1, left - 1);
    begun += power * coefficient(v->codes[k]);
    power *= base;
  }
}

/* Hands on all variants of a text. */
static void take_all(const uint32_t *codes, int64_t length, int deletions, uint64_t *room,
                     void (*take)(void *own, uint64_t hash), void *own) {
  room[length] = 0;
  for (int64_t k = length - 1; k >= 0; --k)
    room[k] = coefficient(codes[k]) + base * room[k + 1];
  const variants v = {codes, length, room, take, own};
  take_variants(&v, 0, 1, 0, deletions);
}

double gg_edit_variants(const gg_text_codes *texts, int deletions) {
  double all = 0;
  for (int64_t i = 0; i < texts->count; ++i) {
    const double length = (double)gg_text_length(texts, i);
    double chosen = 1;
    for (int k = 0; k <= deletions && chosen > 0; ++k) {
      all += chosen;
      chosen *= (length - k) / (k + 1);
    }
  }
  return all;
}

double gg_edit_index_bytes(double variants) { return 8 * variants + 8 * (variants / 4 + 4); }

/* Filling an index. */
typedef struct filling {
  gg_edit_index *index;
  int32_t text;
} filling;

/* Returns the bucket of a hash. */
static int64_t bucket_of(const gg_edit_index *index, uint64_t hash) {
  return (int64_t)(hash >> (64 - index->bits));
}

/* Counts a variant. */
static void count_variant(void *own, uint64_t hash) {
  const filling *f = own;
  ++f->index->first[bucket_of(f->index, hash) + 2];
}

/* Adds a variant. */
static void add_variant(void *own, uint64_t hash) {
  const filling *f = own;
  const int64_t at = f->index->first[bucket_of(f->index, hash) + 1]++;
  f->index->entries[at] = (gg_edit_entry){(uint32_t)hash, f->text};
}

/* Hands on the variants of all texts. */
static gpugeo_status for_texts(gg_edit_index *index, void (*take)(void *own, uint64_t hash),
                               uint64_t *room, gg_call *call) {
  const gg_text_codes *texts = index->texts;
  for (int64_t i = 0; i < texts->count && !call->status; ++i) {
    if (gg_clock_poll_loop(call->clock, i)) return call->status = gg_fail_interrupt(call->error);
    filling f = {index, (int32_t)i};
    if (!texts->missing[i])
      take_all(texts->codes + texts->start[i], gg_text_length(texts, i), index->deletions, room,
               take, &f);
  }
  return call->status;
}

/* Adds up the sizes of the buckets. Returns the number of entries. */
static int64_t sum_buckets(gg_edit_index *index) {
  const int64_t buckets = (int64_t)1 << index->bits;
  for (int64_t b = 2; b < buckets + 2; ++b)
    index->first[b] += index->first[b - 1];
  return index->first[buckets + 1];
}

gpugeo_status gg_edit_index_make(gg_edit_index *index, const gg_text_codes *texts, int deletions,
                                 gg_call *call) {
  *index = (gg_edit_index){.texts = texts, .deletions = deletions, .bits = 1};
  if (call->status) return call->status;
  const double variants = gg_edit_variants(texts, deletions);
  while (index->bits < 40 && (double)((int64_t)8 << index->bits) < variants)
    ++index->bits; /* 4 to 8 entries a bucket */
  const int64_t buckets = (int64_t)1 << index->bits;
  uint64_t *room = gg_call_allocate(call, texts->longest + 1, sizeof *room);
  index->first = gg_call_allocate(call, buckets + 2, sizeof *index->first);
  if (index->first) memset(index->first, 0, (size_t)(buckets + 2) * sizeof *index->first);
  for_texts(index, count_variant, room, call);
  if (!call->status)
    index->entries = gg_call_allocate(call, sum_buckets(index) + 1, sizeof *index->entries);
  for_texts(index, add_variant, room, call);
  gg_free(room);
  return call->status;
}

void gg_edit_index_free(gg_edit_index *index) {
  gg_free(index->first);
  gg_free(index->entries);
}

/* A search. */
typedef struct search {
  const gg_edit_index *index;
  void (*take)(void *own, int32_t text);
  void *own;
} search;

/* Hands on the texts that have a variant. */
static void find_variant(void *own, uint64_t hash) {
  const search *s = own;
  const int64_t bucket = bucket_of(s->index, hash);
  for (int64_t e = s->index->first[bucket]; e < s->index->first[bucket + 1]; ++e)
    if (s->index->entries[e].rest == (uint32_t)hash) s->take(s->own, s->index->entries[e].text);
}

void gg_edit_index_find(const gg_edit_index *index, const uint32_t *codes, int64_t length,
                        uint64_t *room, void (*take)(void *own, int32_t text), void *own) {
  search s = {index, take, own};
  take_all(codes, length, index->deletions, room, find_variant, &s);
}
