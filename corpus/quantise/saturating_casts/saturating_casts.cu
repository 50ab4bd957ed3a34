// Quantises numbers with a scale that some of them exceed: a conversion to an integer stops at the
// nearest limit, and turns what is no number into 0 (32 bits of float) or the lowest value.

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Every output has one element for each of the n numbers. `bytes` is clamped before it is converted.
__global__ void quantise(const float* __restrict__ x, int* __restrict__ whole,
                         unsigned* __restrict__ size, long long* __restrict__ wide,
                         unsigned char* __restrict__ bytes, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] * scale;
  whole[i] = static_cast<int>(v);
  size[i] = (unsigned)v;
  wide[i] = v;
  bytes[i] = static_cast<unsigned char>(static_cast<int>(fminf(fmaxf(v, 0.0f), 255.0f)));
}

// The same from other types. A double that is no number becomes the lowest int.
__global__ void quantise_others(const double* x, const __half* h, int* from_double,
                                unsigned* size, int* from_half, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    from_double[i] = (int)x[i];
    size[i] = (unsigned)x[i];
    from_half[i] = (int)__half2float(h[i]);
  }
}

// The whole part between two limits.
static long double limited(long double v, long double low, long double high, long double none) {
  if (std::isnan(v)) return none;
  v = std::trunc(v);
  return v < low ? low : v > high ? high : v;
}

template <typename T>
static T* copied(const std::vector<T>& host) {
  T* p = nullptr;
  if (cudaMalloc(&p, host.size() * sizeof(T)) != cudaSuccess) return nullptr;
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

template <typename T>
static void fetch(std::vector<T>& host, T* p) {
  cudaMemcpy(host.data(), p, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(p);
}

int main() {
  const int n = 1000;
  const float scale = 1.5f;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = std::ldexp(1.0f + i % 7 / 8.0f, i % 80 - 12) * (i % 2 ? -1 : 1);
  const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -0.9f, FLT_MAX, -FLT_MAX};
  for (int i = 0; i < 8; ++i) x[i * 31] = special[i];
  std::vector<double> d(x.begin(), x.end());
  std::vector<__half> h(n);
  for (int i = 0; i < n; ++i) h[i] = __float2half(x[i]);

  std::vector<int> whole(n, -7), from_double(n, -7), from_half(n, -7);
  std::vector<unsigned> size(n, 7), size_of_double(n, 7);
  std::vector<long long> wide(n, -7);
  std::vector<unsigned char> bytes(n, 99);
  float* d_x = copied(x);
  double* d_d = copied(d);
  __half* d_h = copied(h);
  int *d_whole = copied(whole), *d_from_double = copied(from_double), *d_from_half = copied(from_half);
  unsigned *d_size = copied(size), *d_size_of_double = copied(size_of_double);
  long long* d_wide = copied(wide);
  unsigned char* d_bytes = copied(bytes);
  quantise<<<(n + 127) / 128, 128>>>(d_x, d_whole, d_size, d_wide, d_bytes, scale, n);
  quantise_others<<<(n + 127) / 128, 128>>>(d_d, d_h, d_from_double, d_size_of_double, d_from_half, n);
  fetch(whole, d_whole);
  fetch(size, d_size);
  fetch(wide, d_wide);
  fetch(bytes, d_bytes);
  fetch(from_double, d_from_double);
  fetch(size_of_double, d_size_of_double);
  fetch(from_half, d_from_half);
  cudaFree(d_x);
  cudaFree(d_d);
  cudaFree(d_h);

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float v = x[i] * scale;
    wrong += whole[i] != limited(v, INT_MIN, INT_MAX, 0);
    wrong += size[i] != limited(v, 0, UINT_MAX, 0);
    wrong += wide[i] != limited(v, LLONG_MIN, LLONG_MAX, LLONG_MIN);
    wrong += bytes[i] != limited(v, 0, 255, 0);
    wrong += from_double[i] != limited(d[i], INT_MIN, INT_MAX, INT_MIN);
    wrong += size_of_double[i] != limited(d[i], 0, UINT_MAX, 2147483648.0L);
    wrong += from_half[i] != limited(__half2float(h[i]), INT_MIN, INT_MAX, 0);
  }
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
