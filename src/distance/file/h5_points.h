/* Points in a dataset of an HDF5 file. */
#ifndef GG_H5_POINTS_H
#define GG_H5_POINTS_H

#include "gpugeo.h"

typedef struct gg_h5_points gg_h5_points;

/*
 * Opens a dataset of numbers in two dimensions for reading. As R and Octave write them, the second
 * dimension of the file is that of the rows.
 *
 * points  the open dataset, which the caller owns: to be closed by gg_h5_points_close()
 * view    its sizes and the type it will be read as; no data
 */
gpugeo_status gg_h5_points_open(const char *argument, const char *file, const char *name,
                                gg_h5_points **points, gpugeo_matrix *view, gpugeo_error *error);

/* Closes the dataset; NULL is allowed. */
void gg_h5_points_close(gg_h5_points *points);

/* Reads rows [row, row + rows) of columns [column, column + columns), column-major without gaps,
   of the view's type. */
gpugeo_status gg_h5_points_read(const gg_h5_points *points, int64_t row, int64_t rows,
                                int64_t column, int64_t columns, void *to, gpugeo_error *error);

#endif
