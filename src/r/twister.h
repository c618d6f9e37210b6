/* R's default generator of random numbers, the Mersenne Twister (Matsumoto and Nishimura 1998, ACM
   Transactions on Modeling and Computer Simulation 8, 3-30), for whole numbers by rejection. */
#ifndef GG_R_TWISTER_H
#define GG_R_TWISTER_H

#include <stdint.h>

enum { GG_R_TWISTER_WORDS = 624 };

/* R takes bits of the upper half of each number (sample.kind = "Rejection"). */
typedef struct gg_r_twister {
  uint32_t word[GG_R_TWISTER_WORDS];
  uint16_t half[GG_R_TWISTER_WORDS + 1]; /* of the numbers that follow; `at` is the next one */
  int at, count;
} gg_r_twister;

/* Writes the upper halves of numbers that belong to words. */
void gg_r_twister_temper(const uint32_t *word, int count, uint16_t *half);

/* Draws the numbers of sample.int(n), each below a limit that goes down from n. */
void gg_r_twister_draw(gg_r_twister *numbers, uint32_t n, int32_t *drawn);

#endif
