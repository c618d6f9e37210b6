/* A file that may be the CUDA library: how it is checked and loaded, and where it is sought. */
#ifndef GG_BACKENDS_CUDA_FILE_H
#define GG_BACKENDS_CUDA_FILE_H

#include <stdbool.h>

#include "backends/cuda_library.h"
#include "common/platform.h" /* GG_CUDA_FILE, its name */

enum { GG_CUDA_PATH_BYTES = 4096, GG_CUDA_WHY_BYTES = 1024 };

typedef struct gg_cuda_file {
  char path[GG_CUDA_PATH_BYTES];
  char why[GG_CUDA_WHY_BYTES]; /* it was not loaded: what follows its name in a sentence */
  bool missing;
  gg_cuda_about about; /* of the library that was loaded from it */
} gg_cuda_file;

/* Returns a file that is not loaded yet. */
gg_cuda_file gg_cuda_file_make(const char *path);

/* Returns the library in a file, or NULL and why not. The library stays in the process, because the
   driver needs the code that called it. */
const gg_cuda_library *gg_cuda_file_load(gg_cuda_file *file);

/* Ends the use of a library, which may then be loaded again. */
void gg_cuda_file_leave(const gg_cuda_library *library);

/* Write the path of a library, which need not exist: in the folder of this program or shared
   object (R's libs folder, that of Octave's MEX file, or that of libgpugeo.so), and in
   tools::R_user_dir("gpugeo", "cache"). Empty if the folder is not known. */
void gg_cuda_own_path(char path[GG_CUDA_PATH_BYTES]);
void gg_cuda_cache_path(char path[GG_CUDA_PATH_BYTES]);

/* Writes the path of the library that the system's loader would find. Empty if there is none.
   dlopen() is not given a name without a path, because it would load a truncated file, and that
   ends the process. */
void gg_cuda_loader_path(char path[GG_CUDA_PATH_BYTES]);

/* Finds the library in the list of the loader, a file that ldconfig has written. False if it has
   none. */
bool gg_cuda_find_listed(const char *list, char path[GG_CUDA_PATH_BYTES]);

/* --- What is loaded: cuda.c ------------------------------------------------------------------- */

/* Writes the path of the library that this process has loaded. Empty if there is none. */
void gg_cuda_loaded_path(char path[GG_CUDA_PATH_BYTES]);

/* True if a path is sought before the one in the user's cache, or instead of it. */
bool gg_cuda_precedes_cache(const char *path);

/* Makes the next need of a library seek it again, if none is loaded. */
void gg_cuda_search_again(void);

#endif
