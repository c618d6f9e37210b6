/*
 * What the fuzz targets share: values made of arbitrary bytes, ways to compute, files in memory,
 * and a demand that ends the program. Each fuzz_<name>.c defines LLVMFuzzerTestOneInput for
 * libFuzzer; `make fuzz` builds them, tools/fuzz runs them.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpugeo.h"

/* What libFuzzer calls. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program unless the condition holds; libFuzzer then keeps the input. */
#define demand(condition) ((condition) ? (void)0 : demand_failed(#condition, __FILE__, __LINE__))
_Noreturn void demand_failed(const char *condition, const char *file, int line);

/* Demands that a call succeeded, or failed with one of the statuses in `allowed` (a sum of
   1 << status) and a message. */
void demand_status(gpugeo_status status, unsigned allowed, const gpugeo_error *error);

enum {
  ALLOW_ARGUMENT = 1 << GPUGEO_ERROR_ARGUMENT,
  ALLOW_DATA = 1 << GPUGEO_ERROR_DATA,
  ALLOW_MEMORY = 1 << GPUGEO_ERROR_MEMORY,
  ALLOW_BACKEND = 1 << GPUGEO_ERROR_BACKEND,
  ALLOW_FILE = 1 << GPUGEO_ERROR_FILE
};

/* --- Values ----------------------------------------------------------------------------------- */

/* The bytes that are left of an input. When all are used, every value is 0. */
typedef struct bytes {
  const uint8_t *next, *end;
} bytes;

static inline bytes bytes_of(const uint8_t *data, size_t size) {
  return (bytes){data, size ? data + size : data};
}

/* A number between 0 and `most`, which is at most 255, from one byte. */
static inline int take(bytes *b, int most) {
  return b->next < b->end ? *b->next++ % (most + 1) : 0;
}

/* Eight bytes as a whole number. */
int64_t take_int64(bytes *b);

/* Seven times of eight a multiple of 1/2 between -16 and 16, so that ties and exact sums occur;
   else any eight bytes. */
double take_double(bytes *b);

/* A matrix of such numbers, with 0 to 2 unused rows below each column. The caller frees data. */
gpugeo_matrix take_matrix(bytes *b, gpugeo_type type, int64_t rows, int64_t columns);

/* Element of a matrix as a double; INT32_MIN is NaN. */
double element(const gpugeo_matrix *x, int64_t row, int64_t column);

/* Coordinate k of a point. */
double coordinate(const gpugeo_matrix *x, gpugeo_points points, int64_t point, int64_t k);

/* True if the value is a multiple of 1/4 between -64 and 64: sums and squares of those are exact.
 */
bool is_simple(double value);

/* True if all elements are. */
bool is_simple_matrix(const gpugeo_matrix *x);

/* The arrays of a metric's parameters. */
enum { MOST_COORDINATES = 20 };
typedef struct parameters {
  double scale[MOST_COORDINATES], types[MOST_COORDINATES], weights[MOST_COORDINATES];
  double cov[MOST_COORDINATES * MOST_COORDINATES];
} parameters;

/* Takes the parameters that a metric of m coordinates has, but p, or leaves them out, as it does
   when all bytes are used. */
void take_parameters(bytes *b, int64_t m, parameters *room, gpugeo_metric_options *metric);

/* --- Ways to compute -------------------------------------------------------------------------- */

/* Sets a run of the CPU: for way 0 one thread and the widest instructions, for way 1 two threads
   and for way 2 two threads and the generic instructions, both with the given working memory. No
   result may depend on the way. */
enum { WAYS = 3 };
void set_way(gpugeo_run *run, int way, int64_t work_bytes);

/* --- Calls that take distances ---------------------------------------------------------------- */

/* What such a call is given. */
typedef struct given_distances {
  gpugeo_distances from; /* x or condensed */
  int64_t n;             /* points, also such numbers as no call takes */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_precision precision;
  int64_t work_bytes; /* of ways 1 and 2 */
  gpugeo_matrix x;
  double *condensed;
  parameters *room;
} given_distances;

/* Takes at most so many points with any metric, or as many condensed distances; one time of eight a
   number of points that there are no distances of. To be freed by given_distances_free(). */
given_distances take_given(bytes *b, int most);
void given_distances_free(given_distances *given);

/* Returns the n (n - 1) / 2 distances in condensed order, which the caller frees, or NULL if
   gpugeo_dist() refuses them. */
double *distances_of(const given_distances *given);

/* The distance of two points in condensed order, 0 from a point to itself. */
double distance_at(const double *condensed, int64_t n, int64_t i, int64_t j);

/* The number of points, or 0 if no call takes it. */
int64_t points_of(const given_distances *given);

/* The arrays that a call fills. */
typedef struct results {
  int parts;
  struct {
    void *data;
    int64_t bytes;
    bool real;
  } part[24];
} results;

/* Add an array of so many elements, which are NaN and -7 before the call. */
double *add_reals(results *r, int64_t count);
int32_t *add_wholes(results *r, int64_t count);
void results_free(results *r);

/* A call; own is its options. */
typedef gpugeo_status distance_call(const void *own, const given_distances *given,
                                    const gpugeo_run *run, results *r, gpugeo_error *error);

/* Makes a call in all ways, on 1 and 3 threads, and, if `sources` is true, of the condensed
   distances instead of points. Demands the same status and the same bits each time; *r gets the
   first results, for which the caller calls results_free(). With little memory a call may be
   refused. Returns the status. */
gpugeo_status call_in_ways(distance_call *call, const void *own, const given_distances *given,
                           bool sources, results *r);

/* --- Files ------------------------------------------------------------------------------------ */

/* A file in a folder that the program makes in $TMPDIR or /dev/shm, and removes when it ends
   normally. HDF5 opens no file without a name. */
typedef struct scratch_file {
  int handle;
  const char *path;
} scratch_file;

/* Creates an empty file of this name, which is not copied. */
scratch_file scratch_file_open(const char *name);

/* Path of a name in the folder; a file there is removed as the others are. */
const char *scratch_path(const char *name);

/* Replaces what is in the file. */
void scratch_file_write(const scratch_file *file, const void *data, size_t size);

/* Replaces one byte, unless the file ends before it. */
void scratch_file_patch(const scratch_file *file, int64_t offset, uint8_t value);

#endif
