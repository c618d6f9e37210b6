#include "temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *temporary_file(const void *bytes, size_t size) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  static const char name[] = "/gpugeo-XXXXXX";
  char *path = malloc(strlen(folder) + sizeof name);
  strcpy(path, folder);
  strcat(path, name);
  const int handle = mkstemp(path);
  FILE *file = handle < 0 ? NULL : fdopen(handle, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", path);
    exit(2);
  }
  return path;
}

void temporary_remove(char *path) {
  remove(path);
  free(path);
}
