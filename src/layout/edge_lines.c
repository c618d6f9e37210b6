/*
 * Reads up to 8 digits at once in a word of 8 bytes: D. Lemire (2018), Quickly parsing eight
 * digits; and short weights as a quotient of two whole numbers that doubles hold: W. D. Clinger
 * (1990), How to read floating point numbers accurately. Lines that may be wrong are left to the
 * caller, who has the messages.
 */
#include "layout/edge_lines.h"

#include <float.h>
#include <math.h>

#include "common/number.h"

/* Returns 8 bytes as a word whose lowest one is the first, on any machine. Compilers make one load.
 */
static inline uint64_t load_bytes(const char *at) {
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i)
    word |= (uint64_t)(uint8_t)at[i] << (8 * i);
  return word;
}

/* Returns the number whose 8 digits are the bytes of a word, the first one in the lowest. */
static inline uint64_t value_of(uint64_t digits) {
  digits = (digits * (10 * 256 + 1)) >> 8;                                /* 4 numbers below 100 */
  digits = ((digits & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1)) >> 16;    /* 2 below 10,000 */
  return ((digits & 0x0000ffff0000ffffu) * ((10000ull << 32) + 1)) >> 32; /* 1 below 10^8 */
}

/* Reads the digits after the first 8 of a vertex. Returns -1 if it is above INT32_MAX. */
static int64_t take_more_digits(const char **at, uint64_t value) {
  const char *c = *at;
  for (; *c >= '0' && *c <= '9' && value <= INT32_MAX; ++c)
    value = 10 * value + (uint64_t)(*c - '0');
  *at = c;
  return value <= INT32_MAX ? (int64_t)value : -1;
}

/* Reads a vertex and moves *at behind its digits. Returns -1 if there is none. */
static inline int64_t take_vertex(const char **at) {
  const uint64_t digits = load_bytes(*at) ^ 0x3030303030303030u; /* '0' in each byte */
  /* The highest bit of the first byte above 9 and of no byte before it. */
  const uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
  if (!others) {
    *at += 8;
    return take_more_digits(at, value_of(digits));
  }
  const int count = __builtin_ctzll(others) / 8;
  if (count == 0) return -1;
  *at += count;
  return (int64_t)value_of(digits << (64 - 8 * count));
}

/* True if a character ends a field. */
static inline bool ends_field(char c) { return c == '\n' || gg_separates_fields(c); }

/* Reads the weight from `at` that is no short number. Returns its end, or NULL if it may be wrong.
 */
static const char *take_any_weight(const char *at, double *weight) {
  char *end;
  *weight = gg_parse_double(at, &end);
  return end > at && ends_field(*end) && *weight >= 0 && isfinite(*weight) ? end : NULL;
}

/* Reads the weight from `at`. Returns its end, or NULL if it may be wrong. */
static const char *take_weight(const char *at, double *weight) {
  static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  enum { SHORT = 15 }; /* digits of a whole number that is a double */
  int64_t digits = 0;
  int count = 0, decimals = 0;
  const char *c = at;
  for (bool point = false; (*c >= '0' && *c <= '9') || (*c == '.' && !point); ++c) {
    point |= *c == '.';
    if (*c == '.' || ++count > SHORT) continue;
    digits = 10 * digits + (*c - '0');
    decimals += point;
  }
  if (count == 0) return NULL;
  if (count > SHORT || !ends_field(*c) || FLT_EVAL_METHOD != 0) return take_any_weight(at, weight);
  *weight = (double)digits / powers[decimals];
  return c;
}

/* Returns the next character that separates no fields. */
static inline const char *skip_separators(const char *at) {
  while (gg_separates_fields(*at))
    ++at;
  return at;
}

/* Reads the edge from `at`. Returns the end of its line, or NULL if the line may be wrong. */
static inline const char *take_edge(const char *at, int fields, int32_t *ends, double *weight) {
  const int64_t from = take_vertex(&at);
  if (from < 0 || !gg_separates_fields(*at)) return NULL;
  at = skip_separators(at);
  const int64_t to = take_vertex(&at);
  if (to < 0) return NULL;
  if (fields == 3) {
    if (!gg_separates_fields(*at)) return NULL;
    at = take_weight(skip_separators(at), weight);
    if (!at) return NULL;
  }
  at = skip_separators(at);
  ends[0] = (int32_t)from;
  ends[1] = (int32_t)to;
  return *at == '\n' ? at : NULL;
}

/* Widens the range of vertices to another one. */
static inline void count_vertex(int32_t vertex, int32_t *least, int32_t *most) {
  *least = vertex < *least ? vertex : *least;
  *most = vertex > *most ? vertex : *most;
}

const char *gg_edge_lines_read(const char *at, const char *end, int fields, gg_edge_lines *to) {
  int32_t least = INT32_MAX, most = -1;
  int64_t count = 0, lines = 0;
  for (; at < end; ++lines) {
    const char *c = skip_separators(at);
    if (*c != '\n') {
      int32_t *ends = to->ends + 2 * count;
      c = take_edge(c, fields, ends, to->weights + count);
      if (!c) break;
      count_vertex(ends[0], &least, &most);
      count_vertex(ends[1], &least, &most);
      ++count;
    }
    at = c + 1;
  }
  to->count = count;
  to->lines = lines;
  to->least = least;
  to->most = most;
  return at;
}
