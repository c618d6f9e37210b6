/* The text format of MDjeep (Mucherino and others, version 0.3.2): lists of distances, and MDfiles
   that say where a list is and how to read it. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "gpugeo.h"

/* --- Text ----------------------------------------------------------------------------------------
 */

enum { first_room = 65536 }; /* bytes, doubled as the text goes on */

/* All of a file and a closing 0, to be freed; NULL where it can't be read. */
static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t used = 0, room = first_room;
  char *text = malloc(room);
  while (text) {
    used += fread(text + used, 1, room - used - 1, file);
    if (used + 1 < room) break;
    char *larger = realloc(text, room *= 2);
    if (!larger) free(text);
    text = larger;
  }
  const bool failed = ferror(file);
  const int reason = text ? errno : ENOMEM;
  fclose(file);
  if (text && !failed) {
    text[used] = 0;
    return text;
  }
  free(text);
  errno = reason;
  return NULL;
}

static gpugeo_status fail_to_read(const char *path, gpugeo_error *error) {
  if (errno == ENOMEM) return gg_fail_memory(error, first_room);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges", "file \"%.300s\" cannot be read: %s", path,
                 strerror(errno));
}

/* Ends the line at *text with a 0 and moves on; NULL after the last. */
static char *next_line(char **text) {
  char *line = *text;
  if (!*line) return NULL;
  char *end = strchr(line, '\n');
  *text = end ? end + 1 : line + strlen(line);
  if (end) *end = 0;
  return line;
}

enum { FIELDS_MOST = 64 };

/* Cuts a line into fields in place. Blanks and tabs always separate; `separator` does, too, unless
   it is 0. Returns how many fields there are, at most FIELDS_MOST of which are put into field. */
static int split(char *line, char separator, char **field) {
  const char separators[] = {' ', '\t', '\r', separator, 0};
  int count = 0;
  for (char *rest = line;;) {
    rest += strspn(rest, separators);
    if (!*rest) return count;
    if (count < FIELDS_MOST) field[count] = rest;
    ++count;
    rest += strcspn(rest, separators);
    if (*rest) *rest++ = 0;
  }
}

static bool is_number(const char *text) {
  char *end;
  (void)strtod(text, &end);
  return end != text && !*end;
}

/* --- Formats -------------------------------------------------------------------------------------
 */

/* Which fields of a line are which, from 0. */
typedef struct list_format {
  int id1, id2, lower, upper;
  int fields; /* that a line must have */
  char separator;
} list_format;

static const char *const words[] = {"Id1",        "Id2",        "lb",       "ub",
                                    "Name1",      "Name2",      "groupId1", "groupId2",
                                    "groupName1", "groupName2", "ignore"};
enum { WORDS = sizeof words / sizeof *words, TAKEN = 4 };

static gpugeo_status read_format(const char *text, list_format *format, gpugeo_error *error) {
  char copy[512], *field[FIELDS_MOST];
  int place[WORDS];
  snprintf(copy, sizeof copy, "%s", text);
  const int count = split(copy, 0, field);
  for (int w = 0; w < WORDS; ++w)
    place[w] = -1;
  bool twice = false;
  for (int i = 0; i < count && i < FIELDS_MOST; ++i) {
    int w = 0;
    while (w < WORDS && strcmp(field[i], words[w]) != 0)
      ++w;
    if (w == WORDS)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                     "format must consist of Id1, Id2, lb, ub, Name1, Name2, groupId1, groupId2, "
                     "groupName1, groupName2 and ignore, not \"%.60s\"",
                     field[i]);
    if (w < TAKEN && place[w] >= 0) twice = true;
    place[w] = i;
  }
  for (int w = 0; w < TAKEN; ++w)
    if (place[w] < 0 || twice)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                     "format must have each of Id1, Id2, lb and ub once, not \"%.300s\"", text);
  *format = (list_format){place[0], place[1], place[2], place[3], count, format->separator};
  return GPUGEO_OK;
}

/* The format of a list by its first line: numbers as fields 5 and 6 are the bounds of version 0.3,
   where groups come before them. */
static list_format guess_format(char **field, int count) {
  if (count >= 6 && is_number(field[4]) && is_number(field[5]))
    return (list_format){0, 1, 4, 5, 6, 0};
  return (list_format){0, 1, 2, 3, 4, 0};
}

/* --- Lists ---------------------------------------------------------------------------------------
 */

typedef struct place_in_file {
  const char *path;
  long long line;
} place_in_file;

static gpugeo_status read_vertex(const place_in_file *at, const char *word, const char *text,
                                 int64_t *vertex, gpugeo_error *error) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0 && value <= 9007199254740992.0) || value != floor(value))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "file \"%.300s\", line %lld: %s must be a whole number of at least 0, not "
                   "\"%.60s\"",
                   at->path, at->line, word, text);
  *vertex = (int64_t)value;
  return GPUGEO_OK;
}

static gpugeo_status read_bound(const place_in_file *at, const char *word, const char *text,
                                double *bound, gpugeo_error *error) {
  char *end;
  *bound = strtod(text, &end);
  if (end == text || *end)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "file \"%.300s\", line %lld: %s must be a number, not \"%.60s\"", at->path,
                   at->line, word, text);
  return GPUGEO_OK;
}

static gpugeo_status add_edge(gpugeo_dgp_file *file, int64_t *room, const gpugeo_dgp_edge *edge,
                              gpugeo_error *error) {
  if (file->edge_count == *room) {
    *room = *room ? 2 * *room : 256;
    gpugeo_dgp_edge *larger = realloc(file->edges, (size_t)*room * sizeof *larger);
    if (!larger) return gg_fail_memory(error, *room * (int64_t)sizeof *larger);
    file->edges = larger;
  }
  file->edges[file->edge_count++] = *edge;
  return GPUGEO_OK;
}

/* Numbers the vertices from 0. */
static void shift_vertices(gpugeo_dgp_file *file) {
  int64_t first = INT64_MAX, last = -1;
  for (int64_t i = 0; i < file->edge_count; ++i) {
    const int64_t both[2] = {file->edges[i].u, file->edges[i].v};
    for (int k = 0; k < 2; ++k) {
      if (both[k] < first) first = both[k];
      if (both[k] > last) last = both[k];
    }
  }
  for (int64_t i = 0; i < file->edge_count; ++i) {
    file->edges[i].u -= first;
    file->edges[i].v -= first;
  }
  file->first = first;
  file->vertices = last - first + 1;
}

static gpugeo_status read_list(const char *path, char *text, const list_format *given,
                               gpugeo_dgp_file *file, gpugeo_error *error) {
  list_format format = given ? *given : (list_format){0};
  place_in_file at = {path, 0};
  int64_t room = 0;
  gpugeo_status status = GPUGEO_OK;
  for (char *line; !status && (line = next_line(&text)) != NULL;) {
    ++at.line;
    char *field[FIELDS_MOST];
    const int count = split(line, format.separator, field);
    if (count == 0 || field[0][0] == '#') continue;
    if (format.fields == 0) format = guess_format(field, count);
    if (count < format.fields)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                     "file \"%.300s\", line %lld: there must be %d fields, not %d", path, at.line,
                     format.fields, count);
    gpugeo_dgp_edge edge;
    status = read_vertex(&at, words[0], field[format.id1], &edge.u, error);
    if (!status) status = read_vertex(&at, words[1], field[format.id2], &edge.v, error);
    if (!status) status = read_bound(&at, words[2], field[format.lower], &edge.lower, error);
    if (!status) status = read_bound(&at, words[3], field[format.upper], &edge.upper, error);
    if (!status) status = add_edge(file, &room, &edge, error);
  }
  if (status) return status;
  if (file->edge_count == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges", "file \"%.300s\" must hold a distance",
                   path);
  shift_vertices(file);
  return GPUGEO_OK;
}

/* --- MDfiles -------------------------------------------------------------------------------------
 */

/* What is wanted from one. */
typedef struct md_file {
  char list[1024];
  char format[512];
  char separator;
} md_file;

/* What comes after "with NAME" and a colon, or NULL. */
static const char *attribute(const char *line, const char *name) {
  line += strspn(line, " \t");
  if (strncmp(line, "with", 4) != 0) return NULL;
  line += 4 + strspn(line + 4, " \t");
  const size_t length = strlen(name);
  if (strncmp(line, name, length) != 0) return NULL;
  line += length + strspn(line + length, " \t");
  if (*line != ':') return NULL;
  return line + 1 + strspn(line + 1, " \t");
}

static gpugeo_status read_md_file(const char *path, char *text, md_file *md, gpugeo_error *error) {
  *md = (md_file){0};
  for (char *line; (line = next_line(&text)) != NULL;) {
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
      line[--length] = 0;
    const char *value;
    if ((value = attribute(line, "file")) != NULL)
      snprintf(md->list, sizeof md->list, "%s", value);
    else if ((value = attribute(line, "format")) != NULL)
      snprintf(md->format, sizeof md->format, "%s", value);
    else if ((value = attribute(line, "separator")) != NULL && value[0] == '\'' && value[1] &&
             value[2] == '\'')
      md->separator = value[1];
  }
  if (!md->list[0] || !md->format[0])
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "MDfile \"%.300s\" must have the lines \"with file:\" and \"with format:\"",
                   path);
  return GPUGEO_OK;
}

/* The text of the list that an MDfile names: in its own folder or, as MDjeep has it, from the
   working one. `path` becomes the list's. */
static char *read_named_list(const char *md_path, const char *list, char *path, size_t size) {
  const char *slash = strrchr(md_path, '/');
  const int folder = slash && list[0] != '/' ? (int)(slash - md_path + 1) : 0;
  snprintf(path, size, "%.*s%s", folder, md_path, list);
  char *text = read_text(path);
  if (text || folder == 0) return text;
  snprintf(path, size, "%s", list);
  return read_text(path);
}

static bool ends_in(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

gpugeo_status gpugeo_dgp_file_read(const char *path, const char *format, gpugeo_dgp_file *file,
                                   gpugeo_error *error) {
  *file = (gpugeo_dgp_file){0};
  list_format own = {0};
  gpugeo_status status = GPUGEO_OK;
  if (format) status = read_format(format, &own, error);
  if (status) return status;
  char *text = read_text(path);
  if (!text) return fail_to_read(path, error);

  char list[2048];
  snprintf(list, sizeof list, "%s", path);
  const bool md = ends_in(path, ".mdf");
  if (md) {
    md_file said;
    status = read_md_file(path, text, &said, error);
    free(text);
    text = NULL;
    own.separator = said.separator;
    if (!status && !format) status = read_format(said.format, &own, error);
    if (!status && !(text = read_named_list(path, said.list, list, sizeof list)))
      status = fail_to_read(list, error);
  }
  if (!status) status = read_list(list, text, format || md ? &own : NULL, file, error);
  free(text);
  if (status) gpugeo_dgp_file_free(file);
  return status;
}

void gpugeo_dgp_file_free(gpugeo_dgp_file *file) {
  free(file->edges);
  *file = (gpugeo_dgp_file){0};
}
