"""PyTorch extensions are read without PyTorch, and libraries of CUDA by name."""

from __future__ import annotations

from migrate.ir.program import SourceUnit
from tests.frontend.conftest import Read, codes

EXTENSION = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* __restrict__ x, scalar_t* y, float a, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = static_cast<scalar_t>(x[i] * a);
}
template <typename scalar_t>
__global__ void rows_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
    torch::PackedTensorAccessor64<scalar_t, 1> y) {
  using acc_t = at::acc_type<scalar_t, true>;
  acc_t sum = 0;
  for (int j = 0; j < x.size(1); ++j) sum += static_cast<acc_t>(x[blockIdx.x][j]);
  y[blockIdx.x] = static_cast<scalar_t>(sum);
  gpuAtomicAdd(&y[0], static_cast<scalar_t>(1));
}
#define CHECK_INPUT(x) TORCH_CHECK(x.is_cuda() && x.is_contiguous(), #x " must be on the device")
torch::Tensor scale(torch::Tensor x, double a, std::optional<at::Tensor> bias) {
  CHECK_INPUT(x);
  const at::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  auto z = torch::zeros({x.size(0), 3}, x.options().dtype(torch::kFloat));
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "scale", [&] {
    scale_kernel<scalar_t><<<(x.numel() + 255) / 256, 256, 0, stream>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), static_cast<float>(a), x.numel());
  });
  AT_DISPATCH_FLOATING_TYPES(x.type(), "rows", ([&] {
    rows_kernel<scalar_t><<<x.size(0), 1>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        y.packed_accessor64<scalar_t, 1>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale, "scales"); }
TORCH_LIBRARY(mine, m) { m.def("scale(Tensor x, float a) -> Tensor", &scale); }
TORCH_LIBRARY_IMPL(mine, CUDA, m) { m.impl("scale", &scale); }
"""


def _launches(unit: SourceUnit) -> dict[str, tuple[str, ...]]:
    return {x.callee.text: x.kernels for x in unit.launches}


def test_each_dtype_of_a_dispatch_is_an_instantiation(read: Read) -> None:
    unit = read(EXTENSION)
    assert [d.one_line() for d in unit.diagnostics] == []
    assert _launches(unit) == {
        "scale_kernel<scalar_t>": (
            "scale_kernel_double", "scale_kernel_float", "scale_kernel_half",
        ),
        "rows_kernel<scalar_t>": ("rows_kernel_double", "rows_kernel_float"),
    }  # fmt: skip


def test_sixteen_bit_types_mix_as_in_pytorch(read: Read) -> None:
    unit = read(
        """
        #include <ATen/ATen.h>
        template <class T> __global__ void k(T* x, int n, float f, double d) {
          T v = x[0];
          float a = v * f; double b = d + v; T c = v * n; bool less = v < 0.5f && n >= v;
          v += f; x[1] = static_cast<T>(a + b + c + exp(v) + max(v, T(0)) + (less ? 1 : 0));
          x[2] = std::numeric_limits<T>::max(); x[3] = std::exp(v);
        }
        void run(at::Half* h, at::BFloat16* b) {
          k<<<1, 1>>>(h, 1, 1.f, 1.0); k<<<1, 1>>>(b, 1, 1.f, 1.0);
        }
        """
    )
    assert [d.one_line() for d in unit.diagnostics] == []
    assert [k.name for k in unit.module.kernels] == ["k", "k"]


def test_a_library_header_is_known_by_name(read: Read) -> None:
    unit = read(
        """
        #include <cublas_v2.h>
        cublasHandle_t handle = nullptr;
        __global__ void k(__nv_bfloat16* x, void* p) { if (p != nullptr) x[0] = x[1]; }
        void run() { cublasSgemm(handle, 1); cublasSetMode(handle, CUBLAS_OP_N); cublasDestroy(handle); }
        """
    )
    assert codes(unit) == []
    (found,) = unit.diagnostics
    assert found.code.id == "CM1032"
    assert "cublasSgemm" in found.cause
    assert "3 of its names" in found.cause


def test_an_unknown_type_of_a_variable_spoils_the_variable_only(read: Read) -> None:
    unit = read(
        """
        #include "nowhere/library.h"
        library_handle handle = nullptr;
        __device__ library_value shared_value;
        __global__ void good(float* p) { if (p != nullptr) p[0] = 1; }
        __global__ void bad(float* p) { p[0] = shared_value.x; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert [u.name for u in unit.unread] == ["bad"]
    assert sorted({d.code.id for d in unit.diagnostics}) == ["CM1002", "CM1004"]
