/* The searches of a call for closest pairs: each tests points with others and keeps what a
   selection says, until the candidates left are few. */
#ifndef GG_CUDA_CLOSEST_SEARCH_CUH
#define GG_CUDA_CLOSEST_SEARCH_CUH

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/common/device.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/points/closest_result.cuh"
#include "cuda/points/closest_select.cuh"
#include "cuda/points/locations.cuh"
#include "points/closest_plan.h"

namespace gpugeo {

constexpr int SEARCH_THREADS = 256;

template <class Source, bool PLAIN>
static __global__ void __launch_bounds__(SEARCH_THREADS)
    search(const Source source, const selection to, int64_t first, int64_t end) {
  const int64_t p = first + this_item();
  if (p < end) source.template visit<PLAIN>(p, to);
}

/* Returns the double with the bits of a word. */
inline double word_value(square_word word) {
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

class closest_search {
public:
  closest_search(const gg_closest_plan &plan, cudaStream_t stream, gg_clock *clock)
      : plan_(plan), stream_(stream), clock_(clock), busy_(stream) {}

  selection to = {};   /* what becomes of the pairs that are met */
  double fraction = 0; /* of the call, done, for the progress hook */

  /* Allocates device memory, and chooses the accuracy of lengths between locations: `farthest` is
     the greatest coordinate of a periodic column, without its sign. */
  void begin(const gg_point_rule &rule, double farthest);

  cudaStream_t stream() const { return stream_; }
  double seconds() const { return busy_.seconds(); }
  select_state *state() { return state_.as<select_state>(); }
  const closest_candidate *found() const { return found_.as<closest_candidate>(); }

  /* Runs work whose kernels on the stream are timed. */
  template <class Work> void timed(Work work) {
    GG_CUDA(cudaEventRecord(from_, stream_));
    work();
    GG_CUDA(cudaEventRecord(to_, stream_));
    GG_CUDA(cudaGetLastError());
    wait(to_, clock_, fraction);
    busy_.add(from_, to_);
  }
  template <class T> T fetched(const T *from) const {
    T value;
    GG_CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    return value;
  }

  void set_state(square_word bound);
  square_word bound() const { return fetched(&state_.as<select_state>()->bound); }

  /* Returns selection::reach() on the host. */
  double reach_of(square_word word) const;

  template <class Source> void search_all(const Source &source, int64_t items);

  /* A bound on the k-th square from a source that tests some of the pairs, or from the points that
     follow each in some order. */
  template <class Source> void find_bound(const Source &source, int64_t items);
  void find_bound_by_followers(const double *const (&at)[MOST_COLUMNS], const int32_t *row,
                               int64_t n, int64_t followers);
  template <class Source> found_pairs find_pairs(const Source &source, int64_t items);

private:
  template <class Source> void search_launch(const Source &source, int64_t first, int64_t end);
  template <class Source> int64_t collect(const Source &source, int64_t items);
  template <class Source>
  square_word narrow(const Source &source, int64_t items, select_mode mode, square_word low,
                     square_word high, int64_t enough, int64_t *below);
  std::vector<closest_candidate> candidates(int64_t count) const;

  static constexpr int64_t LAUNCH_LEAST = 1 << 12; /* points */
  static constexpr double LAUNCH_SECONDS = 0.03;   /* so long a launch should take, at most */

  const gg_closest_plan &plan_;
  const cudaStream_t stream_;
  gg_clock *clock_;
  bool plain_ = false; /* squares are those of doubles without a box */
  int64_t launch_ = LAUNCH_LEAST;
  device_memory state_, found_;
  event from_, to_;
  busy_time busy_;
};

/* A call: the inputs and results of all its searches. */
struct closest_call {
  closest_call(const gg_closest_plan &plan, gg_closest_result *result, cudaStream_t stream,
               gg_clock *clock)
      : plan(plan), result(result), search(plan, stream, clock) {}

  const gg_closest_plan &plan;
  gg_closest_result *result;
  closest_search search;
  point_set points = {};
  std::vector<int32_t> rows; /* of the points that are left; empty: all */
  std::unique_ptr<locations> joined;
};

/* Writes the result from coincident points if the k-th square is 0. Returns false if coincidence
   does not decide which squares are 0. */
bool pairs_at_zero(closest_call &call);

/* Writes the result from a source that tests all pairs up to the search's bound. */
template <class Source> void find_pairs(closest_call &call, const Source &source, int64_t items) {
  write_pairs(call.plan, call.rows, call.joined.get(), call.search.find_pairs(source, items),
              call.result);
}

/* Tests some positions with their partners, and says how many the next launch should take, so that
   an interrupt can wait for it. */
template <class Source>
void closest_search::search_launch(const Source &source, int64_t first, int64_t end) {
  const double start = gg_now();
  timed([&] {
    const unsigned blocks = blocks_for(end - first, SEARCH_THREADS);
    if (plain_)
      search<Source, true><<<blocks, SEARCH_THREADS, 0, stream_>>>(source, to, first, end);
    else
      search<Source, false><<<blocks, SEARCH_THREADS, 0, stream_>>>(source, to, first, end);
  });
  const double seconds = gg_now() - start;
  if (seconds < LAUNCH_SECONDS / 8)
    launch_ *= 8;
  else if (seconds > LAUNCH_SECONDS)
    launch_ = larger(launch_ / 4, SEARCH_THREADS);
}

/* Tests all positions below `items` with their partners. */
template <class Source> void closest_search::search_all(const Source &source, int64_t items) {
  launch_ = LAUNCH_LEAST;
  for (int64_t first = 0; first < items;) {
    const int64_t end = smaller(first + launch_, items);
    search_launch(source, first, end);
    first = end;
  }
}

/* Returns the least `most` in [low, high], or slightly more, such that with *below at least k
   pairs have a value in [low, most], and at most `enough` unless they share it; the value is the
   square, or at the bound the two rows. high, if there are not so many. *below becomes the
   number of pairs below the last bin that was divided. */
template <class Source>
square_word closest_search::narrow(const Source &source, int64_t items, select_mode mode,
                                   square_word low, square_word high, int64_t enough,
                                   int64_t *below) {
  const square_word start = bound();
  std::vector<square_word> bins(SELECT_BINS);
  for (;;) {
    int shift = 0;
    while ((high - low) >> shift >= SELECT_BINS)
      ++shift;
    set_state(mode == SELECT_SQUARES ? high : start);
    to.mode = mode;
    to.low = low;
    to.high = high;
    to.shift = shift;
    search_all(source, items);
    GG_CUDA(cudaMemcpyAsync(bins.data(), state_.as<select_state>()->bins,
                            sizeof(square_word) * SELECT_BINS, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    int64_t up_to = *below;
    int bin = 0;
    while (bin < SELECT_BINS && up_to + (int64_t)bins[(size_t)bin] < plan_.k)
      up_to += (int64_t)bins[(size_t)bin++];
    if (bin == SELECT_BINS) return high;
    *below = up_to;
    low += (square_word)bin << shift;
    const square_word last = low + (((square_word)1 << shift) - 1);
    if (last < high) high = last;
    if (shift == 0 || up_to + (int64_t)bins[(size_t)bin] <= enough) return high;
  }
}

/* A bound on the k-th square from a source that tests some of the pairs. */
template <class Source> void closest_search::find_bound(const Source &source, int64_t items) {
  if (plan_.k == 1) {
    set_state(NO_BOUND);
    to.mode = SELECT_LEAST;
    search_all(source, items);
    return;
  }
  int64_t below = 0;
  set_state(NO_BOUND);
  const square_word most = narrow(source, items, SELECT_SQUARES, 0, NO_BOUND, 4 * plan_.k, &below);
  set_state(most);
}

/* Collects all pairs up to the bound, and lowers it to the k-th square found so far. Returns
   their number, which is more than there is room for only if they have equal squares. */
template <class Source> int64_t closest_search::collect(const Source &source, int64_t items) {
  select_state *state = state_.as<select_state>();
  const int64_t many = larger(4096, 4 * plan_.k);
  int64_t kept = 0, most_kept = many;
  square_word present = bound();
  to.mode = SELECT_COLLECT;
  to.shrink = plan_.k == 1;
  to.high = NO_BOUND;
  launch_ = LAUNCH_LEAST;
  for (int64_t first = 0; first < items;) {
    const int64_t end = smaller(first + launch_, items);
    search_launch(source, first, end);
    const int64_t count = (int64_t)fetched(&state->count);
    if (count <= smaller(most_kept, to.room)) {
      kept = count;
      first = end;
      continue;
    }
    std::vector<closest_candidate> found((size_t)smaller(count, to.room));
    GG_CUDA(cudaMemcpyAsync(found.data(), found_.as(), sizeof(closest_candidate) * found.size(),
                            cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    std::vector<square_word> words;
    words.reserve(found.size());
    for (const closest_candidate &c : found)
      words.push_back(c.word);
    std::nth_element(words.begin(), words.begin() + (plan_.k - 1), words.end());
    const square_word kth = words[(size_t)plan_.k - 1], most = kth < present ? kth : present;
    const bool lost = count > to.room; /* some of this launch: it is to be done again */
    if (lost && most == present) return count;
    if (lost) found.resize((size_t)kept);
    found.erase(std::remove_if(found.begin(), found.end(),
                               [most](const closest_candidate &c) { return c.word > most; }),
                found.end());
    kept = (int64_t)found.size();
    most_kept = 2 * kept + many;
    present = most;
    const square_word kept_word = (square_word)kept;
    GG_CUDA(cudaMemcpyAsync(found_.as(), found.data(), sizeof(closest_candidate) * found.size(),
                            cudaMemcpyHostToDevice, stream_));
    GG_CUDA(
        cudaMemcpyAsync(&state->bound, &present, sizeof present, cudaMemcpyHostToDevice, stream_));
    GG_CUDA(cudaMemcpyAsync(&state->count, &kept_word, sizeof kept_word, cudaMemcpyHostToDevice,
                            stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    if (!lost) first = end;
  }
  return kept;
}

/* The k closest pairs from a source that tests all pairs up to the bound, which is in the state. */
template <class Source>
found_pairs closest_search::find_pairs(const Source &source, int64_t items) {
  set_state(bound());
  int64_t count = collect(source, items), ties = -1;
  if (count > to.room) {
    square_word most = bound();
    to.mode = SELECT_LEAST;
    set_state(most);
    search_all(source, items);
    const square_word least = bound();
    int64_t below = 0;
    most =
        plan_.k == 1 ? least : narrow(source, items, SELECT_SQUARES, least, most, to.room, &below);
    to.mode = SELECT_COLLECT;
    to.shrink = false;
    to.high = NO_BOUND;
    set_state(most);
    search_all(source, items);
    count = (int64_t)fetched(&state_.as<select_state>()->count);
    if (count > to.room) {
      /* They have equal squares: the first ones by row numbers are taken. */
      if (to.rule.kind == GG_POINT_INTEGER && most >= WIDE_SQUARE)
        throw device_memory_failure{count * (int64_t)sizeof(closest_candidate)};
      set_state(most);
      const square_word rows = narrow(source, items, SELECT_ROWS, 0, NO_BOUND, to.room, &below);
      set_state(most);
      to.mode = SELECT_COLLECT;
      to.high = rows;
      search_all(source, items);
      count = (int64_t)fetched(&state_.as<select_state>()->count);
    }
    set_state(least);
    to.mode = SELECT_WEIGH;
    search_all(source, items);
    ties = (int64_t)fetched(&state_.as<select_state>()->count);
  }
  return {candidates(count), ties};
}

} // namespace gpugeo

#endif
