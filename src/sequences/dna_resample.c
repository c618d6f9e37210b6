/*
 * Distances of drawn sites. A draw of sites is a draw of columns of bits, which are transposed back
 * to planes, 64 sites of 64 sequences at a time. A draw of n sequences of L sites reads and writes
 * 3 n L / 64 words; its planes then take the way of every other alignment.
 */
#include "sequences/dna_resample.h"

#include <string.h>

#include "common/memory.h"
#include "sequences/dna_codes.h"

enum { RANGE_SITES = 1 << 10 }; /* whose counts are in the first cache */

/* Counts the bases of a range of sites; the loop's work. */
static void count_bases(void *job, gg_range range) {
  static const uint8_t code[] = {GG_CODE_A, GG_CODE_C, GG_CODE_G, GG_CODE_T};
  const gg_dna_resample *r = job;
  const gg_alignment *x = &r->job->x;
  for (int64_t i = 0; i < x->count; ++i)
    for (int64_t k = range.first; k < range.last; ++k)
      for (int b = 0; b < 4; ++b)
        r->bases[4 * k + b] += x->codes[i * x->next + k * x->step] == code[b];
}

/* Counts the bases of each site if the formula needs them. */
static gpugeo_status find_bases(gg_dna_resample *r, gg_call *call) {
  const int64_t sites = r->job->x.sites;
  if (!r->job->formula->bases || r->job->options->base_freq) return call->status;
  r->bases = gg_call_allocate(call, 4 * sites + 1, sizeof *r->bases);
  if (!r->bases) return call->status;
  memset(r->bases, 0, (size_t)(4 * sites) * sizeof *r->bases);
  const gg_loop loop = {.threads = r->job->threads,
                        .count = sites,
                        .grain = RANGE_SITES,
                        .work = count_bases,
                        .job = r};
  return gg_call_loop(call, loop);
}

/* Numbers the columns of the sites. */
static void number_columns(gg_dna_resample *r) {
  const gg_dna_job *job = r->job;
  for (int64_t k = 0; k < job->x.sites; ++k)
    r->column[k] = job->kept ? -1 : (int32_t)k;
  for (int64_t k = 0; job->kept && k < job->planes.sites; ++k)
    r->column[job->kept[k]] = (int32_t)k;
}

double gg_dna_resample_bytes(int64_t count, int64_t sites) {
  return gg_site_columns_bytes(count, sites) + gg_site_planes_bytes(count, sites) +
         24 * (double)sites;
}

gpugeo_status gg_dna_resample_make(gg_dna_resample *r, const gg_dna_job *job, gg_call *call) {
  *r = (gg_dna_resample){.job = job};
  const int64_t sites = job->x.sites, words = gg_site_planes_words(sites);
  gg_site_columns_make(&job->planes, job->threads, &r->columns, call);
  r->planes.bits =
      gg_call_allocate(call, job->x.count * GG_PLANES * words + 1, sizeof *r->planes.bits);
  r->column = gg_call_allocate(call, sites + 1, sizeof *r->column);
  r->drawn = gg_call_allocate(call, sites + 1, sizeof *r->drawn);
  if (!call->status) number_columns(r);
  return find_bases(r, call);
}

void gg_dna_resample_free(gg_dna_resample *r) {
  gg_free(r->columns.bits);
  gg_free(r->planes.bits);
  gg_free(r->bases);
  gg_free(r->column);
  gg_free(r->drawn);
}

/* Lists the columns of sites that were drawn, and adds up their bases. */
static void list_columns(gg_dna_resample *r, const int32_t *sites, int64_t bases[4]) {
  r->planes.sites = 0;
  for (int64_t k = 0; k < r->job->x.sites; ++k) {
    const int32_t column = r->column[sites[k]];
    if (column >= 0) r->drawn[r->planes.sites++] = column;
    for (int b = 0; r->bases && b < 4; ++b)
      bases[b] += r->bases[4 * (int64_t)sites[k] + b];
  }
}

gpugeo_status gg_dna_resample_distances(gg_dna_resample *r, const int32_t *sites,
                                        const int32_t *place, double *out, gg_call *call) {
  int64_t bases[4] = {0};
  list_columns(r, sites, bases);
  if (gg_site_columns_draw(&r->columns, r->drawn, place, &r->planes, call)) return call->status;
  gg_dna_job job = *r->job;
  job.planes = r->planes;
  job.kept = NULL;
  job.gaps = (gg_gap_blocks){0};
  job.gc = NULL;
  job.out = out;
  gg_dna_job_set_bases(&job, bases);
  gg_dna_job_compute(&job, call);
  job.planes.bits = NULL; /* those of r */
  gg_dna_job_close(&job);
  return call->status;
}
