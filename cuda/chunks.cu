#include "chunks.cuh"

namespace gpugeo {
namespace {

constexpr int64_t CHUNK_BYTES = (int64_t)256 << 20, SLOT_BYTES = (int64_t)32 << 20;

/* Two slots to a chunk, so that the first part is written while the second crosses the link. */
int64_t slot_bytes(const result &to, int64_t values, int64_t rows) {
  const int64_t half = divide_up(values * to.value_bytes(), 2);
  return larger(rows * to.value_bytes(), smaller(SLOT_BYTES, half));
}

} // namespace

int64_t chunk_queue::values_wanted(const result &to) {
  const int64_t most = CHUNK_BYTES / to.value_bytes();
  return to.pairs < (double)most ? (int64_t)to.pairs : most;
}

chunk_queue::chunk_queue(kept &kept, const result &to, gg_clock *clock, gpugeo_report *report,
                         int64_t values, int64_t rows)
    : kept_(kept), clock_(clock), report_(report), values_(values),
      downloader_(kept, to, clock, slot_bytes(to, values, rows)) {
  for (buffer &one : buffers_)
    one.memory.allocate(values * to.value_bytes());
}

/* The block's columns from j on, as many as a chunk holds. */
pair_block chunk_queue::next_chunk(const pair_block &block, int64_t j) const {
  const int64_t at = block.offset(j);
  if (block.size() - at <= values_) return block.columns(j, block.j1);
  const int64_t end = block.column_of(at + values_);
  return block.columns(j, j + larger(1, (end - j) / COLUMNS) * COLUMNS);
}

void *chunk_queue::begin(const pair_block &chunk) {
  current_ = &buffers_[turn_];
  turn_ = 1 - turn_;
  add_time(*current_);
  current_->block = chunk;
  GG_CUDA(cudaStreamWaitEvent(kept_.compute, current_->drained, 0));
  GG_CUDA(cudaEventRecord(current_->start, kept_.compute));
  return current_->memory.as();
}

void chunk_queue::end() {
  GG_CUDA(cudaEventRecord(current_->computed, kept_.compute));
  current_->timed = true;
  if (pending_) fetch(*pending_);
  pending_ = current_;
}

void chunk_queue::begin_launch() { wait(launched_[launches_ % 2], clock_, fraction()); }

void chunk_queue::end_launch() {
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaEventRecord(launched_[launches_++ % 2], kept_.compute));
}

void chunk_queue::wait_for_chunks(cudaStream_t stream) {
  for (const buffer &one : buffers_)
    GG_CUDA(cudaStreamWaitEvent(stream, one.computed, 0));
}

void chunk_queue::fetch(buffer &from) {
  GG_CUDA(cudaStreamWaitEvent(kept_.download, from.computed, 0));
  downloader_.fetch(from.block, from.memory.as());
  GG_CUDA(cudaEventRecord(from.drained, kept_.download));
}

void chunk_queue::add_time(buffer &of) {
  if (!of.timed) return;
  wait(of.computed, clock_, fraction());
  report_->device_seconds += seconds_between(of.start, of.computed);
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
