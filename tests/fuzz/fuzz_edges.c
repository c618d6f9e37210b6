/* Fuzzes gpugeo_edge_file_read(): any text, plain or compressed, and binary files of compressed
   sparse rows. Checks that what was read is read again after it was printed, and after it was
   written as CSR, and that compression changes nothing. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#ifdef GPUGEO_WITH_ZLIB
#include <zlib.h>
#endif

static scratch_file file;
static const char *csr_path;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  file = scratch_file_open("file");
  csr_path = scratch_path("csr");
  return 0;
}

static gpugeo_status read_edges(const void *text, size_t size, int64_t first, int32_t header,
                                gpugeo_edge_file *read) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  scratch_file_write(&file, text, size);
  const gpugeo_status status = gpugeo_edge_file_read(file.path, first, header, &run, read, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  return status;
}

static void check_ranges(const gpugeo_edge_file *read) {
  demand(read->first == 0 || read->first == 1);
  demand(read->vertices >= 0 && read->edge_count >= 0);
  demand(read->header >= GPUGEO_EDGE_NO_HEADER && read->header <= GPUGEO_EDGE_OR_HEADER);
  for (int64_t e = 0; e < 2 * read->edge_count; ++e)
    demand(read->edges[e] >= read->first && read->edges[e] - read->first < read->vertices);
  for (int64_t e = 0; read->weights && e < read->edge_count; ++e)
    demand(isfinite(read->weights[e]) && read->weights[e] >= 0);
}

static void demand_same(const gpugeo_edge_file *a, const gpugeo_edge_file *b) {
  const size_t count = (size_t)a->edge_count;
  demand(a->vertices == b->vertices && a->edge_count == b->edge_count && a->first == b->first);
  demand(!a->weights == !b->weights || count == 0);
  demand(count == 0 || memcmp(a->edges, b->edges, 2 * count * sizeof *a->edges) == 0);
  if (count && a->weights) demand(memcmp(a->weights, b->weights, count * sizeof *a->weights) == 0);
}

/* Prints a first line "vertices edges" and the edges, and reads that. */
static void check_again(const gpugeo_edge_file *read) {
  if (read->vertices > INT32_MAX) return;
  const size_t room = 64 * ((size_t)read->edge_count + 1);
  char *text = malloc(room);
  size_t used =
      (size_t)sprintf(text, "%" PRId64 " %" PRId64 "\n", read->vertices, read->edge_count);
  for (int64_t e = 0; e < read->edge_count; ++e) {
    used +=
        (size_t)sprintf(text + used, "%d %d", read->edges[e], read->edges[e + read->edge_count]);
    if (read->weights) used += (size_t)sprintf(text + used, " %.17g", read->weights[e]);
    text[used++] = '\n';
  }
  gpugeo_edge_file again;
  demand(read_edges(text, used, read->first, 1, &again) == GPUGEO_OK);
  demand_same(read, &again);
  gpugeo_edge_file_free(&again);
  free(text);
}

/* Writes edges as CSR and reads that. */
static void reread_csr(const gpugeo_edge_file *from, gpugeo_edge_file *to) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const gpugeo_graph graph = {
      .vertices = from->vertices,
      .edges = {from->edges, GPUGEO_TYPE_INT32, from->edge_count, 2, from->edge_count, NULL},
      .first = from->first,
      .weights = from->weights,
      .weights_length = from->weights ? from->edge_count : 0};
  demand(!gpugeo_graph_write(&graph, NULL, csr_path, GPUGEO_GRAPH_FORMAT_CSR, &run, &error));
  demand(!gpugeo_edge_file_read(csr_path, from->first, -1, &run, to, &error));
}

/* Edges read from CSR are sorted, and the same after another time. */
static void check_csr(const gpugeo_edge_file *read) {
  gpugeo_edge_file sorted, again;
  if (read->vertices > 1 << 20) return;
  for (int64_t e = 0; read->weights && e < read->edge_count; ++e)
    if (read->weights[e] > 1e9) return; /* which no graph has */
  reread_csr(read, &sorted);
  for (int64_t e = 1; e < sorted.edge_count; ++e)
    demand(sorted.edges[e - 1] <= sorted.edges[e]);
  reread_csr(&sorted, &again);
  demand(sorted.vertices == read->vertices && sorted.edge_count == read->edge_count);
  demand_same(&sorted, &again);
  gpugeo_edge_file_free(&sorted);
  gpugeo_edge_file_free(&again);
}

#ifdef GPUGEO_WITH_ZLIB
/* Appends a gzip member; returns its end. */
static uint8_t *compress_member(const uint8_t *data, size_t size, uint8_t *to, size_t room) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .next_out = to};
  stream.avail_in = (uInt)size;
  stream.avail_out = (uInt)room;
  demand(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK);
  demand(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  uint8_t *end = stream.next_out;
  deflateEnd(&stream);
  return end;
}

/* The text as two members of a gzip file reads as the text does. A text that begins as a gzip file
   does is one of its own, and CSR is not compressed. */
static void check_compressed(const uint8_t *text, size_t size, int64_t first, int32_t header,
                             gpugeo_status plain_status, const gpugeo_edge_file *plain) {
  const size_t room = 2 * size + 200, half = size / 2;
  if (size > 1 && ((text[0] == 0x1f && text[1] == 0x8b) || text[0] == 0x89)) return;
  uint8_t *packed = malloc(room);
  uint8_t *end = compress_member(text, half, packed, room);
  end = compress_member(text + half, size - half, end, room - (size_t)(end - packed));
  gpugeo_edge_file read;
  const gpugeo_status status = read_edges(packed, (size_t)(end - packed), first, header, &read);
  demand(status == plain_status);
  if (!status) demand_same(plain, &read);
  if (!status) gpugeo_edge_file_free(&read);
  free(packed);
}
#endif

/* The first byte is the number of the first vertex, whether to compress the rest, and the header.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  const int manner = take(&b, 23);
  const int64_t first = manner % 4 - 1; /* 2 is refused */
  const int32_t header = manner / 8 - 1;
  const size_t length = (size_t)(b.end - b.next);
  gpugeo_edge_file read;
  const gpugeo_status status = read_edges(b.next, length, first, header, &read);
#ifdef GPUGEO_WITH_ZLIB
  if (manner % 8 > 3) check_compressed(b.next, length, first, header, status, &read);
#endif
  if (status) return 0;
  check_ranges(&read);
  check_again(&read);
  check_csr(&read);
  gpugeo_edge_file_free(&read);
  return 0;
}
