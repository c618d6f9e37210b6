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
 *   hclust, leaf_order, mst, dbscan, optics, lof, silhouette, pam, kmeans, validity, agreement,
 *   permanova, anosim, mrpp, mantel, pcoa, mds, closest, collisions, dgp, dgp_graph, dist_aa,
 *   dist_dna, dist_alleles, dist_edit, edit, fasta, layout, layout_quality, graph_distances, nj,
 *   boot_phylo, newick, tree, unifrac, faith, biom, decostand, diversity, rarefy, betadiver.
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

#include "gpugeo/aa.h"
#include "gpugeo/cluster.h"
#include "gpugeo/common.h"
#include "gpugeo/communities.h"
#include "gpugeo/cor.h"
#include "gpugeo/dgp.h"
#include "gpugeo/dist.h"
#include "gpugeo/edit.h"
#include "gpugeo/layout.h"
#include "gpugeo/ordination.h"
#include "gpugeo/points.h"
#include "gpugeo/sequences.h"
#include "gpugeo/trees.h"
#include "gpugeo/unifrac.h"
#include "gpugeo/validity.h"

#endif
