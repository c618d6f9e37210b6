/* The harness of the C tests: counts checks, shows the first failures, and ends with the counts. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>

#include "common/platform.h"

/* Counts one check. A failed one is shown with its file and line and what the printf arguments say
   of it; after 20 failures the rest is only counted. Returns the condition. */
#define CHECK(condition, ...) check((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

#ifndef __has_feature /* gcc before 14 */
#define __has_feature(feature) 0
#endif

/* True under AddressSanitizer. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define CHECK_ADDRESS true
#else
#define CHECK_ADDRESS false
#endif

/* True if the longest tests take the smaller of two sizes: under ThreadSanitizer, which makes the
   code 5 to 30 times slower; with -DCHECK_SMALL=true, for emulators and other sanitizers; and with
   GPUGEO_TEST_SIZE=small or least in the environment, for compute-sanitizer (tools/sanitize). */
#ifdef CHECK_SMALL
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define CHECK_SMALL true
#else
#define CHECK_SMALL check_size_is_small()
#endif

/* True if GPUGEO_TEST_SIZE is "small" or "least". The environment is read once. */
bool check_size_is_small(void);

/* True if a loop over cases on a GPU shall leave out this one: with small sizes, all calls in a
   program but every nth, or with "least" every 11 nth. A prime meets all variants of a case in
   turn. */
bool check_leaves_out(int nth);

GG_PRINTF(5, 6)
bool check(bool condition, const char *file, int line, const char *text, const char *format, ...);

/* Counts checks that this machine can't make, and says why: never silently. */
GG_PRINTF(2, 3) void check_skip(int count, const char *format, ...);

/* Prints "N passed, N failed, N skipped" and returns main's exit status. A program that has checked
   nothing has failed. */
int check_end(void);

#endif
