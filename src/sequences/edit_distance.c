/*
 * Edit distances by bit vectors: Myers (1999), J. ACM 46, 395, in the form of Hyyro (2003), A
 * bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nord. J. Comput. 10,
 * 29, also with exchanges of neighbours. Rows of the matrix of distances are the letters of the
 * pattern, 64 to a word; a column takes about 15 operations for each word. Bits of a word carry to
 * the next one.
 */
#include "sequences/edit_distance.h"

#include <string.h>

#include "common/inline.h"
#include "common/memory.h"

gpugeo_status gg_edit_pattern_make(gg_edit_pattern *pattern, int64_t longest, uint32_t letters,
                                   gg_call *call) {
  *pattern = (gg_edit_pattern){.most_words = (longest + 63) / 64};
  const int64_t masks = pattern->most_words * letters;
  pattern->word = gg_call_allocate(call, pattern->most_words + 1, sizeof *pattern->word);
  pattern->masks = gg_call_allocate(call, masks + 1, sizeof *pattern->masks);
  if (pattern->masks) memset(pattern->masks, 0, (size_t)masks * sizeof *pattern->masks);
  return call->status;
}

void gg_edit_pattern_free(gg_edit_pattern *pattern) {
  gg_free(pattern->word);
  gg_free(pattern->masks);
}

void gg_edit_pattern_set(gg_edit_pattern *pattern, const uint32_t *codes, int64_t length) {
  for (int64_t k = 0; k < pattern->length; ++k)
    pattern->masks[pattern->codes[k] * pattern->most_words + k / 64] = 0;
  pattern->codes = codes;
  pattern->length = length;
  pattern->words = (length + 63) / 64;
  for (int64_t k = 0; k < length; ++k)
    pattern->masks[codes[k] * pattern->most_words + k / 64] |= (uint64_t)1 << (k % 64);
}

/* What a word hands on to the next one: the last bits of differences between columns, and whether
   the letters of its last row and of the column are the first of an exchange. */
typedef struct carry {
  uint64_t more, less, exchange;
} carry;

/* Takes a column in the rows of a word. Returns the change of the distance in row `last`. */
GG_INLINE int step_word(gg_edit_word *word, uint64_t equal, bool exchanges, carry *c, int last) {
  const uint64_t first = ~word->diagonal & equal;
  const uint64_t exchanged = exchanges ? (first << 1 | c->exchange) & word->equal : 0;
  const uint64_t x = equal | c->less, more = word->more, less = word->less;
  const uint64_t diagonal = (((x & more) + more) ^ more) | x | less | exchanged;
  uint64_t right_more = less | ~(diagonal | more), right_less = diagonal & more;
  const int change = (int)(right_more >> last & 1) - (int)(right_less >> last & 1);
  const carry next = {right_more >> 63, right_less >> 63, first >> 63};
  right_more = right_more << 1 | c->more;
  right_less = right_less << 1 | c->less;
  word->more = right_less | ~(diagonal | right_more);
  word->less = right_more & diagonal;
  word->diagonal = diagonal;
  word->equal = equal;
  *c = next;
  return change;
}

/* Returns the distance by columns, of a pattern of so many words. */
GG_INLINE int64_t count_edits(gg_edit_pattern *pattern, const uint32_t *codes, int64_t length,
                              int64_t words, bool exchanges) {
  const int last = (int)((pattern->length - 1) % 64);
  int64_t distance = pattern->length;
  for (int64_t w = 0; w < words; ++w)
    pattern->word[w] = (gg_edit_word){~(uint64_t)0, 0, 0, 0};
  for (int64_t j = 0; j < length; ++j) {
    const uint64_t *equal = pattern->masks + codes[j] * pattern->most_words;
    carry c = {1, 0, 0};
    int change = 0;
    for (int64_t w = 0; w < words; ++w)
      change = step_word(&pattern->word[w], equal[w], exchanges, &c, last);
    distance += change;
    if (distance - (length - 1 - j) > pattern->most)
      return -1; /* each column takes off 1 at most */
  }
  return distance;
}

/* Returns the number of letters that differ. */
static int64_t count_substitutions(const gg_edit_pattern *pattern, const uint32_t *codes) {
  int64_t differ = 0;
  for (int64_t k = 0; k < pattern->length; ++k)
    differ += pattern->codes[k] != codes[k];
  return differ <= pattern->most ? differ : -1;
}

int64_t gg_edit_distance(gg_edit_pattern *pattern, const uint32_t *codes, int64_t length) {
  const int64_t longer = length - pattern->length, apart = longer < 0 ? -longer : longer;
  const bool exchanges = pattern->method == GPUGEO_EDIT_METHOD_OSA;
  if (pattern->method == GPUGEO_EDIT_METHOD_HAMMING)
    return apart ? -1 : count_substitutions(pattern, codes);
  if (apart > pattern->most) return -1;
  if (pattern->length == 0) return length;
  if (pattern->words > 1) return count_edits(pattern, codes, length, pattern->words, exchanges);
  return exchanges ? count_edits(pattern, codes, length, 1, true)
                   : count_edits(pattern, codes, length, 1, false);
}
