/* The launches of a search for collisions: their state, times and progress. */
#ifndef GG_CUDA_COLLIDE_LAUNCHES_CUH
#define GG_CUDA_COLLIDE_LAUNCHES_CUH

#include "cuda/points/collide_search.cuh"

namespace gpugeo {

/* The launches of one call, on one stream, the time they took, and the call's progress. */
class collide_launches {
public:
  /* `done` is the finished fraction of the call. */
  collide_launches(device_resources &resources, gg_clock *clock, double done);

  cudaStream_t stream() const { return resources_.compute[0]; }

  /* Starts timing: work on the stream from here on is included in the time of the next run() or
     end(). */
  void begin();

  /* Waits for the work enqueued since begin(), and adds its time. */
  void end();

  /* Repeats launch(state) until all items are taken. The state's numbers continue from the last
     run, unless `anew`. `share` of what is left up to target() is done then. */
  template <class Launch> collide_state run(int64_t items, bool anew, double share, Launch launch) {
    start(anew);
    const double before = done_, more = (target_ - before) * share;
    do {
      begin();
      launch(state_.as<collide_state>());
      end();
      read();
      done_ = before + more * (double)smaller((int64_t)last_.next, items) / (double)items;
    } while ((int64_t)last_.next < items);
    return last_;
  }

  /* Return the finished fraction of the call, and the fraction when the next runs have ended. */
  double done() const { return done_; }
  void target(double fraction) { target_ = fraction; }

  double seconds() const { return busy_.seconds(); }

private:
  void start(bool anew);
  void read();

  device_resources &resources_;
  gg_clock *clock_;
  busy_time busy_;
  event from_, to_;
  bool timing_ = false;
  device_memory state_;
  collide_state last_ = {};
  double done_, target_ = 1;
};

} // namespace gpugeo

#endif
