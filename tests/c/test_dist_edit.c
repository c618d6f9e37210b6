/* Edit distances against their recurrence, neighbours against all pairs, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

enum { MOST = 300 };

/* --- The definition --------------------------------------------------------------------------- */

static int least(int a, int b) { return a < b ? a : b; }

/* Returns the distance by the matrix of all beginnings. */
static double definition(const char *a, const char *b, gpugeo_edit_method method) {
  static int d[MOST + 1][MOST + 1];
  const int m = (int)strlen(a), n = (int)strlen(b);
  if (method == GPUGEO_EDIT_METHOD_HAMMING) {
    int differ = 0;
    for (int k = 0; k < m && m == n; ++k)
      differ += a[k] != b[k];
    return m == n ? differ : INFINITY;
  }
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j <= n; ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (method == GPUGEO_EDIT_METHOD_OSA && i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
          a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

/* --- Texts ------------------------------------------------------------------------------------ */

typedef struct texts {
  int64_t count;
  char **text;
} texts;

/* Makes texts of up to so many letters of an alphabet, many of which are copies of an earlier one
   with a few edits. */
static texts make_texts(int64_t count, int longest, int letters, uint64_t seed) {
  dice d = {seed};
  texts made = {count, calloc((size_t)count, sizeof *made.text)};
  for (int64_t i = 0; i < count; ++i) {
    char *text = made.text[i] = calloc((size_t)longest + 2, 1);
    const int64_t length = dice_whole(&d, longest);
    for (int64_t k = 0; k < length; ++k)
      text[k] = (char)('a' + dice_whole(&d, letters - 1));
    if (i < 2 || dice_whole(&d, 2) == 0) continue;
    memcpy(text, made.text[dice_whole(&d, i - 1)], (size_t)longest + 1);
    const int edits = (int)dice_whole(&d, 4);
    for (int e = 0; e < edits && *text; ++e) {
      const int64_t at = dice_whole(&d, (int64_t)strlen(text) - 1);
      const char kept = text[at];
      switch (dice_whole(&d, 2)) {
      case 0:
        text[at] = (char)('a' + dice_whole(&d, letters - 1));
        break;
      case 1:
        memmove(text + at, text + at + 1, strlen(text + at));
        break;
      default:
        if (text[at + 1]) {
          text[at] = text[at + 1];
          text[at + 1] = kept;
        }
      }
    }
  }
  return made;
}

static void free_texts(texts *t) {
  for (int64_t i = 0; i < t->count; ++i)
    free(t->text[i]);
  free(t->text);
}

static gpugeo_texts view(const texts *t) {
  return (gpugeo_texts){t->count, (const char *const *)t->text, NULL};
}

static gpugeo_dist_edit_options options_of(gpugeo_edit_method method, double max, int threads) {
  gpugeo_dist_edit_options options;
  gpugeo_dist_edit_options_init(&options, sizeof options);
  options.method = method;
  options.max = max;
  options.run.threads = threads;
  return options;
}

/* --- Tests ------------------------------------------------------------------------------------ */

/* Checks all pairs of texts, within x and of x and y. */
static void check_pairs(int64_t count, int longest, int letters, double max) {
  texts t = make_texts(count, longest, letters, (uint64_t)(count + longest));
  double *within = calloc((size_t)(count * count), sizeof *within);
  double *between = calloc((size_t)(count * count), sizeof *between);
  const gpugeo_texts x = view(&t);
  for (int method = 0; method < GPUGEO_EDIT_METHOD_COUNT; ++method) {
    gpugeo_dist_edit_options one = options_of((gpugeo_edit_method)method, max, 1), some = one;
    some.run.threads = 3;
    CHECK(!gpugeo_dist_edit(&x, NULL, &some, within, NULL, NULL) &&
              !gpugeo_dist_edit(&x, &x, &one, between, NULL, NULL),
          "method %d", method);
    int64_t wrong = 0;
    for (int64_t j = 0, k = 0; j < count; ++j)
      for (int64_t i = 0; i < count; ++i) {
        double wanted = definition(t.text[i], t.text[j], (gpugeo_edit_method)method);
        if (wanted > max) wanted = INFINITY;
        wrong += between[j * count + i] != wanted;
        if (i > j) wrong += within[k++] != wanted;
      }
    CHECK(wrong == 0, "method %d, %d letters, max %g: %lld are wrong", method, longest, max,
          (long long)wrong);
  }
  free(within);
  free(between);
  free_texts(&t);
}

static void test_pairs(void) {
  check_pairs(60, 10, 2, INFINITY);
  check_pairs(60, 18, 20, INFINITY);
  check_pairs(40, 64, 3, INFINITY);
  check_pairs(40, 66, 3, INFINITY);
  check_pairs(30, 130, 2, INFINITY);
  check_pairs(30, MOST - 1, 4, INFINITY);
  check_pairs(60, 18, 3, 2);
  check_pairs(40, 140, 2, 7.5);
  check_pairs(20, 8, 2, 0);
  check_pairs(1, 8, 2, INFINITY);
}

/* Returns the number of neighbours that are not those of all pairs. */
static int64_t count_wrong(const double *d, int64_t n, double max, const gpugeo_neighbors *found) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t e = found->start[i];
    for (double near = 0; near <= max; ++near)
      for (int64_t j = 0; j < n; ++j) {
        if (i == j || d[j * n + i] != near) continue;
        wrong += e >= found->start[i + 1] || found->index[e] != j || found->distance[e] != near;
        ++e;
      }
    wrong += e != found->start[i + 1];
  }
  return wrong;
}

/* Checks neighbours within texts. */
static void check_neighbors(int64_t n, int longest, int letters, double max) {
  texts t = make_texts(n, longest, letters, 77);
  double *d = calloc((size_t)(n * n), sizeof *d);
  const gpugeo_texts x = view(&t);
  for (int method = 0; method < GPUGEO_EDIT_METHOD_COUNT; ++method)
    for (int threads = 1; threads < 5; threads += 3) {
      const gpugeo_dist_edit_options all = options_of((gpugeo_edit_method)method, INFINITY, 2);
      const gpugeo_dist_edit_options near = options_of((gpugeo_edit_method)method, max, threads);
      gpugeo_neighbors found;
      gpugeo_error error = {0};
      CHECK(!gpugeo_dist_edit(&x, &x, &all, d, NULL, NULL), "all pairs");
      if (!CHECK(!gpugeo_edit_neighbors(&x, NULL, &near, &found, NULL, &error), "%s",
                 error.message))
        continue;
      const int64_t wrong = count_wrong(d, n, max, &found);
      CHECK(found.points == n && wrong == 0, "method %d, max %g: %lld are wrong", method, max,
            (long long)wrong);
      gpugeo_neighbors_free(&found);
    }
  free(d);
  free_texts(&t);
}

static void test_neighbors(void) {
  check_neighbors(1500, 12, 20, 1); /* by deletions */
  check_neighbors(1500, 8, 20, 2);
  check_neighbors(700, 5, 3, 1);
  check_neighbors(1500, 5, 20, 3);
  check_neighbors(1200, 9, 9, 0);
  check_neighbors(50, 30, 4, 4); /* by all pairs */
  check_neighbors(50, 90, 4, 60);
}

/* Characters and bytes; missing and empty texts; lengths that are given. */
static void test_letters(void) {
  const char *const text[] = {"caf\xc3\xa9",         "cafe", NULL, "", "\xe2\x82\xac",
                              "\xf0\x9f\x98\x80\x62"};
  const gpugeo_texts x = {6, text, NULL};
  gpugeo_dist_edit_options options = options_of(GPUGEO_EDIT_METHOD_LV, INFINITY, 0);
  options.missing = -5;
  static const double wanted[] = {1, -5, 4, 4, 4, -5, 4, 4, 4, -5, -5, -5, 1, 2, 2};
  double d[15];
  CHECK(!gpugeo_dist_edit(&x, NULL, &options, d, NULL, NULL) && !memcmp(d, wanted, sizeof d),
        "characters");
  options.use_bytes = true;
  CHECK(!gpugeo_dist_edit(&x, NULL, &options, d, NULL, NULL) && d[0] == 2 && d[2] == 5 &&
            d[10] == -5,
        "bytes");
  options.max = 1;
  gpugeo_neighbors found;
  CHECK(!gpugeo_edit_neighbors(&x, NULL, &options, &found, NULL, NULL) && found.start[6] == 0,
        "no neighbours");
  gpugeo_neighbors_free(&found);
  const int64_t length[] = {2, 3};
  const gpugeo_texts given = {2, (const char *const[]){"a\0b", "a\0bc"}, length};
  CHECK(!gpugeo_dist_edit(&given, NULL, &options, d, NULL, NULL) && d[0] == 1, "lengths");
}

/* Checks the message of a call that is refused. */
static void check_refused(const gpugeo_texts *x, const gpugeo_dist_edit_options *options,
                          const char *message) {
  double d[100];
  gpugeo_error error = {0};
  gpugeo_neighbors found;
  CHECK(gpugeo_dist_edit(x, x, options, d, NULL, &error) != GPUGEO_OK &&
            strstr(error.message, message),
        "\"%s\", not \"%s\"", error.message, message);
  CHECK(gpugeo_edit_neighbors(x, NULL, options, &found, NULL, &error) != GPUGEO_OK &&
            strstr(error.message, message) && !found.start,
        "\"%s\", not \"%s\"", error.message, message);
}

static void test_refused(void) {
  static const char *const wrong[] = {"\xff",         "\xc3",         "a\xc0\x80",
                                      "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xc3\x28",     "\x80"};
  gpugeo_dist_edit_options options = options_of(GPUGEO_EDIT_METHOD_LV, INFINITY, 0);
  for (int k = 0; k < 8; ++k) {
    const char *const text[] = {"a", wrong[k]};
    const gpugeo_texts x = {2, text, NULL};
    check_refused(&x, &options, "x must be UTF-8, but text 2 is not");
  }
  const char *const text[] = {"a", "b"};
  gpugeo_texts x = {2, text, NULL};
  options.max = -1;
  check_refused(&x, &options, "max must be a number of at least 0, not -1");
  options.max = NAN;
  check_refused(&x, &options, "max must be a number of at least 0, not NaN");
  options = options_of(GPUGEO_EDIT_METHOD_COUNT, 1, 0);
  check_refused(&x, &options, "method must be between 0 and 2, not 3");
  options = options_of(GPUGEO_EDIT_METHOD_LV, 1, 0);
  x.count = -1;
  check_refused(&x, &options, "x must have between 0 and 2147483647 texts, not -1");
  check_refused(NULL, &options, "x must not be NULL");
  options.run.work_bytes = 1;
  x.count = 2;
  check_refused(&x, &options, "memory_limit must be at least");
}

int main(void) {
  test_pairs();
  test_neighbors();
  test_letters();
  test_refused();
  return check_end();
}
