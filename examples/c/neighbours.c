/*
 * Finds the three nearest neighbours of each of 1,000 points on a spiral, and prints those of every
 * 100th point: its number, then the number and distance of each neighbour.
 *
 *   cc neighbours.c $(pkg-config --cflags --libs gpugeo) -lm -o neighbours
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpugeo.h>

enum { POINTS = 1000, NEIGHBOURS = 3 };

int main(void) {
  static double coordinates[2 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    coordinates[i] = sqrt(i) * cos(i);
    coordinates[POINTS + i] = sqrt(i) * sin(i);
  }
  const gpugeo_matrix points = {
      .data = coordinates, .type = GPUGEO_TYPE_DOUBLE, .nrow = POINTS, .ncol = 2, .ld = POINTS};

  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.k = NEIGHBOURS;

  gpugeo_error error;
  int64_t size; /* POINTS times NEIGHBOURS; checks all arguments, too */
  if (gpugeo_knn_size(&points, NULL, &options, &size, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  int32_t *index = malloc((size_t)size * sizeof *index);
  double *distance = malloc((size_t)size * sizeof *distance);
  if (!index || !distance) return 1;
  if (gpugeo_knn(&points, NULL, &options, index, distance, NULL, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }

  for (int i = 0; i < POINTS; i += 100) {
    printf("%d", i);
    for (int r = 0; r < NEIGHBOURS; ++r)
      printf(" %d %.6f", (int)index[i + r * POINTS], distance[i + r * POINTS]);
    printf("\n");
  }
  free(index);
  free(distance);
  return 0;
}
