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
 * - All functions may be called from several threads at once, but what a call writes to, and a
 *   gpugeo_dist_file, is for one thread at a time. Devices serve one call at a time; others wait,
 * and ask their hooks. Options of the environment must not be changed (setenv) during a call.
 * - Hooks (progress, interrupt, and a layout's frame) run on the thread that made the call. They
 * may call all functions again. In a hook of a call that computes on CUDA, CUDA cannot be used:
 * with GPUGEO_AUTO the CPU computes, GPUGEO_CUDA fails with GPUGEO_ERROR_BACKEND, and so does
 * waiting for collisions that were launched on CUDA and are not finished.
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
  GPUGEO_ERROR_FILE = 7,      /* a file failed while it was read or written (a full disk) */
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

/* All CUDA devices that this build has code for, in distances, correlations and neighbours that
   take one of them long enough; else the current one. */
#define GPUGEO_ALL_DEVICES (-1)

/* Maximum number of CPU threads of a call. */
#define GPUGEO_MAX_THREADS 1024

typedef struct gpugeo_run {
  size_t size; /* sizeof(gpugeo_run) */
  gpugeo_backend backend;
  int32_t device;  /* CUDA device, from 0, or GPUGEO_ALL_DEVICES */
  int32_t threads; /* CPU threads, at most GPUGEO_MAX_THREADS; 0: gpugeo_default_threads(). Each
                      device has at least one. */
  gpugeo_precision precision;
  int64_t work_bytes; /* most working memory beside input and output, on each device; 0: 256 MiB on
                         the host, and what the device has free. Never changes a result. */
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
  GPUGEO_NOTE_NONFINITE = 1,      /* metric binary met infinite values and took them as missing */
  GPUGEO_NOTE_ZERO_DEVIATION = 2, /* a constant column made correlations missing */
  GPUGEO_NOTE_MISSING = 4         /* points without any distance: see gpugeo_missing */
};

/* Why a point has no distance to any other. */
enum {
  GPUGEO_ROW_EMPTY = 1,     /* all its coordinates are missing */
  GPUGEO_ROW_CONSTANT = 2,  /* they are all equal: pearson and spearman */
  GPUGEO_ROW_ZERO = 4,      /* they are all 0: cosine */
  GPUGEO_ROW_NOT_FINITE = 8 /* one is missing or infinite: mahalanobis */
};

enum { GPUGEO_MISSING_ROWS = 3 };

/* The distances in a result that are missing because of such points. They are looked for in
   distance matrices and k nearest neighbours, with metrics that stats::dist does not have. */
typedef struct gpugeo_missing {
  int64_t distances;      /* how many */
  int64_t x_rows, y_rows; /* how many such points x and y (the query) have */
  int64_t x_first[GPUGEO_MISSING_ROWS], y_first[GPUGEO_MISSING_ROWS]; /* the first, from 0 */
  int32_t reasons;                                                    /* GPUGEO_ROW_... of any */
} gpugeo_missing;

typedef struct gpugeo_report {
  gpugeo_backend backend; /* the one that made the result: CPU or CUDA */
  int32_t device;         /* the CUDA device, or -1: none, or several */
  int32_t devices;        /* how many computed, 0 on the CPU */
  int32_t threads;        /* CPU threads in use */
  int32_t notes;          /* GPUGEO_NOTE_... */
  double seconds;         /* wall time of the call */
  double device_seconds;  /* of it, kernels on the device that was busy longest (0 on the CPU) */
  gpugeo_missing missing; /* with GPUGEO_NOTE_MISSING */
} gpugeo_report;

/* --- What is there -------------------------------------------------------------------------- */

/* CPU threads a call takes by default: the first of GPUGEO_THREADS, two under R CMD check
   (_R_CHECK_LIMIT_CORES_), OMP_NUM_THREADS, and the processors this process may use; these are
   limited by the CPU quota of the process's control groups (cgroup v2 cpu.max, v1
   cpu.cfs_quota_us), rounded up. Never more than OMP_THREAD_LIMIT and GPUGEO_MAX_THREADS, and one
   in a process forked from one that has used gpugeo. A call with run.threads = 0 fails with
   GPUGEO_ERROR_ARGUMENT if GPUGEO_THREADS is set, not empty and not a whole number between 1 and
   GPUGEO_MAX_THREADS; this function then ignores it. */
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

typedef enum gpugeo_shape {
  GPUGEO_CONDENSED = 0, /* within x: pairs (1,0), (2,0), ..., (n-1,0), (2,1), ...: n (n-1) / 2 */
  GPUGEO_FULL = 1       /* n_x by n_y, column-major; without y the symmetric n_x by n_x */
} gpugeo_shape;

typedef struct gpugeo_dist_options {
  size_t size; /* sizeof(gpugeo_dist_options) */
  gpugeo_metric metric;
  gpugeo_points points;
  gpugeo_shape shape;
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

/* --- Tiles of a distance matrix -----------------------------------------------------------------
 *
 * A matrix that is larger than memory is computed in tiles: blocks of at most side x side pairs.
 * Within x they are those on and below the diagonal, numbered down one column of tiles after the
 * other. Every tile has the bits that the whole matrix has there, in whichever process, on
 * whichever machine it is computed.
 */

/* Points in memory, or in a dataset of an HDF5 file, which may be larger than memory and is read in
   panels. In the file, the second dimension is that of the rows, as R and Octave write it. */
typedef struct gpugeo_source {
  const gpugeo_matrix *matrix; /* NULL: the dataset */
  const char *file, *name;
} gpugeo_source;

/* The version of the HDF5 library that is in use, "" when gpugeo was built without it. */
const char *gpugeo_hdf5_version(void);

/* Rows and columns of such a matrix. */
gpugeo_status gpugeo_source_size(const gpugeo_source *x, int64_t *nrow, int64_t *ncol,
                                 gpugeo_error *error);

typedef struct gpugeo_tiles {
  int64_t nx, ny; /* points of x, and of y or of x again */
  int32_t within; /* not 0: pairs within x */
  int64_t side;   /* rows and columns of a tile; fewer in the last ones */
  int64_t count;  /* of tiles */
} gpugeo_tiles;

/* Pairs of the points [row, row + rows) of x with [column, column + columns) of y. */
typedef struct gpugeo_tile {
  int64_t row, rows, column, columns;
} gpugeo_tile;

/*
 * Cuts a matrix into tiles.
 *
 * ny      -1: within x
 * m       coordinates of a point, at least 0
 * side    0: the largest for which computing and storing a tile takes no more than `memory`
 * memory  bytes, at least 2^20; 0: 256 MiB
 */
gpugeo_status gpugeo_tiles_plan(int64_t nx, int64_t ny, int64_t m, int64_t side, int64_t memory,
                                gpugeo_tiles *tiles, gpugeo_error *error);

/* Where a tile is, counted from 0. */
gpugeo_status gpugeo_tiles_get(const gpugeo_tiles *tiles, int64_t index, gpugeo_tile *tile,
                               gpugeo_error *error);

/* How many numbers gpugeo_dist_share() writes. */
gpugeo_status gpugeo_dist_share_size(const gpugeo_source *x, const gpugeo_source *y,
                                     const gpugeo_dist_options *options, int64_t *size,
                                     gpugeo_error *error);

/* What tiles share: taken once over all of x, and y unless it is NULL, and given to each tile. It
   is the same on any machine. */
gpugeo_status gpugeo_dist_share(const gpugeo_source *x, const gpugeo_source *y,
                                const gpugeo_dist_options *options, double *shared,
                                gpugeo_error *error);

/*
 * Computes one tile.
 *
 * y       NULL: within x, as the tiles were planned
 * shared  what gpugeo_dist_share() wrote, or NULL: taken anew
 * out     tile.rows by tile.columns, column-major without gaps, double or float; a tile on the
 *         diagonal is a symmetric matrix
 *
 * options->shape is not looked at.
 */
gpugeo_status gpugeo_dist_tile(const gpugeo_source *x, const gpugeo_source *y,
                               const gpugeo_dist_options *options, const double *shared,
                               int64_t shared_length, const gpugeo_tiles *tiles, int64_t index,
                               gpugeo_type type, void *out, gpugeo_report *report,
                               gpugeo_error *error);

/* --- Distances in a file ------------------------------------------------------------------------
 *
 * An HDF5 file with the distances within x as one dataset, condensed or square, for a matrix larger
 * than memory. Its attributes are `size` (the number of points), `metric`, and `labels` where there
 * are any; a dataset `tiles_done` beside it counts the tiles that are written.
 */

typedef struct gpugeo_dist_file_options {
  size_t size; /* sizeof(gpugeo_dist_file_options) */
  const char *file;
  const char *name;          /* of the dataset; NULL: "dist", or "matrix" for the full one */
  gpugeo_shape shape;        /* full: in chunks, of 256 x 256 where there are so many points */
  gpugeo_type type;          /* double or float */
  const char *const *labels; /* UTF-8, one for each point; NULL: none */
  int64_t labels_length;
  int64_t side; /* of a tile, see gpugeo_tiles_plan(); 0: by the limit of working memory */
} gpugeo_dist_file_options;

void gpugeo_dist_file_options_init(gpugeo_dist_file_options *options);

/*
 * Computes the distances within x and writes them to a file, a tile after the other, while the next
 * one is computed. What was written is kept when the call fails, is interrupted or is killed: the
 * same call later goes on with the first tile that is missing, in tiles of the side that the file
 * was begun with, and does nothing when all are there. A file of other distances, or of anything
 * else, is an error. So is one with a user block, with numbers that contradict each other, or with
 * data in another file (external links and storage, virtual datasets): nothing is written to it.
 *
 * options->shape is not looked at. options->run.work_bytes is the limit of working memory, 2^20 at
 * the least.
 */
gpugeo_status gpugeo_dist_file_write(const gpugeo_source *x, const gpugeo_dist_options *options,
                                     const gpugeo_dist_file_options *file_options,
                                     gpugeo_report *report, gpugeo_error *error);

/* A file that is open for reading. */
typedef struct gpugeo_dist_file gpugeo_dist_file;

typedef struct gpugeo_dist_file_info {
  char name[128], metric[32];
  int64_t points;
  gpugeo_shape shape;
  gpugeo_type type;
  int64_t tiles, tiles_done; /* all distances are there when these are equal */
  int32_t labels;            /* not 0: points have labels */
} gpugeo_dist_file_info;

/* name: of the dataset; NULL: "dist" or "matrix". To be given to gpugeo_dist_file_close(). */
gpugeo_status gpugeo_dist_file_open(const char *file, const char *name, gpugeo_dist_file **opened,
                                    gpugeo_dist_file_info *info, gpugeo_error *error);
void gpugeo_dist_file_close(gpugeo_dist_file *file);

/* The label of a point, counted from 0; NULL without any. */
const char *gpugeo_dist_file_label(const gpugeo_dist_file *file, int64_t point);

/*
 * Reads the distances between some points and others, counted from 0, in any order.
 *
 * out      row_count by column_count, column-major
 * missing  put in place of a missing distance
 *
 * All tiles must be there.
 */
gpugeo_status gpugeo_dist_file_read(const gpugeo_dist_file *file, const int64_t *rows,
                                    int64_t row_count, const int64_t *columns, int64_t column_count,
                                    double missing, double *out, gpugeo_error *error);

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

/* --- Nearest neighbours, without the distance matrix -------------------------------------------
 */

typedef struct gpugeo_knn_options {
  size_t size; /* sizeof(gpugeo_knn_options) */
  gpugeo_metric metric;
  gpugeo_points points;
  double p; /* these as in gpugeo_dist_options; scale and cov NULL: those of x */
  const double *scale;
  int64_t scale_length;
  gpugeo_matrix cov;
  int64_t k;      /* gpugeo_knn(): neighbours of each point, at most as many as there are */
  double radius;  /* gpugeo_radius(): not NaN */
  double missing; /* the NaN that stands for a missing distance */
  gpugeo_run run; /* distances are doubles, whatever its precision */
} gpugeo_knn_options;

void gpugeo_knn_options_init(gpugeo_knn_options *options);

/* Number of elements that gpugeo_knn() writes to each of index and distance: k for every point of
   query, or of x. Checks all arguments; fails with GPUGEO_ERROR_MEMORY as gpugeo_dist_size() does.
 */
gpugeo_status gpugeo_knn_size(const gpugeo_matrix *x, const gpugeo_matrix *query,
                              const gpugeo_knn_options *options, int64_t *size,
                              gpugeo_error *error);

/*
 * The k points of x that are nearest to each point of query, or (query NULL) to each point of x,
 * which then is no neighbour of itself; others at the same place are. The distances are, bit for
 * bit, those of gpugeo_dist(x, query) or gpugeo_dist(x, NULL). Nearest first, ties by the smaller
 * index; a missing distance is beyond all others.
 *
 * index, distance  gpugeo_knn_size() elements each: a point a row, k columns, column-major; index
 *                  counts the points of x from 0
 */
gpugeo_status gpugeo_knn(const gpugeo_matrix *x, const gpugeo_matrix *query,
                         const gpugeo_knn_options *options, int32_t *index, double *distance,
                         gpugeo_report *report, gpugeo_error *error);

/* The neighbours of point i: elements start[i] to start[i + 1] - 1 of index and distance, nearest
   first, ties by the smaller index. */
typedef struct gpugeo_neighbors {
  int64_t points;
  int64_t *start; /* points + 1; the last is the number of all neighbours */
  int32_t *index; /* of points of x, from 0 */
  double *distance;
} gpugeo_neighbors;

/*
 * Likewise all points of x at a distance of at most options->radius; a missing distance is not.
 *
 * On success the caller owns *neighbors, to be given to gpugeo_neighbors_free(). Fails with
 * GPUGEO_ERROR_MEMORY when there are more than fit into this machine.
 */
gpugeo_status gpugeo_radius(const gpugeo_matrix *x, const gpugeo_matrix *query,
                            const gpugeo_knn_options *options, gpugeo_neighbors *neighbors,
                            gpugeo_report *report, gpugeo_error *error);
void gpugeo_neighbors_free(gpugeo_neighbors *neighbors);

/* --- Points: what closest pairs and collisions share ------------------------------------------ */

/* A pair of points and how far they are apart. */
typedef struct gpugeo_pair {
  int64_t i, j; /* rows of x, i < j; with y: i a row of x, j one of y */
  double distance;
} gpugeo_pair;

/* --- Closest pairs ------------------------------------------------------------------------------
 */

typedef enum gpugeo_closest_metric {
  GPUGEO_CLOSEST_EUCLIDEAN = 0,
  GPUGEO_CLOSEST_GREAT_CIRCLE = 1 /* columns are longitude and latitude in degrees */
} gpugeo_closest_metric;

/* All methods give the same result. AUTO is the grid. The others are those of Baroni, Braga and
   Moreano (2020), so that its figures can be repeated: points sorted along the first column in
   regions of 32, and divide and conquer. */
typedef enum gpugeo_closest_method {
  GPUGEO_CLOSEST_AUTO = 0,
  GPUGEO_CLOSEST_GRID = 1,
  GPUGEO_CLOSEST_SWEEP_V0 = 2,       /* Algorithm 1 */
  GPUGEO_CLOSEST_SWEEP_V1 = 3,       /* with optimisation 1: a point's loop ends at delta */
  GPUGEO_CLOSEST_SWEEP_V2 = 4,       /* with optimisation 2, too: the border shrinks with delta */
  GPUGEO_CLOSEST_DIVIDE_CONQUER = 5, /* CPU only */
  GPUGEO_CLOSEST_METHODS = 6         /* how many */
} gpugeo_closest_method;

/* Parse "euclidean", "great-circle"; "auto", "grid", "sweep-v0", ..., "divide-conquer". */
gpugeo_status gpugeo_closest_metric_find(const char *name, gpugeo_closest_metric *metric,
                                         gpugeo_error *error);
gpugeo_status gpugeo_closest_method_find(const char *name, gpugeo_closest_method *method,
                                         gpugeo_error *error);
const char *gpugeo_closest_method_name(gpugeo_closest_method method);

typedef struct gpugeo_closest_options {
  size_t size; /* sizeof(gpugeo_closest_options) */
  gpugeo_closest_metric metric;
  gpugeo_closest_method method;
  int64_t k;          /* pairs wanted, at most the number of pairs there are */
  int32_t distinct;   /* not 0: pairs at distance 0 don't count */
  double radius;      /* of the sphere, for great circles: positive */
  const double *box;  /* periodic lengths, one for each column (0: not periodic); NULL: none */
  int64_t box_length; /* ncol(x) */
  gpugeo_run run;
} gpugeo_closest_options;

void gpugeo_closest_options_init(gpugeo_closest_options *options);

/* Number of pairs that gpugeo_closest_pair() needs room for: options->k, when that and all else is
   allowed. Fails with GPUGEO_ERROR_MEMORY as gpugeo_dist_size() does. */
gpugeo_status gpugeo_closest_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const gpugeo_closest_options *options, int64_t *size,
                                  gpugeo_error *error);

/*
 * The k closest pairs among the rows of x, or (y not NULL) of one row of x and one of y; 1 to 3
 * columns, no missing or infinite coordinates. Nearest first, ties by (i, j). Integer coordinates
 * are compared exactly (as doubles when a box length is not whole); doubles by the squared distance
 * that fma gives in the order of the columns, all scaled by a power of two, so that no square
 * overflows and differences down to 2^-990 of the largest coordinate keep all digits; great circles
 * by haversine. The methods of the paper are for pairs within x, euclidean, without a box.
 *
 * pairs   room for gpugeo_closest_size()
 * found   how many there are: fewer than k only with `distinct`
 * ties    how many pairs share the smallest distance, 0 when none was found
 */
gpugeo_status gpugeo_closest_pair(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const gpugeo_closest_options *options, gpugeo_pair *pairs,
                                  int64_t *found, int64_t *ties, gpugeo_report *report,
                                  gpugeo_error *error);

/* --- Collisions ---------------------------------------------------------------------------------
 */

typedef enum gpugeo_collide_what {
  GPUGEO_COLLIDE_COUNT = 0,     /* how many pairs collide */
  GPUGEO_COLLIDE_PER_POINT = 1, /* also, for each point of x, with how many others */
  GPUGEO_COLLIDE_PAIRS = 2,     /* also which pairs */
  GPUGEO_COLLIDE_TABLE = 3      /* also how many for each pair of groups */
} gpugeo_collide_what;

/* All methods give the same result where they apply. */
typedef enum gpugeo_collide_method {
  GPUGEO_COLLIDE_AUTO = 0,
  GPUGEO_COLLIDE_GRID = 1,
  GPUGEO_COLLIDE_USUAL = 2,  /* all pairs: each point with those after it (ElfColCnt) */
  GPUGEO_COLLIDE_CYCLIC = 3, /* all pairs: each with the (n - 1) / 2 that follow it in the circle */
  GPUGEO_COLLIDE_LATTICE = 4 /* whole-numbered points that collide when equal: radius below 1 */
} gpugeo_collide_method;

/* Parse "count", "per_point", "pairs", "table"; "auto", "grid", "usual", "cyclic", "lattice". */
gpugeo_status gpugeo_collide_what_find(const char *name, gpugeo_collide_what *what,
                                       gpugeo_error *error);
gpugeo_status gpugeo_collide_method_find(const char *name, gpugeo_collide_method *method,
                                         gpugeo_error *error);

typedef struct gpugeo_collide_options {
  size_t size; /* sizeof(gpugeo_collide_options) */
  gpugeo_collide_what what;
  gpugeo_collide_method method;
  double radius;        /* two points collide at a distance of at most this: positive */
  const double *radii;  /* or at most r_i + r_j: one positive radius a point, those of x, then y */
  int64_t radii_length; /* nrow(x) + nrow(y) */
  int64_t exclude;      /* pairs with |i - j| <= exclude don't collide; 0 with y */
  const int32_t *group; /* for TABLE: the group of each point, from 0, those of x, then y */
  int64_t group_length; /* nrow(x) + nrow(y) */
  int32_t groups;       /* how many groups */
  const double *box; /* periodic lengths as in gpugeo_closest_options; at least twice the radius */
  int64_t box_length;
  gpugeo_run run;
} gpugeo_collide_options;

void gpugeo_collide_options_init(gpugeo_collide_options *options);

/* A computation under way, or finished. */
typedef struct gpugeo_collisions gpugeo_collisions;

/*
 * Begin to look for collisions among the rows of x, or (y not NULL) between those of x and of y; 1
 * to 3 columns, no missing or infinite coordinates. Returns when all that was given is checked and
 * copied: the work goes on beside the caller. The run's two hooks are not used. On success the
 * caller owns *collisions, to be given to gpugeo_collisions_free().
 */
gpugeo_status gpugeo_collisions_launch(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                       const gpugeo_collide_options *options,
                                       gpugeo_collisions **collisions, gpugeo_error *error);

/* The same, and wait for it, with the run's hooks; x and y are not copied. */
gpugeo_status gpugeo_collisions_find(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                     const gpugeo_collide_options *options,
                                     gpugeo_collisions **collisions, gpugeo_error *error);

/* Is it finished, well or not? Never waits. */
int32_t gpugeo_collisions_done(const gpugeo_collisions *collisions);

/* Wait until it is finished: `run` gives the hooks (NULL: none). Interrupted, the work still goes
   on and can be waited for again. Returns what the computation came to, as often as asked; count
   and report (either may be NULL) are those of the result. */
gpugeo_status gpugeo_collisions_wait(gpugeo_collisions *collisions, const gpugeo_run *run,
                                     int64_t *count, gpugeo_report *report, gpugeo_error *error);

/* Results of a finished one, copied to the caller's memory:
   per_point   one number for each row of x
   pairs       count by 2, column-major, from 0, ordered by (i, j), as int32 or double
   table       groups by groups, column-major; without y symmetric, a pair of two groups in both
               places, a pair within a group once */
gpugeo_status gpugeo_collisions_per_point(const gpugeo_collisions *collisions, double *per_point,
                                          gpugeo_error *error);
gpugeo_status gpugeo_collisions_pairs(const gpugeo_collisions *collisions, gpugeo_type type,
                                      void *pairs, gpugeo_error *error);
gpugeo_status gpugeo_collisions_table(const gpugeo_collisions *collisions, double *table,
                                      gpugeo_error *error);

/* Ends what is under way and frees all; NULL is allowed. */
void gpugeo_collisions_free(gpugeo_collisions *collisions);

/* --- One-dimensional distance geometry ----------------------------------------------------------
 */

/* All methods give the same result. */
typedef enum gpugeo_dgp_method {
  GPUGEO_DGP_AUTO = 0,
  GPUGEO_DGP_BRANCH_AND_PRUNE = 1,   /* depth first, CPU only */
  GPUGEO_DGP_EXHAUSTIVE = 2,         /* all 2^n rows of the matrix M */
  GPUGEO_DGP_MEET_IN_THE_MIDDLE = 3, /* sorted sums of two halves */
  GPUGEO_DGP_METHODS = 4             /* how many */
} gpugeo_dgp_method;

/* Parse "auto", "branch-and-prune", "exhaustive", "meet-in-the-middle". */
gpugeo_status gpugeo_dgp_method_find(const char *name, gpugeo_dgp_method *method,
                                     gpugeo_error *error);
const char *gpugeo_dgp_method_name(gpugeo_dgp_method method);

enum {
  GPUGEO_DGP_MOST = 127,      /* distances: their 2^n rows can be counted in two words */
  GPUGEO_DGP_ROWS_MOST = 30,  /* distances of which all sums can be had */
  GPUGEO_DGP_STEPS_CPU = 50,  /* a call that would take more than 2^50 steps is refused */
  GPUGEO_DGP_STEPS_CUDA = 56, /* likewise, on a device */
};

/* An unsigned number of 128 bits. */
typedef struct gpugeo_wide {
  uint64_t low, high;
} gpugeo_wide;

/* Its decimal digits and a closing 0. */
typedef struct gpugeo_decimal {
  char digits[40];
} gpugeo_decimal;
gpugeo_decimal gpugeo_wide_decimal(gpugeo_wide number);

typedef struct gpugeo_dgp_options {
  size_t size; /* sizeof(gpugeo_dgp_options) */
  gpugeo_dgp_method method;
  double tol;            /* a sum of at most this size is a solution: at least 0, finite */
  int64_t max_solutions; /* how many to return, those of smallest residual; 0: count only */
  int32_t exact;         /* not 0: decide by the real sum of the doubles; 0: by fixed-point sums,
                            which differ from it by less than n units of 2^-60 of the sum of d */
  int32_t symmetric;     /* not 0: a solution and its mirror image, all signs turned, are one */
  int32_t prune;         /* branch-and-prune: not 0: cut where the rest can't bring the sum back */
  gpugeo_run run;
} gpugeo_dgp_options;

void gpugeo_dgp_options_init(gpugeo_dgp_options *options);

/* A choice of signs: bit j of row is 1 where d[j] is added, 0 where it is subtracted. Row + 1 is
   the number of the row in the matrix M. */
typedef struct gpugeo_dgp_solution {
  gpugeo_wide row;
  double residual; /* |sum|, rounded once */
} gpugeo_dgp_solution;

typedef struct gpugeo_dgp_result {
  gpugeo_wide count;        /* solutions that there are */
  double expected;          /* that chance alone gives: 2^n 2 tol / sqrt(2 pi sum d^2), and half
                               of it where a solution and its mirror image are one */
  int64_t returned;         /* min(count, max_solutions) */
  gpugeo_dgp_method method; /* the one taken */
} gpugeo_dgp_result;

/* Checks all arguments and tells how many solutions gpugeo_dgp() needs room for: max_solutions, or
   the number of rows where that is less. Fails with GPUGEO_ERROR_MEMORY when so many can't fit into
   this machine's memory. */
gpugeo_status gpugeo_dgp_size(const double *d, int64_t n, const gpugeo_dgp_options *options,
                              int64_t *size, gpugeo_error *error);

/*
 * The choices of signs with |sum of s_j d_j| <= tol: realizations on the line of a cycle of n
 * distances, positive and finite. A quarter of the machine's memory is taken for sorted sums at the
 * most (half of what the device has free), or run.work_bytes; it decides how many distances method
 * meet-in-the-middle can take.
 *
 * solutions  room for gpugeo_dgp_size() (NULL when 0): smallest residual first, before it is
 *            rounded, ties by row
 */
gpugeo_status gpugeo_dgp(const double *d, int64_t n, const gpugeo_dgp_options *options,
                         gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions,
                         gpugeo_report *report, gpugeo_error *error);

/* The positions along a row: n + 1 partial sums from 0, each rounded once. */
void gpugeo_dgp_positions(const double *d, int64_t n, gpugeo_wide row, double *positions);

/* All 2^n sums, the vector r = M y, each rounded once; n at most 30. Their number is the size. */
gpugeo_status gpugeo_dgp_rows_size(const double *d, int64_t n, const gpugeo_run *run, int64_t *size,
                                   gpugeo_error *error);
gpugeo_status gpugeo_dgp_rows(const double *d, int64_t n, const gpugeo_run *run, double *sums,
                              gpugeo_report *report, gpugeo_error *error);

/* n distances in (0, 1), at least 2, of which one choice of signs, drawn at random, and its mirror
   image sum to 0 exactly. The same for the same seed, everywhere. */
gpugeo_status gpugeo_dgp_instance(int64_t n, uint64_t seed, double *d, gpugeo_error *error);

/* --- Distance geometry of a graph on the line ---------------------------------------------------
 */

/* Between vertices u and v (from 0) the distance is at least lower and at most upper. */
typedef struct gpugeo_dgp_edge {
  int64_t u, v;
  double lower, upper;
} gpugeo_dgp_edge;

typedef struct gpugeo_dgp_graph_options {
  size_t size;               /* sizeof(gpugeo_dgp_graph_options) */
  double tol;                /* a distance may miss its interval by this much: at least 0, finite */
  int64_t max_solutions;     /* realizations to return */
  const char *const *labels; /* what messages call the vertices; NULL: numbers from 1 */
  gpugeo_run run;            /* CPU only */
} gpugeo_dgp_graph_options;

void gpugeo_dgp_graph_options_init(gpugeo_dgp_graph_options *options);

typedef struct gpugeo_dgp_graph_result {
  gpugeo_wide count;      /* realizations, a mirror image counted as another */
  int32_t count_overflow; /* not 0: there are 2^128 or more, and count is 2^128 - 1 */
  int64_t returned;       /* rows of positions */
  int64_t blocks;         /* biconnected components of the graph */
  int64_t bridges;        /* those of them that are a single edge */
} gpugeo_dgp_graph_result;

/* A vertex in the order in which the search places them. */
typedef struct gpugeo_dgp_vertex {
  int64_t vertex;
  int64_t predecessor; /* a vertex placed before, with a known distance; -1: this is the first */
  int64_t block;       /* the block, from 0, that places it; -1: this is the first */
} gpugeo_dgp_vertex;

/* Room that positions need: max_solutions times vertices. Checks all arguments but whether the
   graph is connected; fails with GPUGEO_ERROR_MEMORY when so many can't fit into this machine. */
gpugeo_status gpugeo_dgp_graph_size(int64_t vertices, const gpugeo_dgp_edge *edges,
                                    int64_t edge_count, const gpugeo_dgp_graph_options *options,
                                    int64_t *size, gpugeo_error *error);

/*
 * The realizations on the line of a connected graph, vertex 0 at 0. Which end of each edge is to
 * the left makes the realization: where u is to the left of v, x_v - x_u is within tol of the
 * interval [lower, upper]. Edges between the same two vertices are one, with what their intervals
 * have in common; one with lower = upper = 0 has no left end. Where intervals leave a range for the
 * positions, its middle is returned.
 *
 * positions  room for max_solutions by vertices, column-major, leading dimension max_solutions
 * (NULL when 0) order      room for vertices; may be NULL
 *
 * Realizations are ordered by those of the blocks, the last block's changing fastest. Those of a
 * block that is a cycle of exact distances come as gpugeo_dgp() gives them with n tol for its n
 * edges, those of another one in the order of the search, each followed by its mirror image.
 */
gpugeo_status gpugeo_dgp_graph(int64_t vertices, const gpugeo_dgp_edge *edges, int64_t edge_count,
                               const gpugeo_dgp_graph_options *options,
                               gpugeo_dgp_graph_result *result, double *positions,
                               gpugeo_dgp_vertex *order, gpugeo_report *report,
                               gpugeo_error *error);

/* The edges of a file of distances. */
typedef struct gpugeo_dgp_file {
  gpugeo_dgp_edge *edges;
  int64_t edge_count;
  int64_t vertices;
  int64_t first; /* the file's number of vertex 0; those of the others follow */
} gpugeo_dgp_file;

/*
 * Reads a file in the text format of MDjeep: either a list of distances, one a line, or an MDfile
 * (its name ends in ".mdf") that names such a list, relative to its own folder or to the working
 * one, its format and its separator. Of each line the fields Id1, Id2, lb and ub are taken.
 *
 * format  of a list, in the words of MDfiles ("Id1 Id2 lb ub ignore"); NULL: the format of MDjeep
 *         0.1, "Id1 Id2 lb ub" and more, or that of 0.3, "Id1 Id2 groupId1 groupId2 lb ub" and
 *         more, whichever the first line has
 * run     its hooks and its work_bytes: the most memory that the distances may take, 32 bytes each;
 *         0: all memory of the machine
 *
 * On success the caller owns *file, to be given to gpugeo_dgp_file_free().
 */
gpugeo_status gpugeo_dgp_file_read(const char *path, const char *format, const gpugeo_run *run,
                                   gpugeo_dgp_file *file, gpugeo_error *error);
void gpugeo_dgp_file_free(gpugeo_dgp_file *file);

/* --- Graphs -------------------------------------------------------------------------------------
 */

/* A borrowed graph without directions: edge e joins the two vertices in row e of `edges`. Edges
   between the same two vertices add up; one from a vertex to itself counts for nothing. */
typedef struct gpugeo_graph {
  int64_t vertices;      /* at most 2^31 - 1 */
  gpugeo_matrix edges;   /* edge count by 2: numbers of vertices, whole, of type int32 or double */
  int64_t first;         /* the number of the first vertex: 0 or 1 */
  const double *weights; /* one for each edge, between 0 and 1e9; NULL: all 1 */
  int64_t weights_length;
  const char *const *labels; /* what messages call the vertices; NULL: their numbers */
} gpugeo_graph;

/* The edges of a file. */
typedef struct gpugeo_edge_file {
  int64_t vertices, edge_count;
  int64_t first;   /* the number of the first vertex: 0 or 1 */
  int32_t *edges;  /* edge_count by 2, column-major, numbers as in the file */
  double *weights; /* NULL: the file has none */
} gpugeo_edge_file;

/*
 * Reads a list of edges, one a line: two whole numbers and perhaps a weight, between blanks, tabs
 * or commas. Empty lines and lines that begin with # or % are left out. A first line "vertices
 * edges" is one when as many lines follow as its second number says, and no vertex is beyond its
 * first.
 *
 * Or a file in the Matrix Market format, which its first line tells: "coordinate" with "pattern",
 * "real" or "integer" and "general" or "symmetric". The matrix is square, each entry is an edge,
 * and its value the weight, at least 0. Vertices are numbered from 1.
 *
 * The file must be a regular one. It may be compressed by gzip where gpugeo was built with zlib.
 * Numbers do not depend on the locale.
 *
 * first  0 or 1: the number of the first vertex; -1: 0 if a vertex is numbered 0, else 1
 * run    its hooks and its work_bytes: the most memory that the edges may take while they are read,
 *        32 bytes each; 0: all memory of the machine
 *
 * On success the caller owns *file, to be given to gpugeo_edge_file_free().
 */
gpugeo_status gpugeo_edge_file_read(const char *path, int64_t first, const gpugeo_run *run,
                                    gpugeo_edge_file *file, gpugeo_error *error);
void gpugeo_edge_file_free(gpugeo_edge_file *file);

/* --- Force-directed layout ----------------------------------------------------------------------
 */

/* How the forces between all vertices are summed. */
typedef enum gpugeo_repulsion {
  GPUGEO_REPULSION_AUTO = 0, /* what was measured to be faster */
  GPUGEO_REPULSION_EXACT = 1,
  GPUGEO_REPULSION_BARNES_HUT = 2
} gpugeo_repulsion;

/* Parse "auto", "exact", "barnes-hut". */
gpugeo_status gpugeo_repulsion_find(const char *name, gpugeo_repulsion *repulsion,
                                    gpugeo_error *error);
const char *gpugeo_repulsion_name(gpugeo_repulsion repulsion);

typedef struct gpugeo_layout_options {
  size_t size;          /* sizeof(gpugeo_layout_options) */
  int32_t dim;          /* 2 or 3 */
  int64_t iterations;   /* at most so many on the graph itself; -1: 500, or 50 with multilevel;
                           coarser graphs take 50, small ones 200, the coarsest 500 */
  const double *init;   /* vertices by dim, column-major: where to begin, moved into the bounds
                           but for what is fixed; NULL: at random */
  int64_t init_length;  /* vertices times dim */
  const int32_t *fixed; /* one for each vertex: not 0 keeps it where init has it; NULL: none */
  int64_t fixed_length; /* vertices */
  const double *lower, *upper; /* bounds of the positions, as init; -Inf and Inf: none; or NULL */
  int64_t lower_length, upper_length;
  double start_temp; /* the longest move of the first iteration, which then falls linearly to 0;
                        positive; NaN: sqrt(vertices), a tenth of that with init, and with
                        multilevel half the mean length of the edges as they start */
  double tolerance;  /* stop when no vertex moves further than this: at least 0 */
  gpugeo_repulsion repulsion;
  double theta; /* Barnes-Hut: a cell is taken as a whole when its size is less than theta times its
                   distance: in [0, 2] */
  int32_t expansion_order; /* Barnes-Hut: of the expansion of a cell: 0, 2 or 4 in the plane; 0 or 2
                              in space; -1: 4 and 2 */
  int32_t multilevel; /* 1: coarser graphs first; 0: not; -1: without init, fixed or bounds, where
                         it must be off. Graphs of up to 16 vertices have no coarser ones. */
  uint64_t seed;
  /* Told the positions, vertices by dim, every so many iterations, on the calling thread; a nonzero
     answer stops the call with GPUGEO_ERROR_INTERRUPT. NULL, or 0: never. Components are packed in
     it, too; large ones are laid out one after the other, and their iterations counted on; what is
     not laid out yet is a point. Coarser graphs are not told of. */
  int (*frame)(int64_t iteration, double temperature, const double *positions, void *frame_data);
  int64_t frame_every;
  void *frame_data;
  gpugeo_run run;
} gpugeo_layout_options;

void gpugeo_layout_options_init(gpugeo_layout_options *options);

typedef struct gpugeo_layout_result {
  int64_t iterations; /* done on the graph itself: the most of any component */
  int32_t converged;  /* not 0: no vertex moved further than the tolerance at the end */
  double energy;      /* sum over edges of w d^3 / 3 less that over pairs of a component of log d,
                         estimated from 2^20 pairs where there are more than 12.5 million */
  double temperature; /* of the iteration that would have come next: to go on from here */
  int32_t levels;     /* graphs laid out for the largest component, itself among them */
  int64_t components;
  gpugeo_repulsion repulsion; /* the one taken for the largest component */
} gpugeo_layout_result;

/* Elements that gpugeo_layout() writes: vertices times dim. Checks all arguments. */
gpugeo_status gpugeo_layout_size(const gpugeo_graph *graph, const gpugeo_layout_options *options,
                                 int64_t *size, gpugeo_error *error);

/*
 * Positions of the vertices by the forces of Fruchterman and Reingold (1991): d^2 w along an edge
 * of weight w, 1 / d between any two vertices, so that 1 is the length of an edge by itself (their
 * k). Each component is laid out by itself and packed beside the others, unless init, fixed or
 * bounds say where things are.
 *
 * positions  vertices by dim, column-major
 *
 * The result is the same bits for any number of threads and on every run of the same backend.
 * Components of up to 64 vertices but the largest are laid out on the CPU, whatever the backend,
 * and without coarser graphs.
 */
gpugeo_status gpugeo_layout(const gpugeo_graph *graph, const gpugeo_layout_options *options,
                            double *positions, gpugeo_layout_result *result, gpugeo_report *report,
                            gpugeo_error *error);

typedef struct gpugeo_quality_options {
  size_t size;       /* sizeof(gpugeo_quality_options) */
  int64_t pivots;    /* vertices from which distances are taken; -1: all up to 5,000, else 200 */
  int64_t crossings; /* pairs of edges looked at; -1: all up to 10^7 pairs, else 10^6 of them */
  uint64_t seed;     /* of both samples */
  gpugeo_run run;    /* CPU only */
} gpugeo_quality_options;

void gpugeo_quality_options_init(gpugeo_quality_options *options);

/* How good a layout is. Missing (NaN) where the graph has nothing to measure. */
typedef struct gpugeo_quality {
  double stress;         /* sum of w (s d - g)^2 / sum of w g^2 with w = g^-2 over pairs, d apart in
                            the layout and g in the graph, with the best factor s */
  double scale;          /* that factor */
  double neighborhood;   /* mean Jaccard index of a vertex's g neighbours and its g nearest */
  double edge_variation; /* standard deviation of the edges' lengths over their mean */
  double crossings;      /* pairs of edges that cross, estimated when sampled; 2-D only */
  double crossings_error; /* standard error of that; 0 when counted */
  double energy;          /* as in gpugeo_layout_result */
  int64_t pivots;         /* taken */
} gpugeo_quality;

/* Measures a layout, positions being vertices by 2 or 3 and finite. */
gpugeo_status gpugeo_layout_quality(const gpugeo_graph *graph, const gpugeo_matrix *positions,
                                    const gpugeo_quality_options *options, gpugeo_quality *quality,
                                    gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
