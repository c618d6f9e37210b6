/* Writes layouts of graphs as GraphML (http://graphml.graphdrawing.org/specification.html) and as
   Cytoscape Exchange format 2 (https://cytoscape.org/cx/cx2/specification/), and graphs in
   compressed sparse rows. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/new_file.h"
#include "common/options.h"
#include "layout/csr.h"
#include "layout/csr_file.h"

/* A graph that is written. All of it is borrowed. */
typedef struct drawing {
  const gpugeo_graph *graph;
  const gpugeo_matrix *positions;
  gg_new_file *file;
} drawing;

/* How a format writes what is before, at and behind vertices and edges, numbered from 0. */
typedef struct graph_writer {
  void (*begin)(const drawing *d);
  void (*vertex)(const drawing *d, int64_t vertex);
  void (*between)(const drawing *d);
  void (*edge)(const drawing *d, int64_t edge);
  void (*end)(const drawing *d);
} graph_writer;

static const char axes[] = "xyz";

/* Writes text. */
static void write_text(const drawing *d, const char *text) {
  gg_new_file_write(d->file, text, strlen(text));
}

/* A character as a format represents it. */
typedef struct escaped {
  char text[8]; /* "": as it is */
} escaped;

/* Writes the name of a vertex, each character as escape() returns it. */
static void write_name(const drawing *d, int64_t vertex, escaped (*escape)(char)) {
  for (const char *c = d->graph->labels[vertex]; *c; ++c) {
    const escaped other = escape(*c);
    if (other.text[0])
      write_text(d, other.text);
    else
      gg_new_file_write(d->file, c, 1);
  }
}

/* Returns the number, from 1, of a vertex of an edge. */
static long long end_of(const gpugeo_graph *graph, int64_t edge, int k) {
  return (long long)gg_element(&graph->edges, edge, k) - graph->first + 1;
}

/* --- GraphML ---------------------------------------------------------------------------------- */

/* Returns a character as XML represents it. */
static escaped escape_xml(char c) {
  switch (c) {
  case '&':
    return (escaped){"&amp;"};
  case '<':
    return (escaped){"&lt;"};
  case '>':
    return (escaped){"&gt;"};
  case '\r':
    return (escaped){"&#13;"};
  default:
    return (escaped){""};
  }
}

/* Declares an attribute of vertices or edges. */
static void write_key(const drawing *d, const char *name, const char *of, const char *type) {
  gg_new_file_print(d->file, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
                    name, of, name, type);
}

/* Writes the declarations of all attributes. */
static void begin_graphml(const drawing *d) {
  write_text(d, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  if (d->graph->labels) write_key(d, "name", "node", "string");
  for (int64_t c = 0; c < d->positions->ncol; ++c)
    write_key(d, (const char[]){axes[c], 0}, "node", "double");
  if (d->graph->weights) write_key(d, "weight", "edge", "double");
  write_text(d, "<graph edgedefault=\"undirected\">\n");
}

/* Writes a vertex with its name and position. */
static void write_graphml_vertex(const drawing *d, int64_t vertex) {
  gg_new_file_print(d->file, "<node id=\"n%lld\">", (long long)vertex + 1);
  if (d->graph->labels) {
    write_text(d, "<data key=\"name\">");
    write_name(d, vertex, escape_xml);
    write_text(d, "</data>");
  }
  for (int64_t c = 0; c < d->positions->ncol; ++c)
    gg_new_file_print(d->file, "<data key=\"%c\">%.17g</data>", axes[c],
                      gg_element(d->positions, vertex, c));
  write_text(d, "</node>\n");
}

/* Writes nothing: GraphML has vertices and edges in one list. */
static void between_graphml(const drawing *d) { (void)d; }

/* Writes an edge with its weight. */
static void write_graphml_edge(const drawing *d, int64_t edge) {
  gg_new_file_print(d->file, "<edge source=\"n%lld\" target=\"n%lld\">", end_of(d->graph, edge, 0),
                    end_of(d->graph, edge, 1));
  if (d->graph->weights)
    gg_new_file_print(d->file, "<data key=\"weight\">%.17g</data>", d->graph->weights[edge]);
  write_text(d, "</edge>\n");
}

/* Closes the graph. */
static void end_graphml(const drawing *d) { write_text(d, "</graph>\n</graphml>\n"); }

/* True if XML 1.0 does not have a character. */
static bool is_control(char c) {
  return (unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

/* Checks that XML can represent the names of the vertices. */
static gpugeo_status check_names(const gpugeo_graph *graph, gpugeo_error *error) {
  for (int64_t i = 0; graph->labels && i < graph->vertices; ++i) {
    const char *c = graph->labels[i];
    while (*c && !is_control(*c))
      ++c;
    if (!*c) continue;
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "names",
                   "names must not contain control characters in GraphML, but that of vertex %lld "
                   "contains \"\\%03o\"",
                   (long long)i + 1, (unsigned)(unsigned char)*c);
  }
  return GPUGEO_OK;
}

/* --- CX2 -------------------------------------------------------------------------------------- */

/* Returns a character as a string of JSON represents it. */
static escaped escape_json(char c) {
  escaped other = {""};
  if (c == '"' || c == '\\')
    snprintf(other.text, sizeof other.text, "\\%c", c);
  else if ((unsigned char)c < 0x20)
    snprintf(other.text, sizeof other.text, "\\u%04x", (unsigned)c);
  return other;
}

/* Writes the aspects before the vertices, and begins their list. */
static void begin_cx2(const drawing *d) {
  write_text(d, "[{\"CXVersion\":\"2.0\",\"hasFragments\":false},\n");
  gg_new_file_print(d->file,
                    "{\"metaData\":[{\"name\":\"attributeDeclarations\",\"elementCount\":1},"
                    "{\"name\":\"nodes\",\"elementCount\":%lld},"
                    "{\"name\":\"edges\",\"elementCount\":%lld}]},\n",
                    (long long)d->graph->vertices, (long long)d->graph->edges.nrow);
  write_text(d, "{\"attributeDeclarations\":[{");
  if (d->graph->labels) write_text(d, "\"nodes\":{\"name\":{\"d\":\"string\"}}");
  if (d->graph->labels && d->graph->weights) write_text(d, ",");
  if (d->graph->weights) write_text(d, "\"edges\":{\"weight\":{\"d\":\"double\"}}");
  write_text(d, "}]},\n{\"nodes\":[\n");
}

/* Writes a vertex with its position and name. */
static void write_cx2_vertex(const drawing *d, int64_t vertex) {
  gg_new_file_print(d->file, "{\"id\":%lld", (long long)vertex + 1);
  for (int64_t c = 0; c < d->positions->ncol; ++c)
    gg_new_file_print(d->file, ",\"%c\":%.17g", axes[c], gg_element(d->positions, vertex, c));
  if (d->graph->labels) {
    write_text(d, ",\"v\":{\"name\":\"");
    write_name(d, vertex, escape_json);
    write_text(d, "\"}");
  }
  write_text(d, vertex + 1 < d->graph->vertices ? "},\n" : "}\n");
}

/* Ends the list of vertices and begins that of edges. */
static void between_cx2(const drawing *d) { write_text(d, "]},\n{\"edges\":[\n"); }

/* Writes an edge with its weight. */
static void write_cx2_edge(const drawing *d, int64_t edge) {
  gg_new_file_print(d->file, "{\"id\":%lld,\"s\":%lld,\"t\":%lld", (long long)edge + 1,
                    end_of(d->graph, edge, 0), end_of(d->graph, edge, 1));
  if (d->graph->weights)
    gg_new_file_print(d->file, ",\"v\":{\"weight\":%.17g}", d->graph->weights[edge]);
  write_text(d, edge + 1 < d->graph->edges.nrow ? "},\n" : "}\n");
}

/* Ends the list of edges and writes the last aspect. */
static void end_cx2(const drawing *d) {
  write_text(d, "]},\n{\"status\":[{\"success\":true}]}]\n");
}

/* --- The call --------------------------------------------------------------------------------- */

static const graph_writer writers[] = {
    [GPUGEO_GRAPH_FORMAT_GRAPHML] = {begin_graphml, write_graphml_vertex, between_graphml,
                                     write_graphml_edge, end_graphml},
    [GPUGEO_GRAPH_FORMAT_CX2] = {begin_cx2, write_cx2_vertex, between_cx2, write_cx2_edge, end_cx2},
};

/* Returns the format of a file's name. */
static gpugeo_graph_format format_of(const char *path) {
  const size_t length = strlen(path);
  const char *end = path + (length >= 4 ? length - 4 : length);
  return strcasecmp(end, ".cx2") == 0   ? GPUGEO_GRAPH_FORMAT_CX2
         : strcasecmp(end, ".csr") == 0 ? GPUGEO_GRAPH_FORMAT_CSR
                                        : GPUGEO_GRAPH_FORMAT_GRAPHML;
}

/* Checks the positions of vertices, which must be finite numbers. */
static gpugeo_status check_positions(const gpugeo_matrix *positions, int64_t vertices,
                                     gpugeo_error *error) {
  gpugeo_status status = gg_layout_positions_check(positions, vertices, error);
  if (status) return status;
  for (int64_t i = 0; i < positions->nrow; ++i)
    for (int64_t c = 0; c < positions->ncol; ++c)
      if (!isfinite(gg_element(positions, i, c)))
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "layout",
                       "layout must be finite, but row %lld is not", (long long)i + 1);
  return GPUGEO_OK;
}

/* Writes the whole document. Returns whether the call was not interrupted. */
static bool write_document(const drawing *d, const graph_writer *writer, gg_clock *clock) {
  const int64_t vertices = d->graph->vertices, edges = d->graph->edges.nrow;
  writer->begin(d);
  for (int64_t i = 0; i < vertices; ++i) {
    if (gg_clock_poll_loop(clock, i)) return false;
    writer->vertex(d, i);
  }
  writer->between(d);
  for (int64_t e = 0; e < edges; ++e) {
    if (gg_clock_poll_loop(clock, e)) return false;
    writer->edge(d, e);
  }
  writer->end(d);
  return true;
}

/* Checks the file's name and format. */
static gpugeo_status check_file(const char *path, gpugeo_graph_format format, gpugeo_error *error) {
  if (!path) return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file", "file must not be NULL");
  if (format >= 0 && format < GPUGEO_GRAPH_FORMAT_COUNT) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "format", "format must be between 0 and %d, not %d",
                 GPUGEO_GRAPH_FORMAT_COUNT - 1, (int)format);
}

gpugeo_status gpugeo_graph_write(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                 const char *path, gpugeo_graph_format format,
                                 const gpugeo_run *run, gpugeo_error *error) {
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, check_file(path, format, error));
  GG_TRY(&call, gg_layout_graph_check(graph, gg_threads(run->threads), error));
  if (call.status) return call.status;
  if (format == GPUGEO_GRAPH_FORMAT_AUTO) format = format_of(path);
  const bool is_csr = format == GPUGEO_GRAPH_FORMAT_CSR;
  if (!is_csr || (positions && positions->ncol))
    GG_TRY(&call, check_positions(positions, graph->vertices, error));
  if (format == GPUGEO_GRAPH_FORMAT_GRAPHML) GG_TRY(&call, check_names(graph, error));
  if (call.status) return call.status;
  gg_new_file file;
  GG_TRY(&call, gg_new_file_open(&file, path, error));
  const drawing d = {graph, positions, &file};
  if (!call.status && is_csr)
    gg_csr_file_write(graph, &file, &call);
  else if (!call.status)
    gg_call_require(&call, write_document(&d, &writers[format], call.clock));
  return gg_new_file_close(&file, call.status, error);
}
