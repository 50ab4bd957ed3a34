// Signed integer division in its two usual forms.
//
// C truncates towards zero, so a remainder takes the sign of the dividend. Periodic indices need
// the flooring form, whose remainder is never negative.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

inline void expect_success(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "runtime error in line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(9);
}
#define EXPECT_SUCCESS(call) expect_success(call, __LINE__)

// Truncating quotient and remainder, element by element. No divisor is zero, and INT_MIN is never
// divided by -1: neither has a defined result.
__global__ void divide_signed(const int* a, const int* b, int* quotient, int* remainder, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
  }
}

// Remainder with the sign of the (positive) divisor.
__device__ int floor_mod(int a, int period) {
  int r = a % period;
  return r < 0 ? r + period : r;
}

// Maps unbounded cell numbers onto a ring of period cells and says how many times they go round it.
__global__ void wrap_index(const int* cell, int* wrapped, int* turns, int n, int period) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) {
    return;
  }
  const int c = cell[i];
  const int w = floor_mod(c, period);
  wrapped[i] = w;
  turns[i] = c / period - (c % period < 0 ? 1 : 0);
}

// floor(a / b) for b > 0, in 64 bits and without a division of negative numbers.
static long long floor_div(long long a, long long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

int main() {
  const int n = 15013;
  const int period = 360;
  const size_t bytes = n * sizeof(int);

  std::vector<int> a(n), b(n);
  unsigned state = 2463534242u;
  for (int i = 0; i < n; ++i) {
    // xorshift: both operands take both signs and many magnitudes.
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    a[i] = static_cast<int>(state) >> (i % 20);
    const int magnitude = 1 + static_cast<int>((state >> 8) % 5000u);
    b[i] = i % 2 == 0 ? magnitude : -magnitude;
  }
  a[0] = INT_MIN, b[0] = 1;
  a[1] = INT_MAX, b[1] = -1;
  a[2] = INT_MIN, b[2] = INT_MIN;
  a[3] = -7, b[3] = 2;
  a[4] = 7, b[4] = -2;
  a[5] = -1, b[5] = INT_MAX;
  a[6] = 0, b[6] = -5;
  for (int i = 7; i < n; ++i) {
    if (a[i] == INT_MIN && b[i] == -1) b[i] = 1;
  }

  int *d_a, *d_b, *d_first, *d_second;
  EXPECT_SUCCESS(cudaMalloc(&d_a, bytes));
  EXPECT_SUCCESS(cudaMalloc(&d_b, bytes));
  EXPECT_SUCCESS(cudaMalloc(&d_first, bytes));
  EXPECT_SUCCESS(cudaMalloc(&d_second, bytes));
  EXPECT_SUCCESS(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  EXPECT_SUCCESS(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

  std::vector<int> quotient(n), remainder(n), wrapped(n), turns(n);
  const int threads = 160;  // five warps
  const int blocks = (n + threads - 1) / threads;

  divide_signed<<<blocks, threads>>>(d_a, d_b, d_first, d_second, n);
  EXPECT_SUCCESS(cudaGetLastError());
  EXPECT_SUCCESS(cudaMemcpy(quotient.data(), d_first, bytes, cudaMemcpyDeviceToHost));
  EXPECT_SUCCESS(cudaMemcpy(remainder.data(), d_second, bytes, cudaMemcpyDeviceToHost));

  wrap_index<<<blocks, threads>>>(d_a, d_first, d_second, n, period);
  EXPECT_SUCCESS(cudaGetLastError());
  EXPECT_SUCCESS(cudaMemcpy(wrapped.data(), d_first, bytes, cudaMemcpyDeviceToHost));
  EXPECT_SUCCESS(cudaMemcpy(turns.data(), d_second, bytes, cudaMemcpyDeviceToHost));

  EXPECT_SUCCESS(cudaFree(d_a));
  EXPECT_SUCCESS(cudaFree(d_b));
  EXPECT_SUCCESS(cudaFree(d_first));
  EXPECT_SUCCESS(cudaFree(d_second));

  int bad_divide = 0, bad_wrap = 0;
  for (int i = 0; i < n; ++i) {
    // Division of magnitudes, signs restored afterwards.
    const long long ma = std::llabs(static_cast<long long>(a[i]));
    const long long mb = std::llabs(static_cast<long long>(b[i]));
    const long long q = (a[i] < 0) != (b[i] < 0) ? -(ma / mb) : ma / mb;
    const long long r = a[i] < 0 ? -(ma % mb) : ma % mb;
    if (quotient[i] != q || remainder[i] != r) ++bad_divide;

    const long long turn = floor_div(a[i], period);
    if (turns[i] != turn || wrapped[i] != a[i] - turn * period) ++bad_wrap;
  }

  std::printf("divide: %d wrong, wrap: %d wrong\n", bad_divide, bad_wrap);
  const bool ok = bad_divide == 0 && bad_wrap == 0;
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
