/*
 * Copying from the user's matrix to the device.
 *
 * Limit: the link, where the host's threads fill the pinned slots faster than that. With points in
 * rows the matrix already has the order that the kernels want; with points in columns it is
 * transposed on the device. Of a sparse matrix only the stored elements cross the link, 16 bytes
 * each, and the device expands them.
 */
#include "cuda/common/upload.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/context.h"
#include "cuda/common/expand.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/parallel.cuh"
#include "cuda/common/transpose.cuh"

namespace gpugeo {
namespace {

template <class T> T converted(double value) { return (T)value; }
template <class T> T converted(float value) { return (T)value; }
template <class T> T converted(int32_t value) { return value == INT32_MIN ? (T)NAN : (T)value; }

template <class From, class T> void convert(const From *from, int64_t count, T *to) {
  for (int64_t e = 0; e < count; ++e)
    to[e] = converted<T>(from[e]);
}
template <> void convert(const double *from, int64_t count, double *to) {
  memcpy(to, from, (size_t)count * sizeof *to);
}
template <> void convert(const float *from, int64_t count, float *to) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

/* Copies `strips` strips of `length` elements each, ld apart in the user's matrix, one after the
   other. */
template <class From, class T>
void pack_strips(const From *from, int64_t ld, int64_t strips, int64_t length, T *to,
                 int32_t threads) {
  const int64_t part = 4096, parts = divide_up(length, part);
  parallel_for(gg_copying_threads(threads), strips * parts, 8, [&](int64_t both) {
    const int64_t s = both / parts, p = both % parts;
    convert(from + s * ld + p * part, smaller(part, length - p * part), to + s * length + p * part);
  });
}

/* Copies the strips that begin at element (row, column) of x and run down its columns. */
template <class T>
void pack(const gpugeo_matrix &x, int64_t row, int64_t column, int64_t strips, int64_t length,
          T *to, int32_t threads) {
  const int64_t at = row + column * x.ld;
  switch (x.type) {
  case GPUGEO_TYPE_FLOAT:
    return pack_strips(static_cast<const float *>(x.data) + at, x.ld, strips, length, to, threads);
  case GPUGEO_TYPE_INT32:
    return pack_strips(static_cast<const int32_t *>(x.data) + at, x.ld, strips, length, to,
                       threads);
  default:
    return pack_strips(static_cast<const double *>(x.data) + at, x.ld, strips, length, to, threads);
  }
}

/* The elements of a part one after the other, slice by slice. */
class element_list {
public:
  element_list(const gg_sparse_part &part, int32_t threads) : part_(part), threads_(threads) {
    const int64_t slices = gg_sparse_part_slices(&part);
    begin_.resize((size_t)slices);
    before_.resize((size_t)slices + 1);
    parallel_for(gg_copying_threads(threads), slices, 1024, [&](int64_t s) {
      int64_t end;
      gg_sparse_part_find(&part, s, &begin_[(size_t)s], &end);
      before_[(size_t)s + 1] = end - begin_[(size_t)s];
    });
    for (size_t s = 0; s < (size_t)slices; ++s)
      before_[s + 1] += before_[s];
  }

  int64_t size() const { return before_.back(); }

  /* Copies `count` elements from number `first` on. */
  void pack(int64_t first, int64_t count, gg_sparse_entry *to) const {
    const int64_t part = 4096;
    parallel_for(gg_copying_threads(threads_), divide_up(count, part), 8, [&](int64_t p) {
      pack_some(first + p * part, first + smaller((p + 1) * part, count), to + p * part);
    });
  }

private:
  /* Copies elements [first, end). */
  void pack_some(int64_t first, int64_t end, gg_sparse_entry *to) const {
    size_t s = (size_t)(std::upper_bound(before_.begin(), before_.end(), first) - before_.begin());
    for (int64_t e = first; e < end; ++s) { /* s is one more than the slice of element e */
      const int64_t last = smaller(before_[s], end), offset = begin_[s - 1] - before_[s - 1];
      gg_sparse_part_copy(&part_, (int64_t)s - 1, offset + e, offset + last, to + (e - first));
      e = last;
    }
  }

  const gg_sparse_part &part_;
  const int32_t threads_;
  std::vector<int64_t> begin_;  /* of each slice, where its elements are in the matrix */
  std::vector<int64_t> before_; /* and the number of elements in the slices before it */
};

} // namespace

uploader::uploader(device_resources &resources, gpugeo_points points, int64_t m, int32_t threads,
                   gg_clock *clock, int64_t slot_bytes, bool sparse)
    : resources_(resources), points_(points), m_(m), threads_(threads), clock_(clock),
      slot_bytes_(slot_bytes) {
  reserve_up(resources, slot_bytes);
  if (device_bytes(points, slot_bytes, sparse) > 0)
    for (device_memory &memory : staging_)
      memory.allocate(slot_bytes);
}

int uploader::take_slot(double fraction) {
  const int slot = next_;
  next_ = (next_ + 1) % slots;
  wait(left_[slot], clock_, fraction);
  return slot;
}

template <class T>
void uploader::load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                    double fraction) {
  if (x.sparse)
    load_sparse({&x, points_, first, count}, to, ld, fraction);
  else if (points_ == GPUGEO_POINTS_ROWS)
    load_rows(x, first, count, to, ld, fraction);
  else
    load_columns(x, first, count, to, ld, fraction);
}

void uploader::copy(const void *from, int64_t bytes, void *to, double fraction) {
  const int64_t part = 1 << 15;
  for (int64_t at = 0; at < bytes; at += slot_bytes_) {
    const int64_t here = smaller(slot_bytes_, bytes - at);
    const int slot = take_slot(fraction);
    const char *source = static_cast<const char *>(from) + at;
    char *pinned = static_cast<char *>(resources_.pinned_up[slot]);
    parallel_for(gg_copying_threads(threads_), divide_up(here, part), 8, [&](int64_t p) {
      memcpy(pinned + p * part, source + p * part, (size_t)smaller(part, here - p * part));
    });
    GG_CUDA(cudaMemcpyAsync(static_cast<char *>(to) + at, pinned, (size_t)here,
                            cudaMemcpyHostToDevice, resources_.upload));
    GG_CUDA(cudaEventRecord(left_[slot], resources_.upload));
  }
}

template <class T>
void uploader::load_rows(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                         double fraction) {
  const int64_t width = count * (int64_t)sizeof(T), strips = slot_bytes_ / width;
  for (int64_t k = 0; k < m_; k += strips) {
    const int64_t here = smaller(strips, m_ - k);
    const int slot = take_slot(fraction);
    T *pinned = static_cast<T *>(resources_.pinned_up[slot]);
    pack(x, first, k, here, count, pinned, threads_);
    GG_CUDA(cudaMemcpy2DAsync(to + k * ld, (size_t)ld * sizeof(T), pinned, (size_t)width,
                              (size_t)width, (size_t)here, cudaMemcpyHostToDevice,
                              resources_.upload));
    GG_CUDA(cudaEventRecord(left_[slot], resources_.upload));
  }
}

template <class T>
void uploader::load_columns(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                            double fraction) {
  const int64_t room = slot_bytes_ / (int64_t)sizeof(T);
  const int64_t length = smaller(m_, room), strips = room / length;
  for (int64_t i = 0; i < count; i += strips) {
    for (int64_t k = 0; k < m_; k += length) {
      const int64_t points_here = smaller(strips, count - i), here = smaller(length, m_ - k);
      const int slot = take_slot(fraction);
      T *pinned = static_cast<T *>(resources_.pinned_up[slot]), *staging = staging_[slot].as<T>();
      pack(x, k, first + i, points_here, here, pinned, threads_);
      GG_CUDA(cudaMemcpyAsync(staging, pinned, (size_t)(points_here * here) * sizeof(T),
                              cudaMemcpyHostToDevice, resources_.upload));
      transpose_points(staging, points_here, here, to + i + k * ld, ld, resources_.upload);
      GG_CUDA(cudaEventRecord(left_[slot], resources_.upload));
    }
  }
}

template <class T>
void uploader::load_sparse(const gg_sparse_part &part, T *to, int64_t ld, double fraction) {
  GG_CUDA(cudaMemset2DAsync(to, (size_t)ld * sizeof(T), 0, (size_t)part.count * sizeof(T),
                            (size_t)m_, resources_.upload));
  pass_entries(
      part,
      [&](gg_sparse_entry *entries, int64_t count) {
        expand_entries(entries, count, to, ld, resources_.upload);
      },
      fraction);
}

int64_t uploader::pass_entries(const gg_sparse_part &part, callback<gg_sparse_entry *, int64_t> use,
                               double fraction) {
  const element_list elements(part, threads_);
  const int64_t room = slot_bytes_ / (int64_t)sizeof(gg_sparse_entry);
  for (int64_t e = 0; e < elements.size(); e += room) {
    const int64_t here = smaller(room, elements.size() - e);
    const int slot = take_slot(fraction);
    gg_sparse_entry *pinned = static_cast<gg_sparse_entry *>(resources_.pinned_up[slot]);
    gg_sparse_entry *staging = staging_[slot].as<gg_sparse_entry>();
    elements.pack(e, here, pinned);
    GG_CUDA(cudaMemcpyAsync(staging, pinned, (size_t)here * sizeof *pinned, cudaMemcpyHostToDevice,
                            resources_.upload));
    use(staging, here);
    GG_CUDA(cudaEventRecord(left_[slot], resources_.upload));
  }
  return elements.size();
}

template void uploader::load(const gpugeo_matrix &, int64_t, int64_t, double *, int64_t, double);
template void uploader::load(const gpugeo_matrix &, int64_t, int64_t, float *, int64_t, double);

} // namespace gpugeo
