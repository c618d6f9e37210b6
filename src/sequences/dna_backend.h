/* The backend of distances of DNA. */
#ifndef GG_DNA_BACKEND_H
#define GG_DNA_BACKEND_H

#include "sequences/dna_plan.h"

/* Chooses the backend for a job of so many sequences and sites, and reports it. Fails for a backend
   that lacks the model. */
gpugeo_status gg_dna_backend_choose(const gg_alignment *x, const gpugeo_dist_dna_options *options,
                                    int32_t threads, const gg_backend **backend, gg_dna_plan *plan,
                                    gg_call *call);

/* Computes a plan, whose backend has dist_dna. The call's progress goes from `begun` to 1. */
gpugeo_status gg_dna_backend_compute(const gg_backend *backend, const gg_dna_plan *plan,
                                     double begun, gg_call *call);

#endif
