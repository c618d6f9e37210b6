/*
 * Images of layouts on CUDA: the edges of a chunk are added to the image in the device's memory by
 * atomic additions of whole numbers, whose order does not matter. A thread draws an edge of up to
 * LONG pixels, and lists the others, of which each is drawn by a warp.
 *
 * The chunks stay on the device from one tile to the next if they all fit, else they are copied for
 * each tile.
 *
 * Device memory: 16 bytes for a vertex, 8 for a pixel, 12 for an edge of a chunk. Limit: the link
 * and the gathers of positions for short edges, additions in the L2 cache for long ones.
 */
#include <algorithm>
#include <vector>

#include "common/context.h"
#include "common/matrix.h"
#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/parallel.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/team.cuh"
#include "cuda/layout/transfer.cuh"
#include "layout/raster_plan.h"

namespace gpugeo {
namespace {

constexpr int THREADS = 256, LANES = 32;
constexpr int64_t LONG = LANES;            /* pixels along an edge that a thread draws, at most */
constexpr int64_t BLOCKS = 2048;           /* more than a device runs at a time */
constexpr int64_t LEAST_CHUNK = 1 << 12;   /* edges */
constexpr int64_t FILLED_AT_A_TIME = 4096; /* edges that a thread copies to a pinned slot */

/* Edges of a chunk in device memory, with vertices from 0. */
struct edge_chunk {
  const int2 *ends;
  int32_t count;
};

/* The numbers of long edges in a chunk. */
struct long_edges {
  int32_t *number, *count;
};

/* Draws short edges, a thread for each, and lists the long ones. */
__global__ void __launch_bounds__(THREADS)
    draw_short(const edge_chunk edges, const gg_raster_point *at, const gg_raster_part part,
               const long_edges others) {
  const int64_t e = this_item();
  if (e >= edges.count) return;
  const int2 ends = edges.ends[e];
  const gg_raster_point u = at[ends.x], v = at[ends.y];
  if (gg_raster_is_outside(&part, u, v)) return;
  const gg_raster_line line = gg_raster_line_make(&part, u, v);
  if (line.last - line.first < LONG)
    gg_raster_draw(&line, &part, 0, 1);
  else
    others.number[atomicAdd(others.count, 1)] = (int32_t)e;
}

/* Draws the listed edges, a warp for each. */
__global__ void __launch_bounds__(THREADS)
    draw_long(const edge_chunk edges, const gg_raster_point *at, const gg_raster_part part,
              const long_edges others) {
  const int32_t listed = *others.count;
  const int64_t warps = (int64_t)gridDim.x * (THREADS / LANES);
  for (int64_t i = this_item() / LANES; i < listed; i += warps) {
    const int2 ends = edges.ends[others.number[i]];
    const gg_raster_line line = gg_raster_line_make(&part, at[ends.x], at[ends.y]);
    gg_raster_draw(&line, &part, threadIdx.x % LANES, LANES);
  }
}

/* Adds the pixels with a line to their bins. */
__global__ void __launch_bounds__(THREADS)
    count_pixels(const uint64_t *image, int64_t pixels, unsigned long long *bins) {
  const int64_t step = (int64_t)gridDim.x * THREADS;
  for (int64_t p = this_item(); p < pixels; p += step)
    if (image[p]) atomicAdd(bins + gg_raster_bin(image[p]), 1ull);
}

/* A picture in device memory. */
class picture {
public:
  picture(const gg_raster_plan &plan, device_resources &resources, gg_clock *clock)
      : plan_(plan), resources_(resources), clock_(clock), pieces_(resources.compute[0], clock) {
    const int64_t vertices = plan.graph->vertices, budget = memory_budget(plan.work_bytes);
    to_device(at_, plan.at, vertices);
    image_.allocate(image_bytes());
    if (plan.bins) to_device(bins_, plan.bins, GG_RASTER_BINS);
    allocate_chunks(budget - vertices * (int64_t)sizeof *plan.at - image_bytes());
  }

  /* Draws a tile, of which `fraction` of all work is done before, and `share` by this. */
  void draw(int64_t tile, double fraction, double share);

  /* Adds the pixels of the tile to the bins. */
  void count(double fraction);

  /* Copies the last tile and the bins to the plan's. */
  void fetch_results();

  double seconds() const { return pieces_.seconds(); }

private:
  int64_t pixels() const { return (int64_t)plan_.width * plan_.height; }
  int64_t image_bytes() const { return pixels() * (int64_t)sizeof(uint64_t); }
  int64_t edges() const { return plan_.graph->edges.nrow; }
  void allocate_chunks(int64_t budget);
  void fill_slot(int64_t chunk);
  void copy_chunk(int64_t chunk);
  edge_chunk chunk_of(int64_t chunk) const;
  void draw_chunk(const edge_chunk &edges, const gg_raster_part &part);

  const gg_raster_plan &plan_;
  device_resources &resources_;
  gg_clock *clock_;
  device_memory at_, image_, bins_, ends_, others_, other_count_;
  int64_t chunk_ = 0;     /* edges of a chunk */
  int64_t chunks_ = 0;    /* that all edges have */
  int64_t copied_ = 0;    /* chunks that have been copied, of all tiles */
  bool are_kept_ = false; /* each chunk has memory of its own */
  pieces pieces_;
};

/* Chooses the size of chunks by the bytes that are left, and whether all are kept. */
void picture::allocate_chunks(int64_t budget) {
  const int64_t end_bytes = (int64_t)sizeof(int2), other_bytes = (int64_t)sizeof(int32_t);
  chunk_ = std::clamp<int64_t>(budget / GG_RASTER_EDGE_BYTES, LEAST_CHUNK, GG_RASTER_CHUNK);
  chunks_ = divide_up(edges(), chunk_);
  are_kept_ = chunks_ * chunk_ * end_bytes + chunk_ * other_bytes <= budget;
  ends_.allocate(larger(are_kept_ ? chunks_ : 1, 1) * chunk_ * end_bytes);
  others_.allocate(chunk_ * other_bytes);
  other_count_.allocate(other_bytes);
  reserve_up(resources_, chunk_ * end_bytes);
}

/* Returns a chunk in device memory. */
edge_chunk picture::chunk_of(int64_t chunk) const {
  return {ends_.as<int2>() + (are_kept_ ? chunk * chunk_ : 0),
          (int32_t)smaller(chunk_, edges() - chunk * chunk_)};
}

/* Writes the edges of a chunk to the pinned slot of the next copy, which no copy uses: at most two
   pieces are enqueued, and there are three slots. */
void picture::fill_slot(int64_t chunk) {
  static_assert(slots >= 3, "a slot is filled while two pieces are enqueued");
  int2 *slot = static_cast<int2 *>(resources_.pinned_up[copied_ % slots]);
  const int64_t begin = chunk * chunk_, count = chunk_of(chunk).count;
  const gpugeo_matrix &ends = plan_.graph->edges;
  const int64_t first = plan_.graph->first;
  const int32_t threads = gg_copying_threads(plan_.threads);
  parallel_for(threads, divide_up(count, FILLED_AT_A_TIME), 1, [&](int64_t part) {
    const int64_t end = smaller((part + 1) * FILLED_AT_A_TIME, count);
    for (int64_t e = part * FILLED_AT_A_TIME; e < end; ++e)
      slot[e] = {(int32_t)((int64_t)gg_element(&ends, begin + e, 0) - first),
                 (int32_t)((int64_t)gg_element(&ends, begin + e, 1) - first)};
  });
}

/* Enqueues the copy of a chunk from its slot. */
void picture::copy_chunk(int64_t chunk) {
  const edge_chunk to = chunk_of(chunk);
  GG_CUDA(cudaMemcpyAsync(const_cast<int2 *>(to.ends), resources_.pinned_up[copied_ % slots],
                          (size_t)to.count * sizeof(int2), cudaMemcpyHostToDevice,
                          pieces_.stream()));
  ++copied_;
}

/* Enqueues the drawing of a chunk that is in device memory. */
void picture::draw_chunk(const edge_chunk &edges, const gg_raster_part &part) {
  const long_edges others = {others_.as<int32_t>(), other_count_.as<int32_t>()};
  const gg_raster_point *at = at_.as<gg_raster_point>();
  const int64_t blocks = smaller(divide_up((int64_t)edges.count * LANES, THREADS), BLOCKS);
  cudaStream_t stream = pieces_.stream();
  GG_CUDA(cudaMemsetAsync(others.count, 0, sizeof *others.count, stream));
  draw_short<<<blocks_for(edges.count, THREADS), THREADS, 0, stream>>>(edges, at, part, others);
  draw_long<<<(unsigned)blocks, THREADS, 0, stream>>>(edges, at, part, others);
}

void picture::draw(int64_t tile, double fraction, double share) {
  const gg_raster_part part =
      gg_raster_part_of(&plan_, tile, 0, plan_.height, image_.as<uint64_t>());
  pieces_.begin(fraction);
  GG_CUDA(cudaMemsetAsync(image_.as(), 0, (size_t)image_bytes(), pieces_.stream()));
  pieces_.end();
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    const double done = fraction + share * (double)chunk / (double)chunks_;
    const bool copies = !are_kept_ || copied_ < chunks_;
    if (copies) fill_slot(chunk);
    pieces_.begin(done);
    if (copies) copy_chunk(chunk);
    draw_chunk(chunk_of(chunk), part);
    pieces_.end();
  }
}

void picture::count(double fraction) {
  const int64_t blocks = smaller(divide_up(pixels(), THREADS), BLOCKS);
  pieces_.begin(fraction);
  count_pixels<<<(unsigned)blocks, THREADS, 0, pieces_.stream()>>>(image_.as<uint64_t>(), pixels(),
                                                                   bins_.as<unsigned long long>());
  pieces_.end();
}

void picture::fetch_results() {
  pieces_.drain(1);
  if (plan_.bins)
    GG_CUDA(cudaMemcpyAsync(plan_.bins, bins_.as(), GG_RASTER_BINS * sizeof *plan_.bins,
                            cudaMemcpyDeviceToHost, pieces_.stream()));
  GG_CUDA(cudaStreamSynchronize(pieces_.stream()));
  fetch(resources_, image_.as(), image_bytes(), plan_.image, plan_.threads, clock_, 1);
}

} // namespace

gpugeo_status raster(const gg_raster_plan &plan, call &call) {
  device_resources &resources = resources_for(plan.device);
  picture made(plan, resources, call.clock);
  const finish_streams finish(resources); /* last, so that it is destroyed first */
  const int64_t tiles = plan.side * plan.side, begin = plan.bins ? 0 : tiles - 1;
  const double share = 1 / (double)(tiles - begin);
  for (int64_t nth = begin; nth < tiles; ++nth) {
    made.draw(gg_raster_tile(&plan, nth), (double)(nth - begin) * share, share);
    if (plan.bins) made.count((double)(nth + 1 - begin) * share);
  }
  made.fetch_results();
  call.report->device_seconds += made.seconds();
  return GPUGEO_OK;
}

} // namespace gpugeo
