/* Tables of communities: standardization, diversity, expected species, beta diversity. */
#include <string.h>

#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Removes the zeros that a sparse matrix stores. */
static void drop_zeros(mxArray *sparse) {
  double *value = mxGetPr(sparse);
  mwIndex *row = mxGetIr(sparse), *start = mxGetJc(sparse), kept = 0, begin = 0;
  for (mwIndex k = 0; k < (mwIndex)mxGetN(sparse); ++k) {
    const mwIndex end = start[k + 1];
    for (mwIndex e = begin; e < end; ++e) {
      value[kept] = value[e];
      row[kept] = row[e];
      kept += value[e] != 0;
    }
    start[k + 1] = kept;
    begin = end;
  }
}

/* Returns the second result, a structure of the numbers of a table that was standardized. */
static void write_numbers(gg_mex_call *call, const gpugeo_decostand_options *options,
                          const gpugeo_decostand_numbers *numbers) {
  mxArray *made = gg_mex_structure_result(call, 1);
  const bool rows = (numbers->margin == 1) == (options->method != GPUGEO_STANDARD_ALR);
  const int64_t length = numbers->first_length, other = numbers->second_length;
  if (*numbers->first_name) {
    double *to =
        gg_mex_set_doubles(call, made, numbers->first_name, rows ? length : 1, rows ? 1 : length);
    if (to) memcpy(to, numbers->first, (size_t)length * sizeof *to);
  }
  if (*numbers->second_name) {
    const bool tall = rows != (options->method == GPUGEO_STANDARD_CHI_SQUARE);
    double *to =
        gg_mex_set_doubles(call, made, numbers->second_name, tall ? other : 1, tall ? 1 : other);
    if (to) memcpy(to, numbers->second, (size_t)other * sizeof *to);
  }
  gg_mex_set_number(made, "number", numbers->number);
  gg_mex_set_number(made, "margin", numbers->margin);
  gg_mex_set_number(made, "negative", numbers->negative);
  gg_mex_set_number(made, "undefined", numbers->undefined);
  gg_mex_set_text(made, "method", gpugeo_name(GPUGEO_ENUM_STANDARD, options->method));
}

void gg_mex_decostand(gg_mex_call *call) {
  gpugeo_decostand_options options;
  gpugeo_matrix x = {0};
  gpugeo_decostand_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_decostand_options, &options);
  gg_mex_settings(call, false, &options.run);
  gg_mex_any_matrix(call, call->inputs[0], "x", &x);
  const int64_t most = x.nrow > x.ncol ? x.nrow : x.ncol;
  gpugeo_decostand_numbers numbers = {
      .first = gg_mex_allocate(call, most + 1, sizeof *numbers.first),
      .second = gg_mex_allocate(call, most + 1, sizeof *numbers.second)};
  if (call->status) return;
  const bool stored = x.sparse && !gpugeo_standard_fills(options.method);
  if (stored) call->results[0] = mxDuplicateArray(call->inputs[0]);
  double *out = stored ? mxGetPr(call->results[0]) : gg_mex_doubles_result(call, 0, x.nrow, x.ncol);
  if (call->status) return;
  call->status = gpugeo_decostand(&x, &options, out, &numbers, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  if (stored) drop_zeros(call->results[0]);
  write_numbers(call, &options, &numbers);
}

void gg_mex_diversity(gg_mex_call *call) {
  gpugeo_diversity_options options;
  gpugeo_matrix x = {0};
  gpugeo_diversity_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_diversity_options, &options);
  gg_mex_settings(call, false, &options.run);
  gg_mex_any_matrix(call, call->inputs[0], "x", &x);
  int64_t count = options.groups ? 0 : x.nrow;
  for (int64_t i = 0; !call->status && i < options.groups_length; ++i)
    if (options.groups[i] > count) count = options.groups[i];
  double *out = call->status ? NULL : gg_mex_doubles_result(call, 0, count, 1);
  if (call->status) return;
  call->status = gpugeo_diversity(&x, &options, out, &call->report, &call->error);
  gg_mex_ended(call, NULL);
}

void gg_mex_expected_species(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_matrix x = {0};
  int32_t se = 0;
  const double *sample = NULL;
  int64_t samples = 0;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_settings(call, false, &run);
  gg_mex_flag(call, "se", &se);
  gg_mex_any_matrix(call, call->inputs[0], "x", &x);
  gg_mex_doubles(call, call->inputs[1], "sample", &sample, &samples);
  double *species = call->status ? NULL : gg_mex_doubles_result(call, 0, x.nrow, samples);
  double *errors = call->status ? NULL : gg_mex_doubles_result(call, 1, x.nrow, samples);
  if (call->status) return;
  call->status = gpugeo_rarefy(&x, sample, samples, &run, species, se ? errors : NULL,
                               &call->report, &call->error);
  gg_mex_ended(call, NULL);
}

void gg_mex_betadiver(gg_mex_call *call) {
  gpugeo_betadiver_options options;
  const double *species = NULL, *d = NULL;
  int64_t n = 0, pairs = 0;
  gpugeo_betadiver_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_betadiver_options, &options);
  gg_mex_settings(call, false, &options.run);
  gg_mex_doubles(call, call->inputs[0], "species", &species, &n);
  gg_mex_doubles(call, call->inputs[1], "d", &d, &pairs);
  double *out = call->status ? NULL : gg_mex_doubles_result(call, 0, 1, pairs);
  if (call->status) return;
  memcpy(out, d, (size_t)pairs * sizeof *out);
  call->status = gpugeo_betadiver(n, species, &options, out, &call->report, &call->error);
  gg_mex_ended(call, NULL);
}
