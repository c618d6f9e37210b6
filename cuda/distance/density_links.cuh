/* What clusters by density do with each pair of points within a radius. */
#ifndef GG_CUDA_DENSITY_LINKS_CUH
#define GG_CUDA_DENSITY_LINKS_CUH

#include <cstdint>

namespace gpugeo {

/*
 * Core points near each other are joined to trees, whose root is their smallest point. After that,
 * the smallest root near each other point is found. A pair may be visited several times, from both
 * sides.
 */
struct density_links {
  const int32_t *core; /* of each point: 1 or 0; NULL: pairs are not visited */
  int32_t *parent;     /* of core points: one with a smaller index, or itself; then the root */
  int32_t *border;     /* of other points: the smallest root so far. NULL: core points are joined */

  __device__ __forceinline__ void visit(int32_t query, int32_t candidate) const {
    if (!core || !core[candidate]) return;
    if (!border && core[query] && query < candidate)
      join(query, candidate);
    else if (border && !core[query])
      atomicMin(border + query, parent[candidate]);
  }

private:
  /* Returns the root of a point's tree. Other threads may join trees at the same time. */
  __device__ __forceinline__ int32_t root_of(int32_t point) const {
    volatile int32_t *up = parent;
    for (int32_t next; (next = up[point]) != point; point = next)
      if (up[next] != next) atomicMin(parent + point, up[next]);
    return point;
  }

  /* Joins the trees of two points. The smaller root remains one, so that the roots do not depend on
     the order. */
  __device__ __forceinline__ void join(int32_t a, int32_t b) const {
    for (;;) {
      a = root_of(a);
      b = root_of(b);
      if (a == b) return;
      const int32_t small = a < b ? a : b, large = a < b ? b : a;
      if (atomicCAS(parent + large, large, small) == large) return;
    }
  }
};

} // namespace gpugeo

#endif
