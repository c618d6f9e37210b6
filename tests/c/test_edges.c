/* Files of edges: what they may hold, and how each fault in them is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(GPUGEO_WITH_ZLIB)
#include <zlib.h>
#endif

#include "check.h"
#include "common/test_hooks.h"
#include "decimal_comma.h"
#include "gpugeo.h"
#include "system.h"
#include "temporary.h"
#include "witness.h"

/* A file and what is read from it. */
typedef struct good_file {
  const char *name, *text;
  int64_t first; /* asked for */
  int64_t vertices, edge_count, found_first;
  int32_t edges[8];  /* all first ends, then all others */
  double weights[4]; /* 0: none */
  enum { AUTO, HEADER, EDGE } header;
  int32_t found_header, gaps;
} good_file;

/* Returns the argument `header` of gpugeo_edge_file_read(). */
static int32_t header_of(const good_file *file) { return (int32_t[]){-1, 1, 0}[file->header]; }

static const good_file good[] = {
    {"plain", "1 2\n2 3\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0}, AUTO, 0, 0},
    {"from 0", "0 1\n1 2\n", -1, 3, 2, 0, {0, 1, 1, 2}, {0}, AUTO, 0, 0},
    {"from 0 without its first vertex", "1 2\n2 3\n", 0, 4, 2, 0, {1, 2, 2, 3}, {0}, AUTO, 0, 0},
    {"from 1, said", "2 3\n", 1, 3, 1, 1, {2, 3}, {0}, AUTO, 0, 0},
    {"comments", "# a\n\n% b\n  # c\n1 2\n \t\n2 3\n#", -1, 3, 2, 1, {1, 2, 2, 3}, {0}, AUTO, 0, 0},
    {"separators", " 1,2\n2\t3 \n 3 , 1\n", -1, 3, 3, 1, {1, 2, 3, 2, 3, 1}, {0}, AUTO, 0, 0},
    {"lines of other systems", "1 2\r\n\r\n2 3\r\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0}, AUTO, 0, 0},
    {"no last end", "1 2\n2 3", -1, 3, 2, 1, {1, 2, 2, 3}, {0}, AUTO, 0, 0},
    {"weights", "1 2 0.5\n2 3 1e-3\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0.5, 1e-3}, AUTO, 0, 0},
    {"weight 0", "1 2 0\n2 3 4\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0, 4}, AUTO, 0, 0},
    {"head", "5 2\n1 2\n2 3\n", -1, 5, 2, 1, {1, 2, 2, 3}, {0}, HEADER, 1, 0},
    {"head, from 0", "4 2\n0 1\n2 3\n", -1, 4, 2, 0, {0, 2, 1, 3}, {0}, HEADER, 1, 0},
    {"head and weights", "3 2\n1 2 0.5\n2 3 2\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0.5, 2}, AUTO, 1, 0},
    {"an edge, or a head",
     "4 3\n1 2\n2 3\n1 3\n",
     -1,
     4,
     4,
     1,
     {4, 1, 2, 1, 3, 2, 3, 3},
     {0},
     AUTO,
     2,
     0},
    {"an edge, as is said",
     "4 3\n1 2\n2 3\n1 3\n",
     -1,
     4,
     4,
     1,
     {4, 1, 2, 1, 3, 2, 3, 3},
     {0},
     EDGE,
     0,
     0},
    {"names of columns", "from,to\n1,2\n2,3\n", -1, 3, 2, 1, {1, 2, 2, 3}, {0}, AUTO, 1, 0},
    {"names of more columns",
     "# a\nfrom to weight\n1 2 5\n2 3 4\n",
     -1,
     3,
     2,
     1,
     {1, 2, 2, 3},
     {5, 4},
     HEADER,
     1,
     0},
    {"only names of columns", "from to\n", -1, 0, 0, 1, {0}, {0}, AUTO, 1, 0},
    {"gaps", "1 9\n2 9\n", -1, 9, 2, 1, {1, 2, 9, 9}, {0}, AUTO, 0, 1},
    {"fewer gaps", "1 6\n2 6\n", -1, 6, 2, 1, {1, 2, 6, 6}, {0}, AUTO, 0, 0},
    {"a head says the gaps", "9 1\n1 9\n", -1, 9, 1, 1, {1, 9}, {0}, HEADER, 1, 0},
    {"no head: other lines", "5 3\n1 2\n2 3\n", -1, 5, 3, 1, {5, 1, 2, 3, 2, 3}, {0}, AUTO, 0, 0},
    {"no head: a vertex beyond",
     "2 2\n1 2\n2 3\n",
     -1,
     3,
     3,
     1,
     {2, 1, 2, 2, 2, 3},
     {0},
     AUTO,
     0,
     0},
    {"no head: the last is beyond from 0",
     "3 2\n0 1\n2 3\n",
     -1,
     4,
     3,
     0,
     {3, 0, 2, 2, 1, 3},
     {0},
     AUTO,
     0,
     0},
    {"only a head", "7 0\n", -1, 7, 0, 1, {0}, {0}, HEADER, 1, 0},
    {"only an edge", "7 0\n", -1, 8, 1, 0, {7, 0}, {0}, AUTO, 0, 1},
    {"empty", "", -1, 0, 0, 1, {0}, {0}, AUTO, 0, 0},
    {"only comments", "# 1 2\n", 0, 0, 0, 0, {0}, {0}, AUTO, 0, 0},
    {"loops", "1 1\n1 1\n1 1\n", -1, 1, 3, 1, {1, 1, 1, 1, 1, 1}, {0}, AUTO, 0, 0},
    {"largest", "2147483647 1\n", -1, 2147483647, 1, 1, {2147483647, 1}, {0}, AUTO, 0, 1},
    {"byte order mark",
     "\xef\xbb\xbf"
     "1 2\n2 3\n",
     -1,
     3,
     2,
     1,
     {1, 2, 2, 3},
     {0},
     AUTO,
     0,
     0},
    {"byte order mark and head",
     "\xef\xbb\xbf"
     "5 2\n1 2\n2 3\n",
     -1,
     5,
     2,
     1,
     {1, 2, 2, 3},
     {0},
     HEADER,
     1,
     0},
    {"byte order mark alone", "\xef\xbb\xbf", -1, 0, 0, 1, {0}, {0}, AUTO, 0, 0},
    {"market: pattern, general",
     "%%MatrixMarket matrix coordinate pattern general\n% a\n%\n\n 5 5 2\n1 2\n3 2\n",
     -1,
     5,
     2,
     1,
     {1, 3, 2, 2},
     {0},
     AUTO,
     0,
     0},
    {"market: real, symmetric",
     "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 0.5\n\n3 3 1e-3\n4 1  2\n",
     1,
     4,
     3,
     1,
     {2, 3, 4, 1, 3, 1},
     {0.5, 1e-3, 2},
     AUTO,
     0,
     0},
    {"market: of the other triangle",
     "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 0.5\n1 3 4\n",
     -1,
     3,
     2,
     1,
     {1, 1, 2, 3},
     {0.5, 4},
     AUTO,
     0,
     0},
    {"market: integer, in capitals and with other line ends",
     "%%MATRIXMARKET MATRIX Coordinate Integer GENERAL\r\n3 3 2\r\n1 2 7\r\n2 1 3\r\n",
     -1,
     3,
     2,
     1,
     {1, 2, 2, 1},
     {7, 3},
     AUTO,
     0,
     0},
    {"market: weights of which one is 0",
     "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0\n2 1 3\n",
     -1,
     3,
     2,
     1,
     {1, 2, 2, 1},
     {0, 3},
     AUTO,
     0,
     0},
    {"market: nothing in it",
     "%%MatrixMarket matrix coordinate pattern symmetric\n7 7 0\n",
     -1,
     7,
     0,
     1,
     {0},
     {0},
     AUTO,
     0,
     0},
    {"market: what looks like sizes is an entry",
     "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n3 2\n1 2\n2 3\n",
     -1,
     3,
     3,
     1,
     {3, 1, 2, 2, 2, 3},
     {0},
     AUTO,
     0,
     0},
    {"market: with a byte order mark",
     "\xef\xbb\xbf%%MatrixMarket matrix coordinate pattern general\n3 3 1\n3 2\n",
     -1,
     3,
     1,
     1,
     {3, 2},
     {0},
     AUTO,
     0,
     0},
    {"no market: later lines are remarks",
     "1 2\n%%MatrixMarket matrix array\n2 3\n",
     -1,
     3,
     2,
     1,
     {1, 2, 2, 3},
     {0},
     AUTO,
     0,
     0},
};

static const gpugeo_run *usual_run(void) {
  static gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  return &run;
}

static void check_content(const char *name, const gpugeo_edge_file *file, const good_file *want) {
  CHECK(file->vertices == want->vertices && file->edge_count == want->edge_count &&
            file->first == want->found_first,
        "%s: %lld vertices from %lld, %lld edges", name, (long long)file->vertices,
        (long long)file->first, (long long)file->edge_count);
  CHECK(file->header == want->found_header && file->gaps == want->gaps, "%s: header %d, gaps %d",
        name, (int)file->header, (int)file->gaps);
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
    const gpugeo_status status =
        gpugeo_edge_file_read(path, good[i].first, header_of(&good[i]), usual_run(), &file, &error);
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
    {"%%MatrixMarket matrix array real general\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix array real general\"",
     -1},
    {"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix coordinate complex general\"",
     -1},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix coordinate real skew-symmetric\"",
     -1},
    {"%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix coordinate complex hermitian\"",
     -1},
    {"%%MatrixMarket vector coordinate real general\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"vector coordinate real general\"",
     -1},
    {"%%MatrixMarket matrix coordinate real\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix coordinate real\"",
     -1},
    {"%%MatrixMarket matrix coordinate pattern general more\n3 3 1\n1 2 1\n",
     ", line 1: a Matrix Market file must be \"matrix coordinate\", \"pattern\", \"real\" or "
     "\"integer\", and \"general\" or \"symmetric\", not \"matrix coordinate pattern general "
     "more\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n3 3\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"3 3\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n3 3 1 1\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"3 3 1 1\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n3 3 -1\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"3 3 -1\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n3.5 3 1\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"3.5 3 1\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n2147483648 2147483648 1\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"2147483648 2147483648 1\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n% x\n3 3 99999999999999999999\n1 2 1\n",
     ", line 3: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"3 3 99999999999999999999\"",
     -1},
    {"%%MatrixMarket matrix coordinate real general\n3 4 1\n1 2 1\n",
     ", line 2: the matrix of a graph must be square, not 3 x 4", -1},
    {"%%MatrixMarket matrix coordinate real general\n",
     " must have a line of rows, columns and entries", -1},
    {"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n",
     " must have 2 entries, as its line 2 says, not 1", -1},
    {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1\n1 3 1\n",
     " must have 1 entries, as its line 2 says, not more", -1},
    {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n",
     ", line 3: there must be 3 fields, the vertices and the weight, as in other lines, not 2", -1},
    {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 1\n",
     ", line 3: there must be 2 fields, the vertices, not 3", -1},
    {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 4\n",
     ", line 3: a vertex must be between 1 and 3, the rows of the matrix, not 4", -1},
    {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n0 2\n",
     ", line 3: a vertex must be between 1 and 3, the rows of the matrix, not 0", -1},
    {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 0.5\n",
     ", line 3: a weight must be a whole number in an integer matrix, not \"0.5\"", -1},
    {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 -1\n",
     ", line 3: a weight must be a finite number of at least 0, not \"-1\"", -1},
    {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n1 2 1\n",
     ", line 4: a symmetric matrix must have entries on one side of its diagonal, not on both", -1},
    {"%%MatrixMarket matrix coordinate pattern general\n# 3 3 1\n",
     ", line 2: there must be the numbers of rows (at most 2147483647), columns and entries, not "
     "\"# 3 3 1\"",
     -1},
    {"1 2\n1 \xff\x01\xc3\xa4\xc3\n",
     ", line 2: a vertex must be a whole number between 0 and 2147483647, not \"??\xc3\xa4?\"", -1},
    {"1 "
     "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
     "\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
     "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
     "\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n",
     ", line 1: a vertex must be a whole number between 0 and 2147483647, not "
     "\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
     "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
     "\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"",
     -1},
    {"1 2\n\xef\xbb\xbf"
     "2 3\n",
     ", line 2: a vertex must be a whole number between 0 and 2147483647, not \"\xef\xbb\xbf"
     "2\"",
     -1},
};

static void expect(const char *path, int64_t first, const char *argument, const char *message) {
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  const gpugeo_status status = gpugeo_edge_file_read(path, first, -1, usual_run(), &file, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, argument) == 0 &&
            strcmp(error.message, message) == 0,
        "status %d, argument \"%s\", \"%s\", expected \"%s\"", status, error.argument,
        error.message, message);
  CHECK(!file.edges && !file.weights, "a failed call leaves memory");
  CHECK(gpugeo_edge_file_read(path, first, -1, usual_run(), &file, NULL) == GPUGEO_ERROR_ARGUMENT,
        "error NULL");
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
  if (CHECK(!gpugeo_edge_file_read(path, -1, -1, usual_run(), &file, &error), "%s",
            error.message)) {
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

/* Writes a whole number of 1 to 10 digits, some with zeros in front, and returns its value. */
static int64_t write_number(uint64_t index, char **at) {
  static const uint64_t powers[] = {1,       10,       100,       1000,       10000,      100000,
                                    1000000, 10000000, 100000000, 1000000000, 2147483648u};
  const int digits = (int)(index % 10) + 1;
  const uint64_t value = (index * 0x9e3779b97f4a7c15u >> 20) % powers[digits];
  *at += sprintf(*at, "%0*llu", index % 13 == 0 ? 25 : 1, (unsigned long long)value);
  return (int64_t)value;
}

/* Writes an edge in one of several ways, and its vertices and weight to those expected. */
static void write_edge(int64_t e, int64_t count, bool weighted, char **at, gpugeo_edge_file *want) {
  static const char *const between[] = {" ", "\t", ",", "  ", " , "};
  static const char *const ends[] = {"\n", "\r\n", " \n", "\n\n", "\n# 1\n"};
  static const char *const weights[] = {"0",
                                        "7",
                                        "0.5",
                                        ".25",
                                        "3.",
                                        "12345678.9",
                                        "1e-3",
                                        "1E300",
                                        "0x1p3",
                                        "5e-324",
                                        "0.1000000000000000055",
                                        "000.1",
                                        "999999999999999",
                                        "9007199254740993"};
  static const double values[] = {
      0,     7, 0.5,    0.25, 3,   12345678.9,        1e-3,
      1e300, 8, 5e-324, 0.1,  0.1, 999999999999999.0, 9007199254740992.0};
  const int way = (int)(e % 5), end = e % 997 == 0 ? 4 : e % 11 == 0 ? 3 : (int)(e % 3);
  want->edges[e] = (int32_t)write_number((uint64_t)e, at);
  *at += sprintf(*at, "%s", between[way]);
  want->edges[e + count] = (int32_t)write_number((uint64_t)(7 * e + 3), at);
  if (weighted) {
    *at += sprintf(*at, "%s%s", between[(e / 5) % 5], weights[e % 14]);
    want->weights[e] = values[e % 14];
  }
  *at += sprintf(*at, "%s", ends[end]);
}

/* Lines of all kinds in several buffers are read alike on any number of threads. */
static void check_threads(bool weighted) {
  const int64_t count = 150000;
  char *text = malloc((size_t)count * 128), *at = text;
  gpugeo_edge_file want = {.edges = malloc((size_t)count * 8),
                           .weights = malloc((size_t)count * 8)};
  for (int64_t e = 0; e < count; ++e)
    write_edge(e, count, weighted, &at, &want);
  char *path = temporary_file(text, (size_t)(at - text));
  for (int threads = 1; threads < 6; ++threads) {
    gpugeo_run run = *usual_run();
    run.threads = threads;
    gpugeo_edge_file file;
    gpugeo_error error = {0};
    if (!CHECK(!gpugeo_edge_file_read(path, 0, 0, &run, &file, &error), "%s", error.message))
      continue;
    const size_t size = (size_t)count * 8;
    CHECK(file.edge_count == count && !memcmp(file.edges, want.edges, size),
          "%d threads: %lld edges", threads, (long long)file.edge_count);
    CHECK(weighted ? file.weights && !memcmp(file.weights, want.weights, size) : !file.weights,
          "%d threads: weights", threads);
    gpugeo_edge_file_free(&file);
  }
  temporary_remove(path);
  free(want.edges);
  free(want.weights);
  free(text);
}

/* Of several wrong lines the first is named, wherever it is among the lines that threads read. */
static void test_first_wrong(void) {
  enum { LINES = 300000, BYTES = 12 };
  static const int64_t wrong[] = {2, 3, 5460, 5461, 5462, 5463, 87381, 87382, 87383, 250000, LINES};
  static const char *const texts[] = {"1 x", "1", "1 2 3", "2147483648 1", "1 2x", "1 2 3 4"};
  static const char *const said[] = {
      "a vertex must be a whole number between 0 and 2147483647, not \"x\"",
      "there must be 2 or 3 fields, the vertices and perhaps a weight, not 1",
      "there must be 2 fields, the vertices, not 3",
      "a vertex must be a whole number between 0 and 2147483647, not \"2147483648\"",
      "a vertex must be a whole number between 0 and 2147483647, not \"2x\"",
      "there must be 2 or 3 fields, the vertices and perhaps a weight, not more than 3"};
  char *text = malloc((size_t)LINES * BYTES + 1), message[600];
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
    for (int64_t i = 0; i < LINES; ++i)
      sprintf(text + i * BYTES, "%5d %5d\n", (int)(i % 1000), (int)(i % 999));
    for (int64_t i = wrong[w] + 1; i <= LINES; i += 1 + i / 2) /* more of them */
      text[(i - 1) * BYTES] = '?';
    char line[BYTES];
    snprintf(line, sizeof line, "%11s", "");
    const size_t kind = w % 6 == 2 && wrong[w] == 2 ? 0 : w % 6;
    memcpy(line, texts[kind], strlen(texts[kind]));
    memcpy(text + (wrong[w] - 1) * BYTES, line, BYTES - 1);
    char *path = temporary_file(text, (size_t)LINES * BYTES);
    snprintf(message, sizeof message, "file \"%s\", line %lld: %s", path, (long long)wrong[w],
             said[kind]);
    expect(path, -1, "path", message);
    temporary_remove(path);
  }
  free(text);
}

/* Large Matrix Market files: the first wrong entry is named, and a good file has all. */
static void test_large_market(void) {
  enum { ENTRIES = 150000, BYTES = 16, SIDE = 500 };
  static const char *const wrong[] = {NULL, "    7    9    1", "  501    3    1", "    9    7  0.5",
                                      "    9    7    x"};
  static const char *const said[] = {
      "",
      ", line 90002: a symmetric matrix must have entries on one side of its diagonal, not on both",
      ", line 90002: a vertex must be between 1 and 500, the rows of the matrix, not 501",
      ", line 90002: a weight must be a whole number in an integer matrix, not \"0.5\"",
      ", line 90002: a weight must be a finite number of at least 0, not \"x\""};
  char *text = malloc((size_t)(ENTRIES + 10) * BYTES), message[600];
  for (int w = 0; w < 6; ++w) {
    const int entries = w == 5 ? ENTRIES - 1 : ENTRIES;
    char *at =
        text + sprintf(text, "%%%%MatrixMarket matrix coordinate integer symmetric\n%d %d %d\n",
                       SIDE, SIDE, entries);
    for (int i = 0; i < ENTRIES; ++i) {
      const int row = i * 7 % SIDE + 1, column = i % row + 1;
      at += sprintf(at, "%5d%5d%5d\n", row, column, i % 1000);
      if (w > 0 && w < 5 && i == 90000 - 1) memcpy(at - BYTES, wrong[w], BYTES - 1);
    }
    char *path = temporary_file(text, (size_t)(at - text));
    snprintf(message, sizeof message, "file \"%s\"%s", path, w < 5 ? said[w] : "");
    if (w == 5)
      snprintf(message, sizeof message,
               "file \"%s\" must have %d entries, as its line 2 says, not more", path, entries);
    gpugeo_edge_file file;
    gpugeo_error error = {0};
    if (w > 0) {
      expect(path, -1, "path", message);
    } else if (CHECK(!gpugeo_edge_file_read(path, -1, -1, usual_run(), &file, &error), "%s",
                     error.message)) {
      int64_t differing = 0;
      for (int i = 0; i < ENTRIES; ++i)
        differing += file.edges[i] != i * 7 % SIDE + 1 ||
                     file.edges[i + ENTRIES] != i % (i * 7 % SIDE + 1) + 1 ||
                     file.weights[i] != i % 1000;
      CHECK(file.edge_count == ENTRIES && file.vertices == SIDE && differing == 0,
            "%lld entries, %lld differ", (long long)file.edge_count, (long long)differing);
      gpugeo_edge_file_free(&file);
    }
    temporary_remove(path);
  }
  free(text);
}

/* Large Matrix Market files of all kinds, on one thread and on three; with an entry too few. */
static void test_market_kinds(void) {
  enum { ENTRIES = 120000, BYTES = 24, ROWS = 300, COLUMNS = 300 };
  static const char *const kinds[] = {"pattern general", "real general", "integer general",
                                      "pattern symmetric", "real symmetric"};
  char *text = malloc((size_t)(ENTRIES + 10) * BYTES), message[600];
  for (int k = 0; k < 5; ++k) {
    const bool weighted = kinds[k][0] != 'p', symmetric = k > 2;
    const double step = kinds[k][0] == 'r' ? 0.25 : 1;
    for (int way = 0; way < 3; ++way) {
      const int entries = ENTRIES + (way == 2);
      char *at = text + sprintf(text, "%%%%MatrixMarket matrix coordinate %s\n%% made\n%d %d %d\n",
                                kinds[k], ROWS, COLUMNS, entries);
      for (int i = 0; i < ENTRIES; ++i) {
        const int row = i % ROWS + 1, column = symmetric ? i % row + 1 : i / ROWS % COLUMNS + 1;
        at += sprintf(at, "%d %d", row, column);
        if (weighted) at += sprintf(at, " %g", step * (i % 1000));
        *at++ = '\n';
      }
      char *path = temporary_file(text, (size_t)(at - text));
      gpugeo_run run = *usual_run();
      run.threads = way == 0 ? 1 : 3;
      gpugeo_edge_file file = {0};
      gpugeo_error error = {0};
      const gpugeo_status status = gpugeo_edge_file_read(path, -1, -1, &run, &file, &error);
      snprintf(message, sizeof message,
               "file \"%s\" must have %d entries, as its line 3 says, not %d", path, entries,
               ENTRIES);
      CHECK(way == 2 ? strcmp(error.message, message) == 0 : !status, "%s: %s", kinds[k],
            error.message);
      int64_t differing = 0;
      for (int i = 0; !status && file.edge_count == ENTRIES && i < ENTRIES; ++i) {
        const int row = i % ROWS + 1, column = symmetric ? i % row + 1 : i / ROWS % COLUMNS + 1;
        differing += file.edges[i] != row || file.edges[i + ENTRIES] != column;
        differing += weighted && file.weights[i] != step * (i % 1000);
      }
      CHECK(status || (file.edge_count == ENTRIES && file.vertices == ROWS && differing == 0 &&
                       (file.weights != NULL) == weighted),
            "%s: %lld entries, %lld differ", kinds[k], (long long)file.edge_count,
            (long long)differing);
      gpugeo_edge_file_free(&file);
      temporary_remove(path);
    }
  }
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

#if defined(GPUGEO_WITH_ZLIB)
/* A file of several parts, one after the other. */
static char *join(const void *first, size_t first_size, const void *second, size_t second_size) {
  char bytes[256];
  memcpy(bytes, first, first_size);
  memcpy(bytes + first_size, second, second_size);
  return temporary_file(bytes, first_size + second_size);
}

static void expect_unreadable(char *path, const char *why) {
  char message[600];
  snprintf(message, sizeof message, "file \"%s\" cannot be read: %s", path, why);
  expect(path, -1, "path", message);
  temporary_remove(path);
}

static void expect_good(const char *name, char *path, const good_file *want) {
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_edge_file_read(path, -1, -1, usual_run(), &file, &error), "%s",
            error.message)) {
    check_content(name, &file, want);
    gpugeo_edge_file_free(&file);
  }
  temporary_remove(path);
}

static void test_gzip(void) {
  expect_good("gzip", temporary_file(zipped, sizeof zipped), &good[0]);
  static const good_file both = {"", "", -1, 3, 4, 1, {1, 2, 1, 2, 2, 3, 2, 3}, {0}, AUTO, 0, 0};
  expect_good("two members", join(zipped, sizeof zipped, zipped, sizeof zipped), &both);
  expect_unreadable(temporary_file(zipped, sizeof zipped - 6), "unexpected end of file");
  expect_unreadable(join(zipped, sizeof zipped, zipped, 12), "unexpected end of file");
  /* What follows the compressed data is ignored, as by gzip -d. */
  expect_good("padded", join(zipped, sizeof zipped, "\0\0", 2), &good[0]);
  expect_good("other bytes", join(zipped, sizeof zipped, "3 4\n", 4), &good[0]);
  unsigned char damaged[sizeof zipped];
  memcpy(damaged, zipped, sizeof zipped);
  damaged[20] ^= 1;
  expect_unreadable(temporary_file(damaged, sizeof damaged), "incorrect data check");
}

/* 200,000 edges in some hundred bytes. */
static char *make_bomb(void) {
  char *path = temporary_file("", 0);
  gzFile file = gzopen(path, "wb9");
  for (int i = 0; i < 200000; ++i)
    gzwrite(file, "1 2\n", 4);
  gzclose(file);
  return path;
}

static void test_memory_limit(void) {
  char *path = make_bomb(), message[600];
  gpugeo_run run = *usual_run();
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  gg_file_about about;
  CHECK(gg_path_describe(path, &about) && about.size < 10000, "it is no bomb");
  run.work_bytes = 1 << 20;
  gpugeo_status status = gpugeo_edge_file_read(path, -1, -1, &run, &file, &error);
  snprintf(message, sizeof message,
           "memory_limit must be more than 1048576 bytes for file \"%s\", which has more than "
           "32768 edges of 32 bytes each",
           path);
  CHECK(status == GPUGEO_ERROR_MEMORY && strcmp(error.argument, "memory_limit") == 0 &&
            strcmp(error.message, message) == 0 && !file.edges,
        "status %d, \"%s\"", status, error.message);
  run.work_bytes = 200000 * 32;
  CHECK(!gpugeo_edge_file_read(path, -1, -1, &run, &file, &error), "%s", error.message);
  gpugeo_edge_file_free(&file);
  run.work_bytes = 0;
  set_variable("GPUGEO_MEMORY", "0.0009765625"); /* of the machine: 2^20 bytes */
  status = gpugeo_edge_file_read(path, -1, -1, &run, &file, &error);
  set_variable("GPUGEO_MEMORY", NULL);
  snprintf(message, sizeof message,
           "file \"%s\" has more than 32768 edges, which need 1.0 MiB of memory: more than this "
           "machine has",
           path);
  CHECK(status == GPUGEO_ERROR_MEMORY && strcmp(error.message, message) == 0, "status %d, \"%s\"",
        status, error.message);
  temporary_remove(path);
}
#else
static void test_gzip(void) {
  char *path = temporary_file(zipped, sizeof zipped), message[600];
  snprintf(message, sizeof message,
           "file \"%s\" cannot be read: it is compressed, and gpugeo was built without zlib", path);
  expect(path, -1, "path", message);
  temporary_remove(path);
}

static void test_memory_limit(void) { check_skip(4, "built without zlib: no compressed files"); }
#endif

/* A byte 0 is in no text, wherever it is in the line. */
static void test_nul(void) {
  static const struct {
    const char text[12];
    size_t size;
  } files[] = {{"1 2\n2\0 3\n", 9}, {"1 2\n\0 2 3", 9}, {"1 2\n2 3 \0", 9}, {"1 2\n# a\0 \n", 10}};
  for (int i = 0; i < 4; ++i) {
    char *path = temporary_file(files[i].text, files[i].size), message[600];
    snprintf(message, sizeof message, "file \"%s\", line 2 must be text, but holds a NUL byte",
             path);
    expect(path, -1, "path", message);
    temporary_remove(path);
  }
}

/* What is no regular file is refused at once, without waiting for bytes. */
static void test_pipe(void) {
  char *folder = temporary_folder(), message[600];
  char *path = temporary_path(folder, "pipe");
  snprintf(message, sizeof message,
           "file \"%s\" cannot be read: it must be a regular file, not a pipe", path);
  if (make_pipe(path)) expect(path, -1, "path", message);
  temporary_remove(path);
  temporary_remove(folder);
  snprintf(message, sizeof message,
           "file \"%s\" cannot be read: it must be a regular file, not a device", device_path);
  expect(device_path, -1, "path", message);
}

/* The hooks are called each time that the buffer is filled. */
static void test_hooks(void) {
  const size_t size = (size_t)8 << 20;
  char *text = malloc(size);
  for (size_t at = 0; at < size; at += 4)
    memcpy(text + at, "1 2\n", 4);
  char *path = temporary_file(text, size);
  gg_clock_set_polls(1);
  witness w = {.stop_at = 3};
  gpugeo_run run = *usual_run();
  witness_watch(&w, &run);
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_edge_file_read(path, -1, -1, &run, &file, &error);
  CHECK(status == GPUGEO_ERROR_INTERRUPT && w.asked == 3 && !file.edges && w.last < 0.5,
        "status %d, asked %d times, %g is read", status, w.asked, w.last);
  w = (witness){0};
  witness_watch(&w, &run);
  status = gpugeo_edge_file_read(path, -1, -1, &run, &file, &error);
  if (CHECK(!status, "%s", error.message)) gpugeo_edge_file_free(&file);
  CHECK(w.asked > 8 && !w.backwards && !w.beyond, "asked %d times, at last %g", w.asked, w.last);
  gg_clock_set_polls(0);
  temporary_remove(path);
  free(text);
}

static void test_run(void) {
  char *path = temporary_file("1 2\n", 4);
  gpugeo_run run = *usual_run();
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  run.size = 1;
  CHECK(gpugeo_edge_file_read(path, -1, -1, &run, &file, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.argument, "run") == 0,
        "%s", error.message);
  temporary_remove(path);
}

/* Numbers are read alike where the locale has a decimal comma. */
static void test_locale(void) {
  if (!decimal_comma_begin()) {
    check_skip(1, "localedef makes no locale with a decimal comma");
    return;
  }
  test_good();
  test_bad();
  decimal_comma_end();
}

/* A first line that is said to be a header, or an edge, must be one. */
static void test_header(void) {
  static const struct {
    const char *text, *said;
    int32_t header;
  } wrong[] = {
      {"4 3\n1 2\n2 3\n",
       ", line 1: a header must have names of columns, or the number of vertices, none of which is "
       "beyond it, and the number of edges, of which 2 follow",
       1},
      {"# a\n2 2\n1 2\n2 3\n",
       ", line 2: a header must have names of columns, or the number of vertices, none of which is "
       "beyond it, and the number of edges, of which 2 follow",
       1},
      {"# a\n", " must have a header", 1},
      {"from to\n1 2\n",
       ", line 1: a vertex must be a whole number between 0 and 2147483647, not \"from\"", 0},
  };
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char *path = temporary_file(wrong[i].text, strlen(wrong[i].text)), message[600];
    snprintf(message, sizeof message, "file \"%s\"%s", path, wrong[i].said);
    const gpugeo_status status =
        gpugeo_edge_file_read(path, -1, wrong[i].header, usual_run(), &file, &error);
    CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.message, message) == 0,
          "status %d, \"%s\"", status, error.message);
    temporary_remove(path);
  }
  CHECK(gpugeo_edge_file_read("a", -1, 2, usual_run(), &file, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "header must be -1, 0 or 1, not 2") == 0,
        "%s", error.message);
}

int main(void) {
  test_header();
  test_good();
  test_bad();
  test_large();
  check_threads(false);
  check_threads(true);
  test_first_wrong();
  test_large_market();
  test_market_kinds();
  test_long_line();
  test_gzip();
  test_memory_limit();
  test_nul();
  test_pipe();
  test_hooks();
  test_run();
  test_locale();
  return check_end();
}
