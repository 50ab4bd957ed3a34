// Layer normalisation over the last dimension, forward and backward, as a PyTorch extension.
//
// forward:  y = (x - mean) * rstd * weight + bias, with the row's mean and rstd kept for backward.
// backward: gradients of x, weight and bias.

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <tuple>
#include <vector>

constexpr int kThreads = 128;

#define CHECK_INPUT(x)                                            \
  TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor");          \
  TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")

// One block a row: sums over the row in shared memory.
template <typename scalar_t>
__global__ void layer_norm_forward_kernel(const scalar_t* __restrict__ x,
                                          const scalar_t* __restrict__ weight,
                                          const scalar_t* __restrict__ bias,
                                          scalar_t* __restrict__ y, scalar_t* __restrict__ mean,
                                          scalar_t* __restrict__ rstd, int cols, float epsilon) {
  __shared__ scalar_t partial[kThreads];
  const int row = blockIdx.x;
  const scalar_t* in = x + row * cols;

  scalar_t sum = 0;
  for (int c = threadIdx.x; c < cols; c += kThreads) sum += in[c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  const scalar_t m = partial[0] / cols;
  __syncthreads();

  scalar_t squares = 0;
  for (int c = threadIdx.x; c < cols; c += kThreads) squares += (in[c] - m) * (in[c] - m);
  partial[threadIdx.x] = squares;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  const scalar_t r = scalar_t(1) / sqrt(partial[0] / cols + scalar_t(epsilon));

  if (threadIdx.x == 0) {
    mean[row] = m;
    rstd[row] = r;
  }
  for (int c = threadIdx.x; c < cols; c += kThreads)
    y[row * cols + c] = (in[c] - m) * r * weight[c] + bias[c];
}

// One block a row: the gradient of the input.
template <typename scalar_t>
__global__ void layer_norm_grad_input_kernel(
    const scalar_t* __restrict__ grad, const scalar_t* __restrict__ x,
    const scalar_t* __restrict__ weight, const scalar_t* __restrict__ mean,
    const scalar_t* __restrict__ rstd, scalar_t* __restrict__ grad_x, int cols) {
  __shared__ scalar_t sum_g[kThreads];
  __shared__ scalar_t sum_gx[kThreads];
  const int row = blockIdx.x;
  const int base = row * cols;
  const scalar_t m = mean[row], r = rstd[row];

  scalar_t a = 0, b = 0;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const scalar_t g = grad[base + c] * weight[c];
    a += g;
    b += g * (x[base + c] - m) * r;
  }
  sum_g[threadIdx.x] = a;
  sum_gx[threadIdx.x] = b;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      sum_g[threadIdx.x] += sum_g[threadIdx.x + s];
      sum_gx[threadIdx.x] += sum_gx[threadIdx.x + s];
    }
    __syncthreads();
  }
  const scalar_t mean_g = sum_g[0] / cols, mean_gx = sum_gx[0] / cols;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const scalar_t hat = (x[base + c] - m) * r;
    grad_x[base + c] = (grad[base + c] * weight[c] - mean_g - hat * mean_gx) * r;
  }
}

// One thread a column: the gradients of weight and bias.
template <typename scalar_t>
__global__ void layer_norm_grad_parameters_kernel(
    const scalar_t* __restrict__ grad, const scalar_t* __restrict__ x,
    const scalar_t* __restrict__ mean, const scalar_t* __restrict__ rstd,
    scalar_t* __restrict__ grad_weight, scalar_t* __restrict__ grad_bias, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  scalar_t w = 0, b = 0;
  for (int r = 0; r < rows; ++r) {
    const scalar_t g = grad[r * cols + c];
    w += g * (x[r * cols + c] - mean[r]) * rstd[r];
    b += g;
  }
  grad_weight[c] = w;
  grad_bias[c] = b;
}

std::vector<torch::Tensor> layer_norm_forward(torch::Tensor x, torch::Tensor weight,
                                              torch::Tensor bias, double epsilon) {
  CHECK_INPUT(x);
  CHECK_INPUT(weight);
  CHECK_INPUT(bias);
  TORCH_CHECK(x.size(-1) == weight.numel() && weight.sizes() == bias.sizes(),
              "weight and bias must have ", x.size(-1), " entries");
  const at::cuda::CUDAGuard guard(x.device());
  const int cols = x.size(-1);
  const int rows = x.numel() / cols;
  auto y = torch::empty_like(x);
  auto mean = torch::empty({rows}, x.options());
  auto rstd = torch::empty({rows}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "layer_norm_forward", [&] {
    layer_norm_forward_kernel<scalar_t>
        <<<rows, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
            y.data_ptr<scalar_t>(), mean.data_ptr<scalar_t>(), rstd.data_ptr<scalar_t>(), cols,
            static_cast<float>(epsilon));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {y, mean, rstd};
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> layer_norm_backward(
    torch::Tensor grad, torch::Tensor x, torch::Tensor weight, torch::Tensor mean,
    torch::Tensor rstd) {
  CHECK_INPUT(x);
  TORCH_CHECK(grad.sizes() == x.sizes(), "grad and x must have the same shape");
  grad = grad.contiguous();
  const at::cuda::CUDAGuard guard(x.device());
  const int cols = x.size(-1);
  const int rows = x.numel() / cols;
  auto grad_x = torch::empty_like(x);
  auto grad_weight = torch::empty_like(weight);
  auto grad_bias = torch::empty_like(weight);
  const auto stream = at::cuda::getCurrentCUDAStream();
  const dim3 block(kThreads);
  const dim3 grid((cols + kThreads - 1) / kThreads);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "layer_norm_backward", [&] {
    layer_norm_grad_input_kernel<scalar_t><<<rows, block, 0, stream>>>(
        grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(),
        mean.data_ptr<scalar_t>(), rstd.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>(), cols);
    layer_norm_grad_parameters_kernel<scalar_t><<<grid, block, 0, stream>>>(
        grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), mean.data_ptr<scalar_t>(),
        rstd.data_ptr<scalar_t>(), grad_weight.data_ptr<scalar_t>(),
        grad_bias.data_ptr<scalar_t>(), rows, cols);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return std::make_tuple(grad_x, grad_weight, grad_bias);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &layer_norm_forward, "Layer normalisation: y, mean, rstd", py::arg("x"),
        py::arg("weight"), py::arg("bias"), py::arg("epsilon") = 1e-5);
  m.def("backward", &layer_norm_backward, "Gradients of x, weight and bias");
}
