// Rotary position embedding, in place, over float, double, half and bfloat16.
//
// x is [tokens, heads, size]; the pair (i, i + size / 2) of each head is turned by the angle
// position * base^(-2 i / size).

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/library.h>

namespace rotary {

template <typename scalar_t, typename index_t>
__global__ void rotate_kernel(scalar_t* x, const index_t* positions, int tokens, int heads,
                              int half, float base, bool backward) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= static_cast<int64_t>(tokens) * heads * half) return;
  const int pair = i % half;
  const int head = (i / half) % heads;
  const int token = i / (static_cast<int64_t>(half) * heads);

  const float angle = positions[token] * powf(base, -2.0f * pair / (2 * half));
  const float s = backward ? -sinf(angle) : sinf(angle);
  const float c = cosf(angle);
  scalar_t* at = x + (static_cast<int64_t>(token) * heads + head) * 2 * half + pair;
  const float a = static_cast<float>(at[0]), b = static_cast<float>(at[half]);
  at[0] = static_cast<scalar_t>(a * c - b * s);
  at[half] = static_cast<scalar_t>(a * s + b * c);
}

static void run(at::Tensor& x, const at::Tensor& positions, double base, bool backward) {
  const int tokens = x.size(0), heads = x.size(1), half = x.size(2) / 2;
  const int64_t pairs = x.numel() / 2;
  const int threads = pairs < 256 ? 64 : 256;
  const auto blocks = (pairs + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "rotate", [&] {
        AT_DISPATCH_INDEX_TYPES(positions.scalar_type(), "rotate_positions", [&] {
          rotate_kernel<scalar_t, index_t>
              <<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
                  x.data_ptr<scalar_t>(), positions.data_ptr<index_t>(), tokens, heads, half,
                  static_cast<float>(base), backward);
        });
      });
}

at::Tensor& rotate_(at::Tensor& x, const at::Tensor& positions, double base) {
  TORCH_CHECK(x.dim() == 3, "x has ", x.dim(), " dimensions, expected 3");
  TORCH_CHECK(x.is_contiguous() && positions.dim() == 1 && positions.size(0) == x.size(0),
              "one position a token is needed");
  if (x.size(2) % 2 != 0) {
    AT_ERROR("the size of a head must be even, not ", x.size(2));
  }
  if (x.numel() == 0) return x;
  run(x, positions, base, false);
  return x;
}

at::Tensor rotate_backward(const at::Tensor& grad, const at::Tensor& positions, double base) {
  auto out = grad.contiguous().clone();
  if (out.numel() > 0) run(out, positions, base, true);
  return out;
}

TORCH_LIBRARY(rotary, m) {
  m.def("rotate_(Tensor(a!) x, Tensor positions, float base=10000.0) -> Tensor(a!)");
  m.def("rotate_backward(Tensor grad, Tensor positions, float base=10000.0) -> Tensor");
}

TORCH_LIBRARY_IMPL(rotary, CUDA, m) {
  m.impl("rotate_", &rotate_);
  m.impl("rotate_backward", TORCH_FN(rotate_backward));
}

}  // namespace rotary
