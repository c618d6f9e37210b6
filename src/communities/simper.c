/*
 * Similarity percentages (Clarke 1993): a species contributes |x_i - x_j| / (t_i + t_j) to the
 * Bray-Curtis dissimilarity of the sites i and j, whose sums are t.
 *
 * Means of permuted groups follow from |x_i - x_j| = x_i + x_j - 2 min(x_i, x_j): the sums over all
 * pairs of groups are
 *
 *   sum_i x_i z_i - sum_ij 2 min(x_i, x_j) / (t_i + t_j),
 *
 * where z_i, the sum of 1 / (t_i + t_j) over the sites j of the other group, is the same for all
 * species. The second sum has only pairs of sites that both have the species. Tiles of its terms
 * are computed once for a batch of permutations, each of which adds the rows of the sites in the
 * first group, at the columns of those in the second one.
 *
 * The order of a sum follows from the sites and the size of tiles, so that bits depend neither on
 * threads nor on batches. Cost, for a species of k sites: k^2 / groups additions for each
 * permutation, and k^2 divisions for each batch. Memory: a batch of numbers for each site, on each
 * thread.
 */
#include "communities/simper.h"

#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "communities/simper_kernels.h"
#include "communities/table.h"

enum {
  BATCH = 128,  /* permutations */
  ROWS = 16,    /* of a tile */
  COLUMNS = 256 /* of a tile, which has 32 KiB */
};

static const double tolerance = 0x1p-26;

/* The sites of a side of the pairs, or of a species: first those that have it. */
typedef struct sites {
  int64_t count, present;
  int32_t *site;
  double *x, *total; /* of each */
} sites;

/* What a thread works with. */
typedef struct worker {
  double *memory;    /* to be freed */
  double *value;     /* of each site, of a species of a sparse table */
  sites side[2];     /* averages: the groups; counts: the first are the sites of a species */
  double *tile;      /* ROWS x COLUMNS */
  double *member;    /* of each permutation, whether a site of the species is in group 2 */
  double sum[BATCH]; /* of each permutation */
  double row_sum[ROWS];
} worker;

/* A call, and its batch of permutations. */
typedef struct simper {
  const gg_simper_plan *plan;
  gg_table table;
  double *room, *total; /* of the table; of each site */
  int64_t n, padded;    /* sites; the same, as a multiple of lanes */
  int64_t size[2];      /* of the groups */
  int32_t threads;
  worker *workers;
  double *average, *deviation; /* of each species; average is only read by counts */
  double *count;               /* of each species */
  const int32_t *order;        /* of the batch */
  int64_t batch;
  int8_t *role;      /* of each permutation and site: 1 or 2, the smaller group first; 0 */
  double *member[2]; /* 1 where the role is 1, or 2, padded */
  double *z;         /* of each permutation and site */
  gg_simper_sums *sums;
} simper;

/* --- Memory ----------------------------------------------------------------------------------- */

/* Returns the next part of memory. */
static double *take(double **memory, int64_t count) {
  double *part = *memory;
  *memory += count;
  return part;
}

/* Allocates what a thread works with. */
static void make_worker(const simper *job, worker *w, gg_call *call) {
  const int64_t n = job->padded, permuted = job->role ? ROWS * COLUMNS + BATCH * n : 0;
  double *memory = gg_call_allocate(call, 7 * n + permuted, sizeof *memory);
  w->memory = memory;
  if (!memory) return;
  w->value = take(&memory, n);
  for (int s = 0; s < 2; ++s) {
    w->side[s].x = take(&memory, n);
    w->side[s].total = take(&memory, n);
    w->side[s].site = (int32_t *)take(&memory, n);
  }
  if (!permuted) return;
  w->tile = take(&memory, ROWS * COLUMNS);
  w->member = memory;
}

/* Allocates and prepares what both functions need. */
static gpugeo_status begin(simper *job, gg_call *call) {
  const gpugeo_matrix *x = job->plan->x;
  job->n = x->nrow;
  job->padded = (x->nrow + GG_SIMPER_LANES) / GG_SIMPER_LANES * GG_SIMPER_LANES;
  job->threads = gg_threads(call->run->threads);
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_family(call->run, GG_FAMILY_COMMUNITIES, call->error));
  *call->report = gg_report_of(gg_host_backend(), -1, 1, job->threads);
  const double threads = job->threads, each = job->order ? BATCH : 0;
  const double bytes =
      8 * ((double)job->padded * (threads * (7 + each) + 4 * each + 1) + (double)gg_table_room(x));
  GG_TRY(call, gg_check_memory(bytes, "", call->error, "%lld sites on %d threads need",
                               (long long)x->nrow, (int)job->threads));
  GG_TRY(call, gg_check_work(call->run, bytes, call->error, "%lld sites on %d threads",
                             (long long)x->nrow, (int)job->threads));
  job->room = gg_call_allocate(call, gg_table_room(x) + 1, sizeof *job->room);
  job->total = gg_call_allocate(call, job->padded, sizeof *job->total);
  if (job->order) {
    job->role = gg_call_allocate(call, BATCH * job->padded, sizeof *job->role);
    for (int s = 0; s < 2; ++s)
      job->member[s] = gg_call_allocate(call, BATCH * job->padded, sizeof *job->member[s]);
    job->z = gg_call_allocate(call, BATCH * job->padded, sizeof *job->z);
  }
  job->workers = gg_call_allocate(call, job->threads, sizeof *job->workers);
  if (call->status) return call->status;
  memset(job->workers, 0, (size_t)job->threads * sizeof *job->workers);
  for (int32_t t = 0; t < job->threads; ++t)
    make_worker(job, job->workers + t, call);
  job->table = gg_table_view(x, job->room);
  gg_table_sums(&job->table, GG_MARGIN_ROWS, false, job->total);
  for (int64_t i = 0; job->plan->group && i < job->n; ++i)
    if (job->plan->group[i]) ++job->size[job->plan->group[i] - 1];
  return call->status;
}

/* Frees a job. */
static void end(simper *job) {
  for (int32_t t = 0; job->workers && t < job->threads; ++t)
    gg_free(job->workers[t].memory);
  gg_free(job->workers);
  gg_free(job->z);
  gg_free(job->member[0]);
  gg_free(job->member[1]);
  gg_free(job->role);
  gg_free(job->total);
  gg_free(job->room);
}

/* --- Sites ------------------------------------------------------------------------------------ */

/* Returns the values of a species at all sites. */
static const double *values_of(const simper *job, worker *w, int64_t species) {
  const gg_table *table = &job->table;
  const int64_t first = gg_table_begin(table, species), last = gg_table_begin(table, species + 1);
  if (!table->sparse) return table->value + first;
  memset(w->value, 0, (size_t)job->n * sizeof *w->value);
  for (int64_t e = first; e < last; ++e)
    w->value[gg_table_across(table, e, first)] = table->value[e];
  return w->value;
}

/* Appends the sites of a group (0: all) that have a species, or those that do not. */
static void append_sites(const simper *job, const double *value, int group, bool present,
                         sites *to) {
  for (int64_t i = 0; i < job->n; ++i) {
    if ((value[i] != 0) != present || (group && job->plan->group[i] != group)) continue;
    to->site[to->count] = (int32_t)i;
    to->x[to->count] = value[i];
    to->total[to->count++] = job->total[i];
  }
}

/* Finds the sites of a group, 0: all. */
static void find_sites(const simper *job, const double *value, int group, sites *to) {
  to->count = 0;
  append_sites(job, value, group, true, to);
  to->present = to->count;
  append_sites(job, value, group, false, to);
}

/* --- Averages --------------------------------------------------------------------------------- */

/* The columns [first, last) of a side, and a site of the other one. */
typedef struct row {
  const sites *side;
  int64_t first, last;
  double x, total;
} row;

/* Returns a row of a site a: all sites of the other side if it has the species, else those that
   have it; or only those behind it. */
static row row_of(const sites *a, int64_t i, const sites *b) {
  return (row){.side = b,
               .first = a == b ? i + 1 : 0,
               .last = i < a->present ? b->count : b->present,
               .x = a->x[i],
               .total = a->total[i]};
}

/* Returns the contribution to a pair. */
static double contribution(const row *r, int64_t j) {
  return fabs(r->x - r->side->x[j]) / (r->total + r->side->total[j]);
}

/* Returns the sum of a row, of four sums by the column modulo 4. */
static double sum_row(const row *r) {
  double sum[4] = {0};
  int64_t j = r->first;
  for (; j + 4 <= r->last; j += 4)
    for (int l = 0; l < 4; ++l)
      sum[l] += contribution(r, j + l);
  for (; j < r->last; ++j)
    sum[0] += contribution(r, j);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Returns the sum of the squares of the differences from the mean, likewise. */
static double sum_squares(const row *r, double mean) {
  double sum[4] = {0};
  int64_t j = r->first;
  for (; j + 4 <= r->last; j += 4)
    for (int l = 0; l < 4; ++l) {
      const double difference = contribution(r, j + l) - mean;
      sum[l] += difference * difference;
    }
  for (; j < r->last; ++j)
    sum[0] += (contribution(r, j) - mean) * (contribution(r, j) - mean);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Computes the mean and the deviation of the pairs of two sides, which may be one. */
static void average_pairs(const sites *a, const sites *b, double *mean, double *deviation) {
  const double pairs =
      a == b ? (double)a->count * (double)(a->count - 1) / 2 : (double)a->count * (double)b->count;
  double sum = 0, squares = 0, others = pairs; /* to which the species contributes 0 */
  for (int64_t i = 0; i < a->count; ++i) {
    const row r = row_of(a, i, b);
    sum += sum_row(&r);
    if (r.last > r.first) others -= (double)(r.last - r.first);
  }
  *mean = sum / pairs;
  for (int64_t i = 0; i < a->count; ++i) {
    const row r = row_of(a, i, b);
    squares += sum_squares(&r, *mean);
  }
  *deviation = sqrt((squares + others * (*mean * *mean)) / (pairs - 1));
}

/* Computes the averages of a range of species; the loop's work. */
static void average_species(void *own, gg_range range) {
  simper *job = own;
  worker *w = job->workers + range.worker;
  const bool groups = job->plan->group != NULL;
  for (int64_t k = range.first; k < range.last; ++k) {
    const double *value = values_of(job, w, k);
    for (int s = 0; s < 1 + groups; ++s)
      find_sites(job, value, groups ? s + 1 : 0, w->side + s);
    average_pairs(w->side, w->side + groups, job->average + k, job->deviation + k);
  }
}

gpugeo_status gg_simper_averages(const gg_simper_plan *plan, double *averages, double *deviation,
                                 gg_call *call) {
  simper job = {.plan = plan, .average = averages, .deviation = deviation};
  begin(&job, call);
  gg_call_loop(call, (gg_loop){.threads = job.threads,
                               .count = plan->x->ncol,
                               .grain = 1,
                               .work = average_species,
                               .job = &job});
  end(&job);
  return call->status;
}

/* --- Permutations ----------------------------------------------------------------------------- */

/* Assigns roles to the sites by the permutations of the batch. */
static void assign_roles(simper *job) {
  const bool swap = job->size[1] < job->size[0];
  for (int64_t p = 0; p < job->batch; ++p)
    for (int64_t i = 0; i < job->padded; ++i) {
      const int64_t at = p * job->padded + i;
      const int group = i < job->n ? job->plan->group[job->order[p * job->n + i] - 1] : 0;
      job->role[at] = (int8_t)(group && swap ? 3 - group : group);
      job->member[0][at] = job->role[at] == 1;
      job->member[1][at] = job->role[at] == 2;
    }
}

/* A tile of a matrix of sites by sites. */
typedef struct tile {
  int64_t row, rows, column, columns;
  int64_t length; /* columns, padded with zeros */
} tile;

/* Returns the tile that begins with a row and a column, of n of each. */
static tile tile_at(int64_t row, int64_t column, int64_t n) {
  const int64_t columns = n - column < COLUMNS ? n - column : COLUMNS;
  return (tile){.row = row,
                .rows = n - row < ROWS ? n - row : ROWS,
                .column = column,
                .columns = columns,
                .length = (columns + GG_SIMPER_LANES - 1) / GG_SIMPER_LANES * GG_SIMPER_LANES};
}

/* Fills a tile of 1 / (t_i + t_j), or with `shared` of -2 min(x_i, x_j) / (t_i + t_j). */
static void fill_tile(worker *w, const tile *t, bool shared) {
  const sites *s = w->side;
  for (int64_t r = 0; r < t->rows; ++r) {
    const double x = s->x[t->row + r], total = s->total[t->row + r];
    const double *others = s->x + t->column, *totals = s->total + t->column;
    double *e = w->tile + r * COLUMNS;
    for (int64_t c = 0; c < t->columns; ++c)
      e[c] = (shared ? -2 * (x < others[c] ? x : others[c]) : 1) / (total + totals[c]);
    for (int64_t c = t->columns; c < t->length; ++c)
      e[c] = 0;
  }
}

/* Adds up the rows of a tile whose sites have a role in a permutation, at the columns where
   `member` is 1. Writes the numbers of these rows within the tile, and returns how many there are.
 */
static int64_t add_tile(const simper *job, worker *w, const tile *t, const int8_t *roles, int role,
                        const double *member, int32_t *list) {
  int64_t rows = 0;
  for (int32_t r = 0; r < t->rows; ++r) {
    list[rows] = r;
    rows += roles[w->side->site[t->row + r]] == role;
  }
  job->sums(w->tile, COLUMNS, list, rows, member + t->column, t->length, w->row_sum);
  return rows;
}

/* Adds a tile to z, the sums over the sites of the other group. */
static void add_to_z(simper *job, worker *w, const tile *t) {
  int32_t list[ROWS + 1];
  for (int64_t p = 0; p < job->batch; ++p)
    for (int role = 1; role <= 2; ++role) {
      const double *member = job->member[2 - role] + p * job->padded;
      const int64_t rows = add_tile(job, w, t, job->role + p * job->padded, role, member, list);
      for (int64_t r = 0; r < rows; ++r)
        job->z[p * job->padded + t->row + list[r]] += w->row_sum[r];
    }
}

/* Computes z for a range of blocks of ROWS sites; the loop's work. */
static void find_z(void *own, gg_range range) {
  simper *job = own;
  worker *w = job->workers + range.worker;
  sites *all = w->side;
  all->count = job->n;
  for (int64_t i = 0; i < job->n; ++i) {
    all->site[i] = (int32_t)i;
    all->x[i] = 0;
    all->total[i] = job->total[i];
  }
  for (int64_t row = range.first * ROWS; row < job->n && row < range.last * ROWS; row += ROWS)
    for (int64_t column = 0; column < job->n; column += COLUMNS) {
      const tile t = tile_at(row, column, job->n);
      fill_tile(w, &t, false);
      add_to_z(job, w, &t);
    }
}

/* Writes which sites of a species are in group 2 of each permutation, and the first part of its
   sum. */
static void begin_sums(const simper *job, worker *w) {
  const sites *s = w->side;
  for (int64_t p = 0; p < job->batch; ++p) {
    const double *z = job->z + p * job->padded, *member = job->member[1] + p * job->padded;
    double *to = w->member + p * job->padded, sum = 0;
    memset(to, 0, (size_t)job->padded * sizeof *to);
    for (int64_t j = 0; j < s->count; ++j) {
      to[j] = member[s->site[j]];
      sum += s->x[j] * z[s->site[j]];
    }
    w->sum[p] = sum;
  }
}

/* Adds a tile to the sums of a species. */
static void add_to_sums(const simper *job, worker *w, const tile *t) {
  int32_t list[ROWS + 1];
  for (int64_t p = 0; p < job->batch; ++p) {
    const int64_t at = p * job->padded;
    const int64_t rows = add_tile(job, w, t, job->role + at, 1, w->member + at, list);
    for (int64_t r = 0; r < rows; ++r)
      w->sum[p] += w->row_sum[r];
  }
}

/* Counts permutations for a range of species; the loop's work. */
static void count_species(void *own, gg_range range) {
  simper *job = own;
  worker *w = job->workers + range.worker;
  const double pairs = (double)job->size[0] * (double)job->size[1];
  for (int64_t k = range.first; k < range.last; ++k) {
    w->side->count = 0;
    append_sites(job, values_of(job, w, k), 0, true, w->side);
    const int64_t n = w->side->count;
    begin_sums(job, w);
    for (int64_t row = 0; row < n; row += ROWS)
      for (int64_t column = 0; column < n; column += COLUMNS) {
        const tile t = tile_at(row, column, n);
        fill_tile(w, &t, true);
        add_to_sums(job, w, &t);
      }
    for (int64_t p = 0; p < job->batch; ++p)
      job->count[k] += w->sum[p] / pairs > job->average[k] + tolerance;
  }
}

/* Counts a batch of permutations, of which `begun` were before it. */
static void count_batch(simper *job, int64_t begun, int64_t permutations, gg_call *call) {
  assign_roles(job);
  memset(job->z, 0, (size_t)(BATCH * job->padded) * sizeof *job->z);
  gg_loop loop = {.threads = job->threads,
                  .count = (job->n + ROWS - 1) / ROWS,
                  .grain = 1,
                  .work = find_z,
                  .job = job,
                  .begun = (double)begun / (double)permutations};
  gg_call_loop(call, loop);
  loop.count = job->table.ncol;
  loop.work = count_species;
  loop.share = (double)job->batch / (double)permutations;
  gg_call_loop(call, loop);
}

gpugeo_status gg_simper_count(const gg_simper_plan *plan, const int32_t *order,
                              int64_t permutations, const double *averages, double *count,
                              gg_call *call) {
  simper job = {.plan = plan,
                .average = (double *)(uintptr_t)averages,
                .count = count,
                .order = order,
                .sums = GG_SIMD_CHOOSE(gg_simper_sums, gg_simper_sums)};
  begin(&job, call);
  for (int64_t k = 0; k < plan->x->ncol; ++k)
    count[k] = 0;
  for (int64_t p = 0; p < permutations && !call->status; p += BATCH) {
    job.batch = permutations - p < BATCH ? permutations - p : BATCH;
    job.order = order + p * job.n;
    count_batch(&job, p, permutations, call);
  }
  end(&job);
  return call->status;
}
