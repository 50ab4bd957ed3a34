// A block, a grid, and any group behind one type.
#pragma once

#include "tile.h"

#ifndef CUDA_EMU
// Every block of a grid waits for the others; the front end refuses what reaches it.
__device__ void __cudamigrate_grid_barrier();
#endif

namespace cooperative_groups {

class thread_block {
 public:
  struct arrival_token {};

  static __device__ __forceinline__ void sync() { __syncthreads(); }
  // Arriving alone keeps nobody back: the barrier is where the wait is.
  static __device__ __forceinline__ arrival_token barrier_arrive() { return arrival_token(); }
  static __device__ __forceinline__ void barrier_wait() { __syncthreads(); }
  static __device__ __forceinline__ void barrier_wait(arrival_token) { __syncthreads(); }
  static __device__ __forceinline__ unsigned int thread_rank() {
    return details::block_rank_of_thread();
  }
  static __device__ __forceinline__ unsigned int size() { return details::threads_of_block(); }
  static __device__ __forceinline__ unsigned int num_threads() {
    return details::threads_of_block();
  }
  static __device__ __forceinline__ dim3 group_index() {
    return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
  }
  static __device__ __forceinline__ dim3 thread_index() {
    return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
  }
  static __device__ __forceinline__ dim3 group_dim() {
    return dim3(blockDim.x, blockDim.y, blockDim.z);
  }
  static __device__ __forceinline__ dim3 dim_threads() {
    return dim3(blockDim.x, blockDim.y, blockDim.z);
  }
  __device__ __forceinline__ bool is_valid() const { return true; }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  __device__ __forceinline__ bool is_valid() const { return true; }
  __device__ __forceinline__ void sync() const {
#ifdef CUDA_EMU
    if (num_blocks() == 1) __syncthreads();
    else cuda_emu::grid_barrier();
#else
    __cudamigrate_grid_barrier();
#endif
  }
  static __device__ __forceinline__ unsigned long long num_blocks() {
    return 1ull * gridDim.x * gridDim.y * gridDim.z;
  }
  static __device__ __forceinline__ unsigned long long size() {
    return num_blocks() * details::threads_of_block();
  }
  static __device__ __forceinline__ unsigned long long num_threads() { return size(); }
  static __device__ __forceinline__ unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static __device__ __forceinline__ unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::block_rank_of_thread();
  }
  static __device__ __forceinline__ dim3 group_dim() {
    return dim3(gridDim.x, gridDim.y, gridDim.z);
  }
  static __device__ __forceinline__ dim3 dim_blocks() {
    return dim3(gridDim.x, gridDim.y, gridDim.z);
  }
  static __device__ __forceinline__ dim3 block_index() {
    return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
  }
};
__device__ __forceinline__ grid_group this_grid() { return grid_group(); }

#ifndef CUDA_EMU
// Clusters have no counterpart on a CPU or a target: declared for the sake of other code.
class cluster_group {
 public:
  __device__ static void sync();
  __device__ static unsigned int block_rank();
  __device__ static unsigned int thread_rank();
  __device__ static unsigned int num_blocks();
  __device__ static unsigned int num_threads();
  template <class T>
  __device__ static T *map_shared_rank(T *, int);
};
__device__ cluster_group this_cluster();
#endif

class thread_group {
 public:
  __device__ __forceinline__ thread_group(const thread_block &)
      : block_(true), mask_(0), size_(0) {}
  __device__ __forceinline__ thread_group(const coalesced_group &g)
      : block_(false), mask_(g.mask()), size_(g.size()) {}
  template <unsigned int Size, class Parent>
  __device__ __forceinline__ thread_group(const thread_block_tile<Size, Parent> &)
      : block_(false), mask_(details::tile_mask(Size)), size_(Size) {}

  __device__ __forceinline__ void sync() const {
    if (block_) __syncthreads();
    else __syncwarp(mask_);
  }
  __device__ __forceinline__ unsigned int size() const {
    return block_ ? details::threads_of_block() : size_;
  }
  __device__ __forceinline__ unsigned int num_threads() const { return size(); }
  __device__ __forceinline__ unsigned int thread_rank() const {
    return block_ ? details::block_rank_of_thread() : details::rank_in_mask(mask_);
  }
  template <class T>
  __device__ __forceinline__ T shfl(T value, unsigned int rank) const {
    return lanes().shfl(value, rank);
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T value, unsigned int delta) const {
    return lanes().shfl_down(value, delta);
  }
  template <class T>
  __device__ __forceinline__ T shfl_up(T value, unsigned int delta) const {
    return lanes().shfl_up(value, delta);
  }
  template <class T>
  __device__ __forceinline__ T shfl_xor(T value, unsigned int bits) const {
    return lanes().shfl_xor(value, bits);
  }
  __device__ __forceinline__ bool is_block() const { return block_; }
  __device__ __forceinline__ bool is_valid() const { return true; }
  __device__ __forceinline__ unsigned int mask() const { return mask_; }

 private:
  __device__ __forceinline__ coalesced_group lanes() const {
    return coalesced_group(mask_, size_, 0, 1);
  }

  bool block_;
  unsigned int mask_, size_;
};

template <class Group>
__device__ __forceinline__ void sync(const Group &g) { g.sync(); }
template <class Group>
__device__ __forceinline__ unsigned int thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group>
__device__ __forceinline__ unsigned int group_size(const Group &g) { return g.size(); }

}  // namespace cooperative_groups
