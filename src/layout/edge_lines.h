/* The lines of a file of edges that have whole numbers, read 8 digits at a time. */
#ifndef GG_LAYOUT_EDGE_LINES_H
#define GG_LAYOUT_EDGE_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { GG_EDGE_LINES_AHEAD = 8 /* bytes after the lines that are read, and not used */ };

/* The edges of lines. */
typedef struct gg_edge_lines {
  int32_t *ends;       /* borrowed: the two vertices of each edge, which have room for all lines */
  double *weights;     /* likewise, if lines have 3 fields */
  int64_t count;       /* edges */
  int64_t lines;       /* with blank ones */
  int32_t least, most; /* vertices; INT32_MAX and -1 without an edge */
} gg_edge_lines;

/* True if a character separates fields. */
static inline bool gg_separates_fields(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/* Reads lines, each of which ends with '\n', up to `end` or to the first that is not blank and has
   not two vertices and, if there are 3 fields, a weight. Returns its start, or `end`.
   GG_EDGE_LINES_AHEAD bytes after `end` must be there. */
const char *gg_edge_lines_read(const char *at, const char *end, int fields, gg_edge_lines *to);

#endif
