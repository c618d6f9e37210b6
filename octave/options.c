/* The core's options, and checks of values, for user functions. */
#include <string.h>

#include "common/error.h"
#include "common/option_table.h"
#include "families.h"
#include "result.h"
#include "value.h"

/* --- Options ---------------------------------------------------------------------------------- */

/* Returns the value of an option in a struct of options as users give it; [] for several numbers, a
   device, and a flag that is found by the data. */
static mxArray *value_of(const gg_option *option, void *options) {
  const void *field = gg_option_field(option, options);
  int32_t small = 0;
  int64_t whole = 0;
  memcpy(&small, field, sizeof small);
  if (option->width == sizeof whole) memcpy(&whole, field, sizeof whole);
  const double number = option->width == sizeof small ? small : (double)whole;
  switch (option->kind) {
  case GG_OPTION_FLAG:
    return mxCreateLogicalScalar(number != 0);
  case GG_OPTION_WHOLE:
    return mxCreateDoubleScalar(number);
  case GG_OPTION_NUMBER:
    return mxCreateDoubleScalar(*(const double *)field);
  case GG_OPTION_CHOICE:
    return mxCreateString(gg_option_choice(option, (int32_t)number));
  default:
    return mxCreateDoubleMatrix(0, 0, mxREAL);
  }
}

/* Returns the table of a family; NULL when it has none. */
static const gg_option_table *find_table(const char *family) {
#define NAME_OF(its_name)  #its_name,
#define TABLE_OF(its_name) &gg_##its_name##_options,
  static const char *const names[] = {GG_OPTION_TABLES(NAME_OF)};
  static const gg_option_table *const tables[] = {GG_OPTION_TABLES(TABLE_OF)};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
    if (strcmp(names[t], family) == 0) return tables[t];
  return NULL;
}

void gg_mex_options(gg_mex_call *call) {
  const char *family = gg_mex_text(call, call->inputs[0], "family");
  const gg_option_table *table = call->status ? NULL : find_table(family);
  mxArray *made = gg_mex_structure_result(call, 0);
  void *defaults = table ? gg_mex_allocate(call, 1, table->size) : NULL;
  if (!defaults) return;
  table->fill(defaults);
  for (int32_t i = 0; i < table->count; ++i)
    gg_mex_set(made, gg_option_name(&table->options[i], GG_OCTAVE),
               value_of(&table->options[i], defaults));
}

/* Returns the row of an option; NULL when the family has none. */
static const gg_option *find_option(const char *family, const char *name) {
  const gg_option_table *table = find_table(family);
  for (int32_t i = 0; table && i < table->count; ++i)
    if (strcmp(gg_option_name(&table->options[i], GG_OCTAVE), name) == 0) return &table->options[i];
  return NULL;
}

void gg_mex_names(gg_mex_call *call) {
  const char *family = gg_mex_text(call, call->inputs[0], "family");
  const char *name = gg_mex_text(call, call->inputs[1], "option");
  const gg_option *option = call->status ? NULL : find_option(family, name);
  int32_t count = 0;
  while (option && gg_option_choice(option, count)[0])
    ++count;
  call->results[0] = mxCreateCellMatrix(1, count);
  for (int32_t i = 0; i < count; ++i)
    mxSetCell(call->results[0], i, mxCreateString(gg_option_choice(option, i)));
}

/* --- Checks ----------------------------------------------------------------------------------- */

void gg_mex_check_number(gg_mex_call *call) {
  const gg_given given = gg_mex_given(call->inputs[0]);
  const char *name = gg_mex_text(call, call->inputs[1], "name");
  double number = 0;
  if (call->status ||
      !gg_mex_check(call, gg_any_number(name, GG_RADIUS, &given, &number, &call->error)))
    return;
  if (number < 0) gg_mex_check(call, gg_fail_given(&call->error, name, GG_RADIUS, &given));
  gg_mex_number_result(call, 0, number);
}

void gg_mex_check_whole(gg_mex_call *call) {
  const gg_given given = gg_mex_given(call->inputs[0]);
  const char *name = gg_mex_text(call, call->inputs[1], "name");
  const int64_t least = (int64_t)mxGetScalar(call->inputs[2]);
  int64_t number = 0;
  if (!call->status)
    gg_mex_check(call,
                 gg_whole_number(name, &given, least, (int64_t)1 << 53, &number, &call->error));
  gg_mex_number_result(call, 0, (double)number);
}

void gg_mex_choose(gg_mex_call *call) {
  const gg_given given = gg_mex_given(call->inputs[0]);
  const mxArray *cell = call->inputs[1];
  const size_t count = mxGetNumberOfElements(cell);
  const char *name = gg_mex_text(call, call->inputs[2], "name");
  const char **choices = gg_mex_allocate(call, (int64_t)count, sizeof *choices);
  for (size_t i = 0; choices && i < count; ++i)
    choices[i] = gg_mex_text(call, mxGetCell(cell, (mwIndex)i), "choices");
  int32_t which = 0;
  if (call->status) return;
  gg_mex_check(call, gg_choose(name, &given, choices, (int)count, &which, &call->error));
  gg_mex_number_result(call, 0, which + 1);
}

void gg_mex_check_flag(gg_mex_call *call) {
  const gg_given given = gg_mex_given(call->inputs[0]);
  const char *name = gg_mex_text(call, call->inputs[1], "name");
  int32_t flag = 0;
  if (call->status) return;
  gg_mex_check(call, gg_flag_given(name, &given, &flag, &call->error));
  call->results[0] = mxCreateLogicalScalar(flag != 0);
}
