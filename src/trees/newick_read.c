/*
 * Reads a tree in the Newick format, without recursion: a machine that takes one byte after the
 * other.
 *
 * Reference: Olsen 1990, "Newick's 8:45" tree format standard,
 * https://phylipweb.github.io/phylip/newick_doc.html. Underscores stay as they are, as in ape.
 * Invariant: nodes are in the order in which they begin, so that a node's parent is before it, and
 * the edges from the parents to all nodes but the first are in preorder.
 * Cost: O(bytes); 40 bytes for each node, and the labels.
 */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "common/text_file.h"
#include "gpugeo.h"

enum { MOST_NODES = 1 << 30, FIRST_ROOM = 64 };

/* A node of the tree as it is read. */
typedef struct node {
  int32_t parent; /* in the order of nodes; -1: the root */
  bool inner;
  int64_t label; /* offset in the text of labels; -1: none */
  double length; /* NaN: none */
} node;

/* Where in the text the next byte is. */
typedef enum mode { MODE_PLAIN, MODE_COMMENT, MODE_QUOTED, MODE_QUOTE_IN_QUOTED } mode;

/* What of a node has been read. */
typedef enum progress {
  PART_NONE,   /* a node must begin */
  PART_BEGUN,  /* its label may follow, or its length */
  PART_LABEL,  /* its length may follow */
  PART_COLON,  /* its length must follow */
  PART_LENGTH, /* all */
  PART_END     /* of the tree */
} progress;

typedef struct parser {
  const char *argument; /* "path" or "text" */
  const char *path;     /* NULL: of a text */
  gg_call *call;
  long long line, byte; /* of the next byte: its line, and its position there, from 1 */
  mode mode;
  progress part;
  int64_t at; /* the node that is described; -1: none */
  node *nodes;
  int64_t count, room, tips;
  char *text; /* the labels, each with a 0 at its end */
  int64_t used, text_room;
  int64_t token; /* offset of the word that is being read; -1: none */
  bool blank;    /* a blank in it has been read, and nothing after it */
  bool has_lengths, has_node_labels;
} parser;

/* --- Errors ----------------------------------------------------------------------------------- */

/* Fails at the present byte with "text must ..., but byte 3 of line 1 ...". */
static gpugeo_status fail(parser *p, const char *what) {
  gg_call *call = p->call;
  if (p->path)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, p->argument,
                                "file \"%.300s\", line %lld, byte %lld: %s", p->path, p->line,
                                p->byte, what));
  return GG_TRY(call,
                gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, p->argument,
                        "%s must be a tree in the Newick format, but line %lld, byte %lld: %s",
                        p->argument, p->line, p->byte, what));
}

/* Returns more memory for an array, of which so many bytes are needed at least. */
static void *grow(parser *p, void *memory, int64_t size, int64_t *room) {
  gg_call *call = p->call;
  const int64_t wanted = *room < FIRST_ROOM ? FIRST_ROOM : 2 * *room;
  const double bytes =
      (double)(p->room * (int64_t)sizeof(node) + p->text_room) + (double)((wanted - *room) * size);
  GG_TRY(call, gg_check_work(call->run, bytes, call->error, "a tree of more than %lld nodes",
                             (long long)p->count));
  GG_TRY(call, gg_check_memory(bytes, p->argument, call->error,
                               "a tree of more than %lld nodes needs", (long long)p->count));
  void *more = call->status ? NULL : gg_reallocate(memory, wanted, size);
  if (!more) {
    GG_TRY(call, gg_fail_memory(call->error, wanted * size));
    return memory;
  }
  *room = wanted;
  return more;
}

/* --- Nodes and words -------------------------------------------------------------------------- */

/* Begins a node below `parent`. */
static void begin_node(parser *p, int64_t parent, bool inner) {
  if (p->count == MOST_NODES) {
    fail(p, "the tree has more than 1073741824 nodes");
    return;
  }
  if (p->count == p->room) p->nodes = grow(p, p->nodes, (int64_t)sizeof *p->nodes, &p->room);
  if (p->call->status) return;
  p->nodes[p->count] = (node){(int32_t)parent, inner, -1, NAN};
  p->at = p->count++;
  p->tips += !inner;
  p->part = inner ? PART_NONE : PART_BEGUN;
}

/* Appends a byte to the text of labels. */
static void append(parser *p, char c) {
  if (p->used == p->text_room) p->text = grow(p, p->text, 1, &p->text_room);
  if (!p->call->status) p->text[p->used++] = c;
}

/* Begins a tip if a node must begin. Its parent is the node that was described last. */
static void begin_tip(parser *p) {
  if (p->part != PART_NONE) return;
  if (p->at < 0)
    fail(p, "a tree must begin with \"(\"");
  else
    begin_node(p, p->at, false);
}

/* Ends a label. */
static void end_label(parser *p, int64_t offset) {
  node *n = &p->nodes[p->at];
  n->label = offset;
  p->has_node_labels |= n->inner && p->text[offset];
  p->part = PART_LABEL;
}

/* Ends a word that is a length. */
static void end_length(parser *p) {
  char *end;
  const char *word = p->text + p->token;
  const double length = gg_parse_double(word, &end);
  if (end == word || *end || !isfinite(length)) {
    char what[160];
    gg_print(what, sizeof what, "a length must be a finite number, not \"%s\"",
             gg_show_field(word, "").text);
    fail(p, what);
    return;
  }
  p->nodes[p->at].length = length;
  p->has_lengths |= p->at > 0;
  p->used = p->token;
  p->part = PART_LENGTH;
}

/* Ends the word that is being read, if one is. */
static void end_word(parser *p) {
  if (p->token < 0 || p->call->status) return;
  append(p, 0);
  if (p->call->status) return;
  if (p->part == PART_COLON)
    end_length(p);
  else
    end_label(p, p->token);
  p->token = -1;
  p->blank = false;
}

/* Begins a word, unless one is being read. */
static void begin_word(parser *p) {
  if (p->token >= 0) return;
  begin_tip(p);
  if (p->call->status) return;
  if (p->part != PART_BEGUN && p->part != PART_COLON)
    fail(p, "\",\", \")\" or \";\" must follow here");
  p->token = p->used;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* Takes "(". */
static void open_node(parser *p) {
  if (p->part != PART_NONE)
    fail(p, "\"(\" must follow \"(\" or \",\"");
  else
    begin_node(p, p->at, true);
}

/* Takes "," or ")": ends a node. */
static void close_node(parser *p, char c) {
  begin_tip(p);
  if (p->call->status) return;
  const int32_t parent = p->nodes[p->at].parent;
  if (p->part == PART_COLON)
    fail(p, "a length must follow \":\"");
  else if (parent < 0)
    fail(p, c == ',' ? "\",\" must be between \"(\" and \")\"" : "\")\" has no \"(\"");
  else
    p->at = parent;
  p->part = c == ',' ? PART_NONE : PART_BEGUN;
}

/* Takes ":". */
static void begin_length(parser *p) {
  begin_tip(p);
  if (p->call->status) return;
  if (p->part == PART_COLON || p->part == PART_LENGTH) fail(p, "\":\" stands twice");
  p->part = PART_COLON;
}

/* Takes ";". */
static void end_tree(parser *p) {
  begin_tip(p);
  if (p->call->status) return;
  if (p->part == PART_COLON)
    fail(p, "a length must follow \":\"");
  else if (p->at != 0)
    fail(p, "\";\" must follow the last \")\"");
  p->part = PART_END;
}

/* Takes a byte of a word outside quotes. */
static void take_word(parser *p, char c) {
  if (p->part == PART_END) {
    fail(p, "there must be one tree, but another one begins");
    return;
  }
  if ((unsigned char)c < 0x20 || c == 0x7f) {
    fail(p, c ? "there must be no control character" : "there must be no NUL byte");
    return;
  }
  begin_word(p);
  if (p->blank && !p->call->status) append(p, ' ');
  p->blank = false;
  if (!p->call->status) append(p, c);
}

/* Takes a quote that begins a label. */
static void begin_quoted(parser *p) {
  end_word(p);
  if (p->part == PART_END || p->part == PART_COLON)
    fail(p, "a quote must begin a label");
  else if (!p->call->status)
    begin_word(p);
  p->mode = MODE_QUOTED;
}

/* Takes a byte with a meaning of its own. */
static void take_mark(parser *p, char c) {
  end_word(p);
  if (p->call->status) return;
  if (p->part == PART_END)
    fail(p, "there must be one tree, but another one begins");
  else if (c == '(')
    open_node(p);
  else if (c == ':')
    begin_length(p);
  else if (c == ';')
    end_tree(p);
  else
    close_node(p, c);
}

/* Takes a byte outside quotes and comments. */
static void take_plain(parser *p, char c) {
  if (c == '[') {
    end_word(p);
    p->mode = MODE_COMMENT;
  } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
    p->blank = p->token >= 0 && p->part != PART_COLON;
    if (p->part == PART_COLON) end_word(p);
  } else if (c == '\'') {
    begin_quoted(p);
  } else if (memchr("(),:;", c, 5)) {
    take_mark(p, c);
  } else if (c == ']') {
    fail(p, "\"]\" has no \"[\"");
  } else {
    take_word(p, c);
  }
}

/* Takes a byte in quotes. Two quotes stand for one. */
static void take_quoted(parser *p, char c) {
  if (p->mode == MODE_QUOTED) {
    if (c == '\'')
      p->mode = MODE_QUOTE_IN_QUOTED;
    else if (c == 0)
      fail(p, "there must be no NUL byte");
    else
      append(p, c);
  } else if (c == '\'') {
    append(p, c);
    p->mode = MODE_QUOTED;
  } else {
    end_word(p);
    p->mode = MODE_PLAIN;
    if (!p->call->status) take_plain(p, c);
  }
}

/* Takes the next byte. */
static void take_byte(parser *p, char c) {
  if (p->mode == MODE_COMMENT)
    p->mode = c == ']' ? MODE_PLAIN : MODE_COMMENT;
  else if (p->mode == MODE_PLAIN)
    take_plain(p, c);
  else
    take_quoted(p, c);
  ++p->byte;
  if (c == '\n') {
    ++p->line;
    p->byte = 1;
  }
}

/* Takes so many bytes, until one is wrong. */
static void take_bytes(parser *p, const char *bytes, int64_t count) {
  for (int64_t k = 0; k < count && !p->call->status; ++k)
    take_byte(p, bytes[k]);
}

/* Checks that the text has ended as a tree does. */
static void end_text(parser *p) {
  if (p->call->status) return;
  if (p->mode == MODE_COMMENT)
    fail(p, "a comment does not end");
  else if (p->mode == MODE_QUOTED)
    fail(p, "a label in quotes does not end");
  else if (p->part != PART_END)
    fail(p, p->count ? "the tree does not end with \";\"" : "there is no tree");
}

/* --- The result ------------------------------------------------------------------------------- */

/* What a gpugeo_newick owns. */
typedef struct owned {
  int32_t *edge;
  double *length;
  const char **label; /* of tips, then of inner nodes */
  char *text;
} owned;

/* Frees the memory of a tree. */
static void free_owned(owned *o) {
  if (!o) return;
  gg_free(o->edge);
  gg_free(o->length);
  gg_free(o->label);
  gg_free(o->text);
  gg_free(o);
}

/* Writes the numbers of nodes, edges, lengths and labels; number: of each node. */
static void fill_tree(const parser *p, owned *o, int32_t *number, gpugeo_tree *tree) {
  int32_t tip = 0, inner = (int32_t)p->tips;
  for (int64_t k = 0; k < p->count; ++k) {
    const node *n = &p->nodes[k];
    number[k] = n->inner ? inner++ : tip++;
    o->label[number[k]] = n->label < 0 ? "" : o->text + n->label;
    if (k == 0) continue;
    o->edge[k - 1] = number[n->parent];
    o->edge[k - 1 + p->count - 1] = number[k];
    o->length[k - 1] = n->length;
  }
  *tree = (gpugeo_tree){.tips = p->tips,
                        .nodes = p->count - p->tips,
                        .edges = p->count - 1,
                        .edge = o->edge,
                        .length = p->has_lengths ? o->length : NULL,
                        .tip_label = o->label,
                        .node_label = p->has_node_labels ? o->label + p->tips : NULL,
                        .root_length = p->nodes[0].length};
}

/* Makes the result of what has been read, whose text it takes over. */
static void make_tree(parser *p, gpugeo_newick *result) {
  gg_call *call = p->call;
  owned *o = call->status ? NULL : gg_allocate_zeros(1, sizeof *o);
  int32_t *number = gg_call_allocate(call, p->count, sizeof *number);
  if (o) {
    o->edge = gg_call_allocate(call, 2 * p->count, sizeof *o->edge);
    o->length = gg_call_allocate(call, p->count, sizeof *o->length);
    o->label = gg_call_allocate(call, p->count, sizeof *o->label);
  } else {
    GG_TRY(call, gg_fail_memory(call->error, (int64_t)sizeof *o));
  }
  if (!call->status) {
    o->text = p->text;
    p->text = NULL;
    fill_tree(p, o, number, &result->tree);
    result->memory = o;
  } else {
    free_owned(o);
  }
  gg_free(number);
}

void gpugeo_newick_free(gpugeo_newick *newick) {
  if (!newick) return;
  free_owned(newick->memory);
  *newick = (gpugeo_newick){.memory = NULL};
}

/* --- The call --------------------------------------------------------------------------------- */

/* Reads the bytes of a file. */
static void take_file(parser *p, const char *path) {
  gg_text_file file = {.path = path};
  const char *piece;
  int length;
  bool ends = false;
  gg_text_file_open("path", path, &file, p->call);
  while (!p->call->status) {
    if (GG_TRY(p->call, gg_text_file_piece(&file, &piece, &length, &ends, p->call->error))) break;
    if (!piece) break;
    take_bytes(p, piece, length);
    if (ends) take_bytes(p, "\n", 1);
  }
  gg_text_file_close(&file);
}

/* Reads the bytes of a text. */
static void take_text(parser *p, const char *text) {
  const int64_t count = (int64_t)strlen(text), part = 1 << 20;
  for (int64_t k = 0; k < count && !gg_call_poll(p->call, (double)k / (double)count); k += part)
    take_bytes(p, text + k, count - k < part ? count - k : part);
}

gpugeo_status gpugeo_newick_read(const char *path, const char *text, const gpugeo_run *run,
                                 gpugeo_newick *newick, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  if (!path == !text)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "path must be %s",
                   path ? "NULL with a text" : "given without a text, not NULL");
  *newick = (gpugeo_newick){.memory = NULL};
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  GG_TRY(&call, gg_check_run(run, error));
  parser p = {.argument = path ? "path" : "text",
              .path = path,
              .call = &call,
              .line = 1,
              .byte = 1,
              .at = -1,
              .token = -1};
  if (path && !call.status) take_file(&p, path);
  if (text && !call.status) take_text(&p, text);
  end_text(&p);
  make_tree(&p, newick);
  gg_free(p.nodes);
  gg_free(p.text);
  return gg_call_end(&call);
}
