/* Copies of host memory whose destination stays out of the caches. */
#ifndef GG_CUDA_STREAM_COPY_CUH
#define GG_CUDA_STREAM_COPY_CUH

#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpugeo {

/*
 * Copies bytes; stream_fence() must follow before another thread reads them.
 *
 * Limit: the host's memory. A store that does not bypass the caches fetches its line first, so that
 * a copy reads two bytes for each that it writes. Eight threads of a Xeon copied 2.3 GB of pinned
 * memory, 32 MiB at a time, in 0.069 s by memcpy(), and in 0.043 s, the link's time, by such stores
 * of AVX-512; those of SSE2 have not been measured by themselves.
 */
inline void stream_copy(const void *from, int64_t bytes, void *to) {
#if defined(__SSE2__)
  constexpr int64_t LINE = 64, LEAST = 4 * LINE;
  const char *source = static_cast<const char *>(from);
  char *out = static_cast<char *>(to);
  if (bytes >= LEAST) {
    const int64_t before = (int64_t)(-reinterpret_cast<uintptr_t>(out) % LINE);
    memcpy(out, source, (size_t)before);
    for (source += before, out += before, bytes -= before; bytes >= LINE;
         source += LINE, out += LINE, bytes -= LINE) {
      __m128i word[4];
      for (int w = 0; w < 4; ++w)
        word[w] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(source) + w);
      for (int w = 0; w < 4; ++w)
        _mm_stream_si128(reinterpret_cast<__m128i *>(out) + w, word[w]);
    }
  }
  memcpy(out, source, (size_t)bytes);
#else
  memcpy(to, from, (size_t)bytes);
#endif
}

/* Makes what this thread has copied visible to others. */
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace gpugeo

#endif
