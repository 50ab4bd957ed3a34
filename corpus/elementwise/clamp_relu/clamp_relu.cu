// Clamp on 32-bit integers and ReLU on 8-bit integers: two small steps of a quantised network.

#include <climits>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

// Limits every accumulator to [lo, hi] before it is narrowed by a later layer.
__global__ void clamp_int32(const int* in, int* out, int n, int lo, int hi) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    int v = in[i];
    v = v < lo ? lo : v;
    v = v > hi ? hi : v;
    out[i] = v;
  }
}

// ReLU around a zero point: values below it become the zero point. In place.
__global__ void relu_int8(int8_t* data, int n, int8_t zero_point) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  if (data[i] < zero_point) {
    data[i] = zero_point;
  }
}

static bool test_clamp() {
  const int n = 12345;
  const int lo = -100000, hi = 65535;
  std::vector<int> in(n), out(n, 0);
  // A linear congruential sequence covers the whole range of int, both ends included.
  uint32_t state = 12345u;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    // Every third value is small, so that all three outcomes of the clamp occur.
    in[i] = static_cast<int>(state) / (i % 3 == 0 ? 40000 : 1);
  }
  in[0] = INT_MIN;
  in[1] = INT_MAX;
  in[2] = lo;
  in[3] = hi;

  int *d_in = nullptr, *d_out = nullptr;
  if (cudaMalloc(&d_in, n * sizeof(int)) != cudaSuccess) return false;
  if (cudaMalloc(&d_out, n * sizeof(int)) != cudaSuccess) return false;
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  clamp_int32<<<(n + 255) / 256, 256>>>(d_in, d_out, n, lo, hi);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  for (int i = 0; i < n; ++i) {
    const int expected = in[i] < lo ? lo : (in[i] > hi ? hi : in[i]);
    if (out[i] != expected) {
      std::printf("clamp: element %d is %d, expected %d\n", i, out[i], expected);
      return false;
    }
  }
  return true;
}

static bool test_relu() {
  const int n = 9001;
  const int8_t zero_point = -7;
  std::vector<int8_t> in(n), out(n, 0);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  in[n - 1] = -128;  // the very last element has to change, too

  int8_t* d_data = nullptr;
  if (cudaMalloc(&d_data, n) != cudaSuccess) return false;
  cudaMemcpy(d_data, in.data(), n, cudaMemcpyHostToDevice);
  relu_int8<<<(n + 127) / 128, 128>>>(d_data, n, zero_point);
  cudaMemcpy(out.data(), d_data, n, cudaMemcpyDeviceToHost);
  cudaFree(d_data);

  for (int i = 0; i < n; ++i) {
    const int8_t expected = in[i] < zero_point ? zero_point : in[i];
    if (out[i] != expected) {
      std::printf("relu: element %d is %d, expected %d\n", i, out[i], expected);
      return false;
    }
  }
  return true;
}

int main() {
  const bool clamp_ok = test_clamp();
  const bool relu_ok = test_relu();
  std::printf("clamp %s, relu %s\n", clamp_ok ? "ok" : "wrong", relu_ok ? "ok" : "wrong");
  std::printf("%s\n", clamp_ok && relu_ok ? "PASS" : "FAIL");
  return clamp_ok && relu_ok ? 0 : 1;
}
