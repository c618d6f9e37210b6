/* The kernels of terms of stress in float. */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

typedef float real;
#define GG_SINGLE
#define KERNELS GG_FORM_OF(gg_terms_f32)
#include "layout/term_sums.h"

#endif
