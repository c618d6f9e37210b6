/* Texts as numbers of their letters. */
#ifndef GG_TEXT_CODES_H
#define GG_TEXT_CODES_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

/* Letters of all texts, numbered from 0 in the order in which they appear. Text i has the codes
   start[i] to start[i + 1] - 1. */
typedef struct gg_text_codes {
  int64_t count;
  int64_t *start;
  uint32_t *codes;
  bool *missing;
  int64_t longest;
} gg_text_codes;

/* The numbers of letters, which several texts can share. */
typedef struct gg_alphabet {
  uint32_t *number; /* of each code point its number + 1; 0: none yet */
  uint32_t letters;
} gg_alphabet;

/* Checks the number of texts, whose argument is `name` in messages. */
gpugeo_status gg_texts_check(const char *name, const gpugeo_texts *texts, gg_call *call);

/* Returns the bytes of a text; 0 for a missing one. */
int64_t gg_text_bytes(const gpugeo_texts *texts, int64_t i);

/* Allocates an alphabet without letters. To be freed by gg_free(alphabet->number). */
gpugeo_status gg_alphabet_make(gg_alphabet *alphabet, gg_call *call);

/* Reads texts, whose argument is `name` in messages. To be freed by gg_text_codes_free(), also
   after a failure. */
gpugeo_status gg_text_codes_make(const gpugeo_texts *texts, const char *name, bool use_bytes,
                                 gg_alphabet *alphabet, gg_text_codes *made, gg_call *call);
void gg_text_codes_free(gg_text_codes *made);

/* Returns the number of letters of a text. */
static inline int64_t gg_text_length(const gg_text_codes *texts, int64_t i) {
  return texts->start[i + 1] - texts->start[i];
}

#endif
