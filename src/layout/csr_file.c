/* Binary files of edges in compressed sparse rows, in the byte order of the machine:
 *
 *   header   40 bytes, see below
 *   starts   vertices + 1 int64: the index of the first entry of each row; the last: their number
 *   entries  int32: the second vertex of each edge, numbered from 0; then 0 to a multiple of 8
 * bytes weights  a double for each entry, if the header says so
 *
 * Row v has the edges whose first vertex is v. Nothing that is read is used before it was checked
 * against the other numbers and the size of the file. */
#include "layout/csr_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"

enum { BYTE_ORDER_MARK = 0x01020304, VERSION = 1, CHUNK_BYTES = 1 << 20 };

/* No text begins with these bytes. */
static const char magic[8] = {'\x89', 'G', 'G', 'C', 'S', 'R', '\r', '\n'};

typedef struct header {
  char magic[8];
  int32_t byte_order, version;
  int64_t vertices, entries;
  int32_t first; /* number of the first vertex for the user: 0 or 1 */
  int32_t weighted;
} header;

_Static_assert(sizeof(header) == 40, "the header of a file has no padding");

/* Returns the bytes of the entries, with those that fill them up to a multiple of 8. */
static int64_t entry_bytes(int64_t entries) { return (4 * entries + 7) / 8 * 8; }

/* --- Write ------------------------------------------------------------------------------------ */

/* The edges of a graph, sorted by their first vertices. */
typedef struct rows {
  int64_t *start; /* vertices + 2, of which the last is not written */
  int32_t *neighbor;
  double *weight; /* NULL: the graph has no weights */
} rows;

/* Returns a vertex of an edge, numbered from 0. */
static int64_t end_of(const gpugeo_graph *graph, int64_t edge, int k) {
  return (int64_t)gg_element(&graph->edges, edge, k) - graph->first;
}

/* Sorts edges into rows, whose starts are 0. start[v + 1] is first the index for the next edge of
   row v, and in the end that of the first edge of row v + 1. Returns whether the call was not
   interrupted. */
static bool sort_edges(const gpugeo_graph *graph, const rows *r, gg_clock *clock) {
  const int64_t edges = graph->edges.nrow;
  for (int64_t e = 0; e < edges; ++e) {
    if (gg_clock_poll_loop(clock, e)) return false;
    ++r->start[end_of(graph, e, 0) + 2];
  }
  for (int64_t v = 1; v <= graph->vertices; ++v)
    r->start[v + 1] += r->start[v];
  for (int64_t e = 0; e < edges; ++e) {
    if (gg_clock_poll_loop(clock, e)) return false;
    const int64_t at = r->start[end_of(graph, e, 0) + 1]++;
    r->neighbor[at] = (int32_t)end_of(graph, e, 1);
    if (r->weight) r->weight[at] = graph->weights[e];
  }
  return true;
}

/* Writes bytes in chunks, filled up to a multiple of 8. Returns whether the call was not
   interrupted. */
static bool write_bytes(gg_new_file *file, const void *bytes, int64_t count, gg_clock *clock) {
  for (int64_t at = 0; at < count; at += CHUNK_BYTES) {
    if (gg_clock_poll(clock, 0)) return false;
    const int64_t left = count - at;
    gg_new_file_write(file, (const char *)bytes + at,
                      (size_t)(left < CHUNK_BYTES ? left : CHUNK_BYTES));
  }
  gg_new_file_write(file, (const char[8]){0}, (size_t)(-count & 7));
  return true;
}

/* Writes the header and the rows. Returns whether the call was not interrupted. */
static bool write_rows(const gpugeo_graph *graph, const rows *r, gg_new_file *file,
                       gg_clock *clock) {
  const int64_t edges = graph->edges.nrow;
  header h = {.byte_order = BYTE_ORDER_MARK,
              .version = VERSION,
              .vertices = graph->vertices,
              .entries = edges,
              .first = (int32_t)graph->first,
              .weighted = r->weight != NULL};
  memcpy(h.magic, magic, sizeof magic);
  return write_bytes(file, &h, sizeof h, clock) &&
         write_bytes(file, r->start, 8 * (graph->vertices + 1), clock) &&
         write_bytes(file, r->neighbor, 4 * edges, clock) &&
         (!r->weight || write_bytes(file, r->weight, 8 * edges, clock));
}

gpugeo_status gg_csr_file_write(const gpugeo_graph *graph, gg_new_file *file, gg_call *call) {
  const int64_t edges = graph->edges.nrow;
  rows r = {.start = gg_call_allocate(call, graph->vertices + 2, sizeof *r.start),
            .neighbor = gg_call_allocate(call, edges, sizeof *r.neighbor)};
  if (graph->weights) r.weight = gg_call_allocate(call, edges, sizeof *r.weight);
  if (!call->status) {
    memset(r.start, 0, (size_t)(graph->vertices + 2) * sizeof *r.start);
    gg_call_require(call,
                    sort_edges(graph, &r, call->clock) && write_rows(graph, &r, file, call->clock));
  }
  gg_free(r.start);
  gg_free(r.neighbor);
  gg_free(r.weight);
  return call->status;
}

/* --- Read ------------------------------------------------------------------------------------- */

/* A file that is read. */
typedef struct reader {
  const char *path;
  int handle;
  int64_t size, at; /* bytes of the file, and read so far */
  header head;
} reader;

/* Fills in the error of a file that the system refuses to read. */
static gpugeo_status fail_to_read(const reader *r, int why, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path", "file \"%.300s\" cannot be read: %s",
                 r->path, strerror(why));
}

/* Reads the next bytes, in chunks. */
static gpugeo_status read_bytes(reader *r, void *to, int64_t count, gg_call *call) {
  for (int64_t at = 0; at < count && !call->status;) {
    if (gg_call_poll(call, (double)r->at / (double)r->size)) break;
    const int64_t left = count - at, part = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    const int why = gg_read_at(r->handle, (char *)to + at, part, r->at);
    if (why) call->status = fail_to_read(r, why, call->error);
    at += part;
    r->at += part;
  }
  return call->status;
}

/* Checks the numbers of the header that do not depend on the size of the file. */
static gpugeo_status check_header(const reader *r, gpugeo_error *error) {
  const header *h = &r->head;
  if (h->byte_order != BYTE_ORDER_MARK)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have the byte order of this machine, not another",
                   r->path);
  if (h->version != VERSION)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have version %d of its format, not %d", r->path, VERSION,
                   (int)h->version);
  if (h->vertices < 0 || h->vertices > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have between 0 and 2147483647 vertices, not %lld", r->path,
                   (long long)h->vertices);
  if (h->first < 0 || h->first > 1 || h->weighted < 0 || h->weighted > 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\": the first vertex and the mark of weights must be 0 or 1, not "
                   "%d and %d",
                   r->path, (int)h->first, (int)h->weighted);
  return GPUGEO_OK;
}

/* Checks the number of entries against the size of the file, which then bounds all of them. */
static gpugeo_status check_size(const reader *r, gpugeo_error *error) {
  const header *h = &r->head;
  if (h->entries < 0 || h->entries > r->size / 4)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have between 0 and %lld edges, for which it has bytes, "
                   "not %lld",
                   r->path, (long long)(r->size / 4), (long long)h->entries);
  const int64_t wanted = (int64_t)sizeof *h + 8 * (h->vertices + 1) + entry_bytes(h->entries) +
                         8 * h->entries * h->weighted;
  if (r->size == wanted) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\" must have %lld bytes for %lld vertices and %lld edges, not %lld",
                 r->path, (long long)wanted, (long long)h->vertices, (long long)h->entries,
                 (long long)r->size);
}

/* Checks the number of the first vertex against that which the caller asks for, and the memory. */
static gpugeo_status check_call(const reader *r, int64_t first, gg_call *call) {
  const header *h = &r->head;
  if (first >= 0 && first != h->first)
    return gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "first",
                   "first must be %d for the file \"%.300s\", not %lld", (int)h->first, r->path,
                   (long long)first);
  return gg_check_work(call->run, 8 * (double)(h->vertices + 1) + 16 * (double)h->entries,
                       call->error, "file \"%.300s\" with %lld vertices and %lld edges", r->path,
                       (long long)h->vertices, (long long)h->entries);
}

/* Writes the first vertex of each edge. Fails unless the starts are in order. */
static gpugeo_status read_rows(const reader *r, const int64_t *start, int32_t *from,
                               gg_call *call) {
  const int64_t n = r->head.vertices;
  int64_t edge = 0;
  for (int64_t v = 0; v <= n && !call->status; ++v) {
    if (v % 65536 == 0 && gg_call_poll(call, 0)) break;
    const int64_t least = v == n ? r->head.entries : edge, most = v ? r->head.entries : 0;
    if (start[v] < least || start[v] > most)
      return call->status = gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                                    "file \"%.300s\": start %lld must be between %lld and %lld, "
                                    "not %lld",
                                    r->path, (long long)v + 1, (long long)least, (long long)most,
                                    (long long)start[v]);
    for (; edge < start[v]; ++edge)
      from[edge] = (int32_t)(v - 1 + r->head.first);
  }
  return call->status;
}

/* Checks the second vertices of edges and numbers them as the user does. */
static gpugeo_status number_neighbors(const reader *r, int32_t *to, gg_call *call) {
  for (int64_t e = 0; e < r->head.entries; ++e) {
    if (e % 65536 == 0 && gg_call_poll(call, 0)) break;
    if (to[e] < 0 || to[e] >= r->head.vertices)
      return call->status =
                 gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                         "file \"%.300s\", entry %lld: a vertex must be between 0 and "
                         "%lld, not %d",
                         r->path, (long long)e + 1, (long long)r->head.vertices - 1, (int)to[e]);
    to[e] += r->head.first;
  }
  return call->status;
}

/* Checks the weights of edges. */
static gpugeo_status check_weights(const reader *r, const double *weights, gg_call *call) {
  for (int64_t e = 0; e < r->head.entries; ++e) {
    if (e % 65536 == 0 && gg_call_poll(call, 0)) break;
    if (!(weights[e] >= 0 && isfinite(weights[e])))
      return call->status = gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                                    "file \"%.300s\", entry %lld: a weight must be a finite number "
                                    "of at least 0, not %s",
                                    r->path, (long long)e + 1, gg_number(weights[e]).text);
  }
  return call->status;
}

/* Reads what follows the checked header. */
static gpugeo_status read_edges(reader *r, gpugeo_edge_file *file, gg_call *call) {
  const header *h = &r->head;
  const int64_t edges = h->entries;
  int64_t padding = 0;
  int64_t *start = gg_call_allocate(call, h->vertices + 1, sizeof *start);
  file->edges = gg_call_allocate(call, 2 * edges, sizeof *file->edges);
  if (h->weighted) file->weights = gg_call_allocate(call, edges, sizeof *file->weights);
  read_bytes(r, start, 8 * (h->vertices + 1), call);
  if (!call->status) read_rows(r, start, file->edges, call);
  gg_free(start);
  if (call->status) return call->status;
  read_bytes(r, file->edges + edges, 4 * edges, call);
  read_bytes(r, &padding, entry_bytes(edges) - 4 * edges, call);
  if (!call->status) number_neighbors(r, file->edges + edges, call);
  if (h->weighted) read_bytes(r, file->weights, 8 * edges, call);
  return h->weighted && !call->status ? check_weights(r, file->weights, call) : call->status;
}

/* Reads an open file that begins with the magic bytes. */
static gpugeo_status read_file(reader *r, int64_t first, gpugeo_edge_file *file, gg_call *call) {
  if (r->size < (int64_t)sizeof r->head)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "path",
                                "file \"%.300s\" must have a header of %d bytes, not %lld bytes",
                                r->path, (int)sizeof r->head, (long long)r->size));
  read_bytes(r, &r->head, sizeof r->head, call);
  GG_TRY(call, check_header(r, call->error));
  GG_TRY(call, check_size(r, call->error));
  if (GG_TRY(call, check_call(r, first, call))) return call->status;
  file->vertices = r->head.vertices;
  file->edge_count = r->head.entries;
  file->first = r->head.first;
  return read_edges(r, file, call);
}

gpugeo_status gg_csr_file_read(const char *path, int64_t first, gpugeo_edge_file *file, bool *found,
                               gg_call *call) {
  reader r = {.path = path};
  char begin[sizeof magic];
  *found = false;
  if (GG_TRY(call, gg_file_open("path", path, &r.handle, &r.size, call->error)))
    return call->status;
  *found = r.size >= (int64_t)sizeof magic && !gg_read_at(r.handle, begin, sizeof begin, 0) &&
           memcmp(begin, magic, sizeof magic) == 0;
  if (*found) read_file(&r, first, file, call);
  close(r.handle);
  return call->status;
}
