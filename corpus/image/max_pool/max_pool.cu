// 2x2 maximum pooling of channels with the place of each maximum, and its gradient by those places.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(c)                                                        \
  do {                                                                  \
    cudaError_t r = (c);                                                \
    if (r != cudaSuccess) {                                             \
      std::printf("%s at %d\n", cudaGetErrorString(r), __LINE__);       \
      return 2;                                                         \
    }                                                                   \
  } while (0)

// x is [channels, height, width]; an odd last row or column makes a smaller window.
__global__ void pool(const float* x, float* y, unsigned char* place, int height, int width,
                     int out_height, int out_width) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  const int channel = blockIdx.z;
  if (ox >= out_width || oy >= out_height) return;
  float most = x[(channel * height + 2 * oy) * width + 2 * ox];
  int at = 0;
  for (int k = 1; k < 4; ++k) {
    const int iy = 2 * oy + k / 2, ix = 2 * ox + k % 2;
    if (iy >= height || ix >= width) continue;
    const float v = x[(channel * height + iy) * width + ix];
    if (v > most) {
      most = v;
      at = k;
    }
  }
  const int o = (channel * out_height + oy) * out_width + ox;
  y[o] = most;
  place[o] = (unsigned char)at;
}

__global__ void pool_gradient(const float* dy, const unsigned char* place, float* dx, int height,
                              int width, int out_height, int out_width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = i % width, y = i / width % height, channel = i / (width * height);
  const int o = (channel * out_height + y / 2) * out_width + x / 2;
  dx[i] = place[o] == (y % 2) * 2 + x % 2 ? dy[o] : 0.0f;
}

int main() {
  const int channels = 3, height = 19, width = 26, oh = 10, ow = 13;
  const int n = channels * height * width, m = channels * oh * ow;
  std::vector<float> x(n), y(m, -1e9f), dx(n, -1e9f);
  std::vector<unsigned char> place(m, 9);
  for (int i = 0; i < n; ++i) x[i] = (float)((i * 7919) % 499) - 250.0f;
  float *d_x, *d_y, *d_dx;
  unsigned char* d_place;
  CHECK(cudaMalloc(&d_x, n * 4));
  CHECK(cudaMalloc(&d_dx, n * 4));
  CHECK(cudaMalloc(&d_y, m * 4));
  CHECK(cudaMalloc(&d_place, m));
  CHECK(cudaMemcpy(d_x, x.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_dx, dx.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), m * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_place, place.data(), m, cudaMemcpyHostToDevice));
  pool<<<dim3(2, 2, channels), dim3(8, 8)>>>(d_x, d_y, d_place, height, width, oh, ow);
  pool_gradient<<<(n + 127) / 128, 128>>>(d_y, d_place, d_dx, height, width, oh, ow, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(y.data(), d_y, m * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(dx.data(), d_dx, n * 4, cudaMemcpyDeviceToHost));
  bool ok = true;
  std::vector<float> want_dx(n, 0.0f);
  for (int o = 0; o < m; ++o) {
    const int c = o / (oh * ow), oy = o / ow % oh, ox = o % ow;
    int best = -1;
    for (int iy = 2 * oy; iy < 2 * oy + 2 && iy < height; ++iy) {
      for (int ix = 2 * ox; ix < 2 * ox + 2 && ix < width; ++ix) {
        const int i = (c * height + iy) * width + ix;
        if (best < 0 || x[i] > x[best]) best = i;
      }
    }
    ok = ok && y[o] == x[best];
    want_dx[best] = x[best];
  }
  for (int i = 0; i < n; ++i) ok = ok && dx[i] == want_dx[i];
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_dx));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_place));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
