// Backward passes of two activations: the sigmoid, from its saved output, and SiLU, from its saved
// input. Both go through the same stream.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// Returns quietly on success; a failed call ends the program, naming the step.
static void must(cudaError_t status, const char* step) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", step, cudaGetErrorString(status));
  exit(2);
}

__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// dx = dy * y * (1 - y), where y is the output of the forward pass.
__global__ void sigmoid_backward(const float* __restrict__ dy, const float* __restrict__ y,
                                 float* __restrict__ dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = y[i];
    dx[i] = dy[i] * s * (1.0f - s);
  }
}

// dx = dy * s * (1 + x * (1 - s)) with s = sigmoid(x), where x is the input of the forward pass.
// For x below -88 the exponential overflows to infinity and s becomes zero, as it should.
__global__ void silu_backward(const float* __restrict__ dy, const float* __restrict__ x,
                              float* __restrict__ dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = blockDim.x * gridDim.x;
  while (i < n) {
    const float xi = x[i];
    const float s = sigmoid(xi);
    dx[i] = dy[i] * (s * (1.0f + xi * (1.0f - s)));
    i += stride;
  }
}

static double sigmoid_reference(double x) { return 1.0 / (1.0 + std::exp(-x)); }

static int count_bad(const std::vector<float>& got, const std::vector<double>& expected) {
  int bad = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(got[i] - expected[i]) <= 2e-6 + 1e-5 * std::fabs(expected[i]))) ++bad;
  }
  return bad;
}

int main() {
  const int n = 14143;
  const size_t bytes = n * sizeof(float);

  std::vector<float> x(n), y(n), dy(n), dx_sigmoid(n), dx_silu(n);
  std::vector<double> ref_sigmoid(n), ref_silu(n);
  for (int i = 0; i < n; ++i) {
    x[i] = -12.0f + 24.0f * static_cast<float>(i) / static_cast<float>(n);
    dy[i] = std::cos(0.1f * static_cast<float>(i));
  }
  x[3] = -100.0f;  // saturated on both sides
  x[4] = 100.0f;
  for (int i = 0; i < n; ++i) {
    const double s = sigmoid_reference(x[i]);
    y[i] = static_cast<float>(s);
    ref_sigmoid[i] = dy[i] * (double)y[i] * (1.0 - (double)y[i]);
    ref_silu[i] = dy[i] * s * (1.0 + x[i] * (1.0 - s));
  }

  float *d_x, *d_y, *d_dy, *d_dx1, *d_dx2;
  must(cudaMalloc(&d_x, bytes), "allocate x");
  must(cudaMalloc(&d_y, bytes), "allocate y");
  must(cudaMalloc(&d_dy, bytes), "allocate dy");
  must(cudaMalloc(&d_dx1, bytes), "allocate dx of the sigmoid");
  must(cudaMalloc(&d_dx2, bytes), "allocate dx of SiLU");

  cudaStream_t stream;
  must(cudaStreamCreate(&stream), "create stream");
  must(cudaMemcpyAsync(d_x, x.data(), bytes, cudaMemcpyHostToDevice, stream), "copy x");
  must(cudaMemcpyAsync(d_y, y.data(), bytes, cudaMemcpyHostToDevice, stream), "copy y");
  must(cudaMemcpyAsync(d_dy, dy.data(), bytes, cudaMemcpyHostToDevice, stream), "copy dy");

  const int threads = 256;
  sigmoid_backward<<<(n + threads - 1) / threads, threads, 0, stream>>>(d_dy, d_y, d_dx1, n);
  must(cudaGetLastError(), "launch sigmoid_backward");
  silu_backward<<<16, threads, 0, stream>>>(d_dy, d_x, d_dx2, n);
  must(cudaGetLastError(), "launch silu_backward");

  must(cudaMemcpyAsync(dx_sigmoid.data(), d_dx1, bytes, cudaMemcpyDeviceToHost, stream), "copy");
  must(cudaMemcpyAsync(dx_silu.data(), d_dx2, bytes, cudaMemcpyDeviceToHost, stream), "copy");
  must(cudaStreamSynchronize(stream), "synchronise");
  must(cudaStreamDestroy(stream), "destroy stream");
  must(cudaFree(d_x), "free");
  must(cudaFree(d_y), "free");
  must(cudaFree(d_dy), "free");
  must(cudaFree(d_dx1), "free");
  must(cudaFree(d_dx2), "free");

  const int bad_sigmoid = count_bad(dx_sigmoid, ref_sigmoid);
  const int bad_silu = count_bad(dx_silu, ref_silu);
  printf("sigmoid: %d bad, SiLU: %d bad\n", bad_sigmoid, bad_silu);
  const bool ok = bad_sigmoid == 0 && bad_silu == 0;
  printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
