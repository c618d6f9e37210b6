#include "distances.h"

#include <string.h>

static void close_file(SEXP holder) {
  gpugeo_dist_file_close(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

SEXP gg_r_begin_distances(gg_r_distances *distances) {
  *distances = (gg_r_distances){.given = {.x = NULL}};
  distances->holder = R_MakeExternalPtr(NULL, R_NilValue, R_NilValue);
  return distances->holder;
}

static void open_file(gg_r_call *call, gg_r_distances *distances) {
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  const char *path = gg_r_path(call, gg_r_input(call, 0), "file");
  const char *name = gg_r_text(call, gg_r_input(call, 1), "name");
  if (call->status) return;
  if (!gg_r_check(call, gpugeo_dist_file_open(path, name, &opened, &info, &call->error))) return;
  R_SetExternalPtrAddr(distances->holder, opened);
  R_RegisterCFinalizer(distances->holder, close_file);
  distances->given.file = opened;
}

void gg_r_read_distances(gg_r_call *call, const char *name, gg_r_distances *distances,
                         gpugeo_metric_options *metric) {
  const char *source = gg_r_word(call, "source");
  if (!source) return;
  if (strcmp(source, "points") == 0) {
    gg_r_matrix(call, gg_r_input(call, 0), name, &distances->x);
    distances->given.x = &distances->x;
    gg_r_read_metric(call, metric);
  } else if (strcmp(source, "dist") == 0) {
    distances->given.condensed = REAL_RO(gg_r_input(call, 0));
    distances->given.condensed_points = (int64_t)REAL_RO(gg_r_input(call, 1))[0];
  } else {
    open_file(call, distances);
  }
}

void gg_r_close_distances(gg_r_distances *distances) { close_file(distances->holder); }
