/* Fuzzes gpugeo_dgp_file_read(): any list of distances, format and MDfile. Checks that what was
   read is read again after it was printed. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>

static scratch_file list, md;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  list = scratch_file_open("list");
  md = scratch_file_open("list.mdf");
  return 0;
}

static gpugeo_status read_distances(const char *path, const char *format, gpugeo_dgp_file *read) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const gpugeo_status status = gpugeo_dgp_file_read(path, format, &run, read, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  return status;
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

/* Prints the distances and reads that. */
static void check_again(const gpugeo_dgp_file *read) {
  const size_t room = 128 * (size_t)read->edge_count;
  char *text = malloc(room);
  size_t used = 0;
  for (int64_t e = 0; e < read->edge_count; ++e) {
    const gpugeo_dgp_edge *now = &read->edges[e];
    demand(now->u >= 0 && now->u < read->vertices && now->v >= 0 && now->v < read->vertices);
    used += (size_t)sprintf(text + used, "%" PRId64 " %" PRId64 " %.17g %.17g\n",
                            now->u + read->first, now->v + read->first, now->lower, now->upper);
  }
  scratch_file_write(&list, text, used);
  free(text);
  gpugeo_dgp_file again;
  demand(read_distances(list.path, "Id1 Id2 lb ub", &again) == GPUGEO_OK);
  demand(again.edge_count == read->edge_count && again.vertices == read->vertices &&
         again.first == read->first);
  for (int64_t e = 0; e < read->edge_count; ++e) {
    const gpugeo_dgp_edge *a = &read->edges[e], *b = &again.edges[e];
    demand(a->u == b->u && a->v == b->v && same(a->lower, b->lower) && same(a->upper, b->upper));
  }
  gpugeo_dgp_file_free(&again);
}

/* An MDfile of any text that names no file but those of the program's own folders, and then the
   list. */
static void write_md(const uint8_t *text, size_t size, bool named) {
  const size_t room = size + 64;
  char *made = malloc(room);
  for (size_t i = 0; i < size; ++i)
    made[i] = (char)(text[i] == '/' ? '_' : text[i]);
  if (named) size += (size_t)snprintf(made + size, 64, "\nwith file: list\n");
  scratch_file_write(&md, made, size);
  free(made);
}

/* The first byte is the manner, the next one the length of the format, or, in units of 4 bytes, of
   the MDfile; what follows these is the list. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = bytes_of(data, size);
  const int manner = take(&b, 3);
  const bool is_md = manner > 1;
  const size_t wanted = manner ? (size_t)take(&b, 255) * (is_md ? 4 : 1) : 0;
  const size_t left = (size_t)(b.end - b.next), length = wanted < left ? wanted : left;
  char *format = NULL;
  if (manner == 1) {
    format = calloc(length + 1, 1);
    if (length) memcpy(format, b.next, length);
  }
  if (is_md) write_md(b.next, length, manner == 3);
  scratch_file_write(&list, b.next + length, left - length);
  gpugeo_dgp_file read;
  const gpugeo_status status = read_distances(is_md ? md.path : list.path, format, &read);
  free(format);
  if (status) return 0;
  check_again(&read);
  gpugeo_dgp_file_free(&read);
  return 0;
}
