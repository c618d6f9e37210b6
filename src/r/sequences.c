#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/pages.h"
#include "entry.h"
#include "sequences.h"

/* Frees the sequences of a file. */
static void free_fasta(SEXP holder) {
  gpugeo_fasta *fasta = R_ExternalPtrAddr(holder);
  if (fasta) gpugeo_fasta_free(fasta);
  R_ClearExternalPtr(holder);
}

/* Returns list(codes, lengths, names). */
static SEXP list_sequences(const gpugeo_fasta *fasta) {
  const char *elements[] = {"codes", "lengths", "names", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, elements));
  const R_xlen_t count = (R_xlen_t)fasta->count, sites = (R_xlen_t)fasta->start[count];
  SEXP codes = SET_VECTOR_ELT(list, 0, Rf_allocVector(RAWSXP, sites));
  gg_pages_move(RAW(codes), fasta->codes, (int64_t)sites);
  SEXP lengths = SET_VECTOR_ELT(list, 1, Rf_allocVector(REALSXP, count));
  SEXP names = SET_VECTOR_ELT(list, 2, Rf_allocVector(STRSXP, count));
  for (R_xlen_t i = 0; i < count; ++i) {
    REAL(lengths)[i] = (double)(fasta->start[i + 1] - fasta->start[i]);
    SET_STRING_ELT(names, i, Rf_mkCharCE(fasta->names[i], CE_UTF8));
  }
  UNPROTECT(1);
  return list;
}

SEXP gg_r_fasta(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  SEXP holder = PROTECT(gg_r_hold(sizeof(gpugeo_fasta), free_fasta));
  gpugeo_fasta *fasta = gg_r_held(holder);
  const char *path = gg_r_path(&call, gg_r_input(&call, 0), "path");
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_fasta_read(path, GPUGEO_LETTERS_DNA, &run, fasta, &call.error));
  R_SetExternalPtrAddr(holder, fasta);
  SEXP list = PROTECT(list_sequences(fasta));
  free_fasta(holder);
  UNPROTECT(3);
  return list;
}

SEXP gg_r_dna_encode(SEXP letters, SEXP call) {
  const R_xlen_t count = XLENGTH(letters);
  SEXP lengths = PROTECT(Rf_allocVector(REALSXP, count));
  R_xlen_t sites = 0;
  for (R_xlen_t i = 0; i < count; ++i) {
    REAL(lengths)[i] = (double)LENGTH(STRING_ELT(letters, i));
    sites += LENGTH(STRING_ELT(letters, i));
  }
  SEXP codes = PROTECT(Rf_allocVector(RAWSXP, sites));
  uint8_t *to = RAW(codes);
  for (R_xlen_t i = 0; i < count; ++i) {
    const SEXP text = STRING_ELT(letters, i);
    gpugeo_error error;
    if (gpugeo_dna_encode(CHAR(text), LENGTH(text), to, NULL, &error)) gg_r_stop(&error, call);
    to += LENGTH(text);
  }
  const char *elements[] = {"codes", "lengths", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, elements));
  SET_VECTOR_ELT(list, 0, codes);
  SET_VECTOR_ELT(list, 1, lengths);
  UNPROTECT(3);
  return list;
}

/* Returns where each sequence starts, in R's memory, from their lengths. */
static const int64_t *starts_of(SEXP lengths) {
  const R_xlen_t count = XLENGTH(lengths);
  int64_t *start = (int64_t *)R_alloc((size_t)count + 1, sizeof *start);
  start[0] = 0;
  for (R_xlen_t i = 0; i < count; ++i)
    start[i + 1] = start[i] + (int64_t)REAL_RO(lengths)[i];
  return start;
}

/* Describes the sequences of inputs from `first` on: a raw vector of all codes and their lengths,
   or a raw matrix with a sequence in each row and NULL; and their names or NULL. */
static gpugeo_sequences read_sequences(const gg_r_call *call, int first) {
  const SEXP codes = gg_r_input(call, first), lengths = gg_r_input(call, first + 1);
  gpugeo_sequences x = {.codes = RAW_RO(codes), .names = gg_r_texts(gg_r_input(call, first + 2))};
  if (lengths == R_NilValue) {
    x.count = x.step = Rf_nrows(codes);
    x.sites = Rf_ncols(codes);
  } else {
    x.count = XLENGTH(lengths);
    x.start = starts_of(lengths);
  }
  return x;
}

SEXP gg_r_dist_dna(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_dna_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dist_dna_options_init(&options, sizeof options);
  const gpugeo_sequences x = read_sequences(&call, 0);
  gg_r_read_options(&call, &gg_dist_dna_options, &options);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);
  int64_t size = 0;
  gg_r_check(&call, gpugeo_dist_dna_size(&x, &options, &size, &call.error));
  gg_r_require(&call);

  const char *names[] = {"distances", "variance", "model", "sites", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP out = SET_VECTOR_ELT(made, 0, Rf_allocVector(REALSXP, (R_xlen_t)size));
  SEXP variance = R_NilValue;
  if (options.variance) variance = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, (R_xlen_t)size));
  if (options.count_sites)
    options.site_counts = REAL(SET_VECTOR_ELT(made, 3, Rf_allocVector(REALSXP, (R_xlen_t)size)));
  gg_r_finish(&call,
              gpugeo_dist_dna(&x, &options, REAL(out), options.variance ? REAL(variance) : NULL,
                              &call.report, &call.error));
  SET_VECTOR_ELT(made, 2, Rf_mkString(gpugeo_name(GPUGEO_ENUM_DNA_MODEL, options.model)));
  gg_r_report(&call, "gpu_dist_dna", NULL);
  UNPROTECT(2);
  return made;
}

/* Returns list(edge, edge.length, support, edges, lengths) for `edges` edges of trees of n
   sequences, the last two NULL without trees of replicates; to be protected. */
static SEXP make_boot(int64_t n, int64_t edges, int64_t replicates) {
  const char *names[] = {"edge", "edge.length", "support", "edges", "lengths", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gg_r_set_vector(made, 0, INTSXP, 2 * edges);
  gg_r_set_vector(made, 1, REALSXP, edges);
  gg_r_set_vector(made, 2, INTSXP, edges + 1 - n);
  if (replicates > 0) {
    gg_r_set_vector(made, 3, INTSXP, 2 * edges * replicates);
    gg_r_set_vector(made, 4, REALSXP, edges * replicates);
  }
  UNPROTECT(1);
  return made;
}

SEXP gg_r_boot_phylo(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dist_dna_options distances;
  gpugeo_boot_phylo_options options;
  int32_t trees = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dist_dna_options_init(&distances, sizeof distances);
  gpugeo_boot_phylo_options_init(&options, sizeof options);
  const gpugeo_sequences x = read_sequences(&call, 0);
  gg_r_read_options(&call, &gg_dist_dna_options, &distances);
  gg_r_read_options(&call, &gg_boot_phylo_options, &options);
  gg_r_flag(&call, "trees", &trees);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);

  const int64_t more = options.tree == GPUGEO_TREE_METHOD_UPGMA ? 2 : 3;
  const int64_t edges = x.count < more ? x.count : 2 * x.count - more;
  const double all = trees ? (double)edges * (double)options.replicates : 0;
  gg_r_check(&call, gg_check_result(2 * all, GPUGEO_TYPE_DOUBLE, 0, &call.error));
  gg_r_require(&call);
  SEXP made = PROTECT(make_boot(x.count, edges, trees ? options.replicates : 0));
  const gpugeo_boot_phylo_result result = {
      INTEGER(VECTOR_ELT(made, 0)), REAL(VECTOR_ELT(made, 1)), INTEGER(VECTOR_ELT(made, 2)),
      trees ? INTEGER(VECTOR_ELT(made, 3)) : NULL, trees ? REAL(VECTOR_ELT(made, 4)) : NULL};
  gg_r_finish(&call,
              gpugeo_boot_phylo(&x, &distances, &options, &result, &call.report, &call.error));
  gg_r_report(&call, "gpu_boot_phylo", NULL);
  UNPROTECT(2);
  return made;
}

const gpugeo_dist_lazy *gg_r_make_lazy(gg_r_call *call, int first, SEXP holder) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_lazy *made = NULL;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  const gpugeo_sequences x = read_sequences(call, first);
  const SEXP others = call->options;
  call->options = gg_r_input(call, first + 3);
  gg_r_read_options(call, &gg_dist_dna_options, &options);
  call->options = others;
  gg_r_settings(call, &options.run);
  gg_r_require(call);
  const gpugeo_status status =
      gpugeo_dist_dna_lazy(&x, &options, &made, &call->report, &call->error);
  R_SetExternalPtrAddr(holder, made);
  R_SetExternalPtrTag(holder, Rf_install("sequences"));
  R_RegisterCFinalizer(holder, gg_r_close_file);
  gg_r_continue(call, status);
  return made;
}

SEXP gg_r_dist_alleles(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  gpugeo_matrix x;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_matrix(&call, gg_r_input(&call, 0), "x", &x);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  const double pairs = x.nrow > 0 ? (double)x.nrow * (double)(x.nrow - 1) / 2 : 0;
  gg_r_check(&call, gg_check_result(pairs, GPUGEO_TYPE_DOUBLE, 0, &call.error));
  gg_r_require(&call);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)pairs));
  gg_r_finish(&call, gpugeo_dist_alleles(&x, &run, REAL(out), &call.report, &call.error));
  gg_r_report(&call, "gpu_dist_alleles", NULL);
  UNPROTECT(2);
  return out;
}
