/* Reads files of edges: one edge on each line, a matrix in the Matrix Market format, or GraphML. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "common/text_file.h"
#include "gpugeo.h"
#include "layout/csr_file.h"
#include "layout/edge_lines.h"
#include "layout/graphml.h"

/* --- Numbers ---------------------------------------------------------------------------------- */

static const char separators[] = " \t,\r";

/* Returns the next field, which is empty at the end of the line. */
static char *skip_separators(char *at) {
  while (gg_separates_fields(*at))
    ++at;
  return at;
}

/* Fills in the error of a field that is not the number it must be. */
static gpugeo_status fail_number(const gg_text_file *text, const char *what, const char *at,
                                 gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "file \"%.300s\", line %lld: %s, not \"%s\"",
                 text->path, text->line, what, gg_show_field(at, separators).text);
}

/* Reads a whole number of at most 2^53 and moves on. Returns -1 if the field is not one. */
static int64_t read_whole(char **at) {
  const int64_t most = (int64_t)1 << 53;
  int64_t value = 0;
  char *c = *at;
  for (; *c >= '0' && *c <= '9' && value <= most; ++c)
    value = 10 * value + (*c - '0');
  if (c == *at || (*c && !gg_separates_fields(*c)) || value > most) return -1;
  *at = skip_separators(c);
  return value;
}

/* Reads a vertex and moves *at behind it. */
static gpugeo_status read_vertex(const gg_text_file *text, char **at, int32_t *vertex,
                                 gpugeo_error *error) {
  const char *field = *at;
  const int64_t value = read_whole(at);
  if (value < 0 || value > INT32_MAX)
    return fail_number(text, "a vertex must be a whole number between 0 and 2147483647", field,
                       error);
  *vertex = (int32_t)value;
  return GPUGEO_OK;
}

static const char weight_is[] = "a weight must be a finite number of at least 0";

/* Reads a weight and moves *at behind it. */
static gpugeo_status read_weight(const gg_text_file *text, char **at, double *weight,
                                 gpugeo_error *error) {
  char *end;
  *weight = gg_parse_double(*at, &end);
  if (end == *at || (*end && !gg_separates_fields(*end)) || !(*weight >= 0 && isfinite(*weight)))
    return fail_number(text, weight_is, *at, error);
  *at = skip_separators(end);
  return GPUGEO_OK;
}

/* --- Edges ------------------------------------------------------------------------------------ */

/* An edge as read. */
typedef struct edge {
  int32_t end[2];
  double weight;
} edge;

/* While a file is read, an edge takes memory twice: in blocks, and in the result. */
enum { EDGE_BYTES = 2 * sizeof(edge), BLOCK_EDGES = 1 << 12 };

typedef struct block {
  struct block *next;
  int64_t first, count, room; /* number of the first edge in the file, edges, and most of them */
  double *weights;            /* of the edges, within the block; NULL if all are 1 */
  int32_t ends[][2];
} block;

/* The first line and the line of sizes of a Matrix Market file. */
typedef struct market {
  bool is_one, weighted, whole, symmetric;
  long long size_line; /* 0: not yet read */
  int64_t side, entries;
  int half; /* of a symmetric matrix, the half with entries: 1 below the diagonal, -1 above */
} market;

/* The edges read so far. The first one may be a header "vertices edges". */
typedef struct list {
  block *first, *last;
  int64_t blocks;
  int64_t count, most;        /* edges, and how many fit into memory */
  int fields;                 /* of all lines after the first, 0 before them */
  int first_fields;           /* of the first */
  long long line;             /* of the first, 0 before it */
  int32_t header;             /* of gpugeo_edge_file_read() */
  bool has_names;             /* the first line has words, and is not among the edges */
  int32_t least, most_vertex; /* vertices of all lines after the first */
  market market;
} list;

/* Frees the blocks of a list. */
static void free_list(list *l) {
  while (l->first) {
    block *next = l->first->next;
    gg_free(l->first);
    l->first = next;
  }
}

/* Makes an empty block for so many edges. Returns NULL without memory. */
static block *make_block(int64_t room, bool weighted) {
  const int64_t bytes = (int64_t)sizeof(block) + room * (int64_t)sizeof(int32_t[2]);
  block *made = gg_allocate(bytes + weighted * room * (int64_t)sizeof(double), 1);
  if (!made) return NULL;
  *made = (block){.room = room, .weights = weighted ? (void *)((char *)made + bytes) : NULL};
  return made;
}

/* Fails because there is no memory for another block. */
static gpugeo_status fail_block(const list *l, gpugeo_error *error) {
  const int64_t bytes = BLOCK_EDGES * (int64_t)sizeof(edge);
  return gg_fail_memory(error, l->count * EDGE_BYTES + bytes);
}

/* Adds a block to a list, which owns it from then on. */
static void add_block(list *l, block *added) {
  if (l->last)
    l->last->next = added;
  else
    l->first = added;
  l->last = added;
  added->first = l->count;
  l->count += added->count;
  ++l->blocks;
}

/* Adds an edge to a list. */
static gpugeo_status add_edge(const gg_text_file *text, list *l, const edge *e,
                              gpugeo_error *error) {
  if (l->count == l->most)
    return gg_text_file_fail_memory(text, "edges", l->count, EDGE_BYTES, error);
  if (!l->last || l->last->count == l->last->room) {
    block *added = make_block(BLOCK_EDGES, true);
    if (!added) return fail_block(l, error);
    add_block(l, added);
  }
  block *b = l->last;
  memcpy(b->ends[b->count], e->end, sizeof e->end);
  b->weights[b->count++] = e->weight;
  ++l->count;
  return GPUGEO_OK;
}

/* Fills in the error of a line with a wrong number of fields. */
static gpugeo_status fail_fields(const gg_text_file *text, long long line, int wanted, int fields,
                                 gpugeo_error *error) {
  const char *what = wanted == 2   ? "2 fields, the vertices"
                     : wanted == 3 ? "3 fields, the vertices and the weight, as in other lines"
                                   : "2 or 3 fields, the vertices and perhaps a weight";
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\", line %lld: there must be %s, not %s%d", text->path, line, what,
                 fields > 3 ? "more than " : "", fields > 3 ? 3 : fields);
}

/* Reads the fields of a line, which is not empty. */
static gpugeo_status read_edge(const gg_text_file *text, char *at, edge *e, int *fields,
                               gpugeo_error *error) {
  *e = (edge){.weight = 1};
  *fields = 0;
  for (gpugeo_status status; *at; ++*fields) {
    if (*fields == 3) return fail_fields(text, text->line, 0, 4, error);
    status = *fields < 2 ? read_vertex(text, &at, &e->end[*fields], error)
                         : read_weight(text, &at, &e->weight, error);
    if (status) return status;
  }
  return *fields < 2 ? fail_fields(text, text->line, 0, *fields, error) : GPUGEO_OK;
}

/* Widens the list's range of vertices to two of them. */
static void count_vertices(list *l, const int32_t *ends) {
  for (int k = 0; k < 2; ++k) {
    if (ends[k] < l->least) l->least = ends[k];
    if (ends[k] > l->most_vertex) l->most_vertex = ends[k];
  }
}

/* True if no field of a line is a number. */
static bool is_words(char *at) {
  for (; *at; at = skip_separators(at + strcspn(at, separators))) {
    char *end;
    gg_parse_double(at, &end);
    if (end != at) return false;
  }
  return true;
}

/* Adds the edge of a line to the list; the first line may be a header. */
static gpugeo_status take_line(const gg_text_file *text, char *at, list *l, gpugeo_error *error) {
  edge e;
  int fields;
  const bool is_first = l->line == 0;
  if (is_first) l->line = text->line;
  if (is_first && l->header && is_words(at)) {
    l->has_names = true;
    return GPUGEO_OK;
  }
  gpugeo_status status = read_edge(text, at, &e, &fields, error);
  if (status) return status;
  if (is_first) {
    l->first_fields = fields;
    return add_edge(text, l, &e, error);
  }
  if (l->fields && fields != l->fields)
    return fail_fields(text, text->line, l->fields, fields, error);
  l->fields = fields;
  count_vertices(l, e.end);
  return add_edge(text, l, &e, error);
}

/* True if the first line has the form of a header: "vertices edges". */
static bool fits_header(const list *l, int64_t first) {
  if (l->count == 0 || l->first_fields != 2) return false;
  const int32_t *head = l->first->ends[0];
  const int64_t from = first >= 0 ? first : l->least > 0;
  return head[1] == l->count - 1 && (l->count == 1 || l->most_vertex - from < head[0]);
}

/* Fills in the error of a first line that must be a header. */
static gpugeo_status fail_header(const gg_text_file *text, const list *l, gpugeo_error *error) {
  if (l->line == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "header", "file \"%.300s\" must have a header",
                   text->path);
  return gg_fail(
      error, GPUGEO_ERROR_ARGUMENT, "header",
      "file \"%.300s\", line %lld: a header must have names of columns, or the number of "
      "vertices, none of which is beyond it, and the number of edges, of which %lld "
      "follow",
      text->path, l->line, (long long)(l->count > 0 ? l->count - 1 : 0));
}

/* Decides if the first line is a header: what cannot be an edge, if the caller does not say. */
static gpugeo_status decide_header(const gg_text_file *text, int64_t first, const list *l,
                                   gpugeo_edge_file *file, gpugeo_error *error) {
  const bool fits = fits_header(l, first);
  if (l->header == 1 && !l->has_names && !fits) return fail_header(text, l, error);
  const bool is_no_edge = l->has_names || (fits && l->fields == 3);
  if (l->header == 1 || (l->header && is_no_edge))
    file->header = GPUGEO_EDGE_HEADER;
  else if (l->header && fits && l->count > 1)
    file->header = GPUGEO_EDGE_OR_HEADER;
  return GPUGEO_OK;
}

/* Sets the numbers of the result. The vertices are those of a header with numbers, or up to the
   largest. */
static gpugeo_status finish_list(const gg_text_file *text, int64_t first, list *l,
                                 gpugeo_edge_file *file, int64_t *skipped, gpugeo_error *error) {
  gpugeo_status status = decide_header(text, first, l, file, error);
  if (status) return status;
  *skipped = file->header == GPUGEO_EDGE_HEADER && !l->has_names;
  if (!*skipped && !l->has_names && l->count > 0) {
    if (l->fields && l->fields != l->first_fields)
      return fail_fields(text, l->line, l->fields, l->first_fields, error);
    l->fields = l->first_fields;
    count_vertices(l, l->first->ends[0]);
  }
  file->edge_count = l->count - *skipped;
  file->first = first >= 0 ? first : file->edge_count == 0 || l->least > 0;
  file->vertices = *skipped               ? l->first->ends[0][0]
                   : file->edge_count > 0 ? (int64_t)l->most_vertex - file->first + 1
                                          : 0;
  if (file->edge_count > 0 && l->least < file->first)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first",
                   "file \"%.300s\" has a vertex 0: first must be 0, not 1", text->path);
  return GPUGEO_OK;
}

/* --- Matrix Market -------------------------------------------------------------------------------
 * Boisvert, Pozo and Remington (1996), The Matrix Market exchange formats: initial design.
 */

static const char banner[] = "%%MatrixMarket";

/* True if the line is the banner of a Matrix Market file. */
static bool begins_market(const gg_text_file *text, const char *line) {
  return text->line == 1 && gg_same_text(line, banner, sizeof banner - 1);
}

/* True if the next field is the word, in upper or lower case; then moves on. */
static bool take_word(char **at, const char *word) {
  const size_t length = strlen(word);
  if (!gg_same_text(*at, word, length) || ((*at)[length] && !gg_separates_fields((*at)[length])))
    return false;
  *at = skip_separators(*at + length);
  return true;
}

/* Reads which kind of matrix a Matrix Market file has. */
static gpugeo_status read_banner(const gg_text_file *text, char *line, market *m,
                                 gpugeo_error *error) {
  char *at = skip_separators(line + sizeof banner - 1);
  const char *given = at;
  m->is_one = true;
  bool good = take_word(&at, "matrix") && take_word(&at, "coordinate");
  m->whole = good && take_word(&at, "integer");
  m->weighted = m->whole || (good && take_word(&at, "real"));
  good = good && (m->weighted || take_word(&at, "pattern"));
  m->symmetric = good && take_word(&at, "symmetric");
  good = good && (m->symmetric || take_word(&at, "general")) && !*at;
  if (good) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\", line 1: a Matrix Market file must be \"matrix coordinate\", "
                 "\"pattern\", \"real\" or \"integer\", and \"general\" or \"symmetric\", not "
                 "\"%s\"",
                 text->path, gg_show_field(given, "\r").text);
}

/* Reads the line of sizes of a Matrix Market file. */
static gpugeo_status read_sizes(const gg_text_file *text, char *at, market *m,
                                gpugeo_error *error) {
  const char *line = at;
  const int64_t rows = read_whole(&at), columns = rows < 0 ? -1 : read_whole(&at);
  m->entries = columns < 0 ? -1 : read_whole(&at);
  if (m->entries < 0 || *at || rows > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\", line %lld: there must be the numbers of rows (at most "
                   "2147483647), columns and entries, not \"%s\"",
                   text->path, text->line, gg_show_field(line, "\r").text);
  if (rows != columns)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\", line %lld: the matrix of a graph must be square, not %lld x "
                   "%lld",
                   text->path, text->line, (long long)rows, (long long)columns);
  m->side = rows;
  m->size_line = text->line;
  return GPUGEO_OK;
}

/* Checks an entry against the first line and the line of sizes. */
static gpugeo_status check_entry(const gg_text_file *text, market *m, const edge *e,
                                 gpugeo_error *error) {
  for (int k = 0; k < 2; ++k)
    if (e->end[k] < 1 || e->end[k] > m->side)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                     "file \"%.300s\", line %lld: a vertex must be between 1 and %lld, the rows of "
                     "the matrix, not %d",
                     text->path, text->line, (long long)m->side, (int)e->end[k]);
  const int half = (e->end[0] > e->end[1]) - (e->end[0] < e->end[1]);
  if (m->symmetric && half && m->half && half != m->half)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\", line %lld: a symmetric matrix must have entries on one side "
                   "of its diagonal, not on both",
                   text->path, text->line);
  if (half) m->half = half;
  return GPUGEO_OK;
}

/* Returns the start of the third field of a line. */
static const char *third_field(char *at) {
  for (int k = 0; k < 2; ++k)
    at = skip_separators(at + strcspn(at, separators));
  return at;
}

/* Adds the edge of a line of a Matrix Market file, or reads its line of sizes. */
static gpugeo_status take_entry(const gg_text_file *text, char *at, list *l, gpugeo_error *error) {
  market *m = &l->market;
  if (!m->size_line) return read_sizes(text, at, m, error);
  edge e;
  int fields;
  gpugeo_status status = read_edge(text, at, &e, &fields, error);
  if (status) return status;
  if (fields != (m->weighted ? 3 : 2))
    return fail_fields(text, text->line, m->weighted ? 3 : 2, fields, error);
  if (m->whole && e.weight != floor(e.weight))
    return fail_number(text, "a weight must be a whole number in an integer matrix",
                       third_field(at), error);
  status = check_entry(text, m, &e, error);
  if (status) return status;
  if (l->count == m->entries)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have %lld entries, as its line %lld says, not more",
                   text->path, (long long)m->entries, m->size_line);
  return add_edge(text, l, &e, error);
}

/* Checks the number of entries of a Matrix Market file, and fills in the numbers of the result. */
static gpugeo_status finish_market(const gg_text_file *text, int64_t first, list *l,
                                   gpugeo_edge_file *file, gpugeo_error *error) {
  const market *m = &l->market;
  if (!m->size_line)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have a line of rows, columns and entries", text->path);
  if (l->count != m->entries)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have %lld entries, as its line %lld says, not %lld",
                   text->path, (long long)m->entries, m->size_line, (long long)l->count);
  if (first == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first",
                   "first must be 1 for the Matrix Market file \"%.300s\", not 0", text->path);
  l->fields = m->weighted ? 3 : 2;
  file->edge_count = l->count;
  file->first = 1;
  file->vertices = m->side;
  return GPUGEO_OK;
}

/* --- GraphML ---------------------------------------------------------------------------------- */

/* The edges of a GraphML file while it is read. */
typedef struct graphml {
  const gg_text_file *text;
  list *list;
  bool weighted; /* an edge has a weight */
} graphml;

/* Reads a text that must be a weight and nothing else. */
static gpugeo_status read_weight_alone(const gg_text_file *text, char *at, double *weight,
                                       gpugeo_error *error) {
  if (!at[strcspn(at, separators)]) return read_weight(text, &at, weight, error);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "file \"%.300s\", line %lld: %s, not \"%s\"",
                 text->path, text->line, weight_is, gg_show_field(at, "").text);
}

/* Adds an edge of a GraphML file, see gg_graphml_edges. */
static gpugeo_status add_named(void *data, const int32_t *ends, char *weight, gpugeo_error *error) {
  graphml *g = data;
  edge e = {.end = {ends[0] + 1, ends[1] + 1}, .weight = 1};
  g->weighted |= weight != NULL;
  gpugeo_status status = weight ? read_weight_alone(g->text, weight, &e.weight, error) : GPUGEO_OK;
  return status ? status : add_edge(g->text, g->list, &e, error);
}

/* Reads a GraphML file, and fills in the numbers and names of the result. */
static gpugeo_status read_graphml(gg_text_file *text, int64_t first, list *l,
                                  gpugeo_edge_file *file, gg_call *call) {
  graphml g = {.text = text, .list = l};
  gg_vertex_names names = {.file = text, .most = gg_text_file_most(call->run, 1)};
  if (first == 0)
    return call->status =
               gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "first",
                       "first must be 1 for the GraphML file \"%.300s\", not 0", text->path);
  const gg_graphml_edges edges = {add_named, &g};
  if (!GG_TRY(call, gg_graphml_read(text, &edges, &names, call->error))) {
    l->fields = g.weighted ? 3 : 2;
    file->edge_count = l->count;
    file->first = 1;
    file->vertices = names.count;
    file->names = gg_vertex_names_list(&names);
    if (!file->names) call->status = gg_fail_memory(call->error, 8 * names.count);
  }
  gg_vertex_names_free(&names);
  return call->status;
}

/* --- The file --------------------------------------------------------------------------------- */

/* Blocks that threads copy. */
typedef struct copying {
  const block **blocks;
  int64_t skipped; /* edges at the beginning */
  gpugeo_edge_file *file;
} copying;

/* Copies the blocks [range.first, range.last) into the result. */
static void copy_blocks(void *data, gg_range range) {
  const copying *c = data;
  const gpugeo_edge_file *file = c->file;
  for (int64_t k = range.first; k < range.last; ++k) {
    const block *b = c->blocks[k];
    const int64_t skipped = c->skipped > b->first ? c->skipped - b->first : 0;
    const int64_t at = b->first + skipped - c->skipped, left = b->count - skipped;
    int32_t *from = file->edges + at, *to = from + file->edge_count;
    for (int64_t i = 0; i < left; ++i) {
      from[i] = b->ends[skipped + i][0];
      to[i] = b->ends[skipped + i][1];
    }
    for (int64_t i = 0; file->weights && i < left; ++i)
      file->weights[at + i] = b->weights ? b->weights[skipped + i] : 1;
  }
}

/* Copies the edges into the result. */
static gpugeo_status copy_edges(const list *l, int64_t skipped, gpugeo_edge_file *file,
                                gg_call *call) {
  if (call->status) return call->status;
  const int64_t count = file->edge_count;
  file->edges = gg_allocate(2 * count, sizeof *file->edges);
  if (l->fields == 3) file->weights = gg_allocate(count, sizeof *file->weights);
  copying c = {gg_allocate(l->blocks, sizeof *c.blocks), skipped, file};
  if (!c.blocks || !file->edges || (l->fields == 3 && !file->weights))
    call->status = gg_fail_memory(call->error, l->count * EDGE_BYTES);
  int64_t at = 0;
  for (const block *b = l->first; b && c.blocks; b = b->next)
    c.blocks[at++] = b;
  const gg_loop loop = {.threads = gg_threads(call->run->threads),
                        .count = l->blocks,
                        .work = copy_blocks,
                        .job = &c,
                        .begun = 1};
  if (!call->status) gg_call_loop(call, loop);
  gg_free(c.blocks);
  return call->status;
}

/* Counts the vertices with an edge, up to half of the numbers, unless there are more than four
   times as many numbers as edges: then fewer than half of the numbers have one. Sets file->gaps. */
static gpugeo_status find_gaps(gpugeo_edge_file *file, gpugeo_error *error) {
  const int64_t ends = 2 * file->edge_count;
  int64_t used = 0;
  if (file->vertices <= 2 * ends) {
    uint8_t *seen = gg_allocate(file->vertices / 8 + 1, 1);
    if (!seen) return gg_fail_memory(error, file->vertices / 8 + 1);
    memset(seen, 0, (size_t)(file->vertices / 8 + 1));
    for (int64_t e = 0; e < ends && 2 * used < file->vertices; ++e) {
      const int64_t v = file->edges[e] - file->first;
      used += !(seen[v / 8] >> (v % 8) & 1);
      seen[v / 8] |= (uint8_t)(1 << (v % 8));
    }
    gg_free(seen);
  }
  file->gaps = ends > 0 && 2 * used < file->vertices;
  return GPUGEO_OK;
}

/* Reads the next line into a list of edges. *ended is true after the last one. */
static gpugeo_status read_line(gg_text_file *text, list *l, bool *ended, gpugeo_error *error) {
  char *line;
  gpugeo_status status = gg_text_file_line(text, &line, error);
  *ended = !line;
  if (status || !line) return status;
  char *at = skip_separators(line);
  if (begins_market(text, line)) return read_banner(text, line, &l->market, error);
  if (!*at || *at == '%') return GPUGEO_OK;
  if (l->market.is_one) return take_entry(text, at, l, error);
  return *at == '#' ? GPUGEO_OK : take_line(text, at, l, error);
}

/* --- Lines that threads read ------------------------------------------------------------------ */

enum {
  PART_BYTES = 1 << 16, /* that a thread reads at a time: its edges stay in its cache */
  PARTS = GG_LINE_BYTES / PART_BYTES,
  PART_EDGES = PART_BYTES / 4 + 1 /* of lines that begin in a part, of at least 4 bytes */
};

/* The lines that begin in a part of the buffer. */
typedef struct part {
  const char *stop, *end; /* of the lines that were read, and of all */
  int64_t lines;          /* that were read */
  int32_t least, most;    /* vertices */
  block *edges;           /* NULL if there is no edge, or no memory: then `failed` is true */
  bool failed;
} part;

/* Whole lines in the buffer. */
typedef struct parts {
  const char *begin, *end;
  int fields;
  int32_t threads;
  int32_t *ends;   /* working memory of each thread */
  double *weights; /* likewise */
  part part[PARTS];
} parts;

/* Returns the first line that begins at an offset of the buffer or after it. */
static const char *line_from(const parts *p, int64_t offset) {
  if (offset == 0) return p->begin;
  if (offset >= p->end - p->begin) return p->end;
  const char *at = p->begin + offset - 1;
  return (const char *)memchr(at, '\n', (size_t)(p->end - at)) + 1;
}

/* Makes the block of the edges of a part, if there are some. */
static void keep_edges(const gg_edge_lines *lines, int fields, part *to) {
  if (lines->count == 0) return;
  to->edges = make_block(lines->count, fields == 3);
  to->failed = !to->edges;
  if (to->failed) return;
  to->edges->count = lines->count;
  memcpy(to->edges->ends, lines->ends, (size_t)lines->count * sizeof *to->edges->ends);
  if (fields == 3)
    memcpy(to->edges->weights, lines->weights, (size_t)lines->count * sizeof *lines->weights);
}

/* Reads the parts [range.first, range.last), each up to a line that is not simple. */
static void read_parts(void *data, gg_range range) {
  parts *p = data;
  gg_edge_lines lines = {.ends = p->ends + (int64_t)range.worker * 2 * PART_EDGES,
                         .weights = p->weights + (int64_t)range.worker * PART_EDGES};
  for (int64_t k = range.first; k < range.last; ++k) {
    part *to = &p->part[k];
    const char *begin = line_from(p, k * PART_BYTES);
    *to = (part){.end = line_from(p, (k + 1) * PART_BYTES)};
    to->stop = gg_edge_lines_read(begin, to->end, p->fields, &lines);
    to->lines = lines.lines;
    to->least = lines.least;
    to->most = lines.most;
    keep_edges(&lines, p->fields, to);
  }
}

/* True if all edges of a part, as far as they were read, may be entries of a Matrix Market file. */
static bool are_entries(const list *l, const part *from) {
  const block *b = from->edges;
  int half = l->market.half;
  bool good = from->least >= 1 && from->most <= l->market.side;
  good = good && l->count + b->count <= l->market.entries;
  for (int64_t i = 0; good && i < b->count; ++i) {
    const int32_t *ends = b->ends[i];
    const int of_edge = (ends[0] > ends[1]) - (ends[0] < ends[1]);
    good = !l->market.symmetric || of_edge * half >= 0;
    good = good && (!l->market.whole || b->weights[i] == floor(b->weights[i]));
    if (of_edge) half = of_edge;
  }
  return good;
}

/* Adds the edges of a part to a list, which owns them from then on. */
static void add_part(list *l, part *from) {
  for (int64_t i = 0; l->market.symmetric && !l->market.half && i < from->edges->count; ++i) {
    const int32_t *ends = from->edges->ends[i];
    l->market.half = (ends[0] > ends[1]) - (ends[0] < ends[1]);
  }
  count_vertices(l, (int32_t[]){from->least, from->most});
  add_block(l, from->edges);
  from->edges = NULL;
}

/* Takes the edges of a part, and reads those of its lines that are left: all, if some edge is no
   entry of a Matrix Market file. */
static gpugeo_status take_part(gg_text_file *text, list *l, part *from, gpugeo_error *error) {
  if (from->failed) return fail_block(l, error);
  const bool good = !from->edges || !l->market.is_one || are_entries(l, from);
  if (good && from->edges && from->edges->count > l->most - l->count)
    return gg_text_file_fail_memory(text, "edges", l->most, EDGE_BYTES, error);
  if (good && from->edges) add_part(l, from);
  if (good) gg_text_file_skip(text, from->stop, from->lines);
  gpugeo_status status = GPUGEO_OK;
  for (bool ended; !status && gg_text_file_before(text, from->end);)
    status = read_line(text, l, &ended, error);
  return status;
}

/* Returns how many fields the next lines have, 0 if that is not known. */
static int fields_of(const list *l) {
  if (!l->market.is_one) return l->fields;
  return l->market.size_line ? 2 + l->market.weighted : 0;
}

/* Reads the lines that are whole in the buffer. Of lines that may be wrong, the first is read last,
   by read_line(), so that errors are those of the first wrong line. */
static gpugeo_status read_buffer(gg_text_file *text, list *l, parts *p, gpugeo_error *error) {
  gpugeo_status status = gg_text_file_lines(text, &p->begin, &p->end, error);
  if (status || p->begin == p->end) return status;
  p->fields = fields_of(l);
  const int64_t count = (p->end - p->begin - 1) / PART_BYTES + 1;
  gg_parallel_for(
      &(gg_loop){.threads = p->threads, .count = count, .grain = 1, .work = read_parts, .job = p});
  for (int64_t k = 0; k < count; ++k) {
    if (!status) status = take_part(text, l, &p->part[k], error);
    gg_free(p->part[k].edges);
  }
  return status;
}

/* Reads all lines of a file into a list of edges: the first ones and the rest of each buffer one by
   one, the others on threads. */
static gpugeo_status read_lines(gg_text_file *text, list *l, int32_t threads, gpugeo_error *error) {
  parts p = {.threads = threads < PARTS ? threads : PARTS};
  p.ends = gg_allocate(p.threads * 2 * PART_EDGES, sizeof *p.ends);
  p.weights = gg_allocate(p.threads * PART_EDGES, sizeof *p.weights);
  gpugeo_status status = p.ends && p.weights ? GPUGEO_OK : fail_block(l, error);
  for (bool ended = false; !status && !ended;) {
    if (fields_of(l)) status = read_buffer(text, l, &p, error);
    if (!status) status = read_line(text, l, &ended, error);
  }
  gg_free(p.ends);
  gg_free(p.weights);
  return status;
}

/* Reads the edges of a file. */
static gpugeo_status read_edges(gg_text_file *text, int64_t first, int32_t header,
                                gpugeo_edge_file *file, gg_call *call) {
  list l = {.header = header,
            .least = INT32_MAX,
            .most_vertex = -1,
            .most = gg_text_file_most(call->run, EDGE_BYTES)};
  int64_t skipped = 0;
  char next = 0;
  GG_TRY(call, gg_text_file_peek(text, &next, call->error));
  const bool is_xml = !call->status && next == '<';
  if (is_xml) read_graphml(text, first, &l, file, call);
  if (!is_xml) GG_TRY(call, read_lines(text, &l, gg_threads(call->run->threads), call->error));
  if (l.market.is_one)
    GG_TRY(call, finish_market(text, first, &l, file, call->error));
  else if (!is_xml)
    GG_TRY(call, finish_list(text, first, &l, file, &skipped, call->error));
  copy_edges(&l, skipped, file, call);
  if (!skipped && !l.market.is_one && !is_xml) GG_TRY(call, find_gaps(file, call->error));
  free_list(&l);
  return call->status;
}

/* Reads the edges of a text file. */
static void read_text(const char *path, int64_t first, int32_t header, gpugeo_edge_file *file,
                      gg_call *call) {
  gg_text_file text = {0};
  if (!GG_TRY(call, gg_text_file_open("path", path, &text, call)))
    read_edges(&text, first, header, file, call);
  gg_text_file_close(&text);
}

gpugeo_status gpugeo_edge_file_read(const char *path, int64_t first, int32_t header,
                                    const gpugeo_run *run, gpugeo_edge_file *file,
                                    gpugeo_error *error) {
  *file = (gpugeo_edge_file){0};
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  if (first < -1 || first > 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "first", "first must be -1, 0 or 1, not %lld",
                   (long long)first);
  if (header < -1 || header > 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "header", "header must be -1, 0 or 1, not %d",
                   (int)header);
  status = gg_check_run(run, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  bool is_csr;
  gg_csr_file_read(path, first, file, &is_csr, &call);
  if (!is_csr) read_text(path, first, header, file, &call);
  if (call.status) gpugeo_edge_file_free(file);
  return gg_call_end(&call);
}

void gpugeo_edge_file_free(gpugeo_edge_file *file) {
  gg_free(file->edges);
  gg_free(file->weights);
  gg_vertex_names_list_free(file->names, file->vertices);
  *file = (gpugeo_edge_file){0};
}
