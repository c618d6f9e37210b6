/* Shortest paths from up to 64 vertices at once, on the device. */
#ifndef GG_CUDA_LAYOUT_PATHS_CUH
#define GG_CUDA_LAYOUT_PATHS_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pieces.cuh"
#include "layout/paths.h"

namespace gpugeo {

/* A graph in device memory. */
struct path_view {
  int64_t n;
  const int64_t *start;
  const int32_t *neighbor;
  const double *length; /* of each entry; NULL: all 1 */
};

/* A copy of a graph in device memory. */
class path_graph {
public:
  explicit path_graph(const gg_path_graph &graph);
  const path_view &view() const { return view_; }

private:
  device_memory start_, neighbor_, length_;
  path_view view_;
};

/* The state of a search: bit s of a word is source s. */
struct path_fronts {
  uint64_t *seen; /* of each vertex: the sources that have reached it; with lengths not used */
  uint64_t *now;  /* those whose distance became less in the last step */
  uint64_t *next; /* those whose distance becomes less in this step */
  int32_t *lists; /* two of n: vertices with bits in now and in next, in turn */
  /* Lengths of the lists: step k reads the one of k - 1 and writes that of k, modulo 3, and sets
     that of k + 1 to 0. */
  int32_t *count;
  int32_t *last; /* the last step in which a distance became less */
  int64_t n;     /* vertices */

  /* Returns the list that a step writes. */
  __device__ __forceinline__ int32_t *list(int32_t step) const { return lists + step % 2 * n; }
};

/* Distances: that of source s and vertex v is at[s + v * stride]. A distance that is not found is
   the largest number of 16 bits, or INFINITY. */
template <class T> struct path_distances {
  T *at;
  int64_t stride;
  int count; /* sources */
};

/* Searches of a graph, one after the other. */
class path_search {
public:
  /* The most steps of a search to distances of 16 bits. */
  enum { MOST_STEPS = 65000 };

  path_search(const path_view &graph, device_resources &resources);

  /* Returns the bytes of device memory that the state takes for a vertex. */
  static int64_t vertex_bytes() { return 3 * sizeof(uint64_t) + 2 * sizeof(int32_t); }

  /* Fills the distances from up to 64 vertices, given on the host, and returns the number of steps
     that found any. T is double, or uint16_t without lengths: then a search of more than MOST_STEPS
     steps returns -1. Waits for the result; passes `fraction` to the progress hook. */
  template <class T>
  int32_t run(const int32_t *sources, const path_distances<T> &distances, pieces &pieces,
              double fraction);

private:
  template <class T> void launch_steps(const path_distances<T> &distances, int32_t first);
  int32_t *seen(int64_t which) const {
    return static_cast<int32_t *>(resources_.pinned_down[which]);
  }

  const path_view graph_;
  device_resources &resources_;
  device_memory words_, lists_, small_;
  path_fronts fronts_;
  int32_t *sources_;
  int32_t steps_; /* that are launched together */
  cudaStream_t stream_;
};

} // namespace gpugeo

#endif
