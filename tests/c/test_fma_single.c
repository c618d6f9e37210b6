/* The vector fma for float: see test_fma.c. */
#define GG_SINGLE
#include "test_fma.c"
