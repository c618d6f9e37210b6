/* Reads files of distances. */
#include <math.h>

#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "value.h"

static void close_file(void *file) { gpugeo_dist_file_close(file); }

/* Opens the file that the first two inputs name, until the end of the call; NULL and an error when
   that fails. */
static gpugeo_dist_file *open_file(gg_mex_call *call, gpugeo_dist_file_info *info) {
  gpugeo_dist_file *file = NULL;
  const bool named = !mxIsEmpty(call->inputs[1]);
  const char *name = named ? gg_mex_text(call, call->inputs[1], "name") : "";
  const char *path = gg_mex_text(call, call->inputs[0], "file");
  if (call->status ||
      !gg_mex_check(call, gpugeo_dist_file_open(path, name, &file, info, &call->error)))
    return NULL;
  gg_mex_release_later(call, close_file, file);
  return call->status ? NULL : file;
}

void gg_mex_dist_file_info(gg_mex_call *call) {
  gpugeo_dist_file_info info;
  gpugeo_dist_file *file = open_file(call, &info);
  if (!file) return;
  const int64_t count = info.labels ? info.points : 0;
  mxArray *about = gg_mex_structure_result(call, 0);
  gg_mex_set_text(about, "file", gg_mex_text(call, call->inputs[0], "file"));
  gg_mex_set_text(about, "name", info.name);
  gg_mex_set_text(about, "metric", info.metric);
  gg_mex_set_number(about, "size", (double)info.points);
  gg_mex_set_text(about, "shape", info.shape == GPUGEO_SHAPE_FULL ? "square" : "condensed");
  gg_mex_set_text(about, "precision", info.type == GPUGEO_TYPE_FLOAT ? "float" : "double");
  gg_mex_set_number(about, "tiles", (double)info.tiles);
  gg_mex_set_number(about, "tiles_done", (double)info.tiles_done);
  mxArray *labels = mxCreateCellMatrix((mwSize)count, info.labels ? 1 : 0);
  for (int64_t i = 0; i < count; ++i)
    mxSetCell(labels, (mwIndex)i, mxCreateString(gpugeo_dist_file_label(file, i)));
  gg_mex_set(about, "labels", labels);
}

void gg_mex_dist_file_read(gg_mex_call *call) {
  gpugeo_dist_file_info info;
  gpugeo_dist_file *file = open_file(call, &info);
  int64_t row_count = 0, column_count = 0;
  if (!file) return;
  const int64_t *rows =
      gg_mex_points_from_one(call, call->inputs[2], "row", info.points, &row_count);
  const int64_t *columns =
      gg_mex_points_from_one(call, call->inputs[3], "column", info.points, &column_count);
  if (call->status) return;
  double *distances = gg_mex_doubles_result(call, 0, row_count, column_count);
  if (!call->status)
    gg_mex_check(call, gpugeo_dist_file_read(file, rows, row_count, columns, column_count, NAN,
                                             distances, &call->error));
}
