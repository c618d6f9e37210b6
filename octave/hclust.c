/* Hierarchical clustering. */
#include "families.h"
#include "result.h"
#include "value.h"

static void close_file(void *file) { gpugeo_dist_file_close(file); }

/* Opens the file that a structure names, until the end of the call. */
static void open_file(gg_mex_call *call, const mxArray *about, gpugeo_distances *d) {
  gpugeo_dist_file_info info;
  gpugeo_dist_file *file = NULL;
  const char *path = gg_mex_text(call, gg_mex_field(about, "file"), "file");
  const char *name = gg_mex_text(call, gg_mex_field(about, "name"), "name");
  if (call->status ||
      !gg_mex_check(call, gpugeo_dist_file_open(path, name, &file, &info, &call->error)))
    return;
  gg_mex_release_later(call, close_file, file);
  d->file = file;
}

/* Reads points, condensed distances (if the option `condensed` has their number of points), or the
   structure of a file. */
static void read_distances(gg_mex_call *call, gpugeo_matrix *x, gpugeo_distances *d) {
  int64_t length = 0;
  *d = (gpugeo_distances){.x = NULL};
  if (mxIsStruct(call->inputs[0])) {
    open_file(call, call->inputs[0], d);
  } else if (gg_mex_option(call, "condensed")) {
    gg_mex_any_whole(call, "condensed", &d->condensed_points);
    gg_mex_doubles(call, call->inputs[0], "d", &d->condensed, &length);
  } else {
    gg_mex_any_matrix(call, call->inputs[0], "d", x);
    d->x = x;
  }
}

void gg_mex_hclust(gg_mex_call *call) {
  gpugeo_matrix x;
  gpugeo_distances d;
  gpugeo_hclust_options options;
  int64_t n = 0;
  gpugeo_hclust_options_init(&options, sizeof options);
  read_distances(call, &x, &d);
  options.squared = true;
  gg_mex_flag32(call, "squared", &options.squared);
  gg_mex_doubles(call, gg_mex_option(call, "members"), "members", &options.members,
                 &options.members_length);
  options.linkage = gg_mex_choice(call, "linkage", GPUGEO_ENUM_LINKAGE, 0);
  gg_mex_read_metric(call, &options.metric);
  gg_mex_settings(call, false, &options.run);
  if (call->status || !gg_mex_check(call, gpugeo_hclust_size(&d, &options, &n, &call->error)))
    return;
  int32_t *merge = gg_mex_allocate(call, 3 * n, sizeof *merge);
  double *z = merge ? gg_mex_doubles_result(call, 0, n - 1, 3) : NULL;
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_hclust(&d, &options, merge, z + 2 * (n - 1), merge + 2 * n, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  for (int64_t k = 0; k < 2 * (n - 1); ++k)
    z[k] = merge[k] + 1.0;
  gg_mex_report_result(call, 1, &report);
}
