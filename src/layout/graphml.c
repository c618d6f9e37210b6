#include "layout/graphml.h"

#include <string.h>

#include "common/error.h"

#if defined(GPUGEO_WITH_EXPAT)
#include <expat.h>

enum {
  MOST_DEPTH = 256,   /* of elements in each other: GraphML has 4, drawings in its data have more */
  WEIGHT_BYTES = 128, /* of a weight's text with its end */
  KEY_BYTES = 256     /* of the name of an attribute with its end */
};

/* A file while it is read. */
typedef struct reading {
  const gg_text_file *text;
  const gg_graphml_edges *edges;
  gg_vertex_names *names;
  XML_Parser parser;
  int depth;       /* of the present element, 1 for the root */
  int64_t waiting; /* bytes since the last part that was complete */
  bool has_graph;
  bool has_key, in_key;      /* edges may have weights; their key is read */
  char key[KEY_BYTES];       /* the name that data has for them */
  char usual[WEIGHT_BYTES];  /* the weight of edges without data; "": none */
  char weight[WEIGHT_BYTES]; /* of the present edge; "": none */
  int32_t ends[2];           /* of the present edge */
  char *taking;              /* usual or weight while its text is read, else NULL */
  gpugeo_status status;
  gpugeo_error *error;
} reading;

/* Ends the parsing after an error. */
static void stop(reading *r, gpugeo_status status) {
  r->status = status;
  if (status) XML_StopParser(r->parser, XML_FALSE);
}

/* Ends the parsing because a part of the file is not as it must be: "must be x", and what it is. */
static void refuse(reading *r, const char *must, const char *given) {
  stop(r, gg_fail(r->error, GPUGEO_ERROR_ARGUMENT, r->text->argument,
                  "file \"%.300s\", line %lld: %s, not \"%s\"", r->text->path, r->text->line, must,
                  gg_show_field(given, "").text));
}

/* Returns the value of an attribute of an element, NULL if it has none. */
static const char *attribute(const XML_Char **attributes, const char *name) {
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0) return attributes[1];
  return NULL;
}

/* Returns the value of an attribute that an element must have, NULL after an error. */
static const char *required(reading *r, const char *element, const XML_Char **attributes,
                            const char *name) {
  const char *value = attribute(attributes, name);
  if (value) return value;
  stop(r, gg_fail(r->error, GPUGEO_ERROR_ARGUMENT, r->text->argument,
                  "file \"%.300s\", line %lld: the element \"%s\" must have the attribute \"%s\"",
                  r->text->path, r->text->line, element, name));
  return NULL;
}

/* True if two texts are the same. */
static bool same(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Notes the key of the weights of edges: the first of this name. */
static void begin_key(reading *r, const XML_Char **attributes) {
  const char *of = attribute(attributes, "for"), *name = attribute(attributes, "attr.name");
  const bool of_edges = !of || same(of, "edge") || same(of, "all");
  if (r->has_key || !of_edges || !name || !same(name, "weight")) return;
  const char *id = required(r, "key", attributes, "id");
  if (!id) return;
  if (strlen(id) >= sizeof r->key) {
    refuse(r, "the id of a key must have at most 255 bytes", id);
    return;
  }
  strcpy(r->key, id);
  r->has_key = r->in_key = true;
}

/* Adds a vertex. */
static void begin_node(reading *r, const XML_Char **attributes) {
  const char *id = required(r, "node", attributes, "id");
  int32_t vertex;
  if (!id) return;
  stop(r, gg_vertex_names_find(r->names, id, &vertex, r->error));
  if (r->status) return;
  if (r->names->declared[vertex])
    refuse(r, "the ids of nodes must be different from each other", id);
  r->names->declared[vertex] = true;
}

/* Reads the ends of an edge. */
static void begin_edge(reading *r, const XML_Char **attributes) {
  static const char *const names[] = {"source", "target"};
  r->weight[0] = 0;
  for (int k = 0; k < 2 && !r->status; ++k) {
    const char *end = required(r, "edge", attributes, names[k]);
    if (end) stop(r, gg_vertex_names_find(r->names, end, &r->ends[k], r->error));
  }
}

/* Begins the graph, of which there must be one. */
static void begin_graph(reading *r, const char *element) {
  if (r->has_graph || r->depth != 2) refuse(r, "there must be one graph, and none in it", element);
  r->has_graph = true;
}

/* True if an element makes a graph more than vertices and edges. */
static bool is_unusual(const char *element) {
  static const char *const names[] = {"hyperedge", "port", "endpoint", "locator"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (same(element, names[i])) return true;
  return false;
}

/* Handles the beginning of an element. */
static void XMLCALL begin_element(void *data, const XML_Char *element,
                                  const XML_Char **attributes) {
  reading *r = data;
  r->waiting = 0;
  if (r->status) return;
  const int depth = ++r->depth;
  if (depth > MOST_DEPTH)
    refuse(r, "elements must be at most 256 in each other", element);
  else if (depth == 1 && !same(element, "graphml"))
    refuse(r, "there must be edges, or XML whose first element is \"graphml\"", element);
  else if (is_unusual(element))
    refuse(r, "there must be nodes and edges", element);
  else if (same(element, "graph"))
    begin_graph(r, element);
  else if (depth == 2 && same(element, "key"))
    begin_key(r, attributes);
  else if (depth == 3 && r->in_key && same(element, "default"))
    r->taking = r->usual;
  else if (depth == 3 && r->has_graph && same(element, "node"))
    begin_node(r, attributes);
  else if (depth == 3 && r->has_graph && same(element, "edge"))
    begin_edge(r, attributes);
  else if (depth == 4 && r->has_key && same(element, "data") && attribute(attributes, "key") &&
           same(attribute(attributes, "key"), r->key))
    r->taking = r->weight;
}

/* Removes blanks at both ends of a text. */
static void trim(char *text) {
  static const char blanks[] = " \t\r\n";
  const size_t first = strspn(text, blanks);
  size_t last = strlen(text);
  while (last > first && strchr(blanks, text[last - 1]))
    --last;
  memmove(text, text + first, last - first);
  text[last - first] = 0;
}

/* Handles the end of an element. */
static void XMLCALL end_element(void *data, const XML_Char *element) {
  reading *r = data;
  r->waiting = 0;
  if (r->status) return;
  const int depth = r->depth--;
  if (r->taking) trim(r->taking);
  r->taking = NULL;
  if (depth == 2) r->in_key = false;
  if (depth != 3 || !same(element, "edge")) return;
  char *weight = r->weight[0] ? r->weight : r->usual;
  stop(r, r->edges->add(r->edges->data, r->ends, weight[0] ? weight : NULL, r->error));
}

/* Handles text: that of weights is kept. */
static void XMLCALL take_text(void *data, const XML_Char *text, int length) {
  reading *r = data;
  r->waiting = 0;
  if (r->status || !r->taking) return;
  const size_t used = strlen(r->taking);
  if (used + (size_t)length >= WEIGHT_BYTES) {
    refuse(r, "a weight must have at most 127 bytes", r->taking);
    return;
  }
  memcpy(r->taking + used, text, (size_t)length);
  r->taking[used + (size_t)length] = 0;
}

/* Handles other parts: comments and instructions. */
static void XMLCALL take_other(void *data, const XML_Char *text, int length) {
  reading *r = data;
  (void)text, (void)length;
  r->waiting = 0;
}

/* Refuses a document type. */
static void XMLCALL begin_doctype(void *data, const XML_Char *name, const XML_Char *system_id,
                                  const XML_Char *public_id, int internal) {
  (void)system_id, (void)public_id, (void)internal;
  refuse(data, "there must be no document type", name);
}

/* Returns the status of a call of the parser. */
static gpugeo_status check(const reading *r, enum XML_Status parsed) {
  if (r->status || parsed == XML_STATUS_OK) return r->status;
  const enum XML_Error code = XML_GetErrorCode(r->parser);
  if (code == XML_ERROR_NO_MEMORY) return gg_fail_memory(r->error, GG_LINE_BYTES);
  return gg_fail(r->error, GPUGEO_ERROR_ARGUMENT, r->text->argument,
                 "file \"%.300s\", line %lld: XML must be well-formed: %s", r->text->path,
                 r->text->line, XML_ErrorString(code));
}

/* Fails if the parser waits for the end of a long tag, which it would read again and again. */
static gpugeo_status check_tag(const reading *r) {
  if (r->waiting <= GG_LINE_BYTES) return GPUGEO_OK;
  return gg_fail(r->error, GPUGEO_ERROR_ARGUMENT, r->text->argument,
                 "file \"%.300s\", line %lld: a tag must have at most %d bytes, not more",
                 r->text->path, r->text->line, GG_LINE_BYTES);
}

/* Parses the whole file. */
static gpugeo_status parse(reading *r, gg_text_file *text) {
  for (;;) {
    const char *piece;
    int length;
    bool ends;
    gpugeo_status status = gg_text_file_piece(text, &piece, &length, &ends, r->error);
    if (status) return status;
    if (!piece) return check(r, XML_Parse(r->parser, "", 0, XML_TRUE));
    r->waiting += length + ends;
    status = check(r, XML_Parse(r->parser, piece, length, XML_FALSE));
    if (!status && ends) status = check(r, XML_Parse(r->parser, "\n", 1, XML_FALSE));
    if (!status) status = check_tag(r);
    if (status) return status;
  }
}

/* Checks that each end of an edge is a node. */
static gpugeo_status check_nodes(const reading *r) {
  const gg_vertex_names *names = r->names;
  for (int64_t v = 0; v < names->count; ++v)
    if (!names->declared[v])
      return gg_fail(r->error, GPUGEO_ERROR_ARGUMENT, r->text->argument,
                     "file \"%.300s\": the ends of edges must be ids of nodes, not \"%s\"",
                     r->text->path, gg_show_field(names->text + names->start[v], "").text);
  return GPUGEO_OK;
}

gpugeo_status gg_graphml_read(gg_text_file *text, const gg_graphml_edges *edges,
                              gg_vertex_names *names, gpugeo_error *error) {
  reading r = {.text = text, .edges = edges, .names = names, .error = error};
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) return gg_fail_memory(error, GG_LINE_BYTES);
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, begin_element, end_element);
  XML_SetCharacterDataHandler(r.parser, take_text);
  XML_SetDefaultHandlerExpand(r.parser, take_other);
  XML_SetStartDoctypeDeclHandler(r.parser, begin_doctype);
  gpugeo_status status = parse(&r, text);
  XML_ParserFree(r.parser);
  return status ? status : check_nodes(&r);
}

#else

gpugeo_status gg_graphml_read(gg_text_file *text, const gg_graphml_edges *edges,
                              gg_vertex_names *names, gpugeo_error *error) {
  (void)edges, (void)names;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, text->argument,
                 "file \"%.300s\" cannot be read: it is XML, and gpugeo was built without expat",
                 text->path);
}

#endif
