/* Work that is enqueued in pieces. */
#ifndef GG_CUDA_PIECES_CUH
#define GG_CUDA_PIECES_CUH

#include "cuda/common/device.cuh"

namespace gpugeo {

/* Launches on one stream, at most two of them enqueued at a time, which bounds the delay of an
   interrupt, and the time they take. */
class pieces {
public:
  pieces(cudaStream_t stream, gg_clock *clock) : stream_(stream), clock_(clock), busy_(stream) {}

  /* Waits until another launch may be enqueued. */
  void begin(double fraction) {
    piece &next = piece_[turn_];
    finish(next, fraction);
    GG_CUDA(cudaEventRecord(next.start, stream_));
  }

  void end() {
    piece &last = piece_[turn_];
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaEventRecord(last.end, stream_));
    last.ordered = true;
    turn_ = 1 - turn_;
  }

  /* Waits for all enqueued work. */
  void drain(double fraction) {
    finish(piece_[turn_], fraction);
    finish(piece_[1 - turn_], fraction);
  }

  cudaStream_t stream() const { return stream_; }
  double seconds() const { return busy_.seconds(); }

private:
  struct piece {
    event start, end;
    bool ordered = false;
  };

  void finish(piece &one, double fraction) {
    if (!one.ordered) return;
    wait(one.end, clock_, fraction);
    busy_.add(one.start, one.end);
    one.ordered = false;
  }

  cudaStream_t stream_;
  gg_clock *clock_;
  busy_time busy_;
  piece piece_[2];
  int turn_ = 0;
};

/* The clock of a part of the call. */
class part_clock {
public:
  part_clock(gg_clock *whole, double done, double share) {
    gg_clock_part_begin(whole, done, share, &part_);
  }
  ~part_clock() { gg_clock_part_end(&part_); }
  part_clock(const part_clock &) = delete;
  part_clock &operator=(const part_clock &) = delete;
  gg_clock *get() { return &part_.clock; }

private:
  gg_clock_part part_;
};

} // namespace gpugeo

#endif
