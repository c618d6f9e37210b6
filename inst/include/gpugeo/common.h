/* What all families share: versions, errors, matrices, settings and reports of calls, names of
   constants, and the machine. Part of gpugeo.h. */
#ifndef GPUGEO_COMMON_H
#define GPUGEO_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Precedes each function that the library exports. */
#ifndef GPUGEO_EXPORT
#if defined(__GNUC__)
#define GPUGEO_EXPORT __attribute__((visibility("default")))
#else
#define GPUGEO_EXPORT
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define GPUGEO_VERSION_MAJOR 0
#define GPUGEO_VERSION_MINOR 1
#define GPUGEO_VERSION_PATCH 0
#define GPUGEO_VERSION       "0.1.0"

/* Returns the version of the library, "0.1.0". */
GPUGEO_EXPORT const char *gpugeo_version(void);

typedef enum gpugeo_status {
  GPUGEO_OK = 0,
  GPUGEO_ERROR_ARGUMENT = 1,  /* an argument has a value or a shape that is not allowed */
  GPUGEO_ERROR_DATA = 2,      /* the data do not allow the computation (a singular covariance) */
  GPUGEO_ERROR_MEMORY = 3,    /* host or device memory does not suffice */
  GPUGEO_ERROR_BACKEND = 4,   /* the requested backend or device is not available */
  GPUGEO_ERROR_DEVICE = 5,    /* a device failed during the computation */
  GPUGEO_ERROR_INTERRUPT = 6, /* a hook stopped the call */
  GPUGEO_ERROR_FILE = 7,      /* reading or writing a file failed (a full disk) */
} gpugeo_status;

/* Why a call failed. The message is UTF-8 and names the argument, its value and what is allowed. */
typedef struct gpugeo_error {
  int32_t code;      /* the gpugeo_status that the call returned */
  char argument[32]; /* the name of the argument at fault, or "" */
  char message[512];
} gpugeo_error;

/* Storage of the elements of a matrix, and what a missing value is. */
typedef enum gpugeo_type {
  GPUGEO_TYPE_DOUBLE = 0, /* missing: any NaN */
  GPUGEO_TYPE_FLOAT = 1,  /* missing: any NaN */
  GPUGEO_TYPE_INT32 = 2,  /* missing: INT32_MIN, as in R */
} gpugeo_type;

/* Where the stored elements of a sparse matrix are; the others are 0. They are compressed by
   columns (CSC) as in R's dgCMatrix, Octave and MATLAB, or by rows (CSR): the elements of column
   (row) k are numbers start[k] to start[k + 1] - 1. */
typedef struct gpugeo_sparse {
  const void *start;   /* ncol + 1 (nrow + 1) numbers from 0 on, none smaller than that before it */
  const void *index;   /* of each element: its row (column), increasing within a column (row) */
  int32_t index_bytes; /* 4: start and index are int32_t; 8: int64_t */
  int32_t by_rows;     /* nonzero: compressed by rows */
  int64_t stored;      /* number of elements in index and in the data, at least the last of start */
} gpugeo_sparse;

/* A borrowed matrix: element (i, k) is data[i + k * ld], or as `sparse` says. Distances, their
   tiles and files, correlations and neighbours take sparse matrices and expand only parts of them;
   results have the bits of the dense matrix. Other functions refuse them. */
typedef struct gpugeo_matrix {
  const void *data; /* may be NULL if nrow or ncol is 0. Sparse: the stored elements; NULL: all 1 */
  gpugeo_type type;
  /* At most 2^48 rows and 2^48 columns; ld >= nrow, or any if the matrix is sparse; ld * ncol, or
     nrow * ncol if it is sparse, is at most 2^56 */
  int64_t nrow, ncol, ld;
  const gpugeo_sparse *sparse; /* NULL: dense */
} gpugeo_matrix;

/* --- Settings and report of a call ------------------------------------------------------------ */

typedef enum gpugeo_backend {
  /* CUDA if a device is available and the estimated time on it, copies included, is shorter; else
     the CPU */
  GPUGEO_BACKEND_AUTO = 0,
  GPUGEO_BACKEND_CPU = 1,
  GPUGEO_BACKEND_CUDA = 2,
} gpugeo_backend;

typedef enum gpugeo_precision {
  GPUGEO_PRECISION_DOUBLE = 0,
  /* Rounds the input to float and sums in float. Where float does not suffice (values beyond its
     range, more than 2^24 coordinates, Minkowski with p other than 1 and 2) double is used. */
  GPUGEO_PRECISION_SINGLE = 1,
} gpugeo_precision;

/* Distances, correlations and neighbours that take one device long enough use all CUDA devices for
   which the library contains code; everything else uses the current one. */
#define GPUGEO_DEVICE_ALL  (-1)

/* Maximum number of CPU threads of a call. */
#define GPUGEO_THREADS_MAX 1024

/* How a call runs. It is a part of the options of each family and has the same size in every
   version. */
typedef struct gpugeo_run {
  size_t size; /* set by gpugeo_run_init() */
  gpugeo_backend backend;
  int32_t device;  /* CUDA device, from 0, or GPUGEO_DEVICE_ALL */
  int32_t threads; /* CPU threads, 1 to GPUGEO_THREADS_MAX; 0: gpugeo_default_threads(). Each device
                      has at least one. */
  gpugeo_precision precision;
  /* Maximum working memory in bytes, without input and output, on the host and on each device; 0:
     256 MiB on the host, and the free memory of each device. It never changes a result. */
  int64_t work_bytes;
  /* Called about ten times a second. A nonzero value stops the call with GPUGEO_ERROR_INTERRUPT.
     NULL: none. */
  int (*interrupt)(void *hook_data);
  /* Called about ten times a second with the completed fraction, in [0, 1]. NULL: none. */
  void (*progress)(double fraction, void *hook_data);
  void *hook_data;      /* passed to both hooks */
  uint64_t reserved[8]; /* must be 0; later versions take new settings from here */
} gpugeo_run;

/* Fills *run with the defaults: backend AUTO, all devices, the default number of threads, double
   precision, no limit of memory, no hooks. size is sizeof(gpugeo_run). */
GPUGEO_EXPORT void gpugeo_run_init(gpugeo_run *run, size_t size);

/* The enums whose constants have names, and the names. */
typedef enum gpugeo_enum {
  GPUGEO_ENUM_BACKEND = 0,              /* "auto", "cpu", "cuda" */
  GPUGEO_ENUM_PRECISION = 1,            /* "double", "single" */
  GPUGEO_ENUM_METRIC = 2,               /* R's ("manhattan") or Octave's ("cityblock") */
  GPUGEO_ENUM_COR_METHOD = 3,           /* "pearson", "spearman", "kendall", "bicor", "dcor" */
  GPUGEO_ENUM_COR_USE = 4,              /* R's "everything", "all.obs", "complete.obs",
                                           "na.or.complete" and "pairwise.complete.obs", or MATLAB's
                                           "all", "complete" and "pairwise" */
  GPUGEO_ENUM_CLOSEST_METRIC = 5,       /* "euclidean", "great-circle" */
  GPUGEO_ENUM_CLOSEST_ALGORITHM = 6,    /* "auto", "grid", "sweep-v0", "sweep-v1", "sweep-v2",
                                        "divide-conquer" */
  GPUGEO_ENUM_COLLISIONS_WHAT = 7,      /* "count", "per_point", "pairs", "table" */
  GPUGEO_ENUM_COLLISIONS_ALGORITHM = 8, /* "auto", "grid", "usual", "cyclic", "lattice" */
  GPUGEO_ENUM_DGP_ALGORITHM = 9,        /* "auto", "branch-and-prune", "exhaustive",
                                        "meet-in-the-middle" */
  GPUGEO_ENUM_LAYOUT_REPULSION = 10,    /* "auto", "exact", "barnes-hut" */
  GPUGEO_ENUM_SINGULAR = 11,            /* "error", "drop", "pinv" */
  GPUGEO_ENUM_LINKAGE = 12,             /* "single", "complete", "average", "mcquitty", "ward.D",
                                        "ward.D2", "centroid", "median", or MATLAB's "weighted" (mcquitty)
                                        and "ward" (ward.D2) */
  GPUGEO_ENUM_PCOA_CORRECTION = 13,     /* "none", "lingoes", "cailliez" */
  GPUGEO_ENUM_MDS_TYPE = 14,            /* "ratio", "ordinal" */
  GPUGEO_ENUM_GRAPH_FORMAT = 15,        /* "auto", "graphml", "cx2", "csr" */
  GPUGEO_ENUM_DNA_MODEL = 16,           /* "RAW", "JC69", ..., "SNP" */
  GPUGEO_ENUM_LAYOUT_ALGORITHM = 17,    /* "fr", "stress", "stress-fr" */
  GPUGEO_ENUM_TREE_METHOD = 18,         /* "nj", "bionj", "upgma" */
  GPUGEO_ENUM_EDIT_METHOD = 19,         /* "lv", "osa", "hamming" */
  GPUGEO_ENUM_AA_MODEL = 20,            /* "hamming", "p", ..., "Dayhoff" */
  GPUGEO_ENUM_AA_EXCLUDE = 21,          /* "none", "all", "pairwise" */
  GPUGEO_ENUM_UNIFRAC_TYPE = 22,        /* "unweighted", "weighted", ..., "variance" */
  GPUGEO_ENUM_MANTEL_METHOD = 23,       /* "pearson", "spearman", "kendall" */
  GPUGEO_ENUM_PEARSON_FALLBACK = 24,    /* "none", "individual", "all" */
  GPUGEO_ENUM_STANDARD = 25,            /* "total", "max", ..., "alr" */
  GPUGEO_ENUM_DIVERSITY_INDEX = 26,     /* "shannon", "simpson", "invsimpson", "fisher" */
  GPUGEO_ENUM_BETA_INDEX = 27,          /* "w", "-1", ..., "z" */
  GPUGEO_ENUM_KMEANS_ALGORITHM = 28,    /* "Hartigan-Wong", "Lloyd", "Forgy", "MacQueen" */
  GPUGEO_ENUM_LEAF_CRITERION = 29,      /* "adjacent", "group" */
  GPUGEO_ENUM_COUNT = 30
} gpugeo_enum;

/* Parses the name of a constant of an enum; an unambiguous beginning is enough, in either case of
   letters. *value is the constant. The error names the argument that has such values in R and
   Octave, and lists the names. */
GPUGEO_EXPORT gpugeo_status gpugeo_find(gpugeo_enum kind, const char *name, int32_t *value,
                                        gpugeo_error *error);

/* Returns the name of a constant, R's where there are several; "" for a value that is none. */
GPUGEO_EXPORT const char *gpugeo_name(gpugeo_enum kind, int32_t value);

/* Bits of gpugeo_report.notes. */
typedef enum gpugeo_note {
  GPUGEO_NOTE_NONFINITE = 1,      /* metric binary found infinite values and took them as missing */
  GPUGEO_NOTE_ZERO_DEVIATION = 2, /* a constant column made correlations missing */
  GPUGEO_NOTE_MISSING = 4,        /* some points have no distance to any other: see .missing */
  GPUGEO_NOTE_ZERO_MAD = 8 /* columns of bicor have a median absolute deviation of 0: .missing
                              has their numbers, as rows, and the fallback, as reasons */
} gpugeo_note;

/* Bits of gpugeo_missing.reasons: why a point has no distance to any other. */
typedef enum gpugeo_missing_reason {
  GPUGEO_MISSING_EMPTY = 1,     /* all its coordinates are missing */
  GPUGEO_MISSING_CONSTANT = 2,  /* all its coordinates are equal: pearson and spearman */
  GPUGEO_MISSING_ZERO = 4,      /* all its coordinates are 0: cosine */
  GPUGEO_MISSING_NOT_FINITE = 8 /* a coordinate is missing or infinite: mahalanobis, great-circle */
} gpugeo_missing_reason;

/* Number of such points that a report lists. */
enum { GPUGEO_MISSING_ROWS_MAX = 3 };

/* The distances in a result that are missing because a point has no distance to any other. Distance
   matrices, their tiles and files, and k nearest neighbours count them for the metrics that
   stats::dist does not have. Neighbours within a radius have none: such points are not among them.
   Rows of a tile are counted in the whole matrix. */
typedef struct gpugeo_missing {
  int64_t distances;      /* number of missing distances */
  int64_t x_rows, y_rows; /* number of such points of x, and of y or the query */
  int64_t x_first[GPUGEO_MISSING_ROWS_MAX],
      y_first[GPUGEO_MISSING_ROWS_MAX]; /* the first of them */
  int32_t reasons;                      /* GPUGEO_MISSING_..., of all of them */
} gpugeo_missing;

/* How a call was computed. */
typedef struct gpugeo_report {
  gpugeo_backend backend; /* CPU or CUDA */
  int32_t device;         /* the CUDA device; -1: none or several */
  int32_t devices;        /* number of CUDA devices used, 0 on the CPU */
  int32_t threads;        /* number of CPU threads used */
  int32_t notes;          /* GPUGEO_NOTE_... */
  double seconds;         /* wall time of the call */
  double device_seconds;  /* time of kernels on the device that was busy longest; 0 on the CPU */
  gpugeo_missing missing; /* valid if notes has GPUGEO_NOTE_MISSING or GPUGEO_NOTE_ZERO_MAD */
} gpugeo_report;

/* --- Machine ---------------------------------------------------------------------------------- */

/*
 * Returns the number of CPU threads of a call with run.threads = 0: the first of
 * - the environment variable GPUGEO_THREADS,
 * - 2 if R CMD check sets _R_CHECK_LIMIT_CORES_,
 * - the environment variable OMP_NUM_THREADS,
 * - the processors that this process may use, at most the CPU quota of its control groups (cgroup
 *   v2 cpu.max, v1 cpu.cfs_quota_us), rounded up.
 *
 * The number is at most OMP_THREAD_LIMIT and GPUGEO_THREADS_MAX, and 1 in a process forked from a
 * process that has used gpugeo. A value of GPUGEO_THREADS that is not a whole number from 1 to
 * GPUGEO_THREADS_MAX is ignored here; a call with run.threads = 0 refuses it with
 * GPUGEO_ERROR_ARGUMENT.
 */
GPUGEO_EXPORT int32_t gpugeo_default_threads(void);

/* Returns the vector instructions in use: "avx512", "avx2" or "sse2" (x86-64), "neon" (aarch64) or
   "generic" (plain C). */
GPUGEO_EXPORT const char *gpugeo_simd(void);

/* Returns GPUGEO_OK if the backend can compute now, else GPUGEO_ERROR_BACKEND with the reason. */
GPUGEO_EXPORT gpugeo_status gpugeo_backend_available(gpugeo_backend backend, gpugeo_error *error);

/* A CUDA device. */
typedef struct gpugeo_device {
  char name[128];
  int32_t major, minor; /* compute capability */
  int32_t multiprocessors;
  int64_t total_bytes, free_bytes;
} gpugeo_device;

/* Returns the number of CUDA devices, 0 if CUDA cannot be used. */
GPUGEO_EXPORT int32_t gpugeo_device_count(void);

/* Describes a CUDA device, 0 to gpugeo_device_count() - 1. Fails with GPUGEO_ERROR_BACKEND if CUDA
   cannot be used. */
GPUGEO_EXPORT gpugeo_status gpugeo_device_get(int32_t device, gpugeo_device *info,
                                              gpugeo_error *error);

/*
 * The CUDA backend is in a file of its own, libgpugeo_cuda.so (on Windows gpugeo_cuda.dll, which
 * cannot be built yet), which is loaded when CUDA is first needed: the file that
 * gpugeo_cuda_library_set() or the environment variable GPUGEO_CUDA_LIB names, or else the first
 * that this library can use of
 * - the one in the folder of this library, or of the program that contains it,
 * - the one in the user's cache: $R_USER_CACHE_DIR/R/gpugeo, $XDG_CACHE_HOME/R/gpugeo or
 *   ~/.cache/R/gpugeo (%LOCALAPPDATA%/R/cache/R/gpugeo on Windows),
 * - the one in the folders of the system's loader: LD_LIBRARY_PATH, the system's own, and those
 *   that ldconfig lists.
 */
typedef struct gpugeo_cuda_library {
  const char *file;          /* its path, or "" if none was loaded */
  const char *version;       /* of gpugeo, "0.1.0" */
  const char *architectures; /* that it has code for: "sm_80+sm_90+ptx_90" */
  const char *reason;        /* "", or why none was loaded: a line for each file that was tried */
} gpugeo_cuda_library;

/* Loads the file if none was loaded, and describes it. The texts are valid until another file is
   named. */
GPUGEO_EXPORT void gpugeo_cuda_library_get(gpugeo_cuda_library *library);

/* Names the file to load; NULL or "": the environment variable or the search, which is made again
   if it found none. Has no effect once a file is loaded. */
GPUGEO_EXPORT void gpugeo_cuda_library_set(const char *file);

/* Releases the device memory, pinned memory and streams that are kept between calls. The next CUDA
   call allocates them again. */
GPUGEO_EXPORT void gpugeo_release(void);

#ifdef __cplusplus
}
#endif

#endif
