/* Rates of sites by a gamma distribution. */
#ifndef GG_GAMMA_RATES_H
#define GG_GAMMA_RATES_H

enum { GG_GAMMA_CATEGORIES = 64 /* the largest number of categories */ };

/* Writes the mean rates of `count` categories of equal shares of a gamma distribution of mean 1.
   count: 1 to GG_GAMMA_CATEGORIES. shape: 0.001 to 1000 */
void gg_gamma_rates(int count, double shape, double *rates);

#endif
