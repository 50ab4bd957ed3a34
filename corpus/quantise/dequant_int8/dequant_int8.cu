// Dequantises an int8 weight matrix: w = scale * (q - zero), with a scale and a zero point for
// every output channel (row).
//
// Host buffers are page-locked, so that the copies run asynchronously on the stream.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t const error = (call);                                            \
    if (cudaSuccess != error) {                                                  \
      printf("%s failed: %s\n", #call, cudaGetErrorString(error));               \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

// q and w are [rows, cols], row-major. blockIdx.y is the row: scale and zero are the same for the
// whole block.
__global__ void dequantise_rows(const int8_t* __restrict__ q, const float* __restrict__ scale,
                                const int8_t* __restrict__ zero, float* __restrict__ w, int cols) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;

  // The difference needs nine bits, so it is taken in int.
  const int centred = static_cast<int>(q[row * cols + col]) - static_cast<int>(zero[row]);
  w[row * cols + col] = scale[row] * static_cast<float>(centred);
}

int main() {
  const int rows = 61, cols = 413;
  const int n = rows * cols;

  int8_t *q, *zero;
  float *scale, *w;
  CHECK(cudaMallocHost((void**)&q, n));
  CHECK(cudaMallocHost((void**)&zero, rows));
  CHECK(cudaMallocHost((void**)&scale, rows * sizeof(float)));
  CHECK(cudaMallocHost((void**)&w, n * sizeof(float)));
  for (int i = 0; i < n; ++i) q[i] = static_cast<int8_t>(i * 73 % 256 - 128);
  for (int r = 0; r < rows; ++r) {
    zero[r] = static_cast<int8_t>(r * 4 - 120);  // from -120 to 120
    scale[r] = 0.0078125f / static_cast<float>(r + 3);
  }
  for (int i = 0; i < n; ++i) w[i] = -1e30f;

  int8_t *d_q, *d_zero;
  float *d_scale, *d_w;
  CHECK(cudaMalloc((void**)&d_q, n));
  CHECK(cudaMalloc((void**)&d_zero, rows));
  CHECK(cudaMalloc((void**)&d_scale, rows * sizeof(float)));
  CHECK(cudaMalloc((void**)&d_w, n * sizeof(float)));

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(d_q, q, n, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(d_zero, zero, rows, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(d_scale, scale, rows * sizeof(float), cudaMemcpyHostToDevice, stream));

  const int threads = 128;
  const dim3 grid((cols + threads - 1) / threads, rows);
  dequantise_rows<<<grid, threads, 0, stream>>>(d_q, d_scale, d_zero, d_w, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(w, d_w, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));

  // The difference is an integer of nine bits and exact in float; the product rounds once. The host
  // therefore has to agree to the last bit.
  int mismatches = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const float expected = scale[r] * static_cast<float>(q[r * cols + c] - zero[r]);
      if (w[r * cols + c] != expected) ++mismatches;
    }
  }

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_q));
  CHECK(cudaFree(d_zero));
  CHECK(cudaFree(d_scale));
  CHECK(cudaFree(d_w));
  CHECK(cudaFreeHost(q));
  CHECK(cudaFreeHost(zero));
  CHECK(cudaFreeHost(scale));
  CHECK(cudaFreeHost(w));

  printf("%d mismatches\n", mismatches);
  printf("%s\n", mismatches == 0 ? "PASS" : "FAIL");
  return mismatches == 0 ? 0 : 1;
}
