/* The text format of MDjeep (Mucherino and others, version 0.3.2): lists of distances, and
   MDfiles, which have the path and the format of a list. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "common/platform.h"
#include "common/text_file.h"
#include "gpugeo.h"

/* --- Text ------------------------------------------------------------------------------------- */

enum { FIELDS_MOST = 64, FORMAT_BYTES = 512 };

/* Cuts a line into fields in place. Blanks and tabs always separate; `separator` does, too, unless
   it is 0. Returns how many fields there are, at most FIELDS_MOST of which are put into field. */
static int split_line(char *line, char separator, char **field) {
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

/* Reads a whole field as a number; returns false if it is not a number. */
static bool read_number(const char *field, double *number) {
  char *end;
  *number = gg_parse_double(field, &end);
  return end != field && !*end;
}

/* --- Formats ---------------------------------------------------------------------------------- */

/* The meaning of the fields of a line, counted from 0. */
typedef struct list_format {
  int id1, id2, lower, upper;
  int fields; /* that a line must have */
  char separator;
} list_format;

static const char *const words[] = {"Id1",        "Id2",        "lb",       "ub",
                                    "Name1",      "Name2",      "groupId1", "groupId2",
                                    "groupName1", "groupName2", "ignore"};
enum { WORDS = sizeof words / sizeof *words, TAKEN = 4 };

/* Reads the words that describe the fields of a line. */
static gpugeo_status read_format(const char *text, list_format *format, gpugeo_error *error) {
  char copy[FORMAT_BYTES], *field[FIELDS_MOST];
  int column[WORDS];
  if (strlen(text) >= sizeof copy)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                   "format must have at most %d bytes, not %lld", FORMAT_BYTES - 1,
                   (long long)strlen(text));
  snprintf(copy, sizeof copy, "%s", text);
  const int count = split_line(copy, 0, field);
  if (count > FIELDS_MOST)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                   "format must have at most %d words, not %d", FIELDS_MOST, count);
  for (int w = 0; w < WORDS; ++w)
    column[w] = -1;
  bool twice = false;
  for (int i = 0; i < count; ++i) {
    int w = 0;
    while (w < WORDS && strcmp(field[i], words[w]) != 0)
      ++w;
    if (w == WORDS)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                     "format must consist of Id1, Id2, lb, ub, Name1, Name2, groupId1, groupId2, "
                     "groupName1, groupName2 and ignore, not \"%s\"",
                     gg_show_field(field[i], "").text);
    if (w < TAKEN && column[w] >= 0) twice = true;
    column[w] = i;
  }
  for (int w = 0; w < TAKEN; ++w)
    if (column[w] < 0 || twice)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format",
                     "format must have each of Id1, Id2, lb and ub once, not \"%.300s\"", text);
  *format = (list_format){column[0], column[1], column[2], column[3], count, format->separator};
  return GPUGEO_OK;
}

/* Guesses the format of a list from its first line: numbers as fields 5 and 6 are the bounds of
   version 0.3, where groups come before them. */
static list_format guess_format(char **field, int count) {
  double number;
  if (count >= 6 && read_number(field[4], &number) && read_number(field[5], &number))
    return (list_format){0, 1, 4, 5, 6, 0};
  return (list_format){0, 1, 2, 3, 4, 0};
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* Reads the number of a vertex. */
static gpugeo_status read_vertex(const gg_text_file *file, const char *word, const char *text,
                                 int64_t *vertex, gpugeo_error *error) {
  double value;
  if (!read_number(text, &value) || !(value >= 0 && value <= 0x1p53) || value != floor(value))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "file \"%.300s\", line %lld: %s must be a whole number of at least 0, not "
                   "\"%s\"",
                   file->path, file->line, word, gg_show_field(text, "").text);
  *vertex = (int64_t)value;
  return GPUGEO_OK;
}

/* Reads a bound of a distance. */
static gpugeo_status read_bound(const gg_text_file *file, const char *word, const char *text,
                                double *bound, gpugeo_error *error) {
  if (read_number(text, bound)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                 "file \"%.300s\", line %lld: %s must be a number, not \"%s\"", file->path,
                 file->line, word, gg_show_field(text, "").text);
}

/* The distances read so far, and their format. */
typedef struct list {
  list_format format; /* no fields: that of the first line */
  gpugeo_dgp_file *file;
  int64_t room, most; /* distances that there is room for, and how many memory allows */
} list;

/* Adds an edge to the list. */
static gpugeo_status add_edge(const gg_text_file *text, list *l, const gpugeo_dgp_edge *edge,
                              gpugeo_error *error) {
  gpugeo_dgp_file *file = l->file;
  if (file->edge_count == l->most)
    return gg_text_file_fail_memory(text, "distances", l->most, sizeof *edge, error);
  if (file->edge_count == l->room) {
    l->room = l->room ? 2 * l->room : 256;
    if (l->room > l->most) l->room = l->most;
    gpugeo_dgp_edge *larger = gg_reallocate(file->edges, l->room, sizeof *larger);
    if (!larger) return gg_fail_memory(error, l->room * (int64_t)sizeof *larger);
    file->edges = larger;
  }
  file->edges[file->edge_count++] = *edge;
  return GPUGEO_OK;
}

/* Adds the edge of a line; the first line decides on the format if none is given. */
static gpugeo_status take_line(const gg_text_file *text, char *line, list *l, gpugeo_error *error) {
  char *field[FIELDS_MOST];
  const int count = split_line(line, l->format.separator, field);
  if (count == 0 || field[0][0] == '#') return GPUGEO_OK;
  if (l->format.fields == 0) l->format = guess_format(field, count);
  const list_format *f = &l->format;
  if (count < f->fields)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "file \"%.300s\", line %lld: there must be %d fields, not %d", text->path,
                   text->line, f->fields, count);
  gpugeo_dgp_edge edge;
  gg_call call = {.error = error};
  GG_TRY(&call, read_vertex(text, words[0], field[f->id1], &edge.u, error));
  GG_TRY(&call, read_vertex(text, words[1], field[f->id2], &edge.v, error));
  GG_TRY(&call, read_bound(text, words[2], field[f->lower], &edge.lower, error));
  GG_TRY(&call, read_bound(text, words[3], field[f->upper], &edge.upper, error));
  return GG_TRY(&call, add_edge(text, l, &edge, error));
}

/* Vertices without a distance that a list may have: the message that follows names them, and each
   takes memory. */
enum { MOST_ALONE = 1 << 16 };

/* Numbers the vertices from 0. */
static gpugeo_status shift_vertices(const char *path, gpugeo_dgp_file *file, gpugeo_error *error) {
  if (file->edge_count == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges", "file \"%.300s\" must hold a distance",
                   path);
  int64_t first = INT64_MAX, last = -1;
  for (int64_t i = 0; i < file->edge_count; ++i) {
    const int64_t both[2] = {file->edges[i].u, file->edges[i].v};
    for (int k = 0; k < 2; ++k) {
      if (both[k] < first) first = both[k];
      if (both[k] > last) last = both[k];
    }
  }
  if (last - first >= 2 * file->edge_count + MOST_ALONE)
    return gg_fail(
        error, GPUGEO_ERROR_ARGUMENT, "edges",
        "file \"%.300s\" must have a distance for each vertex from %lld to %lld, but has "
        "only %lld distances",
        path, (long long)first, (long long)last, (long long)file->edge_count);
  for (int64_t i = 0; i < file->edge_count; ++i) {
    file->edges[i].u -= first;
    file->edges[i].v -= first;
  }
  file->first = first;
  file->vertices = last - first + 1;
  return GPUGEO_OK;
}

/* Reads a file of distances. */
static gpugeo_status read_list(const char *path, const list_format *format, gpugeo_dgp_file *file,
                               gg_call *call) {
  list l = {.format = *format,
            .file = file,
            .most = gg_text_file_most(call->run, sizeof(gpugeo_dgp_edge))};
  gg_text_file text;
  GG_TRY(call, gg_text_file_open("edges", path, &text, call));
  for (char *line = NULL; !call->status;) {
    GG_TRY(call, gg_text_file_line(&text, &line, call->error));
    if (!line) break;
    GG_TRY(call, take_line(&text, line, &l, call->error));
  }
  GG_TRY(call, shift_vertices(path, file, call->error));
  gg_text_file_close(&text);
  return call->status;
}

/* --- MDfiles ---------------------------------------------------------------------------------- */

enum { PATH_BYTES = 1024 };

/* The lines of an MDfile that are read. */
typedef struct md_file {
  char list[PATH_BYTES];
  char format[FORMAT_BYTES];
  char separator;
} md_file;

/* Returns the text after "with NAME" and a colon, or NULL. */
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

/* Copies the value of a line of an MDfile. */
static gpugeo_status take_value(const gg_text_file *text, const char *value, char *to, size_t room,
                                gpugeo_error *error) {
  if (strlen(value) >= room)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "edges",
                   "MDfile \"%.300s\", line %lld: there must be at most %d bytes, not %lld",
                   text->path, text->line, (int)room - 1, (long long)strlen(value));
  snprintf(to, room, "%s", value);
  return GPUGEO_OK;
}

/* Takes the name, the format and the separator of a list from a line of an MDfile. */
static gpugeo_status take_md_line(const gg_text_file *text, char *line, md_file *md,
                                  gpugeo_error *error) {
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r", line[length - 1]))
    line[--length] = 0;
  const char *value;
  if ((value = attribute(line, "file")) != NULL)
    return take_value(text, value, md->list, sizeof md->list, error);
  if ((value = attribute(line, "format")) != NULL)
    return take_value(text, value, md->format, sizeof md->format, error);
  if ((value = attribute(line, "separator")) != NULL && value[0] == '\'' && value[1] &&
      value[2] == '\'')
    md->separator = value[1];
  return GPUGEO_OK;
}

/* Reads an MDfile. */
static gpugeo_status read_md_file(const char *path, md_file *md, gg_call *call) {
  *md = (md_file){.separator = 0};
  gg_text_file text;
  GG_TRY(call, gg_text_file_open("edges", path, &text, call));
  for (char *line = NULL; !call->status;) {
    GG_TRY(call, gg_text_file_line(&text, &line, call->error));
    if (!line) break;
    GG_TRY(call, take_md_line(&text, line, md, call->error));
  }
  gg_text_file_close(&text);
  if (md->list[0] && md->format[0]) return call->status;
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "edges",
                              "MDfile \"%.300s\" must have the lines \"with file:\" and "
                              "\"with format:\"",
                              path));
}

/* Finds the list that an MDfile names: in the MDfile's folder or, as MDjeep does, in the working
   folder. Returns its path, to be freed; NULL without memory. */
static char *find_named_list(const char *md_path, const char *list) {
  const int folder = gg_path_absolute(list) ? 0 : (int)(gg_path_name(md_path) - md_path);
  const size_t size = (size_t)folder + strlen(list) + 1;
  char *path = gg_allocate((int64_t)size, 1);
  if (!path) return NULL;
  snprintf(path, size, "%.*s%s", folder, md_path, list);
  gg_file_about unread;
  if (folder && !gg_path_describe(path, &unread)) snprintf(path, size, "%s", list);
  return path;
}

/* Reads the list of distances that an MDfile names. */
static gpugeo_status read_by_md_file(const char *path, const char *format, list_format *own,
                                     gpugeo_dgp_file *file, gg_call *call) {
  md_file md;
  read_md_file(path, &md, call);
  own->separator = md.separator;
  if (!format) GG_TRY(call, read_format(md.format, own, call->error));
  if (call->status) return call->status;
  char *list = find_named_list(path, md.list);
  if (!list) return call->status = gg_fail_memory(call->error, PATH_BYTES);
  read_list(list, own, file, call);
  gg_free(list);
  return call->status;
}

/* True if the text ends in another. */
static bool ends_in(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

gpugeo_status gpugeo_dgp_file_read(const char *path, const char *format, const gpugeo_run *run,
                                   gpugeo_dgp_file *file, gpugeo_error *error) {
  *file = (gpugeo_dgp_file){0};
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  list_format own = {0};
  GG_TRY(&call, gg_check_run(run, error));
  if (format) GG_TRY(&call, read_format(format, &own, error));
  if (call.status) return call.status;
  if (ends_in(path, ".mdf"))
    read_by_md_file(path, format, &own, file, &call);
  else
    read_list(path, &own, file, &call);
  if (call.status) gpugeo_dgp_file_free(file);
  return gg_call_end(&call);
}

void gpugeo_dgp_file_free(gpugeo_dgp_file *file) {
  gg_free(file->edges);
  *file = (gpugeo_dgp_file){0};
}
