/* The names of vertices in a hash table. Its salt is an address, so that no file can be made whose
   names meet in one slot; the numbers of the names do not depend on it. */
#include "layout/vertex_names.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/random.h"

enum { LEAST_ROOM = 1 << 8 };

/* Fails if so many more bytes than now are more than may be used. */
static gpugeo_status check_room(const gg_vertex_names *names, int64_t more, gpugeo_error *error) {
  const int64_t of_name = sizeof *names->start + sizeof *names->declared;
  const int64_t all = names->text_room + of_name * names->room +
                      (int64_t)sizeof *names->table * names->slots + more;
  if (all <= names->most) return GPUGEO_OK;
  return gg_text_file_fail_memory(names->file, "bytes of names of vertices", names->most, 1, error);
}

/* Makes room for a name of so many bytes. */
static gpugeo_status grow_text(gg_vertex_names *names, int64_t bytes, gpugeo_error *error) {
  if (names->bytes + bytes <= names->text_room) return GPUGEO_OK;
  const int64_t more = names->text_room / 2 + bytes + LEAST_ROOM;
  gpugeo_status status = check_room(names, more, error);
  if (status) return status;
  char *text = gg_reallocate(names->text, names->text_room + more, 1);
  if (!text) return gg_fail_memory(error, more);
  names->text = text;
  names->text_room += more;
  return GPUGEO_OK;
}

/* Makes room for the numbers of another name. */
static gpugeo_status grow_starts(gg_vertex_names *names, gpugeo_error *error) {
  if (names->count < names->room) return GPUGEO_OK;
  const int64_t more = names->room / 2 + LEAST_ROOM, room = names->room + more;
  gpugeo_status status = check_room(names, 9 * more, error);
  if (status) return status;
  int64_t *start = gg_reallocate(names->start, room, sizeof *start);
  if (start) names->start = start;
  bool *declared = gg_reallocate(names->declared, room, sizeof *declared);
  if (declared) names->declared = declared;
  if (!start || !declared) return gg_fail_memory(error, 9 * room);
  names->room = room;
  return GPUGEO_OK;
}

/* Returns the hash of a name. */
static uint64_t hash_name(const gg_vertex_names *names, const char *name, size_t length) {
  uint64_t hash = gg_random_mix((uint64_t)(uintptr_t)names->table + length);
  for (size_t at = 0; at < length; at += 8) {
    uint64_t word = 0;
    memcpy(&word, name + at, length - at < 8 ? length - at : 8);
    hash = gg_random_mix(hash ^ word);
  }
  return hash;
}

/* Returns the slot of a name, or the free one that it would have. */
static int64_t slot_of(const gg_vertex_names *names, const char *name, size_t length) {
  uint64_t slot = hash_name(names, name, length);
  for (;; ++slot) {
    const int32_t vertex = names->table[slot & (uint64_t)(names->slots - 1)];
    if (vertex < 0 || strcmp(names->text + names->start[vertex], name) == 0)
      return (int64_t)(slot & (uint64_t)(names->slots - 1));
  }
}

/* Makes a table in which at most half of the slots are taken with another name. */
static gpugeo_status grow_table(gg_vertex_names *names, gpugeo_error *error) {
  if (2 * (names->count + 1) <= names->slots) return GPUGEO_OK;
  const int64_t slots = names->slots ? 2 * names->slots : LEAST_ROOM;
  gpugeo_status status = check_room(names, (int64_t)sizeof *names->table * slots, error);
  if (status) return status;
  int32_t *table = gg_allocate(slots, sizeof *table);
  if (!table) return gg_fail_memory(error, slots * (int64_t)sizeof *table);
  memset(table, 0xff, (size_t)slots * sizeof *table); /* -1 */
  gg_free(names->table);
  names->table = table;
  names->slots = slots;
  for (int64_t v = 0; v < names->count; ++v) {
    const char *name = names->text + names->start[v];
    table[slot_of(names, name, strlen(name))] = (int32_t)v;
  }
  return GPUGEO_OK;
}

/* Fails because there are as many names as numbers. */
static gpugeo_status fail_count(const gg_vertex_names *names, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, names->file->argument,
                 "file \"%.300s\" must have at most 2147483647 vertices, not more",
                 names->file->path);
}

gpugeo_status gg_vertex_names_find(gg_vertex_names *names, const char *name, int32_t *vertex,
                                   gpugeo_error *error) {
  const size_t length = strlen(name);
  gpugeo_status status = grow_table(names, error);
  if (status) return status;
  const int64_t slot = slot_of(names, name, length);
  *vertex = names->table[slot];
  if (*vertex >= 0) return GPUGEO_OK;
  if (names->count == INT32_MAX) return fail_count(names, error);
  status = grow_text(names, (int64_t)length + 1, error);
  if (!status) status = grow_starts(names, error);
  if (status) return status;
  memcpy(names->text + names->bytes, name, length + 1);
  names->start[names->count] = names->bytes;
  names->declared[names->count] = false;
  names->bytes += (int64_t)length + 1;
  names->table[slot] = *vertex = (int32_t)names->count++;
  return GPUGEO_OK;
}

const char **gg_vertex_names_list(gg_vertex_names *names) {
  const char **list = gg_allocate(names->count + 1, sizeof *list);
  if (!list) return NULL;
  for (int64_t v = 0; v < names->count; ++v)
    list[v] = names->text + names->start[v];
  list[names->count] = names->text;
  names->text = NULL;
  return list;
}

void gg_vertex_names_list_free(const char *const *list, int64_t count) {
  char **owned = (char **)(uintptr_t)list;
  if (owned) gg_free(owned[count]);
  gg_free(owned);
}

void gg_vertex_names_free(gg_vertex_names *names) {
  gg_free(names->text);
  gg_free(names->start);
  gg_free(names->declared);
  gg_free(names->table);
}
