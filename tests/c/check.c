#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed, skipped;

/* Returns 0 without small sizes, else by which check_leaves_out() multiplies nth. */
static int small_factor(void) {
  static int factor = -1;
  if (factor < 0) {
    const char *size = getenv("GPUGEO_TEST_SIZE");
    factor = !size ? 0 : strcmp(size, "least") == 0 ? 11 : strcmp(size, "small") == 0;
  }
  return factor;
}

bool check_size_is_small(void) { return small_factor() > 0; }

bool check_leaves_out(int nth) {
  static int calls;
  const int factor = small_factor() > 1 ? small_factor() : 1;
  return CHECK_SMALL && calls++ % (nth * factor) != 0;
}

bool check(bool condition, const char *file, int line, const char *text, const char *format, ...) {
  if (condition) {
    ++passed;
    return true;
  }
  const int shown = 20;
  if (failed++ < shown) {
    printf("%s:%d: %s: ", file, line, text);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
  } else if (failed == shown + 1) {
    printf("further failures are only counted\n");
  }
  return false;
}

void check_skip(int count, const char *format, ...) {
  skipped += count;
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
}

int check_end(void) {
  if (passed + failed == 0) CHECK(false, "nothing was checked");
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}
