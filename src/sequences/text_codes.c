#include "sequences/text_codes.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"

enum { CODE_POINTS = 0x110000 };

gpugeo_status gg_alphabet_make(gg_alphabet *alphabet, gg_call *call) {
  *alphabet = (gg_alphabet){NULL, 0};
  if (call->status) return call->status;
  alphabet->number = gg_allocate_zeros(CODE_POINTS, sizeof *alphabet->number);
  return alphabet->number ? GPUGEO_OK
                          : GG_TRY(call, gg_fail_memory(call->error, 4 * (int64_t)CODE_POINTS));
}

/* Returns the number of bytes of the character that begins with a byte, 0: none does. */
static int width_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/* Reads a character of UTF-8 of `left` bytes at most. Returns its bytes, or 0 if there is none. */
static int read_character(const unsigned char *from, int64_t left, uint32_t *point) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const int width = width_of(from[0]);
  if (width == 0 || width > left) return 0;
  *point = width == 1 ? from[0] : from[0] & (0x7Fu >> width);
  for (int k = 1; k < width; ++k) {
    if ((from[k] & 0xC0) != 0x80) return 0;
    *point = *point << 6 | (from[k] & 0x3F);
  }
  const bool surrogate = *point >= 0xD800 && *point < 0xE000;
  return *point < least[width] || *point >= CODE_POINTS || surrogate ? 0 : width;
}

/* Returns the number of a letter. */
static uint32_t number_of(gg_alphabet *alphabet, uint32_t point) {
  if (alphabet->number[point] == 0) alphabet->number[point] = ++alphabet->letters;
  return alphabet->number[point] - 1;
}

/* Reads a text of so many bytes. Returns the number of its letters, or -1 if it is no UTF-8. */
static int64_t read_text(const char *text, int64_t bytes, bool use_bytes, gg_alphabet *alphabet,
                         uint32_t *codes) {
  const unsigned char *from = (const unsigned char *)text, *end = from + bytes;
  int64_t letters = 0;
  while (from < end) {
    uint32_t point = *from;
    const int width = use_bytes ? 1 : read_character(from, end - from, &point);
    if (width == 0) return -1;
    codes[letters++] = number_of(alphabet, point);
    from += width;
  }
  return letters;
}

gpugeo_status gg_texts_check(const char *name, const gpugeo_texts *texts, gg_call *call) {
  if (call->status) return call->status;
  if (!texts || (texts->count > 0 && !texts->text))
    return GG_TRY(call,
                  gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name, "%s must not be NULL", name));
  if (texts->count < 0 || texts->count > INT32_MAX)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name,
                                "%s must have between 0 and 2147483647 texts, not %lld", name,
                                (long long)texts->count));
  return GPUGEO_OK;
}

int64_t gg_text_bytes(const gpugeo_texts *texts, int64_t i) {
  if (!texts->text[i]) return 0;
  return texts->length ? texts->length[i] : (int64_t)strlen(texts->text[i]);
}

/* Reads all texts into memory that has been allocated. */
static gpugeo_status read_texts(const gpugeo_texts *texts, const char *name, bool use_bytes,
                                gg_alphabet *alphabet, gg_text_codes *made, gg_call *call) {
  made->start[0] = 0;
  for (int64_t i = 0; i < texts->count; ++i) {
    if (gg_clock_poll_loop(call->clock, i)) return call->status = gg_fail_interrupt(call->error);
    made->missing[i] = !texts->text[i];
    const int64_t letters = read_text(texts->text[i], gg_text_bytes(texts, i), use_bytes, alphabet,
                                      made->codes + made->start[i]);
    if (letters < 0)
      return GG_TRY(call,
                    gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name,
                            "%s must be UTF-8, but text %lld is not", name, (long long)i + 1));
    made->start[i + 1] = made->start[i] + letters;
    if (letters > made->longest) made->longest = letters;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_text_codes_make(const gpugeo_texts *texts, const char *name, bool use_bytes,
                                 gg_alphabet *alphabet, gg_text_codes *made, gg_call *call) {
  *made = (gg_text_codes){.count = texts->count};
  if (call->status) return call->status;
  int64_t bytes = 0;
  for (int64_t i = 0; i < texts->count; ++i)
    bytes += gg_text_bytes(texts, i);
  const double all = 4 * (double)bytes + 9 * (double)texts->count;
  GG_TRY(call, gg_check_memory(all, name, call->error, "%lld texts need", (long long)texts->count));
  made->start = gg_call_allocate(call, texts->count + 1, sizeof *made->start);
  made->codes = gg_call_allocate(call, bytes + 1, sizeof *made->codes);
  made->missing = gg_call_allocate(call, texts->count + 1, sizeof *made->missing);
  return call->status ? call->status : read_texts(texts, name, use_bytes, alphabet, made, call);
}

void gg_text_codes_free(gg_text_codes *made) {
  gg_free(made->start);
  gg_free(made->codes);
  gg_free(made->missing);
}
