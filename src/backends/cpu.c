/* The CPU backend's table: it is always there, has every family and keeps nothing between calls. */
#include "common/cpu.h"
#include "common/memory.h"

/* Returns success: the CPU is always there. */
static gpugeo_status available(gpugeo_error *error) {
  (void)error;
  return GPUGEO_OK;
}

/* Returns a quarter of the machine's memory. */
static gpugeo_status table_bytes(int32_t device, int64_t *bytes, gpugeo_error *error) {
  (void)device, (void)error;
  *bytes = (int64_t)(gg_machine_memory() / 4);
  return GPUGEO_OK;
}

const gg_backend gg_cpu_backend = {
    .id = GPUGEO_BACKEND_CPU,
    .name = "cpu",
    .title = "CPU",
    .can =
        {
            .algorithms = {[GG_FAMILY_DIST] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_RANK_PAIRS] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_KENDALL] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_KNN] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_RADIUS] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_MST] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_DBSCAN] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_HDBSCAN] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_PERMUTED_SUMS] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_MANTEL] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_MRPP] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_PCOA] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_MDS] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_SILHOUETTE] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_CLOSEST] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_COLLIDE] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_DGP] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_DGP_SUMS] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_DGP_GRAPH] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_LAYOUT] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_QUALITY] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_HCLUST] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_COPHENETIC] = GG_ALL_ALGORITHMS},
            .same_bits = ((1u << GG_FAMILIES) - 1) & ~(1u << GG_FAMILY_DIST_DEVICE),
            .automatic = true,
            .sparse = true,
            .sphere = true,
            .dgp_steps = GPUGEO_DGP_LOG2_STEPS_MAX_CPU,
            /* Measured on nearest neighbours of 4,720 points, with AVX-512 on one thread: whole
               layouts took least time with 350 to 700 vertices in the plane, 11 % less than
               with 1,500, and in space within 1.5 % of it with 700 to 2,000. */
            .exact_repulsion = 700,
        },
    .available = available,
    .table_bytes = table_bytes,
    .dist = gg_cpu_dist,
    .rank_pairs = gg_cpu_rank_pairs,
    .kendall = gg_cpu_kendall,
    .knn = gg_cpu_knn,
    .radius = gg_cpu_radius,
    .mst = gg_cpu_mst,
    .dbscan = gg_cpu_dbscan,
    .hdbscan = gg_cpu_reach,
    .permuted_sums = gg_cpu_permuted_sums,
    .mantel = gg_cpu_mantel,
    .pcoa = gg_cpu_pcoa,
    .mds = gg_cpu_mds,
    .closest = gg_cpu_closest,
    .collide = gg_cpu_collide,
    .dgp = gg_cpu_dgp,
    .dgp_sums = gg_cpu_dgp_sums,
    .layout = gg_cpu_layout,
    .hclust = gg_cpu_hclust,
};
