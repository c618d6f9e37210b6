/* The steps of metric_step.h and the preparations of metric_prepare.h, by name. */
#ifndef GG_DIST_NAMES_H
#define GG_DIST_NAMES_H

/* All steps: X(name, number of sums). The last group exists for doubles only. */
#define GG_STEPS_ANY(X)                                                                            \
  X(euclidean, 1)                                                                                  \
  X(euclidean_missing, 2)                                                                          \
  X(seuclidean, 1)                                                                                 \
  X(seuclidean_missing, 2)                                                                         \
  X(manhattan, 1)                                                                                  \
  X(manhattan_missing, 2)                                                                          \
  X(maximum, 1)                                                                                    \
  X(maximum_missing, 1)                                                                            \
  X(canberra, 4)                                                                                   \
  X(binary, 2)                                                                                     \
  X(binary_missing, 3)                                                                             \
  X(braycurtis, 2)                                                                                 \
  X(braycurtis_missing, 2)                                                                         \
  X(hamming, 1)                                                                                    \
  X(hamming_missing, 2)                                                                            \
  X(jaccard, 2)                                                                                    \
  X(jaccard_missing, 2)                                                                            \
  X(gower, 2)                                                                                      \
  X(product, 1)                                                                                    \
  X(cosine_missing, 3)                                                                             \
  X(correlation_missing, 8)
#define GG_STEPS_DOUBLE(X)                                                                         \
  X(halves, 1)                                                                                     \
  X(halves_missing, 2)                                                                             \
  X(power, 1)                                                                                      \
  X(power_missing, 2)                                                                              \
  X(kulczynski, 4)                                                                                 \
  X(clark, 3)                                                                                      \
  X(altgower, 3)                                                                                   \
  X(overlap, 6)                                                                                    \
  X(incidence, 4)                                                                                  \
  X(binomial, 2)                                                                                   \
  X(chao, 11)                                                                                      \
  X(cao, 3)                                                                                        \
  X(squared_chord, 2)                                                                              \
  X(wave_hedges, 2)                                                                                \
  X(lorentzian, 2)                                                                                 \
  X(soergel, 3)                                                                                    \
  X(topsoe, 2)                                                                                     \
  X(jeffreys, 2)                                                                                   \
  X(bhattacharyya, 2)

/* Steps that change no sum where both coordinates are 0 (JOIN |), or where one of them is and the
   other is finite (JOIN &): X(name, number of sums, JOIN), in two groups as above. */
#define GG_STEPS_MARKED_ANY(X)                                                                     \
  X(euclidean, 1, |)                                                                               \
  X(seuclidean, 1, |)                                                                              \
  X(manhattan, 1, |)                                                                               \
  X(maximum, 1, |)                                                                                 \
  X(binary, 2, |)                                                                                  \
  X(braycurtis, 2, |)                                                                              \
  X(hamming, 1, |)                                                                                 \
  X(jaccard, 2, |)                                                                                 \
  X(product, 1, &)
#define GG_STEPS_MARKED_DOUBLE(X)                                                                  \
  X(halves, 1, |)                                                                                  \
  X(power, 1, |)                                                                                   \
  X(kulczynski, 4, |)                                                                              \
  X(clark, 3, |)                                                                                   \
  X(altgower, 3, |)                                                                                \
  X(overlap, 6, |)                                                                                 \
  X(incidence, 4, |)                                                                               \
  X(binomial, 2, |)                                                                                \
  X(chao, 11, |)                                                                                   \
  X(cao, 3, |)                                                                                     \
  X(squared_chord, 2, |)                                                                           \
  X(wave_hedges, 2, |)                                                                             \
  X(lorentzian, 2, |)                                                                              \
  X(soergel, 3, |)                                                                                 \
  X(topsoe, 2, |)                                                                                  \
  X(jeffreys, 2, |)                                                                                \
  X(bhattacharyya, 2, |)

#define GG_STEP_NAME(name, sums) GG_STEP_##name,
typedef enum gg_step {
  GG_STEPS_ANY(GG_STEP_NAME) GG_STEPS_DOUBLE(GG_STEP_NAME) GG_STEP_COUNT
} gg_step;
#undef GG_STEP_NAME

/* Flags for finish(). */
enum {
  GG_FINISH_SQUARED = 1,    /* leave the root out */
  GG_FINISH_SIMILARITY = 2, /* the correlation itself, not one minus it */
  GG_FINISH_PROPAGATE = 4, /* for the plan: one missing coordinate makes all of a point's missing */
  GG_FINISH_COVARIANCE = 8,   /* step correlation_missing: a covariance, divided by n - 1, */
  GG_FINISH_POPULATION = 16,  /* or by n, */
  GG_FINISH_MATLAB = 32,      /* or by n - 1, but by 1 for n = 1 */
  GG_FINISH_COUNTS = 64,      /* step overlap: of individuals, Morisita's index */
  GG_FINISH_MOTYKA = 128,     /* step soergel */
  GG_FINISH_HALF = 256,       /* step topsoe: half of it, */
  GG_FINISH_ROOT = 512,       /* and the root of this */
  GG_FINISH_MOUNTFORD = 1024, /* step incidence, which measure: one of these, */
  GG_FINISH_RAUP = 2048,
  GG_FINISH_OCHIAI = 4096,
  GG_FINISH_SIMPSON = 8192 /* or Sorensen's without a flag */
};

/* The steps halves take p = 1/2, 1, 3/2, ..., GG_HALVES_MOST. */
enum { GG_HALVES_MOST = 8 };

/* What is done to each point before the pairs. */
typedef enum gg_prepare {
  GG_PREPARE_NOTHING = 0,
  GG_PREPARE_BINARY,    /* 0, 1, or NaN for what is not finite */
  GG_PREPARE_MAGNITUDE, /* divided by a power of two, so no square overflows */
  GG_PREPARE_UNIT,      /* scaled to length 1; all NaN where the length is 0 or not finite */
  GG_PREPARE_CENTRED,   /* centred, then scaled to length 1; all NaN where that can't be */
  GG_PREPARE_WHITENED,  /* L^-1 (x - centre) for the Cholesky factor L of a covariance */
  GG_PREPARE_SCALED     /* each coordinate (x - centre) / factor */
} gg_prepare;

#endif
