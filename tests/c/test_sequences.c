/* Files of sequences, and distances of them: against counts site by site, on any number of threads
   and with any instructions; and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both_backends.h"
#include "check.h"
#include "common/backend.h"
#include "common/context.h"
#include "data.h"
#include "gpugeo.h"
#include "sequences/dna_distance.h"
#include "system.h"
#include "temporary.h"
#include "workers.h"
#ifdef GPUGEO_WITH_ZLIB
#include <zlib.h>
#endif

static const uint8_t bases[] = {0x88, 0x28, 0x48, 0x18};

/* --- Files ------------------------------------------------------------------------------------ */

/* Reads bytes as a file. */
static gpugeo_status read_bytes(const void *bytes_of_file, size_t size, gpugeo_letters letters,
                                gpugeo_fasta *fasta, gpugeo_error *error) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  char *path = temporary_file(bytes_of_file, size);
  const gpugeo_status status = gpugeo_fasta_read(path, letters, &run, fasta, error);
  temporary_remove(path);
  return status;
}

/* Checks the names and letters of a file, written as "name=letters;...". */
static void check_text(const char *text, const char *wanted) {
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  char got[400] = "";
  if (!CHECK(read_bytes(text, strlen(text), GPUGEO_LETTERS_TEXT, &fasta, &error) == GPUGEO_OK, "%s",
             error.message))
    return;
  size_t end = 0;
  for (int64_t i = 0; i < fasta.count; ++i)
    end += (size_t)snprintf(got + end, sizeof got - end, "%s=%.*s;", fasta.names[i],
                            (int)(fasta.start[i + 1] - fasta.start[i]),
                            (const char *)fasta.codes + fasta.start[i]);
  CHECK(strcmp(got, wanted) == 0, "%s, not %s", got, wanted);
  gpugeo_fasta_free(&fasta);
}

static void test_text(void) {
  check_text("", "");
  check_text("\n; a comment\n\n", "");
  check_text(">a\nAC\nGT\n>b\nacgt\n", "a=ACGT;b=acgt;");
  check_text(">a\r\nAC\r\nGT\r\n>b  \r\nacgt", "a=ACGT;b=acgt;");
  check_text(">a b\tc\n;x>y\nA C\tG\n\n>a b\tc\nT", "a b\tc=ACG;a b\tc=T;");
  check_text(">\n>x\n>", "=;x=;=;");
  check_text("\xef\xbb\xbf>a\nMKV*\n", "a=MKV*;");
}

/* Lines longer than the buffer of the reader, also names. */
static void test_long_lines(void) {
  enum { LONG = 3000001 };
  char *text = malloc(2 * LONG + 10);
  text[0] = '>';
  memset(text + 1, 'n', LONG);
  text[LONG + 1] = '\n';
  memset(text + LONG + 2, 'A', LONG);
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  if (CHECK(!read_bytes(text, 2 * LONG + 2, GPUGEO_LETTERS_DNA, &fasta, &error), "%s",
            error.message)) {
    CHECK(fasta.count == 1 && fasta.start[1] == LONG && strlen(fasta.names[0]) == LONG, "lengths");
    CHECK(fasta.codes[0] == 0x88 && fasta.codes[LONG - 1] == 0x88, "codes");
    gpugeo_fasta_free(&fasta);
  }
  free(text);
}

/* Lines of lengths up to 80, and of about 128 and 256, of frequent letters and now and then of
   others and blanks, have the codes that gpugeo_dna_encode() gives one after the other, and the
   letters themselves as text. */
static void test_lines(void) {
  static const char frequent[] = "ACGTacgtNn-",
                    all[] = "ACGTURYSWKMBDHVNX-?.acgturyswkmbdhvnx \t\r";
  char text[8000] = ">a\n", letters[8000];
  size_t length = 3;
  int64_t count = 0, wrong;
  uint64_t seed = 1;
  for (int line = 0; line <= 90; ++line) {
    const int sites = line <= 80 ? line : line <= 85 ? line + 45 : line + 170;
    for (int i = 0; i < sites; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const uint32_t drawn = (uint32_t)(seed >> 33);
      const bool rare = drawn % 64 == 0 || (line == 80 && drawn % 2 == 0);
      const char letter =
          rare ? all[drawn / 64 % (sizeof all - 1)] : frequent[drawn / 64 % (sizeof frequent - 1)];
      text[length++] = letter;
      if (!strchr(" \t\r", letter)) letters[count++] = letter;
    }
    text[length++] = '\n';
  }
  uint8_t codes[sizeof letters];
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  CHECK(!gpugeo_dna_encode(letters, count, codes, &wrong, &error), "%s", error.message);
  if (!CHECK(!read_bytes(text, length, GPUGEO_LETTERS_DNA, &fasta, &error), "%s", error.message))
    return;
  CHECK(fasta.start[1] == count && memcmp(fasta.codes, codes, (size_t)count) == 0, "%lld of %lld",
        (long long)fasta.start[1], (long long)count);
  gpugeo_fasta_free(&fasta);
  if (!CHECK(!read_bytes(text, length, GPUGEO_LETTERS_TEXT, &fasta, &error), "%s", error.message))
    return;
  CHECK(fasta.start[1] == count && memcmp(fasta.codes, letters, (size_t)count) == 0, "letters");
  gpugeo_fasta_free(&fasta);
}

/* A letter that is wrong is found at any position of a long line. */
static void test_wrong_letters(void) {
  enum { SITES = 300 };
  static const char wrong[] = {'*', '\1', '\x7f', '\xc4'};
  char text[3 + SITES] = ">a\n";
  for (int i = 0; i < 4 * SITES; ++i) {
    memset(text + 3, 'g', SITES);
    text[3 + i / 4] = wrong[i % 4];
    for (int letters = 0; letters < 2; ++letters) {
      gpugeo_fasta fasta;
      gpugeo_error error = {0};
      const gpugeo_status status =
          read_bytes(text, sizeof text, (gpugeo_letters)letters, &fasta, &error);
      const bool fine = letters == GPUGEO_LETTERS_TEXT && i % 4 == 0;
      CHECK(fine ? !status : strstr(error.message, ", line 2: a letter of a sequence") != NULL,
            "position %d, byte %d: \"%s\"", i / 4, wrong[i % 4], error.message);
      gpugeo_fasta_free(&fasta);
    }
  }
}

/* The code of every letter: those of both cases, by their bits. */
static void test_codes(void) {
  static const char letters[] = "ACGTURYSWKMBDHVNX-.?";
  static const uint8_t codes[] = {0x88, 0x28, 0x48, 0x18, 0x18, 0xC0, 0x30, 0x60, 0x90, 0x50,
                                  0xA0, 0x70, 0xD0, 0xB0, 0xE0, 0xF0, 0xF0, 0x04, 0x02, 0x02};
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = (char)byte;
    uint8_t code = 0;
    int64_t wrong = -1;
    gpugeo_error error = {0};
    const gpugeo_status status = gpugeo_dna_encode(&letter, 1, &code, &wrong, &error);
    const int upper = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    const char *at = upper ? strchr(letters, upper) : NULL;
    if (at)
      CHECK(!status && code == codes[at - letters], "letter %d: %s", byte, error.message);
    else
      CHECK(status == GPUGEO_ERROR_ARGUMENT && wrong == 0, "letter %d", byte);
  }
}

/* Checks the message of a file that is refused. */
static void check_refused(const void *text, size_t size, const char *message) {
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  const gpugeo_status status = read_bytes(text, size, GPUGEO_LETTERS_DNA, &fasta, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strstr(error.message, message), "\"%s\", not \"%s\"",
        error.message, message);
  CHECK(!fasta.codes && !fasta.start && !fasta.names && fasta.count == 0, "nothing is left");
}

static void test_refused(void) {
  static const char binary[] = "\x7f"
                               "ELF\0\1\2";
  check_refused("ACGT\n", 5,
                "line 1: the first line of a FASTA file must begin with \">\", not "
                "with \"A\"");
  check_refused(" \n A\n>a\n", 8,
                "line 2: the first line of a FASTA file must begin with \">\", not with "
                "\"A\"");
  check_refused(binary, sizeof binary, "must begin with \">\", not with \"?\"");
  check_refused(">a\nAC\nAZ\n", 9,
                "line 3: a letter of a sequence must be one of "
                "ACGTURYSWKMBDHVNX-.?, not \"Z\"");
  check_refused(">a\nA\0C\n", 7,
                "line 2: a letter of a sequence must be one of "
                "ACGTURYSWKMBDHVNX-.?, not \"\\0\"");
  check_refused(">a\0b\nA\n", 7, "line 1 must be text, but holds a NUL byte");
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  CHECK(gpugeo_fasta_read("/nowhere/x.fa", GPUGEO_LETTERS_DNA, &run, &fasta, &error) ==
            GPUGEO_ERROR_ARGUMENT,
        "no file");
  char *folder = temporary_folder(), *pipe = temporary_path(folder, "pipe");
  if (make_pipe(pipe)) {
    CHECK(gpugeo_fasta_read(pipe, GPUGEO_LETTERS_DNA, &run, &fasta, &error) ==
                  GPUGEO_ERROR_ARGUMENT &&
              strstr(error.message, "must be a regular file"),
          "%s", error.message);
    remove(pipe);
  }
  free(pipe);
  temporary_remove(folder);
  CHECK(gpugeo_fasta_read("/nowhere", (gpugeo_letters)2, &run, &fasta, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "letters must be 0 or 1, not 2"),
        "%s", error.message);
}

/* A limit of memory stops the reader; one line is read within one byte a site. */
static void test_limit(void) {
  enum { SITES = 3 << 20 };
  char *text = malloc(SITES + 3);
  memcpy(text, ">a\n", 3);
  memset(text + 3, 'C', SITES);
  char *path = temporary_file(text, SITES + 3);
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.work_bytes = 1 << 20;
  CHECK(gpugeo_fasta_read(path, GPUGEO_LETTERS_DNA, &run, &fasta, &error) == GPUGEO_ERROR_MEMORY &&
            strstr(error.message, "memory_limit must be more than 1048576 bytes"),
        "%s", error.message);
  run.work_bytes = SITES + (16 << 10);
  CHECK(!gpugeo_fasta_read(path, GPUGEO_LETTERS_DNA, &run, &fasta, &error), "%s", error.message);
  CHECK(fasta.start[1] == SITES && fasta.codes[SITES - 1] == 0x28, "sites");
  gpugeo_fasta_free(&fasta);
  temporary_remove(path);
  free(text);
}

#ifdef GPUGEO_WITH_ZLIB
/* A gzip file reads as its text, and one that is cut is refused. */
static void test_gzip(void) {
  static const char text[] = ">a\nACGTACGTNN\n>b\nAC-TACGTNN\n";
  uint8_t packed[400];
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .next_out = packed};
  stream.avail_in = sizeof text - 1;
  stream.avail_out = sizeof packed;
  CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  const size_t size = sizeof packed - stream.avail_out;
  deflateEnd(&stream);
  gpugeo_fasta fasta;
  gpugeo_error error = {0};
  if (CHECK(!read_bytes(packed, size, GPUGEO_LETTERS_DNA, &fasta, &error), "%s", error.message)) {
    CHECK(fasta.count == 2 && fasta.start[2] == 20 && fasta.codes[12] == 0x04, "sequences");
    gpugeo_fasta_free(&fasta);
  }
  check_refused(packed, size - 12, "cannot be read: ");
}
#endif

/* --- Distances -------------------------------------------------------------------------------- */

/* Sequences of random codes, all 17 of them. */
static uint8_t *made_up(int64_t count, int64_t sites, uint64_t seed) {
  static const uint8_t codes[] = {0xC0, 0xA0, 0x90, 0x60, 0x50, 0x30, 0xE0,
                                  0xB0, 0xD0, 0x70, 0xF0, 0x04, 0x04, 0x02};
  dice d = {seed};
  uint8_t *made = malloc((size_t)(count * sites) + 1);
  for (int64_t k = 0; k < count * sites; ++k) {
    const bool odd = dice_whole(&d, 19) == 0;
    made[k] = odd ? codes[dice_whole(&d, 13)]
                  : bases[dice_whole(&d, 9) ? k % sites % 4 : dice_whole(&d, 3)];
  }
  return made;
}

/* True if a site counts for models of counts: known in both sequences, or in all. */
static bool counts_site(const gpugeo_sequences *x, int64_t i, int64_t j, int64_t site,
                        bool pairwise) {
  if (pairwise) return (x->codes[x->start[i] + site] & x->codes[x->start[j] + site] & 8) != 0;
  for (int64_t k = 0; k < x->count; ++k)
    if (!(x->codes[x->start[k] + site] & 8)) return false;
  return true;
}

/* The number of differences by the definition. */
static double defined(const gpugeo_sequences *x, int64_t i, int64_t j, gpugeo_dna_model model,
                      bool pairwise) {
  double count = 0;
  for (int64_t k = 0; k < x->start[1]; ++k) {
    const uint8_t a = x->codes[x->start[i] + k], b = x->codes[x->start[j] + k];
    if (model == GPUGEO_DNA_MODEL_INDEL) {
      count += (a == 4) != (b == 4);
    } else if (counts_site(x, i, j, k, pairwise || model == GPUGEO_DNA_MODEL_SNP)) {
      const bool ts = (a & 0xC0 && b & 0xC0) || (a & 0x30 && b & 0x30);
      count += a != b && (model == GPUGEO_DNA_MODEL_TS   ? ts
                          : model == GPUGEO_DNA_MODEL_TV ? !ts
                                                         : true);
    }
  }
  return count;
}

/* Computes distances. */
static gpugeo_status compute(const gpugeo_sequences *x, gpugeo_dna_model model, bool pairwise,
                             int32_t threads, double *out, gpugeo_error *error) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  options.model = model;
  options.pairwise_deletion = pairwise;
  options.run.threads = threads;
  return gpugeo_dist_dna(x, &options, out, NULL, NULL, error);
}

/* Checks counts against the definition. */
static void check_counts(const gpugeo_sequences *x, gpugeo_dna_model model, bool pairwise) {
  const int64_t n = x->count;
  double *out = malloc((size_t)(n * n) * sizeof *out + 1);
  gpugeo_error error = {0};
  CHECK(!compute(x, model, pairwise, 2, out, &error), "%s", error.message);
  int64_t wrong = 0, at = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i)
      wrong += out[at++] != defined(x, i, j, model, pairwise);
  CHECK(wrong == 0, "model %d, pairwise %d, %lld sequences: %lld wrong", (int)model, pairwise,
        (long long)n, (long long)wrong);
  free(out);
}

static void test_counts(void) {
  static const gpugeo_dna_model models[] = {GPUGEO_DNA_MODEL_N, GPUGEO_DNA_MODEL_TS,
                                            GPUGEO_DNA_MODEL_TV, GPUGEO_DNA_MODEL_INDEL,
                                            GPUGEO_DNA_MODEL_SNP};
  static const int64_t shapes[][2] = {{2, 1}, {3, 64}, {17, 65}, {33, 130}, {5, 9000}, {4, 0}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const int64_t n = shapes[s][0], sites = shapes[s][1];
    uint8_t *codes = made_up(n, sites, s + 1);
    int64_t start[40];
    for (int64_t i = 0; i <= n; ++i)
      start[i] = i * sites;
    const gpugeo_sequences x = {.count = n, .codes = codes, .start = start};
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m)
      for (int pairwise = 0; pairwise < 2; ++pairwise)
        check_counts(&x, models[m], pairwise);
    free(codes);
  }
}

/* The same bits on any threads, with any instructions, and from rows of a matrix. */
static void test_same_bits(void) {
  enum { N = 70, SITES = 1000 };
  const gg_simd widest = gg_context_get()->simd;
  uint8_t *codes = made_up(N, SITES, 9), *rows = malloc(N * SITES);
  int64_t start[N + 1];
  for (int64_t i = 0; i <= N; ++i)
    start[i] = i * SITES;
  for (int64_t i = 0; i < N; ++i)
    for (int64_t k = 0; k < SITES; ++k)
      rows[i + k * N] = codes[i * SITES + k];
  const gpugeo_sequences x = {.count = N, .codes = codes, .start = start};
  const gpugeo_sequences matrix = {.count = N, .codes = rows, .sites = SITES, .step = N};
  const size_t bytes = N * N * sizeof(double);
  double *first = calloc(bytes, 1), *other = calloc(bytes, 1);
  gpugeo_error error;
  for (int model = 0; model < GPUGEO_DNA_MODEL_COUNT; ++model)
    for (int pairwise = 0; pairwise < 2; ++pairwise) {
      CHECK(!compute(&x, (gpugeo_dna_model)model, pairwise, 1, first, &error), "%s", error.message);
      for (int simd = 0; simd <= (int)widest; ++simd) {
        gg_context_get()->simd = (gg_simd)simd;
        CHECK(!compute(&matrix, (gpugeo_dna_model)model, pairwise, 1 + simd, other, &error), "%s",
              error.message);
        CHECK(memcmp(first, other, bytes) == 0, "model %d, instructions %d", model, simd);
      }
      gg_context_get()->simd = widest;
    }
  free(codes);
  free(rows);
  free(first);
  free(other);
}

/* Checks the number of codes that differ. */
static void check_letters(const gpugeo_sequences *x) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  options.model = GPUGEO_DNA_MODEL_SNP;
  options.all_letters = 1;
  double *out = malloc((size_t)(x->count * x->count) * sizeof *out);
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_dna(x, &options, out, NULL, NULL, &error), "%s", error.message);
  int64_t wrong = 0, at = 0;
  for (int64_t j = 0; j < x->count; ++j)
    for (int64_t i = j + 1; i < x->count; ++i) {
      int64_t differ = 0;
      for (int64_t k = 0; k < x->start[1]; ++k)
        differ += x->codes[x->start[i] + k] != x->codes[x->start[j] + k];
      wrong += out[at++] != (double)differ;
    }
  CHECK(wrong == 0, "%lld sequences: %lld wrong", (long long)x->count, (long long)wrong);
  free(out);
}

/* Sequences that differ from one of random codes at one site in 400, each seventh of which begins
   with unknown sites. */
static uint8_t *made_relatives(int64_t count, int64_t sites) {
  dice d = {5};
  uint8_t *base = made_up(1, sites, 3), *made = malloc((size_t)(count * sites));
  for (int64_t k = 0; k < count * sites; ++k) {
    const int64_t i = k / sites, site = k % sites;
    made[k] = dice_whole(&d, 399) == 0 ? bases[dice_whole(&d, 3)] : base[site];
    if (i % 7 == 0 && site < 60 + i) made[k] = 0xF0;
  }
  free(base);
  return made;
}

/* Relatives, whose counts are found from the words that differ from a common sequence: as the
   definition, and with all instructions as of few sequences, whose words are all counted. */
static void test_relatives(void) {
  enum { N = 70, SITES = 5001, FEW = 31 };
  static const gpugeo_dna_model models[] = {
      GPUGEO_DNA_MODEL_RAW,    GPUGEO_DNA_MODEL_JC69,    GPUGEO_DNA_MODEL_K80, GPUGEO_DNA_MODEL_K81,
      GPUGEO_DNA_MODEL_LOGDET, GPUGEO_DNA_MODEL_PARALIN, GPUGEO_DNA_MODEL_N};
  const gg_simd widest = gg_context_get()->simd;
  uint8_t *codes = made_relatives(N, SITES);
  static double all[N * (N - 1) / 2], few[FEW * (FEW - 1) / 2];
  int64_t start[N + 1];
  for (int64_t i = 0; i <= N; ++i)
    start[i] = i * SITES;
  const gpugeo_sequences x = {.count = N, .codes = codes, .start = start};
  const gpugeo_sequences first = {.count = FEW, .codes = codes, .start = start};
  gpugeo_error error = {0};
  check_counts(&x, GPUGEO_DNA_MODEL_TS, true);
  check_counts(&x, GPUGEO_DNA_MODEL_TV, true);
  check_counts(&x, GPUGEO_DNA_MODEL_SNP, true);
  check_counts(&x, GPUGEO_DNA_MODEL_INDEL, true);
  check_letters(&x);
  check_letters(&first);
  for (size_t m = 0; m < sizeof models / sizeof *models; ++m)
    for (int simd = 0; simd <= (int)widest; ++simd) {
      gg_context_get()->simd = (gg_simd)simd;
      CHECK(!compute(&x, models[m], true, 2, all, &error), "%s", error.message);
      CHECK(!compute(&first, models[m], true, 1, few, &error), "%s", error.message);
      int wrong = 0;
      for (int j = 0; j < FEW; ++j)
        for (int i = j + 1; i < FEW; ++i)
          wrong += all[N * j - j * (j + 1) / 2 + i - j - 1] !=
                   few[FEW * j - j * (j + 1) / 2 + i - j - 1];
      CHECK(wrong == 0, "model %d, instructions %d: %d wrong", (int)models[m], simd, wrong);
    }
  gg_context_get()->simd = widest;
  free(codes);
}

/* Blocks of gaps: equal ones, ones of other lengths, at both ends, and across words. */
static void test_blocks(void) {
  enum { SITES = 200 };
  uint8_t codes[3 * SITES];
  memset(codes, 0x88, sizeof codes);
  memset(codes, 4, 5);                   /* a: sites 0 to 4 */
  memset(codes + SITES, 4, 5);           /* b: the same, */
  memset(codes + SITES + 60, 4, 80);     /* and 60 to 139 */
  memset(codes + 2 * SITES, 4, 6);       /* c: 0 to 5, */
  memset(codes + 2 * SITES + 60, 4, 80); /* 60 to 139, */
  memset(codes + 2 * SITES + 199, 4, 1); /* and the last */
  const int64_t start[] = {0, SITES, 2 * SITES, 3 * SITES};
  const gpugeo_sequences x = {.count = 3, .codes = codes, .start = start};
  double out[3];
  gpugeo_error error = {0};
  CHECK(!compute(&x, GPUGEO_DNA_MODEL_INDELBLOCK, false, 1, out, &error), "%s", error.message);
  CHECK(out[0] == 1 && out[1] == 4 && out[2] == 3, "%g %g %g", out[0], out[1], out[2]);
}

/* --- CUDA ------------------------------------------------------------------------------------- */

/* Checks that CUDA has the CPU's bits, of distances and variances. */
static void compare_backends(const gpugeo_sequences *x, gpugeo_dist_dna_options options) {
  static const gpugeo_backend both[] = {GPUGEO_BACKEND_CPU, GPUGEO_BACKEND_CUDA};
  const int64_t n = x->count;
  double *out[2], *variance[2];
  for (int b = 0; b < 2; ++b) {
    out[b] = calloc((size_t)(n * n) + 1, sizeof *out[b]);
    variance[b] = calloc((size_t)(n * n) + 1, sizeof *variance[b]);
    options.run.backend = both[b];
    gpugeo_error error = {0};
    gpugeo_report report;
    CHECK(!gpugeo_dist_dna(x, &options, out[b], variance[b], &report, &error), "%s", error.message);
    CHECK(report.backend == both[b], "backend %d", (int)report.backend);
  }
  int64_t wrong = 0, first = -1;
  for (int64_t k = n * n - 1; k >= 0; --k)
    if (!same_double(out[0][k], out[1][k]) || !same_double(variance[0][k], variance[1][k])) {
      ++wrong;
      first = k;
    }
  CHECK(wrong == 0,
        "model %d, pairwise %d, gamma %g, variance %d, %lld sequences of %lld sites: %lld differ, "
        "first %lld: %.17g, not %.17g",
        (int)options.model, options.pairwise_deletion, options.gamma, options.variance,
        (long long)n, (long long)x->start[1], (long long)wrong, (long long)first,
        out[1][first < 0 ? 0 : first], out[0][first < 0 ? 0 : first]);
  for (int b = 0; b < 2; ++b) {
    free(out[b]);
    free(variance[b]);
  }
}

/* True if CUDA has a model, and the model has variances, or rates with a gamma distribution. */
static bool has_model(gpugeo_dna_model model, bool variance, double gamma) {
  const gg_dna_formula *formula = gg_dna_formula_of(model);
  return gg_backend_of(GPUGEO_BACKEND_CUDA)->can.algorithms[GG_FAMILY_DIST_DNA] &
             GG_ALGORITHM(model) &&
         (formula->has_variance || !variance) && (formula->gamma || gamma == 0);
}

/* All models of sequences of a shape. */
static void compare_models(int64_t n, int64_t sites, uint64_t seed) {
  uint8_t *codes = made_up(n, sites, seed);
  int64_t *start = malloc((size_t)(n + 1) * sizeof *start);
  for (int64_t i = 0; i <= n; ++i)
    start[i] = i * sites;
  const gpugeo_sequences x = {.count = n, .codes = codes, .start = start};
  for (int model = 0; model < GPUGEO_DNA_MODEL_COUNT; ++model)
    for (int set = 0; set < 8; ++set) {
      gpugeo_dist_dna_options options;
      gpugeo_dist_dna_options_init(&options, sizeof options);
      options.model = (gpugeo_dna_model)model;
      options.pairwise_deletion = set & 1;
      options.variance = set >> 1 & 1;
      options.gamma = set & 4 ? 0.7 : 0;
      if (has_model(options.model, options.variance, options.gamma)) compare_backends(&x, options);
    }
  free(codes);
  free(start);
}

/* The same bits on CUDA: one tile and many, sites that fill words or do not, and two workers. */
static void test_cuda(void) {
  static const int64_t shapes[][2] = {{2, 1},     {3, 0},      {9, 64},    {65, 255}, {128, 256},
                                      {129, 257}, {300, 1000}, {700, 130}, {40, 5000}};
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), the CPU only", error.message);
    return;
  }
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
    if (!check_leaves_out(3)) compare_models(shapes[s][0], shapes[s][1], s + 20);
  set_workers(2);
  compare_models(900, 70, 50);
  set_workers(0);
}

/* Models that CUDA lacks are refused by name. */
static void test_lacking(void) {
  static const uint8_t codes[] = {0x88, 0x28};
  static const int64_t start[] = {0, 1, 2};
  const gpugeo_sequences x = {.count = 2, .codes = codes, .start = start};
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  options.model = GPUGEO_DNA_MODEL_GG95;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  double out;
  gpugeo_error error = {0};
  CHECK(gpugeo_dist_dna(&x, &options, &out, NULL, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "backend must be \"auto\" or \"cpu\" for model \"GG95\", not "
                                  "\"cuda\"") == 0,
        "%s", error.message);
}

/* --- Alleles ---------------------------------------------------------------------------------- */

/* Distances of profiles against the definition, of numbers of all sizes. */
static void test_alleles(void) {
  enum { N = 37, LOCI = 133 };
  static double x[N * LOCI], out[N * (N - 1) / 2];
  dice d = {3};
  for (int k = 0; k < N * LOCI; ++k) {
    const int64_t allele = dice_whole(&d, 5);
    x[k] = allele == 5 ? NAN : allele == 4 ? 4294967295.0 : (double)allele;
  }
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, N, LOCI, N, NULL};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_alleles(&view, &run, out, NULL, &error), "%s", error.message);
  int64_t wrong = 0, at = 0;
  for (int j = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i) {
      double count = 0;
      for (int k = 0; k < LOCI; ++k)
        count += x[i + k * N] > 0 && x[j + k * N] > 0 && x[i + k * N] != x[j + k * N];
      wrong += out[at++] != count;
    }
  CHECK(wrong == 0, "%lld wrong", (long long)wrong);
  x[N + 2] = 4294967296.0;
  CHECK(gpugeo_dist_alleles(&view, &run, out, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "x must have whole numbers from 0 to 4294967295, but row 3, "
                                  "column 2 is 4294967296") == 0,
        "%s", error.message);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void test_arguments(void) {
  static const uint8_t codes[] = {0x88, 0x28, 0x48, 0x18, 0x88};
  static const char *const names[] = {"first", "second \xc3\xa4", ""};
  static const int64_t start[] = {0, 2, 5, 5};
  gpugeo_sequences x = {.count = 2, .codes = codes, .start = start, .names = names};
  double out[4];
  gpugeo_error error = {0};
  CHECK(compute(&x, GPUGEO_DNA_MODEL_K80, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "x must have sequences of equal lengths, but sequence 2 "
                                  "(\"second \xc3\xa4\") has 3 sites and sequence 1 (\"first\") "
                                  "has 2") == 0,
        "%s", error.message);
  x = (gpugeo_sequences){.count = 3, .codes = codes, .start = start + 1};
  CHECK(compute(&x, GPUGEO_DNA_MODEL_K80, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT,
        "no names");
  x = (gpugeo_sequences){.count = 2, .codes = codes, .sites = 2, .step = 1};
  CHECK(compute(&x, GPUGEO_DNA_MODEL_K80, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "at least 2 codes apart"),
        "%s", error.message);
  x.count = -1;
  CHECK(compute(&x, GPUGEO_DNA_MODEL_K80, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT, "count");
  CHECK(compute(NULL, GPUGEO_DNA_MODEL_K80, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT,
        "NULL");
  x = (gpugeo_sequences){.count = 0};
  for (int64_t n = 0; n < 2; ++n, x.count = x.step = n)
    for (int model = 0; model < GPUGEO_DNA_MODEL_COUNT; ++model)
      CHECK(!compute(&x, (gpugeo_dna_model)model, false, 1, out, &error), "%s", error.message);
  CHECK(compute(&x, GPUGEO_DNA_MODEL_COUNT, false, 1, out, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "model must be between 0 and 17, not 18"),
        "%s", error.message);
}

/* More pairs of codes than 2^31 in all. */
static void test_size(void) {
  gpugeo_dist_dna_options options;
  gpugeo_dist_dna_options_init(&options, sizeof options);
  options.model = GPUGEO_DNA_MODEL_BH87;
  gpugeo_sequences x = {.count = 3, .sites = 1, .step = 3};
  int64_t size = 0;
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_dna_size(&x, &options, &size, &error) && size == 9, "%lld", (long long)size);
  options.model = GPUGEO_DNA_MODEL_N;
  CHECK(!gpugeo_dist_dna_size(&x, &options, &size, &error) && size == 3, "%lld", (long long)size);
  x.count = x.step = INT32_MAX;
  CHECK(gpugeo_dist_dna_size(&x, &options, &size, &error) == GPUGEO_ERROR_MEMORY &&
            size == (int64_t)INT32_MAX * (INT32_MAX - 1) / 2,
        "%lld: %s", (long long)size, error.message);
}

/* More than 2^31 codes in all: three sites are known, at both ends and in the middle, whose bases
   are the digits of a sequence's number. Memory that was never written to costs no more than its
   page table. */
static void test_many_codes(void) {
  enum { N = 64 };
  const int64_t sites = ((int64_t)1 << 25) + 77, at[] = {0, sites / 2, sites - 1};
  int64_t start[N + 1] = {0};
  uint8_t *codes = CHECK_SMALL ? NULL : calloc((size_t)(N * sites), 1);
  for (int i = 0; i < N && codes; ++i) {
    start[i + 1] = (i + 1) * sites;
    for (int k = 0; k < 3; ++k)
      codes[start[i] + at[k]] = bases[i >> 2 * k & 3];
  }
  const gpugeo_sequences x = {.count = N, .codes = codes, .start = start};
  static double out[N * (N - 1) / 2];
  gpugeo_error error = {0};
  const gpugeo_status status =
      !codes ? GPUGEO_ERROR_MEMORY : compute(&x, GPUGEO_DNA_MODEL_N, false, 2, out, &error);
  if (status == GPUGEO_ERROR_MEMORY)
    check_skip(1, "2^31 codes: too little memory, or small sizes only");
  else
    CHECK(!status, "%s", error.message);
  int wrong = 0;
  for (int j = 0, at_pair = 0; j < N && !status; ++j)
    for (int i = j + 1; i < N; ++i, ++at_pair) {
      int differ = 0;
      for (int k = 0; k < 3; ++k)
        differ += (i >> 2 * k & 3) != (j >> 2 * k & 3);
      wrong += out[at_pair] != differ;
    }
  CHECK(wrong == 0, "%d wrong", wrong);
  free(codes);
}

int main(void) {
  test_text();
  test_long_lines();
  test_codes();
  test_lines();
  test_wrong_letters();
  test_refused();
  test_limit();
#ifdef GPUGEO_WITH_ZLIB
  test_gzip();
#else
  check_skip(1, "built without zlib");
#endif
  test_counts();
  test_same_bits();
  test_relatives();
  test_cuda();
  test_lacking();
  test_blocks();
  test_alleles();
  test_arguments();
  test_size();
  test_many_codes();
  return check_end();
}
