/* Edit distances of all pairs of texts, and neighbours: arguments, loops over texts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "sequences/edit_distance.h"
#include "sequences/edit_index.h"

GG_OPTIONS_INIT(dist_edit, .max = INFINITY, .missing = NAN)

#define MAX_ALLOWED "a number of at least 0"

static const gg_option option_rows[] = {
    {GG_OPTION("method", CHOICE, gpugeo_dist_edit_options, method),
     .choices = GPUGEO_ENUM_EDIT_METHOD},
    {GG_OPTION("useBytes", FLAG, gpugeo_dist_edit_options, use_bytes), .octave = "usebytes"},
    {GG_OPTION("max", NUMBER, gpugeo_dist_edit_options, max), .allowed = MAX_ALLOWED},
};

GG_DEFINE_OPTIONS(dist_edit, option_rows);

/* Neighbours that a thread has found: their distances and numbers in one. */
typedef struct found_list {
  uint64_t *keys;
  int64_t count, room;
  bool failed; /* there was no memory */
} found_list;

/* All that a call holds. */
typedef struct edit_job {
  const gpugeo_dist_edit_options *options;
  gg_alphabet alphabet;
  gg_text_codes x, second;
  const gg_text_codes *y; /* x or second */
  bool within;
  int32_t threads;
  gg_edit_pattern *patterns; /* of each thread */
  double *out;
  /* Neighbours. */
  gg_edit_index index;
  bool indexed;
  int32_t *seen;    /* of each thread, for each text of y, the last text of x that it was seen by */
  uint64_t *hashes; /* of each thread, longest + 1 */
  found_list *found; /* of each thread */
  int32_t *worker;   /* of each text of x: the thread that has found its neighbours, */
  int64_t *offset;   /* and where in its list */
  gpugeo_neighbors *neighbors;
} edit_job;

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the options. */
static gpugeo_status check_options(const gpugeo_dist_edit_options *options, gg_call *call) {
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_family(call->run, GG_FAMILY_SEQUENCES, call->error));
  if (call->status) return call->status;
  if (options->method < 0 || options->method >= GPUGEO_EDIT_METHOD_COUNT)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "method",
                                "method must be between 0 and %d, not %d",
                                GPUGEO_EDIT_METHOD_COUNT - 1, (int)options->method));
  if (options->max >= 0) return GPUGEO_OK;
  const gg_given given = gg_given_number(options->max);
  return GG_TRY(call, gg_fail_given(call->error, "max", MAX_ALLOWED, &given));
}

/* Reads the texts. */
static gpugeo_status read_texts(edit_job *job, const gpugeo_texts *x, const gpugeo_texts *y,
                                gg_call *call) {
  const bool use_bytes = job->options->use_bytes;
  check_options(job->options, call);
  gg_texts_check("x", x, call);
  if (y) gg_texts_check("y", y, call);
  gg_alphabet_make(&job->alphabet, call);
  if (!call->status) gg_text_codes_make(x, "x", use_bytes, &job->alphabet, &job->x, call);
  if (!call->status && y) gg_text_codes_make(y, "y", use_bytes, &job->alphabet, &job->second, call);
  job->within = !y;
  job->y = y ? &job->second : &job->x;
  return call->status;
}

/* Returns the work of a pair in 0.1 ns. */
static double pair_work(const edit_job *job) {
  const double x = (double)job->x.start[job->x.count] / ((double)job->x.count + 1);
  const double y = (double)job->y->start[job->y->count] / ((double)job->y->count + 1);
  return 50 + 40 * (x < y ? x : y) * (1 + (x < y ? y : x) / 64);
}

/* Returns the longest text. */
static int64_t longest_of(const edit_job *job) {
  return job->x.longest > job->y->longest ? job->x.longest : job->y->longest;
}

/* Chooses the number of threads for work in 0.1 ns, and makes the pattern of each. */
static gpugeo_status make_patterns(edit_job *job, double work, gg_call *call) {
  if (call->status) return call->status;
  const int64_t longest = longest_of(job);
  job->threads = gg_threads_for(call->run->threads, work);
  *call->report = gg_report_of(gg_host_backend(), -1, 1, job->threads);
  const double masks = ((double)longest / 64 + 1) * (8 * (double)job->alphabet.letters + 32);
  GG_TRY(call, gg_check_work(call->run, masks * job->threads, call->error, "texts of %lld letters",
                             (long long)longest));
  GG_TRY(call, gg_check_memory(masks * job->threads, "x", call->error, "texts of %lld letters need",
                               (long long)longest));
  job->patterns = call->status ? NULL : gg_allocate_zeros(job->threads, sizeof *job->patterns);
  if (!job->patterns) GG_TRY(call, gg_fail_memory(call->error, 80 * (int64_t)job->threads));
  for (int32_t t = 0; t < job->threads && !call->status; ++t) {
    gg_edit_pattern_make(&job->patterns[t], longest, job->alphabet.letters, call);
    job->patterns[t].method = job->options->method;
    job->patterns[t].most =
        job->options->max < INT32_MAX ? (int64_t)job->options->max : INT64_MAX / 4;
  }
  return call->status;
}

/* Frees all that a call holds. */
static void free_job(edit_job *job) {
  for (int32_t t = 0; job->patterns && t < job->threads; ++t)
    gg_edit_pattern_free(&job->patterns[t]);
  for (int32_t t = 0; job->found && t < job->threads; ++t)
    gg_free(job->found[t].keys);
  gg_free(job->patterns);
  gg_free(job->found);
  gg_free(job->seen);
  gg_free(job->hashes);
  gg_free(job->worker);
  gg_free(job->offset);
  gg_edit_index_free(&job->index);
  gg_text_codes_free(&job->x);
  gg_text_codes_free(&job->second);
  gg_free(job->alphabet.number);
}

/* Sets the pattern of a thread to a text. */
static gg_edit_pattern *set_pattern(const edit_job *job, int32_t worker, const gg_text_codes *texts,
                                    int64_t i) {
  gg_edit_pattern *pattern = &job->patterns[worker];
  gg_edit_pattern_set(pattern, texts->codes + texts->start[i], gg_text_length(texts, i));
  return pattern;
}

/* --- All pairs -------------------------------------------------------------------------------- */

/* Writes the distances of a text of y to those of x from `first` on. */
static void write_column(const edit_job *job, int64_t j, int64_t first, int32_t worker,
                         double *out) {
  const gg_text_codes *x = &job->x;
  gg_edit_pattern *pattern = set_pattern(job, worker, job->y, j);
  for (int64_t i = first; i < x->count; ++i, ++out) {
    const int64_t d = gg_edit_distance(pattern, x->codes + x->start[i], gg_text_length(x, i));
    *out = job->y->missing[j] || x->missing[i] ? job->options->missing
           : d < 0                             ? INFINITY
                                               : (double)d;
  }
}

/* Writes columns; the loop's work. */
static void write_columns(void *own, gg_range range) {
  const edit_job *job = own;
  const int64_t n = job->x.count;
  for (int64_t j = range.first; j < range.last; ++j)
    write_column(job, j, job->within ? j + 1 : 0, range.worker,
                 job->out + (job->within ? gg_condensed_column(n, j) : j * n));
}

gpugeo_status gpugeo_dist_edit(const gpugeo_texts *x, const gpugeo_texts *y,
                               const gpugeo_dist_edit_options *options, double *out,
                               gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_edit_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_edit_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  edit_job job = {.options = options, .out = out};
  if (!read_texts(&job, x, y, &call)) {
    const double pairs = (double)job.x.count * (double)job.y->count / (y ? 1 : 2);
    const double row = pair_work(&job) * (double)job.x.count;
    make_patterns(&job, pairs * pair_work(&job), &call);
    gg_call_loop(&call, (gg_loop){.threads = job.threads,
                                  .count = job.y->count,
                                  .grain = 1 + (int64_t)(1e6 / (row + 1)), /* 0.1 ms */
                                  .work = write_columns,
                                  .job = &job,
                                  .share = 1});
  }
  free_job(&job);
  return gg_call_end(&call);
}

/* --- Neighbours ------------------------------------------------------------------------------- */

/* A text whose neighbours are searched. */
typedef struct searched {
  const edit_job *job;
  int64_t i;
  int32_t worker;
} searched;

/* Adds a neighbour to a list. */
static void add_found(found_list *list, uint64_t key) {
  if (list->count == list->room) {
    const int64_t room = 2 * list->room + 1024;
    uint64_t *keys = gg_reallocate(list->keys, room, sizeof *keys);
    list->failed |= !keys;
    if (!keys) return;
    list->keys = keys;
    list->room = room;
  }
  list->keys[list->count++] = key;
}

/* Compares a text of y, and adds it if it is a neighbour. */
static void compare(const searched *s, int64_t j) {
  const gg_text_codes *y = s->job->y;
  if (y->missing[j] || (s->job->within && j == s->i)) return;
  const int64_t d =
      gg_edit_distance(&s->job->patterns[s->worker], y->codes + y->start[j], gg_text_length(y, j));
  if (d >= 0) add_found(&s->job->found[s->worker], (uint64_t)d << 32 | (uint64_t)j);
}

/* Compares a text that the index has found, unless it was seen before. */
static void compare_once(void *own, int32_t j) {
  const searched *s = own;
  int32_t *seen = s->job->seen + s->worker * s->job->y->count + j;
  if (*seen == (int32_t)s->i) return;
  *seen = (int32_t)s->i;
  compare(s, j);
}

/* Compares keys. */
static int compare_keys(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

/* Finds the neighbours of a text, and sorts them. */
static void find_neighbors(const edit_job *job, int64_t i, int32_t worker) {
  searched s = {job, i, worker};
  found_list *list = &job->found[worker];
  job->worker[i] = worker;
  job->offset[i] = list->count;
  if (!job->x.missing[i]) {
    const gg_edit_pattern *pattern = set_pattern(job, worker, &job->x, i);
    if (job->indexed)
      gg_edit_index_find(&job->index, pattern->codes, pattern->length,
                         job->hashes + worker * (longest_of(job) + 1), compare_once, &s);
    else
      for (int64_t j = 0; j < job->y->count; ++j)
        compare(&s, j);
  }
  const int64_t count = list->count - job->offset[i];
  job->neighbors->start[i + 1] = count;
  if (count > 1)
    qsort(list->keys + job->offset[i], (size_t)count, sizeof *list->keys, compare_keys);
}

/* Finds the neighbours of texts; the loop's work. */
static void search_texts(void *own, gg_range range) {
  const edit_job *job = own;
  for (int64_t i = range.first; i < range.last; ++i)
    find_neighbors(job, i, range.worker);
}

/* Copies the neighbours of texts; the loop's work. */
static void copy_neighbors(void *own, gg_range range) {
  const edit_job *job = own;
  for (int64_t i = range.first; i < range.last; ++i) {
    const uint64_t *from = job->found[job->worker[i]].keys + job->offset[i];
    for (int64_t e = job->neighbors->start[i]; e < job->neighbors->start[i + 1]; ++e, ++from) {
      job->neighbors->index[e] = (int32_t)(uint32_t)*from;
      job->neighbors->distance[e] = (double)(*from >> 32);
    }
  }
}

/* Returns the work of comparing a text with all others, in 0.1 ns, and decides whether texts are
   searched in an index: if it has few enough variants, and room. */
static double plan_search(edit_job *job, const gg_call *call) {
  const double pairs = (double)job->x.count * (double)job->y->count * pair_work(job);
  const double limit =
      call->run->work_bytes > 0 ? (double)call->run->work_bytes : gg_machine_memory() / 4;
  if (!(job->options->max <= GG_EDIT_INDEX_MOST)) return pairs;
  const int deletions = (int)job->options->max;
  const double variants = gg_edit_variants(job->y, deletions);
  const double lookups = job->within ? variants : gg_edit_variants(&job->x, deletions);
  const double work = 300 * variants + 1000 * lookups;
  job->indexed = work < pairs && gg_edit_index_bytes(variants) <= limit;
  return job->indexed ? work : pairs;
}

/* Allocates what the search needs. */
static gpugeo_status make_room(edit_job *job, gg_call *call) {
  const int64_t seen = job->indexed ? job->threads * job->y->count : 0;
  if (call->status) return call->status;
  job->found = gg_allocate_zeros(job->threads, sizeof *job->found);
  if (!job->found) GG_TRY(call, gg_fail_memory(call->error, 32 * (int64_t)job->threads));
  job->worker = gg_call_allocate(call, job->x.count + 1, sizeof *job->worker);
  job->offset = gg_call_allocate(call, job->x.count + 1, sizeof *job->offset);
  job->seen = gg_call_allocate(call, seen + 1, sizeof *job->seen);
  job->hashes = gg_call_allocate(call, job->threads * (longest_of(job) + 1), sizeof *job->hashes);
  job->neighbors->start = gg_call_allocate(call, job->x.count + 1, sizeof(int64_t));
  if (call->status) return call->status;
  memset(job->seen, 0xFF, (size_t)seen * sizeof *job->seen);
  job->neighbors->start[0] = 0;
  if (job->indexed) gg_edit_index_make(&job->index, job->y, (int)job->options->max, call);
  return call->status;
}

/* Allocates the lists of neighbours, whose lengths are known. */
static gpugeo_status allocate_lists(edit_job *job, gg_call *call) {
  gpugeo_neighbors *lists = job->neighbors;
  if (call->status) return call->status;
  for (int32_t t = 0; t < job->threads; ++t)
    if (job->found[t].failed)
      return GG_TRY(call, gg_fail_memory(call->error, 16 * job->found[t].room));
  for (int64_t i = 0; i < lists->points; ++i)
    lists->start[i + 1] += lists->start[i];
  const int64_t total = lists->start[lists->points];
  GG_TRY(call, gg_check_result(2 * (double)total, GPUGEO_TYPE_DOUBLE, 0, call->error));
  lists->index = gg_call_allocate(call, total + 1, sizeof *lists->index);
  lists->distance = gg_call_allocate(call, total + 1, sizeof *lists->distance);
  return call->status;
}

/* Runs a loop over the texts of x. */
static gpugeo_status for_texts(edit_job *job, void (*work)(void *own, gg_range range), double begun,
                               gg_call *call) {
  if (call->status) return call->status;
  return gg_call_loop(call, (gg_loop){.threads = job->threads,
                                      .count = job->x.count,
                                      .grain = job->indexed ? 64 : 1,
                                      .work = work,
                                      .job = job,
                                      .begun = begun,
                                      .share = (1 - begun) / 2});
}

gpugeo_status gpugeo_edit_neighbors(const gpugeo_texts *x, const gpugeo_texts *y,
                                    const gpugeo_dist_edit_options *options,
                                    gpugeo_neighbors *neighbors, gpugeo_report *report,
                                    gpugeo_error *error) {
  gpugeo_dist_edit_options taken;
  *neighbors = (gpugeo_neighbors){0};
  gpugeo_status status = GG_OPTIONS_TAKE(dist_edit_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  edit_job job = {.options = options, .neighbors = neighbors};
  if (!read_texts(&job, x, y, &call)) {
    neighbors->points = job.x.count;
    make_patterns(&job, plan_search(&job, &call), &call);
    make_room(&job, &call);
    for_texts(&job, search_texts, 0, &call);
    allocate_lists(&job, &call);
    for_texts(&job, copy_neighbors, 0.5, &call);
  }
  free_job(&job);
  if (call.status) {
    gg_free(neighbors->start);
    gg_free(neighbors->index);
    gg_free(neighbors->distance);
    *neighbors = (gpugeo_neighbors){.points = 0};
  }
  return gg_call_end(&call);
}
