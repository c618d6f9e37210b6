/*
 * Reads and writes of numbers that several threads of a team share, in relaxed order. What one
 * thread leaves for another is ordered by the beginning and the end of gg_parallel_for(), or by a
 * gg_lock.
 */
#ifndef GG_ATOMIC_H
#define GG_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* For whole numbers and bool. */
#define gg_atomic_load(from)       __atomic_load_n((from), __ATOMIC_RELAXED)
#define gg_atomic_store(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)

/* Adds to a number and returns its previous value. */
#define gg_atomic_add(to, value)   __atomic_fetch_add((to), (value), __ATOMIC_RELAXED)
#define gg_atomic_or(to, value)    __atomic_fetch_or((to), (value), __ATOMIC_RELAXED)

/* Replaces the value by another one if it equals *expected and returns true. Otherwise copies
   the value to *expected and returns false; this may happen although they are equal. */
#define gg_atomic_replace(value, expected, by)                                                     \
  __atomic_compare_exchange_n((value), (expected), (by), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

/* Returns a number that other threads may be writing. */
static inline double gg_atomic_load_double(const double *from) {
  double value;
  __atomic_load(from, &value, __ATOMIC_RELAXED);
  return value;
}

/* Replaces *value if it is *expected, and returns true; else *expected becomes *value. May fail
   without a reason, so call it in a loop. */
static inline bool gg_atomic_replace_double(double *value, double *expected, double by) {
  return __atomic_compare_exchange(value, expected, &by, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Writes a number that other threads may be reading. */
static inline void gg_atomic_store_double(double *to, double value) {
  __atomic_store(to, &value, __ATOMIC_RELAXED);
}

#endif
