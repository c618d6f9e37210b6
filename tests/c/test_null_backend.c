/* Another backend than those that are built in: what its table says is all that gpugeo knows of it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "common/test_hooks.h"
#include "families.h"
#include "null_backend.h"

enum { SMALL = 64 };

static gpugeo_run run_on(int backend) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = (gpugeo_backend)backend;
  return run;
}

static void check_message(gpugeo_status status, gpugeo_status expected, const gpugeo_error *error,
                          const char *message) {
  CHECK(status == expected && strcmp(error->message, message) == 0,
        "status %d, \"%s\" instead of \"%s\"", status, error->message, message);
}

/* --- The list --------------------------------------------------------------------------------- */

static void test_list(void) {
  const gg_backend *cuda = gg_backend_of(GPUGEO_BACKEND_CUDA);
  const int before = gg_backend_count();
  CHECK(before >= 2 && gg_host_backend()->id == GPUGEO_BACKEND_CPU && cuda, "%d backends", before);
  CHECK(!gg_backend_of((gpugeo_backend)NULL_BACKEND), "the null backend is built in");
  CHECK(gg_backend_add(&null_backend), "no room");
  CHECK(gg_backend_count() == before + 1 && gg_backend_at(before) == &null_backend,
        "%d backends after %d", gg_backend_count(), before);
  CHECK(gg_backend_of((gpugeo_backend)NULL_BACKEND) == &null_backend, "it is not found");

  static gg_backend other;
  other = *cuda;
  CHECK(gg_backend_add(&other) && gg_backend_of(GPUGEO_BACKEND_CUDA) == &other,
        "it is not replaced");
  CHECK(gg_backend_count() == before + 1, "%d backends", gg_backend_count());
  CHECK(gg_backend_add(cuda) && gg_backend_of(GPUGEO_BACKEND_CUDA) == cuda, "it is not back");
}

static void test_names(void) {
  int32_t found = GPUGEO_BACKEND_AUTO;
  gpugeo_error error = {0};
  CHECK(!gpugeo_find(GPUGEO_ENUM_BACKEND, "null", &found, &error) && found == NULL_BACKEND, "%s",
        error.message);
  CHECK(strcmp(gpugeo_name(GPUGEO_ENUM_BACKEND, (gpugeo_backend)NULL_BACKEND), "null") == 0,
        "its name is %s", gpugeo_name(GPUGEO_ENUM_BACKEND, (gpugeo_backend)NULL_BACKEND));
  check_message(gpugeo_find(GPUGEO_ENUM_BACKEND, "nil", &found, &error), GPUGEO_ERROR_ARGUMENT,
                &error,
                "backend must be one of \"auto\", \"cpu\", \"cuda\", \"null\", not \"nil\"");
  CHECK(!gpugeo_backend_available((gpugeo_backend)NULL_BACKEND, &error), "%s", error.message);
  check_message(gpugeo_backend_available((gpugeo_backend)4, &error), GPUGEO_ERROR_BACKEND, &error,
                "backend must be between 0 and 3, not 4");
  gpugeo_run run = run_on(4);
  check_message(gg_check_run(&run, &error), GPUGEO_ERROR_ARGUMENT, &error,
                "backend must be between 0 and 3, not 4");
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* True if a backend's table has what computes the family, which for two of them is the core. */
static bool has_function(const gg_backend *b, gg_family family) {
  switch (family) {
  case GG_FAMILY_DIST:
    return b->dist;
  case GG_FAMILY_RANK_PAIRS:
    return b->rank_pairs;
  case GG_FAMILY_KENDALL:
    return b->kendall;
  case GG_FAMILY_KNN:
    return b->knn;
  case GG_FAMILY_RADIUS:
    return b->radius;
  case GG_FAMILY_MST:
    return b->mst;
  case GG_FAMILY_DBSCAN:
    return b->dbscan;
  case GG_FAMILY_HDBSCAN:
    return b->hdbscan;
  case GG_FAMILY_PERMUTED_SUMS:
  case GG_FAMILY_MRPP:
    return b->permuted_sums;
  case GG_FAMILY_MANTEL:
    return b->mantel;
  case GG_FAMILY_PCOA:
    return b->pcoa;
  case GG_FAMILY_MDS:
    return b->mds && b->pcoa;
  case GG_FAMILY_CLOSEST:
    return b->closest;
  case GG_FAMILY_COLLIDE:
    return b->collide;
  case GG_FAMILY_DGP:
    return b->dgp;
  case GG_FAMILY_DGP_SUMS:
    return b->dgp_sums;
  case GG_FAMILY_LAYOUT:
    return b->layout;
  case GG_FAMILY_HCLUST:
    return b->hclust;
  case GG_FAMILY_SILHOUETTE: /* on the host the core computes them */
    return b->silhouette || b == gg_host_backend();
  case GG_FAMILY_GRAPH_DISTANCES:
    return b->graph_distances || b == gg_host_backend();
  case GG_FAMILY_RASTER:
    return b->raster || b == gg_host_backend();
  case GG_FAMILY_NJ:
    return b->nj || b == gg_host_backend();
  case GG_FAMILY_DIST_DNA:
    return b->dist_dna || b == gg_host_backend();
  case GG_FAMILY_UNIFRAC: /* distances of coordinates, which are sparse */
    return b->dist && b->can.sparse;
  case GG_FAMILY_STRESS:
    return b->stress || b == gg_host_backend();
  case GG_FAMILY_DIST_DEVICE:
    return b->dist_device_make && b->dist_device_free && b->dist_device_read &&
           b->dist_device_columns;
  default:
    return b == gg_host_backend();
  }
}

/* A backend that is available has what its table says, and the host has everything but what needs a
   device. */
static void test_tables(void) {
  for (int i = 0; i < gg_backend_count(); ++i) {
    const gg_backend *b;
    const bool usable = gg_backend_open(gg_backend_at(i), &b, NULL) == GPUGEO_OK;
    for (int f = 0; f < GG_FAMILIES; ++f) {
      const uint32_t all = f == GG_FAMILY_DIST_DEVICE ? 0 : GG_ALL_ALGORITHMS;
      if (i == 0)
        CHECK(b->can.algorithms[f] == all, "the host has %x of %d", b->can.algorithms[f], f);
      if (usable)
        CHECK(gg_backend_has(b, (gg_family)f) == has_function(b, (gg_family)f),
              "backend %s, family %d", b->name, f);
      CHECK(!(b->can.same_bits >> f & 1) || gg_backend_has(b, (gg_family)f),
            "backend %s has the same bits in family %d, which it lacks", b->name, f);
    }
    if (usable && b->can.devices)
      CHECK(b->device_count && b->device_default && b->device_get && b->workers,
            "backend %s lacks functions of devices", b->name);
  }
}

/* CUDA has what is written here, whatever the order of families. */
static void test_cuda_algorithms(void) {
  static const uint32_t lacks[GG_FAMILIES] = {
      [GG_FAMILY_CLOSEST] = GG_ALGORITHM(GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER),
      [GG_FAMILY_DGP] = GG_ALGORITHM(GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE),
      [GG_FAMILY_DGP_GRAPH] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_DIST_DNA] =
          GG_ALGORITHM(GPUGEO_DNA_MODEL_GG95) | GG_ALGORITHM(GPUGEO_DNA_MODEL_INDELBLOCK),
      [GG_FAMILY_SEQUENCES] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_COMMUNITIES] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_DCOR] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_KMEANS] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_UNIFRAC] = GG_ALGORITHM(GPUGEO_UNIFRAC_TYPE_GENERALIZED) |
                            GG_ALGORITHM(GPUGEO_UNIFRAC_TYPE_VARIANCE),
      [GG_FAMILY_QUALITY] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_COPHENETIC] = GG_ALL_ALGORITHMS,
      [GG_FAMILY_HCLUST] =
          GG_ALGORITHM(GPUGEO_LINKAGE_CENTROID) | GG_ALGORITHM(GPUGEO_LINKAGE_MEDIAN),
      [GG_FAMILY_MDS] = ~GG_ALGORITHM(GPUGEO_MDS_TYPE_RATIO),
  };
  static const gg_family others[] = {
      GG_FAMILY_LAYOUT,      GG_FAMILY_STRESS,     GG_FAMILY_DGP_GRAPH,
      GG_FAMILY_QUALITY,     GG_FAMILY_COPHENETIC, GG_FAMILY_SEQUENCES,
      GG_FAMILY_COMMUNITIES, GG_FAMILY_DCOR,       GG_FAMILY_KMEANS};
  uint64_t other_bits = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    other_bits |= GG_FAMILY_BIT(others[i]);
  const gg_capabilities *can = &gg_backend_of(GPUGEO_BACKEND_CUDA)->can;
  for (int f = 0; f < GG_FAMILIES; ++f) {
    CHECK(can->algorithms[f] == ~lacks[f], "family %d: %x", f, can->algorithms[f]);
    CHECK((can->same_bits >> f & 1) == !(other_bits >> f & 1), "family %d: other bits", f);
  }
}

/* The backend that is chosen has functions, even if they are those of a library. */
static void test_chosen(void) {
  const gg_request request = {.family = GG_FAMILY_DIST};
  for (int i = 0; i < gg_backend_count(); ++i) {
    const gg_backend *chosen;
    int32_t device;
    gpugeo_error error;
    const gpugeo_run run = run_on((int)gg_backend_at(i)->id);
    if (gg_backend_choose(&run, &request, &chosen, &device, &error)) continue;
    CHECK(chosen->id == run.backend && chosen->dist && !chosen->loaded, "%s", chosen->name);
  }
}

/* --- Calls ------------------------------------------------------------------------------------ */

/* What test families are refused with, by their names; NULL: the null backend has them. */
static const char *refused_for(const char *family) {
  static const char *const names[][2] = {
      {"dist", NULL},
      {"tile", NULL},
      {"file of distances", NULL},
      {"closest", NULL},
      {"silhouette", NULL}, /* of distances */
      {"pam", NULL},        /* likewise */
      {"validity", NULL},   /* likewise */
      {"leaf order", NULL}, /* likewise */
      {"cor", "pairwise complete Spearman correlations"},
      {"kendall", "Kendall correlations"},
      {"knn", "nearest neighbours"},
      {"radius", "neighbours within a radius"},
      {"mst", "minimum spanning trees"},
      {"dbscan", "clusters by density"},
      {"optics", "nearest neighbours"},
      {"hdbscan", "hierarchical clusters by density"},
      {"permanova", "permutation tests"},
      {"anosim, Mantel", "permutation tests"},
      {"pcoa", "principal coordinates"},
      {"mds", "multidimensional scaling"},
      {"mds ordinal", "multidimensional scaling"},
      {"mrpp", "MRPP"},
      {"collisions found", "collisions"},
      {"collisions launched", "collisions"},
      {"dgp exhaustive", "distance geometry"},
      {"dgp meet in the middle", "distance geometry"},
      {"dgp rows", "the sums of distance geometry"},
      {"dgp graph", "graphs"},
      {"hclust single", "hierarchical clustering"},
      {"hclust ward", "hierarchical clustering"},
      {"hclust centroid", "hierarchical clustering"},
      {"cophenetic", "cophenetic distances"},
      {"k-means", "k-means"},
      {"layout exact", "layouts"},
      {"layout tree", "layouts"},
      {"layout stress", "layouts by stress"},
      {"quality", "the quality of layouts"},
      {"graph distances", "distances in graphs"},
      {"layout raster", "images of layouts"},
      {"distances of DNA", "distances of DNA"},
      {"distances of alleles", "distances of sequences"},
      {"bootstrap", "distances of sequences"},
      {"distances of proteins", "distances of sequences"},
      {"tables of communities", "communities"},
      {"edit distances", "distances of sequences"},
      {"nj", NULL}, /* of points */
      {"tree distances", "cophenetic distances"},
      {"unifrac", "UniFrac distances"},
      {"generalized unifrac", "UniFrac distances"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i][0], family) == 0) return names[i][1];
  return "a family that this test does not know";
}

static void test_families(void) {
  for (int f = 0; f < family_count; ++f) {
    if (family_is_left_out(&families[f])) continue;
    if (strcmp(families[f].name, "file of a layout") == 0 ||
        strcmp(families[f].name, "text of a tree") == 0)
      continue; /* asks no backend */
    const char *refused = refused_for(families[f].name);
    gpugeo_error error = {0};
    uint64_t hash = 0;
    gpugeo_run run = run_on(NULL_BACKEND);
    const int before = null_calls;
    const gpugeo_status status = families[f].call(SMALL, &run, &hash, &error);
    char message[160];
    snprintf(message, sizeof message, "backend must be \"auto\" or \"cpu\" for %s, not \"null\"",
             refused ? refused : "");
    if (refused)
      CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.message, message) == 0 &&
                null_calls == before,
            "%s: status %d, \"%s\"", families[f].name, status, error.message);
    else
      CHECK(!status && null_calls > before, "%s: status %d, \"%s\"", families[f].name, status,
            error.message);
  }
}

/* It is faster than anything, and AUTO never takes it. */
static void test_auto(void) {
  const int before = null_calls;
  for (int f = 0; f < family_count; ++f) {
    gpugeo_error error = {0};
    uint64_t hash = 0;
    gpugeo_run run = run_on(GPUGEO_BACKEND_AUTO);
    CHECK(!families[f].call(SMALL, &run, &hash, &error), "%s: %s", families[f].name, error.message);
  }
  CHECK(null_calls == before, "AUTO took the null backend");
}

static void test_report(void) {
  const double points[] = {0, 1, 4};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 3, 1, 3, NULL};
  double out[3] = {1, 1, 1};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run = run_on(NULL_BACKEND);
  gpugeo_report report;
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, &report, &error), "%s",
        error.message);
  CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0, "%g %g %g", out[0], out[1], out[2]);
  CHECK((int)report.backend == NULL_BACKEND && report.device == -1 && report.devices == 0,
        "backend %d, device %d, %d devices", (int)report.backend, report.device, report.devices);
}

static void test_algorithms(void) {
  const double points[] = {0, 1, 4};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 3, 1, 3, NULL};
  gpugeo_closest_options options;
  gpugeo_closest_options_init(&options, sizeof options);
  options.run = run_on(NULL_BACKEND);
  gpugeo_pair pair;
  int64_t found = 1, ties = 1;
  gpugeo_error error = {0};
  CHECK(!gpugeo_closest_pair(&x, NULL, &options, &pair, &found, &ties, NULL, &error) && found == 0,
        "%lld pairs, %s", (long long)found, error.message);
  options.algorithm = GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0;
  check_message(gpugeo_closest_pair(&x, NULL, &options, &pair, &found, &ties, NULL, &error),
                GPUGEO_ERROR_ARGUMENT, &error,
                "algorithm \"sweep-v0\" must be given with backend \"cpu\", not \"null\"");
}

int main(void) {
  test_list();
  test_names();
  test_tables();
  test_cuda_algorithms();
  test_chosen();
  test_families();
  test_auto();
  test_report();
  test_algorithms();
  return check_end();
}
