/* Files of edges: what they may hold, and how each fault in them is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gpugeo.h"
#include "temporary.h"

/* A file and what is read from it. */
typedef struct good_file {
  const char *name, *text;
  int64_t first; /* asked for */
  int64_t vertices, edge_count, found_first;
  int32_t edges[8];  /* all first ends, then all others */
  double weights[4]; /* 0: none */
} good_file;

static const good_file good[] = {
    {"plain", "1 2\n2 3\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0}},
    {"from 0", "0 1\n1 2\n", -1, 3, 2, 0, {0, 1, 1, 2}, {0}},
    {"from 0 without its first vertex", "1 2\n2 3\n", 0, 4, 2, 0, {1, 2, 2, 3}, {0}},
    {"from 1, said", "2 3\n", 1, 3, 1, 1, {2, 3}, {0}},
    {"comments", "# a\n\n% b\n  # c\n1 2\n \t\n2 3\n#", -1, 3, 2, 1, {1, 2, 2, 3}, {0}},
    {"separators", " 1,2\n2\t3 \n 3 , 1\n", -1, 3, 3, 1, {1, 2, 3, 2, 3, 1}, {0}},
    {"lines of other systems", "1 2\r\n\r\n2 3\r\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0}},
    {"no last end", "1 2\n2 3", -1, 3, 2, 1, {1, 2, 2, 3}, {0}},
    {"weights", "1 2 0.5\n2 3 1e-3\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0.5, 1e-3}},
    {"weight 0", "1 2 0\n2 3 4\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0, 4}},
    {"head", "5 2\n1 2\n2 3\n", -1, 5, 2, 1, {1, 2, 2, 3}, {0}},
    {"head, from 0", "4 2\n0 1\n2 3\n", -1, 4, 2, 0, {0, 2, 1, 3}, {0}},
    {"head and weights", "3 2\n1 2 0.5\n2 3 2\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0.5, 2}},
    {"no head: other lines", "5 3\n1 2\n2 3\n", -1, 5, 3, 1, {5, 1, 2, 3, 2, 3}, {0}},
    {"no head: a vertex beyond", "2 2\n1 2\n2 3\n", -1, 3, 3, 1, {2, 1, 2, 2, 2, 3}, {0}},
    {"no head: the last is beyond from 0", "3 2\n0 1\n2 3\n", -1, 4, 3, 0, {3, 0, 2, 2, 1, 3}, {0}},
    {"only a head", "7 0\n", -1, 7, 0, 1, {0}, {0}},
    {"empty", "", -1, 0, 0, 1, {0}, {0}},
    {"only comments", "# 1 2\n", 0, 0, 0, 0, {0}, {0}},
    {"loops", "1 1\n1 1\n1 1\n", -1, 1, 3, 1, {1, 1, 1, 1, 1, 1}, {0}},
    {"largest", "2147483647 1\n", -1, 2147483647, 1, 1, {2147483647, 1}, {0}},
};

static const gpugeo_run *usual_run(void) {
  static gpugeo_run run;
  gpugeo_run_init(&run);
  return &run;
}

static void check_content(const char *name, const gpugeo_edge_file *file, const good_file *want) {
  CHECK(file->vertices == want->vertices && file->edge_count == want->edge_count &&
            file->first == want->found_first,
        "%s: %lld vertices from %lld, %lld edges", name, (long long)file->vertices,
        (long long)file->first, (long long)file->edge_count);
  if (file->edge_count != want->edge_count) return;
  CHECK(memcmp(file->edges, want->edges, sizeof(int32_t) * 2 * (size_t)want->edge_count) == 0,
        "%s: other edges", name);
  const bool weighted = want->weights[0] != 0 || want->weights[1] != 0;
  if (CHECK(weighted == (file->weights != NULL), "%s: weights", name) && weighted)
    CHECK(memcmp(file->weights, want->weights, sizeof(double) * (size_t)want->edge_count) == 0,
          "%s: other weights", name);
}

static void test_good(void) {
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    char *path = temporary_file(good[i].text, strlen(good[i].text));
    gpugeo_edge_file file;
    gpugeo_error error = {0};
    const gpugeo_status status = gpugeo_edge_file_read(path, good[i].first, usual_run(), &file, &error);
    if (CHECK(!status, "%s: %s", good[i].name, error.message)) {
      check_content(good[i].name, &file, &good[i]);
      gpugeo_edge_file_free(&file);
    }
    temporary_remove(path);
  }
}

/* What a faulty file comes to; the file's name stands before the text. */
static const struct {
  const char *text, *said;
  int64_t first;
} bad[] = {
    {"1 2\n1\n", ", line 2: there must be 2 or 3 fields, the vertices and perhaps a weight, not 1",
     -1},
    {"1 2 3 4\n",
     ", line 1: there must be 2 or 3 fields, the vertices and perhaps a weight, not more than 3",
     -1},
    {"1 2\n\n2 3\n3 4 1\n", ", line 4: there must be 2 fields, the vertices, not 3", -1},
    {"1 2\n2 3 1\n3 4 1\n4 5 1\n",
     ", line 1: there must be 3 fields, the vertices and the weight, as in other lines, not 2", -1},
    {"1 2 1\n2 3\n", ", line 1: there must be 2 fields, the vertices, not 3", -1},
    {"1 2\n1.5 2\n",
     ", line 2: a vertex must be a whole number between 0 and 2147483647, not \"1.5\"", -1},
    {"-1 2\n", ", line 1: a vertex must be a whole number between 0 and 2147483647, not \"-1\"",
     -1},
    {"1 b\n", ", line 1: a vertex must be a whole number between 0 and 2147483647, not \"b\"", -1},
    {"2147483648 2\n",
     ", line 1: a vertex must be a whole number between 0 and 2147483647, not \"2147483648\"", -1},
    {"1 99999999999999999999999\n",
     ", line 1: a vertex must be a whole number between 0 and 2147483647, not "
     "\"99999999999999999999999\"",
     -1},
    {"1 2 x\n", ", line 1: a weight must be a finite number of at least 0, not \"x\"", -1},
    {"1 2 -1\n", ", line 1: a weight must be a finite number of at least 0, not \"-1\"", -1},
    {"1 2 nan\n", ", line 1: a weight must be a finite number of at least 0, not \"nan\"", -1},
    {"1 2 1e999\n", ", line 1: a weight must be a finite number of at least 0, not \"1e999\"", -1},
    {"1 2\n0 1\n", " has a vertex 0: first must be 0, not 1", 1},
};

static void expect(const char *path, int64_t first, const char *argument, const char *message) {
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_edge_file_read(path, first, usual_run(), &file, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, argument) == 0 &&
            strcmp(error.message, message) == 0,
        "status %d, argument \"%s\", \"%s\", expected \"%s\"", status, error.argument,
        error.message, message);
  CHECK(!file.edges && !file.weights, "a failed call leaves memory");
  CHECK(gpugeo_edge_file_read(path, first, usual_run(), &file, NULL) == GPUGEO_ERROR_ARGUMENT, "error NULL");
}

static void test_bad(void) {
  char message[600];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    char *path = temporary_file(bad[i].text, strlen(bad[i].text));
    snprintf(message, sizeof message, "file \"%s\"%s", path, bad[i].said);
    expect(path, bad[i].first, bad[i].first == 1 ? "first" : "path", message);
    temporary_remove(path);
  }
  expect("/nowhere/at/all", -1, "path",
         "file \"/nowhere/at/all\" cannot be read: No such file or directory");
  expect("/", -1, "path", "file \"/\" cannot be read: it must be a regular file, not a folder");
  expect("/nowhere/at/all", 2, "first", "first must be -1, 0 or 1, not 2");
}

/* More than is read at once: comments between, lines of all lengths, the last without an end. */
static void test_large(void) {
  const int64_t count = 300000;
  char *text = malloc((size_t)count * 64), *at = text;
  for (int64_t e = 0; e < count; ++e) {
    if (e % 1000 == 0) at += sprintf(at, "# %0*d\n", 1 + (int)(e % 37), 0);
    at += sprintf(at, "%lld%*s%lld %.3f%s", (long long)e, 1 + (int)(e % 9), "",
                  (long long)(7 * e % count), (double)e / 8, e + 1 < count ? "\n" : "");
  }
  char *path = temporary_file(text, (size_t)(at - text));
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_edge_file_read(path, -1, usual_run(), &file, &error), "%s", error.message)) {
    CHECK(file.edge_count == count && file.vertices == count && file.first == 0,
          "%lld edges, %lld vertices", (long long)file.edge_count, (long long)file.vertices);
    int64_t wrong = 0;
    for (int64_t e = 0; e < file.edge_count; ++e)
      wrong += file.edges[e] != e || file.edges[e + count] != 7 * e % count ||
               file.weights[e] != (double)e / 8;
    CHECK(wrong == 0, "%lld edges differ", (long long)wrong);
    gpugeo_edge_file_free(&file);
  }
  temporary_remove(path);
  free(text);
}

static void test_long_line(void) {
  const size_t size = (size_t)3 << 20;
  char *text = malloc(size), message[600];
  memset(text, ' ', size);
  memcpy(text, "1 2\n", 4);
  char *path = temporary_file(text, size);
  snprintf(message, sizeof message, "file \"%s\", line 2 is longer than 1048576 bytes", path);
  expect(path, -1, "path", message);
  temporary_remove(path);
  free(text);
}

/* "1 2\n2 3\n" by gzip. */
static const unsigned char zipped[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                       0x33, 0x54, 0x30, 0xe2, 0x32, 0x52, 0x30, 0xe6, 0x02, 0x00,
                                       0xf5, 0xf1, 0x2b, 0x96, 0x08, 0x00, 0x00, 0x00};

static void test_gzip(void) {
  char *path = temporary_file(zipped, sizeof zipped), message[600];
#if defined(GPUGEO_WITH_ZLIB)
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_edge_file_read(path, -1, usual_run(), &file, &error), "%s", error.message)) {
    check_content("gzip", &file, &good[0]);
    gpugeo_edge_file_free(&file);
  }
  temporary_remove(path);
  path = temporary_file(zipped, sizeof zipped - 6);
  snprintf(message, sizeof message, "file \"%s\" cannot be read: unexpected end of file", path);
#else
  snprintf(message, sizeof message,
           "file \"%s\" cannot be read: it is compressed, and gpugeo was built without zlib", path);
#endif
  expect(path, -1, "path", message);
  temporary_remove(path);
}

int main(void) {
  test_good();
  test_bad();
  test_large();
  test_long_line();
  test_gzip();
  return check_end();
}
