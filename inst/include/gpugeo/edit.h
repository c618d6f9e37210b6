/* Edit distances of texts. Part of gpugeo.h. */
#ifndef GPUGEO_EDIT_H
#define GPUGEO_EDIT_H

#include "dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed texts in UTF-8. */
typedef struct gpugeo_texts {
  int64_t count;           /* 0 to 2^31 - 1 */
  const char *const *text; /* NULL: a missing text */
  const int64_t *length;   /* of each text its bytes; NULL: each ends with 0 */
} gpugeo_texts;

typedef enum gpugeo_edit_method {
  GPUGEO_EDIT_METHOD_LV = 0,      /* Levenshtein: insertions, deletions and substitutions */
  GPUGEO_EDIT_METHOD_OSA = 1,     /* optimal string alignment: also exchanges of two neighbours, no
                                     part of a text being edited twice */
  GPUGEO_EDIT_METHOD_HAMMING = 2, /* substitutions; Inf for texts of different lengths */
  GPUGEO_EDIT_METHOD_COUNT = 3
} gpugeo_edit_method;

typedef struct gpugeo_dist_edit_options {
  size_t size; /* set by gpugeo_dist_edit_options_init() */
  gpugeo_edit_method method;
  int32_t use_bytes; /* nonzero: letters are bytes; 0: characters of UTF-8 */
  double max;        /* larger distances are Inf; at least 0 */
  double missing;    /* the distance of a missing text */
  gpugeo_run run;
} gpugeo_dist_edit_options;

/* Fills *options with the defaults: Levenshtein, characters, no largest distance, NaN. */
GPUGEO_EXPORT void gpugeo_dist_edit_options_init(gpugeo_dist_edit_options *options, size_t size);

/*
 * Computes edit distances: the least number of edits of one letter that make one text another.
 *
 * y    NULL: within x
 * out  within x n (n - 1) / 2 distances in the order of a condensed matrix; else a column-major
 *      matrix with a row for each text of x and a column for each of y
 *
 * Texts of up to 64 letters take a step for each letter (Myers 1999, Hyyro 2003), longer ones a
 * step for each 64 letters. Fails with GPUGEO_ERROR_ARGUMENT if a text is no UTF-8.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_edit(const gpugeo_texts *x, const gpugeo_texts *y,
                                             const gpugeo_dist_edit_options *options, double *out,
                                             gpugeo_report *report, gpugeo_error *error);

/*
 * Finds for each text of x all texts of y, or all other texts of x, at a distance of at most
 * options->max. A missing text has no neighbours.
 *
 * neighbors  allocated by the call; the caller releases it with gpugeo_neighbors_free()
 *
 * With a small `max`, texts are compared only if they become equal by deletions of up to so many
 * letters from both, which all neighbours do. The table of all such deletions takes 8 bytes for
 * each; if they are more than work_bytes (by default a quarter of the memory) or more than pairs of
 * texts, all pairs are compared.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_edit_neighbors(const gpugeo_texts *x, const gpugeo_texts *y,
                                                  const gpugeo_dist_edit_options *options,
                                                  gpugeo_neighbors *neighbors,
                                                  gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
