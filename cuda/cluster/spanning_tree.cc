#include "cuda/cluster/spanning_tree.cuh"

#include <cmath>

namespace gpugeo {
namespace {

/* True if edge a comes before b. */
bool is_before(const gg_merge &a, const gg_merge &b) {
  if (a.height != b.height) return a.height < b.height;
  return a.low != b.low ? a.low < b.low : a.high < b.high;
}

} // namespace

spanning_tree::spanning_tree(int64_t n)
    : components_(n), component_((size_t)n), parent_((size_t)n), first_((size_t)n) {
  for (size_t i = 0; i < (size_t)n; ++i)
    component_[i] = parent_[i] = (int32_t)i;
  edges_.reserve((size_t)n);
}

int32_t spanning_tree::find(int32_t point) {
  while (parent_[(size_t)point] != point)
    point = parent_[(size_t)point] = parent_[(size_t)parent_[(size_t)point]];
  return point;
}

void spanning_tree::join(const int32_t *nearest, const double *distance) {
  const int32_t n = (int32_t)component_.size();
  for (gg_merge &edge : first_)
    edge = {INT32_MAX, INT32_MAX, INFINITY};
  for (int32_t i = 0; i < n; ++i) {
    const int32_t j = nearest[i];
    const gg_merge edge = {i < j ? i : j, i < j ? j : i, distance[i]};
    gg_merge &first = first_[(size_t)component_[(size_t)i]];
    if (is_before(edge, first)) first = edge;
  }
  for (const gg_merge &edge : first_) {
    if (edge.low == INT32_MAX) continue; /* no component has this number */
    const int32_t a = find(edge.low), b = find(edge.high);
    if (a == b) continue; /* the edge was the first of both */
    parent_[(size_t)b] = a;
    edges_.push_back(edge);
    --components_;
  }
  for (int32_t i = 0; i < n; ++i)
    component_[(size_t)i] = find(i);
}

} // namespace gpugeo
