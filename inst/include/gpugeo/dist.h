/* Distances and nearest neighbours: matrices, tiles, files, and distances that stay on a device.
   Part of gpugeo.h. */
#ifndef GPUGEO_DIST_H
#define GPUGEO_DIST_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Distance matrices ------------------------------------------------------------------------ */

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
  /* Measures of communities, for values of at least 0. A and B are the sums, or the numbers of
     coordinates above 0, of a and of b; J is the number of coordinates above 0 in both. */
  GPUGEO_METRIC_KULCZYNSKI = 17, /* 1 - (sum min / A + sum min / B) / 2 */
  GPUGEO_METRIC_CLARK = 18,      /* sqrt(mean (d / (a + b))^2) over the coordinates not 0 in a
                                    or b */
  GPUGEO_METRIC_ALTGOWER = 19,   /* mean |d| over the coordinates not 0 in a or b */
  GPUGEO_METRIC_MORISITA = 20,  /* 1 - 2 sum ab / ((l_a + l_b) A B), at least 0; l = sum a (a - 1) /
                                   (A (A - 1)) */
  GPUGEO_METRIC_HORN = 21,      /* the same with l = sum a^2 / A^2 */
  GPUGEO_METRIC_MOUNTFORD = 22, /* log 2 - M, exp(AM) + exp(BM) = 1 + exp((A + B - J) M) */
  GPUGEO_METRIC_RAUP = 23,      /* probability of at least J coordinates above 0 in both */
  GPUGEO_METRIC_BINOMIAL = 24,  /* sum (a log(a / n) + b log(b / n) + n log 2) / n, n = a + b */
  GPUGEO_METRIC_CHAO = 25,      /* 1 - UV / (U + V - UV), see the help of R's gpu_metric() */
  GPUGEO_METRIC_CAO = 26,       /* mean of log(n / 2) - (a log b + b log a) / n, at least 0.1 */
  GPUGEO_METRIC_SQUARED_CHORD = 27, /* sum (sqrt a - sqrt b)^2 */
  GPUGEO_METRIC_WAVE_HEDGES = 28,   /* sum |d| / max(a, b) */
  GPUGEO_METRIC_LORENTZIAN = 29,    /* sum log(1 + |d|) */
  GPUGEO_METRIC_SOERGEL = 30,       /* sum |d| / sum max(a, b) */
  GPUGEO_METRIC_MOTYKA = 31,        /* sum max(a, b) / sum (a + b) */
  GPUGEO_METRIC_SORENSEN = 32,      /* 1 - 2 J / (A + B) */
  GPUGEO_METRIC_OCHIAI = 33,        /* 1 - J / sqrt(A B) */
  GPUGEO_METRIC_SIMPSON = 34,       /* 1 - J / min(A, B) */
  GPUGEO_METRIC_TOPSOE = 35,        /* sum a log(2 a / n) + b log(2 b / n), n = a + b */
  GPUGEO_METRIC_JSD = 36,           /* half of topsoe: the divergence of Jensen and Shannon */
  GPUGEO_METRIC_JS = 37,            /* sqrt of jsd */
  GPUGEO_METRIC_JEFFREYS = 38,      /* sum d log(a / b) */
  GPUGEO_METRIC_BHATTACHARYYA = 39, /* -log(sum sqrt(a b)) */
  GPUGEO_METRIC_COUNT = 40
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
  const struct gpugeo_dist_lazy *lazy; /* distances to be written, on the host; x is NULL then.
                                          NULL: those within x */
} gpugeo_dist_file_options;

/* Fills *options with the defaults: condensed, double, no labels, those within x. `file` must be
   set afterwards. size is sizeof(gpugeo_dist_file_options). */
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
  char name[128], metric[32]; /* of the dataset; a name of GPUGEO_ENUM_METRIC or _DNA_MODEL */
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

/* --- Distances that stay on a device ---------------------------------------------------------- */

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

/* --- Distances that are computed when they are asked for --------------------------------------
 *
 * A family makes them of objects that are not points with coordinates: gpugeo_dist_dna_lazy() of
 * sequences. They keep what they need of these objects, and take no memory for distances.
 */
typedef struct gpugeo_dist_lazy gpugeo_dist_lazy;

/* Frees them; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_dist_lazy_free(gpugeo_dist_lazy *distances);

/* --- Distances as input --------------------------------------------------------------------------
 *
 * Functions that need the distances between points take them from one of several sources, and give
 * the same bits from all that hold the same values. The order of a condensed matrix is that of
 * GPUGEO_SHAPE_CONDENSED.
 */

/* Distances within n points. Exactly one of x, condensed, file, device and lazy is not NULL. */
typedef struct gpugeo_distances {
  const gpugeo_matrix *x;       /* points, whose distances are those of the options' metric */
  const double *condensed;      /* n (n - 1) / 2 distances in memory */
  int64_t condensed_points;     /* n, where they are condensed */
  const gpugeo_dist_file *file; /* an open file that is complete */
  const gpugeo_dist_device *device;
  const gpugeo_dist_lazy *lazy; /* computed on the host whatever the run's backend */
  uint64_t reserved[3];         /* must be 0; later versions take new sources from here */
} gpugeo_distances;

/* Computes the number of points, n, by which the caller allocates the results of the functions
   below. points: where those of x are; else not used. Checks no values and no options: the
   functions do. */
GPUGEO_EXPORT gpugeo_status gpugeo_distances_points(const gpugeo_distances *x, gpugeo_points points,
                                                    int64_t *n, gpugeo_error *error);

/* --- Nearest neighbours, without the distance matrix ------------------------------------------ */

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

/*
 * Do the same for distances of any source, in which points are numbered from 0: the k nearest other
 * points of each, and all others at a distance of at most options->radius. Those of points are
 * found as by the functions above; all others are read in tiles, on the host.
 *
 * index, distance  n by k, as gpugeo_knn() writes them
 */
GPUGEO_EXPORT gpugeo_status gpugeo_distances_knn(const gpugeo_distances *x,
                                                 const gpugeo_knn_options *options, int32_t *index,
                                                 double *distance, gpugeo_report *report,
                                                 gpugeo_error *error);
GPUGEO_EXPORT gpugeo_status gpugeo_distances_radius(const gpugeo_distances *x,
                                                    const gpugeo_knn_options *options,
                                                    gpugeo_neighbors *neighbors,
                                                    gpugeo_report *report, gpugeo_error *error);

/* Releases lists of neighbours. */
GPUGEO_EXPORT void gpugeo_neighbors_free(gpugeo_neighbors *neighbors);

#ifdef __cplusplus
}
#endif

#endif
