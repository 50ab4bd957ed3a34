// Moves items between the threads of a block by a distance.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int LegacyArch = 0>
class BlockShuffle {
 public:
  typedef T TempStorage[X * Y * Z];
  __device__ __forceinline__ BlockShuffle(TempStorage &storage) : storage_(storage) {}

  // Where there is no thread at the distance the output keeps its value.
  __device__ void Offset(T input, T &output, int distance = 1) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_[rank] = input;
    __syncthreads();
    const int from = rank + distance;
    if (from >= 0 && from < X * Y * Z) output = storage_[from];
  }
  __device__ void Rotate(T input, T &output, unsigned int distance = 1) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_[rank] = input;
    __syncthreads();
    output = storage_[(rank + static_cast<int>(distance)) % (X * Y * Z)];
  }
  // Every item moves to the next place of the blocked order; the first output keeps its value.
  template <int Items>
  __device__ void Up(T (&input)[Items], T (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_[rank] = input[Items - 1];
    __syncthreads();
    for (int i = Items - 1; i > 0; --i) output[i] = input[i - 1];
    if (rank > 0) output[0] = storage_[rank - 1];
  }
  template <int Items>
  __device__ void Down(T (&input)[Items], T (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_[rank] = input[0];
    __syncthreads();
    for (int i = 0; i < Items - 1; ++i) output[i] = input[i + 1];
    if (rank < X * Y * Z - 1) output[Items - 1] = storage_[rank + 1];
  }

 private:
  T *storage_;
};

}  // namespace cub
