/* Computing pairs in chunks: two buffers of values, so that one is computed while the other is on
   its way to the user's result. */
#ifndef GG_CUDA_CHUNKS_CUH
#define GG_CUDA_CHUNKS_CUH

#include <atomic>

#include "cuda/common/device.cuh"
#include "cuda/common/download.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {

/* All workers of a job go through the same blocks and chunks in the same order. This is the number
   of the first chunk that none of them has taken yet. */
typedef std::atomic<int64_t> chunk_counter;

class chunk_queue {
public:
  /* Columns of a chunk, at the least. */
  static constexpr int64_t COLUMNS = 64;

  /* A chunk has at most so many values; that must suffice for COLUMNS columns of any block, or for
     the whole block. `rows` is the most that a block has. */
  chunk_queue(device_resources &resources, const result &to, gg_clock *clock, busy_time *busy,
              int64_t values, int64_t rows, chunk_counter *untaken);

  /* Values worth having in a chunk when there are so many pairs in all, for so many workers. */
  static int64_t values_wanted(const result &to, int32_t workers);

  /* Is any chunk of the next block this lane's? If not, the block has been gone through. */
  bool takes_part(const pair_block &block);

  /* All chunks of a block that are this lane's. A chunk has count(chunk) items, tiles or pairs;
     launch(chunk, values, first, items, stream) orders the computation of `items` of them, at most
     per_launch, on that stream, writing to the chunk's values. */
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

  /* Makes the chunks wait for an event, and a stream for all chunks that have been ordered. */
  void hold_chunks(const event &until);
  void wait_for_chunks(cudaStream_t stream);

  /* Writes what is still on its way. */
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
  /* No more than two launches are ordered at a time, so that an interrupt need not wait long. */
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
