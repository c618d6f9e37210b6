/* Memory of large results, which is kept for later ones. */
#ifndef GG_R_RESULT_MEMORY_H
#define GG_R_RESULT_MEMORY_H

#include <Rinternals.h>

/* Returns a new vector of doubles or integers for a result, in kept memory if it is large. Its
   values are undefined. To be protected. */
SEXP gg_r_result(SEXPTYPE type, R_xlen_t length);

/* Returns a new matrix in the same way. */
SEXP gg_r_result_matrix(SEXPTYPE type, int rows, int columns);

/* Returns all kept memory to the system. Memory of results that still exist follows when they are
   freed, unless another large result is made before. */
void gg_r_result_release(void);

#endif
