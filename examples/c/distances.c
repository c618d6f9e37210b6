/*
 * Prints the distances between five points in the plane.
 *
 *   cc distances.c $(pkg-config --cflags --libs gpugeo) -o distances
 *   ./distances               Euclidean distances
 *   ./distances manhattan     or by any other metric of gpugeo.h
 */
#include <stdio.h>

#include <gpugeo.h>

enum { POINTS = 5, COORDINATES = 2 };

int main(int argc, char **argv) {
  /* Column-major, as in R, Octave and Fortran: all x, then all y. */
  const double coordinates[COORDINATES * POINTS] = {
      0, 3, 6, 5,  -8, /* x */
      0, 4, 8, 12, 15, /* y */
  };
  const gpugeo_matrix points = {.data = coordinates,
                                .type = GPUGEO_TYPE_DOUBLE,
                                .nrow = POINTS,
                                .ncol = COORDINATES,
                                .ld = POINTS};

  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.shape = GPUGEO_SHAPE_FULL;

  gpugeo_error error;
  int32_t metric = GPUGEO_METRIC_EUCLIDEAN;
  if (argc > 1 && gpugeo_find(GPUGEO_ENUM_METRIC, argv[1], &metric, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  options.metric.kind = (gpugeo_metric)metric;

  double distances[POINTS * POINTS];
  gpugeo_report report;
  if (gpugeo_dist(&points, NULL, &options, GPUGEO_TYPE_DOUBLE, distances, &report, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }

  for (int i = 0; i < POINTS; ++i)
    for (int j = 0; j < POINTS; ++j)
      printf("%9.5f%s", distances[i + j * POINTS], j < POINTS - 1 ? " " : "\n");
  fprintf(stderr, "%s, computed by backend %s\n",
          gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind),
          gpugeo_name(GPUGEO_ENUM_BACKEND, report.backend));
  return 0;
}
