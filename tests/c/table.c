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

/* The line after that of the name, in matrices.txt, which is read once and kept to the end. */
static const char *find_matrix(const char *folder, const char *name) {
  static char *text = NULL;
  if (!text) {
    char path[512];
    snprintf(path, sizeof path, "%s/matrices.txt", folder);
    text = text_read(path);
  }
  const size_t length = strlen(name);
  for (const char *at = text; at; at = strstr(at, "\n\n")) {
    at += strspn(at, "\n");
    if (strncmp(at, name, length) == 0 && at[length] == '\n') return at + length + 1;
  }
  stop("no such matrix", name);
  return NULL;
}

table table_read(const char *folder, const char *name) {
  table t = {0};
  if (empty_size(name, &t)) return t;
  const char *text = find_matrix(folder, name), *last = strstr(text, "\n\n");
  const size_t most = (last ? (size_t)(last - text) : strlen(text)) / 2 + 1; /* "1," at the least */
  t.values = malloc(most * sizeof *t.values);
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
