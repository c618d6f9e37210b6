/* Memory of large results, which is kept for later ones. */
#ifndef GG_R_RESULT_MEMORY_H
#define GG_R_RESULT_MEMORY_H

#include <Rinternals.h>

/* Returns a new vector or matrix for a result, in kept memory if it is large. To be protected. */
SEXP gg_r_result(SEXPTYPE type, R_xlen_t length);
SEXP gg_r_result_matrix(SEXPTYPE type, int rows, int columns);

/* Gives all memory back that no result uses. */
void gg_r_result_release(void);

/* Returns c(blocks, bytes, free): the number and the bytes of all blocks, and the bytes of those
   that no result uses. */
SEXP gg_r_result_memory(void);

#endif
