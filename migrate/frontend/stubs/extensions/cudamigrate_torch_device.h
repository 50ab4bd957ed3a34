// What PyTorch gives to device code: accessors of tensors, atomic additions, index arithmetic.
#pragma once

#include "cudamigrate_torch_scalars.h"

namespace at {
template <class T> struct DefaultPtrTraits { using PtrType = T*; };
template <class T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };

// A view of a tensor: element (i, j, ...) lies at i * strides[0] + j * strides[1] + ...
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits,
          class Index = std::int64_t>
struct TensorAccessor {
  T* data_;
  const Index* sizes_;
  const Index* strides_;
  CM_TORCH TensorAccessor(T* data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  CM_TORCH Index size(Index i) const { return sizes_[i]; }
  CM_TORCH Index stride(Index i) const { return strides_[i]; }
  CM_TORCH T* data() const { return data_; }
  CM_TORCH TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1,
                                                   strides_ + 1);
  }
};
template <class T, template <class> class Traits, class Index>
struct TensorAccessor<T, 1, Traits, Index> {
  T* data_;
  const Index* sizes_;
  const Index* strides_;
  CM_TORCH TensorAccessor(T* data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  CM_TORCH Index size(Index i) const { return sizes_[i]; }
  CM_TORCH Index stride(Index i) const { return strides_[i]; }
  CM_TORCH T* data() const { return data_; }
  CM_TORCH T& operator[](Index i) const { return data_[strides_[0] * i]; }
};

// The same, with sizes and strides inside: this is what a kernel takes by value.
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits,
          class Index = std::int64_t>
struct GenericPackedTensorAccessor {
  T* data_;
  Index sizes_[N];
  Index strides_[N];
  CM_TORCH Index size(Index i) const { return sizes_[i]; }
  CM_TORCH Index stride(Index i) const { return strides_[i]; }
  CM_TORCH T* data() const { return data_; }
  CM_TORCH TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1,
                                                   strides_ + 1);
  }
};
template <class T, template <class> class Traits, class Index>
struct GenericPackedTensorAccessor<T, 1, Traits, Index> {
  T* data_;
  Index sizes_[1];
  Index strides_[1];
  CM_TORCH Index size(Index i) const { return sizes_[i]; }
  CM_TORCH Index stride(Index i) const { return strides_[i]; }
  CM_TORCH T* data() const { return data_; }
  CM_TORCH T& operator[](Index i) const { return data_[strides_[0] * i]; }
};
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, std::int32_t>;
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, std::int64_t>;
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits,
          class Index = std::int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;

namespace cuda {
namespace detail {
template <class T, class Index> struct TensorInfo {
  T* data;
  Index sizes[25];
  Index strides[25];
  int dims;
};
// The offset of the element with a linear index: the last dimension runs fastest.
template <class T, class Index, int Dims> struct IndexToOffset {
  CM_TORCH static Index get(Index linear, const TensorInfo<T, Index>& info) {
    Index offset = 0;
    for (int i = (Dims < 0 ? info.dims : Dims) - 1; i > 0; --i) {
      offset += (linear % info.sizes[i]) * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset + linear * info.strides[0];
  }
};
}  // namespace detail
template <class T> CM_TORCH T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
}  // namespace cuda
template <class T> CM_TORCH T ceil_div(T a, T b) { return (a + b - 1) / b; }
}  // namespace at

template <class T> __device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <class T> __device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  atomicAdd(address, value);
}

template <class T> __device__ inline T WARP_SHFL(T v, int lane, int width = 32,
                                                 unsigned mask = 0xffffffffu) {
  return __shfl_sync(mask, v, lane, width);
}
template <class T> __device__ inline T WARP_SHFL_XOR(T v, int lane, int width = 32,
                                                     unsigned mask = 0xffffffffu) {
  return __shfl_xor_sync(mask, v, lane, width);
}
template <class T> __device__ inline T WARP_SHFL_UP(T v, unsigned delta, int width = 32,
                                                    unsigned mask = 0xffffffffu) {
  return __shfl_up_sync(mask, v, delta, width);
}
template <class T> __device__ inline T WARP_SHFL_DOWN(T v, unsigned delta, int width = 32,
                                                      unsigned mask = 0xffffffffu) {
  return __shfl_down_sync(mask, v, delta, width);
}
__device__ inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffffu) {
  return __ballot_sync(mask, predicate);
}
