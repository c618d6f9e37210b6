/*
 * gpugeo: geometry on the GPU, and on the CPU where there is none.
 *
 * The public C API. It speaks of no CUDA, R or Octave type.
 *
 * Conventions
 * - Every function that can fail returns a gpugeo_status; results leave through pointers at the end
 *   of the argument list. Sizes are int64_t, indices start at 0.
 * - A gpugeo_error belongs to the caller and may be NULL. It is written only on failure.
 * - Matrices are borrowed views, column-major, never kept beyond the call.
 * - Option structs begin with their size, so that they can grow: always fill them with their
 *   _init() function first.
 * - Memory for results belongs to the caller; a _size() twin tells how much is needed.
 * - All functions may be called from one thread at a time. The two hooks run on that thread.
 */
#ifndef GPUGEO_H
#define GPUGEO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUGEO_VERSION "0.1.0"

/* What a call came to. */
typedef enum gpugeo_status {
  GPUGEO_OK = 0,
  GPUGEO_ERROR_ARGUMENT = 1,  /* an argument has a value or a shape that is not allowed */
  GPUGEO_ERROR_DATA = 2,      /* the data do not allow the computation (a singular covariance) */
  GPUGEO_ERROR_MEMORY = 3,    /* host or device memory does not suffice */
  GPUGEO_ERROR_BACKEND = 4,   /* the backend or device asked for is not there */
  GPUGEO_ERROR_DEVICE = 5,    /* a device call failed during the computation */
  GPUGEO_ERROR_INTERRUPT = 6, /* the interrupt hook asked to stop */
} gpugeo_status;

/* Owned by the caller. The message names the argument, its value and what is allowed. */
typedef struct gpugeo_error {
  int32_t code;      /* a gpugeo_status */
  char argument[32]; /* the argument at fault, or "" */
  char message[512];
} gpugeo_error;

/* Storage of a matrix. */
typedef enum gpugeo_type {
  GPUGEO_DOUBLE = 0, /* missing: any NaN */
  GPUGEO_FLOAT = 1,  /* missing: any NaN */
  GPUGEO_INT32 = 2,  /* missing: INT32_MIN, as in R */
} gpugeo_type;

/* A borrowed view: element (i, k) stands at data[i + k * ld]. */
typedef struct gpugeo_matrix {
  const void *data; /* may be NULL when nrow or ncol is 0 */
  gpugeo_type type;
  int64_t nrow, ncol, ld; /* ld >= nrow */
} gpugeo_matrix;

/* --- How to run: common to all families ------------------------------------------------------- */

typedef enum gpugeo_backend {
  GPUGEO_AUTO = 0, /* CUDA where a device is there and the problem pays for the copies, else CPU */
  GPUGEO_CPU = 1,
  GPUGEO_CUDA = 2,
} gpugeo_backend;

typedef enum gpugeo_precision {
  GPUGEO_PRECISION_DOUBLE = 0,
  /* Input is rounded to float and summed in float; still in double where that can't be: values
     beyond float's range, more than 2^24 coordinates, Minkowski with p other than 1 and 2. */
  GPUGEO_PRECISION_SINGLE = 1,
} gpugeo_precision;

typedef struct gpugeo_run {
  size_t size; /* sizeof(gpugeo_run) */
  gpugeo_backend backend;
  int32_t device;  /* CUDA device, from 0; -1: the current one */
  int32_t threads; /* CPU threads; 0: gpugeo_default_threads() */
  gpugeo_precision precision;
  int64_t work_bytes; /* most working memory beside input and output; 0: 256 MiB on the host, and
                         what the device has free. Never changes a result. */
  /* Asked about ten times a second: nonzero stops the call with GPUGEO_ERROR_INTERRUPT. */
  int (*interrupt)(void *hook_data);
  /* Told about ten times a second which fraction is done, in [0, 1]. */
  void (*progress)(double fraction, void *hook_data);
  void *hook_data;
} gpugeo_run;

void gpugeo_run_init(gpugeo_run *run);

/* Parse "auto", "cpu", "cuda" and "double", "single". */
gpugeo_status gpugeo_backend_find(const char *name, gpugeo_backend *backend, gpugeo_error *error);
gpugeo_status gpugeo_precision_find(const char *name, gpugeo_precision *precision,
                                    gpugeo_error *error);

/* "auto", "cpu" or "cuda". */
const char *gpugeo_backend_name(gpugeo_backend backend);

/* What a finished call says of itself. */
enum {
  GPUGEO_NOTE_NONFINITE = 1,     /* metric binary met infinite values and took them as missing */
  GPUGEO_NOTE_ZERO_DEVIATION = 2 /* a constant column made correlations missing */
};

typedef struct gpugeo_report {
  gpugeo_backend backend; /* the one that made the result: CPU or CUDA */
  int32_t device;         /* CUDA device, or -1 */
  int32_t threads;        /* CPU threads in use */
  int32_t notes;          /* GPUGEO_NOTE_... */
  double seconds;         /* wall time of the call */
  double device_seconds;  /* of it, kernels on the device (0 on the CPU) */
} gpugeo_report;

/* --- What is there -------------------------------------------------------------------------- */

/* CPU threads a call takes by default: the first of GPUGEO_THREADS, two under R CMD check
   (_R_CHECK_LIMIT_CORES_), OMP_NUM_THREADS, the processors this process may use; never more than
   OMP_THREAD_LIMIT, and one in a process forked from one that has used gpugeo. */
int32_t gpugeo_default_threads(void);

/* The widest vector instructions in use: "avx512", "avx2" or "generic". */
const char *gpugeo_simd(void);

/* GPUGEO_OK when the backend can compute now, else GPUGEO_ERROR_BACKEND and the reason. */
gpugeo_status gpugeo_backend_available(gpugeo_backend backend, gpugeo_error *error);

typedef struct gpugeo_device {
  char name[128];
  int32_t major, minor; /* compute capability */
  int32_t multiprocessors;
  int64_t total_bytes, free_bytes;
} gpugeo_device;

/* Number of CUDA devices, 0 without any. */
int32_t gpugeo_device_count(void);
gpugeo_status gpugeo_device_get(int32_t device, gpugeo_device *info, gpugeo_error *error);

/* Give back device memory, pinned memory and streams. The next call takes them again. */
void gpugeo_release(void);

/* --- Distance matrices -------------------------------------------------------------------- */

/*
 * The metrics. m is the number of coordinates, d = a - b. Pairs of coordinates of which one is
 * missing are left out; where it says "scaled", the sum is then divided by the fraction that is
 * left, as stats::dist does. Without any pair left the distance is missing.
 */
typedef enum gpugeo_metric {
  GPUGEO_EUCLIDEAN = 0,   /* sqrt(sum d^2), scaled */
  GPUGEO_SQEUCLIDEAN = 1, /* sum d^2, scaled */
  GPUGEO_MANHATTAN = 2,   /* sum |d|, scaled */
  GPUGEO_MAXIMUM = 3,     /* max |d| */
  GPUGEO_CANBERRA = 4,    /* sum |d| / (|a| + |b|), scaled; 0 / 0 counts as missing */
  GPUGEO_BINARY = 5,      /* share of coordinates with one zero among those with a nonzero */
  GPUGEO_MINKOWSKI = 6,   /* (sum |d|^p)^(1/p), scaled */
  GPUGEO_SEUCLIDEAN = 7,  /* sqrt(sum (d / scale)^2), scaled */
  GPUGEO_MAHALANOBIS = 8, /* sqrt(d' C^-1 d); missing if a coordinate is not finite */
  GPUGEO_COSINE = 9,      /* 1 - a'b / (|a| |b|) */
  GPUGEO_PEARSON = 10,    /* 1 - Pearson's correlation */
  GPUGEO_SPEARMAN = 11,   /* 1 - Pearson's correlation of the ranks of each point's coordinates */
  GPUGEO_BRAYCURTIS = 12, /* sum |d| / sum (a + b) */
  GPUGEO_HAMMING = 13,    /* share of coordinates that differ */
  GPUGEO_JACCARD = 14,    /* share that differ among coordinates with a nonzero */
  GPUGEO_METRICS = 15     /* how many */
} gpugeo_metric;

/* Find a metric by its name in R or in Octave, or an unambiguous beginning of one. */
gpugeo_status gpugeo_metric_find(const char *name, gpugeo_metric *metric, gpugeo_error *error);

/* Its first name, as in the R documentation. */
const char *gpugeo_metric_name(gpugeo_metric metric);

/* What the points are. */
typedef enum gpugeo_points {
  GPUGEO_ROWS = 0,   /* each row of the matrix is a point, as for stats::dist */
  GPUGEO_COLUMNS = 1 /* each column is one, as for stats::cor */
} gpugeo_points;

typedef enum gpugeo_layout {
  GPUGEO_CONDENSED = 0, /* within x: pairs (1,0), (2,0), ..., (n-1,0), (2,1), ...: n (n-1) / 2 */
  GPUGEO_FULL = 1       /* n_x by n_y, column-major; without y the symmetric n_x by n_x */
} gpugeo_layout;

typedef struct gpugeo_dist_options {
  size_t size; /* sizeof(gpugeo_dist_options) */
  gpugeo_metric metric;
  gpugeo_points points;
  gpugeo_layout layout;
  double p;             /* minkowski: positive and finite */
  const double *scale;  /* seuclidean: m positive standard deviations; NULL: those of x */
  int64_t scale_length; /* m */
  gpugeo_matrix cov;    /* mahalanobis: m by m, double, symmetric; data NULL: that of x */
  double missing;       /* the NaN that stands for a missing distance */
  gpugeo_run run;
} gpugeo_dist_options;

void gpugeo_dist_options_init(gpugeo_dist_options *options);

/* Number of elements that gpugeo_dist() writes; y may be NULL. Fails with GPUGEO_ERROR_MEMORY when
   so many of the given output type can't fit into this machine's memory and swap, or the GiB that
   GPUGEO_MEMORY allows. */
gpugeo_status gpugeo_dist_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                               const gpugeo_dist_options *options, gpugeo_type type, int64_t *size,
                               gpugeo_error *error);

/*
 * Distances between all points of x, or (y not NULL) between those of x and those of y.
 *
 * out      gpugeo_dist_size() elements of the given type (double or float), written in full
 * report   may be NULL
 *
 * The result is the same bits for any number of threads, any work_bytes and either backend.
 */
gpugeo_status gpugeo_dist(const gpugeo_matrix *x, const gpugeo_matrix *y,
                          const gpugeo_dist_options *options, gpugeo_type type, void *out,
                          gpugeo_report *report, gpugeo_error *error);

/* --- Correlation matrices ------------------------------------------------------------------- */

typedef enum gpugeo_cor_method {
  GPUGEO_COR_PEARSON = 0,
  GPUGEO_COR_SPEARMAN = 1
} gpugeo_cor_method;

/* What to do about missing values, as the argument `use` of stats::cor. */
typedef enum gpugeo_use {
  GPUGEO_EVERYTHING = 0,     /* a column with one has missing correlations */
  GPUGEO_ALL_OBS = 1,        /* an error */
  GPUGEO_COMPLETE_OBS = 2,   /* rows with one are left out; none left is an error */
  GPUGEO_NA_OR_COMPLETE = 3, /* rows with one are left out; none left gives missing */
  GPUGEO_PAIRWISE = 4        /* left out for each pair of columns by itself */
} gpugeo_use;

/* Parse "pearson", "spearman"; R's five names and MATLAB's "all", "complete", "pairwise". */
gpugeo_status gpugeo_cor_method_find(const char *name, gpugeo_cor_method *method,
                                     gpugeo_error *error);
gpugeo_status gpugeo_use_find(const char *name, gpugeo_use *use, gpugeo_error *error);

typedef struct gpugeo_cor_options {
  size_t size; /* sizeof(gpugeo_cor_options) */
  gpugeo_cor_method method;
  gpugeo_use use;
  double missing; /* the NaN that stands for a missing correlation */
  gpugeo_run run;
} gpugeo_cor_options;

void gpugeo_cor_options_init(gpugeo_cor_options *options);

/* Number of elements that gpugeo_cor() writes: ncol(x) times ncol(y), or ncol(x) squared. */
gpugeo_status gpugeo_cor_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                              const gpugeo_cor_options *options, gpugeo_type type, int64_t *size,
                              gpugeo_error *error);

/* Correlations between the columns of x, or (y not NULL) between those of x and those of y:
   a column-major matrix of the given type (double or float). */
gpugeo_status gpugeo_cor(const gpugeo_matrix *x, const gpugeo_matrix *y,
                         const gpugeo_cor_options *options, gpugeo_type type, void *out,
                         gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
