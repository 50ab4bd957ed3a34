// Layer normalisation, one block a row: mean and variance come from two reductions in shared memory
// that a device function does for all callers.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void stop_on(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

constexpr int kThreads = 64;

// Sum over the block; every thread gets it.
__device__ float block_sum(float v) {
  __shared__ float partial[kThreads];
  partial[threadIdx.x] = v;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();
  return total;
}

// out = (x - mean) / sqrt(variance + epsilon) * gain + bias; also leaves the statistics of each row.
__global__ void __launch_bounds__(kThreads)
    layernorm(const float* __restrict__ x, const float* __restrict__ gain,
              const float* __restrict__ bias, float* __restrict__ out, float* __restrict__ mean,
              float* __restrict__ scale, int rows, int cols, float epsilon) {
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float* in = x + row * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) sum += in[c];
  const float m = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float d = in[c] - m;
    squares += d * d;
  }
  const float s = 1.0f / sqrtf(block_sum(squares) / cols + epsilon);

  if (threadIdx.x == 0) {
    mean[row] = m;
    scale[row] = s;
  }
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    out[row * cols + c] = (in[c] - m) * s * gain[c] + bias[c];
  }
}

int main() {
  const int rows = 11, cols = 203;
  const float epsilon = 1e-5f;
  std::vector<float> x(rows * cols), gain(cols), bias(cols);
  std::vector<float> out(rows * cols, NAN), mean(rows, NAN), scale(rows, NAN);
  for (int i = 0; i < rows * cols; ++i) x[i] = 2.0f * std::sin(0.9f * i) + 0.25f * (i / cols);
  for (int c = 0; c < cols; ++c) {
    gain[c] = 0.5f + (c % 10) * 0.1f;
    bias[c] = (c % 3) - 1.0f;
  }
  float *d_x, *d_gain, *d_bias, *d_out, *d_mean, *d_scale;
  const size_t all = rows * cols * sizeof(float);
  stop_on(cudaMalloc(&d_x, all));
  stop_on(cudaMalloc(&d_out, all));
  stop_on(cudaMalloc(&d_gain, cols * sizeof(float)));
  stop_on(cudaMalloc(&d_bias, cols * sizeof(float)));
  stop_on(cudaMalloc(&d_mean, rows * sizeof(float)));
  stop_on(cudaMalloc(&d_scale, rows * sizeof(float)));
  stop_on(cudaMemcpy(d_x, x.data(), all, cudaMemcpyHostToDevice));
  stop_on(cudaMemcpy(d_out, out.data(), all, cudaMemcpyHostToDevice));
  stop_on(cudaMemcpy(d_gain, gain.data(), cols * sizeof(float), cudaMemcpyHostToDevice));
  stop_on(cudaMemcpy(d_bias, bias.data(), cols * sizeof(float), cudaMemcpyHostToDevice));
  stop_on(cudaMemcpy(d_mean, mean.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  stop_on(cudaMemcpy(d_scale, scale.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  layernorm<<<rows + 1, kThreads>>>(d_x, d_gain, d_bias, d_out, d_mean, d_scale, rows, cols,
                                    epsilon);
  stop_on(cudaGetLastError());
  stop_on(cudaMemcpy(out.data(), d_out, all, cudaMemcpyDeviceToHost));
  stop_on(cudaMemcpy(mean.data(), d_mean, rows * sizeof(float), cudaMemcpyDeviceToHost));
  stop_on(cudaMemcpy(scale.data(), d_scale, rows * sizeof(float), cudaMemcpyDeviceToHost));

  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0, squares = 0.0;
    for (int c = 0; c < cols; ++c) sum += x[r * cols + c];
    const double m = sum / cols;
    for (int c = 0; c < cols; ++c) squares += (x[r * cols + c] - m) * (x[r * cols + c] - m);
    const double s = 1.0 / std::sqrt(squares / cols + epsilon);
    ok = ok && std::fabs(mean[r] - m) <= 2e-6 && std::fabs(scale[r] - s) <= 2e-6 * s;
    for (int c = 0; c < cols; ++c) {
      const double want = (x[r * cols + c] - m) * s * gain[c] + bias[c];
      // Ten roundings of values below 5.
      ok = ok && std::fabs(out[r * cols + c] - want) <= 1e-5;
    }
  }
  for (float* p : {d_x, d_gain, d_bias, d_out, d_mean, d_scale}) stop_on(cudaFree(p));
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
