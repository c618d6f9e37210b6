/* Copying from the user's matrix to the device. */
#ifndef GG_CUDA_UPLOAD_CUH
#define GG_CUDA_UPLOAD_CUH

#include "common/sparse.h"
#include "cuda/common/callback.cuh"
#include "cuda/common/device.cuh"

namespace gpugeo {

/* Host threads convert parts of the user's matrix into pinned slots, from which they cross the
   link. All device work is put on the streams of the device `upload`. */
class uploader {
public:
  /* Points with m coordinates. Each slot holds slot_bytes, at least one coordinate of all points
   * that are loaded at a time. sparse: some of the matrices may be sparse. */
  uploader(device_resources &resources, gpugeo_points points, int64_t m, int32_t threads,
           gg_clock *clock, int64_t slot_bytes, bool sparse = false);

  /* Returns the device memory that it takes. */
  static int64_t device_bytes(gpugeo_points points, int64_t slot_bytes, bool sparse) {
    return points == GPUGEO_POINTS_COLUMNS || sparse ? slots * slot_bytes : 0;
  }

  /* Copies coordinate k of points [first, first + count) of x to `to[i + k * ld]`, i from 0;
     missing ones as NaN. T is double or float. Passes `fraction` to the progress hook. */
  template <class T>
  void load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
            double fraction);

  /* Copies so many bytes as they are. */
  void copy(const void *from, int64_t bytes, void *to, double fraction);

  /* Copies the elements of sparse points to slots in device memory; use(entries, count) enqueues
     the use of those of a slot on the stream of uploads. Returns their number. */
  int64_t pass_entries(const gg_sparse_part &part, callback<gg_sparse_entry *, int64_t> use,
                       double fraction = 0);

private:
  /* Takes the next slot after its previous content has been copied. */
  int take_slot(double fraction);

  template <class T>
  void load_rows(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                 double fraction);
  template <class T>
  void load_columns(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                    double fraction);
  /* Copies the elements that x stores, and expands them on the device. */
  template <class T>
  void load_sparse(const gg_sparse_part &part, T *to, int64_t ld, double fraction);

  device_resources &resources_;
  const gpugeo_points points_;
  const int64_t m_;
  const int32_t threads_;
  gg_clock *clock_;
  int64_t slot_bytes_;
  int next_ = 0;
  event left_[slots];
  device_memory staging_[slots]; /* for what is to be transposed or expanded */
};

} // namespace gpugeo

#endif
