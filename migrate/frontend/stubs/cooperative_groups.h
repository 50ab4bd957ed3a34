// Cooperative groups: the shape of the API, without bodies.
#pragma once

#include "cuda_runtime.h"

#define CM_CG __device__

namespace cooperative_groups {

class thread_group {
 public:
  CM_CG void sync() const;
  CM_CG unsigned int size() const;
  CM_CG unsigned int num_threads() const;
  CM_CG unsigned int thread_rank() const;
  CM_CG bool is_valid() const;
};

class thread_block : public thread_group {
 public:
  CM_CG static void sync();
  CM_CG static unsigned int size();
  CM_CG static unsigned int num_threads();
  CM_CG static unsigned int thread_rank();
  CM_CG static dim3 group_index();
  CM_CG static dim3 thread_index();
  CM_CG static dim3 group_dim();
  CM_CG static dim3 dim_threads();
};

class grid_group : public thread_group {
 public:
  CM_CG void sync() const;
  CM_CG unsigned long long size() const;
  CM_CG unsigned long long num_threads() const;
  CM_CG unsigned long long thread_rank() const;
  CM_CG dim3 group_dim() const;
  CM_CG dim3 dim_blocks() const;
  CM_CG unsigned long long num_blocks() const;
  CM_CG unsigned long long block_rank() const;
  CM_CG bool is_valid() const;
};

class cluster_group : public thread_group {
 public:
  CM_CG static void sync();
  CM_CG static unsigned int block_rank();
  CM_CG static unsigned int num_blocks();
  template <class T> CM_CG static T* map_shared_rank(T*, int);
};

template <class Self>
class warp_group : public thread_group {
 public:
  template <class T> CM_CG T shfl(T, int) const;
  template <class T> CM_CG T shfl_up(T, unsigned int) const;
  template <class T> CM_CG T shfl_down(T, unsigned int) const;
  template <class T> CM_CG T shfl_xor(T, unsigned int) const;
  CM_CG int any(int) const;
  CM_CG int all(int) const;
  CM_CG unsigned int ballot(int) const;
  template <class T> CM_CG unsigned int match_any(T) const;
  template <class T> CM_CG unsigned int match_all(T, int&) const;
  CM_CG unsigned long long meta_group_rank() const;
  CM_CG unsigned long long meta_group_size() const;
};

class coalesced_group : public warp_group<coalesced_group> {};

template <unsigned int Size, class Parent = void>
class thread_block_tile : public warp_group<thread_block_tile<Size, Parent>> {
 public:
  CM_CG thread_block_tile();
  template <class P> CM_CG thread_block_tile(const thread_block_tile<Size, P>&);
  CM_CG static constexpr unsigned int size() { return Size; }
  CM_CG static constexpr unsigned int num_threads() { return Size; }
};

CM_CG thread_block this_thread_block();
CM_CG grid_group this_grid();
CM_CG cluster_group this_cluster();
CM_CG coalesced_group coalesced_threads();
template <unsigned int Size, class Parent>
CM_CG thread_block_tile<Size, Parent> tiled_partition(const Parent&);
CM_CG thread_group tiled_partition(const thread_group&, unsigned int);
template <class Group> CM_CG coalesced_group binary_partition(const Group&, bool);
template <class Group, class Label> CM_CG coalesced_group labeled_partition(const Group&, Label);
template <class Group> CM_CG void sync(const Group&);
template <class Group> CM_CG unsigned int thread_rank(const Group&);
template <class Group> CM_CG unsigned int group_size(const Group&);

template <class Group, class T, class Shape>
CM_CG void memcpy_async(const Group&, T*, const T*, Shape);
template <class Group> CM_CG void wait(const Group&);
template <unsigned int Stages, class Group> CM_CG void wait_prior(const Group&);

template <class T> struct plus { CM_CG T operator()(T, T) const; };
template <class T> struct less { CM_CG T operator()(T, T) const; };
template <class T> struct greater { CM_CG T operator()(T, T) const; };
template <class T> struct bit_and { CM_CG T operator()(T, T) const; };
template <class T> struct bit_or { CM_CG T operator()(T, T) const; };
template <class T> struct bit_xor { CM_CG T operator()(T, T) const; };
template <class Group, class T, class Op> CM_CG T reduce(const Group&, T, Op&&);
template <class Group, class T, class Op> CM_CG T inclusive_scan(const Group&, T, Op&&);
template <class Group, class T, class Op> CM_CG T exclusive_scan(const Group&, T, Op&&);
template <class Group, class T> CM_CG T inclusive_scan(const Group&, T);
template <class Group, class T> CM_CG T exclusive_scan(const Group&, T);

}  // namespace cooperative_groups
