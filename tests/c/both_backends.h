/* What the CPU and CUDA find of the same neighbours. */
#ifndef BOTH_BACKENDS_H
#define BOTH_BACKENDS_H

#include <stdbool.h>

#include "gpugeo.h"

/* Equal, or both NaN. */
bool same_double(double a, double b);

/* Checks that both find the same k neighbours with the same bits, of points in columns; returns a
   radius that about as many lie in. */
double compare_knn(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                   gpugeo_knn_options options);

/* The same for neighbours within a radius. */
void compare_radius(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                    gpugeo_knn_options options);

#endif
