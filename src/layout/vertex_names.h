/* The names of vertices, numbered from 0 in the order in which they first appear. */
#ifndef GG_LAYOUT_VERTEX_NAMES_H
#define GG_LAYOUT_VERTEX_NAMES_H

#include <stdbool.h>

#include "common/text_file.h"

typedef struct gg_vertex_names {
  const gg_text_file *file; /* of errors */
  int64_t most;             /* bytes that all of this may have */
  int64_t count;
  int64_t bytes, text_room; /* of the text: each name ends with a 0 */
  char *text;
  int64_t room;   /* of the next two */
  int64_t *start; /* of each name in the text */
  bool *declared; /* a vertex has the name; false for a new one */
  int64_t slots;  /* of the table: a power of two, or 0 */
  int32_t *table; /* open addressing: numbers, -1 in free slots */
} gg_vertex_names;

/* Returns the number of a name in *vertex, and adds the name if it is new. */
gpugeo_status gg_vertex_names_find(gg_vertex_names *names, const char *name, int32_t *vertex,
                                   gpugeo_error *error);

/* Returns pointers to the names, NULL without memory. The one after the last owns the text, which
   `names` no longer has. To be freed by gg_vertex_names_list_free(). */
const char **gg_vertex_names_list(gg_vertex_names *names);
void gg_vertex_names_list_free(const char *const *list, int64_t count);

void gg_vertex_names_free(gg_vertex_names *names);

#endif
