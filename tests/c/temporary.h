/* Files that a test makes and removes. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stddef.h>

/* Writes a file of these bytes in TMPDIR, or /tmp. Returns its path, to be given to
   temporary_remove(). Any trouble ends the program with a message. */
char *temporary_file(const void *bytes, size_t size);
void temporary_remove(char *path);

#endif
