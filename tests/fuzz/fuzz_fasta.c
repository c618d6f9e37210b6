/* Fuzzes gpugeo_fasta_read(): any text, plain or compressed. Checks that what was read as text is
   read again after it was printed, and that its letters have the codes that are read as DNA. */
#include "fuzz.h"

#include <stdio.h>

static scratch_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  file = scratch_file_open("file");
  return 0;
}

static gpugeo_status read_fasta(const void *text, size_t size, gpugeo_letters letters,
                                gpugeo_fasta *fasta) {
  gpugeo_error error;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  scratch_file_write(&file, text, size);
  const gpugeo_status status = gpugeo_fasta_read(file.path, letters, &run, fasta, &error);
  demand_status(status, ALLOW_ARGUMENT | ALLOW_MEMORY | ALLOW_FILE, &error);
  demand(!status || (!fasta->codes && !fasta->start && !fasta->names));
  return status;
}

static void check_ranges(const gpugeo_fasta *fasta) {
  demand(fasta->count >= 0 && fasta->start[0] == 0);
  for (int64_t i = 0; i < fasta->count; ++i) {
    demand(fasta->start[i] <= fasta->start[i + 1]);
    demand(!strchr(fasta->names[i], '\n'));
  }
}

static void demand_same(const gpugeo_fasta *a, const gpugeo_fasta *b) {
  demand(a->count == b->count);
  for (int64_t i = 0; i < a->count; ++i)
    demand(a->start[i + 1] == b->start[i + 1] && strcmp(a->names[i], b->names[i]) == 0);
  const size_t sites = (size_t)a->start[a->count];
  demand(sites == 0 || memcmp(a->codes, b->codes, sites) == 0);
}

/* Prints the sequences, three letters a line, and reads that. A line that would begin with > or ;
   gets a blank before it. */
static void check_again(const gpugeo_fasta *fasta) {
  size_t room = 1;
  for (int64_t i = 0; i < fasta->count; ++i)
    room += strlen(fasta->names[i]) + 3;
  char *text = malloc(room + 4 * (size_t)fasta->start[fasta->count] + 4), *at = text;
  for (int64_t i = 0; i < fasta->count; ++i) {
    at += sprintf(at, ">%s\n", fasta->names[i]);
    for (int64_t k = fasta->start[i]; k < fasta->start[i + 1]; ++k) {
      if ((k - fasta->start[i]) % 3 == 0) *at++ = ' ';
      *at++ = (char)fasta->codes[k];
      if ((k - fasta->start[i]) % 3 == 2) *at++ = '\n';
    }
    *at++ = '\n';
  }
  gpugeo_fasta again;
  demand(read_fasta(text, (size_t)(at - text), GPUGEO_LETTERS_TEXT, &again) == GPUGEO_OK);
  demand_same(fasta, &again);
  gpugeo_fasta_free(&again);
  free(text);
}

/* What is read as DNA has the codes of the letters. */
static void check_codes(const gpugeo_fasta *text, const gpugeo_fasta *dna) {
  const int64_t sites = text->start[text->count];
  uint8_t *codes = malloc((size_t)sites + 1);
  demand(gpugeo_dna_encode((const char *)text->codes, sites, codes, NULL, NULL) == GPUGEO_OK);
  demand(dna->start[dna->count] == sites);
  demand(sites == 0 || memcmp(codes, dna->codes, (size_t)sites) == 0);
  free(codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gpugeo_fasta text, dna;
  const gpugeo_status as_dna = read_fasta(data, size, GPUGEO_LETTERS_DNA, &dna);
  const gpugeo_status as_text = read_fasta(data, size, GPUGEO_LETTERS_TEXT, &text);
  demand(!as_text || as_dna == as_text); /* letters of DNA are printable */
  if (!as_text) {
    check_ranges(&text);
    check_again(&text);
    if (!as_dna) check_codes(&text, &dna);
    gpugeo_fasta_free(&text);
  }
  if (!as_dna) gpugeo_fasta_free(&dna);
  return 0;
}
