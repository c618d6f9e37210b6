/* Copying from the device to the user's result. */
#ifndef GG_CUDA_DOWNLOAD_CUH
#define GG_CUDA_DOWNLOAD_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/place.cuh"

namespace gpugeo {

/* The user's result, or a matrix that stays on the device. */
struct result {
  resident_matrix resident =
      {}; /* that gets the values, if it has memory: the next two have no use */
  void *out;
  gpugeo_type type; /* double or float */
  bool from_float;  /* the device's values are float, also when the result is double */
  bool condensed;   /* else a column-major matrix */
  bool symmetric;   /* a matrix that gets its upper part from the lower one */
  int64_t rows;     /* points of x */
  double missing;   /* replaces NaN when float values are widened */
  int32_t threads;
  double pairs; /* to be fetched in all, for the progress hook */

  int64_t value_bytes() const { return from_float ? (int64_t)sizeof(float) : sizeof(double); }
};

/* Pairs done, for the progress hook. */
struct progress {
  double pairs; /* in all */
  double computed = 0, written = 0;
  double fraction() const { return (computed + written) / (2 * pairs); }
};

/* Copies values into pinned slots, from which host threads write them into the user's result
   while later ones are copied. These threads are the first to touch the user's memory. Values that
   stay on the device are copied there. */
class downloader {
public:
  /* Each slot holds slot_bytes, at least one column of a block; there are none if values stay on
     the device. */
  downloader(device_resources &resources, const result &to, gg_clock *clock, progress *done,
             int64_t slot_bytes);

  /* Puts a block's values on their way; the streams of the device `download` must already wait for
     them. Returns once they are all ordered; the last ones arrive until finish(). */
  void fetch(const pair_block &block, const void *values);

  /* Waits for all values and writes them. */
  void finish();

  /* Values [from, end) of a block; none, from == end. */
  struct part {
    pair_block block;
    int64_t from, end;
  };

private:
  void place(const pair_block &block, const void *values);
  void empty_slot(int slot);
  int64_t part_end(const pair_block &block, int64_t from) const;

  device_resources &resources_;
  const result to_;
  gg_clock *clock_;
  progress *done_;
  int64_t slot_bytes_;
  int next_ = 0;
  event arrived_[slots];
  part content_[slots] = {};
};

} // namespace gpugeo

#endif
