// CUB's block- and warp-wide primitives, as far as kernels use them most: reduce, scan, adjacent
// difference, load and store. Results are those of the thread or threads that CUB documents; the
// other threads of a reduction get back what they brought. Device-wide algorithms are not here.
#pragma once

#include "operators.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
  static constexpr int threads = X * Y * Z;

 public:
  typedef detail::Slots<T, threads> TempStorage;
  explicit BlockReduce(TempStorage &storage) : storage_(storage) {}

  template <class Op> T Reduce(T input, Op op, int valid = threads) {
    int rank = static_cast<int>(detail::rank());
    storage_[rank] = input;
    __syncthreads();
    if (rank != 0) return input;
    T total = input;
    for (int first = 0; first < valid; first += 32) {
      T warp = detail::fold_warp(&storage_[first], valid - first < 32 ? valid - first : 32, op);
      total = first ? op(total, warp) : warp;
    }
    return total;
  }
  template <int N, class Op> T Reduce(T (&items)[N], Op op) {
    T mine = items[0];
    for (int i = 1; i < N; ++i) mine = op(mine, items[i]);
    return Reduce(mine, op);
  }
  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  template <int N> T Sum(T (&items)[N]) { return Reduce(items, cub::Sum()); }

 private:
  TempStorage &storage_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
  static constexpr int threads = X * Y * Z;

 public:
  typedef detail::Slots<T, threads> TempStorage;
  explicit BlockScan(TempStorage &storage) : storage_(storage) {}

  template <class Op> void InclusiveScan(T input, T &output, Op op, T &aggregate) {
    int rank = publish(input);
    T sum = storage_[0], mine = sum;
    for (int i = 1; i < threads; ++i) {
      sum = op(sum, storage_[i]);
      if (i == rank) mine = sum;
    }
    output = mine;
    aggregate = sum;
  }
  template <class Op> void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
    int rank = publish(input);
    T sum = initial, mine = sum, all = storage_[0];
    for (int i = 0; i < threads; ++i) {
      if (i == rank) mine = sum;
      sum = op(sum, storage_[i]);
      if (i) all = op(all, storage_[i]);
    }
    output = mine;
    aggregate = all;
  }
  template <class Op> void InclusiveScan(T input, T &output, Op op) {
    T all;
    InclusiveScan(input, output, op, all);
  }
  template <class Op> void ExclusiveScan(T input, T &output, T initial, Op op) {
    T all;
    ExclusiveScan(input, output, initial, op, all);
  }
  void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
  void InclusiveSum(T input, T &output, T &all) { InclusiveScan(input, output, cub::Sum(), all); }
  void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(0), cub::Sum()); }
  void ExclusiveSum(T input, T &output, T &all) {
    ExclusiveScan(input, output, T(0), cub::Sum(), all);
  }
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N]) {
    T all;
    InclusiveSum(input, output, all);
  }
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N], T &all) {
    T sum = before(input, all);
    for (int i = 0; i < N; ++i) output[i] = sum = sum + input[i];
  }
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N]) {
    T all;
    ExclusiveSum(input, output, all);
  }
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N], T &all) {
    T sum = before(input, all);
    for (int i = 0; i < N; ++i) {
      T item = input[i];
      output[i] = sum;
      sum = sum + item;
    }
  }

 private:
  int publish(T input) {
    int rank = static_cast<int>(detail::rank());
    storage_[rank] = input;
    __syncthreads();
    return rank;
  }
  template <int N> T before(T (&input)[N], T &all) {
    T mine = input[0], start;
    for (int i = 1; i < N; ++i) mine = mine + input[i];
    ExclusiveSum(mine, start, all);
    return start;
  }
  TempStorage &storage_;
};

template <class T, int Width = 32>
class WarpReduce {
 public:
  struct TempStorage { unsigned char unused; };
  explicit WarpReduce(TempStorage &) {}

  template <class Op> T Reduce(T input, Op op, int valid = Width) {
    std::uint32_t lanes = Width == 32 ? 0xFFFFFFFFu : ((1u << Width) - 1u) << first_lane();
    int lane = static_cast<int>(detail::rank() % Width);
    for (int step = 1; step < Width; step *= 2) {
      T other = __shfl_down_sync(lanes, input, static_cast<unsigned>(step), Width);
      if (lane + step < valid) input = op(input, other);
    }
    return input;
  }
  T Sum(T input) { return Reduce(input, cub::Sum()); }
  T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }

 private:
  static unsigned first_lane() { return detail::rank() % 32 / Width * Width; }
};

template <class T, int Width = 32>
class WarpScan {
 public:
  struct TempStorage { unsigned char unused; };
  explicit WarpScan(TempStorage &) {}

  template <class Op> void InclusiveScan(T input, T &output, Op op) {
    std::uint32_t lanes = Width == 32 ? 0xFFFFFFFFu
                                      : ((1u << Width) - 1u) << detail::rank() % 32 / Width * Width;
    int lane = static_cast<int>(detail::rank() % Width);
    for (int step = 1; step < Width; step *= 2) {
      T other = __shfl_up_sync(lanes, input, static_cast<unsigned>(step), Width);
      if (lane >= step) input = op(other, input);
    }
    output = input;
  }
  void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
  void ExclusiveSum(T input, T &output) {
    T inclusive;
    InclusiveSum(input, inclusive);
    output = inclusive - input;
  }
};

template <class T, int X, int Y = 1, int Z = 1>
class BlockAdjacentDifference {
  static constexpr int threads = X * Y * Z;

 public:
  struct TempStorage { detail::Slots<T, threads> first, last; };
  explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}

  template <int N, class Out, class Op> void SubtractLeft(T (&in)[N], Out (&out)[N], Op op) {
    int rank = publish(in);
    for (int i = N - 1; i > 0; --i) out[i] = op(in[i], in[i - 1]);
    out[0] = rank ? op(in[0], storage_.last[rank - 1]) : in[0];
  }
  template <int N, class Out, class Op> void SubtractRight(T (&in)[N], Out (&out)[N], Op op) {
    int rank = publish(in);
    for (int i = 0; i < N - 1; ++i) out[i] = op(in[i], in[i + 1]);
    out[N - 1] = rank + 1 < threads ? op(in[N - 1], storage_.first[rank + 1]) : in[N - 1];
  }

 private:
  template <int N> int publish(T (&in)[N]) {
    int rank = static_cast<int>(detail::rank());
    storage_.first[rank] = in[0];
    storage_.last[rank] = in[N - 1];
    __syncthreads();
    return rank;
  }
  TempStorage &storage_;
};

// The layouts of CUB's loads end the same way: thread t holds items t * N ... t * N + N - 1, unless
// the layout is striped.
template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
 public:
  struct TempStorage { unsigned char unused; };
  BlockLoad() {}
  explicit BlockLoad(TempStorage &) {}
  template <class In> void Load(In in, T (&items)[N]) {
    for (int i = 0; i < N; ++i) items[i] = in[place(i)];
  }
  template <class In> void Load(In in, T (&items)[N], int valid) {
    for (int i = 0; i < N; ++i)
      if (place(i) < valid) items[i] = in[place(i)];
  }
  template <class In, class Other> void Load(In in, T (&items)[N], int valid, Other other) {
    for (int i = 0; i < N; ++i) items[i] = place(i) < valid ? static_cast<T>(in[place(i)]) : T(other);
  }

 private:
  static int place(int i) {
    int rank = static_cast<int>(detail::rank());
    return Algorithm == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * N + i;
  }
};

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
 public:
  struct TempStorage { unsigned char unused; };
  BlockStore() {}
  explicit BlockStore(TempStorage &) {}
  template <class Out> void Store(Out out, T (&items)[N]) { Store(out, items, X * Y * Z * N); }
  template <class Out> void Store(Out out, T (&items)[N], int valid) {
    int rank = static_cast<int>(detail::rank());
    for (int i = 0; i < N; ++i) {
      int at = Algorithm == BLOCK_STORE_STRIPED ? rank + i * X * Y * Z : rank * N + i;
      if (at < valid) out[at] = items[i];
    }
  }
};

}  // namespace cub
