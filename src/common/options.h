/* Option structs of callers that were compiled with this or an earlier version of gpugeo. */
#ifndef GG_OPTIONS_H
#define GG_OPTIONS_H

#include "common/c_linkage.h"
#include "common/sphere.h"
#include "gpugeo.h"

GG_C_BEGIN

/* The metric of all options by default: euclidean, with values for the parameters of others. */
#define GG_DEFAULT_METRIC                                                                          \
  { .p = 2, .sphere_radius = GG_EARTH_RADIUS }

/* Fills `size` bytes of a caller's options: its own size first, then the defaults, of which this
   version has `known` bytes; zeros beyond them. Never writes more than `size` bytes. */
void gg_options_fill(void *options, size_t size, const void *defaults, size_t known);

/* Defines the function that fills the options of a family, and the settings in them, with their
   defaults: GG_OPTIONS_INIT(pcoa, .metric = GG_DEFAULT_METRIC, .k = 2). */
#define GG_OPTIONS_INIT(family, ...)                                                               \
  void gpugeo_##family##_options_init(gpugeo_##family##_options *options, size_t size) {           \
    gpugeo_##family##_options defaults = {__VA_ARGS__};                                            \
    gpugeo_run_init(&defaults.run, sizeof defaults.run);                                           \
    gg_options_fill(options, size, &defaults, sizeof defaults);                                    \
  }

/* Copies a caller's options, which may be shorter than those of this version, over the defaults
   that `options` holds, and returns `options`. Returns NULL and fills the error for options that
   are NULL or have a size that no version up to this one has; `function` is the name of the one
   that fills them. */
const void *gg_options_copy(const char *argument, const char *function, const void *given,
                            void *options, gpugeo_error *error);

/* Makes `options`, a pointer that a public function was given, point to `taken`, a complete copy
   of type gpugeo_KIND. Returns a status: GG_OPTIONS_TAKE(dist_options, options, taken, error). */
#define GG_OPTIONS_TAKE(kind, options, taken, error)                                               \
  (gpugeo_##kind##_init(&(taken), sizeof(taken)),                                                  \
   options = gg_options_copy(#options, "gpugeo_" #kind "_init", options, &(taken), error),         \
   options ? GPUGEO_OK : GPUGEO_ERROR_ARGUMENT)

GG_C_END

#endif
