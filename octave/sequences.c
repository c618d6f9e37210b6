/* Files of sequences, and distances of aligned ones. */
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "families.h"
#include "result.h"
#include "sequences.h"
#include "settings.h"
#include "value.h"

static void free_fasta(void *fasta) { gpugeo_fasta_free(fasta); }

/* Returns a row of characters for `length` bytes. */
static mxArray *make_text(const uint8_t *bytes, int64_t length) {
  const mwSize size[] = {1, (mwSize)length};
  mxArray *made = mxCreateCharArray(2, size);
  mxChar *to = mxGetChars(made);
  for (int64_t i = 0; i < length; ++i)
    to[i] = (mxChar)bytes[i];
  return made;
}

/* Returns two results, cell arrays of the names and of the letters of all sequences. */
static void write_fasta(gg_mex_call *call, const gpugeo_fasta *fasta) {
  const mwSize count = (mwSize)fasta->count;
  call->results[0] = mxCreateCellMatrix(count, 1);
  call->results[1] = mxCreateCellMatrix(count, 1);
  for (mwSize i = 0; i < count; ++i) {
    const char *name = fasta->names[i];
    mxSetCell(call->results[0], i, make_text((const uint8_t *)name, (int64_t)strlen(name)));
    mxSetCell(call->results[1], i,
              make_text(fasta->codes + fasta->start[i], fasta->start[i + 1] - fasta->start[i]));
  }
}

void gg_mex_fasta(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const char *path = gg_mex_text(call, call->inputs[0], "path");
  gg_mex_settings(call, false, &run);
  gpugeo_fasta *fasta = gg_mex_allocate(call, 1, sizeof *fasta);
  if (call->status) return;
  call->status = gpugeo_fasta_read(path, GPUGEO_LETTERS_TEXT, &run, fasta, &call->error);
  if (!call->status) gg_mex_release_later(call, free_fasta, fasta);
  if (gg_mex_ended(call, NULL)) write_fasta(call, fasta);
}

/* Fails unless a value is a cell array of characters. */
static void check_texts(gg_mex_call *call, const mxArray *cells) {
  bool good = mxIsCell(cells);
  for (size_t i = 0; good && i < mxGetNumberOfElements(cells); ++i) {
    const mxArray *text = mxGetCell(cells, (mwIndex)i);
    good = text && mxIsChar(text);
  }
  if (good || call->status) return;
  const gg_given given = gg_mex_given(cells);
  gg_mex_check(call, gg_fail_given(&call->error, "x", "a cell array of characters", &given));
}

/* Writes the codes of the letters of a sequence, which is a row of characters. */
static void encode(gg_mex_call *call, const mxArray *text, uint8_t *codes) {
  const int64_t length = (int64_t)mxGetNumberOfElements(text);
  const mxChar *letters = mxGetChars(text);
  for (int64_t i = 0; i < length; ++i)
    codes[i] = (uint8_t)letters[i];
  gg_mex_check(call, gpugeo_dna_encode((const char *)codes, length, codes, NULL, &call->error));
}

/* Reads sequences, a cell array of rows of characters, for the rest of the call. */
static gpugeo_sequences read_sequences(gg_mex_call *call, const mxArray *cells) {
  gpugeo_sequences x = {.count = (int64_t)mxGetNumberOfElements(cells)};
  check_texts(call, cells);
  if (call->status) return x;
  int64_t *start = gg_mex_allocate(call, x.count + 1, sizeof *start);
  if (!start) return x;
  start[0] = 0;
  for (int64_t i = 0; i < x.count; ++i)
    start[i + 1] = start[i] + (int64_t)mxGetNumberOfElements(mxGetCell(cells, (mwIndex)i));
  uint8_t *codes = gg_mex_allocate(call, start[x.count] + 1, 1);
  for (int64_t i = 0; i < x.count && !call->status; ++i)
    encode(call, mxGetCell(cells, (mwIndex)i), codes + start[i]);
  x.codes = codes;
  x.start = start;
  return x;
}

void gg_mex_dist_dna(gg_mex_call *call) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_dist_dna_options, &options);
  gg_mex_settings(call, false, &options.run);
  const gpugeo_sequences x = read_sequences(call, call->inputs[0]);
  int64_t size = 0;
  if (call->status || !gg_mex_check(call, gpugeo_dist_dna_size(&x, &options, &size, &call->error)))
    return;
  const bool square = options.model == GPUGEO_DNA_MODEL_BH87;
  double *out = gg_mex_doubles_result(call, 0, square ? x.count : 1, square ? x.count : size);
  double *variance =
      gg_mex_doubles_result(call, 1, options.variance ? 1 : 0, options.variance ? size : 0);
  double *sites = gg_mex_doubles_result(call, 3, options.count_sites ? square ? x.count : 1 : 0,
                                        options.count_sites ? square ? x.count : size : 0);
  if (call->status) return;
  options.site_counts = options.count_sites ? sites : NULL;
  call->status = gpugeo_dist_dna(&x, &options, out, variance, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 2, &call->report);
}

/* --- Edit distances --------------------------------------------------------------------------- */

/* Copies the characters of a text, which are bytes in Octave. */
static const char *copy_text(gg_mex_call *call, const mxArray *text) {
  const int64_t length = (int64_t)mxGetNumberOfElements(text);
  char *copy = gg_mex_allocate(call, length + 1, 1);
  const mxChar *from = mxGetChars(text);
  for (int64_t i = 0; copy && i < length; ++i)
    copy[i] = (char)from[i];
  return copy;
}

/* Reads texts, a cell array of rows of characters, for the rest of the call. */
static gpugeo_texts read_texts(gg_mex_call *call, const mxArray *cells) {
  check_texts(call, cells);
  if (call->status) return (gpugeo_texts){0, NULL, NULL};
  const int64_t count = (int64_t)mxGetNumberOfElements(cells);
  const char **text = gg_mex_allocate(call, count + 1, sizeof *text);
  int64_t *length = gg_mex_allocate(call, count + 1, sizeof *length);
  for (int64_t i = 0; i < count && !call->status; ++i) {
    const mxArray *cell = mxGetCell(cells, (mwIndex)i);
    text[i] = copy_text(call, cell);
    length[i] = (int64_t)mxGetNumberOfElements(cell);
  }
  return (gpugeo_texts){count, text, length};
}

/* The inputs and options of a call. */
typedef struct edit_input {
  gpugeo_dist_edit_options options;
  gpugeo_texts x, second;
  const gpugeo_texts *y; /* NULL: within x */
} edit_input;

/* Reads them. */
static void read_edit(gg_mex_call *call, edit_input *in) {
  gpugeo_dist_edit_options_init(&in->options, sizeof in->options);
  gg_mex_read_options(call, &gg_dist_edit_options, &in->options);
  gg_mex_settings(call, false, &in->options.run);
  in->x = read_texts(call, call->inputs[0]);
  in->y = call->input_count > 1 ? &in->second : NULL;
  if (in->y) in->second = read_texts(call, call->inputs[1]);
}

void gg_mex_dist_edit(gg_mex_call *call) {
  edit_input in;
  read_edit(call, &in);
  const int64_t n = in.x.count, pairs = n > 0 ? n * (n - 1) / 2 : 0;
  double *out = call->status
                    ? NULL
                    : gg_mex_doubles_result(call, 0, in.y ? n : 1, in.y ? in.y->count : pairs);
  if (call->status) return;
  call->status = gpugeo_dist_edit(&in.x, in.y, &in.options, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_dist_aa(gg_mex_call *call) {
  gpugeo_dist_aa_options options;
  gpugeo_dist_aa_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_dist_aa_options, &options);
  gg_mex_settings(call, false, &options.run);
  const gpugeo_texts x = read_texts(call, call->inputs[0]);
  double *out = call->status ? NULL
                             : gg_mex_doubles_result(call, 0, 1,
                                                     x.count > 0 ? x.count * (x.count - 1) / 2 : 0);
  if (call->status) return;
  call->status = gpugeo_dist_aa(&x, &options, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_edit_neighbors(gg_mex_call *call) {
  edit_input in;
  read_edit(call, &in);
  gpugeo_neighbors *found = gg_mex_allocate(call, 1, sizeof *found);
  if (call->status) return;
  gg_mex_neighbors_results(
      call, found,
      gpugeo_edit_neighbors(&in.x, in.y, &in.options, found, &call->report, &call->error));
}

/* --- The bootstrap ---------------------------------------------------------------------------- */

/* Returns a matrix of int32 as a result. */
static int32_t *make_int32s(gg_mex_call *call, int which, int64_t rows, int64_t columns) {
  if (call->status) return NULL;
  call->results[which] =
      mxCreateNumericMatrix((mwSize)rows, (mwSize)columns, mxINT32_CLASS, mxREAL);
  return mxGetData(call->results[which]);
}

/* Makes the results for trees with so many edges, of so many replicates. */
static gpugeo_boot_phylo_result make_boot(gg_mex_call *call, int64_t n, int64_t edges,
                                          int64_t replicates) {
  gpugeo_boot_phylo_result result = {.edge = make_int32s(call, 0, edges, 2)};
  result.length = gg_mex_doubles_result(call, 1, edges, 1);
  result.support = make_int32s(call, 2, edges + 1 - n, 1);
  int32_t *all = make_int32s(call, 3, 2 * edges, replicates);
  double *lengths = gg_mex_doubles_result(call, 4, edges, replicates);
  result.edges = replicates > 0 ? all : NULL;
  result.lengths = replicates > 0 ? lengths : NULL;
  return result;
}

void gg_mex_boot_phylo(gg_mex_call *call) {
  gpugeo_dist_dna_options distances;
  gpugeo_boot_phylo_options options;
  int32_t trees = 0;
  gpugeo_dist_dna_options_init(&distances, sizeof distances);
  gpugeo_boot_phylo_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_dist_dna_options, &distances);
  gg_mex_read_options(call, &gg_boot_phylo_options, &options);
  gg_mex_flag(call, "trees", &trees);
  gg_mex_settings(call, false, &options.run);
  const gpugeo_sequences x = read_sequences(call, call->inputs[0]);
  const int64_t more = options.tree == GPUGEO_TREE_METHOD_UPGMA ? 2 : 3;
  const int64_t edges = x.count < more ? x.count : 2 * x.count - more;
  const double all = trees ? (double)edges * (double)options.replicates : 0;
  if (call->status) return;
  gg_mex_check(call, gg_check_result(2 * all, GPUGEO_TYPE_DOUBLE, 0, &call->error));
  if (call->status) return;
  const gpugeo_boot_phylo_result result =
      make_boot(call, x.count, edges, trees ? options.replicates : 0);
  if (call->status) return;
  call->status = gpugeo_boot_phylo(&x, &distances, &options, &result, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 5, &call->report);
}

static void free_lazy(void *lazy) { gpugeo_dist_lazy_free(lazy); }

const gpugeo_dist_lazy *gg_mex_make_lazy(gg_mex_call *call, const mxArray *about) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_lazy *made = NULL;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  const mxArray *others = call->options;
  call->options = gg_mex_field(about, "options");
  gg_mex_read_options(call, &gg_dist_dna_options, &options);
  call->options = others;
  gg_mex_settings(call, false, &options.run);
  const gpugeo_sequences x = read_sequences(call, gg_mex_field(about, "sequences"));
  if (call->status) return NULL;
  if (!gg_mex_check(call, gpugeo_dist_dna_lazy(&x, &options, &made, NULL, &call->error)))
    return NULL;
  gg_mex_release_later(call, free_lazy, made);
  return made;
}

void gg_mex_dist_alleles(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_matrix x;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  gg_mex_settings(call, false, &run);
  if (call->status) return;
  const int64_t pairs = x.nrow > 0 ? x.nrow * (x.nrow - 1) / 2 : 0;
  double *out = gg_mex_doubles_result(call, 0, 1, pairs);
  if (call->status) return;
  call->status = gpugeo_dist_alleles(&x, &run, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}
