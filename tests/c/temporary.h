/* Files and folders that a test makes and removes. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stddef.h>

/* Writes a file of these bytes in temporary_root(). Returns its path, to be given to
   temporary_remove(). Any trouble ends the program with a message. */
char *temporary_file(const void *bytes, size_t size);

/* Likewise an empty folder, to be empty again when it is removed. */
char *temporary_folder(void);
void temporary_remove(char *path);

/* Writes a text to a file of that path; any trouble ends the program with a message. */
void temporary_write(const char *path, const char *text);

/* The path of what has that name in a folder, to be freed by free(). */
char *temporary_path(const char *folder, const char *name);

#endif
