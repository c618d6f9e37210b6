/* Numbers in text, whose decimal point is a point in any locale. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/number.h"
#include "decimal_comma.h"

static void check_number(const char *where, const char *text, double want, const char *rest) {
  char *end = NULL;
  const double got = gg_parse_double(text, &end);
  CHECK(got == want || (isnan(got) && isnan(want)), "%s, \"%s\": %.17g, expected %.17g", where,
        text, got, want);
  CHECK(strcmp(end, rest) == 0, "%s, \"%s\": stopped at \"%s\", expected \"%s\"", where, text, end,
        rest);
}

static void test_numbers(const char *where) {
  check_number(where, "1.5", 1.5, "");
  check_number(where, " -2.25e-3 7", -0.00225, " 7");
  check_number(where, "1,5", 1, ",5");
  check_number(where, "NaN", NAN, "");
  check_number(where, "-inf", -INFINITY, "");
  check_number(where, "four", 0, "four");
  check_number(where, "", 0, "");
  CHECK(gg_parse_double("0.1", NULL) == 0.1, "%s, without an end", where);
}

int main(void) {
  test_numbers("C locale");
  if (decimal_comma_begin()) {
    CHECK(strtod("1.5", NULL) == 1, "strtod() follows the locale of this test");
    test_numbers("decimal comma");
  } else {
    check_skip(1, "localedef cannot compile a locale here");
  }
  decimal_comma_end();
  return check_end();
}
