/*
 * Shortest paths from up to 64 sources at once, whose sets are the bits of a word. A step leaves
 * the vertices at which sources have found a shorter path in the last step, a warp for each.
 *
 * Without lengths, this is breadth-first search (Then et al. 2014, MS-BFS): step k finds distance
 * k.
 *
 * With lengths, it is the algorithm of Bellman and Ford on these vertices only. It ends when no
 * edge (u, v) of length w gives a sum d(u) + w below d(v). The result has the bits of Dijkstra's
 * algorithm on the CPU: a distance that is found is always the sum along a path from its source,
 * rounded after each edge. The rounded sum is monotone in d(u), and at least d(u). So at the end,
 * by induction along any path, d(v) is at most the rounded sum along it: it is the least of these
 * sums, which depends on no order. Dijkstra's algorithm finds the same least sums.
 *
 * Limit: the gathers of the neighbours' words; for paths of many edges, two launches a step.
 */
#include "cuda/layout/paths.cuh"

#include <cmath>

#include "cuda/common/launch.cuh"
#include "cuda/layout/transfer.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256, LANES = 32;
constexpr int64_t BLOCKS = 2048;      /* more than a device runs at a time */
constexpr double PIECE_ENTRIES = 4e8; /* of the graph: at most some 50 ms */
constexpr int64_t PIECE_STEPS = 32;

/* Returns the number of the warp, and how many there are. */
__device__ __forceinline__ int64_t this_warp() { return this_item() / LANES; }
__device__ __forceinline__ int64_t warp_count() { return (int64_t)gridDim.x * (THREADS / LANES); }

/* Returns the distance of a vertex that no path reaches. */
__device__ __forceinline__ void set_unreached(double &distance) { distance = INFINITY; }
__device__ __forceinline__ void set_unreached(uint16_t &distance) { distance = 0xffff; }

/* Begins a search: no vertex is reached. */
template <class T>
__global__ void __launch_bounds__(THREADS)
    clear(int64_t n, const path_fronts fronts, const path_distances<T> distances) {
  const int64_t step = (int64_t)gridDim.x * THREADS;
  for (int64_t v = this_item(); v < n; v += step)
    fronts.seen[v] = fronts.now[v] = fronts.next[v] = 0;
  for (int64_t i = this_item(); i < n * distances.count; i += step)
    set_unreached(distances.at[i / distances.count * distances.stride + i % distances.count]);
}

/* Puts the sources into the first list, by one thread. */
template <class T>
__global__ void place_sources(const int32_t *sources, const path_fronts fronts,
                              const path_distances<T> distances) {
  int32_t listed = 0;
  for (int s = 0; s < distances.count; ++s) {
    const int32_t v = sources[s];
    if (!fronts.now[v]) fronts.lists[listed++] = v;
    fronts.now[v] |= (uint64_t)1 << s;
    fronts.seen[v] |= (uint64_t)1 << s;
    distances.at[s + v * distances.stride] = 0;
  }
  fronts.count[0] = listed;
  fronts.count[1] = fronts.count[2] = 0;
  *fronts.last = 0;
}

/* Adds bits to the next word of a vertex, which is listed with its first ones. */
__device__ __forceinline__ void add_bits(const path_fronts &fronts, int32_t step, int32_t vertex,
                                         uint64_t bits) {
  unsigned long long *word = reinterpret_cast<unsigned long long *>(fronts.next + vertex);
  if ((bits & ~__ldcg(word)) == 0) return;
  if (atomicOr(word, (unsigned long long)bits)) return;
  fronts.list(step)[atomicAdd(fronts.count + step % 3, 1)] = vertex;
}

/* Returns the sources of `bits` whose distance from `vertex` an edge of its neighbour lowers, and
   lowers them. Distances are not negative, so that their bits are in their order. A neighbour's
   distance that another warp lowers meanwhile is in the next list. */
__device__ __forceinline__ uint64_t lower(const path_distances<double> &distances, int64_t from,
                                          int64_t vertex, double length, uint64_t bits) {
  uint64_t lowered = 0;
  for (uint64_t left = bits; left; left &= left - 1) {
    const int s = __ffsll((long long)left) - 1;
    const double sum = __ldcg(distances.at + s + from * distances.stride) + length;
    double *at = distances.at + s + vertex * distances.stride;
    if (!(sum < __ldcg(at))) continue;
    const unsigned long long wanted = (unsigned long long)__double_as_longlong(sum);
    if (atomicMin(reinterpret_cast<unsigned long long *>(at), wanted) > wanted)
      lowered |= (uint64_t)1 << s;
  }
  return lowered;
}

/* Leaves the vertices of the last step's list, a warp for each. */
template <class T, bool LENGTHS>
__global__ void __launch_bounds__(THREADS) leave(const path_view graph, const path_fronts fronts,
                                                 const path_distances<T> distances, int32_t step) {
  const int lane = threadIdx.x % LANES;
  const int32_t listed = fronts.count[(step - 1) % 3];
  for (int64_t i = this_warp(); i < listed; i += warp_count()) {
    const int32_t v = fronts.list(step - 1)[i];
    const uint64_t bits = fronts.now[v];
    __syncwarp();
    if (lane == 0) fronts.now[v] = 0;
    const int64_t end = graph.start[v + 1];
    for (int64_t e = graph.start[v] + lane; e < end; e += LANES) {
      const int32_t other = graph.neighbor[e];
      uint64_t added;
      if constexpr (LENGTHS)
        added = lower(distances, v, other, graph.length[e], bits);
      else
        added = bits & ~fronts.seen[other];
      if (added) add_bits(fronts, step, other, added);
    }
  }
}

/* Moves the bits of the listed vertices from next to now, a warp for each vertex; without lengths,
   the step is their distance. */
template <class T, bool LENGTHS>
__global__ void __launch_bounds__(THREADS)
    arrive(const path_fronts fronts, const path_distances<T> distances, int32_t step) {
  const int lane = threadIdx.x % LANES;
  const int32_t listed = fronts.count[step % 3];
  if (this_item() == 0) {
    fronts.count[(step + 1) % 3] = 0;
    if (listed > 0) *fronts.last = step;
  }
  for (int64_t i = this_warp(); i < listed; i += warp_count()) {
    const int32_t v = fronts.list(step)[i];
    const uint64_t bits = fronts.next[v];
    __syncwarp();
    if (lane == 0) {
      fronts.now[v] = bits;
      fronts.next[v] = 0;
      if (!LENGTHS) fronts.seen[v] |= bits;
    }
    if constexpr (!LENGTHS)
      for (int s = lane; s < distances.count; s += LANES)
        if (bits >> s & 1) distances.at[s + v * distances.stride] = (T)step;
  }
}

} // namespace

path_graph::path_graph(const gg_path_graph &graph) {
  const int64_t n = graph.csr.vertices, entries = graph.csr.start[n];
  view_ = {n, to_device(start_, graph.csr.start, n + 1),
           to_device(neighbor_, graph.csr.neighbor, entries),
           graph.length ? to_device(length_, graph.length, entries) : nullptr};
}

path_search::path_search(const path_view &graph, device_resources &resources)
    : graph_(graph), resources_(resources), stream_(resources.compute[0]) {
  const int64_t n = graph.n;
  words_.allocate(3 * n * (int64_t)sizeof(uint64_t));
  lists_.allocate(2 * n * (int64_t)sizeof(int32_t));
  small_.allocate((4 + GG_PATHS_SOURCES) * (int64_t)sizeof(int32_t));
  uint64_t *words = words_.as<uint64_t>();
  int32_t *small = small_.as<int32_t>();
  fronts_ = {words, words + n, words + 2 * n, lists_.as<int32_t>(), small, small + 3, n};
  sources_ = small + 4;
  int64_t entries = 0;
  GG_CUDA(cudaMemcpy(&entries, graph.start + n, sizeof entries, cudaMemcpyDeviceToHost));
  steps_ = (int32_t)larger(
      1, smaller((int64_t)(PIECE_ENTRIES / (double)(n + entries + 1)), PIECE_STEPS));
  reserve_down(resources, 2 * (int64_t)sizeof(int32_t));
}

template <class T>
void path_search::launch_steps(const path_distances<T> &distances, int32_t first) {
  const unsigned blocks = (unsigned)smaller(divide_up(graph_.n * LANES, THREADS), BLOCKS);
  for (int32_t step = first; step < first + steps_; ++step) {
    if constexpr (sizeof(T) == sizeof(double))
      if (graph_.length) {
        leave<T, true><<<blocks, THREADS, 0, stream_>>>(graph_, fronts_, distances, step);
        arrive<T, true><<<blocks, THREADS, 0, stream_>>>(fronts_, distances, step);
        continue;
      }
    leave<T, false><<<blocks, THREADS, 0, stream_>>>(graph_, fronts_, distances, step);
    arrive<T, false><<<blocks, THREADS, 0, stream_>>>(fronts_, distances, step);
  }
}

/* Steps are launched in pieces, two of which are enqueued at a time. Each copies the number of the
   last step that found something to the host, which ends after a piece that found nothing. */
template <class T>
int32_t path_search::run(const int32_t *sources, const path_distances<T> &distances, pieces &pieces,
                         double fraction) {
  pieces.drain(fraction); /* no step reads the sources of the last search */
  copy_in(sources_, sources, (size_t)distances.count * sizeof *sources);
  const int64_t blocks = smaller(divide_up(graph_.n * distances.count, THREADS), BLOCKS);
  pieces.begin(fraction);
  clear<<<(unsigned)blocks, THREADS, 0, stream_>>>(graph_.n, fronts_, distances);
  place_sources<<<1, 1, 0, stream_>>>(sources_, fronts_, distances);
  pieces.end();
  int64_t piece = 0;
  for (;; ++piece) {
    pieces.begin(fraction);
    /* The piece before the last has ended. */
    if (piece >= 2 && *seen(piece % 2) <= (piece - 2) * steps_) break;
    if (sizeof(T) < sizeof(double) && piece * steps_ >= MOST_STEPS) return -1;
    launch_steps(distances, (int32_t)(piece * steps_ + 1));
    GG_CUDA(cudaMemcpyAsync(seen(piece % 2), fronts_.last, sizeof(int32_t), cudaMemcpyDeviceToHost,
                            stream_));
    pieces.end();
  }
  pieces.drain(fraction);
  return *seen(piece % 2);
}

template int32_t path_search::run(const int32_t *, const path_distances<double> &, pieces &,
                                  double);
template int32_t path_search::run(const int32_t *, const path_distances<uint16_t> &, pieces &,
                                  double);

} // namespace gpugeo
