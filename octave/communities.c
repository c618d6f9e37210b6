/* Tables of communities. */
#include <string.h>

#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

static void free_biom(void *biom) { gpugeo_biom_free(biom); }

/* Returns a cell array of texts, of which `width` stand in each row. */
static mxArray *cells_of(const char *const *text, int64_t count, int64_t width) {
  mxArray *made = mxCreateCellMatrix((mwSize)count, (mwSize)width);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < width; ++k)
      mxSetCell(made, (mwIndex)(i + k * count), mxCreateString(text[i * width + k]));
  return made;
}

/* Returns a matrix of numbers, of which `width` stand in each row. */
static mxArray *matrix_of(const double *number, int64_t count, int64_t width) {
  mxArray *made = mxCreateDoubleMatrix((mwSize)count, (mwSize)width, mxREAL);
  double *to = mxGetPr(made);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < width; ++k)
      to[i + k * count] = number[i * width + k];
  return made;
}

/* Returns the data of an axis: a row for each, its name and its values. */
static mxArray *list_data(const gpugeo_biom_axis *axis) {
  mxArray *made = mxCreateCellMatrix((mwSize)axis->data_count, 2);
  for (int64_t k = 0; k < axis->data_count; ++k) {
    const gpugeo_biom_data *data = &axis->data[k];
    mxSetCell(made, (mwIndex)k, mxCreateString(data->name));
    mxSetCell(made, (mwIndex)(k + axis->data_count),
              data->text ? cells_of(data->text, axis->count, data->width)
                         : matrix_of(data->number, axis->count, data->width));
  }
  return made;
}

/* Returns a sparse matrix. */
static mxArray *sparse_of(const gpugeo_matrix *x) {
  const gpugeo_sparse *sparse = x->sparse;
  const int32_t *start = sparse->start, *index = sparse->index;
  mxArray *made = mxCreateSparse((mwSize)x->nrow, (mwSize)x->ncol, (mwSize)sparse->stored, mxREAL);
  for (int64_t k = 0; k <= x->ncol; ++k)
    mxGetJc(made)[k] = (mwIndex)start[k];
  for (int64_t k = 0; k < sparse->stored; ++k)
    mxGetIr(made)[k] = (mwIndex)index[k];
  if (sparse->stored) memcpy(mxGetPr(made), x->data, (size_t)sparse->stored * sizeof(double));
  return made;
}

void gg_mex_biom_read(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const char *path = gg_mex_text(call, call->inputs[0], "path");
  gg_mex_settings(call, false, &run);
  gpugeo_biom *biom = gg_mex_allocate(call, 1, sizeof *biom);
  if (call->status) return;
  call->status = gpugeo_biom_read(path, &run, biom, &call->error);
  if (!call->status) gg_mex_release_later(call, free_biom, biom);
  if (!gg_mex_ended(call, NULL)) return;
  call->results[0] = sparse_of(&biom->counts);
  call->results[1] = cells_of(biom->samples.names, biom->samples.count, 1);
  call->results[2] = cells_of(biom->taxa.names, biom->taxa.count, 1);
  call->results[3] = list_data(&biom->samples);
  call->results[4] = list_data(&biom->taxa);
}
