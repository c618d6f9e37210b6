/*
 * Reads and writes of numbers that several threads of a team share. They are relaxed: they order
 * nothing else. What one thread leaves for another is ordered by the beginning and the end of
 * gg_parallel_for(), or by a gg_lock.
 */
#ifndef GG_ATOMIC_H
#define GG_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* For whole numbers and bool. */
#define gg_atomic_load(from)       __atomic_load_n((from), __ATOMIC_RELAXED)
#define gg_atomic_store(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)

/* Returns the value before. */
#define gg_atomic_add(to, value)   __atomic_fetch_add((to), (value), __ATOMIC_RELAXED)
#define gg_atomic_or(to, value)    __atomic_fetch_or((to), (value), __ATOMIC_RELAXED)

static inline double gg_atomic_load_double(const double *from) {
  double value;
  __atomic_load(from, &value, __ATOMIC_RELAXED);
  return value;
}

static inline void gg_atomic_store_double(double *to, double value) {
  __atomic_store(to, &value, __ATOMIC_RELAXED);
}

#endif
