/* The queue of chunks: ordering them on two streams in turn, and sending each on its way while the
   next is computed. */
#include "cuda/common/chunks.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t SLOT_BYTES = 32 * MIB, CHUNK_LEAST = 32 * MIB, CHUNK_MOST = 256 * MIB;

/* Returns the bytes of a slot: a chunk has two, so that the first part is written while the
   second is copied. */
int64_t slot_bytes(const result &to, int64_t values, int64_t rows) {
  const int64_t half = divide_up(values * to.value_bytes(), 2);
  return larger(rows * to.value_bytes(), smaller(SLOT_BYTES, half));
}

} // namespace

/* Returns a quarter of a worker's values, within limits, so that the copy of the last chunk is
   short. */
int64_t chunk_queue::values_wanted(const result &to, int32_t workers) {
  const double quarter = to.pairs / workers / 4 * (double)to.value_bytes();
  const int64_t bytes = quarter < (double)CHUNK_LEAST  ? CHUNK_LEAST
                        : quarter > (double)CHUNK_MOST ? CHUNK_MOST
                                                       : (int64_t)quarter;
  const int64_t values = bytes / to.value_bytes();
  return to.pairs < (double)values ? (int64_t)to.pairs : values;
}

chunk_queue::chunk_queue(device_resources &resources, const result &to, gg_clock *clock,
                         busy_time *busy, int64_t values, int64_t rows, chunk_counter *untaken)
    : resources_(resources), clock_(clock), busy_(busy), values_(values),
      untaken_(untaken), done_{to.pairs},
      downloader_(resources, to, clock, &done_, slot_bytes(to, values, rows)) {
  for (int b = 0; b < 2; ++b) {
    buffers_[b].memory.allocate(values * to.value_bytes());
    buffers_[b].stream = resources.compute[b];
  }
}

/* Returns the block's columns from j on, as many as a chunk holds. */
pair_block chunk_queue::next_chunk(const pair_block &block, int64_t j) const {
  const int64_t at = block.offset(j);
  if (block.size() - at <= values_) return block.columns(j, block.j1);
  const int64_t end = block.column_of(at + values_);
  return block.columns(j, j + larger(1, (end - j) / COLUMNS) * COLUMNS);
}

/* Takes the next chunk when it is needed, so that a slow worker takes fewer. */
int64_t chunk_queue::next_own() {
  if (own_ < 0) own_ = untaken_->fetch_add(1);
  return own_;
}

bool chunk_queue::takes_next() {
  const bool takes = next_own() == passed_;
  ++passed_;
  if (takes) own_ = -1;
  return takes;
}

bool chunk_queue::takes_part(const pair_block &block) {
  int64_t chunks = 0;
  for (int64_t j = block.j0; j < block.j1; ++chunks)
    j = next_chunk(block, j).j1;
  if (next_own() < passed_ + chunks) return true;
  passed_ += chunks;
  return false;
}

chunk_queue::buffer &chunk_queue::begin(const pair_block &chunk) {
  buffer &next = buffers_[turn_];
  turn_ = 1 - turn_;
  add_time(next);
  next.block = chunk;
  GG_CUDA(cudaStreamWaitEvent(next.stream, next.drained, 0));
  GG_CUDA(cudaEventRecord(next.start, next.stream));
  return next;
}

void chunk_queue::end(buffer &computing) {
  GG_CUDA(cudaEventRecord(computing.computed, computing.stream));
  computing.timed = true;
  if (pending_) fetch(*pending_);
  pending_ = &computing;
}

void chunk_queue::begin_launch() {
  launch_record &before = launches_[next_launch_];
  wait(before.ended, clock_, fraction());
  done_.computed += before.pairs;
}

void chunk_queue::end_launch(const buffer &to, double share) {
  launch_record &last = launches_[next_launch_];
  next_launch_ = 1 - next_launch_;
  last.pairs = share * (double)to.block.size();
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaEventRecord(last.ended, to.stream));
}

/* Ends the chunk before, and begins the next one of this worker. */
bool chunk_walk::next_chunk() {
  if (to_) queue_.end(*to_);
  to_ = nullptr;
  while (!to_ && column_ < block_.j1) {
    const pair_block chunk = queue_.next_chunk(block_, column_);
    column_ = chunk.j1;
    if (queue_.takes_next()) to_ = &queue_.begin(chunk);
  }
  return to_;
}

void chunk_walk::divide(int64_t count, int64_t per_launch) {
  count_ = count;
  per_launch_ = per_launch;
  first_ = 0;
  launched_ = false;
}

/* Ends the launch before, and begins the next one of the chunk. */
bool chunk_walk::next_launch() {
  if (launched_) {
    queue_.end_launch(*to_, (double)items() / (double)count_);
    first_ += per_launch_;
  }
  launched_ = first_ < count_;
  if (launched_) queue_.begin_launch();
  return launched_;
}

void chunk_queue::hold_chunks(const event &until) {
  for (const buffer &one : buffers_)
    GG_CUDA(cudaStreamWaitEvent(one.stream, until, 0));
}

void chunk_queue::wait_for_chunks(cudaStream_t stream) {
  for (const buffer &one : buffers_)
    GG_CUDA(cudaStreamWaitEvent(stream, one.computed, 0));
}

void chunk_queue::fetch(const buffer &from) {
  GG_CUDA(cudaStreamWaitEvent(resources_.download, from.computed, 0));
  downloader_.fetch(from.block, from.memory.as());
  GG_CUDA(cudaEventRecord(from.drained, resources_.download));
}

void chunk_queue::add_time(buffer &of) {
  if (!of.timed) return;
  wait(of.computed, clock_, fraction());
  busy_->add(of.start, of.computed);
  of.timed = false;
}

void chunk_queue::finish() {
  if (pending_) fetch(*pending_);
  pending_ = nullptr;
  downloader_.finish();
  for (buffer &one : buffers_)
    add_time(one);
}

} // namespace gpugeo
