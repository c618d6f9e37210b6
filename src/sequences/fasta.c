/* Reads files in the FASTA format (Pearson and Lipman 1988): lines that begin with ">" are names,
   the lines after it a sequence. */
#include <string.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/pages.h"
#include "common/platform.h"
#include "common/text_file.h"
#include "sequences/dna_codes.h"

/* Memory that grows. */
typedef struct growing {
  char *data;
  int64_t count, room;
} growing;

/* A file while it is read. */
typedef struct reader {
  gg_text_file text;
  gpugeo_letters letters;
  growing codes, names; /* each name ends with a 0 */
  growing starts;       /* int64_t: of each sequence its first code, then its first byte of names */
  int64_t ready;        /* bytes of `codes` whose pages are there */
  int64_t most;         /* bytes that all of them may have */
  enum { BETWEEN, NAME, SITES, COMMENT } within; /* kind of the line that is read; BETWEEN: none */
} reader;

enum { LEAST_ROOM = 1 << 12 };

/* Makes room for so many more bytes: half as much again if the call may have that. */
static gpugeo_status grow(reader *r, growing *memory, int64_t bytes, gpugeo_error *error) {
  if (memory->count + bytes <= memory->room) return GPUGEO_OK;
  const int64_t needed = memory->count + bytes, ample = needed + needed / 2 + LEAST_ROOM;
  const int64_t most = r->most - (r->codes.room + r->names.room + r->starts.room - memory->room);
  if (needed > most)
    return gg_text_file_fail_memory(&r->text, "sites and letters of names", r->most, 1, error);
  const int64_t room = ample < most ? ample : most;
  char *data = gg_reallocate(memory->data, room, 1);
  if (!data) return gg_fail_memory(error, room);
  memory->data = data;
  memory->room = room;
  return GPUGEO_OK;
}

/* Appends bytes. */
static gpugeo_status append(reader *r, growing *memory, const void *data, int64_t bytes,
                            gpugeo_error *error) {
  gpugeo_status status = grow(r, memory, bytes, error);
  if (status || bytes == 0) return status;
  memcpy(memory->data + memory->count, data, (size_t)bytes);
  memory->count += bytes;
  return GPUGEO_OK;
}

/* Fails because of a byte that no sequence has. */
static gpugeo_status fail_letter(const reader *r, const char *at, gpugeo_error *error) {
  const char letter[] = {*at, 0};
  const bool dna = r->letters == GPUGEO_LETTERS_DNA;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                 "file \"%.300s\", line %lld: a letter of a sequence must be %s, not \"%s\"",
                 r->text.path, r->text.line,
                 dna ? GG_DNA_ALPHABET : "a printable character of ASCII",
                 *at ? gg_show_field(letter, "").text : "\\0");
}

/* Removes blanks from codes, and returns how many are left. */
static int64_t remove_blanks(uint8_t *codes, int64_t count) {
  int64_t left = 0;
  for (int64_t i = 0; i < count; ++i) {
    codes[left] = codes[i];
    left += codes[i] != GG_CODE_BLANK;
  }
  return left;
}

/* Numbers of letters that are taken together: vectors of all instruction sets, and of lines of 60
   to 80 letters. A compiler makes vectors of loops whose numbers it knows. */
enum { MANY = 128, FEW = 16 };

/* Returns how many letters of so many are taken together. */
static int part_of(int length) { return length >= MANY ? MANY : length >= FEW ? FEW : length; }

/* Returns `code` if a letter is `wanted`, else 0: as a mask, which takes 2 instructions. */
static inline uint8_t code_if(uint8_t letter, char wanted, uint8_t code) {
  return (uint8_t) - (letter == (uint8_t)wanted) & code;
}

/* Writes the codes of so many letters, without a table and so in vectors. Returns false if one of
   them is not a base, N or a gap. */
static inline bool encode_frequent(const char *restrict letters, int count, uint8_t *restrict to) {
  uint8_t least = UINT8_MAX;
  for (int i = 0; i < count; ++i) {
    const uint8_t letter = (uint8_t)letters[i], small = letter | 0x20;
    const uint8_t code = code_if(small, 'a', GG_CODE_A) | code_if(small, 'c', GG_CODE_C) |
                         code_if(small, 'g', GG_CODE_G) | code_if(small, 't', GG_CODE_T) |
                         code_if(small, 'n', GG_CODE_N) | code_if(letter, '-', GG_CODE_GAP);
    to[i] = code;
    least = code < least ? code : least;
  }
  return least > 0;
}

/* Writes the codes of letters, and returns the least one: those of wrong letters and blanks are the
   least of all. */
static uint8_t encode(const char *letters, int count, uint8_t *to) {
  uint8_t least = UINT8_MAX;
  for (int i = 0; i < count; ++i) {
    const uint8_t code = gg_dna_code[(unsigned char)letters[i]];
    to[i] = code;
    least = code < least ? code : least;
  }
  return least;
}

/* Writes the codes of at most MANY letters, and returns the least one. */
static uint8_t encode_part(const char *letters, int count, uint8_t *to) {
  const bool done = (count == MANY && encode_frequent(letters, MANY, to)) ||
                    (count == FEW && encode_frequent(letters, FEW, to));
  return done ? UINT8_MAX : encode(letters, count, to);
}

/* Appends the codes of letters of DNA. */
static gpugeo_status add_dna(reader *r, const char *piece, int length, gpugeo_error *error) {
  uint8_t *to = (uint8_t *)r->codes.data + r->codes.count;
  uint8_t least = UINT8_MAX;
  for (int i = 0; i < length;) {
    const int count = part_of(length - i);
    const uint8_t code = encode_part(piece + i, count, to + i);
    least = code < least ? code : least;
    i += count;
  }
  r->codes.count += least <= GG_CODE_BLANK ? remove_blanks(to, length) : length;
  for (int i = 0; least == GG_CODE_WRONG; ++i)
    if (gg_dna_code[(unsigned char)piece[i]] == GG_CODE_WRONG)
      return fail_letter(r, piece + i, error);
  return GPUGEO_OK;
}

/* True if all of so many letters are printable and none is a blank. */
static inline bool all_printable(const char *letters, int count) {
  uint8_t least = UINT8_MAX, most = 0;
  for (int i = 0; i < count; ++i) {
    const uint8_t letter = (uint8_t)letters[i];
    least = letter < least ? letter : least;
    most = letter > most ? letter : most;
  }
  return least > ' ' && most <= '~';
}

/* Appends at most MANY letters as they are, without blanks. */
static gpugeo_status add_text_part(reader *r, const char *part, int count, gpugeo_error *error) {
  char *to = r->codes.data + r->codes.count;
  if ((count == MANY && all_printable(part, MANY)) || (count == FEW && all_printable(part, FEW))) {
    memcpy(to, part, (size_t)count);
    r->codes.count += count;
    return GPUGEO_OK;
  }
  for (int i = 0; i < count; ++i) {
    if (part[i] == ' ' || part[i] == '\t' || part[i] == '\r') continue;
    if (part[i] <= ' ' || part[i] > '~') return fail_letter(r, part + i, error);
    r->codes.data[r->codes.count++] = part[i];
  }
  return GPUGEO_OK;
}

/* Appends letters as they are, without blanks. */
static gpugeo_status add_text(reader *r, const char *piece, int length, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  for (int i = 0; !status && i < length;) {
    const int count = part_of(length - i);
    status = add_text_part(r, piece + i, count, error);
    i += count;
  }
  return status;
}

/* True if a character is removed at the ends of a name. */
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Checks that a piece before the first name is blank. */
static gpugeo_status check_blank(const reader *r, const char *piece, int length,
                                 gpugeo_error *error) {
  for (int i = 0; i < length; ++i)
    if (!is_blank(piece[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                     "file \"%.300s\", line %lld: the first line of a FASTA file must begin with "
                     "\">\", not with \"%s\"",
                     r->text.path, r->text.line,
                     gg_show_field((const char[]){piece[i], 0}, "").text);
  return GPUGEO_OK;
}

/* Makes room for the codes of so many letters, with pages that are there. */
static gpugeo_status prepare_codes(reader *r, int length, gpugeo_error *error) {
  const gpugeo_status status = grow(r, &r->codes, length, error);
  while (!status && r->ready < r->codes.count + length) {
    const int64_t left = r->codes.room - r->ready;
    const int64_t bytes = left < GG_PAGES_STEP ? left : GG_PAGES_STEP;
    gg_pages_populate(r->codes.data + r->ready, bytes);
    r->ready += bytes;
  }
  return status;
}

/* Appends a piece of a sequence. */
static gpugeo_status add_sites(reader *r, const char *piece, int length, gpugeo_error *error) {
  if (r->starts.count == 0) return check_blank(r, piece, length, error);
  if (length == 0) return GPUGEO_OK;
  gpugeo_status status = prepare_codes(r, length, error);
  if (status) return status;
  return r->letters == GPUGEO_LETTERS_DNA ? add_dna(r, piece, length, error)
                                          : add_text(r, piece, length, error);
}

/* Begins a sequence. */
static gpugeo_status begin_sequence(reader *r, gpugeo_error *error) {
  const int64_t starts[] = {r->codes.count, r->names.count};
  if (r->starts.count / (int64_t)sizeof starts == INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\" must have at most 2147483647 sequences, not more",
                   r->text.path);
  return append(r, &r->starts, starts, sizeof starts, error);
}

/* Appends a piece of a name. */
static gpugeo_status add_name(reader *r, const char *piece, int length, gpugeo_error *error) {
  if (memchr(piece, 0, (size_t)length))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "path",
                   "file \"%.300s\", line %lld must be text, but holds a NUL byte", r->text.path,
                   r->text.line);
  return append(r, &r->names, piece, length, error);
}

/* Ends a name: removes blanks at both ends. */
static gpugeo_status end_name(reader *r, gpugeo_error *error) {
  int64_t first;
  memcpy(&first, r->starts.data + r->starts.count - sizeof first, sizeof first);
  growing *names = &r->names;
  while (names->count > first && is_blank(names->data[names->count - 1]))
    --names->count;
  int64_t blanks = 0;
  while (first + blanks < names->count && is_blank(names->data[first + blanks]))
    ++blanks;
  if (blanks)
    memmove(names->data + first, names->data + first + blanks,
            (size_t)(names->count - first - blanks));
  names->count -= blanks;
  return append(r, names, "", 1, error);
}

/* Finds out what a line is by its first character. */
static gpugeo_status begin_line(reader *r, const char *piece, int length, gpugeo_error *error) {
  const char first = length > 0 ? *piece : '\r';
  r->within = first == '>' ? NAME : first == ';' ? COMMENT : SITES;
  return r->within == NAME ? begin_sequence(r, error) : GPUGEO_OK;
}

/* Takes a piece of a line, perhaps the last one. */
static gpugeo_status take_piece(reader *r, const char *piece, int length, bool ends,
                                gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  int skipped = 0;
  if (r->within == BETWEEN) {
    status = begin_line(r, piece, length, error);
    skipped = r->within == NAME;
  }
  if (!status && r->within == NAME) status = add_name(r, piece + skipped, length - skipped, error);
  if (!status && r->within == SITES) status = add_sites(r, piece, length, error);
  if (!status && r->within == NAME && ends) status = end_name(r, error);
  if (ends) r->within = BETWEEN;
  return status;
}

/* Reads the whole file. */
static gpugeo_status read_file(reader *r, gpugeo_error *error) {
  for (gpugeo_status status = GPUGEO_OK; !status;) {
    const char *piece;
    int length;
    bool ends;
    status = gg_text_file_piece(&r->text, &piece, &length, &ends, error);
    if (status || !piece) return status;
    status = take_piece(r, piece, length, ends, error);
    if (status) return status;
  }
  return GPUGEO_OK;
}

/* Moves what was read to the result. */
static gpugeo_status finish(reader *r, gpugeo_fasta *fasta, gpugeo_error *error) {
  const int64_t count = r->starts.count / 16;
  const char **names = gg_allocate(count + 1, sizeof *names);
  fasta->names = names;
  fasta->start = gg_allocate(count + 1, sizeof *fasta->start);
  if (!names || !fasta->start) return gg_fail_memory(error, 16 * (count + 1));
  for (int64_t i = 0; i < count; ++i) {
    int64_t starts[2];
    memcpy(starts, r->starts.data + i * (int64_t)sizeof starts, sizeof starts);
    fasta->start[i] = starts[0];
    names[i] = r->names.data + starts[1];
  }
  fasta->count = count;
  fasta->start[count] = r->codes.count;
  names[count] = r->names.data; /* owns the text of all names; NULL without sequences */
  fasta->codes = (uint8_t *)r->codes.data;
  r->codes.data = r->names.data = NULL;
  return GPUGEO_OK;
}

/* Checks the arguments but the path. */
static gpugeo_status check_arguments(gpugeo_letters letters, const gpugeo_run *run,
                                     gpugeo_error *error) {
  if (letters != GPUGEO_LETTERS_DNA && letters != GPUGEO_LETTERS_TEXT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "letters", "letters must be 0 or 1, not %d",
                   (int)letters);
  return gg_check_run(run, error);
}

gpugeo_status gpugeo_fasta_read(const char *path, gpugeo_letters letters, const gpugeo_run *run,
                                gpugeo_fasta *fasta, gpugeo_error *error) {
  *fasta = (gpugeo_fasta){0};
  gpugeo_run taken;
  gpugeo_status status = GG_OPTIONS_TAKE(run, run, taken, error);
  if (!status) status = check_arguments(letters, run, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  reader r = {.letters = letters, .most = gg_text_file_most(run, 1)};
  if (!GG_TRY(&call, gg_text_file_open("path", path, &r.text, &call)))
    GG_TRY(&call, read_file(&r, error));
  GG_TRY(&call, finish(&r, fasta, error));
  gg_text_file_close(&r.text);
  gg_free(r.codes.data);
  gg_free(r.names.data);
  gg_free(r.starts.data);
  if (call.status) gpugeo_fasta_free(fasta);
  return gg_call_end(&call);
}

void gpugeo_fasta_free(gpugeo_fasta *fasta) {
  char **names = (char **)(uintptr_t)fasta->names;
  if (names && fasta->start) gg_free(names[fasta->count]);
  gg_free(names);
  gg_free(fasta->start);
  gg_free(fasta->codes);
  *fasta = (gpugeo_fasta){0};
}
