#include "temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system.h"

char *temporary_path(const char *folder, const char *name) {
  const size_t length = strlen(folder) + strlen(name) + 2;
  char *path = malloc(length);
  snprintf(path, length, "%s/%s", folder, name);
  return path;
}

/* A name in temporary_root() whose last six letters are to be filled in. */
static char *template(void) { return temporary_path(temporary_root(), "gpugeo-XXXXXX"); }

static void give_up(const char *path) {
  fprintf(stderr, "cannot write %s\n", path);
  exit(2);
}

static void write_bytes(FILE *file, const char *path, const void *bytes, size_t size) {
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) give_up(path);
}

char *temporary_file(const void *bytes, size_t size) {
  char *path = template();
  const int handle = mkstemp(path);
  write_bytes(handle < 0 ? NULL : fdopen(handle, "wb"), path, bytes, size);
  return path;
}

void temporary_write(const char *path, const char *text) {
  write_bytes(fopen(path, "wb"), path, text, strlen(text));
}

char *temporary_folder(void) {
  char *path = template();
  if (!make_folder(path)) give_up(path);
  return path;
}

void temporary_remove(char *path) {
  if (remove(path) != 0) (void)rmdir(path);
  free(path);
}
