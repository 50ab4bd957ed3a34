// Transposes a matrix through a tile in shared memory, so that reads and writes both run along rows.
// The tile has a column too many, which keeps its columns out of each other's memory banks. A block
// has a quarter of the tile's rows of threads: each thread moves four elements.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(2);
}

}  // namespace

__global__ void transpose(const short* in, short* out, int width, int height) {
  __shared__ short tile[kTile][kTile + 1];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();

  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

int main() {
  const int width = 75, height = 46;
  std::vector<short> in(width * height), out(width * height, -1);
  for (int i = 0; i < width * height; ++i) in[i] = static_cast<short>(i * 5);
  short *d_in, *d_out;
  const size_t bytes = in.size() * sizeof(short);
  require(cudaMalloc(&d_in, bytes) == cudaSuccess, "memory");
  require(cudaMalloc(&d_out, bytes) == cudaSuccess, "memory");
  require(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess, "copy");
  require(cudaMemcpy(d_out, out.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess, "copy");
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kRows)>>>(d_in, d_out, width, height);
  require(cudaGetLastError() == cudaSuccess, "launch");
  require(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "copy");
  int wrong = 0;
  for (int i = 0; i < width * height; ++i) {
    wrong += out[(i % width) * height + i / width] != static_cast<short>(i * 5);
  }
  cudaFree(d_in);
  cudaFree(d_out);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong != 0;
}
