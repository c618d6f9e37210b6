/* SHA-256 (FIPS 180-4), for the checksums of files. */
#ifndef GG_SHA256_H
#define GG_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { GG_SHA256_DIGITS = 64 };

/* The state of a sum over bytes that come in parts. */
typedef struct gg_sha256 {
  uint32_t hash[8];
  uint64_t length;   /* in bytes */
  uint8_t block[64]; /* its last length % 64 bytes */
} gg_sha256;

void gg_sha256_start(gg_sha256 *sum);
void gg_sha256_add(gg_sha256 *sum, const void *bytes, size_t size);

/* Writes the sum as lower-case hexadecimal digits and a 0. */
void gg_sha256_finish(gg_sha256 *sum, char digits[GG_SHA256_DIGITS + 1]);

#endif
