/*
 * The pulls of edges, compiled once for each instruction set: the including file defines
 * GG_LANES_AVX512, GG_LANES_AVX2, GG_LANES_128 or none, and GG_KERNEL, the function's name. A lane
 * is an entry. Limit: the square root.
 */
#include <stdbool.h>
#include <stdint.h>

typedef double real;

#include "common/vector.h"
#include "layout/cpu/kernels.h"

VFN void pull_all(gg_pull_block *b, int64_t count, int dim) {
  for (int64_t k = 0; k < count; k += GG_LANES) {
    V square = v_set(0);
    for (int c = 0; c < dim; ++c) {
      const V d = v_load(b->pull[c] + k);
      square = v_add(square, v_mul(d, d));
    }
    const V factor = v_mul(v_load(b->weight + k), v_sqrt(square));
    for (int c = 0; c < dim; ++c)
      v_store(b->pull[c] + k, v_mul(factor, v_load(b->pull[c] + k)));
  }
}

GG_TARGET void GG_KERNEL(gg_pull_block *block, int64_t count, int dim) {
  if (dim == 2)
    pull_all(block, count, 2);
  else
    pull_all(block, count, 3);
}
