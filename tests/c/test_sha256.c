/* SHA-256 against the examples of NIST: FIPS 180-4 and "Example Algorithms", SHA256.pdf and
   SHA2_Additional.pdf. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "common/sha256.h"

/* Checks the sum of bytes that are added in parts of a size. */
static void expect(const char *name, const void *bytes, size_t size, size_t part,
                   const char *expected) {
  gg_sha256 sum;
  char digits[GG_SHA256_DIGITS + 1];
  gg_sha256_start(&sum);
  for (size_t at = 0; at < size; at += part)
    gg_sha256_add(&sum, (const char *)bytes + at, size - at < part ? size - at : part);
  gg_sha256_finish(&sum, digits);
  CHECK(strcmp(digits, expected) == 0, "%s in parts of %zu: %s instead of %s", name, part, digits,
        expected);
}

static void expect_in_parts(const char *name, const void *bytes, size_t size,
                            const char *expected) {
  static const size_t parts[] = {1, 3, 55, 56, 63, 64, 65, 128, 4096, SIZE_MAX};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    expect(name, bytes, size, parts[i], expected);
}

static void test_texts(void) {
  static const struct {
    const char *text, *sum;
  } texts[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
       "lmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {"\xbd", "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
      {"\xc9\x8c\x8e\x55", "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    expect_in_parts(texts[i].text, texts[i].text, strlen(texts[i].text), texts[i].sum);
}

/* Bytes of one value. */
static void test_repeated(void) {
  static char bytes[1000000];
  static const struct {
    int value;
    size_t size;
    const char *sum;
  } repeated[] = {
      {0, 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
      {0, 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
      {0, 57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
      {0, 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
      {0, 1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
      {'A', 1000, "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"},
      {'U', 1005, "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"},
      {'a', 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (size_t i = 0; i < sizeof repeated / sizeof *repeated; ++i) {
    memset(bytes, repeated[i].value, repeated[i].size);
    expect_in_parts("repeated bytes", bytes, repeated[i].size, repeated[i].sum);
  }
}

int main(void) {
  test_texts();
  test_repeated();
  return check_end();
}
