/* Files of layouts and of compressed sparse rows: their bytes, and what happens to a file that
 * cannot be completed. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "decimal_comma.h"
#include "gpugeo.h"
#include "temporary.h"
#include "witness.h"

/* A triangle in the plane, whose vertices are numbered from 0. */
static const int32_t ends[] = {0, 1, 2, 1, 2, 0};
static const double weights[] = {0.1, 1e-300, 1e9};
static const double plane[] = {0.1, 1.0 / 3, -5e-324, -2, 1e300, 7, 0.5, 4, -1};
static const char *const names[] = {"a\\\"<&>", "\tb\n\r", "\xc3\xa9"};

static gpugeo_graph triangle(const double *weight, const char *const *labels) {
  return (gpugeo_graph){.vertices = 3,
                        .edges = {ends, GPUGEO_TYPE_INT32, 3, 2, 3, NULL},
                        .weights = weight,
                        .weights_length = weight ? 3 : 0,
                        .labels = labels};
}

static gpugeo_matrix positions_of(int64_t columns) {
  return (gpugeo_matrix){plane, GPUGEO_TYPE_DOUBLE, 3, columns, 3, NULL};
}

/* Returns the text of a file, to be freed. */
static char *text_of(const char *path) {
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen(path, "rb");
  if (file && text) text[fread(text, 1, (1 << 16) - 1, file)] = 0;
  if (file) fclose(file);
  return text;
}

/* Writes a graph to a path and compares the bytes. */
static void expect_text(const gpugeo_graph *graph, int64_t columns, const char *path,
                        gpugeo_graph_format format, const char *wanted) {
  const gpugeo_matrix positions = positions_of(columns);
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  const gpugeo_status status = gpugeo_graph_write(graph, &positions, path, format, &run, &error);
  CHECK(status == GPUGEO_OK, "%s: %s", path, error.message);
  char *text = text_of(path);
  CHECK(text && strcmp(text, wanted) == 0, "%s holds\n%s\ninstead of\n%s", path, text, wanted);
  free(text);
}

#define GRAPHML                                                                                    \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                   \
  "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
#define AXIS(name)                                                                                 \
  "<key id=\"" name "\" for=\"node\" attr.name=\"" name "\" attr.type=\"double\"/>\n"

static const char named_graphml[] = GRAPHML
    "<key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n" AXIS("x") AXIS(
        "y") "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
             "<graph edgedefault=\"undirected\">\n"
             "<node id=\"n1\"><data key=\"name\">a\\\"&lt;&amp;&gt;</data>"
             "<data key=\"x\">0.10000000000000001</data><data key=\"y\">-2</data></node>\n"
             "<node id=\"n2\"><data key=\"name\">\tb\n&#13;</data>"
             "<data key=\"x\">0.33333333333333331</data><data "
             "key=\"y\">1.0000000000000001e+300</data></node>\n"
             "<node id=\"n3\"><data key=\"name\">\xc3\xa9</data>"
             "<data key=\"x\">-4.9406564584124654e-324</data><data key=\"y\">7</data></node>\n"
             "<edge source=\"n1\" target=\"n2\"><data "
             "key=\"weight\">0.10000000000000001</data></edge>\n"
             "<edge source=\"n2\" target=\"n3\"><data "
             "key=\"weight\">1e-300</data></edge>\n"
             "<edge source=\"n3\" target=\"n1\"><data key=\"weight\">1000000000</data></edge>\n"
             "</graph>\n</graphml>\n";

static const char plain_graphml[] = GRAPHML AXIS("x") AXIS("y") AXIS(
    "z") "<graph edgedefault=\"undirected\">\n"
         "<node id=\"n1\"><data key=\"x\">0.10000000000000001</data><data key=\"y\">-2</data>"
         "<data key=\"z\">0.5</data></node>\n"
         "<node id=\"n2\"><data key=\"x\">0.33333333333333331</data>"
         "<data key=\"y\">1.0000000000000001e+300</data><data key=\"z\">4</data></node>\n"
         "<node id=\"n3\"><data key=\"x\">-4.9406564584124654e-324</data><data key=\"y\">7</data>"
         "<data key=\"z\">-1</data></node>\n"
         "<edge source=\"n1\" target=\"n2\"></edge>\n<edge source=\"n2\" target=\"n3\"></edge>\n"
         "<edge source=\"n3\" target=\"n1\"></edge>\n</graph>\n</graphml>\n";

#define CX2(nodes, edges)                                                                          \
  "[{\"CXVersion\":\"2.0\",\"hasFragments\":false},\n"                                             \
  "{\"metaData\":[{\"name\":\"attributeDeclarations\",\"elementCount\":1},"                        \
  "{\"name\":\"nodes\",\"elementCount\":" nodes "},"                                               \
  "{\"name\":\"edges\",\"elementCount\":" edges "}]},\n"

static const char named_cx2[] = CX2(
    "3", "3") "{\"attributeDeclarations\":[{\"nodes\":{\"name\":{\"d\":\"string\"}},"
              "\"edges\":{\"weight\":{\"d\":\"double\"}}}]},\n{\"nodes\":[\n"
              "{\"id\":1,\"x\":0.10000000000000001,\"y\":-2,\"v\":{\"name\":\"a\\\\\\\"<&>\"}},\n"
              "{\"id\":2,\"x\":0.33333333333333331,\"y\":1.0000000000000001e+300,"
              "\"v\":{\"name\":\"\\u0009b\\u000a\\u000d\"}},\n"
              "{\"id\":3,\"x\":-4.9406564584124654e-324,\"y\":7,\"v\":{\"name\":\"\xc3\xa9\"}}\n"
              "]},\n{\"edges\":[\n"
              "{\"id\":1,\"s\":1,\"t\":2,\"v\":{\"weight\":0.10000000000000001}},\n"
              "{\"id\":2,\"s\":2,\"t\":3,\"v\":{\"weight\":1e-300}},\n"
              "{\"id\":3,\"s\":3,\"t\":1,\"v\":{\"weight\":1000000000}}\n"
              "]},\n{\"status\":[{\"success\":true}]}]\n";

static const char empty_cx2[] =
    CX2("0", "0") "{\"attributeDeclarations\":[{}]},\n{\"nodes\":[\n]},\n{\"edges\":[\n"
                  "]},\n{\"status\":[{\"success\":true}]}]\n";

/* Both formats, and how the name of the file chooses one; a file that exists is replaced. */
static void test_texts(const char *folder) {
  const gpugeo_graph named = triangle(weights, names), plain = triangle(NULL, NULL);
  const gpugeo_graph empty = {.edges = {NULL, GPUGEO_TYPE_INT32, 0, 2, 0, NULL}};
  char *graphml = temporary_path(folder, "a.xml"), *cx2 = temporary_path(folder, "a.CX2");
  expect_text(&named, 2, graphml, GPUGEO_GRAPH_FORMAT_AUTO, named_graphml);
  expect_text(&plain, 3, graphml, GPUGEO_GRAPH_FORMAT_AUTO, plain_graphml);
  expect_text(&named, 2, cx2, GPUGEO_GRAPH_FORMAT_AUTO, named_cx2);
  expect_text(&named, 2, graphml, GPUGEO_GRAPH_FORMAT_CX2, named_cx2);
  expect_text(&named, 2, cx2, GPUGEO_GRAPH_FORMAT_GRAPHML, named_graphml);
  const gpugeo_matrix none = {NULL, GPUGEO_TYPE_DOUBLE, 0, 2, 0, NULL};
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  CHECK(gpugeo_graph_write(&empty, &none, cx2, GPUGEO_GRAPH_FORMAT_AUTO, &run, &error) == GPUGEO_OK,
        "%s", error.message);
  char *text = text_of(cx2);
  CHECK(text && strcmp(text, empty_cx2) == 0, "an empty graph is\n%s", text);
  free(text);
  if (decimal_comma_begin()) {
    expect_text(&named, 2, graphml, GPUGEO_GRAPH_FORMAT_AUTO, named_graphml);
    decimal_comma_end();
  } else {
    check_skip(2, "no locale with a decimal comma can be made");
  }
  temporary_remove(graphml);
  temporary_remove(cx2);
}

/* Writes and expects a failure whose message contains `what`. */
static void expect_failure(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                           const char *path, const gpugeo_run *run, gpugeo_status wanted,
                           const char *what) {
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_graph_write(graph, positions, path, GPUGEO_GRAPH_FORMAT_GRAPHML, run, &error);
  CHECK(status == wanted && strstr(error.message, what), "status %d: %s", (int)status,
        error.message);
}

/* A failure leaves the file of that name as it was, and no other file. */
static void test_failures(const char *folder) {
  char *path = temporary_path(folder, "a"), *missing = temporary_path(folder, "none/a");
  temporary_write(path, "as before");
  const gpugeo_graph plain = triangle(NULL, NULL);
  const gpugeo_matrix positions = positions_of(2);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);

  const char *const controls[] = {"a", "b\001", "c"};
  const gpugeo_graph controlled = triangle(NULL, controls);
  expect_failure(&controlled, &positions, path, &run, GPUGEO_ERROR_ARGUMENT,
                 "names must not contain control characters in GraphML, but that of vertex 2 "
                 "contains \"\\001\"");
  const double holes[] = {0, 1, 2, 3, NAN, 5};
  const gpugeo_matrix incomplete = {holes, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
  expect_failure(&plain, &incomplete, path, &run, GPUGEO_ERROR_ARGUMENT,
                 "layout must be finite, but row 2 is not");
  const gpugeo_matrix rows = {plane, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  expect_failure(&plain, &rows, path, &run, GPUGEO_ERROR_ARGUMENT,
                 "layout must have a row for each of the 3 vertices, not 2 rows");
  const gpugeo_matrix line = positions_of(1);
  expect_failure(&plain, &line, path, &run, GPUGEO_ERROR_ARGUMENT,
                 "layout must have 2 or 3 columns, not 1");
  expect_failure(&plain, &positions, NULL, &run, GPUGEO_ERROR_ARGUMENT, "file must not be NULL");
  expect_failure(&plain, &positions, missing, &run, GPUGEO_ERROR_FILE,
                 "none/a\" cannot be written: ");
  gpugeo_graph wrong = plain;
  wrong.first = 1;
  expect_failure(&wrong, &positions, path, &run, GPUGEO_ERROR_ARGUMENT, "edge 1: the first vertex");
  gg_clock_set_polls(1);
  for (int stop_at = 1; stop_at <= 2; ++stop_at) { /* at the vertices and at the edges */
    witness w = {.stop_at = stop_at};
    witness_watch(&w, &run);
    expect_failure(&plain, &positions, path, &run, GPUGEO_ERROR_INTERRUPT, "interrupt");
  }
  gg_clock_set_polls(0);
  char *text = text_of(path);
  CHECK(text && strcmp(text, "as before") == 0, "the file holds %s", text);
  free(text);
  free(missing);
  temporary_remove(path); /* the folder must be empty now */
}

/* --- Compressed sparse rows ------------------------------------------------------------------- */

/* The numbers of a file, as the format has them on this machine. */
typedef struct csr_bytes {
  char magic[8];
  int32_t byte_order, version;
  int64_t vertices, entries;
  int32_t first, weighted;
  int64_t start[5];
  int32_t neighbor[6]; /* the last is 0 */
  double weight[5];
} csr_bytes;

static const csr_bytes usual_csr = {{'\x89', 'G', 'G', 'C', 'S', 'R', '\r', '\n'},
                                    0x01020304,
                                    1,
                                    4,
                                    5,
                                    1,
                                    1,
                                    {0, 2, 3, 3, 5},
                                    {1, 1, 2, 3, 0, 0},
                                    {0.5, 0, 1e-300, 1e9, 2}};

/* Four vertices: an edge twice, one from a vertex to itself, and a vertex without any. */
static const double csr_ends[] = {4, 1, 2, 4, 1, 4, 2, 3, 1, 2};
static const double csr_weights[] = {1e9, 0.5, 1e-300, 2, 0};

static gpugeo_status write_csr(const char *path, const gpugeo_matrix *positions, bool weighted,
                               const gpugeo_run *run, gpugeo_error *error) {
  const gpugeo_graph graph = {.vertices = 4,
                              .edges = {csr_ends, GPUGEO_TYPE_DOUBLE, 5, 2, 5, NULL},
                              .first = 1,
                              .weights = weighted ? csr_weights : NULL,
                              .weights_length = weighted ? 5 : 0};
  return gpugeo_graph_write(&graph, positions, path, GPUGEO_GRAPH_FORMAT_AUTO, run, error);
}

/* Reads a file, and compares it with the edges above, sorted by their first vertices. */
static void expect_edges(const char *path, bool weighted) {
  static const int32_t sorted[] = {1, 1, 2, 4, 4, 2, 2, 3, 4, 1};
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  if (!CHECK(!gpugeo_edge_file_read(path, -1, -1, &run, &file, &error), "%s", error.message))
    return;
  CHECK(file.vertices == 4 && file.edge_count == 5 && file.first == 1 && !file.header && !file.gaps,
        "%d vertices, %d edges", (int)file.vertices, (int)file.edge_count);
  CHECK(file.edge_count == 5 && !memcmp(file.edges, sorted, sizeof sorted), "other edges");
  CHECK(weighted ? file.weights && !memcmp(file.weights, usual_csr.weight, sizeof usual_csr.weight)
                 : !file.weights,
        "other weights");
  gpugeo_edge_file_free(&file);
}

/* What is written has the bytes of the format, and is read again, with and without weights. */
static void test_csr(const char *folder) {
  char *path = temporary_path(folder, "a.CSR");
  char bytes[sizeof usual_csr + 1];
  gpugeo_error error = {0};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const gpugeo_matrix none = {NULL, GPUGEO_TYPE_DOUBLE, 0, 0, 0, NULL};
  CHECK(!write_csr(path, NULL, false, &run, &error), "%s", error.message);
  expect_edges(path, false);
  CHECK(!write_csr(path, &none, true, &run, &error), "%s", error.message);
  expect_edges(path, true);
  FILE *file = fopen(path, "rb");
  const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  CHECK(size == sizeof usual_csr && !memcmp(bytes, &usual_csr, size), "%d other bytes", (int)size);
  const gpugeo_matrix positions = positions_of(2);
  CHECK(write_csr(path, &positions, true, &run, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "layout must have a row for each of the 4 vertices, not 3 rows"),
        "%s", error.message);
  temporary_remove(path);
}

/* Numbers of a file that do not fit: the bytes at an offset, and the end of the message. */
typedef struct bad_csr {
  size_t offset, bytes;
  int64_t number;
  const char *message;
} bad_csr;

#define AT(member) offsetof(csr_bytes, member), sizeof usual_csr.member

static const bad_csr bad[] = {
    {AT(byte_order), 0x04030201, " must have the byte order of this machine, not another"},
    {AT(version), 2, " must have version 1 of its format, not 2"},
    {AT(vertices), -1, " must have between 0 and 2147483647 vertices, not -1"},
    {AT(vertices), INT64_MAX,
     " must have between 0 and 2147483647 vertices, not 9223372036854775807"},
    {AT(vertices), 5, " must have 152 bytes for 5 vertices and 5 edges, not 144"},
    {AT(entries), -1, " must have between 0 and 36 edges, for which it has bytes, not -1"},
    {AT(entries), INT64_MAX,
     " must have between 0 and 36 edges, for which it has bytes, not 9223372036854775807"},
    {AT(entries), 6, " must have 152 bytes for 4 vertices and 6 edges, not 144"},
    {AT(first), 2, ": the first vertex and the mark of weights must be 0 or 1, not 2 and 1"},
    {AT(weighted), -1, ": the first vertex and the mark of weights must be 0 or 1, not 1 and -1"},
    {AT(weighted), 0, " must have 104 bytes for 4 vertices and 5 edges, not 144"},
    {AT(start[0]), 1, ": start 1 must be between 0 and 0, not 1"},
    {AT(start[1]), 6, ": start 2 must be between 0 and 5, not 6"},
    {AT(start[2]), 1, ": start 3 must be between 2 and 5, not 1"},
    {AT(start[3]), -3, ": start 4 must be between 3 and 5, not -3"},
    {AT(start[4]), 4, ": start 5 must be between 5 and 5, not 4"},
    {AT(neighbor[0]), -1, ", entry 1: a vertex must be between 0 and 3, not -1"},
    {AT(neighbor[4]), 4, ", entry 5: a vertex must be between 0 and 3, not 4"},
    {AT(weight[1]), INT64_MIN + 1,
     ", entry 2: a weight must be a finite number of at least 0, not -4.94065645841247e-324"},
    {AT(weight[4]), 0x7ff0000000000000,
     ", entry 5: a weight must be a finite number of at least 0, not Inf"},
};

/* Reads bytes and expects a failure whose message has this beginning or this end. */
static void expect_unread(const void *bytes, size_t size, int64_t first, const gpugeo_run *run,
                          gpugeo_status wanted, const char *message) {
  gpugeo_edge_file file;
  gpugeo_error error = {0};
  char *path = temporary_file(bytes, size);
  const gpugeo_status status = gpugeo_edge_file_read(path, first, -1, run, &file, &error);
  CHECK(status == wanted && strstr(error.message, message), "status %d, %s instead of %s",
        (int)status, error.message, message);
  CHECK(!file.edges && !file.weights, "a failed call leaves memory");
  temporary_remove(path);
}

/* Each number is checked, and so is every length of the file. */
static void test_bad_csr(void) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    csr_bytes bytes = usual_csr;
    const int32_t number = (int32_t)bad[i].number;
    memcpy((char *)&bytes + bad[i].offset,
           bad[i].bytes == 4 ? (const void *)&number : (const void *)&bad[i].number, bad[i].bytes);
    expect_unread(&bytes, sizeof bytes, -1, &run, GPUGEO_ERROR_ARGUMENT, bad[i].message);
  }
  expect_unread(&usual_csr, 8, -1, &run, GPUGEO_ERROR_ARGUMENT,
                " must have a header of 40 bytes, not 8 bytes");
  for (size_t size = 8; size < sizeof usual_csr; ++size)
    expect_unread(&usual_csr, size, -1, &run, GPUGEO_ERROR_ARGUMENT, "file \"");
  expect_unread(&usual_csr, sizeof usual_csr, 0, &run, GPUGEO_ERROR_ARGUMENT,
                "first must be 1 for the file \"");
  run.work_bytes = 119;
  expect_unread(&usual_csr, sizeof usual_csr, -1, &run, GPUGEO_ERROR_MEMORY,
                "memory_limit must be at least 120 bytes for file \"");
}

/* Writing and reading end where a hook says so. The folder must be empty when it is removed. */
static void test_interrupted_csr(const char *folder) {
  char *path = temporary_path(folder, "a.csr");
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  gg_clock_set_polls(1);
  for (int stop_at = 1; stop_at <= 6; ++stop_at) { /* two loops, the header and three arrays */
    witness w = {.stop_at = stop_at};
    witness_watch(&w, &run);
    CHECK(write_csr(path, NULL, true, &run, &error) == GPUGEO_ERROR_INTERRUPT && w.asked == stop_at,
          "asked %d times", w.asked);
  }
  for (int stop_at = 1; stop_at <= 8; ++stop_at) { /* header, arrays, and a loop over each */
    witness w = {.stop_at = stop_at};
    witness_watch(&w, &run);
    expect_unread(&usual_csr, sizeof usual_csr, -1, &run, GPUGEO_ERROR_INTERRUPT, "interrupt");
  }
  gg_clock_set_polls(0);
  free(path);
}

int main(void) {
  char *folder = temporary_folder();
  test_texts(folder);
  test_failures(folder);
  test_csr(folder);
  test_bad_csr();
  test_interrupted_csr(folder);
  temporary_remove(folder);
  return check_end();
}
