/* An index of texts by what is left of them after deletions. */
#ifndef GG_EDIT_INDEX_H
#define GG_EDIT_INDEX_H

#include "sequences/text_codes.h"

enum { GG_EDIT_INDEX_MOST = 4 /* deletions */ };

/* A text, and 32 bits of the hash of one of its variants. */
typedef struct gg_edit_entry {
  uint32_t rest;
  int32_t text;
} gg_edit_entry;

/* Entries in buckets by the first bits of their hashes. */
typedef struct gg_edit_index {
  const gg_text_codes *texts;
  int deletions, bits;
  int64_t *first; /* of each bucket */
  gg_edit_entry *entries;
} gg_edit_index;

/* Returns the most variants that texts have by up to so many deletions, each text itself among
   them. */
double gg_edit_variants(const gg_text_codes *texts, int deletions);

/* Returns the bytes of an index of so many variants. */
double gg_edit_index_bytes(double variants);

/* Makes an index of texts, which are borrowed. To be freed by gg_edit_index_free(), also after a
   failure. */
gpugeo_status gg_edit_index_make(gg_edit_index *index, const gg_text_codes *texts, int deletions,
                                 gg_call *call);
void gg_edit_index_free(gg_edit_index *index);

/* Hands on each text that may become the given one by as many deletions from both, some of them
   several times, and others as well. room: length + 1 numbers. */
void gg_edit_index_find(const gg_edit_index *index, const uint32_t *codes, int64_t length,
                        uint64_t *room, void (*take)(void *own, int32_t text), void *own);

#endif
