// Tensors and their options, as host code of extensions uses them. Declarations only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "cudamigrate_torch_device.h"

namespace c10 {
enum class ScalarType : std::int8_t {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool,
  QInt8, QUInt8, QInt32, BFloat16, QUInt4x2, QUInt2x4, Bits1x8, Bits2x4, Bits4x2, Bits8, Bits16,
  Float8_e5m2, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, UInt16, UInt32, UInt64, Undefined,
  NumOptions
};
enum class DeviceType : std::int8_t {
  CPU, CUDA, MKLDNN, OPENGL, OPENCL, IDEEP, HIP, FPGA, MAIA, XLA, Vulkan, Metal, XPU, MPS, Meta,
  HPU, VE, Lazy, IPU, MTIA, PrivateUse1, COMPILE_TIME_MAX_DEVICE_TYPES
};
enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : std::int8_t { Strided, Sparse };
using DeviceIndex = std::int8_t;
const char* toString(ScalarType);
const char* toString(DeviceType);
std::ostream& operator<<(std::ostream&, ScalarType);
std::size_t elementSize(ScalarType);
bool isFloatingType(ScalarType);
bool isIntegralType(ScalarType, bool = false);
template <class T> struct CppTypeToScalarType;

struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string&);
  DeviceType type() const;
  DeviceIndex index() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_privateuseone() const;
  bool operator==(const Device&) const;
  bool operator!=(const Device&) const;
};
std::ostream& operator<<(std::ostream&, const Device&);

template <class T> struct ArrayRef {
  ArrayRef();
  ArrayRef(const T&);
  ArrayRef(const T*, std::size_t);
  ArrayRef(const std::vector<T>&);
  ArrayRef(std::initializer_list<T>);
  const T& operator[](std::size_t) const;
  const T* begin() const;
  const T* end() const;
  const T* data() const;
  std::size_t size() const;
  bool empty() const;
  std::vector<T> vec() const;
  bool equals(ArrayRef) const;
  bool operator==(const ArrayRef&) const;
  bool operator!=(const ArrayRef&) const;
  ArrayRef slice(std::size_t, std::size_t) const;
  operator std::vector<T>() const;
};
using IntArrayRef = ArrayRef<std::int64_t>;

struct Scalar {
  Scalar();
  template <class T> Scalar(T);
  template <class T> T to() const;
  double toDouble() const;
  float toFloat() const;
  std::int64_t toLong() const;
  int toInt() const;
};
template <class T> using optional = std::optional<T>;
using std::nullopt;
using nullopt_t = std::nullopt_t;
using string_view = std::string_view;
template <class T> using intrusive_ptr = std::shared_ptr<T>;
template <class T> using List = std::vector<T>;
template <class T, unsigned N> using SmallVector = std::vector<T>;
}  // namespace c10

namespace caffe2 {
struct TypeMeta {
  std::size_t itemsize() const;
  operator c10::ScalarType() const;
  c10::ScalarType toScalarType() const;
  template <class T> static TypeMeta Make();
};
bool operator==(TypeMeta, c10::ScalarType);
bool operator!=(TypeMeta, c10::ScalarType);
bool operator==(TypeMeta, TypeMeta);
bool operator!=(TypeMeta, TypeMeta);
std::ostream& operator<<(std::ostream&, TypeMeta);
}  // namespace caffe2

namespace at {
using namespace c10;
using c10::ArrayRef;
using c10::BFloat16;
using c10::Device;
using c10::DeviceType;
using c10::Half;
using c10::IntArrayRef;
using c10::MemoryFormat;
using c10::optional;
using c10::Scalar;
using c10::ScalarType;

#define CM_TORCH_KIND(NAME) constexpr ScalarType k##NAME = ScalarType::NAME;
CM_TORCH_KIND(Byte) CM_TORCH_KIND(Char) CM_TORCH_KIND(Short) CM_TORCH_KIND(Int)
CM_TORCH_KIND(Long) CM_TORCH_KIND(Half) CM_TORCH_KIND(Float) CM_TORCH_KIND(Double)
CM_TORCH_KIND(Bool) CM_TORCH_KIND(BFloat16) CM_TORCH_KIND(ComplexFloat)
CM_TORCH_KIND(ComplexDouble) CM_TORCH_KIND(QInt8) CM_TORCH_KIND(QUInt8) CM_TORCH_KIND(QInt32)
CM_TORCH_KIND(Float8_e5m2) CM_TORCH_KIND(Float8_e4m3fn)
constexpr ScalarType kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char;
constexpr ScalarType kInt16 = ScalarType::Short, kInt32 = ScalarType::Int;
constexpr ScalarType kInt64 = ScalarType::Long, kFloat16 = ScalarType::Half;
constexpr ScalarType kFloat32 = ScalarType::Float, kFloat64 = ScalarType::Double;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP;
constexpr DeviceType kXLA = DeviceType::XLA, kMeta = DeviceType::Meta;
constexpr DeviceType kPrivateUse1 = DeviceType::PrivateUse1;
constexpr c10::Layout kStrided = c10::Layout::Strided, kSparse = c10::Layout::Sparse;

struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType);
  TensorOptions(caffe2::TypeMeta);
  TensorOptions(DeviceType);
  TensorOptions(Device);
  TensorOptions(MemoryFormat);
  TensorOptions dtype(ScalarType) const;
  TensorOptions dtype(caffe2::TypeMeta) const;
  caffe2::TypeMeta dtype() const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, DeviceIndex = -1) const;
  Device device() const;
  TensorOptions layout(c10::Layout) const;
  TensorOptions requires_grad(bool) const;
  TensorOptions pinned_memory(bool) const;
  TensorOptions memory_format(MemoryFormat) const;
};
TensorOptions dtype(ScalarType);
TensorOptions dtype(caffe2::TypeMeta);
template <class T> TensorOptions dtype();
TensorOptions device(Device);
TensorOptions device(DeviceType);
TensorOptions device_of(const struct Tensor&);
TensorOptions requires_grad(bool);

struct Storage {
  void* data() const;
  std::size_t nbytes() const;
};
namespace indexing {
struct None_t {};
struct Ellipsis_t {};
constexpr None_t None;
constexpr Ellipsis_t Ellipsis;
struct Slice {
  template <class... A> Slice(A&&...);
};
struct TensorIndex {
  template <class T> TensorIndex(T&&);
};
}  // namespace indexing

// Methods without an entry of their own take anything and give a tensor.
#define CM_TORCH_METHOD(NAME) template <class... A> Tensor NAME(A&&...) const; \
  Tensor NAME(IntArrayRef) const;
struct Tensor {
  Tensor();
  template <class T> T* data_ptr() const;
  template <class T> const T* const_data_ptr() const;
  template <class T> T* mutable_data_ptr() const;
  template <class T> T* data() const;
  void* data_ptr() const;
  const void* const_data_ptr() const;
  void* mutable_data_ptr() const;
  template <class T> T item() const;
  Scalar item() const;
  template <class T, std::size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits,
            class Index = std::int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> packed_accessor() const;
  std::int64_t size(std::int64_t) const;
  std::int64_t stride(std::int64_t) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  std::int64_t dim() const;
  std::int64_t ndimension() const;
  std::int64_t numel() const;
  std::int64_t element_size() const;
  std::int64_t itemsize() const;
  std::size_t nbytes() const;
  std::int64_t storage_offset() const;
  std::int64_t get_device() const;
  Device device() const;
  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const;
  struct Type {
    ScalarType scalarType() const;
    bool is_cuda() const;
    operator ScalarType() const;
    operator TensorOptions() const;
  };
  Type type() const;
  TensorOptions options() const;
  Storage storage() const;
  bool defined() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_sparse() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  bool is_floating_point() const;
  bool is_non_overlapping_and_dense() const;
  bool is_same(const Tensor&) const;
  bool requires_grad() const;
  bool equal(const Tensor&) const;
  bool has_storage() const;
  MemoryFormat suggest_memory_format() const;
  Tensor operator[](std::int64_t) const;
  Tensor operator[](const Tensor&) const;
  Tensor index(std::initializer_list<indexing::TensorIndex>) const;
  template <class... A> std::vector<Tensor> split(A&&...) const;
  template <class... A> std::vector<Tensor> chunk(A&&...) const;
  template <class... A> std::tuple<Tensor, Tensor> sort(A&&...) const;
  template <class... A> std::tuple<Tensor, Tensor> topk(A&&...) const;
  CM_TORCH_METHOD(contiguous) CM_TORCH_METHOD(to) CM_TORCH_METHOD(view) CM_TORCH_METHOD(reshape)
  CM_TORCH_METHOD(flatten) CM_TORCH_METHOD(transpose) CM_TORCH_METHOD(permute) CM_TORCH_METHOD(t)
  CM_TORCH_METHOD(expand) CM_TORCH_METHOD(squeeze) CM_TORCH_METHOD(unsqueeze)
  CM_TORCH_METHOD(select) CM_TORCH_METHOD(slice) CM_TORCH_METHOD(narrow) CM_TORCH_METHOD(clone)
  CM_TORCH_METHOD(detach) CM_TORCH_METHOD(cpu) CM_TORCH_METHOD(cuda) CM_TORCH_METHOD(zero_)
  CM_TORCH_METHOD(fill_) CM_TORCH_METHOD(copy_) CM_TORCH_METHOD(add_) CM_TORCH_METHOD(add)
  CM_TORCH_METHOD(sub) CM_TORCH_METHOD(mul) CM_TORCH_METHOD(mul_) CM_TORCH_METHOD(div)
  CM_TORCH_METHOD(div_) CM_TORCH_METHOD(sum) CM_TORCH_METHOD(mean) CM_TORCH_METHOD(max)
  CM_TORCH_METHOD(min) CM_TORCH_METHOD(abs) CM_TORCH_METHOD(resize_) CM_TORCH_METHOD(masked_fill_)
  CM_TORCH_METHOD(masked_select) CM_TORCH_METHOD(index_select) CM_TORCH_METHOD(gather)
  CM_TORCH_METHOD(scatter_) CM_TORCH_METHOD(cumsum) CM_TORCH_METHOD(lt) CM_TORCH_METHOD(gt)
  CM_TORCH_METHOD(eq) CM_TORCH_METHOD(matmul) CM_TORCH_METHOD(mm) CM_TORCH_METHOD(set_)
  CM_TORCH_METHOD(new_zeros) CM_TORCH_METHOD(new_empty) CM_TORCH_METHOD(toType)
  CM_TORCH_METHOD(type_as) CM_TORCH_METHOD(repeat) CM_TORCH_METHOD(nonzero) CM_TORCH_METHOD(sqrt)
  CM_TORCH_METHOD(exp) CM_TORCH_METHOD(clamp) CM_TORCH_METHOD(any) CM_TORCH_METHOD(all)
  CM_TORCH_METHOD(grad) CM_TORCH_METHOD(requires_grad_) CM_TORCH_METHOD(storage_ref)
  CM_TORCH_METHOD(view_as) CM_TORCH_METHOD(norm) CM_TORCH_METHOD(ne) CM_TORCH_METHOD(le)
  CM_TORCH_METHOD(ge) CM_TORCH_METHOD(unbind) CM_TORCH_METHOD(pow) CM_TORCH_METHOD(record_stream)
  CM_TORCH_METHOD(index_put_) CM_TORCH_METHOD(addmm_) CM_TORCH_METHOD(baddbmm_)
  Tensor operator-() const;
  Tensor operator~() const;
  template <class T> Tensor& operator+=(const T&);
  template <class T> Tensor& operator-=(const T&);
  template <class T> Tensor& operator*=(const T&);
  template <class T> Tensor& operator/=(const T&);
};
using TensorList = ArrayRef<Tensor>;
#define CM_TORCH_OPERATOR(OP)                        \
  Tensor operator OP(const Tensor&, const Tensor&);  \
  Tensor operator OP(const Tensor&, const Scalar&);  \
  Tensor operator OP(const Scalar&, const Tensor&);
CM_TORCH_OPERATOR(+) CM_TORCH_OPERATOR(-) CM_TORCH_OPERATOR(*) CM_TORCH_OPERATOR(/)
CM_TORCH_OPERATOR(==) CM_TORCH_OPERATOR(!=) CM_TORCH_OPERATOR(<) CM_TORCH_OPERATOR(>)
CM_TORCH_OPERATOR(<=) CM_TORCH_OPERATOR(>=) CM_TORCH_OPERATOR(&) CM_TORCH_OPERATOR(|)

// A function of sizes is a template of its own, so that a braced list can be given.
#define CM_TORCH_MAKER(NAME) Tensor NAME(IntArrayRef, const TensorOptions& = {}); \
  template <class... A> Tensor NAME(IntArrayRef, A&&...);
#define CM_TORCH_CALL(NAME) template <class... A> Tensor NAME(const Tensor&, A&&...);
CM_TORCH_MAKER(empty) CM_TORCH_MAKER(zeros) CM_TORCH_MAKER(ones) CM_TORCH_MAKER(rand)
CM_TORCH_MAKER(randn) CM_TORCH_MAKER(full) CM_TORCH_MAKER(empty_strided)
CM_TORCH_CALL(empty_like) CM_TORCH_CALL(zeros_like) CM_TORCH_CALL(ones_like)
CM_TORCH_CALL(full_like) CM_TORCH_CALL(mm_out) CM_TORCH_CALL(matmul) CM_TORCH_CALL(mm)
CM_TORCH_CALL(bmm) CM_TORCH_CALL(sum) CM_TORCH_CALL(max) CM_TORCH_CALL(min) CM_TORCH_CALL(abs)
CM_TORCH_CALL(index_select_out) CM_TORCH_CALL(softmax) CM_TORCH_CALL(exp) CM_TORCH_CALL(sqrt)
CM_TORCH_CALL(addmm) CM_TORCH_CALL(addmm_out) CM_TORCH_CALL(where) CM_TORCH_CALL(cumsum)
CM_TORCH_CALL(sigmoid) CM_TORCH_CALL(bmm_out) CM_TORCH_CALL(baddbmm_out)
Tensor cat(TensorList, std::int64_t = 0);
Tensor stack(TensorList, std::int64_t = 0);
template <class... A> Tensor arange(A&&...);
template <class... A> Tensor tensor(A&&...);
template <class T> Tensor tensor(std::initializer_list<T>, const TensorOptions& = {});
Tensor from_blob(void*, IntArrayRef, const TensorOptions& = {});
template <class... A> Tensor from_blob(void*, IntArrayRef, A&&...);
template <class... A> std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor&, A&&...);
template <class... A> std::tuple<Tensor, Tensor> _unique(const Tensor&, A&&...);
struct TensorArg {
  TensorArg(const Tensor&, const char*, int);
};
using CheckedFrom = const char*;
template <class... A> void checkAllSameGPU(A&&...);
void checkAllSameGPU(CheckedFrom, ArrayRef<TensorArg>);
void checkAllSameType(CheckedFrom, ArrayRef<TensorArg>);
struct NoGradGuard {};
struct AutoDispatchBelowAutograd {};
}  // namespace at

namespace torch {
using namespace at;
using at::Tensor;
using c10::optional;
using c10::nullopt;
constexpr ScalarType kBool8 = ScalarType::Bool;
constexpr ScalarType kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char;
constexpr ScalarType kF16 = ScalarType::Half, kF32 = ScalarType::Float, kF64 = ScalarType::Double;
constexpr ScalarType kI32 = ScalarType::Int, kI64 = ScalarType::Long, kU8 = ScalarType::Byte;
using Dtype = ScalarType;
using Device = c10::Device;
struct IValue {};
namespace autograd {
using variable_list = std::vector<Tensor>;
using Variable = Tensor;
struct AutogradContext {
  template <class T> void save_for_backward(T&&);
  void save_for_backward(variable_list);
  variable_list get_saved_variables() const;
  void mark_non_differentiable(variable_list);
};
template <class T> struct Function {
  template <class... A> static variable_list apply(A&&...);
};
}  // namespace autograd
}  // namespace torch
