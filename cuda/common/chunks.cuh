/* Computing pairs in chunks: two buffers of values, one of which is computed while the other is
   copied to the user's result. */
#ifndef GG_CUDA_CHUNKS_CUH
#define GG_CUDA_CHUNKS_CUH

#include <atomic>

#include "cuda/common/device.cuh"
#include "cuda/common/download.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {

/* The number of the first chunk that no worker has taken. All workers of a job visit the same
   blocks and chunks in the same order. */
typedef std::atomic<int64_t> chunk_counter;

class chunk_queue {
public:
  /* Columns of a chunk, at the least. */
  static constexpr int64_t COLUMNS = 64;

  /* Makes a queue of chunks of at most so many values, which must hold COLUMNS columns of any
     block, or the whole block. `rows` is the largest number of rows of a block. */
  chunk_queue(device_resources &resources, const result &to, gg_clock *clock, busy_time *busy,
              int64_t values, int64_t rows, chunk_counter *untaken);

  /* Returns the values of a chunk for so many pairs in all and so many workers. */
  static int64_t values_wanted(const result &to, int32_t workers);

  /* True if this worker has any chunk of the next block; if not, the block is skipped. */
  bool takes_part(const pair_block &block);

  /* Computes this worker's chunks of a block. A chunk has count(chunk) items, tiles or pairs;
     launch(chunk, values, first, items, stream) enqueues the computation of `items` of them, at
     most per_launch, on that stream, writing to the chunk's values. */
  template <class Count, class Launch>
  void compute(const pair_block &block, int64_t per_launch, Count count, Launch launch) {
    for (int64_t j = block.j0; j < block.j1;) {
      const pair_block chunk = next_chunk(block, j);
      j = chunk.j1;
      if (!takes_next()) continue;
      buffer &to = begin(chunk);
      const int64_t items = count(chunk);
      for (int64_t first = 0; first < items; first += per_launch) {
        begin_launch();
        launch(chunk, to.memory.as(), first, smaller(per_launch, items - first), to.stream);
        end_launch(to, (double)smaller(per_launch, items - first) / (double)items);
      }
      end(to);
    }
  }

  /* Make the chunks wait for an event, and a stream wait for all enqueued chunks. */
  void hold_chunks(const event &until);
  void wait_for_chunks(cudaStream_t stream);

  /* Waits for the last chunks and writes them. */
  void finish();

  double fraction() const { return done_.fraction(); }

private:
  struct buffer {
    device_memory memory;
    event start, computed, drained;
    cudaStream_t stream;
    bool timed = false; /* its time is still to be taken down */
    pair_block block;
  };

  pair_block next_chunk(const pair_block &block, int64_t j) const;
  int64_t next_own();
  bool takes_next();
  buffer &begin(const pair_block &chunk);
  void end(buffer &computing);
  /* Waits until at most one launch is enqueued, which bounds the delay of an interrupt. */
  void begin_launch();
  void end_launch(const buffer &to, double share);
  void fetch(const buffer &from);
  void add_time(buffer &of);

  device_resources &resources_;
  gg_clock *clock_;
  busy_time *busy_;
  const int64_t values_;
  chunk_counter *untaken_;
  int64_t passed_ = 0; /* chunks gone through */
  int64_t own_ = -1;   /* the number of the one taken, not yet come to; -1: none */
  buffer buffers_[2];
  buffer *pending_ = nullptr; /* ordered, and not yet on its way */
  struct launch_record {
    event ended;
    double pairs = 0;
  };
  launch_record launches_[2];
  int turn_ = 0, next_launch_ = 0;
  progress done_;
  downloader downloader_;
};

} // namespace gpugeo

#endif
