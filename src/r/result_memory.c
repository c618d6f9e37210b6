/*
 * Memory of large results, which is kept for later ones.
 *
 * Limit: the first touch of a page. The kernel clears it, and in a virtual machine the host may have
 * to find it first. For 2.3 GB this takes longer than computing the distances and copying them from
 * a GPU. R returns the memory of each freed vector to the system; a block here keeps its pages.
 *
 * R does not count these vectors when it decides when to collect garbage. The total size of all
 * blocks is therefore limited, and R is made to collect before a block is added.
 */
#define _GNU_SOURCE /* dladdr() */
#include "result_memory.h"

#include <R_ext/Rallocators.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "context.h"
#include "memory.h"

enum { MOST_BLOCKS = 64 };
/* Smaller results are R's own: malloc() keeps up to 32 MiB itself. */
static const size_t LEAST_BYTES = (size_t)32 << 20;
static const size_t HUGE_PAGE = (size_t)2 << 20;

typedef struct block {
  char *start;
  size_t bytes; /* whole huge pages */
  bool used;
} block;

static block blocks[MOST_BLOCKS]; /* by the time of their last use */
static int count;

static size_t bytes_of_all(void) {
  size_t sum = 0;
  for (int i = 0; i < count; ++i)
    sum += blocks[i].bytes;
  return sum;
}

static size_t bytes_of_free(void) {
  size_t sum = 0;
  for (int i = 0; i < count; ++i)
    if (!blocks[i].used) sum += blocks[i].bytes;
  return sum;
}

static void remove_block(int i) {
  munmap(blocks[i].start, blocks[i].bytes);
  --count;
  for (; i < count; ++i)
    blocks[i] = blocks[i + 1];
}

static void remove_oldest_free(void) {
  for (int i = 0; i < count; ++i)
    if (!blocks[i].used) return remove_block(i);
}

void gg_r_result_release(void) {
  while (bytes_of_free() > 0)
    remove_oldest_free();
}

/* Returns the limit of all blocks in bytes: a quarter of the machine's memory, or
   GPUGEO_RESULT_MEMORY in GiB; 0 where address space is limited, since R could not take kept memory
   back. */
static double limit(void) {
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur != RLIM_INFINITY) return 0;
  const char *set = getenv("GPUGEO_RESULT_MEMORY");
  return set && *set ? strtod(set, NULL) * 1073741824.0 : gg_machine_memory() / 4;
}

/* Adds a block that begins with a huge page. Returns false if there is no memory. */
static bool add_block(size_t bytes) {
  char *start =
      mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return false;
  const size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
  if (before) munmap(start, before);
  munmap(start + before + bytes, HUGE_PAGE - before);
  if (!getenv("GG_EXP_SMALL")) gg_prefer_huge_pages(start + before, (int64_t)bytes);
  blocks[count++] = (block){start + before, bytes, false};
  return true;
}

/* Returns the smallest free block of at least so many bytes and at most a quarter more, or -1. */
static int find_free(size_t bytes) {
  int best = -1;
  for (int i = 0; i < count; ++i)
    if (!blocks[i].used && blocks[i].bytes >= bytes && blocks[i].bytes - bytes <= bytes / 4 &&
        (best < 0 || blocks[i].bytes < blocks[best].bytes))
      best = i;
  return best;
}

/* Makes room for a new block: free blocks go until the limit holds. */
static bool make_block(size_t bytes) {
  const double most = limit();
  while (bytes_of_free() > 0 &&
         (count == MOST_BLOCKS || (double)(bytes_of_all() + bytes) > most))
    remove_oldest_free();
  if (count == MOST_BLOCKS) return false;
  if (add_block(bytes)) return true;
  gg_r_result_release();
  return add_block(bytes);
}

extern int gg_exp_pin(void *, size_t) __attribute__((weak));

/* data: true once R has collected garbage. NULL the first time makes R do so and ask again. */
static void *take(R_allocator_t *allocator, size_t bytes) {
  bool *collected = allocator->data;
  const size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  int found = find_free(whole);
  if (found < 0 && !*collected && bytes_of_all() > 0) {
    *collected = true;
    return NULL;
  }
  const bool reused = found >= 0;
  if (found < 0 && make_block(whole)) found = count - 1;
  if (found < 0) return NULL;
  const char *pin = getenv("GG_EXP_PIN");
  if (pin && (reused || *pin == '2')) gg_exp_pin(blocks[found].start, blocks[found].bytes);
  blocks[found].used = true;
  return blocks[found].start;
}

/* The pages stay until the kernel needs them. */
static void give(R_allocator_t *allocator, void *memory) {
  (void)allocator;
  int i = 0;
  while (i < count && blocks[i].start != memory)
    ++i;
  block freed = blocks[i];
  for (; i + 1 < count; ++i)
    blocks[i] = blocks[i + 1];
  freed.used = false;
  blocks[i] = freed;
#if defined(MADV_FREE)
  if (!getenv("GG_EXP_NOFREE")) (void)madvise(freed.start, freed.bytes, MADV_FREE);
#endif
}

/* Keeps this library in memory until the process ends, since R calls give() for vectors that live
   longer than the package is loaded. */
static bool stay_loaded(void) {
  static bool done;
  Dl_info here;
  if (!done && dladdr((void *)(uintptr_t)stay_loaded, &here))
    done = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != NULL;
  return done;
}

static size_t size_of(SEXPTYPE type) { return type == REALSXP ? sizeof(double) : sizeof(int); }

SEXP gg_r_result(SEXPTYPE type, R_xlen_t length) {
  const size_t bytes = (size_t)length * size_of(type);
  const double used = (double)(bytes_of_all() - bytes_of_free());
  if (getenv("GG_EXP_OFF") || bytes < LEAST_BYTES || used + (double)bytes > limit() || !stay_loaded())
    return Rf_allocVector(type, length);
  bool collected = false;
  R_allocator_t allocator = {take, give, NULL, &collected};
  return Rf_allocVector3(type, length, &allocator);
}

SEXP gg_r_result_matrix(SEXPTYPE type, int rows, int columns) {
  SEXP matrix = PROTECT(gg_r_result(type, (R_xlen_t)rows * columns));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = rows;
  INTEGER(dim)[1] = columns;
  Rf_setAttrib(matrix, R_DimSymbol, dim);
  UNPROTECT(2);
  return matrix;
}

SEXP gg_r_result_memory(void) {
  SEXP numbers = Rf_allocVector(REALSXP, 3);
  REAL(numbers)[0] = count;
  REAL(numbers)[1] = (double)bytes_of_all();
  REAL(numbers)[2] = (double)bytes_of_free();
  return numbers;
}
