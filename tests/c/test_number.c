/* Numbers in text, whose decimal point is a point in any locale, and names in any case. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/number.h"
#include "decimal_comma.h"
#include "system.h"

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

static void test_print(const char *where) {
  CHECK(strcmp(gg_number(0.5).text, "0.5") == 0, "%s: 0.5 is shown as %s", where,
        gg_number(0.5).text);
  gpugeo_error error;
  gg_fail(&error, GPUGEO_ERROR_ARGUMENT, "p", "p = %.2f, %s", -1.25, gg_number(1e-3).text);
  CHECK(strcmp(error.message, "p = -1.25, 0.001") == 0, "%s: \"%s\"", where, error.message);
}

/* Names are found in upper case, whatever the locale has for the capital of "i". */
static void test_names(const char *where) {
  static const char *const names[] = {"MINKOWSKI", "MINK", "minkowskI"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    int32_t found = -1;
    gpugeo_error error = {.message = ""};
    CHECK(gpugeo_find(GPUGEO_ENUM_METRIC, names[i], &found, &error) == GPUGEO_OK &&
              found == GPUGEO_METRIC_MINKOWSKI,
          "%s, \"%s\": %s", where, names[i], error.message);
  }
  CHECK(gg_same_text("iI", "Ii", SIZE_MAX) && gg_same_text("aI", "Aib", 2), "%s: equal", where);
  CHECK(!gg_same_text("i", "ii", SIZE_MAX) && !gg_same_text("[", "{", 1), "%s: different", where);
}

/* Settings in GiB are read with a decimal point, and refused where they are no number. */
static void test_variables(const char *where) {
  gpugeo_error error;
  CHECK(gg_memory_variable() == -1, "%s: not set", where);
  CHECK(gg_check_memory_variable(&error) == GPUGEO_OK, "%s: not set", where);
  set_variable("GPUGEO_MEMORY", "0.5");
  CHECK(gg_memory_variable() == 536870912, "%s: half a GiB", where);
  CHECK(gg_check_memory_variable(&error) == GPUGEO_OK, "%s: half a GiB", where);
  const char *const wrong[] = {"4GB", "0,5", "four", "-1", "0", "nan", "inf"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char message[128];
    set_variable("GPUGEO_MEMORY", wrong[i]);
    snprintf(message, sizeof message, "GPUGEO_MEMORY must be a positive number of GiB, not \"%s\"",
             wrong[i]);
    CHECK(gg_check_memory_variable(&error) == GPUGEO_ERROR_ARGUMENT &&
              strcmp(error.message, message) == 0,
          "%s: \"%s\", expected \"%s\"", where, error.message, message);
  }
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  CHECK(gg_check_run(&run, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "GPUGEO_MEMORY must be a positive number of GiB, not \"inf\"") ==
                0,
        "%s: \"%s\"", where, error.message);
  set_variable("GPUGEO_MEMORY", NULL);
}

int main(void) {
  test_numbers("C locale");
  test_print("C locale");
  test_names("C locale");
  test_variables("C locale");
  if (decimal_comma_begin()) {
    CHECK(strtod("1.5", NULL) == 1, "strtod() follows the locale of this test");
    test_numbers("decimal comma");
    test_print("decimal comma");
    test_names("decimal comma");
    test_variables("decimal comma");
    CHECK(strtod("1.5", NULL) == 1, "the locale is that of this test, as before");
  } else {
    check_skip(1, "localedef cannot compile a locale here");
  }
  decimal_comma_end();
  return check_end();
}
