/* Memory for the result of gpugeo_hdbscan(). */
#ifndef HDBSCAN_ROOM_H
#define HDBSCAN_ROOM_H

#include <stdlib.h>

#include "gpugeo.h"

typedef struct hdbscan_room {
  gpugeo_hdbscan_result result;
  int32_t *whole;
  double *real;
} hdbscan_room;

/* Returns the most nodes of the condensed tree of n points. */
static inline int64_t hdbscan_nodes(int64_t n, int64_t min_points) {
  return n < min_points ? 1 : 2 * (n / min_points) - 1;
}

/* Allocates the arrays for n points, at least 1, and so many nodes. Returns 0 without memory. To be
   freed also then. */
static inline int hdbscan_room_make(int64_t n, int64_t nodes, hdbscan_room *room) {
  *room = (hdbscan_room){.whole = calloc((size_t)(7 * n + 5 * nodes), sizeof *room->whole),
                         .real = calloc((size_t)(5 * n + 4 * nodes), sizeof *room->real)};
  if (!room->whole || !room->real) return 0;
  gpugeo_hdbscan_result *r = &room->result;
  int32_t **const of_points[] = {&r->cluster, &r->order, &r->merge_node, &r->point, &r->merge};
  int32_t **const of_nodes[] = {&r->parent, &r->divided, &r->number, &r->selected, &r->start};
  double **const reals[] = {&r->membership, &r->outlier_score, &r->core_distance, &r->height,
                            &r->leaves_at};
  double **const of_node[] = {&r->birth, &r->death, &r->stability, &r->score};
  for (int k = 0; k < 5; ++k) {
    *of_points[k] = room->whole + k * n; /* the last one has 2 n */
    *of_nodes[k] = room->whole + 6 * n + k * nodes;
    *reals[k] = room->real + k * n;
    if (k < 4) *of_node[k] = room->real + 5 * n + k * nodes;
  }
  return 1;
}

static inline void hdbscan_room_free(hdbscan_room *room) {
  free(room->whole);
  free(room->real);
}

#endif
