/* What qsort() compares by. */
#ifndef GG_COMPARE_H
#define GG_COMPARE_H

/* Compares two doubles, of which none is NaN. */
static inline int gg_compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
