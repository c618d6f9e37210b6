/*
 * Memory of large results, which is kept for later ones.
 *
 * Limit: the first touch of a page, which the kernel clears. R returns the memory of each vector to
 * the system when it frees the vector, and a new vector of 2.3 GB takes up to 0.1 s to touch. A
 * block here keeps its pages from one result to the next.
 *
 * R does not count the memory of these vectors, so it does not collect garbage because of them.
 * Instead, the size of all blocks is limited, and R has to collect before the blocks grow.
 */
#include "result_memory.h"

#include <R_ext/Rallocators.h>
#include <math.h>
#include <stdbool.h>

#include "common/memory.h"
#include "common/platform.h"
#include "entry.h"

#define MIB               ((size_t)1 << 20)
#define HUGE_PAGE         (2 * MIB)
/* Smaller results are vectors of R, since malloc() keeps memory up to this size itself. */
#define LEAST_BYTES       (32 * MIB)
/* R has to collect after results of LEAST_COLLECTED, or after so many results of the present one's
   size if that is more, but before MOST_COLLECTED is exceeded: a collection takes 15 to 30 ms in a
   new session, as much as 1 GiB on its way over the link, and the first touch of a new block takes
   longer. */
#define LEAST_COLLECTED   (256 * MIB)
#define MOST_COLLECTED    (1024 * MIB)
#define COLLECTED_RESULTS 4
enum { MOST_BLOCKS = 16 };

typedef struct block {
  char *start;
  size_t bytes; /* a multiple of HUGE_PAGE */
  bool used;    /* by a vector that R has not freed */
} block;

static block blocks[MOST_BLOCKS]; /* in the order of their last use */
static int count;
static bool keeping;           /* false after gg_r_result_release() */
static size_t since_collected; /* bytes of new results since R freed one or had to collect */

static size_t bytes_of(bool used) {
  size_t sum = 0;
  for (int i = 0; i < count; ++i)
    if (blocks[i].used == used) sum += blocks[i].bytes;
  return sum;
}

/* Returns the number of blocks in use. */
static int count_used(void) {
  int used = 0;
  for (int i = 0; i < count; ++i)
    used += blocks[i].used;
  return used;
}

/* Gives a block back to the system. */
static void remove_block(int i) {
  gg_pages_give(blocks[i].start, blocks[i].bytes);
  --count;
  for (; i < count; ++i)
    blocks[i] = blocks[i + 1];
}

/* Returns false if all blocks are in use. */
static bool remove_oldest_free(void) {
  int i = 0;
  while (i < count && blocks[i].used)
    ++i;
  if (i < count) {
    remove_block(i);
    return true;
  }
  return false;
}

void gg_r_result_release(void) {
  keeping = false;
  while (remove_oldest_free()) {
  }
}

/* Returns the maximum size of all blocks: GPUGEO_RESULT_MEMORY in GiB, or a quarter of the
   machine's memory. 0 if the process has a limit of memory, which kept memory would use up. */
static double limit(void) {
  if (isfinite(gg_process_memory())) return 0;
  const double set = gg_memory_variable("GPUGEO_RESULT_MEMORY");
  return set >= 0 ? set : gg_machine_memory() / 4;
}

/* Adds a block that is aligned to huge pages. Returns false if there is no memory. */
static bool add_block(size_t bytes) {
  char *start = gg_pages_take(bytes);
  if (!start) return false;
  gg_prefer_huge_pages(start, (int64_t)bytes);
  blocks[count++] = (block){start, bytes, false};
  return true;
}

/* Returns the smallest free block that is large enough and at most a quarter larger, or -1. */
static int find_free(size_t bytes) {
  int best = -1;
  for (int i = 0; i < count; ++i)
    if (!blocks[i].used && blocks[i].bytes >= bytes && blocks[i].bytes - bytes <= bytes / 4 &&
        (best < 0 || blocks[i].bytes < blocks[best].bytes))
      best = i;
  return best;
}

/* True if a result can have a block at least when all free blocks are removed. */
static bool fits(size_t bytes) {
  return count_used() < MOST_BLOCKS && (double)(bytes_of(true) + bytes + HUGE_PAGE) <= limit();
}

/* Adds a block instead of the free ones that exceed the limit. Returns its index, or -1. */
static int make_block(size_t bytes) {
  const double most = limit();
  bool removed = true;
  while (removed &&
         (count == MOST_BLOCKS || (double)(bytes_of(true) + bytes_of(false) + bytes) > most))
    removed = remove_oldest_free();
  if (count == MOST_BLOCKS) return -1;
  bool added = add_block(bytes);
  while (!added && remove_oldest_free())
    added = add_block(bytes);
  return added ? count - 1 : -1;
}

/* Returns the bytes of new results after which R has to collect, of this size. */
static double collected_bytes(size_t bytes) {
  const double half = limit() / 2;
  double most = (double)bytes * COLLECTED_RESULTS;
  if (most > (double)MOST_COLLECTED) most = (double)MOST_COLLECTED;
  if (most > half) most = half;
  if (most < (double)LEAST_COLLECTED) most = (double)LEAST_COLLECTED;
  return most > (double)bytes ? most : (double)bytes;
}

/* True if R has to collect garbage before a block is added. Garbage takes at most half of what all
   blocks may take, or one block. */
static bool collects_first(size_t bytes) {
  return bytes_of(true) > 0 && (double)(since_collected + bytes) > collected_bytes(bytes);
}

/* Allocates a vector for R. If it returns NULL, R collects garbage and calls it a second time;
   it also returns NULL to make R collect. allocator->data: true in the second call. */
static void *take(R_allocator_t *allocator, size_t size) {
  bool *second = allocator->data;
  const size_t bytes = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  int found = find_free(bytes);
  if (found < 0 && !*second && collects_first(bytes)) {
    *second = true;
    since_collected = 0;
    return NULL;
  }
  if (found < 0) found = make_block(bytes);
  if (found < 0) return NULL;
  since_collected += bytes;
  blocks[found].used = true;
  return blocks[found].start;
}

/* Frees a vector for R. The kernel may take the pages of the block when memory is short, until they
   are written again. */
static void give(R_allocator_t *allocator, void *memory) {
  (void)allocator;
  int i = 0;
  while (blocks[i].start != memory)
    ++i;
  since_collected = 0;
  if (!keeping) return remove_block(i);
  block freed = blocks[i];
  for (; i + 1 < count; ++i)
    blocks[i] = blocks[i + 1];
  freed.used = false;
  blocks[i] = freed;
  gg_pages_lend(freed.start, freed.bytes);
}

/* Returns a vector for a result, a large one in memory that is kept. R calls give() also after the
   package is unloaded, therefore this library stays. */
SEXP gg_r_result(SEXPTYPE type, R_xlen_t length) {
  const size_t bytes = (size_t)length * (type == REALSXP ? sizeof(double) : sizeof(int));
  if (bytes < LEAST_BYTES || !fits(bytes) || !gg_stay_loaded()) return Rf_allocVector(type, length);
  bool second = false;
  R_allocator_t allocator = {take, give, NULL, &second};
  keeping = true;
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
  REAL(numbers)[1] = (double)bytes_of(true);
  REAL(numbers)[2] = (double)bytes_of(false);
  return numbers;
}
