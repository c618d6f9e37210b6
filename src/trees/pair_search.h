/* The pair of nodes to join. */
#ifndef GG_PAIR_SEARCH_H
#define GG_PAIR_SEARCH_H

#include "common/call.h"
#include "trees/join_state.h"

/* A pair of slots and its rank: by level, then by the positions of both. */
typedef struct gg_join_pair {
  double level, first, second;
  int64_t a, b; /* slots; a comes before b */
} gg_join_pair;

/* Returns the level of a criterion. */
double gg_join_level(const gg_joining *join, double criterion);

/* True if a pair comes before another one. */
bool gg_join_before(const gg_join_pair *a, const gg_join_pair *b);

/* Returns the pair of two slots with this level. */
gg_join_pair gg_join_pair_of(const gg_joining *join, double level, int64_t a, int64_t b);

/* Lists the nodes of all rows; the means have been computed. */
gpugeo_status gg_join_list_rows(gg_joining *join, double done, double share, gg_call *call);

/* Returns the first pair with the lowest criterion. `fresh` is the slot of a new node whose row has
   no list, or -1. */
gg_join_pair gg_join_search(gg_joining *join, int64_t fresh);

/* Begins another epoch if many rows were searched since the last one began. */
void gg_join_next_epoch(gg_joining *join);

/* Renumbers the slots in lists. moved: of each slot its new number, or -1; nodes that are not
   covered any more are left out. */
void gg_join_move_lists(gg_joining *join, const int32_t *moved);

#endif
