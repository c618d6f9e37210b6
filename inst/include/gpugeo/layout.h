/* Graphs, force-directed layouts and their quality. Part of gpugeo.h. */
#ifndef GPUGEO_LAYOUT_H
#define GPUGEO_LAYOUT_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Graphs ----------------------------------------------------------------------------------- */

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
  const char *const *names; /* of the vertices, in UTF-8, the first one's first; NULL: numbers */
} gpugeo_edge_file;

enum {
  GPUGEO_EDGE_NO_HEADER = 0,
  GPUGEO_EDGE_HEADER = 1,   /* it was left out of the edges */
  GPUGEO_EDGE_OR_HEADER = 2 /* an edge, but it also has the form of a header "vertices edges" */
};

/*
 * Reads a regular file of edges; text also if it is compressed by gzip and gpugeo was built with
 * zlib.
 * Numbers do not depend on the locale. The file is
 * - a list of edges, one on each line: two whole numbers and optionally a weight, separated by
 *   blanks, tabs or commas. Empty lines and lines that begin with # or % are ignored. The first
 *   line may be a header: words, as names of columns are, or "vertices edges", two numbers, if the
 *   number of lines that follow is the second number and no vertex is beyond the first; or
 * - a file in the Matrix Market format with the header "coordinate", "pattern", "real" or
 * "integer", "general" or "symmetric". The matrix must be square. Each entry is an edge, and its
 * value, which must be at least 0, the weight. Vertices are numbered from 1; or
 * - a file that gpugeo_graph_write() wrote with GPUGEO_GRAPH_FORMAT_CSR. Its edges are sorted by
 *   their first vertices, and it states the number of vertices and that of the first; or
 * - GraphML, if gpugeo was built with expat: one graph of nodes, whose ids are the names, and
 *   edges, whose attribute "weight" is the weight. An edge without it has the default of this
 *   attribute, or 1. Directions and other attributes are ignored. Vertices are numbered from 1 in
 *   the order in which the file has them. Hyperedges, ports, graphs in graphs, and a document type
 *   are refused.
 *
 * first  number of the first vertex, 0 or 1; -1: 0 if the file has a vertex 0, else 1
 * header 1: the first line of a list is a header; 0: it is an edge; -1: it is a header if it cannot
 *        be an edge: words, or "vertices edges" before edges with weights
 * run    its hooks are called; work_bytes limits the memory of the edges while they are read, 32
 *        bytes each (of CSR 16, and 8 for each vertex), and as much those of names; 0: the memory
 *        of the machine
 * file   allocated by the call; the caller releases it with gpugeo_edge_file_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT, with the number of the line, if the file cannot be understood.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_edge_file_read(const char *path, int64_t first, int32_t header,
                                                  const gpugeo_run *run, gpugeo_edge_file *file,
                                                  gpugeo_error *error);

/* Releases the edges of a file. */
GPUGEO_EXPORT void gpugeo_edge_file_free(gpugeo_edge_file *file);

/* --- Layouts ---------------------------------------------------------------------------------- */

/* What a layout minimizes. */
typedef enum gpugeo_layout_algorithm {
  GPUGEO_LAYOUT_ALGORITHM_FR = 0,        /* the energy of forces: Fruchterman and Reingold (1991) */
  GPUGEO_LAYOUT_ALGORITHM_STRESS = 1,    /* stress: distances are those in the graph */
  GPUGEO_LAYOUT_ALGORITHM_STRESS_FR = 2, /* stress, then forces that move neighbours together */
  GPUGEO_LAYOUT_ALGORITHM_COUNT = 3
} gpugeo_layout_algorithm;

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
                           graphs take 50, small ones 200, the coarsest 500. Stress: -1 is 500, or
                           100 for components of more than 10,000 vertices that are
                           not all pivots. */
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
                         and bounds, with which it cannot be 1. Graphs of up to 128 vertices have no
                         coarser graphs, but start as the coarsest one does. */
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
  gpugeo_run run;      /* precision is ignored; with lengths: backend AUTO or CPU */
  gpugeo_layout_algorithm algorithm;
  /* Stress only: */
  int64_t pivots;        /* vertices from which distances in the graph are computed, at least 1; all
                            vertices in components of up to 1,000 */
  const double *lengths; /* of the edges, 1e-300 to 1e300; NULL: all 1 */
  int64_t lengths_length; /* edge count */
  /* Stress: at most one of constrain, radius and focus, and none with lower or upper. */
  const double *constrain;  /* coordinates that vertices keep; NaN: free; NULL: none */
  int64_t constrain_length; /* vertices times dim */
  const double *radius;     /* distance of each vertex from the origin, at least 0; NaN: free; NULL:
                               none */
  int64_t radius_length;    /* vertices */
  int64_t focus; /* vertex, counted from 1, from which the distances in the graph are the radii;
                    it must reach all others. 0: none */
  double init_weight; /* share of init, from 0 to 1, in the mean to which a vertex moves, the rest
                         being that of its terms of stress */
} gpugeo_layout_options;

/* Fills *options with the defaults: dim = 2, -1 and NaN as above, tolerance = 0, repulsion auto,
   seed = 0, no bounds, no frames, frame_every = 10, algorithm FR, pivots = 200. size is
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
  gpugeo_layout_algorithm algorithm;
  int64_t pivots; /* stress: of the largest component; else 0 */
  double
      stress; /* stress: as in gpugeo_layout_quality_result, over the pairs of a pivot and a
                 vertex of its component, with distances by lengths; NaN without pairs; else NaN */
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
 * their distance. The unit of length is that of a single edge (their k). With multilevel, the
 * coarsest graph starts from classical scaling of its distances from up to 50 pivots. Each
 * component is laid out by itself and packed next to the others, unless init, fixed or bounds are
 * given.
 *
 * With the algorithm STRESS, positions minimize the sum of w (d - g)^2 over pairs of a pivot and a
 * vertex, with their distances d in the layout and g in the graph and w = s / g^2, and over edges
 * with w = 1 / g^2 (Ortmann, Klimenta and Brandes 2017, "A sparse stress model"); s is the number
 * of vertices for which the pivot stands. If all vertices are pivots, this is the stress of all
 * pairs. Positions start from classical scaling of the distances from up to 50 pivots (Brandes and
 * Pich 2007), or from init, and are improved by majorization. The unit of length is that of
 * lengths. Weights are ignored. Components are laid out and packed as above. start_temp, repulsion,
 * theta, expansion_order and multilevel must have their defaults. Iterations end if stress
 * decreases by less than 1e-4 of it, from the 100th on by less than 2e-5, 1e-6 if all vertices are
 * pivots.
 *
 * STRESS_FR has the arguments of STRESS. Its layout is then scaled to where the energy of forces is
 * least, moved by up to 30 of their iterations from a temperature of half the mean length of an
 * edge, and scaled back. With lengths l, the weight of an edge is (u / l)^3, at most 1e9, where u
 * is the power of two below the mean length; else it is 1. If a component then keeps fewer than 0.9
 * of the neighbours that it keeps with FR, or does not have less stress, it starts again from that
 * layout: up to 24 steps, each a share of an iteration of stress and 10 of forces, lower stress as
 * long as 0.9 of these neighbours are kept. Not with init, iterations, bounds or constrain. Frames
 * show the iterations by stress.
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

/* --- Distances in graphs ---------------------------------------------------------------------- */

typedef struct gpugeo_graph_distances_options {
  size_t size;            /* set by gpugeo_graph_distances_options_init() */
  const double *from;     /* vertices from which distances are computed, numbered as in the edges;
                             NULL: all */
  int64_t from_length;    /* number of these vertices */
  const double *lengths;  /* of the edges, positive and finite; NULL: all 1 */
  int64_t lengths_length; /* edge count */
  gpugeo_run run;         /* precision is ignored */
} gpugeo_graph_distances_options;

/* Fills *options with the defaults: from all vertices, all lengths 1. size is
   sizeof(gpugeo_graph_distances_options). */
GPUGEO_EXPORT void gpugeo_graph_distances_options_init(gpugeo_graph_distances_options *options,
                                                       size_t size);

/* Computes the number of elements that gpugeo_graph_distances() writes: from_length times vertices.
   Checks all arguments, and the memory as gpugeo_dist_size() does. */
GPUGEO_EXPORT gpugeo_status gpugeo_graph_distances_size(
    const gpugeo_graph *graph, const gpugeo_graph_distances_options *options, int64_t *size,
    gpugeo_error *error);

/*
 * Computes the lengths of shortest paths from some vertices to all. The weights of the graph are
 * ignored. Of several edges between two vertices the shortest counts. Lengths are added from the
 * first vertex of a path on, each sum rounded to double, and the least sum is the distance: the
 * same bits for any number of threads and any backend. The sums of a path and of its reverse may be
 * rounded differently.
 *
 * distances  from_length by vertices, column-major; INFINITY where there is no path, or where its
 *            length is beyond the range of doubles
 */
GPUGEO_EXPORT gpugeo_status gpugeo_graph_distances(const gpugeo_graph *graph,
                                                   const gpugeo_graph_distances_options *options,
                                                   double *distances, gpugeo_report *report,
                                                   gpugeo_error *error);

/* --- Images and files ------------------------------------------------------------------------- */

/* The most rows and columns of an image of gpugeo_layout_raster(), and of a picture of which it is
   a tile. */
enum { GPUGEO_RASTER_SIDE_MAX = 16384, GPUGEO_RASTER_LEVEL_MAX = 1 << 24 };

typedef struct gpugeo_layout_raster_options {
  size_t size;             /* set by gpugeo_layout_raster_options_init() */
  int32_t width, height;   /* of the image in pixels: 1 to GPUGEO_RASTER_SIDE_MAX */
  double xlim[2], ylim[2]; /* coordinates at the left and right, and at the bottom and top edge of
                              the picture */
  gpugeo_run run;          /* precision is ignored; work_bytes, if not 0: at least 8 a pixel, 16 a
                              vertex */
  int32_t zoom;            /* the picture has 2^zoom columns and 2^zoom rows of tiles, and the image
                              is one of them; 0: it is the picture */
  const double *tile;  /* its column and row, from 0 at the left and at the top; NULL at zoom 0 */
  int64_t tile_length; /* 2 */
  double scale;        /* lines in a pixel with the last colour; 0: it is computed */
  double *used_scale;  /* NULL, or to be filled with the scale. If that is computed, all tiles
                          are drawn, one after the other: the value below or at which 99.9 % of
                          the pixels with a line are, in all tiles, rounded down to 8 binary
                          digits, and at least 4. It is the same for all tiles. */
} gpugeo_layout_raster_options;

/* Fills *options with the defaults: 1,024 by 1,024 pixels, from 0 to 1. size is
   sizeof(gpugeo_layout_raster_options). */
GPUGEO_EXPORT void gpugeo_layout_raster_options_init(gpugeo_layout_raster_options *options,
                                                     size_t size);

/*
 * Draws the edges of a graph as straight lines of one pixel's width, with smooth borders, that add
 * up where they overlap. The result has the same bits for any number of threads and any backend,
 * and a tile those of its part of a picture of 2^zoom width by 2^zoom height pixels.
 *
 * positions  vertices by at least 2, of which the first 2 are drawn; finite
 * lines      height rows of width pixels, the top one first: the total length of all lines in a
 *            pixel, so that a line along a row adds 1 to each pixel; in steps of 1 / 256
 */
GPUGEO_EXPORT gpugeo_status gpugeo_layout_raster(const gpugeo_graph *graph,
                                                 const gpugeo_matrix *positions,
                                                 const gpugeo_layout_raster_options *options,
                                                 double *lines, gpugeo_report *report,
                                                 gpugeo_error *error);

typedef enum gpugeo_graph_format {
  GPUGEO_GRAPH_FORMAT_AUTO = 0,    /* CX2 or CSR if the name of the file ends in ".cx2" or ".csr",
                                      else GraphML */
  GPUGEO_GRAPH_FORMAT_GRAPHML = 1, /* http://graphml.graphdrawing.org/specification.html */
  GPUGEO_GRAPH_FORMAT_CX2 = 2,     /* https://cytoscape.org/cx/cx2/specification/ */
  GPUGEO_GRAPH_FORMAT_CSR = 3,     /* binary compressed sparse rows: edges and weights only */
  GPUGEO_GRAPH_FORMAT_COUNT = 4
} gpugeo_graph_format;

/*
 * Writes a layout of a graph to a file. Vertices have the attributes x, y and, in space, z, and
 * name if the graph has labels; edges have weight if the graph has weights. Numbers have 17 digits,
 * which keep all their bits. Vertices, and in CX2 edges, are numbered from 1.
 *
 * GPUGEO_GRAPH_FORMAT_CSR has neither positions nor labels, and gpugeo_edge_file_read() reads it.
 * Its numbers have the byte order of the machine: a header of 40 bytes (the bytes 89 47 47 43 53 52
 * 0d 0a; int32 0x01020304 and the version, 1; int64 numbers of vertices and of edges; int32 number
 * of the first vertex, and 1 if there are weights, else 0), vertices + 1 int64 starts of rows, for
 * each edge, in the row of its first vertex, the second one as int32, numbered from 0, then zeros
 * up to a multiple of 8 bytes, and the weights as doubles. Edges of a row stay in their order.
 *
 * graph      labels: UTF-8, in GraphML without control characters; NULL: no names
 * positions  vertices by 2 or 3; finite; in CSR also NULL or without columns
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
