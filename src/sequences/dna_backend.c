#include "sequences/dna_backend.h"

#include "common/error.h"

/* Returns the option that only the host computes, NULL: none. */
static const char *find_host_option(const gpugeo_dist_dna_options *options) {
  if (options->pair_base_freq) return "base_freq \"pair\"";
  if (options->all_letters) return "all_letters";
  return options->site_counts ? "sites" : NULL;
}

/* Checks that the backend that a run names computes the model with its options. */
static gpugeo_status check_model(const gg_alignment *x, const gpugeo_dist_dna_options *options,
                                 gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(options->run.backend);
  const gpugeo_status status = gg_check_choice(
      &options->run, GG_FAMILY_DIST_DNA, (int)options->model, error, "for model \"%s\"",
      gpugeo_name(GPUGEO_ENUM_DNA_MODEL, (int32_t)options->model));
  if (status || !named || !named->dist_dna) return status;
  const char *option = find_host_option(options);
  if (option) return gg_fail_backend(&options->run, error, "with %s", option);
  if (x->sites > INT32_MAX / 2)
    return gg_fail_backend(&options->run, error, "for sequences of more than %d sites",
                           INT32_MAX / 2);
  return GPUGEO_OK;
}

/* Returns the request of a job: a word of a pair takes about 1 ns, and its formula 10 ns, in units
   of 0.1 ns. What only the host computes has no work. */
static gg_request request_of(const gg_alignment *x, const gpugeo_dist_dna_options *options) {
  const double n = (double)x->count, pairs = n * n / 2;
  const double planes = gg_site_planes_bytes(x->count, x->sites);
  const bool is_of_host = x->sites > INT32_MAX / 2 || find_host_option(options);
  return (gg_request){.family = GG_FAMILY_DIST_DNA,
                      .algorithm = (int)options->model,
                      .work = is_of_host ? 0 : pairs * (100 + (double)x->sites / 6.4),
                      .bytes = planes + pairs * (options->variance ? 16 : 8),
                      .resident = planes};
}

gpugeo_status gg_dna_backend_choose(const gg_alignment *x, const gpugeo_dist_dna_options *options,
                                    int32_t threads, const gg_backend **backend, gg_dna_plan *plan,
                                    gg_call *call) {
  const gg_request request = request_of(x, options);
  GG_TRY(call, check_model(x, options, call->error));
  GG_TRY(call, gg_backend_spread(&options->run, &request, backend, &plan->device, &plan->workers,
                                 call->error));
  plan->threads = threads;
  if (!call->status) *call->report = gg_report_of(*backend, plan->device, plan->workers, threads);
  return call->status;
}

gpugeo_status gg_dna_backend_compute(const gg_backend *backend, const gg_dna_plan *plan,
                                     double begun, gg_call *call) {
  gg_call_part part;
  if (plan->planes->count < 2) return call->status;
  gg_call_part_begin(call, begun, 1 - begun, &part);
  backend->dist_dna(plan, &part.call);
  return gg_call_part_end(&part);
}
