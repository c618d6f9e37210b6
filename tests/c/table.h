/* Reading tests/golden: the manifest of golden cases and their matrices. */
#ifndef TABLE_H
#define TABLE_H

#include <stdint.h>

/* A matrix of doubles, row-major as in its file. */
typedef struct table {
  double *values;
  int64_t rows, columns;
} table;

/* Reads a matrix of folder/matrices.txt, or makes an empty one of a name like "0x5". Any trouble
   ends the program with a message: tests can't go on without their data. */
table table_read(const char *folder, const char *name);
void table_free(table *t);

/* Text of a whole file, to be freed. */
char *text_read(const char *path);

/* Takes the next row of CSV text into at most `most` fields, unquoting in place; returns how many
   there were (0: no row is left) and moves *text on. */
int csv_row(char **text, char **fields, int most);

#endif
