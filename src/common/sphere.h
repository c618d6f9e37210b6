/*
 * Great circles: the arithmetic of two points on a sphere, written once for C and CUDA, so
 * both give the same bits. Compile without contraction.
 *
 * A point is longitude, latitude and the cosine of the latitude (gg_sphere_point()). Two points are
 * compared by the square of half the chord of the unit sphere (gg_sphere_haversine()), and their
 * distance follows from it on the host (gg_sphere_distance()).
 */
#ifndef GG_SPHERE_H
#define GG_SPHERE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define GG_SPHERE static __host__ __device__ __forceinline__
#else
#define GG_SPHERE static inline
#endif

/* The default radius of a sphere: the Earth's mean radius in metres. */
#define GG_EARTH_RADIUS 6371008.8

/* Returns the sine of x degrees, 0 <= x <= 90: the Taylor series of the sine up to 45 and of the
   cosine of the rest, cut where a term is below 2^-60 of the sum; error below 2 ulp, sin(0) = 0
   and sin(90) = 1. */
GG_SPHERE double gg_sine_degrees(double x) {
  const double radian = 0x1.1df46a2529d39p-6; /* pi / 180 */
  const bool far = x > 45;
  const double t = (far ? 90 - x : x) * radian, z = t * t;
  if (far) {
    double c = 1.0 / 20922789888000;
    c = fma(c, z, -1.0 / 87178291200);
    c = fma(c, z, 1.0 / 479001600);
    c = fma(c, z, -1.0 / 3628800);
    c = fma(c, z, 1.0 / 40320);
    c = fma(c, z, -1.0 / 720);
    c = fma(c, z, 1.0 / 24);
    c = fma(c, z, -0.5);
    return fma(c, z, 1.0);
  }
  double s = 1.0 / 355687428096000;
  s = fma(s, z, -1.0 / 1307674368000);
  s = fma(s, z, 1.0 / 6227020800);
  s = fma(s, z, -1.0 / 39916800);
  s = fma(s, z, 1.0 / 362880);
  s = fma(s, z, -1.0 / 5040);
  s = fma(s, z, 1.0 / 120);
  s = fma(s, z, -1.0 / 6);
  return fma(s * z, t, t);
}

/* Turns longitude in [-180, 360] and latitude in [-90, 90], in degrees, into a point: the
   longitude in (-180, 180], exactly, and 0 at a pole, so equal locations are equal points. */
GG_SPHERE void gg_sphere_point(double longitude, double latitude, double *point) {
  if (longitude > 180) longitude -= 360;
  if (longitude == -180) longitude = 180;
  point[0] = fabs(latitude) == 90 ? 0 : longitude;
  point[1] = latitude;
  point[2] = gg_sine_degrees(90 - fabs(latitude));
}

/* Computes the point on the unit sphere, for grids and bounds: the error of each coordinate is
   at most 2^-51, and that of a chord between two of them at most 2^-48. */
GG_SPHERE void gg_sphere_unit(const double *point, double *unit) {
  const double turned = fabs(point[0]);
  const double sine = gg_sine_degrees(turned > 90 ? 180 - turned : turned);
  const double cosine = turned > 90 ? -gg_sine_degrees(turned - 90) : gg_sine_degrees(90 - turned);
  const double height = gg_sine_degrees(fabs(point[1]));
  unit[0] = point[2] * cosine;
  unit[1] = point[2] * (point[0] < 0 ? -sine : sine);
  unit[2] = point[1] < 0 ? -height : height;
}

/* Returns sin^2(angle / 2) by the haversine formula, which is half the chord, squared. Relative
   error below 2^-48 of the exact one, for the differences of the given degrees. */
GG_SPHERE double gg_sphere_haversine(const double *a, const double *b) {
  double east = fabs(a[0] - b[0]);
  if (east > 180) east = 360 - east;
  const double u = gg_sine_degrees(fabs(a[1] - b[1]) / 2), v = gg_sine_degrees(east / 2);
  const double h = fma(v * v, a[2] * b[2], u * u);
  return h < 1 ? h : 1;
}

/* Returns the distance on a sphere of two points with that haversine. */
static inline double gg_sphere_distance(double radius, double haversine) {
  return 2 * (radius * asin(sqrt(haversine)));
}

/*
 * Returns the square of a chord of the unit sphere: points whose gg_sphere_distance() is at most
 * `distance` have units (gg_sphere_unit()) with a squared Euclidean distance, computed in double,
 * of at most this.
 *
 * The distance has a relative error below 2^-49, so the angle is below (1 + 2^-48) distance /
 * radius if the haversine is exact. The chord of a haversine h is 2 sqrt(h), with the relative
 * error 2^-49 of h's own rounding and an absolute one of 2^-50, because differences of longitudes
 * near 360 degrees are rounded by up to 2^-45 degrees. The chord of the units is longer by 2^-48 at
 * most. Radii below 2^-900, for which distances may have lost bits to underflow, have no bound.
 */
static inline double gg_sphere_chord_limit(double radius, double distance) {
  const double half = 0.5 * (distance / radius) * (1 + 0x1p-47);
  if (!(half < 1.5) || radius < 0x1p-900) return INFINITY;
  const double chord = 2 * sin(half) * (1 + 0x1p-44) + 0x1p-45;
  return chord * chord * (1 + 0x1p-50);
}

/* Returns a chord of the unit sphere: points whose units have at most that distance have a
   gg_sphere_distance() of at most `distance`, by the same bounds. Negative: it cannot be known. */
static inline double gg_sphere_sure_chord(double radius, double distance) {
  const double half = 0.5 * (distance / radius) * (1 - 0x1p-47);
  if (radius < 0x1p-900 || isnan(half)) return -1;
  return 2 * sin(half < 1.5 ? half : 1.5) * (1 - 0x1p-44) - 0x1p-45;
}

#endif
