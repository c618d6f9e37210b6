/*
 * The C API of gpugeo.h for other R packages.
 *
 * In DESCRIPTION put `Imports: gpugeo` and `LinkingTo: gpugeo`, import something from gpugeo in
 * NAMESPACE, which loads gpugeo first, and include this file instead of gpugeo.h. It defines every
 * function of gpugeo.h under its own name; the first call looks it up in the loaded package. There
 * is nothing to link.
 *
 *   #include <gpugeo_r.h>
 *
 *   gpugeo_dist_options options;
 *   gpugeo_dist_options_init(&options, sizeof options);
 *   gpugeo_matrix x = {REAL(points), GPUGEO_TYPE_DOUBLE, n, m, n, NULL};
 *   gpugeo_error error;
 *   if (gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, REAL(out), NULL, &error))
 *     Rf_error("%s", error.message);
 *
 * All functions must be called on R's main thread.
 */
#ifndef GPUGEO_R_H
#define GPUGEO_R_H

#ifdef GPUGEO_COMMON_H
#error "include gpugeo_r.h instead of gpugeo.h, not after it"
#endif

#include <R_ext/Rdynload.h>

#define GPUGEO_EXPORT static inline
#include "gpugeo.h"
#include "gpugeo_functions.h"

/* Defines one function, which passes its arguments on to that of the package. */
#define GPUGEO_R_LOOK_UP(type, name, parameters)                                                   \
  static type(*function) parameters = NULL;                                                        \
  if (!function)                                                                                   \
    function = (type(*) parameters)(void (*)(void))R_GetCCallable("gpugeo", "gpugeo_" #name);
#define GPUGEO_R_FUNCTION(type, name, parameters, arguments)                                       \
  static inline type gpugeo_##name parameters {                                                    \
    GPUGEO_R_LOOK_UP(type, name, parameters)                                                       \
    return function arguments;                                                                     \
  }
#define GPUGEO_R_PROCEDURE(name, parameters, arguments)                                            \
  static inline void gpugeo_##name parameters {                                                    \
    GPUGEO_R_LOOK_UP(void, name, parameters)                                                       \
    function arguments;                                                                            \
  }

#ifdef __cplusplus
extern "C" {
#endif

GPUGEO_FUNCTIONS(GPUGEO_R_FUNCTION, GPUGEO_R_PROCEDURE)

#ifdef __cplusplus
}
#endif

#undef GPUGEO_R_PROCEDURE
#undef GPUGEO_R_FUNCTION
#undef GPUGEO_R_LOOK_UP

#endif
