/* Points that coincide, found by sorting: pairs at distance 0 without comparing pairs. */
#ifndef GG_CUDA_LOCATIONS_CUH
#define GG_CUDA_LOCATIONS_CUH

#include <vector>

#include "cuda/points/point_set.cuh"
#include "points/closest_plan.h"

namespace gpugeo {

/* Groups of coincident points in device memory. */
struct group_view {
  int64_t groups;
  const int32_t *row;          /* of all points, group by group */
  const int32_t *first;        /* of each group in row, and the end */
  const int32_t *group_of_row; /* the group of each row */
  const int32_t *position;     /* of each row in `row` */
};

/*
 * Rows sorted by location, and then by number, in groups: the points of one set at one location.
 * Where exact() is false, points at different locations may have a square of 0, and groups must not
 * be used.
 */
class locations {
public:
  /* Builds the groups on the stream, and waits for it. To be called once. */
  void build(const point_set &points, cudaStream_t stream);

  bool exact() const { return exact_; }
  int64_t groups() const { return groups_; }
  const int32_t *row() const { return row_.as<int32_t>(); }
  const int32_t *first() const { return first_.as<int32_t>(); } /* groups + 1 positions */

  /* Takes the first point of each group with its row, and for that row the number of points in
     the group: at[k] (NULL where points have no such column) and row_of_group have groups()
     elements. */
  void take_first(const point_set &points, double *const (&at)[MOST_COLUMNS], int32_t *row_of_group,
                  int32_t *weight_of_row, cudaStream_t stream) const;

  /* Returns all rows of the group with this row. */
  std::vector<int32_t> rows_of(int32_t row) const;

  /* Count the pairs at distance 0, and list the first k of them in the order of (i, j), or all.
     j counts from the first row of its set. */
  int64_t count_pairs(const point_set &points, cudaStream_t stream);
  std::vector<gg_closest_pair> first_pairs(const point_set &points, int64_t k,
                                           cudaStream_t stream) const;

private:
  group_view view() const {
    return {groups_, row(), first(), group_of_row_.as<int32_t>(), position_.as<int32_t>()};
  }

  device_memory row_, first_, group_of_row_, position_, partners_, before_;
  int64_t groups_ = 0, pairs_ = 0;
  bool exact_ = false;
};

} // namespace gpugeo

#endif
