/* Every wrong argument gives its status, names the argument and says the value; and a NULL error
   does no harm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/error.h"
#include "gpugeo.h"

static const double values[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233};
static double out[64];

/* 4 points of 3 coordinates. */
static gpugeo_matrix good(void) {
  return (gpugeo_matrix){values, GPUGEO_TYPE_DOUBLE, 4, 3, 4, NULL};
}

static gpugeo_dist_options dist_options(void) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  return options;
}

static gpugeo_cor_options cor_options(void) {
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  return options;
}

/* What a wrong call must come to. */
static void check_error(const char *what, gpugeo_status status, const gpugeo_error *error,
                        gpugeo_status want, const char *argument, const char *message) {
  CHECK(status == want && error->code == (int32_t)want, "%s: status %d, code %d, expected %d", what,
        status, error->code, want);
  CHECK(strcmp(error->argument, argument) == 0, "%s: argument \"%s\", expected \"%s\"", what,
        error->argument, argument);
  CHECK(strcmp(error->message, message) == 0, "%s: message \"%s\", expected \"%s\"", what,
        error->message, message);
}

static void expect_dist(const char *what, const gpugeo_matrix *x, const gpugeo_matrix *y,
                        const gpugeo_dist_options *options, gpugeo_type type, gpugeo_status want,
                        const char *argument, const char *message) {
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_dist(x, y, options, type, out, NULL, &error);
  check_error(what, status, &error, want, argument, message);
  CHECK(gpugeo_dist(x, y, options, type, out, NULL, NULL) == want, "%s, with error NULL", what);
  if (want != GPUGEO_ERROR_ARGUMENT) return; /* the size does not depend on the data */
  int64_t size = -7;
  memset(&error, 0, sizeof error);
  status = gpugeo_dist_size(x, y, options, type, &size, &error);
  check_error(what, status, &error, want, argument, message);
  CHECK(size == -7, "%s: a failed call has written the size %lld", what, (long long)size);
  CHECK(gpugeo_dist_size(x, y, options, type, &size, NULL) == want, "%s, with error NULL", what);
}

static void expect_cor(const char *what, const gpugeo_matrix *x, const gpugeo_matrix *y,
                       const gpugeo_cor_options *options, gpugeo_type type, gpugeo_status want,
                       const char *argument, const char *message) {
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_cor(x, y, options, type, out, NULL, &error);
  check_error(what, status, &error, want, argument, message);
  CHECK(gpugeo_cor(x, y, options, type, out, NULL, NULL) == want, "%s, with error NULL", what);
}

static void test_options(void) {
  const gpugeo_matrix x = good();
  gpugeo_dist_options dist = dist_options();
  gpugeo_cor_options cor = cor_options();
  expect_dist("options NULL", &x, NULL, NULL, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "options",
              "options must be filled by gpugeo_dist_options_init(), not NULL");
  expect_cor("options NULL", &x, NULL, NULL, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "options",
             "options must be filled by gpugeo_cor_options_init(), not NULL");
  dist.size = 7;
  cor.size = 0;
  expect_dist("options of another size", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
              "options",
              "options must be filled by gpugeo_dist_options_init() of gpugeo " GPUGEO_VERSION
              " or earlier, not have a size of 7");
  expect_cor("options of another size", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
             "options",
             "options must be filled by gpugeo_cor_options_init() of gpugeo " GPUGEO_VERSION
             " or earlier, not have a size of 0");
}

static void test_run(void) {
  const gpugeo_matrix x = good();
  static const struct {
    const char *argument, *message;
  } want[] = {
      {"run", "run must be filled by gpugeo_run_init(), not have a size of 1"},
      {"backend", "backend must be between 0 and 2, not 3"},
      {"precision", "precision must be 0 or 1, not 2"},
      {"threads", "threads must be a whole number between 1 and 1024, not -1"},
      {"work_bytes", "work_bytes must be at least 0, not -5"},
      {"device", "device must be \"all\" or a whole number of at least 0, not -2"},
  };
  for (int i = 0; i < 6; ++i) {
    gpugeo_dist_options dist = dist_options();
    gpugeo_run *run = &dist.run;
    switch (i) {
    case 0:
      run->size = 1;
      break;
    case 1:
      run->backend = (gpugeo_backend)3;
      break;
    case 2:
      run->precision = (gpugeo_precision)2;
      break;
    case 3:
      run->threads = -1;
      break;
    case 4:
      run->work_bytes = -5;
      break;
    default:
      run->device = -2;
      break;
    }
    gpugeo_cor_options cor = cor_options();
    cor.run = *run;
    gpugeo_error error = {0};
    gpugeo_status status = gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
    check_error("dist, run", status, &error, GPUGEO_ERROR_ARGUMENT, want[i].argument,
                want[i].message);
    expect_cor("cor, run", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
               want[i].argument, want[i].message);
  }
}

static void test_matrices(void) {
  const char *shape = "%s must have sizes of at least 0, a leading dimension of at least nrow, and "
                      "data, not %s";
  static const struct {
    gpugeo_matrix matrix;
    const char *what;
  } bad[] = {
      {{values, GPUGEO_TYPE_DOUBLE, -1, 3, 4, NULL}, "-1 x 3, 4 and data"},
      {{values, GPUGEO_TYPE_DOUBLE, 4, -3, 4, NULL}, "4 x -3, 4 and data"},
      {{values, GPUGEO_TYPE_DOUBLE, 4, 3, 3, NULL}, "4 x 3, 3 and data"},
      {{NULL, GPUGEO_TYPE_DOUBLE, 4, 3, 4, NULL}, "4 x 3, 4 and none"},
  };
  const gpugeo_matrix x = good();
  gpugeo_dist_options dist = dist_options();
  gpugeo_cor_options cor = cor_options();
  char message[512];
  dist.shape = GPUGEO_SHAPE_FULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    snprintf(message, sizeof message, shape, "x", bad[i].what);
    expect_dist(bad[i].what, &bad[i].matrix, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
                "x", message);
    expect_cor(bad[i].what, &bad[i].matrix, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
               "x", message);
    snprintf(message, sizeof message, shape, "y", bad[i].what);
    expect_dist(bad[i].what, &x, &bad[i].matrix, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
                "y", message);
    expect_cor(bad[i].what, &x, &bad[i].matrix, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
               "y", message);
  }
  static const struct {
    int64_t nrow, ncol, ld;
    const char *what;
  } huge[] = {
      {4, INT64_MAX, 4, "4 x 9223372036854775807 with leading dimension 4"},
      {0, INT64_MAX, 0, "0 x 9223372036854775807 with leading dimension 0"},
      {4, 2, INT64_MAX, "4 x 2 with leading dimension 9223372036854775807"},
      {4, INT64_C(1) << 47, 1024, "4 x 140737488355328 with leading dimension 1024"},
      {INT64_MAX, 0, INT64_MAX,
       "9223372036854775807 x 0 with leading dimension 9223372036854775807"},
  };
  for (size_t i = 0; i < sizeof huge / sizeof *huge; ++i) {
    const gpugeo_matrix matrix = {values,       GPUGEO_TYPE_DOUBLE, huge[i].nrow,
                                  huge[i].ncol, huge[i].ld,         NULL};
    snprintf(message, sizeof message,
             "x must have at most 2^48 rows, 2^48 columns and 2^56 elements, those between columns "
             "included, not %s",
             huge[i].what);
    expect_dist(huge[i].what, &matrix, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "x",
                message);
    expect_cor(huge[i].what, &matrix, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "x",
               message);
  }
  const gpugeo_distances points = {.x = &x};
  gpugeo_silhouette_options silhouette;
  gpugeo_error error = {0};
  int32_t neighbor[4];
  gpugeo_silhouette_options_init(&silhouette, sizeof silhouette);
  const gpugeo_status status =
      gpugeo_silhouette(&points, NULL, 4, &silhouette, neighbor, out, NULL, &error);
  check_error("clusters NULL", status, &error, GPUGEO_ERROR_ARGUMENT, "clusters",
              "clusters must have a number for each of the 4 points, not NULL");
  gpugeo_matrix typed = x;
  typed.type = (gpugeo_type)3;
  expect_dist("storage", &typed, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "x",
              "x must be of type double, float or int32, not 3");
  expect_dist("x NULL", NULL, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "x",
              "x must be a numeric matrix, not NULL");
  expect_cor("x NULL", NULL, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "x",
             "x must be a numeric matrix, not NULL");
  gpugeo_matrix narrow = {values, GPUGEO_TYPE_DOUBLE, 4, 2, 4, NULL},
                few = {values, GPUGEO_TYPE_DOUBLE, 3, 3, 3, NULL};
  expect_dist("y of other columns", &x, &narrow, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
              "y", "y must have 3 columns, as x has, not 2");
  expect_cor("y of other rows", &x, &few, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "y",
             "y must have 4 rows, as x has, not 3");
  dist.shape = GPUGEO_SHAPE_CONDENSED;
  expect_dist("y and condensed", &x, &x, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "shape",
              "shape must be full for distances between x and y");
}

static void test_enumerations(void) {
  const gpugeo_matrix x = good();
  gpugeo_dist_options dist = dist_options();
  gpugeo_cor_options cor = cor_options();
  expect_dist("type", &x, NULL, &dist, GPUGEO_TYPE_INT32, GPUGEO_ERROR_ARGUMENT, "type",
              "type must be double or float, not 2");
  expect_cor("type", &x, NULL, &cor, GPUGEO_TYPE_INT32, GPUGEO_ERROR_ARGUMENT, "type",
             "type must be double or float, not 2");
  dist.metric.kind = GPUGEO_METRIC_COUNT;
  expect_dist("metric", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "metric",
              "metric must be between 0 and 39, not 40");
  dist = dist_options();
  dist.points = (gpugeo_points)2;
  expect_dist("points", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "points",
              "points must be 0 or 1, not 2");
  dist = dist_options();
  dist.shape = (gpugeo_shape)2;
  expect_dist("shape", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "shape",
              "shape must be 0 or 1, not 2");
  cor.method = (gpugeo_cor_method)5;
  expect_cor("method", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "method",
             "method must be between 0 and 4, not 5");
  cor = cor_options();
  cor.pearson_fallback = (gpugeo_pearson_fallback)3;
  expect_cor("pearsonFallback", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
             "pearsonFallback", "pearsonFallback must be between 0 and 2, not 3");
  cor = cor_options();
  cor.max_outliers = -0.5;
  expect_cor("maxPOutliers", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
             "maxPOutliers", "maxPOutliers must be a number between 0 and 1, not -0.5");
  cor = cor_options();
  cor.quick = NAN;
  expect_cor("quick", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "quick",
             "quick must be a number between 0 and 1, not NaN");
  cor = cor_options();
  cor.method = GPUGEO_COR_METHOD_BICOR;
  cor.covariance = GPUGEO_COVARIANCE_SAMPLE;
  expect_cor("covariances of bicor", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT,
             "method",
             "method must be \"pearson\", \"spearman\" or \"kendall\" for covariances, not "
             "\"bicor\"");
  cor = cor_options();
  cor.use = (gpugeo_cor_use)5;
  expect_cor("use", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "use",
             "use must be between 0 and 4, not 5");
  cor = cor_options();
  cor.covariance = (gpugeo_covariance)4;
  expect_cor("covariance", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "covariance",
             "covariance must be between 0 and 3, not 4");
  cor.covariance = GPUGEO_COVARIANCE_SAMPLE;
  cor.use = GPUGEO_COR_USE_PAIRWISE;
  cor.method = GPUGEO_COR_METHOD_SPEARMAN;
  expect_cor("pairwise covariances of ranks", &x, NULL, &cor, GPUGEO_TYPE_DOUBLE,
             GPUGEO_ERROR_ARGUMENT, "use",
             "use must be \"everything\", \"all.obs\", \"complete.obs\" or \"na.or.complete\" for "
             "covariances of method \"spearman\", not \"pairwise.complete.obs\"");
}

/* What the golden cases can't say of data: the status. */
static void test_data(void) {
  const gpugeo_matrix x = good();
  const double singular[9] = {1, 2, 0, 2, 4, 0, 0, 0, 1}, missing[4] = {1, NAN, NAN, 3};
  gpugeo_dist_options dist = dist_options();
  dist.metric.kind = GPUGEO_METRIC_MAHALANOBIS;
  dist.metric.cov = (gpugeo_matrix){singular, GPUGEO_TYPE_DOUBLE, 3, 3, 3, NULL};
  expect_dist("singular covariance", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA, "cov",
              "cov must be positive definite, but it is singular: column 2 depends on those before "
              "it or is constant");
  const double beyond[9] = {1, 2, 0, 2, 1, 0, 0, 0, 1}, negative[9] = {1, 0, 0, 0, -1, 0, 0, 0, 1};
  dist.metric.cov.data = beyond;
  expect_dist("indefinite covariance", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA,
              "cov",
              "cov must be positive definite, but element (1, 2) is 2, and the variances of these "
              "columns are 1 and 1");
  const double indefinite[9] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1};
  dist.metric.cov.data = indefinite;
  for (int drop = 0; drop < 2; ++drop) {
    dist.metric.singular = drop ? GPUGEO_SINGULAR_DROP : GPUGEO_SINGULAR_ERROR;
    expect_dist("indefinite covariance of three columns", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE,
                GPUGEO_ERROR_DATA, "cov",
                "cov must be positive definite, but its first 3 rows and columns have a negative "
                "eigenvalue");
  }
  dist.metric.singular = GPUGEO_SINGULAR_ERROR;
  dist.metric.cov.data = negative;
  expect_dist("negative variance", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA, "cov",
              "cov must be positive definite, but element (2, 2) is -1");
  dist = dist_options();
  dist.metric.kind = GPUGEO_METRIC_SEUCLIDEAN;
  const gpugeo_matrix flat = {(const double[]){3, 3, 1, 2}, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  expect_dist(
      "constant column", &flat, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA, "scale",
      "scale must be given: column 1 of x has standard deviation 0, and it must be positive "
      "and finite");
  dist.metric.singular = GPUGEO_SINGULAR_COUNT;
  expect_dist("singular", &x, NULL, &dist, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_ARGUMENT, "singular",
              "singular must be between 0 and 2, not 3");
  gpugeo_cor_options cor = cor_options();
  const gpugeo_matrix gaps = {missing, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  cor.use = GPUGEO_COR_USE_ALL_OBS;
  expect_cor("all.obs", &gaps, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA, "x",
             "x must have no missing values with use = \"all.obs\"");
  cor.use = GPUGEO_COR_USE_COMPLETE_OBS;
  expect_cor("complete.obs", &gaps, NULL, &cor, GPUGEO_TYPE_DOUBLE, GPUGEO_ERROR_DATA, "x",
             "x must have a complete row with use = \"complete.obs\"");
}

/* A result that no machine holds: the message gives its size. Nothing of x is read for that. */
static void test_too_large(void) {
  const gpugeo_matrix many = {values, GPUGEO_TYPE_DOUBLE, (int64_t)1 << 31,
                              1,      (int64_t)1 << 31,   NULL};
  gpugeo_dist_options dist = dist_options();
  gpugeo_error error = {0};
  int64_t size = 0;
  gpugeo_status status = gpugeo_dist_size(&many, NULL, &dist, GPUGEO_TYPE_DOUBLE, &size, &error);
  CHECK(status == GPUGEO_ERROR_MEMORY, "too large a result: status %d", status);
  CHECK(strstr(error.message,
               "(2305843008139952128 values) and working memory need 17179869176.2 GiB") != NULL,
        "the size is not in \"%s\"", error.message);
  dist.shape = GPUGEO_SHAPE_FULL;
  status = gpugeo_dist_size(&many, &many, &dist, GPUGEO_TYPE_FLOAT, &size, &error);
  CHECK(status == GPUGEO_ERROR_MEMORY && strstr(error.message, "17179869184.2 GiB") != NULL,
        "too large a result: status %d, \"%s\"", status, error.message);
  const gpugeo_matrix wide = {values, GPUGEO_TYPE_DOUBLE, 1, (int64_t)1 << 31, 1, NULL};
  gpugeo_cor_options cor = cor_options();
  status = gpugeo_cor_size(&wide, NULL, &cor, GPUGEO_TYPE_DOUBLE, &size, &error);
  CHECK(status == GPUGEO_ERROR_MEMORY && strstr(error.message, "34359738368.2 GiB") != NULL,
        "too large a result: status %d, \"%s\"", status, error.message);
}

static void test_names(void) {
  int32_t metric = GPUGEO_METRIC_COUNT;
  gpugeo_error error = {0};
  for (int i = 0; i < GPUGEO_METRIC_COUNT; ++i) {
    const char *name = gpugeo_name(GPUGEO_ENUM_METRIC, (gpugeo_metric)i);
    CHECK(name[0] && gpugeo_find(GPUGEO_ENUM_METRIC, name, &metric, &error) == GPUGEO_OK &&
              metric == i,
          "metric %d is called \"%s\", which is metric %d", i, name, metric);
  }
  CHECK(strcmp(gpugeo_name(GPUGEO_ENUM_METRIC, (gpugeo_metric)-1), "") == 0,
        "metric -1 has a name");
  CHECK(strcmp(gpugeo_name(GPUGEO_ENUM_METRIC, GPUGEO_METRIC_COUNT), "") == 0,
        "metric 15 has a name");
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, "nearest", &metric, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, "method") == 0,
        "status %d, argument %s", status, error.argument);
  CHECK(gpugeo_find(GPUGEO_ENUM_METRIC, "nearest", &metric, NULL) == GPUGEO_ERROR_ARGUMENT,
        "error NULL");
  for (int i = 0; i < 3; ++i) {
    static const char *const names[] = {"auto", "cpu", "cuda"};
    int32_t backend = 9;
    status = gpugeo_find(GPUGEO_ENUM_BACKEND, names[i], &backend, &error);
    CHECK(status == GPUGEO_OK && backend == i, "backend %s is %d", names[i], backend);
    CHECK(strcmp(gpugeo_name(GPUGEO_ENUM_BACKEND, (gpugeo_backend)i), names[i]) == 0,
          "backend %d is called %s", i, gpugeo_name(GPUGEO_ENUM_BACKEND, (gpugeo_backend)i));
  }
  CHECK(strcmp(gpugeo_name(GPUGEO_ENUM_BACKEND, (gpugeo_backend)3), "") == 0,
        "backend 3 has a name");
  /* A very long name is cut, not overrun. */
  char *longest = malloc(5001);
  memset(longest, 'z', 5000);
  longest[5000] = 0;
  status = gpugeo_find(GPUGEO_ENUM_METRIC, longest, &metric, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strlen(error.message) < sizeof error.message,
        "status %d, message of %zu characters", status, strlen(error.message));
  free(longest);
}

/* Each value of an enum has one name, which is found as that value; further spellings are found. */
static void test_enums(void) {
  static const int counts[GPUGEO_ENUM_COUNT] = {3,
                                                2,
                                                GPUGEO_METRIC_COUNT,
                                                5,
                                                5,
                                                2,
                                                GPUGEO_CLOSEST_ALGORITHM_COUNT,
                                                4,
                                                5,
                                                GPUGEO_DGP_ALGORITHM_COUNT,
                                                3,
                                                GPUGEO_SINGULAR_COUNT,
                                                GPUGEO_LINKAGE_COUNT,
                                                GPUGEO_PCOA_CORRECTION_COUNT,
                                                GPUGEO_MDS_TYPE_COUNT,
                                                GPUGEO_GRAPH_FORMAT_COUNT,
                                                GPUGEO_DNA_MODEL_COUNT,
                                                GPUGEO_LAYOUT_ALGORITHM_COUNT,
                                                GPUGEO_TREE_METHOD_COUNT,
                                                GPUGEO_EDIT_METHOD_COUNT,
                                                GPUGEO_AA_MODEL_COUNT,
                                                GPUGEO_AA_EXCLUDE_COUNT,
                                                GPUGEO_UNIFRAC_TYPE_COUNT,
                                                3,
                                                3,
                                                GPUGEO_STANDARD_COUNT,
                                                GPUGEO_DIVERSITY_COUNT,
                                                GPUGEO_BETA_COUNT,
                                                GPUGEO_KMEANS_ALGORITHM_COUNT,
                                                GPUGEO_LEAF_CRITERION_COUNT};
  gpugeo_error error = {0};
  int32_t found = -1;
  for (int e = 0; e < GPUGEO_ENUM_COUNT; ++e) {
    const gpugeo_enum kind = (gpugeo_enum)e;
    for (int i = 0; i < counts[e]; ++i)
      CHECK(!gpugeo_find(kind, gpugeo_name(kind, i), &found, &error) && found == i,
            "enum %d: \"%s\" is %d", e, gpugeo_name(kind, i), found);
    CHECK(!gpugeo_name(kind, -1)[0] && !gpugeo_name(kind, counts[e])[0], "enum %d: a name more", e);
    CHECK(gpugeo_find(kind, NULL, &found, &error) == GPUGEO_ERROR_ARGUMENT, "enum %d: NULL", e);
  }
  CHECK(!gpugeo_find(GPUGEO_ENUM_METRIC, "CITYBLOCK", &found, &error) &&
            found == GPUGEO_METRIC_MANHATTAN,
        "cityblock is %d", found);
  CHECK(!gpugeo_find(GPUGEO_ENUM_COR_USE, "pair", &found, &error) &&
            found == GPUGEO_COR_USE_PAIRWISE,
        "pair is %d", found);
  char message[80];
  snprintf(message, sizeof message, "kind must be between 0 and %d, not %d", GPUGEO_ENUM_COUNT - 1,
           GPUGEO_ENUM_COUNT);
  CHECK(gpugeo_find(GPUGEO_ENUM_COUNT, "auto", &found, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, message) == 0 && !gpugeo_name(GPUGEO_ENUM_COUNT, 0)[0],
        "%s", error.message);
}

static void test_backends(void) {
  gpugeo_error error = {0};
  const gpugeo_matrix x = good();
  CHECK(gpugeo_backend_available(GPUGEO_BACKEND_CPU, &error) == GPUGEO_OK, "%s", error.message);
  CHECK(gpugeo_backend_available(GPUGEO_BACKEND_AUTO, &error) == GPUGEO_OK, "%s", error.message);
  CHECK(gpugeo_default_threads() >= 1, "%d threads", gpugeo_default_threads());
  const int32_t devices = gpugeo_device_count();
  gpugeo_device device;
  gpugeo_dist_options dist = dist_options();
  dist.run.backend = GPUGEO_BACKEND_CUDA;
  if (devices > 0) {
    char message[128];
    CHECK(gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK, "%s", error.message);
    snprintf(message, sizeof message, "device must be between 0 and %d (the CUDA devices), not %d",
             devices - 1, devices);
    dist.run.device = devices;
    gpugeo_status status = gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
    check_error("device", status, &error, GPUGEO_ERROR_ARGUMENT, "device", message);
    CHECK(gpugeo_device_get(0, &device, &error) == GPUGEO_OK && device.name[0] &&
              device.total_bytes > 0,
          "device 0: %s", error.message);
  } else {
    gpugeo_error reason = {0};
    CHECK(gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &reason) == GPUGEO_ERROR_BACKEND,
          "no device, but CUDA is available");
    CHECK(reason.message[0] != 0, "no reason is given for the missing device");
    gpugeo_status status = gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
    CHECK(status == GPUGEO_ERROR_BACKEND && strcmp(error.argument, "backend") == 0 &&
              strstr(error.message, reason.message),
          "backend cuda: status %d, \"%s\" does not say \"%s\"", status, error.message,
          reason.message);
    CHECK(gpugeo_device_get(0, &device, &error) == GPUGEO_ERROR_BACKEND, "%s", error.message);
  }
}

/* The checks that wrappers make on values of their language. */
static void test_wrapper_checks(void) {
  gpugeo_error error = {0};
  int64_t number = -7;
  static const double wrong[] = {0, -3, 1.5, NAN, INFINITY, 1e300, 11};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    const gg_given given = gg_given_number(wrong[i]);
    gpugeo_status status = gg_whole_number("k", &given, 1, 10, &number, &error);
    CHECK(status == GPUGEO_ERROR_ARGUMENT && number == -7, "%g is taken as %lld", wrong[i],
          (long long)number);
    CHECK(strncmp(error.message, "k must be a whole number between 1 and 10, not ", 47) == 0,
          "\"%s\"", error.message);
  }
  const gg_given ten = gg_given_number(10);
  CHECK(gg_whole_number("k", &ten, 1, 10, &number, &error) == GPUGEO_OK && number == 10,
        "10 is taken as %lld", (long long)number);
  check_error("text", gg_fail_matrix(&error, "y", "text"), &error, GPUGEO_ERROR_ARGUMENT, "y",
              "y must be a numeric matrix, not text");
  check_error("complex", gg_fail_matrix(&error, "x", "complex numbers"), &error,
              GPUGEO_ERROR_ARGUMENT, "x", "x must be a numeric matrix, not complex numbers");
  check_error("list", gg_fail_matrix(&error, "x", "a list"), &error, GPUGEO_ERROR_ARGUMENT, "x",
              "x must be a numeric matrix, not a list");
  check_error("string", gg_fail_string(&error, "method", &ten), &error, GPUGEO_ERROR_ARGUMENT,
              "method", "method must be a single string, not 10");
  check_error("no string", gg_fail_string(&error, "method", NULL), &error, GPUGEO_ERROR_ARGUMENT,
              "method", "method must be a single string, not NULL");
  check_error("flag", gg_fail_flag(&error, "progress", &ten), &error, GPUGEO_ERROR_ARGUMENT,
              "progress", "progress must be true or false, not 10");
}

/* What a call from C can get wrong in closest pairs; all else is in the golden cases. */
static void test_closest(void) {
  const gpugeo_matrix x = good();
  for (int wrong = 0; wrong < 6; ++wrong) {
    gpugeo_closest_options options;
    gpugeo_closest_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    const char *argument = "options", *message = "";
    switch (wrong) {
    case 0:
      options.size = 1;
      message = "options must be filled by gpugeo_closest_options_init() of gpugeo " GPUGEO_VERSION
                " or earlier, not have a size of 1";
      break;
    case 1:
      options.algorithm = GPUGEO_CLOSEST_ALGORITHM_COUNT;
      argument = "algorithm";
      message = "algorithm must be between 0 and 5, not 6";
      break;
    case 2:
      options.metric = (gpugeo_closest_metric)2;
      argument = "metric";
      message = "metric must be 0 or 1, not 2";
      break;
    case 3:
      options.k = 7;
      argument = "k";
      message = "k must be between 1 and 6 (the pairs there are), not 7";
      break;
    case 4:
      options.run.threads = -1;
      argument = "threads";
      message = "threads must be a whole number between 1 and 1024, not -1";
      break;
    default:
      options.algorithm = GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER;
      options.run.backend = GPUGEO_BACKEND_CUDA;
      argument = "algorithm";
      message = "algorithm \"divide-conquer\" must be given with backend \"cpu\", not \"cuda\"";
      break;
    }
    gpugeo_pair pairs[8];
    int64_t found = -7, ties = -7, size = -7;
    gpugeo_error error = {0};
    gpugeo_status status =
        gpugeo_closest_pair(&x, NULL, &options, pairs, &found, &ties, NULL, &error);
    check_error(message, status, &error, GPUGEO_ERROR_ARGUMENT, argument, message);
    status = gpugeo_closest_pair_size(&x, NULL, &options, &size, &error);
    check_error(message, status, &error, GPUGEO_ERROR_ARGUMENT, argument, message);
    CHECK(found == -7 && ties == -7 && size == -7, "%s: a failed call has written", message);
    CHECK(gpugeo_closest_pair(&x, NULL, &options, pairs, &found, &ties, NULL, NULL) ==
              GPUGEO_ERROR_ARGUMENT,
          "%s, with error NULL", message);
  }
}

/* What a call from C can get wrong in neighbours; all else is in the golden cases. */
static void test_neighbors(void) {
  const gpugeo_matrix x = good();
  for (int wrong = 0; wrong < 5; ++wrong) {
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    const char *argument = "options", *message = "";
    switch (wrong) {
    case 0:
      options.size = 1;
      message = "options must be filled by gpugeo_knn_options_init() of gpugeo " GPUGEO_VERSION
                " or earlier, not have a size of 1";
      break;
    case 1:
      options.metric.kind = GPUGEO_METRIC_COUNT;
      argument = "metric";
      message = "metric must be between 0 and 39, not 40";
      break;
    case 2:
      options.points = (gpugeo_points)2;
      argument = "points";
      message = "points must be 0 or 1, not 2";
      break;
    case 3:
      options.run.threads = -1;
      argument = "threads";
      message = "threads must be a whole number between 1 and 1024, not -1";
      break;
    default:
      options.run.device = -2;
      argument = "device";
      message = "device must be \"all\" or a whole number of at least 0, not -2";
      break;
    }
    int32_t index[8];
    double distance[8] = {-7};
    gpugeo_neighbors found = {.points = -7};
    gpugeo_error error = {0};
    gpugeo_status status = gpugeo_knn(&x, NULL, &options, index, distance, NULL, &error);
    check_error(message, status, &error, GPUGEO_ERROR_ARGUMENT, argument, message);
    error = (gpugeo_error){0};
    status = gpugeo_radius(&x, NULL, &options, &found, NULL, &error);
    check_error(message, status, &error, GPUGEO_ERROR_ARGUMENT, argument, message);
    CHECK(distance[0] == -7 && found.points == -7, "%s: a failed call has written", message);
    CHECK(gpugeo_knn(&x, NULL, &options, index, distance, NULL, NULL) == GPUGEO_ERROR_ARGUMENT,
          "%s, with error NULL", message);
  }
  gpugeo_neighbors none = {0};
  gpugeo_neighbors_free(&none);
  gpugeo_neighbors_free(&none);
}

/* A wrong call for a cycle, by gpugeo_dgp() and by gpugeo_dgp_size(). */
static void expect_cycle(const char *what, const double *d, int64_t n,
                         const gpugeo_dgp_options *options, gpugeo_status want,
                         const char *argument, const char *message) {
  gpugeo_error error = {0};
  gpugeo_dgp_result result;
  static gpugeo_dgp_solution solutions[16];
  gpugeo_status status = gpugeo_dgp(d, n, options, &result, solutions, NULL, &error);
  check_error(what, status, &error, want, argument, message);
  CHECK(gpugeo_dgp(d, n, options, &result, solutions, NULL, NULL) == want, "%s, error NULL", what);
}

static gpugeo_dgp_options cycle_options(void) {
  gpugeo_dgp_options options;
  gpugeo_dgp_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  return options;
}

static void test_cycles(void) {
  static const double nothing = 0;
  double d[128];
  for (int j = 0; j < 128; ++j)
    d[j] = 1 + sqrt(j);
  gpugeo_dgp_options options = cycle_options();
  options.size = 7;
  expect_cycle("options", d, 3, &options, GPUGEO_ERROR_ARGUMENT, "options",
               "options must be filled by gpugeo_dgp_options_init() of gpugeo " GPUGEO_VERSION
               " or earlier, not have a size of 7");
  options = cycle_options();
  expect_cycle("none", &nothing, 0, &options, GPUGEO_ERROR_ARGUMENT, "d",
               "d must have between 1 and 127 distances, not 0");
  expect_cycle("128", d, 128, &options, GPUGEO_ERROR_ARGUMENT, "d",
               "d must have between 1 and 127 distances, not 128");
  expect_cycle("NULL", NULL, 3, &options, GPUGEO_ERROR_ARGUMENT, "d",
               "d must have between 1 and 127 distances, not NULL");
  static const double wrong[] = {0, -0.5, NAN, INFINITY, -INFINITY};
  static const char *const names[] = {"0", "-0.5", "NaN", "Inf", "-Inf"};
  for (int i = 0; i < 5; ++i) {
    const double bad[] = {1, 2, wrong[i], 0};
    char message[128];
    snprintf(message, sizeof message,
             "d must hold positive, finite distances, not %s (the one numbered 3)", names[i]);
    expect_cycle("distance", bad, 4, &options, GPUGEO_ERROR_ARGUMENT, "d", message);
  }
  for (int i = 1; i < 5; ++i) {
    options.tol = wrong[i];
    char message[128];
    snprintf(message, sizeof message, "tol must be at least 0 and finite, not %s", names[i]);
    expect_cycle("tol", d, 4, &options, GPUGEO_ERROR_ARGUMENT, "tol", message);
  }
  options = cycle_options();
  options.max_solutions = -3;
  expect_cycle("max_solutions", d, 4, &options, GPUGEO_ERROR_ARGUMENT, "max_solutions",
               "max_solutions must be at least 0, not -3");
  options.max_solutions = INT64_MAX;
  gpugeo_error error = {0};
  int64_t size = -7;
  CHECK(gpugeo_dgp_size(d, 100, &options, &size, &error) == GPUGEO_ERROR_MEMORY && size == -7 &&
            strncmp(error.message, "max_solutions = 9223372036854775807 needs ", 42) == 0 &&
            strstr(error.message, "GiB of memory of this machine"),
        "\"%s\", size %lld", error.message, (long long)size);
  CHECK(gpugeo_dgp_size(d, 4, &options, &size, &error) == GPUGEO_OK && size == 16,
        "room for %lld solutions", (long long)size);
  options = cycle_options();
  options.algorithm = GPUGEO_DGP_ALGORITHM_COUNT;
  expect_cycle("algorithm", d, 4, &options, GPUGEO_ERROR_ARGUMENT, "algorithm",
               "algorithm must be between 0 and 3, not 4");
  options.algorithm = GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE;
  expect_cycle(
      "large tree", d, 51, &options, GPUGEO_ERROR_ARGUMENT, "d",
      "d must have at most 50 distances for algorithm \"branch-and-prune\" on this machine, "
      "not 51: that would take about 2^51 steps of at most 2^50; algorithm "
      "\"meet-in-the-middle\" takes more");
  options.run.backend = GPUGEO_BACKEND_CUDA;
  if (gpugeo_device_count())
    expect_cycle("tree on CUDA", d, 4, &options, GPUGEO_ERROR_ARGUMENT, "algorithm",
                 "algorithm \"branch-and-prune\" must be given with backend \"cpu\", not \"cuda\"");
  options = cycle_options();
  options.algorithm = GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE;
  options.run.work_bytes = 1 << 20;
  gpugeo_status status = gpugeo_dgp(d, 127, &options, NULL, NULL, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message,
                   "distances for algorithm \"meet-in-the-middle\" on this machine, not "
                   "127: that would take about 2^"),
        "127 distances: %d, \"%s\"", (int)status, error.message);
  const double few[] = {1, 2};
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.backend = GPUGEO_BACKEND_CPU;
  double sums[4];
  check_error("rows", gpugeo_dgp_sums(d, 31, &run, sums, NULL, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "d", "d must have between 1 and 30 distances, not 31");
  CHECK(gpugeo_dgp_sums(few, 2, &run, sums, NULL, &error) == GPUGEO_OK && sums[0] == -3 &&
            sums[1] == -1 && sums[2] == 1 && sums[3] == 3,
        "sums of 1 and 2: %g %g %g %g", sums[0], sums[1], sums[2], sums[3]);
  check_error("instance", gpugeo_dgp_instance(1, 1, sums, &error), &error, GPUGEO_ERROR_ARGUMENT,
              "n", "n must be between 2 and 127, not 1");
  for (int i = 0; i < GPUGEO_DGP_ALGORITHM_COUNT; ++i) {
    int32_t method = GPUGEO_DGP_ALGORITHM_COUNT;
    const char *name = gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, (gpugeo_dgp_algorithm)i);
    CHECK(gpugeo_find(GPUGEO_ENUM_DGP_ALGORITHM, name, &method, &error) == GPUGEO_OK && method == i,
          "method %s is %d", name, method);
  }
  CHECK(gpugeo_name(GPUGEO_ENUM_DGP_ALGORITHM, GPUGEO_DGP_ALGORITHM_COUNT)[0] == 0,
        "method 4 has a name");
}

static void expect_layout(const char *what, const gpugeo_graph *graph,
                          const gpugeo_layout_options *options, const char *argument,
                          const char *message) {
  gpugeo_error error = {0};
  gpugeo_layout_result result;
  gpugeo_status status = gpugeo_layout(graph, options, out, &result, NULL, &error);
  check_error(what, status, &error, GPUGEO_ERROR_ARGUMENT, argument, message);
  int64_t size = -7;
  CHECK(gpugeo_layout_size(graph, options, &size, NULL) == GPUGEO_ERROR_ARGUMENT && size == -7,
        "%s, size %lld", what, (long long)size);
}

/* What of layouts no golden case can have. */
static void test_layouts(void) {
  static const int32_t ends[] = {1, 2, 2, 3}, fixed[3] = {1};
  static const double six[6] = {0, 1, 2, 3, 4, 5}, weights[] = {1, 2};
  static const double endless[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  const gpugeo_graph good_graph = {
      .vertices = 3, .edges = {ends, GPUGEO_TYPE_INT32, 2, 2, 2, NULL}, .first = 1};
  gpugeo_layout_options good_options;
  gpugeo_layout_options_init(&good_options, sizeof good_options);
  expect_layout("graph NULL", NULL, &good_options, "graph", "graph must not be NULL");
  expect_layout("options NULL", &good_graph, NULL, "options",
                "options must be filled by gpugeo_layout_options_init(), not NULL");
#define GRAPH(change, argument, message)                                                           \
  do {                                                                                             \
    gpugeo_graph graph = good_graph;                                                               \
    graph.change;                                                                                  \
    expect_layout(#change, &graph, &good_options, argument, message);                              \
  } while (0)
  GRAPH(vertices = -1, "graph", "graph must have between 0 and 2147483647 vertices, not -1");
  GRAPH(vertices = 2147483648, "graph",
        "graph must have between 0 and 2147483647 vertices, not 2147483648");
  GRAPH(first = 2, "first", "first must be 0 or 1, not 2");
  GRAPH(edges.ncol = 3, "edges", "edges must have 2 columns, the vertices that each joins, not 3");
  GRAPH(edges.type = GPUGEO_TYPE_FLOAT, "edges",
        "edges must be of type double or int32, not float");
  GRAPH(first = 0, "edges",
        "edge 2: the second vertex must be a whole number between 0 and 2 (the vertices), not 3");
  GRAPH(weights = weights, "weights",
        "weights must have a value for each of the 2 edges, not 0 values");
#define OPTION(change, argument, message)                                                          \
  do {                                                                                             \
    gpugeo_layout_options options = good_options;                                                  \
    options.change;                                                                                \
    expect_layout(#change, &good_graph, &options, argument, message);                              \
  } while (0)
  OPTION(size = 1, "options",
         "options must be filled by gpugeo_layout_options_init() of gpugeo " GPUGEO_VERSION
         " or earlier, not have a size of 1");
  OPTION(run.threads = -1, "threads", "threads must be a whole number between 1 and 1024, not -1");
  OPTION(dim = 1, "dim", "dim must be 2 or 3, not 1");
  OPTION(iterations = -2, "iterations", "iterations must be a whole number of at least 0, not -2");
  OPTION(frame_every = -1, "frame_every",
         "frame_every must be a whole number of at least 0, not -1");
  OPTION(multilevel = 2, "multilevel", "multilevel must be -1, 0 or 1, not 2");
  OPTION(multilevel = 1; options.init = six, "multilevel",
                         "multilevel must not be true with init, fixed, lower or upper");
  OPTION(start_temp = -INFINITY, "start_temp",
         "start_temp must be a positive finite number, not -Inf");
  OPTION(tolerance = NAN, "tolerance", "tolerance must be at least 0 and finite, not NaN");
  OPTION(repulsion = (gpugeo_layout_repulsion)3, "repulsion",
         "repulsion must be between 0 and 2, not 3");
  OPTION(theta = INFINITY, "theta", "theta must be between 0 and 2, not Inf");
  OPTION(dim = 3; options.expansion_order = 4, "expansion_order",
                  "expansion_order must be 0 or 2 in space, not 4");
  OPTION(init = six; options.init_length = 5, "init",
                     "init must have 6 values, 2 for each of the 3 vertices, not 5");
  OPTION(fixed = fixed; options.fixed_length = 2, "fixed",
                        "fixed must have a value for each of the 3 vertices, not 2 values");
  OPTION(fixed = fixed; options.fixed_length = 3, "fixed",
                        "fixed must be given with init, which has the positions of these vertices");
  OPTION(lower = endless;
         options.lower_length = 6, "lower",
         "lower must be at most upper, and room between them, but in row 1 and column 1 they are "
         "Inf and Inf");
}

/* What of tiles no golden case can have. */
static void test_tiles(void) {
  const gpugeo_matrix x = good();
  const gpugeo_point_source source = {.matrix = &x}, nothing = {0};
  const int64_t most = ((int64_t)1 << 40) + 1;
  gpugeo_error error = {0};
  gpugeo_tiles tiles, other;
  gpugeo_tile tile;
  check_error("points of x", gpugeo_tiles_plan(-1, -1, 3, 2, 0, &tiles, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "x", "x must have 0 to 2^40 points, not -1");
  check_error("points of y", gpugeo_tiles_plan(4, most, 3, 2, 0, &tiles, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "y", "y must have 0 to 2^40 points, not 1099511627777");
  check_error("side", gpugeo_tiles_plan(4, -1, 3, -2, 0, &tiles, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "side", "side must be a whole number of at least 1, not -2");
  check_error("memory", gpugeo_tiles_plan(4, -1, 3, 0, 1000, &tiles, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "memory",
              "memory must be 0 or at least 1048576 bytes, not 1000");
  check_error("coordinates", gpugeo_tiles_plan(4, -1, 1 << 20, 0, 1 << 20, &tiles, &error), &error,
              GPUGEO_ERROR_MEMORY, "memory_limit",
              "memory_limit must be more than 1048576 bytes for points of 1048576 coordinates");
  CHECK(!gpugeo_tiles_plan(4, -1, 3, 2, 0, &tiles, &error) && tiles.count == 3, "%s",
        error.message);
  check_error("index", gpugeo_tiles_get(&tiles, 3, &tile, &error), &error, GPUGEO_ERROR_ARGUMENT,
              "index", "index must be between 0 and 2 (the tiles there are), not 3");

  gpugeo_dist_options options = dist_options();
#define TILE(from, plan, shared, length, type, argument, message)                                  \
  check_error(                                                                                     \
      message,                                                                                     \
      gpugeo_dist_tile(from, NULL, &options, shared, length, plan, 0, type, out, NULL, &error),    \
      &error, GPUGEO_ERROR_ARGUMENT, argument, message)
  TILE(NULL, &tiles, NULL, 0, GPUGEO_TYPE_DOUBLE, "x", "x must be a numeric matrix, not NULL");
  TILE(&nothing, &tiles, NULL, 0, GPUGEO_TYPE_DOUBLE, "x", "x must be a numeric matrix, not NULL");
  TILE(&source, NULL, NULL, 0, GPUGEO_TYPE_DOUBLE, "plan",
       "plan must come from gpugeo_tiles_plan()");
  TILE(&source, &tiles, NULL, 0, GPUGEO_TYPE_INT32, "type", "type must be double or float, not 2");
  TILE(&source, &tiles, values, 3, GPUGEO_TYPE_DOUBLE, "plan",
       "plan must be of points of as many coordinates: 1 shared numbers, not 3");
  CHECK(!gpugeo_tiles_plan(5, -1, 3, 2, 0, &other, &error), "%s", error.message);
  TILE(&source, &other, NULL, 0, GPUGEO_TYPE_DOUBLE, "plan",
       "plan must be of the same points: it is for 5 x 5 within x, not 4 x 4 within x");
  CHECK(!gpugeo_tiles_plan(4, 4, 3, 2, 0, &other, &error), "%s", error.message);
  TILE(&source, &other, NULL, 0, GPUGEO_TYPE_DOUBLE, "plan",
       "plan must be of the same points: it is for 4 x 4, not 4 x 4 within x");
  options.size = 1;
  TILE(&source, &tiles, NULL, 0, GPUGEO_TYPE_DOUBLE, "options",
       "options must be filled by gpugeo_dist_options_init() of gpugeo " GPUGEO_VERSION
       " or earlier, not have a size of 1");
}

/* What of files no golden case can have. */
static void test_files(void) {
  const gpugeo_matrix x = good();
  const gpugeo_point_source source = {.matrix = &x};
  const gpugeo_dist_options dist = dist_options();
  const char *const labels[] = {"a", "b", "c"};
  gpugeo_error error = {0};
  gpugeo_dist_file_options good_output;
  gpugeo_dist_file_options_init(&good_output, sizeof good_output);
  good_output.file = "/nowhere/d.h5";
#define OUTPUT(change, argument, message)                                                          \
  do {                                                                                             \
    gpugeo_dist_file_options output = good_output;                                                 \
    output.change;                                                                                 \
    check_error(#change, gpugeo_dist_file_write(&source, &dist, &output, NULL, &error), &error,    \
                GPUGEO_ERROR_ARGUMENT, argument, message);                                         \
    CHECK(gpugeo_dist_file_write(&source, &dist, &output, NULL, NULL) == GPUGEO_ERROR_ARGUMENT,    \
          "%s, with error NULL", #change);                                                         \
  } while (0)
  OUTPUT(size = 1, "file_options",
         "file_options must be filled by gpugeo_dist_file_options_init() of gpugeo " GPUGEO_VERSION
         " or earlier, not have a size of 1");
  OUTPUT(file = NULL, "file", "file must be the name of a file");
  OUTPUT(shape = (gpugeo_shape)2, "shape", "shape must be 0 or 1, not 2");
  OUTPUT(type = GPUGEO_TYPE_INT32, "type", "type must be double or float, not 2");
  OUTPUT(side = -3, "side", "side must be a whole number of at least 1, not -3");
  OUTPUT(labels = labels;
         output.labels_length = 3, "labels", "labels must be one for each of the 4 points, not 3");
  check_error("file_options NULL", gpugeo_dist_file_write(&source, &dist, NULL, NULL, &error),
              &error, GPUGEO_ERROR_ARGUMENT, "file_options",
              "file_options must be filled by gpugeo_dist_file_options_init(), not NULL");
  gpugeo_dist_file *opened;
  gpugeo_dist_file_info info;
  check_error("file NULL", gpugeo_dist_file_open(NULL, NULL, &opened, &info, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "file", "file must be the name of a file");
}

int main(void) {
  test_layouts();
  test_tiles();
  test_files();
  test_closest();
  test_neighbors();
  test_options();
  test_run();
  test_matrices();
  test_enumerations();
  test_data();
  test_too_large();
  test_names();
  test_enums();
  test_backends();
  test_wrapper_checks();
  test_cycles();
  return check_end();
}
