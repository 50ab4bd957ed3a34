// Fused bias + GELU as it follows a linear layer: out = gelu(in + bias[column]).
//
// One template serves float and half. All arithmetic is done in float; half is only the storage
// type, which is how the common inference libraries do it.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK(expr)                                                              \
  {                                                                              \
    cudaError_t err = (expr);                                                    \
    if (err != cudaSuccess) {                                                    \
      fprintf(stderr, "CUDA error %s at line %d\n", cudaGetErrorString(err),     \
              __LINE__);                                                         \
      exit(1);                                                                   \
    }                                                                            \
  }

__device__ __forceinline__ float to_float(float v) { return v; }
__device__ __forceinline__ float to_float(__half v) { return __half2float(v); }

template <typename T>
__device__ __forceinline__ T from_float(float v);

template <>
__device__ __forceinline__ float from_float<float>(float v) {
  return v;
}

template <>
__device__ __forceinline__ __half from_float<__half>(float v) {
  return __float2half(v);
}

// The tanh form of GELU. 0.7978845608 is sqrt(2 / pi).
__device__ __forceinline__ float gelu(float x) {
  const float kAlpha = 0.7978845608f;
  const float kBeta = 0.044715f;
  return 0.5f * x * (1.0f + tanhf(kAlpha * (x + kBeta * x * x * x)));
}

// in and out are row-major [rows, cols]; bias has cols entries and is shared by all rows.
template <typename T>
__global__ void bias_gelu(const T* __restrict__ in, const T* __restrict__ bias,
                          T* __restrict__ out, int rows, int cols) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < rows * cols) {
    const int col = idx % cols;
    const float x = to_float(in[idx]) + to_float(bias[col]);
    out[idx] = from_float<T>(gelu(x));
  }
}

static double gelu_reference(double x) {
  return 0.5 * x * (1.0 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

// Host-side conversions, overloaded in the same way as those of the device.
static float store(float v, float) { return v; }
static __half store(float v, __half) { return __float2half(v); }
static float load(float v) { return v; }
static float load(__half v) { return __half2float(v); }

// Runs one storage type and returns the number of elements outside the tolerance.
template <typename T>
static int run(int rows, int cols, double rtol, double atol) {
  const int n = rows * cols;
  std::vector<T> in(n), bias(cols), out(n);
  for (int i = 0; i < n; ++i) in[i] = store(6.0f * std::sin(0.37f * i), T());
  for (int c = 0; c < cols; ++c) bias[c] = store(0.01f * (c % 50) - 0.25f, T());

  T *d_in, *d_bias, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(T)));
  CHECK(cudaMalloc(&d_bias, cols * sizeof(T)));
  CHECK(cudaMalloc(&d_out, n * sizeof(T)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_bias, bias.data(), cols * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0xff, n * sizeof(T)));  // NaN until a kernel has written it

  const int threads = 256;
  bias_gelu<T><<<(n + threads - 1) / threads, threads>>>(d_in, d_bias, d_out, rows, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(T), cudaMemcpyDeviceToHost));

  int bad = 0;
  for (int i = 0; i < n; ++i) {
    const double expected =
        gelu_reference((double)load(in[i]) + (double)load(bias[i % cols]));
    const double got = load(out[i]);
    if (!(std::fabs(got - expected) <= atol + rtol * std::fabs(expected))) ++bad;
  }

  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_bias));
  CHECK(cudaFree(d_out));
  return bad;
}

int main() {
  // The negative tail of GELU subtracts nearly equal numbers, hence the absolute term.
  const int bad_float = run<float>(37, 333, 1e-5, 2e-6);
  // Half rounds once, when the result is stored: 2^-11 relative, 2^-25 absolute for subnormals.
  const int bad_half = run<__half>(29, 517, 1e-3, 3e-6);
  printf("float: %d bad, half: %d bad\n", bad_float, bad_half);

  const bool ok = bad_float == 0 && bad_half == 0;
  puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
