/* Tables of options: the checks of each kind, and that every table describes its struct. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/error.h"
#include "common/option_table.h"

/* --- The checks of each kind ------------------------------------------------------------------ */

/* Options of all kinds. */
typedef struct sample {
  int32_t flag, automatic, small, any_small, device;
  int64_t whole, any_whole, wide_choice;
  uint64_t seed;
  double number;
  gpugeo_linkage choice;
  const double *doubles;
  int64_t doubles_length;
  const int32_t *whole_numbers;
  int64_t whole_numbers_length;
  gpugeo_matrix matrix;
  int32_t shape;
} sample;

static const char *const shapes[] = {"matrix", "dist", NULL};

static const gg_option rows[] = {
    {GG_OPTION("flag", FLAG, sample, flag)},
    {GG_OPTION("automatic", FLAG_OR_AUTO, sample, automatic)},
    {GG_OPTION("small", WHOLE, sample, small), .least = 1, .most = 3},
    {GG_OPTION("any_small", WHOLE, sample, any_small)},
    {GG_OPTION("device", DEVICE, sample, device)},
    {GG_OPTION("minPts", WHOLE, sample, whole), .octave = "minpts", .most = INT32_MAX},
    {GG_OPTION("any_whole", WHOLE, sample, any_whole)},
    {GG_OPTION("singular", CHOICE, sample, wide_choice), .choices = GPUGEO_ENUM_SINGULAR},
    {GG_OPTION("seed", WHOLE, sample, seed), .most = (int64_t)1 << 53},
    {GG_OPTION("number", NUMBER, sample, number), .allowed = GG_FROM_ZERO},
    {GG_OPTION("linkage", CHOICE, sample, choice), .choices = GPUGEO_ENUM_LINKAGE},
    {GG_OPTION("as", CHOICE, sample, shape), .names = shapes},
    {GG_OPTION_ARRAY("doubles", DOUBLES, sample, doubles, doubles_length)},
    {GG_OPTION_ARRAY("whole_numbers", INT32S, sample, whole_numbers, whole_numbers_length)},
    {GG_OPTION("matrix", MATRIX, sample, matrix)},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Returns the row of a name. */
static const gg_option *row_of(const char *name) {
  for (int i = 0; i < ROWS; ++i)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  abort();
}

static gg_given r_number(double value) {
  gg_given given = gg_given_number(value);
  given.language = GG_R;
  return given;
}

static gg_given r_flag(bool value) {
  gg_given given = r_number(value);
  given.items[0].kind = GG_ITEM_FLAG;
  return given;
}

static gg_given r_text(const char *text) {
  gg_given given = r_number(0);
  gg_item_text(&given.items[0], text);
  return given;
}

static const gg_given nothing = {.language = GG_R, .words = "NULL"};
static const gg_given two = {
    .language = GG_R,
    .length = 2,
    .items = {{.kind = GG_ITEM_NUMBER, .number = 1}, {.kind = GG_ITEM_NUMBER, .number = 2}}};

/* Checks that an option takes a value. */
static void takes(const char *name, gg_given given, sample *options) {
  gpugeo_error error = {.message = ""};
  CHECK(!gg_option_take(row_of(name), &given, options, &error), "%s: \"%s\"", name, error.message);
}

/* Checks that an option refuses a value with these words, and stays as it is. */
static void refuses(const char *name, gg_given given, const char *message) {
  sample options, before;
  memset(&options, 0x55, sizeof options);
  before = options;
  gpugeo_error error = {.message = ""};
  CHECK(gg_option_take(row_of(name), &given, &options, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, message) == 0,
        "\"%s\", expected \"%s\"", error.message, message);
  CHECK(strncmp(error.argument, message, strlen(error.argument)) == 0, "%s: argument %s", name,
        error.argument);
  CHECK(memcmp(&options, &before, sizeof options) == 0, "%s is left alone", name);
}

static void test_flags(void) {
  sample options = {.automatic = -1};
  takes("flag", r_flag(true), &options);
  takes("automatic", r_text("auto"), &options);
  CHECK(options.flag == 1 && options.automatic == -1, "true and auto");
  takes("flag", r_flag(false), &options);
  takes("automatic", r_flag(false), &options);
  CHECK(options.flag == 0 && options.automatic == 0, "false");
  refuses("flag", r_number(1), "flag must be true or false, not 1");
  refuses("flag", nothing, "flag must be true or false, not NULL");
  refuses("automatic", r_number(1), "automatic must be true, false or \"auto\", not 1");
  refuses("automatic", r_text("aut"), "automatic must be true, false or \"auto\", not \"aut\"");
  gg_given one = gg_given_number(1);
  one.language = GG_OCTAVE;
  takes("flag", one, &options);
  takes("automatic", one, &options);
  CHECK(options.flag == 1 && options.automatic == 1, "1 in Octave");
  one.items[0].number = 2;
  refuses("flag", one, "flag must be true or false, not 2");
}

static void test_whole(void) {
  sample options = {0};
  takes("small", r_number(1), &options);
  CHECK(options.small == 1, "%d", options.small);
  takes("small", r_number(3), &options);
  takes("minPts", r_number(INT32_MAX), &options);
  takes("seed", r_number(0x1p53), &options);
  takes("any_whole", r_number(-0x1p60), &options);
  CHECK(options.small == 3 && options.whole == INT32_MAX && options.seed == (uint64_t)1 << 53 &&
            options.any_whole == -((int64_t)1 << 60),
        "the largest numbers");
  takes("any_small", r_number(0x1p40), &options);
  CHECK(options.any_small == INT32_MAX, "the nearest number of 32 bits: %d", options.any_small);
  refuses("small", r_number(0), "small must be a whole number between 1 and 3, not 0");
  refuses("small", r_number(4), "small must be a whole number between 1 and 3, not 4");
  refuses("small", r_number(1.5), "small must be a whole number between 1 and 3, not 1.5");
  refuses("small", r_flag(true), "small must be a whole number between 1 and 3, not TRUE");
  refuses("minPts", r_number(-1), "minPts must be a whole number of at least 0, not -1");
  refuses("minPts", r_number(0x1p31),
          "minPts must be a whole number between 0 and 2147483647, not 2147483648");
  refuses("any_whole", two, "any_whole must be a whole number, not c(1, 2)");
  refuses("any_whole", r_number(0x1p63),
          "any_whole must be a whole number, not 9.22337203685478e+18");
  refuses("any_small", r_number(0.5), "any_small must be a whole number, not 0.5");
}

static void test_others(void) {
  sample options = {.device = 5};
  takes("number", r_number(-1), &options); /* the family checks the limits */
  CHECK(options.number == -1, "%g", options.number);
  takes("number", r_number(INFINITY), &options);
  refuses("number", r_number(NAN), "number must be at least 0 and finite, not NaN");
  refuses("number", r_text("3"), "number must be at least 0 and finite, not \"3\"");
  takes("device", r_number(0), &options);
  CHECK(options.device == 0, "%d", options.device);
  takes("device", r_text("all"), &options);
  CHECK(options.device == GPUGEO_DEVICE_ALL, "%d", options.device);
  refuses("device", r_number(-1), "device must be \"all\" or a whole number of at least 0, not -1");
  takes("linkage", r_text("single"), &options);
  takes("singular", r_text("pinv"), &options);
  CHECK(options.choice == GPUGEO_LINKAGE_SINGLE && options.wide_choice == GPUGEO_SINGULAR_PINV,
        "choices");
  refuses("singular", r_text("none"),
          "singular must be one of \"error\", \"drop\", \"pinv\", not \"none\"");
  refuses("linkage", r_number(3), "linkage must be a single string, not 3");
  takes("as", r_text("D"), &options);
  CHECK(options.shape == 1, "%d", options.shape);
  refuses("as", r_text("table"), "as must be one of \"matrix\", \"dist\", not \"table\"");
  refuses("as", r_number(1), "as must be a single string, not 1");
  CHECK(strcmp(gg_option_choice(row_of("as"), 1), "dist") == 0 &&
            strcmp(gg_option_choice(row_of("singular"), 1), "drop") == 0,
        "names of choices");
  CHECK(!*gg_option_choice(row_of("as"), 2) && !*gg_option_choice(row_of("as"), -1), "no choices");
}

static void test_arrays(void) {
  static const double numbers[] = {1, 2, 3};
  static const int32_t whole[] = {4, 5};
  sample options = {0};
  gg_option_take_array(row_of("doubles"), numbers, 3, &options);
  gg_option_take_array(row_of("whole_numbers"), whole, 2, &options);
  CHECK(options.doubles == numbers && options.doubles_length == 3 &&
            options.whole_numbers == whole && options.whole_numbers_length == 2,
        "arrays are borrowed");
  CHECK(gg_option_field(row_of("matrix"), &options) == &options.matrix, "a matrix");
  for (int i = 0; i < ROWS; ++i)
    CHECK(gg_option_is_array(&rows[i]) == (i >= ROWS - 3), "%s", rows[i].name);
}

static void test_names(void) {
  const gg_option *whole = row_of("minPts");
  CHECK(strcmp(gg_option_name(whole, GG_R), "minPts") == 0, "R");
  CHECK(strcmp(gg_option_name(whole, GG_OCTAVE), "minpts") == 0, "Octave");
  CHECK(strcmp(gg_option_name(row_of("flag"), GG_OCTAVE), "flag") == 0, "the same name");
  gg_given octave = gg_given_number(-1);
  octave.language = GG_OCTAVE;
  refuses("minPts", octave, "minpts must be a whole number of at least 0, not -1");
}

/* --- All tables ------------------------------------------------------------------------------- */

/* Returns the bytes of a field of a kind; 0: 4 or 8. */
static size_t width_of(gg_option_kind kind) {
  switch (kind) {
  case GG_OPTION_WHOLE:
  case GG_OPTION_CHOICE:
    return 0;
  case GG_OPTION_NUMBER:
    return sizeof(double);
  case GG_OPTION_DOUBLES:
  case GG_OPTION_INT32S:
    return sizeof(void *);
  case GG_OPTION_MATRIX:
    return sizeof(gpugeo_matrix);
  default:
    return sizeof(int32_t);
  }
}

/* Checks that an option's fields lie within the struct, behind its size, and that it is described.
 */
static void check_row(const char *family, const gg_option *option, size_t size, size_t first) {
  const size_t width = width_of(option->kind);
  CHECK(option->width == width || (!width && (option->width == 4 || option->width == 8)),
        "%s, %s: a field of %d bytes", family, option->name, (int)option->width);
  CHECK(option->offset >= first && option->offset + option->width <= size, "%s, %s: at %d", family,
        option->name, (int)option->offset);
  const bool has_length = option->kind == GG_OPTION_DOUBLES || option->kind == GG_OPTION_INT32S;
  CHECK(has_length ? option->length_offset >= first && option->length_offset + 8 <= size
                   : option->length_offset == 0,
        "%s, %s: length at %d", family, option->name, (int)option->length_offset);
  CHECK((option->kind == GG_OPTION_NUMBER) == (option->allowed != NULL), "%s, %s: what is allowed",
        family, option->name);
  CHECK(option->least <= option->most && (option->kind == GG_OPTION_WHOLE || !option->most),
        "%s, %s: limits", family, option->name);
}

/* Checks that two options of a table have different names and fields. */
static void check_rows(const char *family, const gg_option *a, const gg_option *b) {
  for (int language = GG_R; language <= GG_OCTAVE; ++language)
    CHECK(strcmp(gg_option_name(a, (gg_language)language),
                 gg_option_name(b, (gg_language)language)) != 0,
          "%s: %s twice", family, a->name);
  CHECK(a->offset + a->width <= b->offset || b->offset + b->width <= a->offset,
        "%s: the fields of %s and %s", family, a->name, b->name);
}

/* Checks a table, and that its defaults are names of choices and within limits, unless NULL stands
   for them. */
static void check_table(const char *family, const gg_option_table *table, size_t first) {
  char *options = calloc(1, table->size);
  table->fill(options);
  CHECK(table->count > 0, "%s has options", family);
  for (int32_t i = 0; i < table->count; ++i) {
    const gg_option *option = &table->options[i];
    check_row(family, option, table->size, first);
    for (int32_t j = 0; j < i; ++j)
      check_rows(family, &table->options[j], option);
    if (option->kind != GG_OPTION_CHOICE) continue;
    int32_t value; /* of 64 bits, the lower half: all systems of gpugeo are little-endian */
    memcpy(&value, options + option->offset, sizeof value);
    CHECK(*gg_option_choice(option, value), "%s, %s: the default %d", family, option->name,
          (int)value);
  }
  free(options);
}

/* True if the struct of a table does not begin with its size: no caller has an older one. */
static bool is_without_size(const gg_option_table *table) {
  return table == &gg_metric_options || table == &gg_adjacency_options ||
         table == &gg_overlap_options || table == &gg_proportionality_options ||
         table == &gg_soft_threshold_options;
}

static void test_tables(void) {
#define CHECK_TABLE(family)                                                                        \
  check_table(#family, &gg_##family##_options,                                                     \
              is_without_size(&gg_##family##_options) ? 0 : sizeof(size_t));
  GG_OPTION_TABLES(CHECK_TABLE)
}

/* Checks that options begin with the default metric of distances. */
static void check_metric(const char *family, const gpugeo_metric_options *metric) {
  CHECK(metric->kind == GPUGEO_METRIC_EUCLIDEAN && metric->p == 2 &&
            metric->sphere_radius == 6371008.8, /* the Earth's mean radius in metres */
        "%s: p %g, sphere_radius %g", family, metric->p, metric->sphere_radius);
}

static void test_metrics(void) {
#define CHECK_METRIC(family)                                                                       \
  {                                                                                                \
    gpugeo_##family##_options options;                                                             \
    gpugeo_##family##_options_init(&options, sizeof options);                                      \
    check_metric(#family, &options.metric);                                                        \
  }
  CHECK_METRIC(dist)
  CHECK_METRIC(knn)
  CHECK_METRIC(hclust)
  CHECK_METRIC(mst)
  CHECK_METRIC(dbscan)
  CHECK_METRIC(hdbscan)
  CHECK_METRIC(optics)
  CHECK_METRIC(lof)
  CHECK_METRIC(silhouette)
  CHECK_METRIC(validity)
  CHECK_METRIC(pam)
  CHECK_METRIC(permanova)
  CHECK_METRIC(anosim)
  CHECK_METRIC(mrpp)
  CHECK_METRIC(mantel)
  CHECK_METRIC(pcoa)
  CHECK_METRIC(mds)
}

int main(void) {

  test_flags();
  test_whole();
  test_others();
  test_arrays();
  test_names();
  test_tables();
  test_metrics();
  return check_end();
}
