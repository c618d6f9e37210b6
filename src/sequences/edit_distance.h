/* Edit distances of one text to others. */
#ifndef GG_EDIT_DISTANCE_H
#define GG_EDIT_DISTANCE_H

#include "sequences/text_codes.h"

/* Differences of neighbouring distances in 64 rows of the matrix of a text and another one, and
   what the previous column had. */
typedef struct gg_edit_word {
  uint64_t more, less; /* rows whose distance is one more, or less, than that of the row above */
  uint64_t diagonal;   /* rows whose distance is that of the row above in the column before */
  uint64_t equal;      /* rows whose letter is that of the column */
} gg_edit_word;

/* A text. */
typedef struct gg_edit_pattern {
  gpugeo_edit_method method;
  int64_t most; /* distances beyond it need not be exact */
  const uint32_t *codes;
  int64_t length, words;
  uint64_t *masks; /* of each letter `most_words` words: the rows that have it */
  int64_t most_words;
  gg_edit_word *word;
} gg_edit_pattern;

/* Allocates a pattern for texts of up to so many letters, of an alphabet of so many. To be freed by
   gg_edit_pattern_free(), also after a failure. */
gpugeo_status gg_edit_pattern_make(gg_edit_pattern *pattern, int64_t longest, uint32_t letters,
                                   gg_call *call);
void gg_edit_pattern_free(gg_edit_pattern *pattern);

/* Sets the text of a pattern, which is borrowed until another one is set. */
void gg_edit_pattern_set(gg_edit_pattern *pattern, const uint32_t *codes, int64_t length);

/* Returns the distance to another text; -1: it is more than `most`, or infinite. */
int64_t gg_edit_distance(gg_edit_pattern *pattern, const uint32_t *codes, int64_t length);

#endif
