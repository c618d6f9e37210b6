/*
 * Writes a tree in the Newick format, without recursion: the edges in preorder, and a stack of the
 * inner nodes that are open. Numbers have as few digits as keep all their bits. Cost: O(nodes).
 */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/new_file.h"
#include "common/number.h"
#include "common/options.h"
#include "trees/tree_check.h"

/* What is written: to a file, or to memory. */
typedef struct writer {
  const gpugeo_tree *tree;
  gg_call *call;
  gg_new_file *file; /* NULL: to memory */
  char *text;
  int64_t used, room;
} writer;

/* Writes bytes. */
static void write_bytes(writer *w, const char *bytes, size_t count) {
  if (w->call->status) return;
  if (w->file) {
    gg_new_file_write(w->file, bytes, count);
    return;
  }
  if (w->used + (int64_t)count > w->room) {
    const int64_t room = 2 * w->room + (int64_t)count + 1024;
    char *more = gg_reallocate(w->text, room, 1);
    if (!more) {
      GG_TRY(w->call, gg_fail_memory(w->call->error, room));
      return;
    }
    w->text = more;
    w->room = room;
  }
  memcpy(w->text + w->used, bytes, count);
  w->used += (int64_t)count;
}

/* Writes a byte. */
static void write_byte(writer *w, char byte) { write_bytes(w, &byte, 1); }

/* True if a label must be in quotes: it has bytes with a meaning of their own, or blanks that a
   reader would not keep. */
static bool needs_quotes(const char *label) {
  for (const char *c = label; *c; ++c)
    if ((unsigned char)*c <= 0x20 || *c == 0x7f || strchr("()[]{},:;'\"", *c)) return true;
  return false;
}

/* Writes the label of a node. */
static void write_label(writer *w, int32_t node) {
  const gpugeo_tree *tree = w->tree;
  const char *const *labels = node < tree->tips ? tree->tip_label : tree->node_label;
  if (!labels) return;
  const char *label = labels[node < tree->tips ? node : node - tree->tips];
  if (!label) return;
  if (!needs_quotes(label)) {
    write_bytes(w, label, strlen(label));
    return;
  }
  write_byte(w, '\'');
  for (const char *c = label; *c; ++c) {
    if (*c == '\'') write_byte(w, '\'');
    write_byte(w, *c);
  }
  write_byte(w, '\'');
}

/* Writes a length, unless it is NaN. */
static void write_length(writer *w, double length) {
  char text[40];
  if (isnan(length)) return;
  for (int digits = 15; digits <= 17; ++digits) {
    gg_print(text, sizeof text, ":%.*g", digits, length);
    if (gg_parse_double(text + 1, NULL) == length) break;
  }
  write_bytes(w, text, strlen(text));
}

/* The inner nodes that are open: of each the edge to it, -1 for the root. */
typedef struct open_nodes {
  const int32_t *edge, *from;
  int32_t *stack;
  int64_t height;
} open_nodes;

/* Returns the node at the top. */
static int32_t top_node(const writer *w, const open_nodes *open) {
  const int32_t e = open->stack[open->height - 1];
  return e < 0 ? (int32_t)w->tree->tips : open->edge[e + w->tree->edges];
}

/* Returns the length of an edge in preorder; NaN: none. */
static double length_of(const writer *w, const open_nodes *open, int32_t e) {
  if (e < 0) return w->tree->root_length;
  return w->tree->length ? w->tree->length[open->from[e]] : NAN;
}

/* Closes the node at the top. */
static void close_top(writer *w, open_nodes *open) {
  write_byte(w, ')');
  write_label(w, top_node(w, open));
  write_length(w, length_of(w, open, open->stack[open->height - 1]));
  --open->height;
}

/* Writes an edge: what it leads to, up to its end for a tip, else up to its "(". */
static void write_edge(writer *w, open_nodes *open, int32_t e, bool first) {
  const int32_t node = open->edge[e + w->tree->edges];
  if (!first) write_byte(w, ',');
  if (node < w->tree->tips) {
    write_label(w, node);
    write_length(w, length_of(w, open, e));
  } else {
    write_byte(w, '(');
    open->stack[open->height++] = e;
  }
}

/* Writes the tree of edges in preorder. */
static void write_tree(writer *w, open_nodes *open) {
  const int64_t edges = w->tree->edges;
  bool first = true;
  open->stack[open->height++] = -1;
  write_byte(w, '(');
  for (int64_t e = 0; e < edges && !gg_call_poll(w->call, (double)e / (double)edges); ++e) {
    while (top_node(w, open) != open->edge[e]) {
      close_top(w, open);
      first = false;
    }
    const int64_t height = open->height;
    write_edge(w, open, (int32_t)e, first);
    first = open->height > height;
  }
  while (open->height > 0)
    close_top(w, open);
  write_bytes(w, ";\n", 2);
}

/* Checks the tree and writes it. */
static void write_checked(writer *w) {
  gg_call *call = w->call;
  int32_t *edge, *from;
  gg_tree_check(w->tree, &edge, &from, call);
  open_nodes open = {edge, from, gg_call_allocate(call, w->tree->nodes + 1, sizeof *open.stack), 0};
  if (!call->status) write_tree(w, &open);
  gg_free(open.stack);
  gg_free(edge);
  gg_free(from);
}

gpugeo_status gpugeo_newick_write(const gpugeo_tree *tree, const char *path, const gpugeo_run *run,
                                  char **text, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  if (!path == !text)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "path must be %s",
                   path ? "NULL with a text" : "given without a text, not NULL");
  gg_call call;
  gg_new_file file;
  gg_call_begin(&call, run, NULL, error);
  GG_TRY(&call, gg_check_run(run, error));
  writer w = {.tree = tree, .call = &call};
  if (text) *text = NULL;
  if (path && !call.status) {
    w.file = &file;
    GG_TRY(&call, gg_new_file_open(&file, path, error));
  }
  if (!call.status) write_checked(&w);
  if (text) write_byte(&w, 0);
  if (text && !call.status) *text = w.text;
  if (call.status || !text) gg_free(w.text);
  if (w.file) call.status = gg_new_file_close(&file, call.status, error);
  return gg_call_end(&call);
}

void gpugeo_newick_text_free(char *text) { gg_free(text); }
