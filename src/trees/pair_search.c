/*
 * Finds the pair of nodes with the lowest criterion of neighbour joining, d_ij - u_i - u_j, where
 * u_i is the sum of the distances of node i divided by the number of nodes minus 2.
 *
 * Reference: Simonsen, Mailund and Pedersen 2008, Rapid neighbour-joining, who bound rows that are
 * sorted by distance; here a row lists only its GG_JOIN_LIST nodes with the lowest d_ij - U_j.
 * Invariant: U_j is u_j at the beginning of an epoch, and the slack of the epoch is the most by
 * which any u_j has increased since then. Then d_ij - u_j is at least the listed value minus the
 * slack. A row is read again only if what it does not list might come before the best pair.
 * Cost: O(n) for each pair, and O(n) for each row that is read; usually fewer than 2 rows a pair.
 */
#include "trees/pair_search.h"

#include <float.h>
#include <math.h>

#include "common/error.h"

enum { BLOCK = 256 }; /* slots whose minima are computed by vectors */

double gg_join_level(const gg_joining *join, double criterion) {
  return floor(criterion / join->quantum + 0.37); /* whole multiples are no limits of a level */
}

bool gg_join_before(const gg_join_pair *a, const gg_join_pair *b) {
  if (a->level != b->level) return a->level < b->level;
  if (a->first != b->first) return a->first < b->first;
  return a->second < b->second;
}

gg_join_pair gg_join_pair_of(const gg_joining *join, double level, int64_t a, int64_t b) {
  const bool in_order = join->key[a] < join->key[b];
  const int64_t low = in_order ? a : b, high = in_order ? b : a;
  const int64_t first = join->bionj ? high : low, second = join->bionj ? low : high;
  return (gg_join_pair){level, join->key[first], join->key[second], low, high};
}

/* Returns what all bounds are lowered by: more than the rounding errors of a bound and of a
   criterion, whose terms are at most three times the largest distance. */
static double margin_of(const gg_joining *join) { return 128 * DBL_EPSILON * join->most; }

/* True if a criterion of at least `bound` in a slot's row may come before the best pair. */
static bool may_win(const gg_joining *join, double bound, int64_t slot, const gg_join_pair *best) {
  const double level = gg_join_level(join, bound - margin_of(join));
  return level < best->level || (level == best->level && join->key[slot] <= best->first) ||
         isnan(level);
}

/* Replaces the best pair if that of two slots comes before it. */
static void consider(const gg_joining *join, int64_t i, int64_t j, gg_join_pair *best) {
  const double d = join->d[i * join->width + j];
  const double level = gg_join_level(join, d - (join->mean[i] + join->mean[j]));
  if (level > best->level) return;
  const gg_join_pair pair = gg_join_pair_of(join, level, i, j);
  if (gg_join_before(&pair, best)) *best = pair;
}

/* --- Reading a row ---------------------------------------------------------------------------- */

/* Adds a slot to a list. The last of a full list is dropped. */
static void insert(gg_join_row *row, double value, int32_t slot) {
  int32_t at = row->count < GG_JOIN_LIST ? row->count++ : GG_JOIN_LIST - 1;
  for (; at > 0 && row->value[at - 1] > value; --at) {
    row->value[at] = row->value[at - 1];
    row->slot[at] = row->slot[at - 1];
  }
  row->value[at] = value;
  row->slot[at] = slot;
  if (row->count == GG_JOIN_LIST) row->rest = row->value[GG_JOIN_LIST - 1];
}

/* The lowest distances of a block minus a mean each: of the epoch, and of now. */
typedef struct lows {
  double listed, now;
} lows;

/* Returns the lowest values of `count` slots that are covered by a row. */
static lows find_lows(const double *d, const double *epoch, const double *mean, const double *age,
                      double own_age, int64_t count) {
  double listed = INFINITY, now = INFINITY;
#pragma omp simd reduction(min : listed, now)
  for (int64_t j = 0; j < count; ++j) {
    const double v = age[j] > own_age ? d[j] - epoch[j] : INFINITY;
    const double q = age[j] > own_age ? d[j] - mean[j] : INFINITY;
    listed = v < listed ? v : listed;
    now = q < now ? q : now;
  }
  return (lows){listed, now};
}

/* Lists a block's slots, and compares its pairs with the best one if `compare`. */
static void read_block(gg_joining *join, int64_t i, int64_t first, int64_t last,
                       gg_join_pair *best) {
  gg_join_row *row = &join->row[i];
  const double *d = join->d + i * join->width, *epoch = join->epoch[row->epoch];
  const double *age = join->age, own_age = age[i], own = join->mean[i];
  const lows low =
      find_lows(d + first, epoch + first, join->mean + first, age + first, own_age, last - first);
  if (low.listed < row->rest)
    for (int64_t j = first; j < last; ++j)
      if (age[j] > own_age && d[j] - epoch[j] < row->rest) insert(row, d[j] - epoch[j], (int32_t)j);
  if (best && may_win(join, low.now - own, i, best))
    for (int64_t j = first; j < last; ++j)
      if (age[j] > own_age) consider(join, i, j, best);
}

/* Reads a row: makes its list, by the current epoch, and compares its pairs with *best unless that
   is NULL. */
static void read_row(gg_joining *join, int64_t i, gg_join_pair *best) {
  gg_join_row *row = &join->row[i];
  row->head = row->count = 0;
  row->epoch = join->current;
  row->rest = INFINITY;
  for (int64_t first = 0; first < join->width; first += BLOCK) {
    const int64_t last = first + BLOCK < join->width ? first + BLOCK : join->width;
    read_block(join, i, first, last, best);
  }
  join->low[i] = row->count > 0 ? row->value[0] : INFINITY;
}

/* Lists a range of rows; the loop's work. */
static void list_range(void *own, gg_range range) {
  for (int64_t i = range.first; i < range.last; ++i)
    read_row(own, i, NULL);
}

gpugeo_status gg_join_list_rows(gg_joining *join, double done, double share, gg_call *call) {
  const gg_loop loop = {.threads = join->threads,
                        .count = join->width,
                        .grain = 1 + ((int64_t)1 << 17) / join->width,
                        .work = list_range,
                        .job = join,
                        .begun = done,
                        .share = share};
  return gg_call_loop(call, loop);
}

/* --- Searching -------------------------------------------------------------------------------- */

/* Compares the listed pairs of a row with the best one. Returns whether the row must be read: what
   it does not list may come before the best pair. */
static bool search_list(gg_joining *join, int64_t i, gg_join_pair *best) {
  gg_join_row *row = &join->row[i];
  const double shift = join->mean[i] + join->slack[row->epoch];
  for (int32_t k = row->head; k < row->count; ++k) {
    const int32_t j = row->slot[k];
    if (join->age[j] > join->age[i]) {
      if (!may_win(join, row->value[k] - shift, i, best)) break;
      consider(join, i, j, best);
    } else if (k == row->head) {
      ++row->head;
    }
  }
  join->low[i] = row->head < row->count ? row->value[row->head] : row->rest;
  return may_win(join, row->rest - shift, i, best);
}

/* Returns the lower bound of the criterion in a slot's row. */
static double bound_of(const gg_joining *join, int64_t i) {
  return join->low[i] - join->mean[i] - join->slack[join->row[i].epoch];
}

/* Returns the slot whose row has the lowest bound, or -1. */
static int64_t lowest_row(const gg_joining *join) {
  double least = INFINITY;
  int64_t at = -1;
  for (int64_t i = 0; i < join->width; ++i) {
    const double bound = bound_of(join, i);
    if (bound < least) {
      least = bound;
      at = i;
    }
  }
  return at;
}

/* Reads a row that is to be searched. */
static void search_row(gg_joining *join, int64_t i, gg_join_pair *best) {
  read_row(join, i, best);
  ++join->searches;
}

gg_join_pair gg_join_search(gg_joining *join, int64_t fresh) {
  gg_join_pair best = {INFINITY, INFINITY, INFINITY, -1, -1};
  int64_t todo = 0;
  if (fresh >= 0) read_row(join, fresh, &best);
  const int64_t lowest = lowest_row(join);
  if (lowest >= 0 && lowest != fresh && search_list(join, lowest, &best))
    join->todo[todo++] = (int32_t)lowest;
  for (int64_t i = 0; i < join->width; ++i)
    if (i != fresh && i != lowest && join->low[i] < INFINITY &&
        may_win(join, bound_of(join, i), i, &best) && search_list(join, i, &best))
      join->todo[todo++] = (int32_t)i;
  for (int64_t k = 0; k < todo; ++k) {
    const int64_t i = join->todo[k];
    const gg_join_row *row = &join->row[i];
    if (may_win(join, row->rest - join->mean[i] - join->slack[row->epoch], i, &best))
      search_row(join, i, &best);
  }
  return best;
}

/* --- Epochs and slots ------------------------------------------------------------------------- */

/* Lowers the values of the lists of an epoch by its slack, for what begins in its place: a copy of
   the means of now. */
static void lower_lists(gg_joining *join, int32_t epoch) {
  const double by = join->slack[epoch] + margin_of(join);
  for (int64_t i = 0; i < join->width; ++i) {
    gg_join_row *row = &join->row[i];
    if (row->epoch != epoch) continue;
    for (int32_t k = 0; k < row->count; ++k)
      row->value[k] -= by;
    row->rest -= by;
    join->low[i] -= by;
  }
}

void gg_join_next_epoch(gg_joining *join) {
  if (2 * join->searches < join->alive) return;
  const int32_t next = (join->current + 1) % GG_JOIN_EPOCHS;
  lower_lists(join, next);
  for (int64_t i = 0; i < join->width; ++i)
    join->epoch[next][i] = gg_join_is_alive(join, i) ? join->mean[i] : INFINITY;
  join->slack[next] = 0;
  join->current = next;
  join->searches = 0;
}

/* Renumbers the slots in a list of slot i. */
static void move_list(const gg_joining *join, const int32_t *moved, int64_t i, gg_join_row *row) {
  int32_t count = 0;
  for (int32_t k = row->head; k < row->count; ++k) {
    const int32_t j = row->slot[k];
    if (!(join->age[j] > join->age[i])) continue;
    row->value[count] = row->value[k];
    row->slot[count++] = moved[j];
  }
  row->head = 0;
  row->count = count;
}

void gg_join_move_lists(gg_joining *join, const int32_t *moved) {
  for (int64_t i = 0; i < join->width; ++i) {
    if (moved[i] < 0) continue;
    move_list(join, moved, i, &join->row[i]);
    join->row[moved[i]] = join->row[i];
  }
}
