// 2D convolution with several channels: a tile of the input with its halo is staged in shared
// memory, the filter lies in constant memory. Outside of the image counts as zero.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kTile = 12, kRadius = 2, kSide = 2 * kRadius + 1, kStage = kTile + 2 * kRadius;
constexpr int kIn = 3, kOut = 2;

__constant__ float filters[kOut][kIn][kSide][kSide];

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

// in is [kIn, height, width], out is [kOut, height, width]; blockIdx.z is the output channel.
__global__ void convolve(const float* in, float* out, int height, int width) {
  __shared__ float stage[kStage][kStage];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0.0f;
  for (int channel = 0; channel < kIn; ++channel) {
    for (int sy = threadIdx.y; sy < kStage; sy += kTile) {
      for (int sx = threadIdx.x; sx < kStage; sx += kTile) {
        const int ix = blockIdx.x * kTile + sx - kRadius, iy = blockIdx.y * kTile + sy - kRadius;
        const bool inside = ix >= 0 && ix < width && iy >= 0 && iy < height;
        stage[sy][sx] = inside ? in[(channel * height + iy) * width + ix] : 0.0f;
      }
    }
    __syncthreads();
    for (int fy = 0; fy < kSide; ++fy) {
      for (int fx = 0; fx < kSide; ++fx) {
        sum += stage[threadIdx.y + fy][threadIdx.x + fx] * filters[blockIdx.z][channel][fy][fx];
      }
    }
    __syncthreads();
  }
  if (x < width && y < height) out[(blockIdx.z * height + y) * width + x] = sum;
}

int main() {
  const int height = 31, width = 44, plane = height * width;
  std::vector<float> in(kIn * plane), out(kOut * plane, NAN), filter(kOut * kIn * kSide * kSide);
  for (size_t i = 0; i < in.size(); ++i) in[i] = (float)((i * 7) % 17) - 8.0f;
  for (size_t i = 0; i < filter.size(); ++i) filter[i] = (float)((i * 5) % 7) - 3.0f;
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, in.size() * sizeof(float)));
  check(cudaMalloc(&d_out, out.size() * sizeof(float)));
  check(cudaMemcpyToSymbol(filters, filter.data(), filter.size() * sizeof(float)));
  check(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_out, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile, kOut);
  convolve<<<grid, dim3(kTile, kTile)>>>(d_in, d_out, height, width);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));

  bool ok = true;
  for (int o = 0; o < kOut; ++o) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        int want = 0;  // small integers: float sums of them are exact
        for (int c = 0; c < kIn; ++c) {
          for (int f = 0; f < kSide * kSide; ++f) {
            const int iy = y + f / kSide - kRadius, ix = x + f % kSide - kRadius;
            if (iy < 0 || iy >= height || ix < 0 || ix >= width) continue;
            want += (int)in[c * plane + iy * width + ix] *
                    (int)filter[(o * kIn + c) * kSide * kSide + f];
          }
        }
        ok = ok && out[o * plane + y * width + x] == (float)want;
      }
    }
  }
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
