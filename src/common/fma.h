/* a * b + c with one rounding, for machines and C libraries without: the functions of mingw-w64's C
   library round twice. */
#ifndef GG_FMA_H
#define GG_FMA_H

/* Return the same bits as fma() and fmaf() of IEEE 754, rounded to nearest, except for NaN. */
double gg_fma_by_integers(double a, double b, double c);
float gg_fma_by_doubles(float a, float b, float c);

#endif
