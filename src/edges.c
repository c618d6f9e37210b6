/* Files of edges: one an edge, plain or compressed by gzip, read through one buffer. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(GPUGEO_WITH_ZLIB)
#include <zlib.h>
#endif

#include "error.h"
#include "gpugeo.h"
#include "memory.h"

/* --- Bytes ---------------------------------------------------------------------------------------
 */

/* zlib reads plain files as they are. */
#if defined(GPUGEO_WITH_ZLIB)
typedef gzFile source;
static source source_open(const char *path) { return gzopen(path, "rb"); }
static int source_close(source file) { return gzclose_r(file); }
/* How many bytes were read, -1 for trouble: a file cut off is that, too. */
static int source_read(source file, char *to, int room) {
  const int count = gzread(file, to, (unsigned)room);
  int trouble;
  (void)gzerror(file, &trouble);
  return count < room && trouble != Z_OK && trouble != Z_STREAM_END ? -1 : count;
}
/* zlib says the path before. */
static const char *source_trouble(source file, const char *path) {
  int trouble;
  const char *text = gzerror(file, &trouble);
  const size_t length = strlen(path);
  if (trouble == Z_ERRNO) return strerror(errno);
  return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0
             ? text + length + 2
             : text;
}
static const bool reads_gzip = true;
#else
typedef FILE *source;
static source source_open(const char *path) { return fopen(path, "rb"); }
static int source_close(source file) { return fclose(file); }
static int source_read(source file, char *to, int room) {
  const int count = (int)fread(to, 1, (size_t)room, file);
  return ferror(file) ? -1 : count;
}
static const char *source_trouble(source file, const char *path) {
  (void)file, (void)path;
  return strerror(errno);
}
static const bool reads_gzip = false;
#endif

/* --- Lines ---------------------------------------------------------------------------------------
 */

enum { BUFFER = 1 << 20 }; /* no line is longer */

/* A file under way. */
typedef struct reader {
  const char *path;
  source file;
  char *buffer;
  int begin, end; /* what of the buffer is not yet read */
  bool ended;     /* nothing comes after it */
  long long line; /* number of the one read last */
} reader;

static gpugeo_status fail_to_read(const reader *r, const char *why, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "file \"%.300s\" cannot be read: %s",
                 r->path, why);
}

/* Fills the buffer behind what is left in it. */
static gpugeo_status refill(reader *r, gpugeo_error *error) {
  memmove(r->buffer, r->buffer + r->begin, (size_t)(r->end - r->begin));
  r->end -= r->begin;
  r->begin = 0;
  const int count = source_read(r->file, r->buffer + r->end, BUFFER - r->end);
  if (count < 0) return fail_to_read(r, source_trouble(r->file, r->path), error);
  r->ended = count < BUFFER - r->end;
  r->end += count;
  const unsigned char *bytes = (const unsigned char *)r->buffer;
  if (!reads_gzip && r->line == 0 && r->end > 1 && bytes[0] == 0x1f && bytes[1] == 0x8b)
    return fail_to_read(r, "it is compressed, and gpugeo was built without zlib", error);
  return GPUGEO_OK;
}

/* The next line, ended by a 0 in place of what ended it; NULL after the last. */
static gpugeo_status next_line(reader *r, char **line, gpugeo_error *error) {
  char *end = memchr(r->buffer + r->begin, '\n', (size_t)(r->end - r->begin));
  if (!end && !r->ended) {
    gpugeo_status status = refill(r, error);
    if (status) return status;
    end = memchr(r->buffer, '\n', (size_t)r->end);
  }
  *line = NULL;
  if (!end && r->begin == r->end) return GPUGEO_OK;
  ++r->line;
  if (!end && !r->ended)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\", line %lld is longer than %d bytes", r->path, r->line, BUFFER);
  if (!end) end = r->buffer + r->end; /* the buffer has a byte more */
  *end = 0;
  *line = r->buffer + r->begin;
  r->begin = (int)(end - r->buffer) + (end < r->buffer + r->end);
  return GPUGEO_OK;
}

/* --- Numbers -------------------------------------------------------------------------------------
 */

static const char separators[] = " \t,\r";

static bool separates(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

/* Up to the next field, of which there may be none. */
static char *skip(char *at) {
  while (separates(*at))
    ++at;
  return at;
}

/* A field as a message shows it. */
static gpugeo_status fail_number(const reader *r, const char *what, const char *at,
                                 gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\", line %lld: %s, not \"%.*s\"", r->path, r->line, what,
                 (int)strcspn(at, separators), at);
}

static gpugeo_status read_vertex(const reader *r, char **at, int32_t *vertex, gpugeo_error *error) {
  int64_t value = 0;
  char *c = *at;
  for (; *c >= '0' && *c <= '9' && value <= INT32_MAX; ++c)
    value = 10 * value + (*c - '0');
  if (c == *at || (*c && !separates(*c)) || value > INT32_MAX)
    return fail_number(r, "a vertex must be a whole number between 0 and 2147483647", *at, error);
  *vertex = (int32_t)value;
  *at = skip(c);
  return GPUGEO_OK;
}

static gpugeo_status read_weight(const reader *r, char **at, double *weight, gpugeo_error *error) {
  char *end;
  *weight = strtod(*at, &end);
  if (end == *at || (*end && !separates(*end)) || !(*weight >= 0 && isfinite(*weight)))
    return fail_number(r, "a weight must be a finite number of at least 0", *at, error);
  *at = skip(end);
  return GPUGEO_OK;
}

/* --- Edges ---------------------------------------------------------------------------------------
 */

/* An edge as its line has it. */
typedef struct edge {
  int32_t end[2];
  double weight;
} edge;

/* The lines so far. The first may turn out to be no edge. */
typedef struct list {
  edge *edges;
  int64_t count, room;
  int fields;          /* of all lines but the first, 0 before them */
  int first_fields;    /* of the first */
  long long line;      /* of the first */
  int32_t least, most; /* vertices of all lines but the first */
} list;

static gpugeo_status add_edge(list *l, const edge *e, gpugeo_error *error) {
  if (l->count == l->room) {
    l->room = l->room ? 2 * l->room : 4096;
    edge *larger = realloc(l->edges, (size_t)l->room * sizeof *larger);
    if (!larger) return gg_fail_memory(error, l->room * (int64_t)sizeof *larger);
    l->edges = larger;
  }
  l->edges[l->count++] = *e;
  return GPUGEO_OK;
}

static gpugeo_status fail_fields(const reader *r, long long line, int wanted, int fields,
                                 gpugeo_error *error) {
  const char *text = wanted == 2   ? "2 fields, the vertices"
                     : wanted == 3 ? "3 fields, the vertices and the weight, as in other lines"
                                   : "2 or 3 fields, the vertices and perhaps a weight";
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\", line %lld: there must be %s, not %s%d", r->path, line, text,
                 fields > 3 ? "more than " : "", fields > 3 ? 3 : fields);
}

/* The fields of a line, of which there are some. */
static gpugeo_status read_edge(const reader *r, char *at, edge *e, int *fields,
                               gpugeo_error *error) {
  *e = (edge){.weight = 1};
  *fields = 0;
  for (gpugeo_status status; *at; ++*fields) {
    if (*fields == 3) return fail_fields(r, r->line, 0, 4, error);
    status = *fields < 2 ? read_vertex(r, &at, &e->end[*fields], error)
                         : read_weight(r, &at, &e->weight, error);
    if (status) return status;
  }
  return *fields < 2 ? fail_fields(r, r->line, 0, *fields, error) : GPUGEO_OK;
}

static gpugeo_status take_line(const reader *r, char *line, list *l, gpugeo_error *error) {
  char *at = skip(line);
  if (!*at || *at == '#' || *at == '%') return GPUGEO_OK;
  edge e;
  int fields;
  gpugeo_status status = read_edge(r, at, &e, &fields, error);
  if (status) return status;
  if (l->count == 0) {
    l->first_fields = fields;
    l->line = r->line;
    return add_edge(l, &e, error);
  }
  if (l->fields && fields != l->fields) return fail_fields(r, r->line, l->fields, fields, error);
  l->fields = fields;
  for (int k = 0; k < 2; ++k) {
    if (e.end[k] < l->least) l->least = e.end[k];
    if (e.end[k] > l->most) l->most = e.end[k];
  }
  return add_edge(l, &e, error);
}

/* Is the first line "vertices edges"? */
static bool has_head(const list *l, int64_t first) {
  if (l->count == 0 || l->first_fields != 2 || l->edges[0].end[1] != l->count - 1) return false;
  const int64_t from = first >= 0 ? first : l->least > 0;
  return l->count == 1 || l->most - from < l->edges[0].end[0];
}

/* Decides what the first line is, and the number of the first vertex. */
static gpugeo_status finish_list(const reader *r, int64_t first, list *l, gpugeo_edge_file *file,
                                 int64_t *skipped, gpugeo_error *error) {
  *skipped = has_head(l, first);
  if (!*skipped && l->count > 0) {
    if (l->fields && l->fields != l->first_fields)
      return fail_fields(r, l->line, l->fields, l->first_fields, error);
    l->fields = l->first_fields;
    for (int k = 0; k < 2; ++k) {
      if (l->edges[0].end[k] < l->least) l->least = l->edges[0].end[k];
      if (l->edges[0].end[k] > l->most) l->most = l->edges[0].end[k];
    }
  }
  file->edge_count = l->count - *skipped;
  file->first = first >= 0 ? first : file->edge_count == 0 || l->least > 0;
  file->vertices = *skipped               ? l->edges[0].end[0]
                   : file->edge_count > 0 ? (int64_t)l->most - file->first + 1
                                          : 0;
  if (file->edge_count > 0 && l->least < file->first)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first",
                   "file \"%.300s\" has a vertex 0: first must be 0, not 1", r->path);
  return GPUGEO_OK;
}

/* The edges as the caller gets them. */
static gpugeo_status copy_edges(const list *l, int64_t skipped, gpugeo_edge_file *file,
                                gpugeo_error *error) {
  const int64_t count = file->edge_count;
  file->edges = gg_allocate(2 * count, sizeof *file->edges);
  if (l->fields == 3) file->weights = gg_allocate(count, sizeof *file->weights);
  if (!file->edges || (l->fields == 3 && !file->weights))
    return gg_fail_memory(error, count * (int64_t)sizeof *l->edges);
  for (int64_t e = 0; e < count; ++e) {
    const edge *from = &l->edges[e + skipped];
    file->edges[e] = from->end[0];
    file->edges[e + count] = from->end[1];
    if (file->weights) file->weights[e] = from->weight;
  }
  return GPUGEO_OK;
}

static gpugeo_status read_edges(reader *r, int64_t first, gpugeo_edge_file *file,
                                gpugeo_error *error) {
  list l = {.least = INT32_MAX, .most = -1};
  int64_t skipped = 0;
  gpugeo_status status = GPUGEO_OK;
  for (char *line = r->buffer; !status && line;) {
    status = next_line(r, &line, error);
    if (!status && line) status = take_line(r, line, &l, error);
  }
  if (!status) status = finish_list(r, first, &l, file, &skipped, error);
  if (!status) status = copy_edges(&l, skipped, file, error);
  free(l.edges);
  return status;
}

gpugeo_status gpugeo_edge_file_read(const char *path, int64_t first, gpugeo_edge_file *file,
                                    gpugeo_error *error) {
  *file = (gpugeo_edge_file){0};
  if (first < -1 || first > 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first", "first must be -1, 0 or 1, not %lld",
                   (long long)first);
  reader r = {.path = path, .buffer = gg_allocate(BUFFER + 1, 1)};
  if (!r.buffer) return gg_fail_memory(error, BUFFER + 1);
  errno = 0;
  r.file = source_open(path);
  gpugeo_status status = r.file  ? read_edges(&r, first, file, error)
                         : errno ? fail_to_read(&r, strerror(errno), error)
                                 : gg_fail_memory(error, BUFFER);
  if (r.file) (void)source_close(r.file);
  free(r.buffer);
  if (status) gpugeo_edge_file_free(file);
  return status;
}

void gpugeo_edge_file_free(gpugeo_edge_file *file) {
  free(file->edges);
  free(file->weights);
  *file = (gpugeo_edge_file){0};
}
