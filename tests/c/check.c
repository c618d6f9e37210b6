#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed, skipped;

bool check_size_is_small(void) {
  static int small = -1;
  if (small < 0) {
    const char *size = getenv("GPUGEO_TEST_SIZE");
    small = size && strcmp(size, "small") == 0;
  }
  return small;
}

bool check_leaves_out(int nth) {
  static int calls;
  return CHECK_SMALL && calls++ % nth != 0;
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
