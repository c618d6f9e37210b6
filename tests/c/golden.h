/* Walks the manifest of golden cases: a test program for each family computes its rows. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdbool.h>

#include "common/given.h"
#include "gpugeo.h"
#include "table.h"

/* Columns of the manifest, see tests/golden/README.md. */
enum {
  GOLDEN_CASE,
  GOLDEN_FUNCTION,
  GOLDEN_X,
  GOLDEN_Y,
  GOLDEN_METHOD,
  GOLDEN_OPTIONS,
  GOLDEN_STORAGE,
  GOLDEN_EXPECTED,
  GOLDEN_TOLERANCE,
  GOLDEN_ABSOLUTE,
  GOLDEN_NOTE,
  GOLDEN_ERROR,
  GOLDEN_FIELDS
};

/* One case. */
typedef struct golden {
  char **field;           /* text by column */
  gpugeo_matrix x;        /* in the storage of the case */
  const gpugeo_matrix *y; /* NULL without */
  gpugeo_type type;       /* of the result, as a wrapper has it: float for float, else double */
  gpugeo_run run;         /* with the backend to use */
  gpugeo_error error;     /* for what fails */
  void *own;              /* the family's, for golden_options() */
} golden;

/* What a case came to: a column-major matrix of the case's type. */
typedef struct golden_result {
  void *values; /* from malloc; freed by the walk */
  int64_t rows, columns;
  gpugeo_report report;
} golden_result;

typedef struct golden_family {
  const char *functions[8]; /* the rows it computes, NULL after the last */
  int least;                /* rows there must be */
  /* Computes a case; a failure leaves its message in g->error. */
  gpugeo_status (*compute)(golden *g, golden_result *result);
  bool sparse; /* takes sparse matrices */
} golden_family;

/* Gives each "name=value" of the case to `take`, but for those that go into g->run. */
gpugeo_status golden_options(golden *g,
                             gpugeo_status (*take)(golden *g, const char *name, const char *value));

/* An option's value as a wrapper describes it: text in quotes, else a number. */
gg_given golden_given(const char *value);

/* Take the number that an option gives, as wrappers do: any number, any whole number, and a whole
   number in [least, most]. */
gpugeo_status golden_number(golden *g, const char *name, const char *allowed, const char *value,
                            double *number);
gpugeo_status golden_whole(golden *g, const char *name, const char *value, int64_t *number);
gpugeo_status golden_count(golden *g, const char *name, const char *value, int64_t least,
                           int64_t most, int64_t *number);

/* For a `take` that knows no option of this name: a failed check. */
gpugeo_status golden_unknown(const golden *g, const char *name);

/* Numbers the groups of n points from 0, in the order of their codes, and returns how many there
   are: as many as codes that occur, so at most n. */
int64_t golden_groups(const double *code, int64_t n, int32_t *group);

/* The matrix that an option names. */
table golden_table(const char *name);

/* A matrix in the storage a wrapper would pass, column-major; the caller frees data. */
gpugeo_matrix golden_matrix(const char *name, const char *storage);

/* "true" or "false". */
int32_t golden_flag(const char *value);

/* main() of a test program: all rows of the family on every backend there is. The first argument
   may name the folder. */
int golden_main(int argc, char **argv, const golden_family *family);

#endif
