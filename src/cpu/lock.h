/* A lock that one thread of a team holds at a time; nothing where there are no teams. */
#ifndef GG_CPU_LOCK_H
#define GG_CPU_LOCK_H

#if defined(_OPENMP)

#include <omp.h>

typedef omp_lock_t gg_lock;
static inline void gg_lock_make(gg_lock *lock) { omp_init_lock(lock); }
static inline void gg_lock_free(gg_lock *lock) { omp_destroy_lock(lock); }
static inline void gg_lock_take(gg_lock *lock) { omp_set_lock(lock); }
static inline void gg_lock_give(gg_lock *lock) { omp_unset_lock(lock); }

#else

typedef char gg_lock;
static inline void gg_lock_make(gg_lock *lock) { *lock = 0; }
static inline void gg_lock_free(gg_lock *lock) { (void)lock; }
static inline void gg_lock_take(gg_lock *lock) { (void)lock; }
static inline void gg_lock_give(gg_lock *lock) { (void)lock; }

#endif

#endif
