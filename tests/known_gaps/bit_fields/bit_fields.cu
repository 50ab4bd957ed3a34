// Four-bit integers, two in a byte, told apart by bit-fields and scaled to float.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

struct Pair {
  int8_t low : 4;
  int8_t high : 4;
};

// out has two values for each of the n bytes of packed.
__global__ void dequantize_pairs(const int8_t* packed, float* out, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Pair pair = *reinterpret_cast<const Pair*>(packed + i);
  out[2 * i] = scale * pair.low;
  out[2 * i + 1] = scale * pair.high;
}

int main() {
  const int n = 300;
  std::vector<int8_t> packed(n);
  std::vector<float> out(2 * n);
  for (int i = 0; i < n; ++i) packed[i] = static_cast<int8_t>(i * 7);

  int8_t* d_packed;
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_packed, n));
  CUDA_CHECK(cudaMalloc(&d_out, out.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_packed, packed.data(), n, cudaMemcpyHostToDevice));
  dequantize_pairs<<<(n + 127) / 128, 128>>>(d_packed, d_out, 0.5f, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_packed));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int low = (packed[i] & 15) ^ 8;  // the sign bit turned over
    const int high = (packed[i] >> 4 & 15) ^ 8;
    if (out[2 * i] != 0.5f * (low - 8) || out[2 * i + 1] != 0.5f * (high - 8)) ++wrong;
  }
  std::printf("%d pairs are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
