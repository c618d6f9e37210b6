#include "both_backends.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

bool same_double(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static const gpugeo_backend both[] = {GPUGEO_BACKEND_CPU, GPUGEO_BACKEND_CUDA};

double compare_knn(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                   gpugeo_knn_options options) {
  const size_t size = (size_t)(options.k * (query ? query->ncol : x->ncol));
  int32_t *index[2];
  double *distance[2];
  for (int b = 0; b < 2; ++b) {
    index[b] = malloc(size * sizeof *index[b]);
    distance[b] = malloc(size * sizeof *distance[b]);
    options.run.backend = both[b];
    gpugeo_error error;
    const gpugeo_status status =
        gpugeo_knn(x, query, &options, index[b], distance[b], NULL, &error);
    CHECK(!status, "%s: %s", name, error.message);
  }
  int64_t wrong = 0;
  for (size_t e = 0; e < size; ++e)
    wrong += index[0][e] != index[1][e] || !same_double(distance[0][e], distance[1][e]);
  CHECK(wrong == 0, "%s: %lld of %lld neighbours differ", name, (long long)wrong, (long long)size);
  const double radius = distance[0][size - size / (size_t)options.k / 2 - 1];
  for (int b = 0; b < 2; ++b) {
    free(index[b]);
    free(distance[b]);
  }
  return radius;
}

void compare_radius(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                    gpugeo_knn_options options) {
  gpugeo_neighbors found[2] = {{0}, {0}};
  bool there = true;
  for (int b = 0; there && b < 2; ++b) {
    options.run.backend = both[b];
    gpugeo_error error;
    const gpugeo_status status = gpugeo_radius(x, query, &options, &found[b], NULL, &error);
    there = CHECK(!status, "%s, radius %g: %s", name, options.radius, error.message);
  }
  const gpugeo_neighbors *want = &found[0], *got = &found[1];
  const size_t starts = (size_t)(want->points + 1) * sizeof *want->start;
  if (there && CHECK(memcmp(want->start, got->start, starts) == 0,
                     "%s, radius %g: their number differs", name, options.radius)) {
    int64_t wrong = 0;
    for (int64_t e = 0; e < want->start[want->points]; ++e)
      wrong += want->index[e] != got->index[e] || !same_double(want->distance[e], got->distance[e]);
    CHECK(wrong == 0, "%s, radius %g: %lld neighbours differ", name, options.radius,
          (long long)wrong);
  }
  for (int b = 0; b < 2; ++b)
    gpugeo_neighbors_free(&found[b]);
}
