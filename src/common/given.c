#include "common/given.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/number.h"

/* --- UTF-8 ------------------------------------------------------------------------------------ */

/* True if the byte continues a character of UTF-8. */
static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* Returns the length of a character from its first byte, or 0 if no character begins with that
   byte. */
static size_t character_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/* True if the second byte of a character may follow its first: no overlong form, no surrogate, and
   nothing beyond U+10FFFF. */
static bool may_follow(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second < 0xA0;
  if (first == 0xF0) return second >= 0x90;
  return first != 0xF4 || second < 0x90;
}

/* Returns the number of bytes at the beginning of text that belong to one character, at most its
   length. */
static size_t bytes_there(const unsigned char *text, size_t length) {
  size_t there = 1;
  while (there < length && continues(text[there]) && (there > 1 || may_follow(text[0], text[1])))
    ++there;
  return there;
}

void gg_repair_utf8(char *text) {
  const unsigned char *from = (const unsigned char *)text;
  char *to = text;
  while (*from) {
    const size_t length = character_length(*from);
    const size_t there = length ? bytes_there(from, length) : 1;
    if (there == length) {
      memmove(to, from, length);
      to += length;
    } else if (!length) {
      *to++ = '?';
    }
    from += there;
  }
  *to = '\0';
}

/* --- Reading ---------------------------------------------------------------------------------- */

gg_given gg_given_number(double value) {
  return (gg_given){
      .language = GG_C, .length = 1, .items = {{.kind = GG_ITEM_NUMBER, .number = value}}};
}

double gg_number_given(const gg_given *given) {
  const bool single = !given->words[0] && given->length == 1;
  return single && given->items[0].kind == GG_ITEM_NUMBER ? given->items[0].number : NAN;
}

const char *gg_text_given(const gg_given *given) {
  const bool single = !given->words[0] && given->length == 1;
  return single && given->items[0].kind == GG_ITEM_TEXT ? given->items[0].text : NULL;
}

/* --- Showing ---------------------------------------------------------------------------------- */

enum { TEXT_BYTES = 40 };

void gg_item_text(gg_item *item, const char *text) {
  const bool longer = strlen(text) > TEXT_BYTES;
  item->kind = GG_ITEM_TEXT;
  snprintf(item->text, sizeof item->text, "%.40s", text);
  gg_repair_utf8(item->text);
  if (longer) strcat(item->text, "...");
}

/* Appends text, cut at the end of the buffer. */
static void append_text(gg_given_text *shown, const char *text) {
  const size_t used = strlen(shown->text);
  snprintf(shown->text + used, sizeof shown->text - used, "%s", text);
}

/* Appends an item as the user of the language would write it. */
static void append_item(gg_given_text *shown, const gg_item *item, gg_language language) {
  const bool r = language == GG_R;
  switch (item->kind) {
  case GG_ITEM_MISSING:
    append_text(shown, "NA");
    break;
  case GG_ITEM_FLAG:
    append_text(shown, item->number != 0 ? (r ? "TRUE" : "true") : (r ? "FALSE" : "false"));
    break;
  case GG_ITEM_TEXT:
    append_text(shown, "\"");
    append_text(shown, item->text);
    append_text(shown, "\"");
    break;
  default:
    append_text(shown, item->text[0] ? item->text : gg_number(item->number).text);
  }
}

gg_given_text gg_show(const gg_given *given) {
  gg_given_text shown = {""};
  const bool r = given->language == GG_R, vector = given->length != 1;
  if (given->words[0]) {
    append_text(&shown, given->words);
    return shown;
  }
  const char *between = r ? ", " : given->column ? "; " : " ";
  if (vector) append_text(&shown, r ? "c(" : "[");
  for (int64_t i = 0; i < given->length && i < GG_ITEMS; ++i) {
    if (i > 0) append_text(&shown, between);
    append_item(&shown, &given->items[i], given->language);
  }
  if (given->length > GG_ITEMS) {
    append_text(&shown, between);
    append_text(&shown, "...");
  }
  if (vector) append_text(&shown, r ? ")" : "]");
  return shown;
}
