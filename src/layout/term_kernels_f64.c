/* The kernels of terms of stress in double. */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

typedef double real;
#define KERNELS GG_FORM_OF(gg_terms_f64)
#include "layout/term_sums.h"

#endif
