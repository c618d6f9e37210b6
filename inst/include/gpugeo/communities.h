/* Tables of communities: counts of taxa in samples. Part of gpugeo.h. */
#ifndef GPUGEO_COMMUNITIES_H
#define GPUGEO_COMMUNITIES_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- BIOM files ------------------------------------------------------------------------------- */

/* Data on the samples or the taxa of a table: texts or numbers. All is borrowed. */
typedef struct gpugeo_biom_data {
  const char *name;
  int64_t width;           /* values of each sample or taxon, which follow each other */
  const char *const *text; /* NULL: numbers */
  const double *number;    /* NULL: texts */
} gpugeo_biom_data;

/* The samples or the taxa of a table. All is borrowed. */
typedef struct gpugeo_biom_axis {
  int64_t count;
  const char *const *names;
  int64_t data_count;
  const gpugeo_biom_data *data;
} gpugeo_biom_axis;

/* A table that was read. */
typedef struct gpugeo_biom {
  gpugeo_biom_axis samples, taxa;
  gpugeo_matrix counts; /* samples by taxa, sparse, compressed by taxa, with indices of 4 bytes */
  void *memory;         /* that all of it borrows */
} gpugeo_biom;

/*
 * Reads a table in the format BIOM 2 (HDF5), which may be compressed by the filters that the HDF5
 * library has. Taxa are its observations. The matrix is read of observation/matrix, or of
 * sample/matrix if that is missing.
 *
 * - Values may be floating-point or whole numbers of any size, which become doubles. Values of 0
 *   are left out.
 * - The numbers of samples and of taxa are at most 2^31 - 1, and the stored values, too.
 * - Names and texts are the bytes of the file.
 * - Data are the datasets of sample/metadata and observation/metadata that have a text or a number,
 *   or a row of them, for each sample or taxon. Others and group metadata are left out.
 *
 * run   its hooks are called; work_bytes limits the memory of the table; 0: the memory of the
 *       machine
 * biom  allocated by the call; the caller releases it with gpugeo_biom_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if it is no such table, if its numbers contradict each other, or
 * in a build without HDF5.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_biom_read(const char *path, const gpugeo_run *run,
                                             gpugeo_biom *biom, gpugeo_error *error);

/* Releases a table that was read; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_biom_free(gpugeo_biom *biom);

#ifdef __cplusplus
}
#endif

#endif
