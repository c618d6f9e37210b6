#include "common/thread_flags.h"

#include <pthread.h>
#include <stdint.h>

static pthread_key_t key;
static bool has_key;

/* Creates the key of the flags; has_key is false if the system has none left. */
static void make_key(void) { has_key = pthread_key_create(&key, NULL) == 0; }

/* Returns the flags of the calling thread, which are the pointer itself; without a key there are
   none. */
static uintptr_t flags_of_thread(void) {
  static pthread_once_t made = PTHREAD_ONCE_INIT;
  pthread_once(&made, make_key);
  return has_key ? (uintptr_t)pthread_getspecific(key) : 0;
}

bool gg_thread_is(gg_thread_flag flag) { return flags_of_thread() & (uintptr_t)flag; }

bool gg_thread_set(gg_thread_flag flag, bool value) {
  const uintptr_t flags = flags_of_thread(), bit = (uintptr_t)flag;
  return has_key && !pthread_setspecific(key, (void *)(value ? flags | bit : flags & ~bit));
}
