// Two steps of a three-point filter in one kernel: the second step reads what the neighbours made in
// the first, so a tile is staged with a halo of two.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

template <int B>
__global__ void filter_twice(const int* in, int* out, int n) {
  __shared__ int first[B + 4];
  __shared__ int second[B + 2];
  const int base = blockIdx.x * B;
  for (int i = threadIdx.x; i < B + 4; i += blockDim.x) {
    int at = base + i - 2;
    at = at < 0 ? -at : at;              // mirrored at both ends
    at = at >= n ? 2 * (n - 1) - at : at;
    first[i] = at >= 0 && at < n ? in[at] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < B + 2; i += blockDim.x) {
    second[i] = first[i] + 2 * first[i + 1] + first[i + 2];
  }
  __syncthreads();
  const int i = base + threadIdx.x;
  if (threadIdx.x < B && i < n) {
    out[i] = (second[threadIdx.x] + 2 * second[threadIdx.x + 1] + second[threadIdx.x + 2]) >> 4;
  }
}

static int at_mirror(const std::vector<int>& v, int i) {
  const int n = (int)v.size();
  if (i < 0) i = -i;
  if (i >= n) i = 2 * (n - 1) - i;
  return v[i];
}

int main() {
  const int n = 777;
  std::vector<int> in(n), out(n, -77777);
  for (int i = 0; i < n; ++i) in[i] = (i * 5003) % 1021 - 500;
  int *d_in = nullptr, *d_out = nullptr;
  if (cudaMalloc(&d_in, n * sizeof(int)) != cudaSuccess ||
      cudaMalloc(&d_out, n * sizeof(int)) != cudaSuccess) {
    return 2;
  }
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_out, out.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  filter_twice<100><<<(n + 99) / 100, 128>>>(d_in, d_out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  bool ok = true;
  for (int i = 0; i < n; ++i) {
    const int weights[5] = {1, 4, 6, 4, 1};
    int want = 0;
    for (int k = 0; k < 5; ++k) want += weights[k] * at_mirror(in, i + k - 2);
    ok = ok && out[i] == (want >> 4);
  }
  cudaFree(d_in);
  cudaFree(d_out);
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
