// Histogram of bytes with a copy of the bins in the shared memory of each block; the copies are
// added to the result at the end. Also the smallest and largest value met.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_OK(call)                                                          \
  if ((call) != cudaSuccess) {                                                 \
    std::fprintf(stderr, "%s failed in line %d\n", #call, __LINE__);           \
    return 2;                                                                  \
  }

constexpr int kBins = 64;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins, int* smallest,
                          int* largest) {
  __shared__ unsigned local[kBins];
  __shared__ int low, high;
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) local[b] = 0;
  if (threadIdx.x == 0) {
    low = 255;
    high = 0;
  }
  __syncthreads();

  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int value = data[i];
    atomicAdd(&local[value / (256 / kBins)], 1u);
    atomicMin(&low, value);
    atomicMax(&high, value);
  }
  __syncthreads();

  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    if (local[b] > 0) atomicAdd(&bins[b], local[b]);
  }
  if (threadIdx.x == 0) {
    atomicMin(smallest, low);
    atomicMax(largest, high);
  }
}

int main() {
  const int n = 9001;
  std::vector<unsigned char> data(n);
  for (int i = 0; i < n; ++i) data[i] = static_cast<unsigned char>(3 + (i * i + 11 * i) % 247);
  std::vector<unsigned> bins(kBins, 5u);  // counting goes on from what is there
  int smallest = 1000, largest = -1000;

  unsigned char* d_data;
  unsigned* d_bins;
  int* d_ends;
  CUDA_OK(cudaMalloc(&d_data, n));
  CUDA_OK(cudaMalloc(&d_bins, kBins * sizeof(unsigned)));
  CUDA_OK(cudaMalloc(&d_ends, 2 * sizeof(int)));
  CUDA_OK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(d_bins, bins.data(), kBins * sizeof(unsigned), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(d_ends, &smallest, sizeof(int), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(d_ends + 1, &largest, sizeof(int), cudaMemcpyHostToDevice));
  histogram<<<4, 96>>>(d_data, n, d_bins, d_ends, d_ends + 1);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(bins.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&smallest, d_ends, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&largest, d_ends + 1, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(d_data));
  CUDA_OK(cudaFree(d_bins));
  CUDA_OK(cudaFree(d_ends));

  std::vector<int> want(kBins, 5);
  int low = 1000, high = -1000;
  for (unsigned char value : data) {
    ++want[value >> 2];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  bool ok = smallest == low && largest == high;
  for (int b = 0; b < kBins; ++b) ok = ok && bins[b] == static_cast<unsigned>(want[b]);
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
