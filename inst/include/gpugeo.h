/*
 * gpugeo: fast geometry on every CPU core or an NVIDIA GPU. The C API.
 *
 * Compile with `cc program.c $(pkg-config --cflags --libs gpugeo)`; examples/c has three programs.
 * The header contains no CUDA, R or Octave type and compiles as C99 and C++11.
 *
 * Names
 * - A constant of the enum gpugeo_x is GPUGEO_X_NAME, and GPUGEO_X_COUNT is the number of them.
 * Only gpugeo_status differs: GPUGEO_OK and GPUGEO_ERROR_NAME.
 * - Functions, types and constants of one family begin with its name: dist, dist_file, cor, knn,
 *   hclust, mst, dbscan, silhouette, pam, permanova, anosim, mrpp, mantel, pcoa, mds, closest,
 *   collisions, dgp, dgp_graph, layout, layout_quality.
 * - gpugeo_x_options_init() fills the options of family x. gpugeo_x_size() returns how many
 *   elements the caller must allocate for the result of gpugeo_x(), and gpugeo_distances_points()
 *   how many points there are if the result depends on this number. gpugeo_find() parses the name
 *   of a constant, and gpugeo_name() returns it.
 *
 * Arguments
 * - Sizes are int64_t. Indices start at 0.
 * - Matrices are column-major, borrowed, and not used after the call returns.
 * - Results are written through pointers at the end of the argument list. The caller allocates
 * them, unless the comment says that the function does; then a _free() or _close() function
 * releases them.
 * - `report` and `error` may be NULL.
 * - Names of files are in UTF-8 on Windows, elsewhere as the system has them.
 *
 * Errors
 * - A function that can fail returns a gpugeo_status. On failure it fills *error; on success it
 *   leaves *error as it was. Results of a failed call are undefined.
 * - Any call can fail with GPUGEO_ERROR_ARGUMENT (an argument is outside the range given here), and
 *   GPUGEO_ERROR_MEMORY. A call that takes a gpugeo_run can also fail with GPUGEO_ERROR_BACKEND,
 *   GPUGEO_ERROR_DEVICE and GPUGEO_ERROR_INTERRUPT. Comments mention other errors only.
 *
 * Versions
 * - Option structs begin with their size and grow at their end. A program that was compiled with an
 *   earlier version and passes a smaller size gets the defaults of the options that it does not
 *   know. A larger size than that of the library is refused with GPUGEO_ERROR_ARGUMENT.
 * - All other structs change only together with the soname of the library.
 *
 * Threads
 * - All functions may be called from several threads at once. What a call writes to, and a
 *   gpugeo_dist_file, must be used by one thread at a time.
 * - A CUDA device computes one call at a time. Other calls wait, and their hooks run meanwhile.
 * - Hooks (progress, interrupt, and the frame of a layout) run on the thread that made the call. A
 *   hook may call all functions. While a call computes on CUDA, calls from its hooks cannot use
 *   CUDA: with GPUGEO_BACKEND_AUTO they compute on the CPU; with GPUGEO_BACKEND_CUDA, and when they
 *   wait for collisions that were launched on CUDA and are not finished, they fail with
 *   GPUGEO_ERROR_BACKEND.
 * - Environment variables must not be changed (setenv) during a call.
 */
#ifndef GPUGEO_H
#define GPUGEO_H

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

/* --- Settings and report of a call --------------------------------------------------------------
 */

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
  GPUGEO_ENUM_COR_METHOD = 3,           /* "pearson", "spearman", "kendall" */
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
  GPUGEO_ENUM_GRAPH_FORMAT = 15,        /* "auto", "graphml", "cx2" */
  GPUGEO_ENUM_COUNT = 16
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
  GPUGEO_NOTE_MISSING = 4         /* some points have no distance to any other: see .missing */
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
  gpugeo_missing missing; /* valid if notes has GPUGEO_NOTE_MISSING */
} gpugeo_report;

/* --- Machine -------------------------------------------------------------------------------------
 */

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

/* --- Distance matrices ---------------------------------------------------------------------------
 */

/*
 * Metrics between two points a and b of m coordinates, with d = a - b. A coordinate that is missing
 * in a or b is left out. If "scaled", the sum is divided by the fraction of coordinates that
 * remain, as in R's stats::dist. If no coordinate remains, the distance is missing.
 */
typedef enum gpugeo_metric {
  GPUGEO_METRIC_EUCLIDEAN = 0,   /* sqrt(sum d^2), scaled */
  GPUGEO_METRIC_SQEUCLIDEAN = 1, /* sum d^2, scaled */
  GPUGEO_METRIC_MANHATTAN = 2,   /* sum |d|, scaled */
  GPUGEO_METRIC_MAXIMUM = 3,     /* max |d| */
  GPUGEO_METRIC_CANBERRA = 4,    /* sum |d| / (|a| + |b|), scaled; 0 / 0 counts as missing */
  GPUGEO_METRIC_BINARY = 5,      /* of the coordinates where a or b is not 0, the fraction where one
                                    of them is 0 */
  GPUGEO_METRIC_MINKOWSKI = 6,   /* (sum |d|^p)^(1/p), scaled */
  GPUGEO_METRIC_SEUCLIDEAN = 7,  /* sqrt(sum (d / scale)^2), scaled */
  GPUGEO_METRIC_MAHALANOBIS = 8, /* sqrt(d' cov^-1 d); missing if a coordinate is not finite */
  GPUGEO_METRIC_COSINE = 9,      /* 1 - a'b / (|a| |b|) */
  GPUGEO_METRIC_PEARSON = 10,    /* 1 - Pearson's correlation of a and b */
  GPUGEO_METRIC_SPEARMAN = 11,   /* 1 - Pearson's correlation of the ranks of a and of b */
  GPUGEO_METRIC_BRAYCURTIS = 12, /* sum |d| / sum (a + b) */
  GPUGEO_METRIC_HAMMING = 13,    /* fraction of coordinates that differ */
  GPUGEO_METRIC_JACCARD = 14,    /* of the coordinates where a or b is not 0, the fraction that
                                    differs */
  GPUGEO_METRIC_GOWER = 15,      /* sum w s / sum w for the weights w and dissimilarities s of the
                                    coordinates, see gpugeo_column */
  GPUGEO_METRIC_GREAT_CIRCLE = 16, /* neighbours only: the distance on a sphere of points with the
                                      coordinates longitude, -180 to 360, and latitude, -90 to 90,
                                      in degrees; missing if one of them is */
  GPUGEO_METRIC_COUNT = 17
} gpugeo_metric;

/* What a coordinate is for GPUGEO_METRIC_GOWER. */
typedef enum gpugeo_column {
  GPUGEO_COLUMN_NUMERIC = 0,   /* s = |d| / range, at most 1 */
  GPUGEO_COLUMN_NOMINAL = 1,   /* s = 0 if a = b, else 1; whole numbers */
  GPUGEO_COLUMN_ASYMMETRIC = 2 /* 0 or 1; the same, but left out if a = b = 0 */
} gpugeo_column;

/* Which direction of a matrix the points are. */
typedef enum gpugeo_points {
  GPUGEO_POINTS_ROWS = 0,   /* each row is a point, as in stats::dist */
  GPUGEO_POINTS_COLUMNS = 1 /* each column is a point, as in stats::cor */
} gpugeo_points;

typedef enum gpugeo_shape {
  /* the n (n - 1) / 2 pairs of points of x in the order (1,0), (2,0), ..., (n-1,0), (2,1), ... */
  GPUGEO_SHAPE_CONDENSED = 0,
  /* n_x by n_y, column-major; without y the symmetric n_x by n_x */
  GPUGEO_SHAPE_FULL = 1
} gpugeo_shape;

/* What is done with coordinates of x that are constant (seuclidean) or depend on others, so that
   their covariance is singular (mahalanobis). */
typedef enum gpugeo_singular {
  GPUGEO_SINGULAR_ERROR = 0, /* GPUGEO_ERROR_DATA */
  GPUGEO_SINGULAR_DROP = 1,  /* leaves out those that are constant or depend on earlier ones */
  GPUGEO_SINGULAR_PINV = 2,  /* takes the Moore-Penrose inverse of the covariance; seuclidean: as
                                DROP */
  GPUGEO_SINGULAR_COUNT = 3
} gpugeo_singular;

/* A metric and its parameters. It is a part of the options of each family that computes distances,
   whose _init() fills it (euclidean, p = 2, the mean radius of the Earth in metres, 6371008.8), and
   has the same size in every version. */
typedef struct gpugeo_metric_options {
  gpugeo_metric kind;
  double p;             /* minkowski: the power, positive; INFINITY is maximum */
  const double *scale;  /* seuclidean: m standard deviations, positive and finite; NULL: those of
                           the coordinates of x. gower: m ranges; NULL: those of the finite
                           coordinates of x, 1 for a range of 0 */
  int64_t scale_length; /* m */
  gpugeo_matrix cov;    /* mahalanobis: m by m, symmetric and positive definite, or semidefinite
                           unless singular is ERROR; data NULL: the covariance of the points of x
                           that are complete */
  int64_t singular;     /* seuclidean, mahalanobis: a gpugeo_singular */
  const double *types;  /* gower: m values of gpugeo_column; NULL: all numeric */
  int64_t types_length; /* m */
  const double *column_weights; /* gower: m weights of at least 0; NULL: all 1 */
  int64_t weights_length;       /* m */
  double sphere_radius;         /* great-circle: positive and finite; distances are in its unit */
  uint64_t reserved[2];         /* must be 0; later versions take new parameters from here */
} gpugeo_metric_options;

typedef struct gpugeo_dist_options {
  size_t size; /* set by gpugeo_dist_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_shape shape;
  double missing; /* written for a missing distance, for example R's NA */
  gpugeo_run run;
} gpugeo_dist_options;

/* Fills *options with the defaults: euclidean, points in rows, condensed, p = 2, missing = NaN.
   size is sizeof(gpugeo_dist_options). */
GPUGEO_EXPORT void gpugeo_dist_options_init(gpugeo_dist_options *options, size_t size);

/* Computes the number of elements that gpugeo_dist() writes, and checks its arguments. Fails with
   GPUGEO_ERROR_MEMORY if the result, of the given type, and the working memory are larger than the
   memory and swap of this machine, or than the environment variable GPUGEO_MEMORY allows (in GiB).
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                             const gpugeo_dist_options *options, gpugeo_type type,
                                             int64_t *size, gpugeo_error *error);

/*
 * Computes the distances between all points of x or, if y is not NULL, between those of x and those
 * of y. The result is the same bits for any number of threads, any work_bytes and both backends.
 *
 * x     n_x points of m coordinates
 * y     n_y points of m coordinates, or NULL; requires GPUGEO_SHAPE_FULL
 * type  of out: double or float
 * out   gpugeo_dist_size() elements
 *
 * Fails with GPUGEO_ERROR_DATA if the covariance or a standard deviation of x cannot be used.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                        const gpugeo_dist_options *options, gpugeo_type type,
                                        void *out, gpugeo_report *report, gpugeo_error *error);

/* --- Tiles of a distance matrix ------------------------------------------------------------------
 *
 * A matrix larger than memory is computed in tiles, which are blocks of at most side x side pairs.
 * Within x they cover the diagonal and the lower triangle, and are numbered down one column of
 * tiles after the other. A tile has the same bits as this part of the whole matrix, in any process
 * and on any machine.
 */

/* Points in memory, or in a dataset of an HDF5 file, which may be larger than memory and is read in
   panels. The second dimension of the dataset counts the rows, as R and Octave write it. */
typedef struct gpugeo_point_source {
  const gpugeo_matrix *matrix; /* points in memory; NULL: in the dataset */
  const char *file, *name;     /* path of the file, and name of the dataset */
} gpugeo_point_source;

/* Returns the version of the HDF5 library in use; "" if gpugeo was built without HDF5. */
GPUGEO_EXPORT const char *gpugeo_hdf5_version(void);

/* Computes the number of rows and columns of a matrix or dataset. */
GPUGEO_EXPORT gpugeo_status gpugeo_point_source_size(const gpugeo_point_source *x, int64_t *nrow,
                                                     int64_t *ncol, gpugeo_error *error);

/* A matrix cut into tiles. */
typedef struct gpugeo_tiles {
  int64_t nx, ny; /* points of x, and of y or again of x */
  int32_t within; /* nonzero: pairs within x */
  int64_t side;   /* rows and columns of a tile; the last ones may have fewer */
  int64_t count;  /* number of tiles */
} gpugeo_tiles;

/* The pairs of points [row, row + rows) of x and points [column, column + columns) of y. */
typedef struct gpugeo_tile {
  int64_t row, rows, column, columns;
} gpugeo_tile;

/*
 * Cuts a matrix into tiles.
 *
 * nx      points of x, at least 0
 * ny      points of y; -1: within x
 * m       coordinates of a point, at least 0
 * side    0: the largest for which computing and storing a tile takes at most `memory` bytes
 * memory  bytes, at least 2^20; 0: 256 MiB
 *
 * Fails with GPUGEO_ERROR_MEMORY if not even a tile of one pair fits into `memory`.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_tiles_plan(int64_t nx, int64_t ny, int64_t m, int64_t side,
                                              int64_t memory, gpugeo_tiles *tiles,
                                              gpugeo_error *error);

/* Computes the position of a tile; index is 0 to tiles->count - 1. */
GPUGEO_EXPORT gpugeo_status gpugeo_tiles_get(const gpugeo_tiles *tiles, int64_t index,
                                             gpugeo_tile *tile, gpugeo_error *error);

/* Computes the number of elements that gpugeo_dist_metric_params() writes. */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_metric_params_size(const gpugeo_point_source *x,
                                                           const gpugeo_point_source *y,
                                                           const gpugeo_dist_options *options,
                                                           int64_t *size, gpugeo_error *error);

/* Computes the parameters of the metric that all tiles have in common (means, standard deviations,
   the factor of the covariance) from all points of x, and of y unless it is NULL. They are the same
   bits on any machine. The report has the distances that are missing in the whole matrix; the
   report of a tile has those of the tile. Fails with GPUGEO_ERROR_DATA as gpugeo_dist() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_metric_params(const gpugeo_point_source *x,
                                                      const gpugeo_point_source *y,
                                                      const gpugeo_dist_options *options,
                                                      double *shared, gpugeo_report *report,
                                                      gpugeo_error *error);

/*
 * Computes one tile.
 *
 * y              NULL: within x, as the tiles were planned
 * options        shape is ignored
 * shared         the elements that gpugeo_dist_metric_params() wrote; NULL: computes them again
 * shared_length  number of these elements
 * index          of the tile
 * type           of out: double or float
 * out            tile.rows by tile.columns, column-major without gaps; a tile on the diagonal is a
 *                symmetric matrix
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_tile(
    const gpugeo_point_source *x, const gpugeo_point_source *y, const gpugeo_dist_options *options,
    const double *shared, int64_t shared_length, const gpugeo_tiles *tiles, int64_t index,
    gpugeo_type type, void *out, gpugeo_report *report, gpugeo_error *error);

/* --- Distances in a file -------------------------------------------------------------------------
 *
 * An HDF5 file holds the distances within x as one dataset, condensed or square, which may be
 * larger than memory. The attributes of the dataset are `size` (the number of points), `metric`,
 * and `labels` if there are any. A second dataset, `tiles_done`, counts the tiles that are
 * complete. Without HDF5 these functions fail with GPUGEO_ERROR_ARGUMENT.
 */

typedef struct gpugeo_dist_file_options {
  size_t size; /* set by gpugeo_dist_file_options_init() */
  const char *file;
  const char *name;          /* of the dataset; NULL: "dist", or "matrix" if the shape is full */
  gpugeo_shape shape;        /* full: stored in chunks of 256 x 256 distances */
  gpugeo_type type;          /* double or float */
  const char *const *labels; /* UTF-8, one for each point; NULL: none */
  int64_t labels_length;
  int64_t side; /* of a tile, see gpugeo_tiles_plan(); 0: by run.work_bytes */
} gpugeo_dist_file_options;

/* Fills *options with the defaults: condensed, double, no labels. `file` must be set afterwards.
   size is sizeof(gpugeo_dist_file_options). */
GPUGEO_EXPORT void gpugeo_dist_file_options_init(gpugeo_dist_file_options *options, size_t size);

/*
 * Computes the distances within x and writes them to a file, tile by tile, while the next tile is
 * computed. A call that fails, is interrupted or is killed leaves the complete tiles in the file.
 * The same call later continues with the first tile that is missing, with the side of tiles of the
 * first call, and returns at once if all tiles are complete.
 *
 * options  shape is ignored; run.work_bytes limits the working memory, 2^20 bytes at least
 *
 * Refuses a file of other distances or of anything else with GPUGEO_ERROR_ARGUMENT, and writes
 * nothing to it; also a file with a user block, with contradictory numbers, or with data in another
 * file (external links and storage, virtual datasets). Fails with GPUGEO_ERROR_FILE if the file
 * cannot be written, or is being written by another call, and with GPUGEO_ERROR_DATA as
 * gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_file_write(const gpugeo_point_source *x,
                                                   const gpugeo_dist_options *options,
                                                   const gpugeo_dist_file_options *file_options,
                                                   gpugeo_report *report, gpugeo_error *error);

/* A file that is open for reading. */
typedef struct gpugeo_dist_file gpugeo_dist_file;

typedef struct gpugeo_dist_file_info {
  char name[128], metric[32]; /* of the dataset; a name of GPUGEO_ENUM_METRIC */
  int64_t points;
  gpugeo_shape shape;
  gpugeo_type type;
  int64_t tiles, tiles_done; /* equal if all distances are in the file */
  int32_t labels;            /* nonzero: points have labels */
} gpugeo_dist_file_info;

/* Opens a file. name is that of the dataset; NULL: "dist" or "matrix". The caller closes *opened
   with gpugeo_dist_file_close(). Fails with GPUGEO_ERROR_FILE if the file is damaged. */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_file_open(const char *file, const char *name,
                                                  gpugeo_dist_file **opened,
                                                  gpugeo_dist_file_info *info, gpugeo_error *error);

/* Closes a file; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_dist_file_close(gpugeo_dist_file *file);

/* Returns the label of a point, valid until the file is closed; NULL if points have no labels or
   there is no such point. */
GPUGEO_EXPORT const char *gpugeo_dist_file_label(const gpugeo_dist_file *file, int64_t point);

/*
 * Reads the distances between two lists of points, in any order.
 *
 * rows, columns  indices of points
 * missing        written for a missing distance
 * out            row_count by column_count, column-major
 *
 * All tiles must be complete. Fails with GPUGEO_ERROR_FILE if the file cannot be read.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_file_read(const gpugeo_dist_file *file, const int64_t *rows,
                                                  int64_t row_count, const int64_t *columns,
                                                  int64_t column_count, double missing, double *out,
                                                  gpugeo_error *error);

/* --- Distances that stay on a device -------------------------------------------------------------
 */

/* Distances within points in the memory of a device. They belong to the process that computed them:
   a process that is forked from it cannot use them. */
typedef struct gpugeo_dist_device gpugeo_dist_device;

typedef struct gpugeo_dist_device_info {
  char metric[32]; /* a name of GPUGEO_ENUM_METRIC */
  int64_t points;
  gpugeo_type type; /* float if they were computed in single precision */
  int32_t device;
  int64_t bytes;        /* of the devices' memory; 0 after gpugeo_release() */
  int64_t devices;      /* that have equal parts of them, and of which `device` is the first */
  uint64_t reserved[3]; /* 0 */
} gpugeo_dist_device_info;

/*
 * Computes the distances between all points of x, and leaves them on a device: one of them, or, if
 * that has no room for them and the run allows all, equal parts on each. These must be able to read
 * each other's memory. The backend must be one that computes on devices; GPUGEO_BACKEND_AUTO takes
 * the first of these. They take 8 bytes each, 4 in single precision.
 *
 * x     at least 2 points and 1 coordinate
 * made  gets the distances, which the caller frees by gpugeo_dist_device_free()
 *
 * options->shape has no effect. Fails with GPUGEO_ERROR_MEMORY if they have too little memory.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_device_make(const gpugeo_matrix *x,
                                                    const gpugeo_dist_options *options,
                                                    gpugeo_dist_device **made,
                                                    gpugeo_report *report, gpugeo_error *error);

/* Frees distances and the device's memory; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_dist_device_free(gpugeo_dist_device *distances);

/* Describes distances, also after gpugeo_release(). */
GPUGEO_EXPORT void gpugeo_dist_device_get(const gpugeo_dist_device *distances,
                                          gpugeo_dist_device_info *info);

/*
 * Reads the distances between two lists of points, in any order.
 *
 * rows, columns  indices of points
 * out            row_count by column_count, column-major; a missing distance is the options' one
 *
 * Fails with GPUGEO_ERROR_ARGUMENT after gpugeo_release() and in a forked process.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_device_read(const gpugeo_dist_device *distances,
                                                    const int64_t *rows, int64_t row_count,
                                                    const int64_t *columns, int64_t column_count,
                                                    double *out, gpugeo_error *error);

/* Copies all n (n - 1) / 2 distances in the order of GPUGEO_SHAPE_CONDENSED. */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_device_copy(const gpugeo_dist_device *distances,
                                                    double *out, gpugeo_error *error);

/* --- Distances as input --------------------------------------------------------------------------
 *
 * Functions that need the distances between points take them from one of several sources, and give
 * the same bits from all that hold the same values. The order of a condensed matrix is that of
 * GPUGEO_SHAPE_CONDENSED.
 */

/* Distances within n points. Exactly one of x, condensed, file and device is not NULL. */
typedef struct gpugeo_distances {
  const gpugeo_matrix *x;       /* points, whose distances are those of the options' metric */
  const double *condensed;      /* n (n - 1) / 2 distances in memory */
  int64_t condensed_points;     /* n, where they are condensed */
  const gpugeo_dist_file *file; /* an open file that is complete */
  const gpugeo_dist_device *device;
  uint64_t reserved[4]; /* must be 0; later versions take new sources from here */
} gpugeo_distances;

/* Computes the number of points, n, by which the caller allocates the results of the functions
   below. points: where those of x are; else not used. Checks no values and no options: the
   functions do. */
GPUGEO_EXPORT gpugeo_status gpugeo_distances_points(const gpugeo_distances *x, gpugeo_points points,
                                                    int64_t *n, gpugeo_error *error);

/* --- Correlation matrices ------------------------------------------------------------------------
 */

typedef enum gpugeo_cor_method {
  GPUGEO_COR_METHOD_PEARSON = 0,
  GPUGEO_COR_METHOD_SPEARMAN = 1, /* Pearson's correlation of the ranks */
  GPUGEO_COR_METHOD_KENDALL = 2   /* tau-b; precision is ignored: it is exact */
} gpugeo_cor_method;

/* What is done about missing values, as by the argument `use` of R's stats::cor. */
typedef enum gpugeo_cor_use {
  GPUGEO_COR_USE_EVERYTHING = 0,     /* correlations of a column with a missing value are missing */
  GPUGEO_COR_USE_ALL_OBS = 1,        /* a missing value is an error */
  GPUGEO_COR_USE_COMPLETE_OBS = 2,   /* leaves out incomplete rows; an error if none remains */
  GPUGEO_COR_USE_NA_OR_COMPLETE = 3, /* leaves out incomplete rows; missing if none remains */
  GPUGEO_COR_USE_PAIRWISE = 4        /* leaves out rows for each pair of columns by itself */
} gpugeo_cor_use;

/* What is computed: correlations, or covariances of n observations. */
typedef enum gpugeo_covariance {
  GPUGEO_COVARIANCE_NONE = 0,       /* correlations */
  GPUGEO_COVARIANCE_SAMPLE = 1,     /* sums of products divided by n - 1; missing for n = 1 */
  GPUGEO_COVARIANCE_POPULATION = 2, /* divided by n */
  GPUGEO_COVARIANCE_MATLAB = 3      /* divided by n - 1, or by 1 for n = 1: 0 */
} gpugeo_covariance;

typedef struct gpugeo_cor_options {
  size_t size; /* set by gpugeo_cor_options_init() */
  gpugeo_cor_method method;
  gpugeo_cor_use use;
  double missing; /* written for a missing correlation, for example R's NA */
  gpugeo_run run;
  gpugeo_covariance covariance;
} gpugeo_cor_options;

/* Fills *options with the defaults: pearson, everything, missing = NaN, no covariances. size is
   sizeof(gpugeo_cor_options). */
GPUGEO_EXPORT void gpugeo_cor_options_init(gpugeo_cor_options *options, size_t size);

/* Computes the number of elements that gpugeo_cor() writes: ncol(x) times ncol(y), or ncol(x)
   squared. Checks all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_cor_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                            const gpugeo_cor_options *options, gpugeo_type type,
                                            int64_t *size, gpugeo_error *error);

/*
 * Computes the correlations between all columns of x or, if y is not NULL, between those of x and
 * those of y; or their covariances. Those of spearman are covariances of ranks, and those of
 * kendall sums over all ordered pairs of observations of the product of two signs, which are not
 * divided; both are refused for pairwise `use`. The covariance of a constant column is 0, without a
 * note. One beyond the largest double is infinite.
 *
 * y     as many rows as x, or NULL
 * type  of out: double or float
 * out   ncol(x) by ncol(y), or ncol(x) by ncol(x), column-major
 *
 * Fails with GPUGEO_ERROR_DATA as `use` says.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_cor(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                       const gpugeo_cor_options *options, gpugeo_type type,
                                       void *out, gpugeo_report *report, gpugeo_error *error);

/* --- Nearest neighbours, without the distance matrix ---------------------------------------------
 */

typedef struct gpugeo_knn_options {
  size_t size; /* set by gpugeo_knn_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t k;      /* gpugeo_knn(): neighbours of each point, 1 to the number of candidates */
  double radius;  /* gpugeo_radius(): at least 0; may be infinite */
  double missing; /* written for a missing distance */
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_knn_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 1, radius = 0, missing =
   NaN. size is sizeof(gpugeo_knn_options). */
GPUGEO_EXPORT void gpugeo_knn_options_init(gpugeo_knn_options *options, size_t size);

/* Computes the number of elements that gpugeo_knn() writes to each of index and distance: k for
   each point of query, or of x. Checks all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_knn_size(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                            const gpugeo_knn_options *options, int64_t *size,
                                            gpugeo_error *error);

/*
 * Finds the k points of x that are nearest to each point of query. If query is NULL, it finds those
 * nearest to each point of x, which is then not its own neighbour; other points with the same
 * coordinates are. Distances have the bits of gpugeo_dist(). Neighbours are in ascending order of
 * distance, ties in ascending order of index; a missing distance comes after all others.
 *
 * x         at most 2^31 - 1 points
 * index     points by k, column-major: for each point the indices of its neighbours in x
 * distance  points by k, column-major: their distances
 *
 * Fails with GPUGEO_ERROR_DATA as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_knn(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                       const gpugeo_knn_options *options, int32_t *index,
                                       double *distance, gpugeo_report *report,
                                       gpugeo_error *error);

/* Lists of neighbours. Those of point i are elements start[i] to start[i + 1] - 1 of index and
   distance, in ascending order of distance, ties in ascending order of index. */
typedef struct gpugeo_neighbors {
  int64_t points;
  int64_t *start; /* points + 1 elements; the last is the number of all neighbours */
  int32_t *index; /* points of x */
  double *distance;
} gpugeo_neighbors;

/*
 * Finds all points of x at a distance of at most options->radius from each point of query, or of x,
 * as gpugeo_knn() does. A point at a missing distance is no neighbour.
 *
 * neighbors  allocated by the call; the caller releases it with gpugeo_neighbors_free()
 *
 * Fails with GPUGEO_ERROR_MEMORY if there are more neighbours than fit into the memory of this
 * machine, and with GPUGEO_ERROR_DATA as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_radius(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                          const gpugeo_knn_options *options,
                                          gpugeo_neighbors *neighbors, gpugeo_report *report,
                                          gpugeo_error *error);

/* Releases lists of neighbours. */
GPUGEO_EXPORT void gpugeo_neighbors_free(gpugeo_neighbors *neighbors);

/* --- Hierarchical clustering ---------------------------------------------------------------------
 */

/*
 * The distance between two clusters. For clusters i, j and k, of so many observations n_i, n_j and
 * n_k, the distance of k from the union of i and j is:
 */
typedef enum gpugeo_linkage {
  GPUGEO_LINKAGE_SINGLE = 0,   /* min(d_ik, d_jk) */
  GPUGEO_LINKAGE_COMPLETE = 1, /* max(d_ik, d_jk) */
  GPUGEO_LINKAGE_AVERAGE = 2,  /* (n_i d_ik + n_j d_jk) / (n_i + n_j) */
  GPUGEO_LINKAGE_MCQUITTY = 3, /* (d_ik + d_jk) / 2 */
  GPUGEO_LINKAGE_WARD_D = 4,   /* ((n_i + n_k) d_ik + (n_j + n_k) d_jk - n_k d_ij) /
                                  (n_i + n_j + n_k) */
  GPUGEO_LINKAGE_WARD_D2 = 5,  /* the same of squared distances; heights are roots */
  GPUGEO_LINKAGE_CENTROID =
      6,                     /* (n_i d_ik + n_j d_jk - n_i n_j d_ij / (n_i + n_j)) / (n_i + n_j) */
  GPUGEO_LINKAGE_MEDIAN = 7, /* (d_ik + d_jk) / 2 - d_ij / 4 */
  GPUGEO_LINKAGE_COUNT = 8
} gpugeo_linkage;

typedef struct gpugeo_hclust_options {
  size_t size; /* set by gpugeo_hclust_options_init() */
  gpugeo_linkage linkage;
  int32_t squared;              /* centroid and median: nonzero: distances are squared first, and
                                   heights are roots, as in MATLAB; 0: distances are taken as they
                                   are, as in R */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  const double *members;  /* observations in each point, positive and finite; NULL: 1 */
  int64_t members_length; /* n */
  gpugeo_run run;         /* precision: of the distances of points */
} gpugeo_hclust_options;

/* Fills *options with the defaults: complete linkage, euclidean, points in rows, p = 2, no members.
   size is sizeof(gpugeo_hclust_options). */
GPUGEO_EXPORT void gpugeo_hclust_options_init(gpugeo_hclust_options *options, size_t size);

/*
 * Clusters n points: merges the two nearest clusters, n - 1 times.
 *
 * d       at least 2 points, finite distances
 * merge   n - 1 by 2, column-major: the clusters of each merge, the smaller number first. Point i
 * is cluster i, and merge k makes cluster n + k. height  n - 1: the distance of the two clusters
 * order   n: the points so that no branches of the dendrogram cross, for each merge the first
 *         cluster on the left
 *
 * Of several pairs of clusters at the smallest distance the one with the lowest points is merged:
 * the lowest of the first cluster, then that of the second. For single linkage, which is the
 * minimum spanning tree, these are pairs of points. The result is the same bits for any number of
 * threads, on all backends, and for every source of the same distances. For linkages other than
 * centroid and median, heights do not decrease.
 *
 * Memory is 8 n^2 bytes; for single linkage 4 n^2 for a file, and none for distances that are
 * condensed in memory and for points, unless the precision is single. CUDA takes 8 n^2 bytes of a
 * device, and at most 1 GiB more, for each linkage but single linkage of points; it has all but
 * centroid and median.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, with GPUGEO_ERROR_MEMORY if
 * the device of backend CUDA is too small, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_hclust(const gpugeo_distances *d,
                                          const gpugeo_hclust_options *options, int32_t *merge,
                                          double *height, int32_t *order, gpugeo_report *report,
                                          gpugeo_error *error);

/*
 * Computes the cophenetic distances of a dendrogram: for two points the height of the merge that
 * joins them.
 *
 * n              points, 2 to 2^30
 * merge, height  as gpugeo_hclust() writes them
 * run            backend AUTO or CPU; precision is ignored; work_bytes, if not 0, is at least 38 n
 * out            n (n - 1) / 2 distances, condensed
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if merge has a cluster twice or before it is made.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_cophenetic(int64_t n, const int32_t *merge, const double *height,
                                              const gpugeo_run *run, double *out,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- Minimum spanning trees ----------------------------------------------------------------------
 */

typedef struct gpugeo_mst_options {
  size_t size; /* set by gpugeo_mst_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_mst_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_mst_options). */
GPUGEO_EXPORT void gpugeo_mst_options_init(gpugeo_mst_options *options, size_t size);

/*
 * Finds the minimum spanning tree of the complete graph of points. Of edges with the same distance
 * the one with the smaller i comes first, then the one with the smaller j: there is one
 * tree. Distances have the bits of gpugeo_dist().
 *
 * x         at most 2^31 - 1 points; distances that are given are read on the CPU
 * i, j      the ends of each edge, i < j, from 0; edges in ascending order of distance, i, j
 * distance  of each edge
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mst(const gpugeo_distances *x, const gpugeo_mst_options *options,
                                       int32_t *i, int32_t *j, double *distance,
                                       gpugeo_report *report, gpugeo_error *error);

/* --- Clusters by density -------------------------------------------------------------------------
 */

typedef struct gpugeo_dbscan_options {
  size_t size; /* set by gpugeo_dbscan_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  double eps;             /* at least 0 */
  int64_t min_points;     /* at least 0 */
  int32_t border;         /* nonzero: border points belong to a cluster */
  gpugeo_run run;         /* precision is ignored: distances are doubles */
  const double *weights;  /* NULL, or how many points each point counts as: finite, at least 0 */
  int64_t weights_length; /* points */
} gpugeo_dbscan_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, eps = 0, min_points = 5,
   border = 1, no weights. size is sizeof(gpugeo_dbscan_options). */
GPUGEO_EXPORT void gpugeo_dbscan_options_init(gpugeo_dbscan_options *options, size_t size);

/*
 * Finds clusters by density (DBSCAN, Ester et al. 1996). A core point has at least
 * options->min_points points, itself included, at a distance of at most options->eps; with weights,
 * theirs have at least this sum. Weights are rounded up to multiples of at most 2^-29 min_points,
 * of 2^-47 min_points for fewer than 2^13 points, and are for the CPU only. Core points within eps
 * of each other are in one cluster; clusters are numbered by their first core points. Other points
 * within eps of core points belong to the first of their clusters. Points without a distance are
 * not near each other.
 *
 * x        at most 2^31 - 1 points
 * cluster  n: the number of each point's cluster, from 1; 0: noise
 * core     n: 1 for core points, else 0; may be NULL
 *
 * Fails with GPUGEO_ERROR_DATA as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dbscan(const gpugeo_distances *x,
                                          const gpugeo_dbscan_options *options, int32_t *cluster,
                                          int32_t *core, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_hdbscan_options {
  size_t size; /* set by gpugeo_hdbscan_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t min_points;       /* at least 2, at most the number of points */
  gpugeo_run run;           /* precision is ignored: distances are doubles */
  double selection_epsilon; /* at least 0: clusters do not divide below this height */
} gpugeo_hdbscan_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, min_points = 5,
   selection_epsilon = 0. size is sizeof(gpugeo_hdbscan_options). */
GPUGEO_EXPORT void gpugeo_hdbscan_options_init(gpugeo_hdbscan_options *options, size_t size);

/* The result for n points. All arrays are the caller's. */
typedef struct gpugeo_hdbscan_result {
  /* Of each point, n: */
  int32_t *cluster;   /* from 1; 0: noise */
  double *membership; /* 0 for noise and for the point of a cluster with the largest core distance;
                         1 where the core distance is 0 */
  double *outlier_score; /* 0 to 1 */
  double *core_distance;
  /* The dendrogram of mutual reachability, as gpugeo_hclust() writes it. */
  int32_t *merge; /* n - 1 by 2 */
  double *height; /* n - 1 */
  int32_t *order; /* n */
  /* The nodes of the condensed tree, which the call counts. Arrays have room for
     2 floor(n / options->min_points) - 1 of them. Children come after their parents. */
  int64_t nodes, clusters;
  int32_t *merge_node;   /* n - 1: the node of each merge */
  int32_t *parent;       /* -1: the root, which is node 0 */
  int32_t *divided;      /* points that the node has where it divides into two; 0: it does not */
  int32_t *number;       /* cluster to which the node's points belong; 0: none */
  int32_t *selected;     /* 1: the node is a cluster */
  double *birth, *death; /* heights */
  double *stability;
  double *score; /* its stability, or the sum of its children's scores if that is larger */
  /* The points that leave node c are point[start[c]], ..., point[start[c + 1] - 1], at the heights
     leaves_at. */
  int32_t *start;    /* as many as nodes, and one */
  int32_t *point;    /* n */
  double *leaves_at; /* n */
} gpugeo_hdbscan_result;

/*
 * Finds clusters by density at all scales (HDBSCAN, Campello, Moulavi and Sander 2013). The core
 * distance of a point is that of its neighbour number options->min_points - 1. The mutual
 * reachability of two points is the largest of their distance and both core distances; the
 * dendrogram is that of its minimum spanning tree. Of edges with the same mutual reachability the
 * one with the smaller distance comes first, then the one with the smaller first point, then the
 * one with the smaller second point: there is one tree.
 *
 * A cluster is a node of the condensed tree whose stability exceeds the scores of its children, or
 * whose children begin below options->selection_epsilon (Malzer and Baum 2020), unless it is the
 * root or below another cluster. The density of a point is 1 / height. Heights in the condensed
 * tree are at least the lowest positive height of the dendrogram, so that coincident points have a
 * finite density, and stabilities and outlier scores are finite. Clusters are numbered from the
 * root down, the first side of a merge first.
 *
 * x  at most 2^31 - 1 points
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_hdbscan(const gpugeo_distances *x,
                                           const gpugeo_hdbscan_options *options,
                                           gpugeo_hdbscan_result *result, gpugeo_report *report,
                                           gpugeo_error *error);

/* --- Silhouettes ---------------------------------------------------------------------------------
 */

typedef struct gpugeo_silhouette_options {
  size_t size;                  /* set by gpugeo_silhouette_options_init() */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  gpugeo_run run; /* precision: of the distances of points; backend: that computes these, and CUDA
                     also adds them up */
} gpugeo_silhouette_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_silhouette_options). */
GPUGEO_EXPORT void gpugeo_silhouette_options_init(gpugeo_silhouette_options *options, size_t size);

/*
 * Computes the silhouette of each point (Rousseeuw 1987): with a, its mean distance from the other
 * points of its cluster, and b, the smallest of its mean distances from the points of each other
 * cluster, the width (b - a) / max(a, b). It is 0 if a and b are equal or the cluster has no other
 * points.
 *
 * x         at most 2^31 - 1 points, finite distances
 * cluster   cluster_length = n numbers from 1 to n; numbers may be left out
 * neighbor  n: the cluster at the mean distance b, the first of several; 0: there is none
 * width     n; NaN: there is one cluster
 *
 * No distances are stored: they are computed or read in tiles, once, or twice if n times the number
 * of clusters is more than run.work_bytes / 16. With CUDA, distances of points and distances on its
 * device are added up there, if it has the memory for n times the number of clusters doubles, and
 * not copied to the host. Distances from the points of a cluster are added up in the order of the
 * points: the result has the same bits for any number of threads, memory, backend and every
 * source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_silhouette(const gpugeo_distances *x, const int32_t *cluster,
                                              int64_t cluster_length,
                                              const gpugeo_silhouette_options *options,
                                              int32_t *neighbor, double *width,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- k-medoids -----------------------------------------------------------------------------------
 */

typedef struct gpugeo_pam_options {
  size_t size;                  /* set by gpugeo_pam_options_init() */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  int64_t k;              /* medoids, 1 to n */
  int32_t swap;           /* nonzero: swaps medoids until no swap is better, */
  int32_t eager;          /* nonzero: each point that is better at once; 0: the best of all */
  int64_t max_swaps;      /* the most swaps, at least 0 */
  const int32_t *medoids; /* different points from 0 to begin with; NULL: chosen (BUILD) */
  int64_t medoids_length; /* k */
  gpugeo_run run;         /* precision: of the distances of points; backend: that computes these */
} gpugeo_pam_options;

/* What gpugeo_pam() returns, in memory of the caller. */
typedef struct gpugeo_pam_result {
  int32_t *medoid;  /* k: the points, in the order of their clusters */
  int32_t *cluster; /* n: the number of each point's cluster, from 1 in the order of the points */
  double *distance; /* n: from its medoid */
  double *all;      /* NULL, or n by k, column-major: from all medoids */
  /* NULL together, or n each: the silhouette as by gpugeo_silhouette(), the largest distance within
     the point's cluster, and the smallest distance from another cluster (infinity: there is none).
   */
  int32_t *neighbor;
  double *width, *furthest, *nearest;
  double objective[2]; /* set: the mean of the distances before and after swaps */
  int64_t swaps;       /* set */
  int32_t converged;   /* set: 0 if swaps ended at max_swaps, and a further one may be better */
} gpugeo_pam_result;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 1, swap = 1,
   eager = 1,
   max_swaps = INT64_MAX. size is sizeof(gpugeo_pam_options). */
GPUGEO_EXPORT void gpugeo_pam_options_init(gpugeo_pam_options *options, size_t size);

/*
 * Partitions points around k medoids (Kaufman and Rousseeuw 1990): points whose distances from all
 * points, each to its nearest medoid, have a small sum. Chooses medoids one after the other, each
 * that which makes the sum the smallest (BUILD), then swaps them with other points where this makes
 * the sum smaller: eagerly, in the order of the points (FasterPAM, Schubert and Rousseeuw 2021), or
 * always by the best of all swaps, as PAM does (FastPAM1). Of several points that are equally good
 * the last is chosen first, and the first is swapped; nothing is random. A medoid is in its own
 * cluster, another point in that of the nearest medoid, the lowest of several.
 *
 * x  1 to 2^31 - 1 points, finite distances
 *
 * The matrix of distances is stored if its 8 n^2 bytes are at most run.work_bytes, by default half
 * of the memory that the process may use. If not, columns are computed or read again for each pass
 * over all points. The result has the same bits for any number of threads, any memory and every
 * source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_pam(const gpugeo_distances *x, const gpugeo_pam_options *options,
                                       gpugeo_pam_result *result, gpugeo_report *report,
                                       gpugeo_error *error);

/* --- Permutation tests ---------------------------------------------------------------------------
 */

/*
 * A design of a permutational analysis of variance (PERMANOVA, Anderson 2001): the model of the
 * points, as an orthonormal basis or as groups, and permutations of the points.
 */
typedef struct gpugeo_design {
  int64_t points;
  const double *basis; /* points by columns, column-major; columns are orthogonal to the constant
                          and to each other, and have length 1. Or NULL, and */
  int64_t columns;
  const int32_t *group; /* points: the group of each, from 0 */
  int64_t groups;
  const int32_t *order; /* points by permutations: each has every point, from 0, once. A permutation
                           puts point order[i] in place of i */
  int64_t permutations;
  uint64_t reserved[4]; /* must be 0 */
} gpugeo_design;

typedef struct gpugeo_permanova_options {
  size_t size; /* set by gpugeo_permanova_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int32_t root;   /* nonzero: of the square roots of the distances */
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_permanova_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, root = 0. size is
   sizeof(gpugeo_permanova_options). */
GPUGEO_EXPORT void gpugeo_permanova_options_init(gpugeo_permanova_options *options, size_t size);

/*
 * Computes sums of squares for permutations of the points. The total one is the sum of the squared
 * distances over n. With a basis, each of its columns q has the sum of squares q' G q, where G is
 * Gower's matrix of the permuted points; those of a term are added up by the caller. With groups,
 * there is one sum of squares, that among groups.
 *
 * x      2 to 2^31 - 1 points
 * sums   1 + permutations by columns, column-major; for groups one column. The first row is that of
 *        the points as they are
 * total  the total sum of squares, which no permutation changes
 *
 * Distances are read or computed once for all permutations if 8 n bytes for each sum fit into
 * run.work_bytes, else in batches. CUDA has them in the device's memory, 4 n^2 bytes, and at most 1
 * GiB more. Bits do not depend on threads, batches, the backend or the source.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or less than -1e-7, and as
 * gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_permanova(const gpugeo_distances *x,
                                             const gpugeo_permanova_options *options,
                                             const gpugeo_design *design, double *sums,
                                             double *total, gpugeo_report *report,
                                             gpugeo_error *error);

typedef struct gpugeo_anosim_options {
  size_t size; /* set by gpugeo_anosim_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_anosim_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_anosim_options). */
GPUGEO_EXPORT void gpugeo_anosim_options_init(gpugeo_anosim_options *options, size_t size);

/*
 * Computes the statistic R of an analysis of similarities (ANOSIM, Clarke 1993): the difference of
 * the mean ranks of distances between and within groups, over n (n - 1) / 4.
 *
 * x          2 to 65,536 points
 * design     groups, of which there are at least two, and one has at least two points
 * statistic  1 + permutations: that of the points as they are comes first
 * ranks      n (n - 1) / 2: the ranks of the distances, from 1, in condensed order; equal ones have
 *            the mean of theirs. NULL: not wanted
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_anosim(const gpugeo_distances *x,
                                          const gpugeo_anosim_options *options,
                                          const gpugeo_design *design, double *statistic,
                                          double *ranks, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_mrpp_options {
  size_t size; /* set by gpugeo_mrpp_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int32_t weight_type; /* of a group of n points: 1: n; 2: n - 1; 3: n (n - 1) / 2 */
  gpugeo_run run;      /* precision is ignored: distances are doubles */
} gpugeo_mrpp_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, weight_type = 1. size is
   sizeof(gpugeo_mrpp_options). */
GPUGEO_EXPORT void gpugeo_mrpp_options_init(gpugeo_mrpp_options *options, size_t size);

/*
 * Computes the statistic delta of a multiresponse permutation procedure (MRPP, Mielke, Berry and
 * Johnson 1976): the weighted mean of the mean distances within groups.
 *
 * x           2 to 2^31 - 1 points
 * design      groups, one of which has at least two points; smaller ones have no weight
 * delta       1 + permutations: that of the points as they are comes first
 * group_mean  groups: the mean distance within each, NaN if it has fewer than two points
 * mean        the mean of all distances, which delta is expected to be
 *
 * Distances are read or computed as by gpugeo_permanova().
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or less than -1e-7, and as
 * gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mrpp(const gpugeo_distances *x,
                                        const gpugeo_mrpp_options *options,
                                        const gpugeo_design *design, double *delta,
                                        double *group_mean, double *mean, gpugeo_report *report,
                                        gpugeo_error *error);

typedef struct gpugeo_mantel_options {
  size_t size; /* set by gpugeo_mantel_options_init() */
  gpugeo_cor_method method;
  gpugeo_metric_options metric; /* of all that are points */
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_mantel_options;

/* Fills *options with the defaults: Pearson, euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_mantel_options). */
GPUGEO_EXPORT void gpugeo_mantel_options_init(gpugeo_mantel_options *options, size_t size);

/*
 * Computes the correlation of the distances of x, whose points are permuted, and of y (Mantel
 * 1967); with z the partial correlation, given the distances of z.
 *
 * x, y, z       2 to 65,536 points, as many in each; z may be NULL
 * order         n by permutations, as in a gpugeo_design
 * statistic     1 + permutations: that of the points as they are comes first. NaN if all distances
 *               of x, y or z are equal
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mantel(const gpugeo_distances *x, const gpugeo_distances *y,
                                          const gpugeo_distances *z,
                                          const gpugeo_mantel_options *options,
                                          const int32_t *order, int64_t permutations,
                                          double *statistic, gpugeo_report *report,
                                          gpugeo_error *error);

/* --- Principal coordinates -----------------------------------------------------------------------
 */

/* What is added to distances so that no eigenvalue is negative. */
typedef enum gpugeo_pcoa_correction {
  GPUGEO_PCOA_CORRECTION_NONE = 0,
  GPUGEO_PCOA_CORRECTION_LINGOES = 1,  /* d becomes sqrt(d^2 + 2 c) */
  GPUGEO_PCOA_CORRECTION_CAILLIEZ = 2, /* d becomes d + c */
  GPUGEO_PCOA_CORRECTION_COUNT = 3
} gpugeo_pcoa_correction;

typedef struct gpugeo_pcoa_options {
  size_t size; /* set by gpugeo_pcoa_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t k; /* axes, 1 to n - 1 */
  gpugeo_pcoa_correction correction;
  double tolerance;   /* of residuals, in terms of the largest eigenvalue in magnitude: 0 to 1 */
  int64_t max_passes; /* over the distances, in a search for eigenvalues; at least 1 */
  gpugeo_run run;     /* precision is ignored: distances are doubles */
} gpugeo_pcoa_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 2, no correction,
   tolerance = 1e-10, max_passes = 1000. size is sizeof(gpugeo_pcoa_options). */
GPUGEO_EXPORT void gpugeo_pcoa_options_init(gpugeo_pcoa_options *options, size_t size);

/* What gpugeo_pcoa() returns. Arrays are in memory of the caller. */
typedef struct gpugeo_pcoa_result {
  double *coordinates; /* n by k, column-major; 0 in the columns after the positive ones */
  double *eigenvalue; /* k, the largest ones in decreasing order; 0 where rounding hides the sign */
  double *residual;   /* k: |B v - eigenvalue v| for the eigenvector v of length 1 */
  int64_t positive;   /* set: how many of the k eigenvalues are positive */
  double trace;       /* set: the sum of all eigenvalues, */
  double negative_sum; /* of the negative ones, NaN if it is not known, */
  double smallest;     /* and the smallest one before a correction, NaN if it is not known */
  double constant;     /* set: c of the correction; 0: none was needed */
  int64_t passes;      /* set: over the distances */
  int32_t converged;   /* set: 1 if all residuals are within the tolerance */
  int32_t reserved[7];
} gpugeo_pcoa_result;

/*
 * Computes principal coordinates (classical multidimensional scaling, Torgerson 1952, Gower 1966):
 * eigenvectors of B = -1/2 J A J times the roots of their eigenvalues, where A has the squares of
 * the distances and J takes the mean from a vector. The element of the largest magnitude of each
 * column, the first of several, is positive.
 *
 * x  2 to 2^31 - 1 points
 *
 * For at most 256 points, or 4 k + 170 if that is more, all eigenvalues are computed. For more than
 * 256 and 4 k + 240 points, B is not stored: its largest eigenvalues are found by products with
 * blocks of vectors (block Lanczos with restarts). Distances of points or files are stored if their
 * 4 n^2 bytes are at most run.work_bytes, by default half of the memory that the process may use;
 * if not, they are computed or read again for each product. Lingoes' and Cailliez' corrections
 * apply if the smallest eigenvalue is negative. The result has the same bits for any number of
 * threads, any memory and every source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_pcoa(const gpugeo_distances *x,
                                        const gpugeo_pcoa_options *options,
                                        gpugeo_pcoa_result *result, gpugeo_report *report,
                                        gpugeo_error *error);

/* What the distances of a configuration are compared with. */
typedef enum gpugeo_mds_type {
  GPUGEO_MDS_TYPE_RATIO = 0,   /* the given distances, at the best scale */
  GPUGEO_MDS_TYPE_ORDINAL = 1, /* disparities in the order of the given distances */
  GPUGEO_MDS_TYPE_COUNT = 2
} gpugeo_mds_type;

typedef struct gpugeo_mds_options {
  size_t size; /* set by gpugeo_mds_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t k;              /* columns of the configuration, 1 to n - 1 */
  const double *weights;  /* of pairs, as condensed distances, finite and at least 0; NULL: all 1 */
  int64_t weights_length; /* n (n - 1) / 2 */
  const double *start;    /* n by k, column-major, finite; NULL: principal coordinates */
  int64_t start_length;   /* n k */
  double tolerance;       /* ends if an iteration lowers the stress by at most this part: 0 to 1 */
  int64_t max_iterations; /* at least 0 */
  int32_t relax;          /* nonzero: from the fourth iteration on, steps are twice as long */
  gpugeo_run run;         /* precision is ignored: distances are doubles */
  gpugeo_mds_type type;   /* ordinal: CPU only, 2 to 65,536 points */
  int32_t squared;        /* nonzero: squares of distances are compared; CPU only */
} gpugeo_mds_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 2, no weights, principal
   coordinates, tolerance = 1e-6, max_iterations = 1000, relaxed, type = ratio. size is
   sizeof(gpugeo_mds_options). */
GPUGEO_EXPORT void gpugeo_mds_options_init(gpugeo_mds_options *options, size_t size);

/* What gpugeo_mds() returns. */
typedef struct gpugeo_mds_result {
  double *coordinates; /* n by k, column-major, in memory of the caller */
  double stress;       /* set */
  int64_t iterations;  /* set */
  int32_t converged;   /* set: 1 if the tolerance was reached, or the stress is at most 1e-10 */
  double *disparities; /* n (n - 1) / 2, condensed, in memory of the caller: what distances of the
                          configuration are compared with; NaN for a pair of weight 0, but with
                          type ratio without squares. NULL: not wanted */
  int32_t reserved[4];
} gpugeo_mds_result;

/*
 * Finds n points in k dimensions whose Euclidean distances d are near the given distances delta
 * (metric multidimensional scaling), by stress majorization (SMACOF, de Leeuw 1977). The stress,
 * which no iteration raises, is sqrt(sum w (delta - d)^2 / sum w delta^2). Coordinates are in units
 * of delta, and at the scale where this is smallest: there it is also Kruskal's stress-1 of ratio
 * scaling, sqrt(sum w (b delta - d)^2 / sum w d^2) with the best b.
 *
 * x  2 to 2^31 - 1 points
 *
 * An iteration is the Guttman transform, V^+ B(X) X; the relaxed one goes twice as far (de Leeuw
 * and Heiser 1980). Without weights V^+ B(X) X is B(X) X / n; with weights the linear systems of V
 * are solved by conjugate gradients to residuals of 1e-12 of the right side, and V^+ is not stored.
 * An iteration visits all pairs once, and with weights once more for each step of the solution. A
 * coordinate that is 0 for all points of the start remains so. Distances of points, files and
 * devices are computed or read once and take 4 n^2 bytes; a CUDA device has a copy of distances and
 * weights. The result has the same bits for any number of threads, on CPU and CUDA, and for every
 * source of the same distances.
 *
 * With type ordinal (nonmetric scaling, Kruskal 1964) the place of delta is taken by disparities,
 * which do not fall where delta rises: those nearest to d, by monotone regression, scaled so that
 * sum w disparity^2 = sum w delta^2. Pairs of the same delta may have any disparities (the primary
 * treatment of ties). The stress is then Kruskal's stress-1, sqrt(sum w (disparity - d)^2 / sum w
 * d^2) with disparities at the scale of d. Each iteration fits them anew, then moves the points.
 *
 * If squares are compared (the loss SSTRESS, Takane, Young and de Leeuw 1977), delta, d and
 * disparities are replaced by their squares in all of the above: the stress is sqrt(sum w (delta^2
 * - d^2)^2 / sum w delta^4). An iteration is a step of conjugate gradients to the smallest stress
 * along a line, by the roots of a polynomial; relax has no effect.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, infinite or negative, and as gpugeo_dist()
 * does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mds(const gpugeo_distances *x, const gpugeo_mds_options *options,
                                       gpugeo_mds_result *result, gpugeo_report *report,
                                       gpugeo_error *error);

/* --- Closest pairs -------------------------------------------------------------------------------
 */

/* A pair of points and their distance. */
typedef struct gpugeo_pair {
  int64_t i, j; /* rows of x with i < j; with y: i is a row of x, j a row of y */
  double distance;
} gpugeo_pair;

typedef enum gpugeo_closest_metric {
  GPUGEO_CLOSEST_METRIC_EUCLIDEAN = 0,
  GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE = 1 /* columns are longitude and latitude in degrees */
} gpugeo_closest_metric;

/* All algorithms give the same result. The sweeps and divide and conquer are those of Baroni, Braga
   and Moreano (2020), "Paralelização e otimização em GPU do problema do par de pontos mais
   próximos", WPerformance: points sorted along the first column in regions of 32. They find pairs
   within x, euclidean, without a box. */
typedef enum gpugeo_closest_algorithm {
  GPUGEO_CLOSEST_ALGORITHM_AUTO = 0, /* the grid */
  GPUGEO_CLOSEST_ALGORITHM_GRID = 1,
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0 = 2, /* their Algorithm 1 */
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V1 = 3, /* optimization 1: the loop of a point ends at delta */
  GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2 = 4, /* and optimization 2: the border shrinks with delta */
  GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER = 5, /* CPU only */
  GPUGEO_CLOSEST_ALGORITHM_COUNT = 6
} gpugeo_closest_algorithm;

typedef struct gpugeo_closest_options {
  size_t size; /* set by gpugeo_closest_options_init() */
  gpugeo_closest_metric metric;
  gpugeo_closest_algorithm algorithm;
  int64_t k;            /* number of pairs, 1 to the number of all pairs */
  int32_t distinct;     /* nonzero: leaves out pairs at distance 0 */
  double sphere_radius; /* of the sphere, for great circles: positive and finite; distances are in
                         its unit */
  const double *box;    /* length of the period of each column, 0: not periodic; NULL: none is */
  int64_t box_length;   /* ncol(x) */
  gpugeo_run run;       /* precision is ignored */
} gpugeo_closest_options;

/* Fills *options with the defaults: euclidean, auto, k = 1, pairs at distance 0 count, the mean
   radius of the Earth in metres (6371008.8), no box. size is sizeof(gpugeo_closest_options). */
GPUGEO_EXPORT void gpugeo_closest_options_init(gpugeo_closest_options *options, size_t size);

/* Computes the number of pairs to allocate for gpugeo_closest_pair(), which is options->k. Checks
   all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_closest_pair_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                     const gpugeo_closest_options *options,
                                                     int64_t *size, gpugeo_error *error);

/*
 * Finds the k closest pairs among the rows of x or, if y is not NULL, of a row of x and a row of y.
 * Pairs are in ascending order of distance, ties in ascending order of i, then j.
 *
 * x, y   1 to 3 columns, at least a pair of rows, no missing or infinite coordinates
 * pairs  gpugeo_closest_pair_size() elements
 * found  number of pairs written: fewer than k only with `distinct`
 * ties   number of pairs that have the smallest distance; 0 if none was found
 *
 * Integer coordinates are compared exactly (as doubles if a length of the box is not a whole
 * number). Doubles are compared by the squared distance that fma computes in the order of the
 * columns, after scaling by a power of two: no square overflows, and differences down to 2^-990 of
 * the largest coordinate keep all digits. Great circles are compared by the haversine.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_closest_pair(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                const gpugeo_closest_options *options,
                                                gpugeo_pair *pairs, int64_t *found, int64_t *ties,
                                                gpugeo_report *report, gpugeo_error *error);

/* --- Collisions ----------------------------------------------------------------------------------
 */

/* What is computed; the number of pairs always is. */
typedef enum gpugeo_collisions_what {
  GPUGEO_COLLISIONS_WHAT_COUNT = 0,     /* the number of pairs that collide */
  GPUGEO_COLLISIONS_WHAT_PER_POINT = 1, /* also the number of collisions of each point of x */
  GPUGEO_COLLISIONS_WHAT_PAIRS = 2,     /* also the pairs */
  GPUGEO_COLLISIONS_WHAT_TABLE = 3      /* also the number for each pair of groups */
} gpugeo_collisions_what;

/* All algorithms give the same result. Usual, cyclic and lattice are those of ElfColCnt, which
   counts collisions of points of a chain. */
typedef enum gpugeo_collisions_algorithm {
  GPUGEO_COLLISIONS_ALGORITHM_AUTO = 0,
  GPUGEO_COLLISIONS_ALGORITHM_GRID = 1,
  GPUGEO_COLLISIONS_ALGORITHM_USUAL = 2,  /* all pairs: each point with those after it */
  GPUGEO_COLLISIONS_ALGORITHM_CYCLIC = 3, /* all pairs: each point with the next (n - 1) / 2 in a
                                          circle; within x only */
  GPUGEO_COLLISIONS_ALGORITHM_LATTICE = 4 /* whole-number points that collide if they are equal:
                                          radius, or sum of two radii, below 1 */
} gpugeo_collisions_algorithm;

typedef struct gpugeo_collisions_options {
  size_t size; /* set by gpugeo_collisions_options_init() */
  gpugeo_collisions_what what;
  gpugeo_collisions_algorithm algorithm;
  double radius;        /* two points collide at a distance of at most radius: positive, finite;
                           NaN, the default, is an error without radii */
  const double *radii;  /* instead: at most r_i + r_j, with a positive, finite radius for each point
                           of x, then of y; NULL: radius */
  int64_t radii_length; /* nrow(x) + nrow(y) */
  int64_t exclude;      /* pairs with |i - j| <= exclude do not collide: at least 0; 0 with y */
  const int32_t *group; /* what TABLE: the group of each point of x, then of y, 0 to groups - 1 */
  int64_t group_length; /* nrow(x) + nrow(y) */
  int32_t groups;       /* number of groups */
  const double *box;  /* as in gpugeo_closest_options; a length that is not 0 must be at least twice
                         the radius, or the largest sum of two radii */
  int64_t box_length; /* ncol(x) */
  gpugeo_run run;     /* precision is ignored */
  gpugeo_closest_metric metric; /* great circles: two columns, no box, not the algorithm LATTICE */
  double sphere_radius; /* of the sphere, for great circles: positive and finite; radius and radii
                           are distances in its unit */
} gpugeo_collisions_options;

/* Fills *options with the defaults: count, auto, no radius, radii, groups or box, euclidean, the
   mean radius of the Earth in metres (6371008.8). size is sizeof(gpugeo_collisions_options). */
GPUGEO_EXPORT void gpugeo_collisions_options_init(gpugeo_collisions_options *options, size_t size);

/* A computation, running or finished. */
typedef struct gpugeo_collisions gpugeo_collisions;

/*
 * Starts to find the collisions among the rows of x or, if y is not NULL, between those of x and
 * those of y. Returns as soon as the arguments are checked and copied; the computation continues on
 * a thread of its own. The hooks of options->run are not called.
 *
 * x, y        1 to 3 columns, no missing or infinite coordinates
 * collisions  allocated by the call; the caller releases it with gpugeo_collisions_free()
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_launch(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                                     const gpugeo_collisions_options *options,
                                                     gpugeo_collisions **collisions,
                                                     gpugeo_error *error);

/* Finds the same collisions and returns when they are found. Calls the hooks of options->run, and
   does not copy x and y. */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_compute(const gpugeo_matrix *x,
                                                      const gpugeo_matrix *y,
                                                      const gpugeo_collisions_options *options,
                                                      gpugeo_collisions **collisions,
                                                      gpugeo_error *error);

/* True (nonzero) if the computation has ended, with success or not. Never waits. */
GPUGEO_EXPORT int32_t gpugeo_collisions_done(const gpugeo_collisions *collisions);

/*
 * Waits until a computation has ended, and returns its status. It can be called any number of
 * times.
 *
 * run    its hooks are called while the call waits; NULL: none. If a hook stops the call, the
 *        computation continues, and can be waited for again.
 * count  the number of pairs that collide; may be NULL
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_wait(gpugeo_collisions *collisions,
                                                   const gpugeo_run *run, int64_t *count,
                                                   gpugeo_report *report, gpugeo_error *error);

/*
 * Copy the results of a finished computation. Each fails with GPUGEO_ERROR_ARGUMENT if the options
 * did not ask for it, or the computation has not ended, and else with the status of the
 * computation.
 *
 * per_point  nrow(x) elements: the number of collisions of each point of x
 * pairs      count by 2, column-major, of type int32 or double: rows i of x and j of x or y, in
 *            ascending order of i, then j; within x i < j
 * table      groups by groups, column-major: with y, element (a, b) counts pairs of a point of x in
 *            group a and a point of y in group b; within x it is symmetric, and counts a pair of
 *            points of one group once
 * distance   count elements: the distance of each of the pairs. x and y are the points that were
 *            computed, y NULL within x
 */
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_per_point(const gpugeo_collisions *collisions,
                                                        double *per_point, gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_pairs(const gpugeo_collisions *collisions,
                                                    gpugeo_type type, void *pairs,
                                                    gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_table(const gpugeo_collisions *collisions,
                                                    double *table, gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_collisions_distances(const gpugeo_collisions *collisions,
                                                        const gpugeo_matrix *x,
                                                        const gpugeo_matrix *y, double *distance,
                                                        gpugeo_error *error);

/* Ends the computation and releases it; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_collisions_free(gpugeo_collisions *collisions);

/* --- Distance geometry of a cycle on the line ----------------------------------------------------
 *
 * A cycle of n distances closes on the line if a choice of signs s_j makes the sum of s_j d_j equal
 * to 0. The 2^n choices are the rows of a matrix M, and the sums are the product M d. Source:
 * Hengeveld and Mucherino (2022), "A GPU approach to distance geometry in 1D: an implementation in
 * C/CUDA", 17th Conference on Computer Science and Intelligence Systems.
 */

/* All algorithms give the same result. */
typedef enum gpugeo_dgp_algorithm {
  GPUGEO_DGP_ALGORITHM_AUTO = 0,
  GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE = 1,   /* depth first through the partial sums; CPU only */
  GPUGEO_DGP_ALGORITHM_EXHAUSTIVE = 2,         /* all 2^n rows of M */
  GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE = 3, /* the sorted sums of two halves */
  GPUGEO_DGP_ALGORITHM_COUNT = 4
} gpugeo_dgp_algorithm;

/* Limits. */
enum {
  GPUGEO_DGP_DISTANCES_MAX = 127,      /* distances of gpugeo_dgp(): row numbers have 128 bits */
  GPUGEO_DGP_SUMS_DISTANCES_MAX = 30,  /* distances of gpugeo_dgp_sums() */
  GPUGEO_DGP_LOG2_STEPS_MAX_CPU = 50,  /* calls that would take more than 2^50 steps are refused */
  GPUGEO_DGP_LOG2_STEPS_MAX_CUDA = 56, /* the same on a CUDA device */
};

/* An unsigned integer of 128 bits: high 2^64 + low. */
typedef struct gpugeo_uint128 {
  uint64_t low, high;
} gpugeo_uint128;

/* Decimal digits, ended by a 0 byte. */
typedef struct gpugeo_decimal {
  char digits[40];
} gpugeo_decimal;

/* Returns the decimal digits of a number. */
GPUGEO_EXPORT gpugeo_decimal gpugeo_uint128_decimal(gpugeo_uint128 number);

typedef struct gpugeo_dgp_options {
  size_t size; /* set by gpugeo_dgp_options_init() */
  gpugeo_dgp_algorithm algorithm;
  double tol;            /* |sum| <= tol is a solution: at least 0, finite, in the unit of d */
  int64_t max_solutions; /* number of solutions to return, at least 0; 0: counts only */
  int32_t exact; /* nonzero: decides by the sum of the doubles as real numbers; 0: by fixed-point
                    sums, which differ by less than n 2^-60 of the sum of d */
  int32_t
      symmetric;  /* nonzero: counts a solution and its mirror image (all signs inverted) as one */
  int32_t prune;  /* branch-and-prune, nonzero: cuts a branch if the remaining distances cannot
                     bring the sum back to 0; 0: visits the whole tree */
  gpugeo_run run; /* precision is ignored */
} gpugeo_dgp_options;

/* Fills *options with the defaults: auto, tol = 1e-4, max_solutions = 10, exact, not symmetric,
   prune. size is sizeof(gpugeo_dgp_options). */
GPUGEO_EXPORT void gpugeo_dgp_options_init(gpugeo_dgp_options *options, size_t size);

/* A choice of signs: bit j of row is 1 if d[j] is added and 0 if it is subtracted. Rows of M count
   from 1: this is row + 1. */
typedef struct gpugeo_dgp_solution {
  gpugeo_uint128 row;
  double residual; /* |sum|, rounded once */
} gpugeo_dgp_solution;

typedef struct gpugeo_dgp_result {
  gpugeo_uint128 count; /* number of solutions */
  double expected;      /* number of solutions of random distances, 2^n 2 tol / sqrt(2 pi sum
                           d^2); half of it if symmetric */
  int64_t returned;     /* min(count, max_solutions) */
  gpugeo_dgp_algorithm algorithm; /* the algorithm that was used */
} gpugeo_dgp_result;

/* Computes the number of solutions to allocate for gpugeo_dgp(): max_solutions, or the number of
   rows if that is smaller. Checks all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_size(const double *d, int64_t n,
                                            const gpugeo_dgp_options *options, int64_t *size,
                                            gpugeo_error *error);

/*
 * Counts the choices of signs with |sum of s_j d_j| <= tol, and returns those with the smallest
 * residual, before it is rounded; ties in ascending order of row.
 *
 * d          n distances, 1 to GPUGEO_DGP_DISTANCES_MAX: positive and finite
 * solutions  gpugeo_dgp_size() elements; may be NULL if that is 0
 *
 * Sorted sums take at most run.work_bytes, or by default a quarter of the memory of the machine, or
 * half of the free memory of the device. This decides how many distances meet-in-the-middle takes;
 * a number that would take more than 2^50 steps on the CPU, or 2^56 on a device, is refused with
 * GPUGEO_ERROR_ARGUMENT.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp(const double *d, int64_t n,
                                       const gpugeo_dgp_options *options, gpugeo_dgp_result *result,
                                       gpugeo_dgp_solution *solutions, gpugeo_report *report,
                                       gpugeo_error *error);

/* Computes the positions that a row gives: n + 1 partial sums from 0, each rounded once. d must be
   as for gpugeo_dgp(). */
GPUGEO_EXPORT void gpugeo_dgp_positions(const double *d, int64_t n, gpugeo_uint128 row,
                                        double *positions);

/* Computes the number of elements that gpugeo_dgp_sums() writes, 2^n. Checks all arguments, and the
   memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_sums_size(const double *d, int64_t n, const gpugeo_run *run,
                                                 int64_t *size, gpugeo_error *error);

/* Computes all sums M d, each rounded once. d has 1 to GPUGEO_DGP_SUMS_DISTANCES_MAX distances,
   positive and finite; sums has 2^n elements. */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_sums(const double *d, int64_t n, const gpugeo_run *run,
                                            double *sums, gpugeo_report *report,
                                            gpugeo_error *error);

/* Draws n distances in (0, 1) of which a random choice of signs, and its mirror image, sum to
   exactly 0. n is 2 to GPUGEO_DGP_DISTANCES_MAX. The same seed gives the same distances on any
   machine. */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_instance(int64_t n, uint64_t seed, double *d,
                                                gpugeo_error *error);

/* --- Distance geometry of a graph on the line ----------------------------------------------------
 *
 * Sources: Mucherino (2018), "On the exact solution of the distance geometry with interval
 * distances in dimension 1", Recent Advances in Computational Optimization; Dechter, Meiri and
 * Pearl (1991), "Temporal constraint networks", Artificial Intelligence 49.
 */

/* The distance between vertices u and v is at least lower and at most upper. */
typedef struct gpugeo_dgp_edge {
  int64_t u, v;        /* two different vertices, from 0 */
  double lower, upper; /* 0 <= lower <= upper, finite */
} gpugeo_dgp_edge;

typedef struct gpugeo_dgp_graph_options {
  size_t size;           /* set by gpugeo_dgp_graph_options_init() */
  double tol;            /* a distance may be this far outside its interval: at least 0, finite */
  int64_t max_solutions; /* number of realizations to return, at least 0; 0: counts only */
  const char *const *labels; /* names of the vertices in messages; NULL: numbers from 1 */
  gpugeo_run run;            /* backend AUTO or CPU; precision is ignored */
} gpugeo_dgp_graph_options;

/* Fills *options with the defaults: tol = 1e-6, max_solutions = 10, no labels. size is
   sizeof(gpugeo_dgp_graph_options). */
GPUGEO_EXPORT void gpugeo_dgp_graph_options_init(gpugeo_dgp_graph_options *options, size_t size);

typedef struct gpugeo_dgp_graph_result {
  gpugeo_uint128 count;   /* number of realizations; a mirror image counts as another one */
  int32_t count_overflow; /* nonzero: there are 2^128 or more, and count is 2^128 - 1 */
  int64_t returned;       /* number of realizations in positions */
  int64_t blocks;         /* biconnected components of the graph */
  int64_t bridges;        /* those that are a single edge */
} gpugeo_dgp_graph_result;

/* A vertex in the order in which the search assigns positions. */
typedef struct gpugeo_dgp_vertex {
  int64_t vertex;
  int64_t predecessor; /* an earlier vertex at a known distance; -1: this is the first vertex */
  int64_t block; /* the block, from 0, that gives the position; -1: this is the first vertex */
} gpugeo_dgp_vertex;

/* Computes the number of elements of positions: max_solutions times vertices. Checks all arguments
   except that the graph is connected, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_graph_size(int64_t vertices, const gpugeo_dgp_edge *edges,
                                                  int64_t edge_count,
                                                  const gpugeo_dgp_graph_options *options,
                                                  int64_t *size, gpugeo_error *error);

/*
 * Counts the realizations of a connected graph on the line, and returns the first. A realization is
 * a choice of the left end of each edge: if u is to the left of v, x_v - x_u is within tol of
 * [lower, upper]. Vertex 0 is at 0. If intervals leave a range for the positions, its middle is
 * returned. Several edges between two vertices count as one edge with the intersection of their
 * intervals; an edge with lower = upper = 0 has no left end.
 *
 * vertices   at least 1
 * edges      edge_count elements
 * positions  max_solutions by vertices, column-major; may be NULL if max_solutions is 0
 * order      vertices elements; may be NULL
 *
 * Realizations are ordered by those of the blocks, the last block changing fastest. A block that is
 * a cycle of exact distances has them in the order of gpugeo_dgp(), with n tol for its n edges; any
 * other block in the order of the search, each followed by its mirror image.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_graph(int64_t vertices, const gpugeo_dgp_edge *edges,
                                             int64_t edge_count,
                                             const gpugeo_dgp_graph_options *options,
                                             gpugeo_dgp_graph_result *result, double *positions,
                                             gpugeo_dgp_vertex *order, gpugeo_report *report,
                                             gpugeo_error *error);

/* The edges of a file of distances. */
typedef struct gpugeo_dgp_file {
  gpugeo_dgp_edge *edges;
  int64_t edge_count;
  int64_t vertices;
  int64_t first; /* number of vertex 0 in the file; the others follow */
} gpugeo_dgp_file;

/*
 * Reads a file in the text format of MDjeep 0.3.2 (https://github.com/mucherino/mdjeep): a list of
 * distances, one on each line, or an MDfile (its name ends in ".mdf"), which contains the path of a
 * list, relative to its own folder or to the working directory, and its format and separator. Of
 * each line the fields Id1, Id2, lb and ub are read.
 *
 * format  of a list, in the words of MDfiles ("Id1 Id2 lb ub ignore"). NULL: by the number of
 * fields of the first line, that of MDjeep 0.1 ("Id1 Id2 lb ub ...") or 0.3 ("Id1 Id2 groupId1
 *         groupId2 lb ub ...").
 * run     its hooks are called; work_bytes limits the memory of the distances, 32 bytes each; 0:
 * the memory of the machine file    allocated by the call; the caller releases it with
 * gpugeo_dgp_file_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT, with the number of the line, if the file cannot be understood.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dgp_file_read(const char *path, const char *format,
                                                 const gpugeo_run *run, gpugeo_dgp_file *file,
                                                 gpugeo_error *error);

/* Releases the edges of a file. */
GPUGEO_EXPORT void gpugeo_dgp_file_free(gpugeo_dgp_file *file);

/* --- Graphs --------------------------------------------------------------------------------------
 */

/* A borrowed undirected graph. The weights of several edges between two vertices add up; an edge
   from a vertex to itself is ignored. */
typedef struct gpugeo_graph {
  int64_t vertices;          /* 0 to 2^31 - 1 */
  gpugeo_matrix edges;       /* edge count by 2, int32 or double: the two vertices of each edge */
  int64_t first;             /* number of the first vertex in edges: 0 or 1 */
  const double *weights;     /* of the edges, 0 to 1e9; NULL: all 1 */
  int64_t weights_length;    /* edge count */
  const char *const *labels; /* names of the vertices in messages and files; NULL: none */
} gpugeo_graph;

/* The edges of a file. */
typedef struct gpugeo_edge_file {
  int64_t vertices, edge_count;
  int64_t first;   /* number of the first vertex: 0 or 1 */
  int32_t *edges;  /* edge_count by 2, column-major, numbered as in the file */
  double *weights; /* edge_count elements; NULL: the file has no weights */
  int32_t header;  /* what the first line is, one of the constants below */
  int32_t gaps;    /* 1: fewer than half of the vertices have an edge, and the file does not state
                      their number */
} gpugeo_edge_file;

enum {
  GPUGEO_EDGE_NO_HEADER = 0,
  GPUGEO_EDGE_HEADER = 1,   /* it was left out of the edges */
  GPUGEO_EDGE_OR_HEADER = 2 /* an edge, but it also has the form of a header "vertices edges" */
};

/*
 * Reads a regular file of edges, also if it is compressed by gzip and gpugeo was built with zlib.
 * Numbers do not depend on the locale. The file is
 * - a list of edges, one on each line: two whole numbers and optionally a weight, separated by
 *   blanks, tabs or commas. Empty lines and lines that begin with # or % are ignored. The first
 *   line may be a header: words, as names of columns are, or "vertices edges", two numbers, if the
 *   number of lines that follow is the second number and no vertex is beyond the first; or
 * - a file in the Matrix Market format with the header "coordinate", "pattern", "real" or
 * "integer", "general" or "symmetric". The matrix must be square. Each entry is an edge, and its
 * value, which must be at least 0, the weight. Vertices are numbered from 1.
 *
 * first  number of the first vertex, 0 or 1; -1: 0 if the file has a vertex 0, else 1
 * header 1: the first line of a list is a header; 0: it is an edge; -1: it is a header if it cannot
 *        be an edge: words, or "vertices edges" before edges with weights
 * run    its hooks are called; work_bytes limits the memory of the edges while they are read, 32
 *        bytes each; 0: the memory of the machine
 * file   allocated by the call; the caller releases it with gpugeo_edge_file_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT, with the number of the line, if the file cannot be understood.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_edge_file_read(const char *path, int64_t first, int32_t header,
                                                  const gpugeo_run *run, gpugeo_edge_file *file,
                                                  gpugeo_error *error);

/* Releases the edges of a file. */
GPUGEO_EXPORT void gpugeo_edge_file_free(gpugeo_edge_file *file);

/* --- Force-directed layout -----------------------------------------------------------------------
 */

/* How the repulsion between all vertices is summed. */
typedef enum gpugeo_layout_repulsion {
  GPUGEO_LAYOUT_REPULSION_AUTO = 0,      /* the faster one, by the number of vertices */
  GPUGEO_LAYOUT_REPULSION_EXACT = 1,     /* over all pairs of vertices */
  GPUGEO_LAYOUT_REPULSION_BARNES_HUT = 2 /* over cells of a tree (Barnes and Hut 1986) */
} gpugeo_layout_repulsion;

/* Positions, in the options and results, are vertices by dim matrices, column-major. */
typedef struct gpugeo_layout_options {
  size_t size;          /* set by gpugeo_layout_options_init() */
  int32_t dim;          /* 2 or 3 */
  int64_t iterations;   /* maximum number on the full graph; -1: 500, or 50 with multilevel. Coarser
                           graphs take 50, small ones 200, the coarsest 500. */
  const double *init;   /* initial positions, finite; vertices that are not fixed are moved into the
                           bounds; NULL: random */
  int64_t init_length;  /* vertices times dim */
  const int32_t *fixed; /* one for each vertex, nonzero: it stays where init has it; NULL: none */
  int64_t fixed_length; /* vertices */
  const double *lower,
      *upper; /* bounds of each coordinate; -Inf and Inf: none; NULL: none at all */
  int64_t lower_length, upper_length; /* vertices times dim */
  double start_temp; /* maximum move in the first iteration, positive and finite; it then decreases
                        linearly to 0. NaN: sqrt(vertices); a tenth of that with init; with
                        multilevel half the mean length of the edges at the start. */
  double tolerance;  /* stops if no vertex moves further than this: at least 0, finite */
  gpugeo_layout_repulsion repulsion;
  double theta; /* Barnes-Hut: a cell is used as a whole if its size is less than theta times
                   its distance: in [0, 2]; NaN: 1.2 in the plane, 1 in space */
  int32_t expansion_order; /* Barnes-Hut: order of the multipole expansion of a cell: 0, 2 or 4 in
                         the plane, 0 or 2 in space; -1: 4 in the plane, 2 in space */
  int32_t multilevel; /* 1: lays out coarser graphs first; 0: does not; -1: does without init, fixed
                         and bounds, with which it cannot be 1. Graphs of up to 16 vertices have no
                         coarser graphs. */
  uint64_t seed;      /* of all random numbers */
  /*
   * Called with the positions every frame_every iterations, on the thread of the call. A nonzero
   * value stops the call with GPUGEO_ERROR_INTERRUPT. Components are packed in these positions,
   * too. Large components are laid out one after the other, with their iterations counted together;
   * a component that is not laid out yet is a point. It is not called for coarser graphs. NULL:
   * none.
   */
  int (*frame)(int64_t iteration, double temperature, const double *positions, void *frame_data);
  int64_t frame_every; /* at least 0; 0: never */
  void *frame_data;    /* passed to frame */
  gpugeo_run run;      /* precision is ignored */
} gpugeo_layout_options;

/* Fills *options with the defaults: dim = 2, -1 and NaN as above, tolerance = 0, repulsion auto,
   seed = 0, no bounds, no frames, frame_every = 10. size is
   sizeof(gpugeo_layout_options). */
GPUGEO_EXPORT void gpugeo_layout_options_init(gpugeo_layout_options *options, size_t size);

typedef struct gpugeo_layout_result {
  int64_t iterations; /* on the full graph: the maximum over the components */
  int32_t converged;  /* nonzero: no vertex moved further than the tolerance at the end */
  double energy;      /* sum over edges of w d^3 / 3, minus the sum over pairs of vertices of one
                         component of log d; estimated from 2^20 pairs if there are more than 12.5
                         million */
  double temperature; /* of the next iteration: the start_temp of a call that continues */
  int32_t levels;     /* graphs laid out for the largest component, including itself */
  int64_t components;
  gpugeo_layout_repulsion repulsion; /* used for the largest component */
} gpugeo_layout_result;

/* Computes the number of elements that gpugeo_layout() writes: vertices times dim. Checks all
   arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_layout_size(const gpugeo_graph *graph,
                                               const gpugeo_layout_options *options, int64_t *size,
                                               gpugeo_error *error);

/*
 * Computes positions of the vertices by the forces of Fruchterman and Reingold (1991), "Graph
 * drawing by force-directed placement", Software: Practice and Experience 21: an attraction of w
 * d^2 along an edge of weight w, and a repulsion of 1 / d between any two vertices, where d is
 * their distance. The unit of length is that of a single edge (their k). Each component is laid out
 * by itself and packed next to the others, unless init, fixed or bounds are given.
 *
 * positions  vertices by dim, column-major
 *
 * The result is the same bits for any number of threads and in every run of the same backend, but
 * not on the CPU and on CUDA. Except for the largest, components of up to 64 vertices are laid out
 * on the CPU and without coarser graphs.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_layout(const gpugeo_graph *graph,
                                          const gpugeo_layout_options *options, double *positions,
                                          gpugeo_layout_result *result, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_layout_quality_options {
  size_t size;       /* set by gpugeo_layout_quality_options_init() */
  int64_t pivots;    /* vertices from which distances are measured, 0 to vertices; -1: all if there
                        are at most 5,000, else 200 */
  int64_t crossings; /* pairs of edges that are tested, at least 0; -1: all if there are at most
                        10^7, else 10^6 */
  uint64_t seed;     /* of both samples */
  gpugeo_run run;    /* backend AUTO or CPU; precision is ignored */
} gpugeo_layout_quality_options;

/* Fills *options with the defaults: -1 as above, seed = 0. size is
   sizeof(gpugeo_layout_quality_options). */
GPUGEO_EXPORT void gpugeo_layout_quality_options_init(gpugeo_layout_quality_options *options,
                                                      size_t size);

/* Measures of a layout; NaN if the graph has nothing to measure. */
typedef struct gpugeo_layout_quality_result {
  double stress; /* sum of w (s d - g)^2 / sum of w g^2 over pairs of vertices, with distance d in
                    the layout, distance g in the graph, w = g^-2 and the best factor s (Gansner, Hu
                    and North 2013) */
  double scale;  /* the factor s */
  double neighborhood; /* mean Jaccard index between the neighbours of a vertex in the graph and as
                          many nearest vertices in the layout */
  double edge_variation; /* standard deviation of the lengths of the edges, divided by their mean */
  double crossings;      /* pairs of edges that cross, estimated from the sample; dim 2 only */
  double crossings_error; /* its standard error; 0 if all pairs were tested */
  double energy;          /* as in gpugeo_layout_result */
  int64_t pivots;         /* number used */
} gpugeo_layout_quality_result;

/* Measures a layout. positions is vertices by 2 or 3, of any type, finite. */
GPUGEO_EXPORT gpugeo_status gpugeo_layout_quality(const gpugeo_graph *graph,
                                                  const gpugeo_matrix *positions,
                                                  const gpugeo_layout_quality_options *options,
                                                  gpugeo_layout_quality_result *quality,
                                                  gpugeo_report *report, gpugeo_error *error);

/* The most rows and columns of an image of gpugeo_layout_raster(). */
enum { GPUGEO_RASTER_SIDE_MAX = 16384 };

typedef struct gpugeo_layout_raster_options {
  size_t size;             /* set by gpugeo_layout_raster_options_init() */
  int32_t width, height;   /* of the image in pixels: 1 to GPUGEO_RASTER_SIDE_MAX */
  double xlim[2], ylim[2]; /* coordinates at its left and right, and at its bottom and top edge */
  gpugeo_run run;          /* on the CPU; work_bytes, if not 0: at least 8 a pixel, 16 a vertex */
} gpugeo_layout_raster_options;

/* Fills *options with the defaults: 1,024 by 1,024 pixels, from 0 to 1. size is
   sizeof(gpugeo_layout_raster_options). */
GPUGEO_EXPORT void gpugeo_layout_raster_options_init(gpugeo_layout_raster_options *options,
                                                     size_t size);

/*
 * Draws the edges of a graph as straight lines of one pixel's width, with smooth borders, that add
 * up where they overlap. The result has the same bits for any number of threads.
 *
 * positions  vertices by at least 2, of which the first 2 are drawn; finite
 * lines      height rows of width pixels, the top one first: the total length of all lines in a
 *            pixel, so that a line along a row adds 1 to each pixel; in steps of 1 / 256
 */
GPUGEO_EXPORT gpugeo_status gpugeo_layout_raster(const gpugeo_graph *graph,
                                                 const gpugeo_matrix *positions,
                                                 const gpugeo_layout_raster_options *options,
                                                 double *lines, gpugeo_error *error);

typedef enum gpugeo_graph_format {
  GPUGEO_GRAPH_FORMAT_AUTO = 0,    /* CX2 if the name of the file ends in ".cx2", else GraphML */
  GPUGEO_GRAPH_FORMAT_GRAPHML = 1, /* http://graphml.graphdrawing.org/specification.html */
  GPUGEO_GRAPH_FORMAT_CX2 = 2      /* https://cytoscape.org/cx/cx2/specification/ */
} gpugeo_graph_format;

/*
 * Writes a layout of a graph to a file. Vertices have the attributes x, y and, in space, z, and name
 * if the graph has labels; edges have weight if the graph has weights. Numbers have 17 digits, which
 * keep all their bits. Vertices, and in CX2 edges, are numbered from 1.
 *
 * graph      labels: UTF-8, in GraphML without control characters; NULL: no names
 * positions  vertices by 2 or 3; finite
 * path       a file that exists is replaced when the new one is complete
 * run        its interrupt hook is called
 *
 * Fails with GPUGEO_ERROR_FILE if the file cannot be written.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_graph_write(const gpugeo_graph *graph,
                                               const gpugeo_matrix *positions, const char *path,
                                               gpugeo_graph_format format, const gpugeo_run *run,
                                               gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
