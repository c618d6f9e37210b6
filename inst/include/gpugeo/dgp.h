/* Distance geometry on the line, of cycles and graphs. Part of gpugeo.h. */
#ifndef GPUGEO_DGP_H
#define GPUGEO_DGP_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
