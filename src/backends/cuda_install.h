/* Installs the CUDA library into the user's cache, for gpu_install() of R and Octave. */
#ifndef GG_BACKENDS_CUDA_INSTALL_H
#define GG_BACKENDS_CUDA_INSTALL_H

#include <stdbool.h>

#include "backends/cuda_file.h"
#include "common/given.h"
#include "common/sha256.h"
#include "gpugeo.h"

/* What a user has asked for. */
typedef struct gg_cuda_source {
  const char *from;   /* a path, or an address of file://, http:// or https://; NULL: not given */
  const char *sha256; /* 64 hexadecimal digits, or NULL: not given */
  const gg_given *sha256_given; /* as the user gave it, for messages */
  const char *downloaded;       /* the file that was downloaded from an address of http, or NULL */
  bool remove;                  /* the library that is installed */
} gg_cuda_source;

/* What was installed. */
typedef struct gg_cuda_installed {
  char file[GG_CUDA_PATH_BYTES];
  char sha256[GG_SHA256_DIGITS + 1];
  gg_cuda_about about;
  char device[256];                  /* that has computed distances in a test, or "" */
  char reason[GG_CUDA_WHY_BYTES];    /* why there was no test */
  char text[6 * GG_CUDA_PATH_BYTES]; /* all this in lines for the user */
} gg_cuda_installed;

/* What is to be done. */
typedef enum gg_cuda_action { GG_CUDA_INSTALL, GG_CUDA_DOWNLOAD, GG_CUDA_REMOVE } gg_cuda_action;

/* Checks the arguments. GG_CUDA_DOWNLOAD: the caller downloads the file, which the core cannot, and
   then installs it. */
gpugeo_status gg_cuda_check_source(const gg_cuda_source *source, gg_cuda_action *action,
                                   gpugeo_error *error);

/* Fails because an address cannot be downloaded. */
gpugeo_status gg_cuda_fail_download(const gg_cuda_source *source, const char *why,
                                    gpugeo_error *error);

/*
 * Copies the file into the user's cache. It is written there under another name, checked (SHA-256,
 * ABI number, version, sources, and distances computed on the default device, which must have the
 * CPU's bits; without a device it is only loaded), and then renamed. What was installed before
 * remains after a failure, and also in this process if it is loaded.
 */
gpugeo_status gg_cuda_install(const gg_cuda_source *source, gg_cuda_installed *installed,
                              gpugeo_error *error);

/* Removes the file from the user's cache. *removed becomes false if there was none. */
gpugeo_status gg_cuda_remove(gg_cuda_installed *installed, bool *removed, gpugeo_error *error);

#endif
