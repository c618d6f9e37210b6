/* Sites of aligned sequences as bits, 64 sites a word, and what is known of all sequences. */
#ifndef GG_SITE_PLANES_H
#define GG_SITE_PLANES_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

/* What the bits of a site are. */
typedef enum gg_plane {
  GG_PLANE_HIGH,  /* bases: pyrimidines, C and T; gaps: gaps */
  GG_PLANE_LOW,   /* bases: G and T; gaps: none */
  GG_PLANE_KNOWN, /* bases: known ones; gaps: none */
  GG_PLANES
} gg_plane;

/* Planes have an odd multiple of so many words, a cache line, so that neither the planes nor the
   sequences compete for the same lines of a cache. */
enum { GG_PLANE_WORDS = 8 };

/* Sequence i has GG_PLANES times `words` words from bits + i * GG_PLANES * words on, a plane after
   the other. Bits of sites that are not known, and behind the last site, are 0. */
typedef struct gg_site_planes {
  int64_t count, words;
  int64_t sites; /* that were kept */
  uint64_t *bits;
} gg_site_planes;

/* Aligned sequences: code k of sequence i is codes[i * next + k * step]. All is borrowed. */
typedef struct gg_alignment {
  int64_t count, sites;
  const uint8_t *codes;
  int64_t next, step;
} gg_alignment;

/* What the sites of all sequences have in common. */
typedef struct gg_site_facts {
  int64_t bases[4]; /* numbers of A, C, G and T */
  int64_t *kept;    /* the sites at which all bases are known, in ascending order; owned */
  int64_t kept_count;
} gg_site_facts;

/* Finds the facts; free with gg_free(facts->kept). */
gpugeo_status gg_site_facts_find(const gg_alignment *x, int32_t threads, gg_site_facts *facts,
                                 gg_call *call);

/* Packs the sites that `kept` lists, NULL: all, as bases or as gaps. Free with
   gg_free(planes->bits). */
gpugeo_status gg_site_planes_make(const gg_alignment *x, const gg_site_facts *kept, bool gaps,
                                  int32_t threads, gg_site_planes *planes, gg_call *call);

/* Packs all sites: those with one of four codes are known, and their other bits are the number of
   the code. Free with gg_free(planes->bits). */
gpugeo_status gg_site_planes_of_codes(const gg_alignment *x, const uint8_t codes[4],
                                      int32_t threads, gg_site_planes *planes, gg_call *call);

/* Returns the words of a plane of so many sites. */
int64_t gg_site_planes_words(int64_t sites);

/* Returns the bytes of planes of so many sequences and sites. */
double gg_site_planes_bytes(int64_t count, int64_t sites);

/* Returns the words of a sequence. */
static inline const uint64_t *gg_site_planes_of(const gg_site_planes *planes, int64_t sequence) {
  return planes->bits + sequence * GG_PLANES * planes->words;
}

#endif
