/*
 * Neighbour joining (Saitou and Nei 1987) by the criterion of Studier and Keppler (1988), and BIONJ
 * (Gascuel 1997). pair_search.c finds the pair to join; here both nodes are replaced by a new one.
 *
 * Invariant: after each join the sums and means are those of the nodes that are left, whatever the
 * threads: sums of a row are added up in chunks of GG_JOIN_CHUNK slots, whose sums are added in
 * their order. The matrix is written anew without the slots of joined nodes when they are a
 * quarter of it.
 * Cost: O(n) for each join, and O(n^2) each time that the matrix is written anew.
 */
#include "trees/joining.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "trees/pair_search.h"

enum { LANES = 8 }; /* partial sums within a chunk */

double gg_joining_bytes(int64_t n, bool bionj) {
  const double points = (double)n;
  return (bionj ? 16 : 8) * points * points +
         points * (double)(sizeof(gg_join_row) + 8 * (6 + GG_JOIN_EPOCHS) + 8);
}

/* Allocates the arrays of n values each. */
static bool make_arrays(gg_joining *join) {
  const int64_t n = join->n;
  bool made = true;
  double **const arrays[] = {&join->sum, &join->mean, &join->age, &join->key, &join->low};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
    made = (*arrays[k] = gg_allocate(n, sizeof **arrays[k])) && made;
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
    made = (join->epoch[e] = gg_allocate(n, sizeof *join->epoch[e])) && made;
  join->node = gg_allocate(n, sizeof *join->node);
  join->todo = gg_allocate(n, sizeof *join->todo);
  join->row = gg_allocate(n, sizeof *join->row);
  join->parts = gg_allocate(1 + n / GG_JOIN_CHUNK, sizeof *join->parts);
  return made && join->node && join->todo && join->row && join->parts;
}

gpugeo_status gg_joining_make(gg_joining *join, int64_t n, bool bionj, int32_t threads,
                              gg_call *call) {
  if (call->status) return call->status;
  join->n = join->width = join->alive = n;
  join->bionj = bionj;
  join->threads = threads;
  join->d = gg_allocate_large(n * n, sizeof *join->d);
  join->variance = bionj ? gg_allocate_large(n * n, sizeof *join->variance) : NULL;
  if (make_arrays(join) && join->d && (join->variance || !bionj)) return GPUGEO_OK;
  return GG_TRY(call, gg_fail_memory(call->error, (int64_t)gg_joining_bytes(n, bionj)));
}

void gg_joining_free(gg_joining *join) {
  gg_free(join->d);
  gg_free(join->variance);
  gg_free(join->sum);
  gg_free(join->mean);
  gg_free(join->age);
  gg_free(join->key);
  gg_free(join->low);
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
    gg_free(join->epoch[e]);
  gg_free(join->node);
  gg_free(join->todo);
  gg_free(join->row);
  gg_free(join->parts);
}

/* --- The first sums --------------------------------------------------------------------------- */

/* Computes the sum and, in `low`, the largest absolute value of a range of rows; the loop's
   work. */
static void sum_rows(void *own, gg_range range) {
  gg_joining *join = own;
  const int64_t n = join->n;
  for (int64_t i = range.first; i < range.last; ++i) {
    const double *row = join->d + i * n;
    double sum = 0, most = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double size = fabs(row[j]);
      sum += row[j];
      most = size > most ? size : most;
    }
    join->sum[i] = sum;
    join->low[i] = most;
  }
}

/* Copies a range of rows of the distances as variances; the loop's work. */
static void copy_rows(void *own, gg_range range) {
  gg_joining *join = own;
  const int64_t n = join->n, first = range.first * n;
  memcpy(join->variance + first, join->d + first,
         (size_t)((range.last - range.first) * n) * sizeof *join->d);
}

/* Multiplies a range of rows by the scale; the loop's work. */
static void scale_rows(void *own, gg_range range) {
  const gg_joining *join = own;
  for (int64_t k = range.first * join->n; k < range.last * join->n; ++k)
    join->d[k] *= join->scale;
}

/* Runs a function for all rows. */
static gpugeo_status for_rows(gg_joining *join, void (*work)(void *own, gg_range range),
                              double done, gg_call *call) {
  const gg_loop loop = {.threads = join->threads,
                        .count = join->n,
                        .grain = 1 + ((int64_t)1 << 17) / join->n,
                        .work = work,
                        .job = join,
                        .begun = done};
  return gg_call_loop(call, loop);
}

/* Returns the largest absolute distance. */
static double find_most(const gg_joining *join) {
  double most = 0;
  for (int64_t i = 0; i < join->n; ++i)
    most = join->low[i] > most ? join->low[i] : most;
  return most;
}

/* Scales distances whose sums or variances might overflow or vanish by a power of two. */
static gpugeo_status scale_distances(gg_joining *join, double done, gg_call *call) {
  join->scale = 1;
  const double most = find_most(join);
  if (call->status || most == 0 || (most > 0x1p-300 && most < 0x1p+300)) return call->status;
  join->scale = ldexp(1, -ilogb(most) / 2); /* in two steps, as one may have no power of two */
  for_rows(join, scale_rows, done, call);
  for_rows(join, scale_rows, done, call);
  return for_rows(join, sum_rows, done, call);
}

/* Returns the multiples in which criteria count as equal. */
static double quantum_of(const gg_joining *join) {
  return join->most > 0 ? ldexp(join->most, -36) : 1;
}

/* Sets what nodes have at the beginning: the positions, sums, means and the first epoch. */
static gpugeo_status begin(gg_joining *join, double done, gg_call *call) {
  for_rows(join, sum_rows, done, call);
  scale_distances(join, done, call);
  if (join->bionj) for_rows(join, copy_rows, done, call);
  if (call->status) return call->status;
  join->most = find_most(join);
  for (int64_t i = 0; i < join->n; ++i) {
    join->age[i] = join->key[i] = (double)i;
    join->node[i] = (int32_t)i;
    join->mean[i] = join->sum[i] / (double)(join->n - 2);
    for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
      join->epoch[e][i] = join->mean[i];
  }
  join->quantum = quantum_of(join);
  return gg_join_list_rows(join, done, 0.1, call);
}

/* --- Joining two nodes ------------------------------------------------------------------------ */

/* Two slots that are joined. */
typedef struct merger {
  gg_joining *join;
  int64_t a, b;
  double dab, length_a, length_b; /* distance, and those from both to the new node */
  double lambda, variance;        /* BIONJ: the weight of a, and what is subtracted */
  double left;                    /* nodes minus 2 after the join */
} merger;

/* Computes a chunk of the new node's distances, and the sums and means of the others. */
static void update_chunk(const merger *m, int64_t first, int64_t last, gg_join_part *part) {
  gg_joining *join = m->join;
  const int64_t width = join->width;
  double *da = join->d + m->a * width, *sum = join->sum, *mean = join->mean;
  const double *db = join->d + m->b * width, *age = join->age;
  const double dab = m->dab, left = m->left, lambda = m->lambda, other = 1 - m->lambda;
  const double la = m->length_a, lb = m->length_b;
  const bool bionj = join->bionj;
  double total[LANES] = {0}, most = part->most;
  for (int64_t j = first; j < last; ++j) {
    const double usual = (da[j] + db[j] - dab) * 0.5;
    const double weighted = lambda * (da[j] - la) + other * (db[j] - lb);
    const double d = age[j] > -1e300 ? (bionj ? weighted : usual) : 0;
    const double size = fabs(d);
    sum[j] = sum[j] - da[j] - db[j] + d;
    mean[j] = sum[j] / left;
    da[j] = d;
    most = size > most ? size : most;
  }
  for (int64_t j = first; j < last; ++j)
    total[(j - first) % LANES] += da[j];
  part->most = most;
  for (int k = 0; k < LANES; ++k)
    part->sum += total[k];
}

/* Returns the largest increase of a mean in a chunk since an epoch began. */
static double find_slack(const double *mean, const double *epoch, int64_t count) {
  double most = -INFINITY;
#pragma omp simd reduction(max : most)
  for (int64_t j = 0; j < count; ++j) {
    const double by = mean[j] - epoch[j];
    most = by > most ? by : most;
  }
  return most;
}

/* Writes the new node's distances of a chunk to its column, and its variances to row and column. */
static void write_column(const merger *m, int64_t first, int64_t last) {
  const gg_joining *join = m->join;
  const int64_t width = join->width;
  const double *row = join->d + m->a * width;
  for (int64_t j = first; j < last; ++j)
    join->d[j * width + m->a] = row[j];
  if (!join->bionj) return;
  double *va = join->variance + m->a * width;
  const double *vb = join->variance + m->b * width;
  for (int64_t j = first; j < last; ++j) {
    va[j] = m->lambda * va[j] + (1 - m->lambda) * vb[j] - m->variance;
    join->variance[j * width + m->a] = va[j];
  }
}

/* Updates a range of chunks; the loop's work. */
static void update_chunks(void *own, gg_range range) {
  const merger *m = own;
  gg_joining *join = m->join;
  for (int64_t c = range.first; c < range.last; ++c) {
    const int64_t first = c * GG_JOIN_CHUNK, end = first + GG_JOIN_CHUNK;
    const int64_t last = end < join->width ? end : join->width;
    gg_join_part *part = &join->parts[c];
    *part = (gg_join_part){.sum = 0};
    update_chunk(m, first, last, part);
    for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
      part->slack[e] = find_slack(join->mean + first, join->epoch[e] + first, last - first);
    write_column(m, first, last);
  }
}

/* Adds up what the chunks have found, and gives the new node its slot. */
static void place_node(const merger *m, int64_t chunks) {
  gg_joining *join = m->join;
  double sum = 0;
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
    join->slack[e] = -INFINITY;
  for (int64_t c = 0; c < chunks; ++c) {
    const gg_join_part *part = &join->parts[c];
    sum += part->sum;
    join->most = part->most > join->most ? part->most : join->most;
    for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
      join->slack[e] = part->slack[e] > join->slack[e] ? part->slack[e] : join->slack[e];
  }
  join->sum[m->a] = sum;
  join->mean[m->a] = sum / m->left;
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e) {
    join->epoch[e][m->a] = join->mean[m->a];
    join->slack[e] = join->slack[e] > 0 ? join->slack[e] : 0;
  }
}

/* Marks a slot as one without a node. */
static void remove_slot(gg_joining *join, int64_t slot) {
  join->age[slot] = -INFINITY;
  join->low[slot] = INFINITY;
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
    join->epoch[e][slot] = INFINITY;
}

/* Returns the weight of a in BIONJ's new distances: that with the lowest variance. */
static double weight_of(const gg_joining *join, int64_t a, int64_t b) {
  const double *va = join->variance + a * join->width, *vb = join->variance + b * join->width;
  const double vab = va[b];
  double difference = 0;
  for (int64_t j = 0; j < join->width; ++j)
    if (gg_join_is_alive(join, j) && j != a && j != b) difference += vb[j] - va[j];
  if (vab == 0) return 0.5;
  const double weight = 0.5 + difference / (2 * (double)(join->alive - 2) * vab);
  return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

/* Appends an edge from the node of this number to that of a slot. */
static void add_edge(gg_joining *join, int32_t parent, int64_t slot, double length) {
  join->parent[join->edges] = parent;
  join->child[join->edges] = join->node[slot];
  join->length[join->edges++] = length / join->scale / join->scale;
}

/* Replaces two slots by a new node in that of a. */
static void join_pair(gg_joining *join, const gg_join_pair *pair) {
  const int64_t a = pair->a, b = pair->b, chunks = 1 + (join->width - 1) / GG_JOIN_CHUNK;
  const double dab = join->d[a * join->width + b];
  const double by = (join->sum[a] - join->sum[b]) / (double)(join->alive - 2);
  const int32_t node = (int32_t)(2 * join->n - 3 - join->joins++);
  merger m = {.join = join, .a = a, .b = b, .dab = dab, .left = (double)(join->alive - 3)};
  m.length_a = (dab + by) * 0.5;
  m.length_b = dab - m.length_a;
  m.lambda = join->bionj ? weight_of(join, a, b) : 0.5;
  if (join->bionj) m.variance = m.lambda * (1 - m.lambda) * join->variance[a * join->width + b];
  add_edge(join, node, join->bionj ? b : a, join->bionj ? m.length_b : m.length_a);
  add_edge(join, node, join->bionj ? a : b, join->bionj ? m.length_a : m.length_b);
  remove_slot(join, a);
  remove_slot(join, b);
  gg_parallel_for(&(gg_loop){.threads = join->threads,
                             .count = chunks,
                             .grain = 4, /* 20 us */
                             .work = update_chunks,
                             .job = &m});
  place_node(&m, chunks);
  join->age[a] = -(double)join->joins;
  join->key[a] = join->bionj ? join->key[b] : join->age[a];
  join->node[a] = node;
  --join->alive;
}

/* --- Fewer slots ------------------------------------------------------------------------------ */

/* Moves the elements of an array to their new slots. */
static void move_values(double *values, const int32_t *moved, int64_t width) {
  for (int64_t i = 0; i < width; ++i)
    if (moved[i] >= 0) values[moved[i]] = values[i];
}

/* Moves the rows and columns of a matrix to their new slots. */
static void move_matrix(double *matrix, const int32_t *moved, int64_t width, int64_t alive) {
  for (int64_t i = 0; i < width; ++i) {
    const double *from = matrix + i * width;
    if (moved[i] < 0) continue;
    double *to = matrix + moved[i] * alive;
    for (int64_t j = 0; j < width; ++j)
      if (moved[j] >= 0) to[moved[j]] = from[j];
  }
}

/* Removes the slots without a node. */
static void compact(gg_joining *join) {
  int32_t *moved = join->todo, next = 0;
  const int64_t width = join->width;
  for (int64_t i = 0; i < width; ++i)
    moved[i] = gg_join_is_alive(join, i) ? next++ : -1;
  gg_join_move_lists(join, moved);
  move_matrix(join->d, moved, width, next);
  if (join->bionj) move_matrix(join->variance, moved, width, next);
  double *const arrays[] = {join->sum, join->mean, join->age, join->key, join->low};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
    move_values(arrays[k], moved, width);
  for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
    move_values(join->epoch[e], moved, width);
  for (int64_t i = 0; i < width; ++i)
    if (moved[i] >= 0) join->node[moved[i]] = join->node[i];
  join->width = next;
}

/* --- The last nodes --------------------------------------------------------------------------- */

/* Lists the slots of the last nodes by their positions. Returns their number. */
static int64_t list_last(const gg_joining *join, int64_t *slot) {
  int64_t count = 0;
  for (int64_t i = 0; i < join->width; ++i) {
    if (!gg_join_is_alive(join, i)) continue;
    int64_t at = count++;
    for (; at > 0 && join->key[slot[at - 1]] > join->key[i]; --at)
      slot[at] = slot[at - 1];
    slot[at] = i;
  }
  return count;
}

/* Returns the pair of four nodes to join. The criterion of a pair is that of the other pair, too:
   the first pair with the smallest sum of both distances is joined. */
static gg_join_pair choose_of_four(const gg_joining *join) {
  static const int other[3][2] = {{2, 3}, {1, 3}, {1, 2}};
  int64_t slot[4];
  list_last(join, slot);
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const double first = join->d[slot[0] * join->width + slot[k + 1]];
    const double second = join->d[slot[other[k][0]] * join->width + slot[other[k][1]]];
    const double level = gg_join_level(join, first + second);
    if (level < least) {
      least = level;
      best = k;
    }
  }
  if (join->bionj && best == 2) return gg_join_pair_of(join, least, slot[1], slot[2]);
  return gg_join_pair_of(join, least, slot[0], slot[best + 1]);
}

/* Adds the edges of the root, to the last three nodes, the last one first. */
static void join_last(gg_joining *join) {
  int64_t slot[3];
  list_last(join, slot);
  for (int k = 2; k >= 0; --k) {
    const double *d = join->d + slot[k] * join->width;
    const int64_t a = slot[k == 0 ? 1 : 0], b = slot[k == 2 ? 1 : 2];
    add_edge(join, (int32_t)join->n, slot[k], (d[a] + d[b] - join->d[a * join->width + b]) * 0.5);
  }
}

/* --- All joins -------------------------------------------------------------------------------- */

/* Returns the part of all joins that has been made. */
static double fraction_of(const gg_joining *join) {
  const double left = (double)join->alive / (double)join->n;
  return 1 - left * left;
}

/* Returns the pair to join; the first two nodes if no criterion is a number. */
static gg_join_pair choose(gg_joining *join, int64_t fresh) {
  if (join->alive == 4) return choose_of_four(join);
  const gg_join_pair pair = gg_join_search(join, fresh);
  if (pair.a >= 0) return pair;
  int64_t first = -1, second = -1;
  for (int64_t i = join->width - 1; i >= 0; --i)
    if (gg_join_is_alive(join, i)) {
      second = first;
      first = i;
    }
  return gg_join_pair_of(join, 0, first, second);
}

gpugeo_status gg_joining_run(gg_joining *join, double done, gg_call *call) {
  begin(join, done, call);
  const double from = done + 0.1;
  int64_t fresh = -1;
  while (join->alive > 3 && !gg_call_poll(call, from + (1 - from) * fraction_of(join))) {
    const gg_join_pair pair = choose(join, fresh);
    join_pair(join, &pair);
    fresh = pair.a;
    if (4 * join->alive > 3 * join->width && join->alive > 4) {
      gg_join_next_epoch(join);
      continue;
    }
    if (join->alive <= 4) continue;
    const int32_t node = join->node[fresh];
    compact(join);
    for (fresh = 0; join->node[fresh] != node;)
      ++fresh;
    gg_join_next_epoch(join);
  }
  if (!call->status) join_last(join);
  return call->status;
}

/* Sets what the last nodes have. */
static void take_rest(gg_joining *join, const gg_nj_rest *rest) {
  join->scale = rest->scale;
  join->most = rest->most;
  join->quantum = quantum_of(join);
  for (int64_t i = 0; i < GG_NJ_LAST; ++i) {
    for (int64_t j = 0; j < GG_NJ_LAST; ++j)
      join->d[i * GG_NJ_LAST + j] = rest->d[i][j];
    join->sum[i] = rest->sum[i];
    join->mean[i] = rest->sum[i] / (GG_NJ_LAST - 2);
    join->age[i] = join->key[i] = rest->key[i];
    join->node[i] = rest->node[i];
    for (int32_t e = 0; e < GG_JOIN_EPOCHS; ++e)
      join->epoch[e][i] = join->mean[i];
  }
}

gpugeo_status gg_joining_finish(gg_joining *join, int64_t n, const gg_nj_join *joins,
                                const gg_nj_rest *rest, gg_call *call) {
  gg_joining last = {.parent = join->parent, .child = join->child, .length = join->length};
  gg_joining_make(&last, GG_NJ_LAST, false, 1, call);
  if (!call->status) {
    take_rest(&last, rest);
    last.n = n;
    for (int64_t k = 0; k < n - GG_NJ_LAST; ++k)
      for (int c = 0; c < 2; ++c) {
        last.parent[last.edges] = (int32_t)(2 * n - 3 - k);
        last.child[last.edges] = joins[k].node[c];
        last.length[last.edges++] = joins[k].length[c];
      }
    last.joins = n - GG_NJ_LAST;
    const gg_join_pair pair = choose_of_four(&last);
    join_pair(&last, &pair);
    join_last(&last);
  }
  gg_joining_free(&last);
  return call->status;
}
