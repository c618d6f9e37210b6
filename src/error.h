/* Filling a caller's gpugeo_error. */
#ifndef GG_ERROR_H
#define GG_ERROR_H

#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes code, argument ("" for none) and the formatted message into error, unless that is NULL,
   and returns code: `return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "p", "p must be ..., not %g",
   p);` */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
gpugeo_status
gg_fail(gpugeo_error *error, gpugeo_status code, const char *argument, const char *format, ...);

/* A number as messages show it: "0.5", "NaN", "Inf". */
typedef struct gg_number_text {
  char text[32];
} gg_number_text;
gg_number_text gg_number(double value);

/* A vertex, from 0, as messages show it: by its label, or where there are none by its number,
   counted from `first`. */
typedef struct gg_vertex_text {
  char text[48];
} gg_vertex_text;
gg_vertex_text gg_vertex(const char *const *labels, int64_t vertex, int64_t first);

/* For an allocation of so many bytes that failed. */
gpugeo_status gg_fail_memory(gpugeo_error *error, int64_t bytes);

/* Checks that both wrappers make on values of their language, in the same words. */

/* What a value is, where a number or text was wanted. */
typedef enum gg_kind { GG_TEXT, GG_COMPLEX, GG_LIST, GG_NOTHING, GG_OTHER } gg_kind;

/* "x must be a numeric matrix, not text" */
gpugeo_status gg_fail_matrix(gpugeo_error *error, const char *argument, gg_kind kind);

/* "method must be a single string" */
gpugeo_status gg_fail_string(gpugeo_error *error, const char *argument);

/* "progress must be true or false" */
gpugeo_status gg_fail_flag(gpugeo_error *error, const char *argument);

/* value, NaN where it was no number, as a whole number in [least, most]:
   "threads must be a whole number of at least 1, not 1.5" */
gpugeo_status gg_whole_number(const char *argument, double value, int64_t least, int64_t most,
                              int64_t *number, gpugeo_error *error);

/* Likewise for a number whose limits are checked elsewhere: "k must be a whole number, not 1.5" */
gpugeo_status gg_any_whole_number(const char *argument, double value, int64_t *number,
                                  gpugeo_error *error);

/* Likewise, of 32 bits; beyond them the nearest, for those limits to refuse. */
gpugeo_status gg_any_small_number(const char *argument, double value, int32_t *number,
                                  gpugeo_error *error);

/* A CUDA device: text, "all", or where that is NULL, a number:
   "device must be "all" or a whole number of at least 0, not 1.5" */
gpugeo_status gg_device_number(const char *text, double value, int32_t *device,
                               gpugeo_error *error);

/* "start_temp must be a positive finite number, not NaN" */
gpugeo_status gg_positive_number(const char *argument, double value, gpugeo_error *error);

/* Which of two words: "file_shape must be "condensed" or "square", not "round"" */
gpugeo_status gg_one_of(const char *argument, const char *text, const char *const words[2],
                        int *which, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
