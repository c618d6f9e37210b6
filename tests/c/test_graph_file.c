/* Files of layouts: their bytes, and what happens to a file that cannot be completed. */
#include <math.h>
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

int main(void) {
  char *folder = temporary_folder();
  test_texts(folder);
  test_failures(folder);
  temporary_remove(folder);
  return check_end();
}
