/* Contributions of species to dissimilarities between groups: against sums pair by pair, with the
   same bits on any number of threads and with any instruction set. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "communities/simper.h"

/* More sites than a tile has columns, and more permutations than a batch. */
enum { SITES = 270, SPECIES = 5, PERMUTATIONS = 131 };

static double counts[SITES * SPECIES], total[SITES];
static int32_t group[SITES], order[SITES * PERMUTATIONS];

/* Returns a random number below `end`. */
static uint32_t draw(uint32_t end) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % end;
}

/* Makes counts, the last species of one site alone, three groups, and permutations. */
static void make_data(void) {
  for (int i = 0; i < SITES; ++i) {
    group[i] = (int32_t)draw(5) % 3;
    for (int k = 0; k < SPECIES - 1; ++k)
      counts[k * SITES + i] = draw(SPECIES) > (uint32_t)k ? draw(9) : 0;
    counts[(SPECIES - 1) * SITES + i] = i == 7;
    for (int k = 0; k < SPECIES; ++k)
      total[i] += counts[k * SITES + i];
    for (int p = 0; p < PERMUTATIONS; ++p)
      order[p * SITES + i] = i + 1;
  }
  for (int p = 0; p < PERMUTATIONS; ++p)
    for (uint32_t i = SITES - 1; i > 0; --i) {
      int32_t *at = order + p * SITES;
      const uint32_t other = draw(i + 1);
      const int32_t kept = at[i];
      at[i] = at[other];
      at[other] = kept;
    }
}

/* Returns the mean contribution of a species, of squares of differences from `mean` if that is not
   0; of all pairs if `all`. */
static double mean_of(int species, const int32_t *permuted, bool all, double mean, double *pairs) {
  const double *x = counts + species * SITES;
  double sum = 0;
  *pairs = 0;
  for (int i = 0; i < SITES; ++i)
    for (int j = 0; j < SITES; ++j) {
      const int32_t a = permuted ? group[permuted[i] - 1] : group[i];
      const int32_t b = permuted ? group[permuted[j] - 1] : group[j];
      if (all ? i >= j : a != 1 || b != 2) continue;
      const double sums = total[i] + total[j], c = sums > 0 ? fabs(x[i] - x[j]) / sums : 0;
      sum += mean != 0 ? (c - mean) * (c - mean) : c;
      ++*pairs;
    }
  return sum / *pairs;
}

/* Checks means and deviations against the sums of all pairs. */
static void check_averages(bool all, const double *average, const double *deviation) {
  for (int k = 0; k < SPECIES; ++k) {
    double pairs;
    const double mean = mean_of(k, NULL, all, 0, &pairs);
    const double variance = mean_of(k, NULL, all, mean, &pairs) * pairs / (pairs - 1);
    CHECK(fabs(average[k] - mean) < 1e-12, "mean of %d: %g, not %g", k, average[k], mean);
    CHECK(fabs(deviation[k] - sqrt(variance)) < 1e-12, "deviation of %d: %g, not %g", k,
          deviation[k], sqrt(variance));
  }
}

/* Averages and counts a table. */
static void compute(const gg_simper_plan *plan, int32_t threads, double *result) {
  gpugeo_run run;
  gpugeo_error error = {0};
  gg_call call;
  gpugeo_run_init(&run, sizeof run);
  run.threads = threads;
  gg_call_begin(&call, &run, NULL, &error);
  gg_simper_averages(plan, result, result + SPECIES, &call);
  gg_simper_count(plan, order, PERMUTATIONS, result, result + 2 * SPECIES, &call);
  CHECK(!gg_call_end(&call), "%s", error.message);
}

/* Checks that threads, instructions and storage do not change the result. */
static void check_same_bits(const double *expected) {
  static int32_t start[SPECIES + 1], index[SITES * SPECIES];
  static double value[SITES * SPECIES];
  int stored = 0;
  for (int e = 0; e < SITES * SPECIES; ++e) {
    start[e / SITES] = e % SITES ? start[e / SITES] : stored;
    if (counts[e] == 0) continue;
    index[stored] = e % SITES;
    value[stored++] = counts[e];
  }
  start[SPECIES] = stored;
  const gpugeo_sparse sparse = {start, index, 4, 0, stored};
  const gpugeo_matrix dense = {.data = counts, .nrow = SITES, .ncol = SPECIES, .ld = SITES};
  const gpugeo_matrix compressed = {
      .data = value, .nrow = SITES, .ncol = SPECIES, .sparse = &sparse};
  const gg_simd widest = gg_context_get()->simd;
  for (int simd = 0; simd <= (int)widest; ++simd)
    for (int32_t threads = 1; threads <= 3; threads += 2) {
      double result[3 * SPECIES];
      gg_set_simd((gg_simd)simd);
      compute(&(gg_simper_plan){simd % 2 ? &dense : &compressed, group}, threads, result);
      CHECK(!memcmp(result, expected, sizeof result), "level %d, %d threads", simd, (int)threads);
    }
  gg_set_simd(widest);
}

int main(void) {
  make_data();
  double result[3 * SPECIES], pairs;
  const gpugeo_matrix x = {.data = counts, .nrow = SITES, .ncol = SPECIES, .ld = SITES};
  compute(&(gg_simper_plan){&x, group}, 2, result);
  check_averages(false, result, result + SPECIES);
  for (int k = 0; k < SPECIES; ++k) {
    int more = 0;
    for (int p = 0; p < PERMUTATIONS; ++p)
      more += mean_of(k, order + p * SITES, false, 0, &pairs) > result[k] + 0x1p-26;
    CHECK(result[2 * SPECIES + k] == more, "species %d: %g, not %d", k, result[2 * SPECIES + k],
          more);
  }
  check_same_bits(result);
  gpugeo_error error = {0};
  gpugeo_run run;
  gg_call call;
  gpugeo_run_init(&run, sizeof run);
  gg_call_begin(&call, &run, NULL, &error);
  gg_simper_averages(&(gg_simper_plan){&x, NULL}, result, result + SPECIES, &call);
  CHECK(!gg_call_end(&call), "%s", error.message);
  check_averages(true, result, result + SPECIES);
  return check_end();
}
