/* The state of neighbour joining: joining.c updates it, and pair_search.c searches it. */
#ifndef GG_JOIN_STATE_H
#define GG_JOIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  GG_JOIN_LIST = 16,   /* nearest nodes that a row lists */
  GG_JOIN_EPOCHS = 4,  /* copies of the means by which lists are ordered */
  GG_JOIN_CHUNK = 1024 /* slots that are added up by themselves, whatever the threads */
};

/* The nodes that a slot's row lists, by distance minus mean (of an epoch), ascending. No other node
   of the row has a lower value than `rest`. */
typedef struct gg_join_row {
  double value[GG_JOIN_LIST];
  double rest;
  int32_t slot[GG_JOIN_LIST];
  int32_t head, count, epoch;
} gg_join_row;

/* What a chunk of slots adds to an update. */
typedef struct gg_join_part {
  double sum, most, slack[GG_JOIN_EPOCHS], pad;
} gg_join_part;

/*
 * A node that is not joined yet has a slot: a row and a column of the matrix. A new node takes the
 * slot of the first of its children. `age` orders nodes by coverage: a slot's row searches the
 * slots of higher age only, so that a new node, which has the lowest age, searches all others, and
 * no list ever gets a new member. `key` is the position by which the first of equal pairs is
 * defined.
 */
typedef struct gg_joining {
  int64_t n;            /* points */
  int64_t width, alive; /* slots, and those that have a node */
  bool bionj;
  double *d;        /* width by width distances */
  double *variance; /* BIONJ: likewise; else NULL */
  double *sum;      /* of a slot's distances */
  double *mean;     /* sum / (alive - 2) */
  double *age, *key;
  int32_t *node; /* of a slot: its number from 0 */
  gg_join_row *row;
  double *low;                   /* lower bounds of the criterion in a row */
  int32_t *todo;                 /* slots to search */
  double *epoch[GG_JOIN_EPOCHS]; /* means at the time of an epoch */
  double slack[GG_JOIN_EPOCHS];  /* largest increase of a mean since then */
  int32_t current;               /* epoch */
  int64_t searches;              /* since the current epoch began */
  double scale;                  /* by which distances have been multiplied twice */
  double most;                   /* largest absolute distance so far */
  double quantum;                /* criteria in the same multiple of it count as equal */
  gg_join_part *parts;
  int32_t threads;
  int64_t joins; /* so far */
  /* The edges, unordered: the node above, the one below, and the length. Borrowed. */
  int32_t *parent, *child;
  double *length;
  int64_t edges;
} gg_joining;

/* True if a slot has a node. */
static inline bool gg_join_is_alive(const gg_joining *join, int64_t slot) {
  return join->age[slot] > -1e300;
}

#endif
