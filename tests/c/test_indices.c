/* Tables of communities: the bits of sparse tables are those of dense ones, results are those of a
   second derivation, and what is refused. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "gpugeo.h"

enum { ROWS = 4, COLUMNS = 5, ELEMENTS = ROWS * COLUMNS };

static const double counts[ELEMENTS] = {3, 0, 4, 0, 0, 5, 1, 0, 1, 1, 0, 0, 2, 0, 2, 0, 9, 0, 2, 0};

static const gpugeo_matrix dense = {.data = counts, .nrow = ROWS, .ncol = COLUMNS, .ld = ROWS};

/* The counts, compressed by columns or by rows. */
typedef struct compressed {
  gpugeo_matrix matrix;
  gpugeo_sparse sparse;
  int32_t start[ELEMENTS + 1], index[ELEMENTS];
  double data[ELEMENTS];
} compressed;

static void compress(bool by_rows, compressed *made) {
  const int lines = by_rows ? ROWS : COLUMNS, across = by_rows ? COLUMNS : ROWS;
  int stored = 0;
  made->start[0] = 0;
  for (int l = 0; l < lines; ++l) {
    for (int a = 0; a < across; ++a) {
      const double value = by_rows ? counts[l + a * ROWS] : counts[a + l * ROWS];
      if (value == 0) continue;
      made->data[stored] = value;
      made->index[stored++] = a;
    }
    made->start[l + 1] = stored;
  }
  made->sparse = (gpugeo_sparse){made->start, made->index, 4, by_rows, stored};
  made->matrix =
      (gpugeo_matrix){.data = made->data, .nrow = ROWS, .ncol = COLUMNS, .sparse = &made->sparse};
}

/* --- Standardization -------------------------------------------------------------------------- */

/* Standardizes a table, with all rows and columns above 0. */
static gpugeo_status standardize(const gpugeo_matrix *x, gpugeo_standard method, int32_t margin,
                                 double *out, double *numbers, gpugeo_error *error) {
  gpugeo_decostand_options options;
  gpugeo_decostand_options_init(&options, sizeof options);
  options.method = method;
  options.margin = margin;
  options.pseudocount = 1;
  double second[COLUMNS];
  gpugeo_decostand_numbers made = {.first = numbers, .second = second};
  const gpugeo_status status = gpugeo_decostand(x, &options, out, &made, NULL, error);
  if (!status) memcpy(numbers + made.first_length, second, (size_t)made.second_length * 8);
  return status;
}

/* Checks that the values that a sparse table stores are those of the dense one. */
static void check_stored(const compressed *x, const double *sparse, const double *full) {
  for (int64_t line = 0, e = 0; e < x->sparse.stored; ++e) {
    while (e >= x->start[line + 1])
      ++line;
    const int64_t at =
        x->sparse.by_rows ? line + x->index[e] * (int64_t)ROWS : x->index[e] + line * (int64_t)ROWS;
    CHECK(memcmp(sparse + e, full + at, sizeof *full) == 0, "element %d: %g and %g", (int)e,
          sparse[e], full[at]);
  }
}

static void test_sparse_tables(void) {
  compressed x;
  for (int32_t method = 0; method < GPUGEO_STANDARD_COUNT; ++method)
    for (int32_t margin = 0; margin <= 2; ++margin)
      for (int by_rows = 0; by_rows < 2; ++by_rows) {
        double full[ELEMENTS], sparse[ELEMENTS], numbers[2][2 * COLUMNS] = {{0}};
        gpugeo_error error = {0};
        compress(by_rows, &x);
        CHECK(!standardize(&dense, method, margin, full, numbers[0], &error), "%s", error.message);
        CHECK(!standardize(&x.matrix, method, margin, sparse, numbers[1], &error), "%s",
              error.message);
        if (!gpugeo_standard_fills(method))
          check_stored(&x, sparse, full);
        else
          CHECK(memcmp(sparse, full, sizeof full) == 0, "method %d", method);
        CHECK(memcmp(numbers[0], numbers[1], sizeof *numbers) == 0, "numbers of method %d", method);
      }
}

static void test_missing_values(void) {
  const double with_missing[] = {NAN, 1, 3, 0};
  const gpugeo_matrix row = {.data = with_missing, .nrow = 1, .ncol = 4, .ld = 1};
  gpugeo_decostand_options options;
  gpugeo_decostand_options_init(&options, sizeof options);
  double out[4], first[4], second[4];
  gpugeo_decostand_numbers made = {.first = first, .second = second};
  CHECK(!gpugeo_decostand(&row, &options, out, &made, NULL, NULL), "missing");
  CHECK(isnan(out[0]) && isnan(out[1]) && isnan(out[3]) && isnan(first[0]), "a missing value");
  options.omit_missing = 1;
  CHECK(!gpugeo_decostand(&row, &options, out, &made, NULL, NULL), "missing left out");
  CHECK(isnan(out[0]) && out[1] == 0.25 && out[2] == 0.75 && out[3] == 0 && first[0] == 4,
        "a missing value is left out");
  CHECK(!made.undefined && made.first_length == 1 && !strcmp(made.first_name, "total"), "numbers");
  options.method = GPUGEO_STANDARD_RANK;
  CHECK(!gpugeo_decostand(&row, &options, out, &made, NULL, NULL), "ranks");
  CHECK(isnan(out[0]) && out[1] == 1 && out[2] == 2 && out[3] == 0, "ranks");
}

/* --- Diversity -------------------------------------------------------------------------------- */

static void test_diversity(void) {
  compressed x;
  compress(false, &x);
  const int32_t groups[] = {2, 1, 2, 0};
  for (int32_t index = 0; index < GPUGEO_DIVERSITY_COUNT; ++index) {
    gpugeo_diversity_options options;
    gpugeo_diversity_options_init(&options, sizeof options);
    options.index = index;
    double full[ROWS], sparse[ROWS];
    CHECK(!gpugeo_diversity(&dense, &options, full, NULL, NULL), "index %d", index);
    CHECK(!gpugeo_diversity(&x.matrix, &options, sparse, NULL, NULL), "index %d", index);
    CHECK(memcmp(full, sparse, sizeof full) == 0, "index %d of a sparse table", index);
    options.groups = groups;
    options.groups_length = ROWS;
    CHECK(!gpugeo_diversity(&x.matrix, &options, sparse, NULL, NULL), "groups");
    CHECK(sparse[0] == full[1], "a group of one site has its index");
  }
}

/* Returns the expected number of species by the products of the definition. */
static double expected_species(const double *count, int stride, int species, double n) {
  double total = 0, sum = 0;
  for (int k = 0; k < species; ++k)
    total += count[k * stride];
  for (int k = 0; k < species; ++k) {
    double absent = 1;
    for (double i = 0; i < n; ++i)
      absent *= fmax(total - count[k * stride] - i, 0) / (total - i);
    sum += 1 - absent;
  }
  return sum;
}

static void test_rarefaction(void) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const double large[] = {40000, 3000, 500, 500, 77, 1, 1, 0};
  const gpugeo_matrix site = {.data = large, .nrow = 1, .ncol = 8, .ld = 1};
  const double sample[] = {0, 1, 10, 31, 33, 100, 1000, 5000, 44000, 44079, 50000};
  enum { SAMPLES = sizeof sample / sizeof *sample };
  double species[SAMPLES], errors[SAMPLES];
  CHECK(!gpugeo_rarefy(&site, sample, SAMPLES, &run, species, errors, NULL, NULL), "rarefy");
  for (int k = 0; k < SAMPLES - 1; ++k) {
    const double expected = expected_species(large, 1, 8, sample[k]);
    CHECK(fabs(species[k] - expected) <= 1e-12 * (1 + expected), "%g of %g: %.17g, not %.17g",
          species[k], sample[k], species[k], expected);
    CHECK(errors[k] >= 0 && errors[k] < 2, "error %g", errors[k]);
  }
  CHECK(species[SAMPLES - 1] == 7 && errors[SAMPLES - 1] == 0, "more than there are");
  compressed x;
  compress(false, &x);
  double full[ROWS * SAMPLES], sparse[ROWS * SAMPLES];
  CHECK(!gpugeo_rarefy(&dense, sample, SAMPLES, &run, full, NULL, NULL, NULL), "dense");
  CHECK(!gpugeo_rarefy(&x.matrix, sample, SAMPLES, &run, sparse, NULL, NULL, NULL), "sparse");
  CHECK(memcmp(full, sparse, sizeof full) == 0, "sparse");
}

static void test_beta_diversity(void) {
  gpugeo_betadiver_options options;
  gpugeo_betadiver_options_init(&options, sizeof options);
  const double species[] = {5, 3, 4}; /* a, b and c: 2, 1, 3; 3, 1, 2; 0, 4, 3 */
  double d[] = {4, 3, 7};
  CHECK(!gpugeo_betadiver(3, species, &options, d, NULL, NULL), "w");
  CHECK(d[0] == 4.0 / 8 && d[1] == 3.0 / 9 && d[2] == 1, "w: %g %g %g", d[0], d[1], d[2]);
  options.method = GPUGEO_BETA_MINUS3;
  double e[] = {4, 3, 7};
  CHECK(!gpugeo_betadiver(3, species, &options, e, NULL, NULL), "-3");
  CHECK(e[0] == 1.0 / 6 && e[1] == 1.0 / 6 && e[2] == 3.0 / 7, "-3: %g %g %g", e[0], e[1], e[2]);
}

/* --- What is refused -------------------------------------------------------------------------- */

/* Checks an error about the counts with one of them replaced. */
static void check_refused(double value, gpugeo_standard method, const char *message) {
  double changed[ELEMENTS], out[ELEMENTS], numbers[2 * COLUMNS];
  memcpy(changed, counts, sizeof changed);
  changed[1 + 2 * ROWS] = value;
  const gpugeo_matrix x = {.data = changed, .nrow = ROWS, .ncol = COLUMNS, .ld = ROWS};
  gpugeo_error error = {0};
  CHECK(standardize(&x, method, 0, out, numbers, &error) == GPUGEO_ERROR_ARGUMENT, "%s", message);
  CHECK(strstr(error.message, message), "%s", error.message);
}

static void test_refusals(void) {
  check_refused(-3, GPUGEO_STANDARD_RCLR, "but row 2, column 3 is -3");
  check_refused(-3, GPUGEO_STANDARD_CLR, "row 2, column 3 is -2 with the pseudocount 1");
  check_refused(0, GPUGEO_STANDARD_COUNT, "method must be between 0 and 14, not 15");
  compressed x;
  compress(true, &x);
  gpugeo_error error = {0};
  gpugeo_diversity_options options;
  gpugeo_diversity_options_init(&options, sizeof options);
  double out[ROWS];
  CHECK(gpugeo_diversity(&x.matrix, &options, out, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "compressed by columns"),
        "%s", error.message);
  options.index = GPUGEO_DIVERSITY_FISHER;
  options.equalize = 1;
  CHECK(gpugeo_diversity(&dense, &options, out, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "equalize.groups must be false"),
        "%s", error.message);
}

int main(void) {
  test_sparse_tables();
  test_missing_values();
  test_diversity();
  test_rarefaction();
  test_beta_diversity();
  test_refusals();
  return check_end();
}
