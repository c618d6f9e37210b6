/* The launches of a search for collisions: their state, times and progress. */
#include "cuda/points/collide_launches.cuh"

namespace gpugeo {

collide_launches::collide_launches(device_resources &resources, gg_clock *clock, double done)
    : resources_(resources), clock_(clock), busy_(resources.compute[0]), done_(done) {
  state_.allocate(sizeof(collide_state));
}

void collide_launches::begin() {
  if (timing_) return;
  GG_CUDA(cudaEventRecord(from_, stream()));
  timing_ = true;
}

void collide_launches::end() {
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaEventRecord(to_, stream()));
  finish_streams finish(resources_); /* before an interrupt lets go of any memory */
  wait(to_, clock_, done_);
  busy_.add(from_, to_);
  timing_ = false;
}

void collide_launches::start(bool anew) {
  begin();
  /* The item to be taken stands first. */
  const size_t bytes = anew ? sizeof(collide_state) : sizeof(collide_state::next);
  GG_CUDA(cudaMemsetAsync(state_.as(), 0, bytes, stream()));
}

void collide_launches::read() {
  GG_CUDA(cudaMemcpy(&last_, state_.as(), sizeof last_, cudaMemcpyDeviceToHost));
}

} // namespace gpugeo
