/*
 * A sieve for large sets, which finds the points that can be part of a close pair.
 *
 * Each point becomes one word, the number of its cell and, in less bits than its coordinates have,
 * its position in it. The words alone are sorted by cells: neither coordinates nor rows are moved.
 * Differences of words bound distances from both sides, and rule out almost all points that are not
 * in a close pair. The rows of the remaining points are found by computing all words again.
 */
#ifndef GG_CUDA_POINT_SIEVE_CUH
#define GG_CUDA_POINT_SIEVE_CUH

#include <vector>

#include "cuda/points/closest_select.cuh"

namespace gpugeo {

/* A word has the cell's number in each column, then the position in the cell in each column. */
struct sieve_shape {
  int columns;
  double low[MOST_COLUMNS],
      unit[MOST_COLUMNS];     /* of the matrix; unit: what the last bit is worth */
  double ratio[MOST_COLUMNS]; /* unit beside the largest one */
  int cell_bits[MOST_COLUMNS], fine_bits;
  int all_cell_bits, all_fine_bits;

  __device__ __forceinline__ uint64_t word(const double *x) const {
    uint64_t cells = 0, fines = 0;
#pragma unroll
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      if (k >= columns) continue;
      const uint64_t last = ((uint64_t)1 << (cell_bits[k] + fine_bits)) - 1;
      const double number = unit[k] > 0 ? (x[k] - low[k]) / unit[k] : 0;
      const uint64_t whole = number < (double)last ? (uint64_t)number : last;
      cells = cells << cell_bits[k] | whole >> fine_bits;
      fines = fines << fine_bits | (whole & (((uint64_t)1 << fine_bits) - 1));
    }
    return cells << all_fine_bits | fines;
  }

  /* Splits a word into the whole number in each column. */
  __device__ __forceinline__ void split(uint64_t word, int64_t *whole) const {
    uint64_t cells = word >> all_fine_bits, fines = word;
#pragma unroll
    for (int k = MOST_COLUMNS - 1; k >= 0; --k) {
      whole[k] = 0;
      if (k >= columns) continue;
      const uint64_t cell = cells & (((uint64_t)1 << cell_bits[k]) - 1);
      whole[k] = (int64_t)(cell << fine_bits | (fines & (((uint64_t)1 << fine_bits) - 1)));
      cells >>= cell_bits[k];
      fines >>= fine_bits;
    }
  }

  /* Returns a lower bound, or an upper one if `most` is set, of the squared distance of two
     points in units of the largest unit. The error of a whole number is less than 1, and that of
     rounding less than 1 / 16. */
  __device__ __forceinline__ double square(const int64_t *a, const int64_t *b, bool most) const {
    double sum = 0;
#pragma unroll
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      const int64_t d = a[k] < b[k] ? b[k] - a[k] : a[k] - b[k];
      const double length = fmax((double)d + (most ? 1.0625 : -1.0625), 0.0) * ratio[k];
      sum += length * length;
    }
    return sum * (most ? 1 + 0x1p-20 : 1 - 0x1p-20);
  }
};

/* Makes a shape. Returns false if that is not possible: the bounds are too far from each other,
   or equal. */
bool shape_sieve(int columns, const point_bounds &bounds, int64_t n, sieve_shape *shape);

struct sieve_view {
  sieve_shape shape;
  const uint64_t *word; /* sorted by cells */
  int64_t n;

  __device__ __forceinline__ uint64_t cell(int64_t p) const {
    return word[p] >> shape.all_fine_bits;
  }
};

class point_sieve {
public:
  /* Takes device memory for n points. To be called once. */
  void allocate(int64_t n, const sieve_shape &shape);

  /* Builds the words from columns of n coordinates each. */
  void build(const double *columns, cudaStream_t stream);

  /* Sums over all words the number of later words in the same cell. */
  void count_pairs(square_word *pairs, cudaStream_t stream) const;

  /* Returns the rows whose words are among those of the candidates, which give positions of
     words; in order, or none where there are more than `most`. */
  std::vector<int32_t> rows_of(const double *columns, const closest_candidate *candidates,
                               int64_t count, int64_t most, cudaStream_t stream) const;

  const sieve_view &view() const { return view_; }

private:
  device_memory word_[2], scratch_;
  size_t scratch_bytes_ = 0;
  sieve_view view_ = {};
};

/* --- Sources of pairs, as in closest.cu; rows are positions of words -------------------------- */

/* Words that follow: a sample of close pairs, with the most that their distance may be. */
struct sieve_followers {
  sieve_view sieve;
  int followers;
  bool distinct; /* without pairs of equal words, that may be of coincident points */

  template <bool> __device__ void visit(int64_t p, const selection &to) const {
    int64_t one[MOST_COLUMNS], other[MOST_COLUMNS];
    const uint64_t word = sieve.word[p];
    sieve.shape.split(word, one);
    const square_word bound = to.bound();
    for (int64_t q = p + 1; q <= smaller(p + followers, sieve.n - 1); ++q) {
      if (distinct && sieve.word[q] == word) continue;
      sieve.shape.split(sieve.word[q], other);
      const double most = sieve.shape.square(one, other, true);
      const square_word square = (square_word)__double_as_longlong(most);
      if (square <= bound) to.take_pair(square, (int32_t)p, (int32_t)q);
    }
  }
};

/* All pairs that may be as close as the bound; reach is that in units of each column, at most a
   cell. */
struct sieve_source {
  sieve_view sieve;
  int64_t reach[MOST_COLUMNS];

  template <bool> __device__ void visit(int64_t p, const selection &to) const {
    const sieve_shape &shape = sieve.shape;
    int64_t one[MOST_COLUMNS];
    shape.split(sieve.word[p], one);
    const uint64_t cell = sieve.cell(p);
    const square_word bound = to.bound();
    test_cell(p + 1, cell, p, one, bound, to);
    /* Cells around that the bound reaches: pairs are met from the cell with the lower number. */
    int from[MOST_COLUMNS] = {}, until[MOST_COLUMNS] = {};
    bool inside = true;
#pragma unroll
    for (int k = 0; k < MOST_COLUMNS; ++k) {
      if (k >= shape.columns || shape.cell_bits[k] == 0) continue;
      const int64_t size = (int64_t)1 << shape.fine_bits, position = one[k] & (size - 1);
      from[k] = position - reach[k] < 0 && one[k] >= size ? -1 : 0;
      until[k] = position + reach[k] >= size &&
                 one[k] >> shape.fine_bits < ((int64_t)1 << shape.cell_bits[k]) - 1;
      inside = inside && from[k] == 0 && until[k] == 0;
    }
    if (inside) return;
    for (int a = from[0]; a <= until[0]; ++a)
      for (int b = from[1]; b <= until[1]; ++b)
        for (int c = from[2]; c <= until[2]; ++c) {
          const int step[MOST_COLUMNS] = {a, b, c};
          uint64_t near = 0;
          for (int k = 0; k < shape.columns; ++k)
            near = near << shape.cell_bits[k] | (uint64_t)((one[k] >> shape.fine_bits) + step[k]);
          if (near > cell) test_cell(find(near), near, p, one, bound, to);
        }
  }

private:
  /* Tests the words of a cell from a position on. */
  __device__ __forceinline__ void test_cell(int64_t first, uint64_t cell, int64_t p,
                                            const int64_t *one, square_word bound,
                                            const selection &to) const {
    int64_t other[MOST_COLUMNS];
    for (int64_t q = first; q < sieve.n; ++q) {
      const uint64_t word = sieve.word[q];
      if (word >> sieve.shape.all_fine_bits != cell) return;
      sieve.shape.split(word, other);
      const double least = sieve.shape.square(one, other, false);
      const square_word square = (square_word)__double_as_longlong(least);
      if (square <= bound) to.take_pair(square, (int32_t)p, (int32_t)q);
    }
  }

  /* Returns the first position of a cell of at least this number. */
  __device__ int64_t find(uint64_t cell) const {
    int64_t first = 0, last = sieve.n;
    while (first < last) {
      const int64_t middle = (first + last) / 2;
      if (sieve.cell(middle) < cell)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
};

} // namespace gpugeo

#endif
