/* Trees in the Newick format: what is read, what is refused, and the same tree after it was
   written; distances between tips. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gpugeo.h"
#include "temporary.h"

static gpugeo_run usual_run(void) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  return run;
}

static gpugeo_status read_text(const char *text, gpugeo_newick *tree, gpugeo_error *error) {
  const gpugeo_run run = usual_run();
  return gpugeo_newick_read(NULL, text, &run, tree, error);
}

static bool is_same_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- What is read ----------------------------------------------------------------------------- */

static void test_parts(void) {
  gpugeo_newick read;
  gpugeo_error error = {0};
  CHECK(!read_text("((a:1,'b ''c':2) x:3,(d_e,f\n g:1.5e-3)[a (comment;]y:-1,)root:7;\n", &read,
                   &error),
        "%s", error.message);
  const gpugeo_tree *t = &read.tree;
  const int32_t edges[] = {5, 6, 6, 5, 7, 7, 5, 6, 0, 1, 7, 2, 3, 4};
  CHECK(t->tips == 5 && t->nodes == 3 && t->edges == 7, "%lld tips", (long long)t->tips);
  CHECK(memcmp(t->edge, edges, sizeof edges) == 0, "edges");
  CHECK(t->length[0] == 3 && t->length[1] == 1 && t->length[2] == 2 && t->length[3] == -1 &&
            isnan(t->length[4]) && t->length[5] == 1.5e-3 && isnan(t->length[6]),
        "lengths");
  const char *const tips[] = {"a", "b 'c", "d_e", "f g", ""}, *const nodes[] = {"root", "x", "y"};
  for (int k = 0; k < 5; ++k)
    CHECK(is_same_text(t->tip_label[k], tips[k]), "tip %d: %s", k, t->tip_label[k]);
  for (int k = 0; k < 3; ++k)
    CHECK(is_same_text(t->node_label[k], nodes[k]), "node %d: %s", k, t->node_label[k]);
  CHECK(t->root_length == 7, "%g", t->root_length);
  gpugeo_newick_free(&read);
  CHECK(!read_text("(a,b);", &read, &error) && !read.tree.length && !read.tree.node_label &&
            isnan(read.tree.root_length),
        "%s", error.message);
  gpugeo_newick_free(&read);
  gpugeo_newick_free(NULL);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void test_refused(void) {
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"", "line 1, byte 1: there is no tree"},
      {" [only a comment]", "there is no tree"},
      {"a;", "line 1, byte 1: a tree must begin with \"(\""},
      {";", "a tree must begin with \"(\""},
      {"(a,b)", "line 1, byte 6: the tree does not end with \";\""},
      {"(a,b;", "line 1, byte 5: \";\" must follow the last \")\""},
      {"(a,b));", "line 1, byte 6: \")\" has no \"(\""},
      {"(a,b),c;", "line 1, byte 6: \",\" must be between \"(\" and \")\""},
      {"(a,b);\n(c,d);", "line 2, byte 1: there must be one tree, but another one begins"},
      {"(a,b); c", "there must be one tree, but another one begins"},
      {"(a(b,c));", "line 1, byte 3: \"(\" must follow \"(\" or \",\""},
      {"(a:,b);", "line 1, byte 4: a length must follow \":\""},
      {"(a:1:2,b);", "line 1, byte 5: \":\" stands twice"},
      {"(a:1x,b);", "line 1, byte 6: a length must be a finite number, not \"1x\""},
      {"(a:nan,b);", "a length must be a finite number, not \"nan\""},
      {"(a:1e999,b);", "a length must be a finite number, not \"1e999\""},
      {"('a'b,c);", "line 1, byte 5: \",\", \")\" or \";\" must follow here"},
      {"('a,b);", "line 1, byte 8: a label in quotes does not end"},
      {"(a,b)[c;", "a comment does not end"},
      {"(a],b);", "line 1, byte 3: \"]\" has no \"[\""},
      {"(a\001,b);", "line 1, byte 3: there must be no control character"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    gpugeo_newick read;
    gpugeo_error error = {0};
    const gpugeo_status status = read_text(cases[k].text, &read, &error);
    CHECK(status == GPUGEO_ERROR_ARGUMENT && strstr(error.message, cases[k].why), "%s: %s",
          cases[k].text, error.message);
    CHECK(is_same_text(error.argument, "text"), "%s", error.argument);
  }
  gpugeo_newick read;
  gpugeo_error error = {0};
  const gpugeo_run run = usual_run();
  CHECK(gpugeo_newick_read(NULL, NULL, &run, &read, &error) == GPUGEO_ERROR_ARGUMENT, "no text");
  CHECK(gpugeo_newick_read("", "", &run, &read, &error) == GPUGEO_ERROR_ARGUMENT, "both");
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Writes bytes to a file of this path. */
static void write_bytes(const char *path, const char *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (file) fwrite(bytes, 1, count, file);
  if (file) fclose(file);
}

/* Returns the text of a tree with so many tips, each inner node with a tip and the next one, whose
   labels have so many bytes; *count: its bytes. */
static char *caterpillar(int64_t tips, int width, size_t *count) {
  char *text = malloc((size_t)tips * (size_t)(width + 40)), *at = text;
  for (int64_t k = 0; k < tips - 1; ++k)
    *at++ = '(';
  at += sprintf(at, "t%0*d:0.5", width, 0);
  for (int64_t k = 1; k < tips; ++k)
    at += sprintf(at, ",t%0*lld:%lld)%s", width, (long long)k, (long long)k % 7,
                  k + 1 < tips ? ":1.25" : "");
  at += sprintf(at, ";\n");
  *count = (size_t)(at - text);
  return text;
}

static void test_files(void) {
  char *folder = temporary_folder(), *path = temporary_path(folder, "tree.nwk");
  const int64_t tips = CHECK_SMALL ? 20000 : 300000; /* more bytes than a buffer */
  size_t count;
  char *text = caterpillar(tips, 8, &count), *written = NULL;
  gpugeo_run run = usual_run();
  gpugeo_newick read, again;
  gpugeo_error error = {0};
  write_bytes(path, text, count);
  CHECK(!gpugeo_newick_read(path, NULL, &run, &read, &error), "%s", error.message);
  CHECK(read.tree.tips == tips && read.tree.nodes == tips - 1, "%lld tips",
        (long long)read.tree.tips);
  CHECK(!gpugeo_newick_write(&read.tree, NULL, &run, &written, &error) &&
            is_same_text(written, text),
        "%s", error.message);
  gpugeo_newick_text_free(written);
  CHECK(!gpugeo_newick_write(&read.tree, path, &run, NULL, &error), "%s", error.message);
  CHECK(!gpugeo_newick_read(path, NULL, &run, &again, &error), "%s", error.message);
  CHECK(memcmp(read.tree.edge, again.tree.edge, (size_t)(4 * tips - 4) * 4) == 0, "edges");
  gpugeo_newick_free(&read);
  gpugeo_newick_free(&again);
  run.work_bytes = 1 << 20;
  CHECK(gpugeo_newick_read(path, NULL, &run, &read, &error) == GPUGEO_ERROR_MEMORY &&
            strstr(error.message, "memory_limit must be at least"),
        "%s", error.message);
  run.work_bytes = 0;
  write_bytes(path, "(a,\0b);", 7);
  CHECK(gpugeo_newick_read(path, NULL, &run, &read, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "line 1, byte 4: there must be no NUL byte"),
        "%s", error.message);
  write_bytes(path, "", 0);
  CHECK(gpugeo_newick_read(path, NULL, &run, &read, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "there is no tree"),
        "%s", error.message);
  remove(path);
  CHECK(gpugeo_newick_read(path, NULL, &run, &read, &error) != GPUGEO_OK, "no file");
  temporary_remove(folder);
  free(path);
  free(text);
}

/* --- What is written -------------------------------------------------------------------------- */

static void test_written(void) {
  const int32_t edge[] = {3, 4, 4, 3, 2, 1, 0, 4};
  const double length[] = {1.0 / 3, 0.1, NAN, -1e-300};
  const char *const tips[] = {"a b", "it's", "(c)"}, *const nodes[] = {"", "n"};
  const gpugeo_tree tree = {3, 2, 4, edge, length, tips, nodes, 5};
  const gpugeo_run run = usual_run();
  gpugeo_error error = {0};
  char *text = NULL;
  CHECK(!gpugeo_newick_write(&tree, NULL, &run, &text, &error), "%s", error.message);
  CHECK(text && is_same_text(text, "('(c)':0.3333333333333333,('it''s':0.1,'a b')n:-1e-300):5;\n"),
        "%s", text ? text : "");
  gpugeo_newick_text_free(text);
}

static void test_wrong_trees(void) {
  static const int32_t circle[] = {2, 2, 4, 3, 0, 1, 3, 4}, twice[] = {2, 2, 0, 0},
                       beyond[] = {2, 2, 0, 9}, up[] = {2, 2, 0, 2}, tip[] = {0, 2, 1, 0},
                       bare[] = {2, 2, 2, 0, 1, 3};
  const struct {
    gpugeo_tree tree;
    const char *why;
  } cases[] = {
      {{2, 3, 4, circle, NULL, NULL, NULL, NAN}, "there is a circle of 4"},
      {{2, 1, 2, twice, NULL, NULL, NULL, NAN}, "a node has two above it in edge 2"},
      {{2, 1, 2, beyond, NULL, NULL, NULL, NAN}, "a node does not exist in edge 2"},
      {{2, 1, 2, up, NULL, NULL, NULL, NAN}, "a node has two above it in edge 2"},
      {{2, 1, 2, tip, NULL, NULL, NULL, NAN}, "a node does not exist in edge 1"},
      {{2, 2, 3, bare, NULL, NULL, NULL, NAN}, "there is none below inner node 4"},
      {{2, 1, 3, twice, NULL, NULL, NULL, NAN}, "2 edges, not 3"},
      {{0, 1, 0, twice, NULL, NULL, NULL, NAN}, "tips and inner nodes, not 0 and 1"},
      {{2, 1, 2, NULL, NULL, NULL, NULL, NAN}, "2 edges, not 0"},
  };
  const gpugeo_run run = usual_run();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char *text = NULL;
    gpugeo_error error = {0};
    CHECK(gpugeo_newick_write(&cases[k].tree, NULL, &run, &text, &error) == GPUGEO_ERROR_ARGUMENT &&
              strstr(error.message, cases[k].why) && !text,
          "%zu: %s", k, error.message);
  }
}

/* --- Distances -------------------------------------------------------------------------------- */

static void test_distances(void) {
  gpugeo_newick read;
  gpugeo_error error = {0};
  gpugeo_report report;
  gpugeo_run run = usual_run();
  double d[16];
  CHECK(!read_text("((a:1,b:2):3,(c:4,d):5);", &read, &error), "%s", error.message);
  CHECK(!gpugeo_tree_distances(&read.tree, &run, d, &report, &error), "%s", error.message);
  CHECK(d[1] == 3 && d[2] == 13 && d[6] == 14 && d[4] == 3 && d[0] == 0 && d[15] == 0 &&
            isnan(d[3]) && isnan(d[14]),
        "%g %g", d[1], d[2]);
  gpugeo_newick_free(&read);
  CHECK(!read_text("(a,b);", &read, &error) &&
            gpugeo_tree_distances(&read.tree, &run, d, &report, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "tree must have lengths of its edges, not none"),
        "%s", error.message);
  gpugeo_newick_free(&read);
  const int64_t tips = 700;
  size_t count;
  char *text = caterpillar(tips, 4, &count);
  double *one = malloc((size_t)(tips * tips) * 8), *other = malloc((size_t)(tips * tips) * 8);
  CHECK(!read_text(text, &read, &error), "%s", error.message);
  run.threads = 1;
  CHECK(!gpugeo_tree_distances(&read.tree, &run, one, &report, &error), "%s", error.message);
  run.threads = 4;
  CHECK(!gpugeo_tree_distances(&read.tree, &run, other, &report, &error), "%s", error.message);
  CHECK(memcmp(one, other, (size_t)(tips * tips) * 8) == 0 && report.threads == 4, "threads");
  /* Tips 1 and 699 are joined by 697 edges of length 1.25 and one of the root. */
  CHECK(one[tips + tips - 1] == 1 + 698 * 1.25 - 0 + 699 % 7, "%g", one[tips + tips - 1]);
  run.work_bytes = 1 << 10;
  CHECK(gpugeo_tree_distances(&read.tree, &run, one, &report, &error) == GPUGEO_ERROR_MEMORY ||
            strstr(error.message, "memory_limit"),
        "%s", error.message);
  gpugeo_newick_free(&read);
  free(text);
  free(one);
  free(other);
}

int main(void) {
  test_parts();
  test_refused();
  test_files();
  test_written();
  test_wrong_trees();
  test_distances();
  return check_end();
}
