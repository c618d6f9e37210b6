#include "table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *name) {
  fprintf(stderr, "%s: %s\n", name, what);
  exit(2);
}

char *text_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) stop("cannot be opened; run the tests from the repository's root", path);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) stop("cannot be read", path);
  text[size] = 0;
  fclose(file);
  return text;
}

int csv_row(char **text, char **fields, int most) {
  char *from = *text;
  if (!*from) return 0;
  int count = 0;
  for (;;) {
    char *to = from;
    if (count < most) fields[count] = to;
    ++count;
    for (bool quoted = false; *from && (quoted || (*from != ',' && *from != '\n')); ++from) {
      if (*from != '"') {
        *to++ = *from;
      } else if (quoted && from[1] == '"') {
        *to++ = *from++;
      } else {
        quoted = !quoted;
      }
    }
    const char end = *from;
    if (end) ++from;
    *to = 0;
    if (end != ',') break;
  }
  *text = from;
  return count;
}

/* "0x5": no file, no elements. */
static bool empty_size(const char *name, table *t) {
  long long rows, columns;
  if (!isdigit((unsigned char)name[0])) return false;
  if (sscanf(name, "%lldx%lld", &rows, &columns) != 2) return false;
  *t = (table){NULL, rows, columns};
  return true;
}

/* Where the matrices begin in matrices.txt, which is read once and kept to the end. */
typedef struct blocks {
  const char **start; /* the name, the line after it the first row */
  size_t count;
} blocks;

static blocks find_blocks(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/matrices.txt", folder);
  const char *text = text_read(path), *end = text + strlen(text);
  blocks all = {.start = malloc((size_t)(end - text + 1) * sizeof *all.start)};
  if (!all.start) stop("no memory", path);
  for (const char *at = text; at < end; ++at)
    if (at == text || (at - text > 1 && at[-1] == '\n' && at[-2] == '\n'))
      all.start[all.count++] = at;
  return all;
}

/* The line after that of the name. */
static const char *find_matrix(const char *folder, const char *name) {
  static blocks all = {NULL, 0};
  if (!all.start) all = find_blocks(folder);
  const size_t length = strlen(name);
  for (size_t i = 0; i < all.count; ++i)
    if (strncmp(all.start[i], name, length) == 0 && all.start[i][length] == '\n')
      return all.start[i] + length + 1;
  stop("no such matrix", name);
  return NULL;
}

table table_read(const char *folder, const char *name) {
  table t = {0};
  if (empty_size(name, &t)) return t;
  const char *text = find_matrix(folder, name);
  size_t most = 0; /* characters, of which a number takes two at the least */
  while (text[most] && !(text[most] == '\n' && text[most + 1] == '\n'))
    ++most;
  t.values = malloc((most / 2 + 1) * sizeof *t.values);
  if (!t.values) stop("no memory", name);
  int64_t count = 0;
  for (const char *at = text; *at && *at != '\n';) {
    char *end;
    t.values[count++] = strtod(at, &end);
    if (end == at || (*end != ',' && *end != '\n')) stop("not a number where one was wanted", name);
    if (*end == '\n') ++t.rows;
    at = end + 1;
  }
  if (t.rows == 0 || count % t.rows != 0) stop("rows of different lengths", name);
  t.columns = count / t.rows;
  return t;
}

void table_free(table *t) { free(t->values); }
