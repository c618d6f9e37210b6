/* A locale whose decimal point is a comma and in which, as in Turkish, "I" is not the capital of
   "i", for tests of what must not depend on the locale. */
#ifndef DECIMAL_COMMA_H
#define DECIMAL_COMMA_H

#include <stdbool.h>

/* Compiles such a locale by localedef and gives LC_NUMERIC and LC_CTYPE to it. Returns false where
   that is not possible: the test then calls check_skip(). */
bool decimal_comma_begin(void);

/* Takes the "C" locale again. */
void decimal_comma_end(void);

#endif
