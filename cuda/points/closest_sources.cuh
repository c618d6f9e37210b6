/* Where the pairs that a search for closest pairs tests come from. */
#ifndef GG_CUDA_CLOSEST_SOURCES_CUH
#define GG_CUDA_CLOSEST_SOURCES_CUH

#include "cuda/points/closest_select.cuh"
#include "cuda/points/point_tree.cuh"

namespace gpugeo {

/* Each source calls one.test(q) for the partners q of the point at position p, or some of them. */

/* For each point of x the points of y around it in the order. */
struct between_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  const int32_t *before;   /* points of y before each position */
  const int32_t *position; /* positions of the points of y */
  int64_t n, ny, partners;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    if (row[p] >= to.nx) return;
    pair_tester<PLAIN> one(to, at, row, p);
    const int64_t first = larger(0, smaller(before[p] - partners / 2, ny - partners));
    for (int64_t t = first; t < smaller(first + partners, ny); ++t)
      one.test(position[t]);
  }
};

/* Points after p in the cells that the bound reaches. */
struct grid_source {
  grid_view grid;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    pair_tester<PLAIN> one(to, grid.at, grid.row, p);
    const double reach = to.reach(one.bound);
    near_cells near[MOST_COLUMNS] = {{0, 1}, {0, 1}, {0, 1}};
#pragma unroll
    for (int k = 0; k < MOST_COLUMNS; ++k)
      if (k < grid.shape.columns) near[k] = cells_within(grid.shape.axis[k], one.point[k], reach);
    visit_cells(grid, near, p + 1, grid.key[p], [&](int64_t first, int64_t last) {
      for (int64_t q = first; q < last; ++q)
        one.test(q);
    });
  }
};

/* Points in boxes that the bound reaches: within x those after p, else for points of x those of y.
 */
struct tree_source {
  tree_view tree;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    constexpr int FAN = tree_view::FAN;
    if (!to.within && tree.row[p] >= to.nx) return;
    pair_tester<PLAIN> one(to, tree.at, tree.row, p);
    double location[MOST_COLUMNS];
    point_location(to.rule, one.point, location);
    const int64_t least = to.within ? p + 1 : 0;
    /* Nodes still to be opened, as their level and number. */
    int64_t stack[(FAN - 1) * tree_view::MOST_LEVELS + 1];
    int depth = 0;
    stack[depth++] = (int64_t)(tree.levels - 1) << 32;
    while (depth > 0) {
      const int64_t top = stack[--depth];
      const int level = (int)(top >> 32);
      const int64_t first = (top & 0xffffffff) * FAN;
      one.bound = to.bound();
      if (level == 0) {
        for (int64_t q = larger(first, least); q < smaller(first + FAN, tree.n); ++q)
          one.test(q);
        continue;
      }
      const double reach = to.reach(one.bound), limit = reach * reach * (1 + 0x1p-49);
      int64_t size = FAN; /* points of a child */
      for (int l = 1; l < level; ++l)
        size *= FAN;
      for (int64_t c = first; c < smaller(first + FAN, tree.nodes[level - 1]); ++c) {
        const tree_box &box = tree.box[level - 1][c];
        if (!box.wanted || (c + 1) * size <= least) continue;
        if (box_distance(to.rule, location, box) <= limit)
          stack[depth++] = (int64_t)(level - 1) << 32 | c;
      }
    }
  }
};

} // namespace gpugeo

#endif
