/* The list of backends, and the table of the CPU's: it is always there, has every family and keeps
   nothing between calls. */
#include "backends/backends.h"

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

#define ALGORITHMS(name, cuda, title)                                                              \
  GG_FAMILY_##name == GG_FAMILY_DIST_DEVICE ? GG_NO_ALGORITHMS : GG_ALL_ALGORITHMS,
#define PLAN(name, plan_type)                .name = gg_cpu_##name,
#define RESULT(name, plan_type, result_type) .name = gg_cpu_##name,

const gg_backend gg_cpu_backend = {
    .id = GPUGEO_BACKEND_CPU,
    .name = "cpu",
    .title = "CPU",
    .can =
        {
            .algorithms = {GG_FAMILY_LIST(ALGORITHMS)},
            .same_bits = (GG_FAMILY_BIT(GG_FAMILIES) - 1) & ~GG_FAMILY_BIT(GG_FAMILY_DIST_DEVICE),
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
    GG_BACKEND_FUNCTIONS(PLAN, RESULT)};

/* The host comes first, then those that AUTO asks in turn. */
const gg_backend *const gg_backend_list[] = {
    &gg_cpu_backend,
    &gg_cuda_backend,
};

const int gg_backend_list_length = sizeof gg_backend_list / sizeof *gg_backend_list;
