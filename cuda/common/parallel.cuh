/* Loops over several threads of the host. */
#ifndef GG_CUDA_PARALLEL_CUH
#define GG_CUDA_PARALLEL_CUH

#include "common/parallel.h"

namespace gpugeo {

/* Calls work(i) for each i of [0, count), in ranges of `grain`; work must not throw; see
   gg_parallel_for(). */
template <class Work>
void parallel_for(int32_t threads, int64_t count, int64_t grain, const Work &work) {
  gg_loop loop = {};
  loop.threads = threads;
  loop.count = count;
  loop.grain = grain;
  loop.job = const_cast<Work *>(&work);
  loop.work = [](void *job, gg_range range) {
    for (int64_t i = range.first; i < range.last; ++i)
      (*static_cast<const Work *>(job))(i);
  };
  gg_parallel_for(&loop);
}

} // namespace gpugeo

#endif
