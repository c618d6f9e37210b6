/* A value of R or Octave that was given for a scalar argument: what the core reads from it, and how
   messages show it. Each wrapper fills in a gg_given; the core does the rest, so both
   languages use the same words. */
#ifndef GG_GIVEN_H
#define GG_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/c_linkage.h"

GG_C_BEGIN

/* How vectors and truth values are written: c(1, 2) and TRUE in R, [1 2] and true in Octave. */
typedef enum gg_language { GG_C, GG_R, GG_OCTAVE } gg_language;

typedef enum gg_item_kind {
  GG_ITEM_NUMBER,
  GG_ITEM_FLAG, /* number is 0 or 1 */
  GG_ITEM_TEXT,
  GG_ITEM_MISSING /* R's NA */
} gg_item_kind;

typedef struct gg_item {
  gg_item_kind kind;
  double number;
  char text[48]; /* GG_ITEM_TEXT, or the digits of a number that a double does not hold, or "" */
} gg_item;

enum { GG_ITEMS = 5 /* the number of elements that a message shows */ };

typedef struct gg_given {
  gg_language language;
  char words[80];          /* what the value is, where it is no vector: "NULL", "an environment" */
  int64_t length;          /* of a vector */
  bool column;             /* Octave: a vector with more than one row */
  gg_item items[GG_ITEMS]; /* its first elements */
} gg_given;

/* Copies text for a message: its first 40 bytes, without a part of a UTF-8 character, and "..."
   where it is longer. Octave's strings may contain a NUL; only what is before it is shown. */
void gg_item_text(gg_item *item, const char *text);

/* Describes a number from C. */
gg_given gg_given_number(double value);

/* Formats a value for a message: "3", c(1, 2), NULL, TRUE, an environment. */
typedef struct gg_given_text {
  char text[320];
} gg_given_text;
gg_given_text gg_show(const gg_given *given);

/* Returns the value if it is a single number, else NaN. */
double gg_number_given(const gg_given *given);

/* Returns the value if it is a single string of at most 40 bytes, else NULL. */
const char *gg_text_given(const gg_given *given);

/* Removes a cut character from the end of text, and replaces every other byte that is not valid
   UTF-8 by "?". */
void gg_repair_utf8(char *text);

GG_C_END

#endif
