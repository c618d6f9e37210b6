/* Squared distances between points and centres, for each instruction set. */
#ifndef GG_KMEANS_KERNELS_H
#define GG_KMEANS_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

enum {
  GG_KMEANS_BLOCK = 64, /* points of a block: 25 KB with 50 coordinates, in the first-level cache */
  GG_KMEANS_PAD = 8     /* lanes of the widest instructions: centres side by side are a multiple */
};

/* A block of points side by side, and the centres. Points beyond the last one may be anything. */
typedef struct gg_kmeans_block {
  int64_t p, k;
  const double *center; /* k times p coordinates, one centre after the other */
  const double *point;  /* p by GG_KMEANS_BLOCK: a row for each coordinate */
  /* Of each point, GG_KMEANS_BLOCK: the squared distances from the two nearest centres, and the
     numbers of these, the first of several at the same distance. Distances that are NaN are never
     the smallest. Without a second centre the distance is infinite. */
  double *best, *next, *nearest, *second;
  const double *half; /* for `estimate`: half of the squared length of each centre */
  double *squares;    /* set by it: the squared length of each point */
} gg_kmeans_block;

/* The functions for an instruction set. The squares of differences are added in the order of
   coordinates, each sum rounded: all sets give the same bits. */
typedef struct gg_kmeans_kernels {
  /* Finds the two nearest centres of a block of points. */
  void (*nearest)(const gg_kmeans_block *block);
  /* Does nearly the same by half[l] - x c, which is half of the squared distance less half of the
     squared length of the point x. An estimate has an error of at most (p + 8) 2^-52 times
     (|x| + |c|)^2; its bits depend on the instruction set. */
  void (*estimate)(const gg_kmeans_block *block);
  /* Writes the squared distances of a point from `count` others, whose coordinates j are
     other[j stride], ..., other[j stride + count - 1]. */
  void (*squares)(const double *point, int64_t p, const double *other, int64_t stride,
                  int64_t count, double *out);
} gg_kmeans_kernels;

extern const gg_kmeans_kernels GG_SIMD_FORMS(gg_kmeans_kernels);

#endif
