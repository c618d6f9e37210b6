/*
 * Lays out a ring of nine vertices by forces, and prints where each vertex is and how long the edge
 * to the next one is. The forces are in balance when all edges have the length 4^(1/3) = 1.5874.
 *
 *   cc layout.c $(pkg-config --cflags --libs gpugeo) -lm -o layout
 */
#include <math.h>
#include <stdio.h>

#include <gpugeo.h>

enum { VERTICES = 9 };

int main(void) {
  int32_t
      ends[2 * VERTICES]; /* a row for each edge, by columns: where edges begin, where they end */
  for (int v = 0; v < VERTICES; ++v) {
    ends[v] = v;
    ends[VERTICES + v] = (v + 1) % VERTICES;
  }
  const gpugeo_graph ring = {
      .vertices = VERTICES,
      .edges = {ends, GPUGEO_TYPE_INT32, VERTICES, 2, VERTICES, NULL},
      .first = 0, /* vertices are numbered from 0 */
  };

  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  options.iterations = 5000;
  options.seed = 1;

  double positions[VERTICES * 2];
  gpugeo_layout_result result;
  gpugeo_error error;
  if (gpugeo_layout(&ring, &options, positions, &result, NULL, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }

  const double *x = positions, *y = positions + VERTICES;
  for (int v = 0; v < VERTICES; ++v) {
    const int next = (v + 1) % VERTICES;
    printf("%d %8.4f %8.4f %.4f\n", v, x[v], y[v], hypot(x[next] - x[v], y[next] - y[v]));
  }
  fprintf(stderr, "%lld iterations, energy %g\n", (long long)result.iterations, result.energy);
  return 0;
}
