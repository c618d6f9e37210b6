#include "sequences/dna_codes.h"

#include "common/error.h"

#define BOTH_CASES(upper, lower, code) [upper] = (code), [lower] = (code)

const uint8_t gg_dna_code[256] = {
    BOTH_CASES('A', 'a', GG_CODE_A),
    BOTH_CASES('C', 'c', GG_CODE_C),
    BOTH_CASES('G', 'g', GG_CODE_G),
    BOTH_CASES('T', 't', GG_CODE_T),
    BOTH_CASES('U', 'u', GG_CODE_T),
    BOTH_CASES('R', 'r', 0xC0),
    BOTH_CASES('M', 'm', 0xA0),
    BOTH_CASES('W', 'w', 0x90),
    BOTH_CASES('S', 's', 0x60),
    BOTH_CASES('K', 'k', 0x50),
    BOTH_CASES('Y', 'y', 0x30),
    BOTH_CASES('V', 'v', 0xE0),
    BOTH_CASES('H', 'h', 0xB0),
    BOTH_CASES('D', 'd', 0xD0),
    BOTH_CASES('B', 'b', 0x70),
    BOTH_CASES('N', 'n', GG_CODE_N),
    BOTH_CASES('X', 'x', GG_CODE_N),
    ['-'] = GG_CODE_GAP,
    ['?'] = 0x02,
    ['.'] = 0x02,
    [' '] = GG_CODE_BLANK,
    ['\t'] = GG_CODE_BLANK,
    ['\r'] = GG_CODE_BLANK,
};

gpugeo_status gpugeo_dna_encode(const char *letters, int64_t length, uint8_t *codes, int64_t *wrong,
                                gpugeo_error *error) {
  for (int64_t i = 0; i < length; ++i) {
    const unsigned char byte = (unsigned char)letters[i];
    codes[i] = gg_dna_code[byte];
    if (codes[i] > GG_CODE_BLANK) continue;
    if (wrong) *wrong = i;
    const char shown[] = {(char)(byte > 0x20 && byte < 0x7f ? byte : '?'), 0};
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "letters",
                   "letters must be " GG_DNA_ALPHABET ", but letter %lld is \"%s\"",
                   (long long)i + 1, shown);
  }
  return GPUGEO_OK;
}
