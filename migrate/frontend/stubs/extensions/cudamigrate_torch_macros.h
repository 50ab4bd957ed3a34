// Checks, dispatch over types, streams, guards and registration, for extensions.
#pragma once

#include "cudamigrate_torch_tensor.h"

namespace c10 {
struct Error {
  Error(const std::string&);
};
namespace detail {
template <class... A> void cudamigrate_check(bool, A&&...);
template <class... A> [[noreturn]] void cudamigrate_fail(A&&...);
}  // namespace detail
}  // namespace c10

#define TORCH_CHECK(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) ::c10::detail::cudamigrate_check((a) == (b))
#define TORCH_CHECK_INDEX(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_CHECK_VALUE(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_CHECK_TYPE(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define TORCH_WARN(...) ::c10::detail::cudamigrate_check(true, __VA_ARGS__)
#define TORCH_WARN_ONCE(...) ::c10::detail::cudamigrate_check(true, __VA_ARGS__)
#define AT_ASSERT(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define AT_ASSERTM(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define AT_CHECK(...) ::c10::detail::cudamigrate_check(__VA_ARGS__)
#define AT_ERROR(...) ::c10::detail::cudamigrate_fail(__VA_ARGS__)
#define C10_THROW_ERROR(kind, ...) ::c10::detail::cudamigrate_fail(__VA_ARGS__)
#define C10_CUDA_CHECK(expression)                                       \
  do {                                                                   \
    const cudaError_t cudamigrate_status = (expression);                 \
    ::c10::detail::cudamigrate_check(cudamigrate_status == cudaSuccess); \
  } while (0)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_ERROR_HANDLED(expression) (expression)
#define C10_CUDA_IGNORE_ERROR(expression) (void)(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define THCudaCheck(expression) C10_CUDA_CHECK(expression)
#define TORCH_CUDABLAS_CHECK(expression) (void)(expression)
#define AT_CUDA_CUDABLAS_CHECK TORCH_CUDABLAS_CHECK
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                   \
  for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_1D_KERNEL_LOOP_TORCH(i, n) CUDA_KERNEL_LOOP(i, n)

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_WARP_SIZE 32
#define C10_API
#define TORCH_API
#define TORCH_CUDA_CU_API
#define TORCH_CUDA_CPP_API
#define C10_EXPORT
#define C10_UNUSED [[maybe_unused]]
#define C10_LIKELY(e) (e)
#define C10_UNLIKELY(e) (e)
#define C10_ALWAYS_INLINE inline
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 6

// Dispatch: a switch over the type of a tensor, each case of which names scalar_t and calls the
// body. A body with a launch thus launches one instantiation a case.
#define AT_PRIVATE_CASE_TYPE_USING_HINT(kind, hint, ...)                    \
  case kind: {                                                              \
    using hint = CM_TORCH_TYPE_OF(kind);                                    \
    return __VA_ARGS__();                                                   \
  }
namespace c10 {
namespace impl {
template <ScalarType> struct ScalarTypeToCPPType;
#define CM_TORCH_PAIR(KIND, TYPE)                                                     \
  template <> struct ScalarTypeToCPPType<ScalarType::KIND> { using type = TYPE; };
CM_TORCH_PAIR(Byte, std::uint8_t) CM_TORCH_PAIR(Char, std::int8_t)
CM_TORCH_PAIR(Short, std::int16_t) CM_TORCH_PAIR(Int, int) CM_TORCH_PAIR(Long, std::int64_t)
CM_TORCH_PAIR(Half, c10::Half) CM_TORCH_PAIR(Float, float) CM_TORCH_PAIR(Double, double)
CM_TORCH_PAIR(Bool, bool) CM_TORCH_PAIR(BFloat16, c10::BFloat16)
CM_TORCH_PAIR(ComplexFloat, c10::complex<float>) CM_TORCH_PAIR(ComplexDouble, c10::complex<double>)
template <ScalarType K> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<K>::type;
}  // namespace impl
}  // namespace c10
#define CM_TORCH_TYPE_OF(kind) c10::impl::ScalarTypeToCPPTypeT<kind>
#define AT_PRIVATE_CASE_TYPE(name, kind, type, ...) \
  case kind: {                                      \
    using scalar_t = type;                          \
    return __VA_ARGS__();                           \
  }
#define AT_DISPATCH_CASE(kind, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(kind, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(kind, name, ...)                          \
  [&] {                                                              \
    const auto& cudamigrate_type = kind;                             \
    const at::ScalarType _st = ::detail::scalar_type(cudamigrate_type); \
    switch (_st) {                                                   \
      __VA_ARGS__                                                    \
      default:                                                       \
        AT_ERROR(name, " is not implemented for this type");         \
    }                                                                \
  }()
namespace detail {
inline at::ScalarType scalar_type(at::ScalarType kind) { return kind; }
template <class T> at::ScalarType scalar_type(const T& kind) { return kind; }
}  // namespace detail

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)             \
  AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__)  \
  AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)     \
  AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__)    \
  AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)             \
  AT_DISPATCH_CASE(at::ScalarType::Byte, __VA_ARGS__)    \
  AT_DISPATCH_CASE(at::ScalarType::Char, __VA_ARGS__)    \
  AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__)     \
  AT_DISPATCH_CASE(at::ScalarType::Long, __VA_ARGS__)    \
  AT_DISPATCH_CASE(at::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                   \
  AT_DISPATCH_CASE(at::ScalarType::ComplexDouble, __VA_ARGS__) \
  AT_DISPATCH_CASE(at::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)         \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)  \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(kind, name, ...) \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(kind, name, ...)              \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(a, kind, name, ...)                \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, kind, name, ...)            \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(kind, name, ...)           \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(kind, name, ...) \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(kind, name, ...) \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, kind, name, ...)                \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(kind, name, ...)                                     \
  AT_DISPATCH_SWITCH(kind, name,                                                     \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Int, index_t, __VA_ARGS__) \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Long, index_t, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(kind, name, ...) \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(a, kind, name, ...)                \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, kind, name, ...)            \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, kind, name, ...)         \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) \
                     AT_DISPATCH_CASE(c, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(kind, name, ...)           \
  AT_DISPATCH_SWITCH(kind, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                     AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))

namespace c10 {
namespace cuda {
struct CUDAStream {
  cudaStream_t stream() const;
  operator cudaStream_t() const;
  void synchronize() const;
  DeviceIndex device_index() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
void setCurrentCUDAStream(CUDAStream);
DeviceIndex current_device();
DeviceIndex device_count();
void set_device(DeviceIndex);
void MaybeSetDevice(DeviceIndex);
void device_synchronize();
struct CUDAGuard {
  explicit CUDAGuard(Device);
  explicit CUDAGuard(DeviceIndex);
  void set_device(Device);
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard();
  explicit OptionalCUDAGuard(std::optional<Device>);
  explicit OptionalCUDAGuard(std::optional<DeviceIndex>);
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream);
};
namespace CUDACachingAllocator {
void* raw_alloc(std::size_t);
void raw_delete(void*);
}  // namespace CUDACachingAllocator
}  // namespace cuda
struct DeviceGuard {
  explicit DeviceGuard(Device);
};
struct OptionalDeviceGuard {
  explicit OptionalDeviceGuard(std::optional<Device>);
};
}  // namespace c10

namespace at {
using DeviceGuard = c10::DeviceGuard;
std::optional<Device> device_of(const std::optional<Tensor>&);
namespace cuda {
using namespace c10::cuda;
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::OptionalCUDAGuard;
cudaDeviceProp* getCurrentDeviceProperties();
cudaDeviceProp* getDeviceProperties(DeviceIndex);
int warp_size();
bool is_available();
struct CUDAEvent {
  void record();
  void record(const CUDAStream&);
  void block(const CUDAStream&);
  void synchronize() const;
};
namespace detail {
template <class T, class Index> TensorInfo<T, Index> getTensorInfo(const Tensor&);
bool canUse32BitIndexMath(const Tensor&, std::int64_t = 0);
}  // namespace detail
}  // namespace cuda
namespace globalContext_detail {}
}  // namespace at

namespace torch {
namespace cuda {
using namespace at::cuda;
}
struct Library {
  template <class... A> Library& def(A&&...);
  template <class... A> Library& impl(A&&...);
};
struct CppFunction {
  template <class F> static CppFunction makeFallthrough(F&&);
};
template <class F> F&& dispatch(int, F&&);
struct RegisterOperators {
  template <class... A> RegisterOperators(A&&...);
  template <class... A> RegisterOperators& op(A&&...);
};
}  // namespace torch

namespace pybind11 {
struct object {
  template <class T> T cast() const;
  template <class T> object(T&&);
  object();
};
struct arg {
  explicit arg(const char*);
  template <class T> arg& operator=(T&&);
};
using dict = object;
using list = object;
using tuple = object;
using str = object;
using bytes = object;
struct module_ {
  template <class... A> module_& def(A&&...);
  template <class... A> module_ def_submodule(A&&...);
  template <class... A> void attr(A&&...);
};
using module = module_;
template <class... T> struct class_ {
  template <class... A> class_(A&&...);
  template <class... A> class_& def(A&&...);
  template <class... A> class_& def_readwrite(A&&...);
};
template <class... A> struct init {};
struct gil_scoped_release {};
template <class T> struct call_guard {};
namespace literals {
arg operator""_a(const char*, std::size_t);
}
}  // namespace pybind11
namespace py = pybind11;

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif
#define CM_TORCH_JOIN_(a, b) a##b
#define CM_TORCH_JOIN(a, b) CM_TORCH_JOIN_(a, b)
#define PYBIND11_MODULE(name, variable) \
  static void CM_TORCH_JOIN(cudamigrate_module_, name)(::pybind11::module_ & variable)
// The strings tell the reader of the bindings what the macro was given.
#define CM_TORCH_LIBRARY(name, key, variable)                                           \
  static void CM_TORCH_JOIN(cudamigrate_library_, __LINE__)(::torch::Library & variable, \
                                                            const char* = #name, const char* = key)
#define TORCH_LIBRARY(name, variable) CM_TORCH_LIBRARY(name, "", variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) CM_TORCH_LIBRARY(name, #key, variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) CM_TORCH_LIBRARY(name, "", variable)
#define TORCH_LIBRARY_EXPAND(name, variable) TORCH_LIBRARY(name, variable)
#define TORCH_FN(function) (function)
