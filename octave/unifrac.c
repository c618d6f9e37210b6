/* Samples on trees. */
#include <math.h>

#include "families.h"
#include "result.h"
#include "settings.h"
#include "trees.h"
#include "value.h"

/* The inputs and options of a call. */
typedef struct unifrac_input {
  gpugeo_matrix x;
  gpugeo_tree tree;
  int32_t *tip; /* NULL: columns are tips */
  gpugeo_unifrac_options options;
} unifrac_input;

/* Reads the numbers of tips, from 1. */
static void read_tips(gg_mex_call *call, const mxArray *value, unifrac_input *in) {
  const double *numbers = NULL;
  int64_t count = 0;
  in->tip = NULL;
  gg_mex_doubles(call, value, "tips", &numbers, &count);
  if (call->status || count == 0) return;
  in->tip = gg_mex_allocate(call, count, sizeof *in->tip);
  for (int64_t k = 0; in->tip && k < count; ++k)
    in->tip[k] = (int32_t)numbers[k] - 1;
}

/* Reads a table, a tree and the tips of the columns, or []. */
static void read_input(gg_mex_call *call, unifrac_input *in) {
  gpugeo_unifrac_options_init(&in->options, sizeof in->options);
  gg_mex_any_matrix(call, call->inputs[0], "x", &in->x);
  gg_mex_read_tree(call, call->inputs[1], &in->tree);
  read_tips(call, call->inputs[2], in);
  gg_mex_read_options(call, &gg_unifrac_options, &in->options);
  gg_mex_settings(call, false, &in->options.run);
}

void gg_mex_unifrac(gg_mex_call *call) {
  unifrac_input in;
  read_input(call, &in);
  if (call->status) return;
  const int64_t n = in.x.nrow;
  double *out = gg_mex_doubles_result(call, 0, 1, n > 0 ? n * (n - 1) / 2 : 0);
  if (call->status) return;
  call->status =
      gpugeo_unifrac(&in.x, &in.tree, in.tip, &in.options, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_faith(gg_mex_call *call) {
  unifrac_input in;
  read_input(call, &in);
  if (call->status) return;
  double *out = gg_mex_doubles_result(call, 0, in.x.nrow, 1);
  if (call->status) return;
  call->status =
      gpugeo_faith(&in.x, &in.tree, in.tip, &in.options, out, &call->report, &call->error);
  gg_mex_ended(call, NULL);
}
