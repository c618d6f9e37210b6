/* A small component: all pairs, in doubles, on one thread, so that many can be laid out at a time.
 */
#include <math.h>

#include "common/random.h"
#include "layout/parts.h"
#include "layout/step.h"

/* A component of at most GG_LAYOUT_SMALL vertices under way; coordinates of a vertex follow each
   other. */
typedef struct small {
  const gg_layout_graph *csr;
  const int32_t *member, *rank;
  int64_t n;
  int dim;
  double position[GG_LAYOUT_SMALL * GG_LAYOUT_DIMS];
  double moved[GG_LAYOUT_SMALL * GG_LAYOUT_DIMS]; /* the next positions */
  double repulsion[GG_LAYOUT_SMALL * GG_LAYOUT_DIMS];
} small;

static void repel(small *s) {
  const int dim = s->dim;
  for (int64_t i = 0; i < s->n * dim; ++i)
    s->repulsion[i] = 0;
  for (int64_t i = 0; i < s->n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      double d[GG_LAYOUT_DIMS], square = (double)GG_LAYOUT_SOFT;
      for (int k = 0; k < dim; ++k) {
        d[k] = s->position[i * dim + k] - s->position[j * dim + k];
        square = fma(d[k], d[k], square);
      }
      for (int k = 0; k < dim; ++k) {
        s->repulsion[i * dim + k] += d[k] / square;
        s->repulsion[j * dim + k] -= d[k] / square;
      }
    }
}

/* Where a vertex goes, by how far: into `moved`. */
static double step(const small *s, int64_t i, double temperature, double *moved) {
  const gg_layout_frame frame = {.unit = 1, .inverse = 1};
  const int dim = s->dim;
  const int64_t v = s->member[i];
  double attraction[GG_LAYOUT_DIMS] = {0}, by[GG_LAYOUT_DIMS], square = 0;
  for (int64_t at = s->csr->start[v]; at < s->csr->start[v + 1]; ++at)
    gg_layout_pull(s->position + i * dim,
                   s->position + (int64_t)s->rank[s->csr->neighbor[at]] * dim,
                   s->csr->weight ? (double)s->csr->weight[at] : 1, dim, attraction);
  gg_layout_step(&frame, s->repulsion + i * dim, attraction, temperature, dim, by);
  for (int k = 0; k < dim; ++k) {
    moved[k] = gg_layout_moved(s->position[i * dim + k], by[k], -DBL_MAX, DBL_MAX);
    square = fma(by[k], by[k], square);
  }
  return sqrt(square);
}

/* One iteration; how far the vertex moved that did furthest. */
static double iterate(small *s, double temperature) {
  double longest = 0;
  repel(s);
  for (int64_t i = 0; i < s->n; ++i)
    longest = fmax(longest, step(s, i, temperature, s->moved + i * s->dim));
  for (int64_t i = 0; i < s->n * s->dim; ++i)
    s->position[i] = s->moved[i];
  return longest;
}

void gg_layout_small(const gg_layout_setting *setting, const gg_layout_graph *csr,
                     const gg_layout_components *components, int64_t c, double *positions,
                     gg_layout_outcome *outcome) {
  const gpugeo_layout_options *options = setting->options;
  const int64_t iterations = options->iterations < 0 ? GG_LAYOUT_ITERATIONS : options->iterations;
  small s = {.csr = csr,
             .member = components->member + components->start[c],
             .rank = components->rank,
             .n = gg_layout_component_size(components, c),
             .dim = options->dim};
  const double size = (double)s.n,
               start = isnan(options->start_temp) ? sqrt(size) : options->start_temp;
  for (int64_t i = 0; i < s.n; ++i)
    for (int k = 0; k < s.dim; ++k)
      s.position[i * s.dim + k] =
          (gg_random_unit(options->seed, 3 * (uint64_t)s.member[i] + (uint64_t)k) - 0.5) *
          pow(size, 1.0 / s.dim);
  *outcome = (gg_layout_outcome){0};
  while (outcome->iterations < iterations && !outcome->converged) {
    const double temperature = gg_layout_temperature(start, outcome->iterations++, iterations);
    outcome->converged = iterate(&s, temperature) <= options->tolerance;
  }
  for (int64_t i = 0; i < s.n; ++i)
    for (int k = 0; k < s.dim; ++k)
      positions[s.member[i] + k * csr->vertices] = s.position[i * s.dim + k];
}
