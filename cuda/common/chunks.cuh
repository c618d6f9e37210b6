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

  /* Make the chunks wait for an event, and a stream wait for all enqueued chunks. */
  void hold_chunks(const event &until);
  void wait_for_chunks(cudaStream_t stream);

  /* Waits for the last chunks and writes them. */
  void finish();

  double fraction() const { return done_.fraction(); }

private:
  friend class chunk_walk;

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

/*
 * A walk over this worker's chunks of a block, and over the launches that compute a chunk:
 *
 *   chunk_walk at(chunks, block);
 *   while (at.next_chunk())
 *     for (at.divide(items of at.chunk(), items of a launch); at.next_launch();)
 *       kernel<<<..., at.stream()>>>(at.chunk(), at.values(), at.first(), at.items());
 *
 * Items are tiles or pairs. A launch enqueues the computation of items [first, first + items) of
 * the chunk, which writes to the chunk's values.
 */
class chunk_walk {
public:
  /* Borrows the queue. */
  chunk_walk(chunk_queue &queue, const pair_block &block)
      : queue_(queue), block_(block), column_(block.j0) {}

  bool next_chunk();
  void divide(int64_t count, int64_t per_launch);
  bool next_launch();

  const pair_block &chunk() const { return to_->block; }
  void *values() const { return to_->memory.as(); }
  int64_t first() const { return first_; }
  int64_t items() const { return smaller(per_launch_, count_ - first_); }
  cudaStream_t stream() const { return to_->stream; }

private:
  chunk_queue &queue_;
  const pair_block block_;
  int64_t column_; /* the first one of the next chunk */
  chunk_queue::buffer *to_ = nullptr;
  int64_t count_ = 0, per_launch_ = 0, first_ = 0;
  bool launched_ = false; /* the launch of `first` has been enqueued */
};

} // namespace gpugeo

#endif
