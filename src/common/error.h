/* Functions that fill a caller's gpugeo_error. */
#ifndef GG_ERROR_H
#define GG_ERROR_H

#include <stdarg.h>

#include "common/c_linkage.h"
#include "common/given.h"
#include "common/number.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Writes code, argument ("" for none) and the formatted message into error, unless that is NULL,
   and returns code. The message is cut where it is too long, and is always UTF-8: `return
   gg_fail(error, GPUGEO_ERROR_ARGUMENT, "p", "p must be ..., not %g", p);` */
GG_PRINTF(4, 5)
gpugeo_status gg_fail(gpugeo_error *error, gpugeo_status code, const char *argument,
                      const char *format, ...);

/* Does the same with a list of arguments. */
gpugeo_status gg_fail_list(gpugeo_error *error, gpugeo_status code, const char *argument,
                           const char *format, va_list list);

/* Formats a vertex (from 0) for a message: its label, or without labels its number, counted from
   `first`. */
typedef struct gg_vertex_text {
  char text[48];
} gg_vertex_text;
gg_vertex_text gg_vertex(const char *const *labels, int64_t vertex, int64_t first);

/* Fills the error for a failed allocation of `bytes`. */
gpugeo_status gg_fail_memory(gpugeo_error *error, int64_t bytes);

/* Checks that both wrappers make on values of their language, in the same words. */

/* Descriptions of allowed values that several messages use. */
#define GG_POSITIVE     "a positive finite number"
#define GG_EXPONENT     "a positive number"
#define GG_FROM_ZERO    "at least 0 and finite"
#define GG_SHARE        "a number between 0 and 1"
#define GG_RADIUS       "a number of at least 0"
#define GG_FLAG_OR_AUTO "true, false or \"auto\""
#define GG_FUTURE       "one that gpu_collisions_launch() gave"

/* Fails with "x must be a numeric matrix, not text". */
gpugeo_status gg_fail_matrix(gpugeo_error *error, const char *argument, const char *what);

/* Fails with "method must be a single string, not 3"; `given` NULL stands for a NULL pointer of
   C. */
gpugeo_status gg_fail_string(gpugeo_error *error, const char *argument, const gg_given *given);

/* Fails with "progress must be true or false, not NA". */
gpugeo_status gg_fail_flag(gpugeo_error *error, const char *argument, const gg_given *given);

/* Fails with "<argument> must be <allowed>, not <given>". */
gpugeo_status gg_fail_given(gpugeo_error *error, const char *argument, const char *allowed,
                            const gg_given *given);

/* Reads a whole number in [least, most], or fails with "threads must be a whole number of at
   least 1, not "two"" */
gpugeo_status gg_whole_number(const char *argument, const gg_given *given, int64_t least,
                              int64_t most, int64_t *number, gpugeo_error *error);

/* Reads a whole number whose limits are checked elsewhere, or fails with "k must be a whole
   number, not NULL" */
gpugeo_status gg_any_whole_number(const char *argument, const gg_given *given, int64_t *number,
                                  gpugeo_error *error);

/* Does the same for 32 bits. Numbers beyond them become the nearest 32-bit number, which the
   later check of limits refuses. */
gpugeo_status gg_any_small_number(const char *argument, const gg_given *given, int32_t *number,
                                  gpugeo_error *error);

/* Reads a single number that is not NaN and whose limits are checked elsewhere, or fails;
   `allowed` describes the limits: "p must be a positive number, not c(1, 2)" */
gpugeo_status gg_any_number(const char *argument, const char *allowed, const gg_given *given,
                            double *number, gpugeo_error *error);

/* Reads true or false (Octave: also 1 or 0) as 1 or 0, or fails with "exact must be true or false,
   not NA" */
gpugeo_status gg_flag_given(const char *argument, const gg_given *given, int32_t *flag,
                            gpugeo_error *error);

/* Reads a CUDA device, "all" or a number, or fails with "device must be "all" or a whole number
   of at least 0, not 1.5" */
gpugeo_status gg_device_number(const gg_given *given, int32_t *device, gpugeo_error *error);

/* Reads a number from 1 to `count` and returns it counted from 0, or fails with "tile must be
   between 1 and 6 (the tiles there are), not 7" */
gpugeo_status gg_number_from_one(const char *argument, const char *things, const gg_given *given,
                                 int64_t count, int64_t *number, gpugeo_error *error);

/* Checks that a number is positive and finite, or fails with "start_temp must be a positive
   finite number, not NaN". */
gpugeo_status gg_positive_number(const char *argument, double value, gpugeo_error *error);

/* Reads one of at most 32 names, which may be given in any case or by its beginning, as the number
   of it, or fails with "as must be one of "edges", "igraph", not "list"" */
gpugeo_status gg_choose(const char *argument, const gg_given *given, const char *const *names,
                        int count, int32_t *which, gpugeo_error *error);

/* Reads one of two words, or fails with "file_shape must be "condensed" or "square", not
   "round"" */
gpugeo_status gg_one_of(const char *argument, const char *text, const char *const words[2],
                        int *which, gpugeo_error *error);

/* Checks the degrees of a point on a sphere: a longitude in [-180, 360] and a latitude in [-90,
   90]. NaN is allowed. The error names the row, which counts from 0 here. */
gpugeo_status gg_check_degrees(const char *argument, int64_t row, double longitude, double latitude,
                               gpugeo_error *error);

GG_C_END

#endif
