/* Letters of DNA and their codes, which gpugeo/sequences.h describes. */
#ifndef GG_DNA_CODES_H
#define GG_DNA_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

enum {
  GG_CODE_A = 0x88,
  GG_CODE_G = 0x48,
  GG_CODE_C = 0x28,
  GG_CODE_T = 0x18,
  GG_CODE_N = 0xF0,
  GG_CODE_GAP = 0x04,
  GG_CODE_KNOWN = 0x08, /* the bit of a known base */
  /* No codes, but what gg_dna_code[] has for other bytes. */
  GG_CODE_WRONG = 0,
  GG_CODE_BLANK = 1 /* ignored: blank, tab and carriage return */
};

/* The code of each byte of text. */
extern const uint8_t gg_dna_code[256];

/* What a letter must be, for messages. */
#define GG_DNA_ALPHABET "one of ACGTURYSWKMBDHVNX-.?"

#endif
