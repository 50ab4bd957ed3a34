// Converts RGBA pixels to full-range YCbCr (BT.601) in fixed-point arithmetic. Alpha is kept.
//
// The weights are scaled by 256 and each row of them sums to 256 or 0, so grey stays grey. All
// arithmetic is on integers: every platform gives the same bytes.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_TRY(call)                                                             \
  do {                                                                             \
    cudaError_t code_ = (call);                                                    \
    if (code_ != cudaSuccess) {                                                    \
      fprintf(stderr, "%s (%s:%d)\n", cudaGetErrorString(code_), __FILE__,         \
              __LINE__);                                                           \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)

__device__ __forceinline__ unsigned char saturate_u8(int v) {
  return static_cast<unsigned char>(min(max(v, 0), 255));
}

// x holds red and y green on the way in; luma and blue difference on the way out.
__global__ void rgba_to_ycbcr(const uchar4* __restrict__ src, uchar4* __restrict__ dst, int width,
                              int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  const uchar4 pixel = src[y * width + x];
  const int r = pixel.x;
  const int g = pixel.y;
  const int b = pixel.z;

  // Adding 128 before the shift rounds to nearest. The two differences are signed, and the shift
  // has to keep their sign.
  const int luma = (77 * r + 150 * g + 29 * b + 128) >> 8;
  const int cb = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
  const int cr = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;

  dst[y * width + x] = make_uchar4(saturate_u8(luma), saturate_u8(cb), saturate_u8(cr), pixel.w);
}

static int clip(double v) { return v < 0.0 ? 0 : v > 255.0 ? 255 : static_cast<int>(v); }

int main() {
  const int width = 163, height = 89;
  const int n = width * height;
  std::vector<uchar4> src(n), dst(n);
  for (int i = 0; i < n; ++i) {
    src[i].x = static_cast<unsigned char>(i * 7);
    src[i].y = static_cast<unsigned char>(i / 3 + i % 5);
    src[i].z = static_cast<unsigned char>(255 - i * 11);
    src[i].w = static_cast<unsigned char>(i % 251);
  }
  // The corners of the colour cube, among them pure blue and red, which reach the upper clip.
  for (int corner = 0; corner < 8; ++corner) {
    src[corner].x = corner & 1 ? 255 : 0;
    src[corner].y = corner & 2 ? 255 : 0;
    src[corner].z = corner & 4 ? 255 : 0;
  }

  uchar4 *d_src, *d_dst;
  CUDA_TRY(cudaMalloc(&d_src, n * sizeof(uchar4)));
  CUDA_TRY(cudaMalloc(&d_dst, n * sizeof(uchar4)));
  CUDA_TRY(cudaMemcpy(d_src, src.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMemset(d_dst, 0, n * sizeof(uchar4)));

  const dim3 block(32, 8);
  const dim3 grid((width + 31) / 32, (height + 7) / 8);
  rgba_to_ycbcr<<<grid, block>>>(d_src, d_dst, width, height);
  CUDA_TRY(cudaGetLastError());
  CUDA_TRY(cudaDeviceSynchronize());
  CUDA_TRY(cudaMemcpy(dst.data(), d_dst, n * sizeof(uchar4), cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaFree(d_src));
  CUDA_TRY(cudaFree(d_dst));

  // Reference by real division and floor. Numerators stay far below 2^53, so it is exact.
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const double r = src[i].x, g = src[i].y, b = src[i].z;
    const int luma = clip(std::floor((77 * r + 150 * g + 29 * b) / 256.0 + 0.5));
    const int cb = clip(std::floor((-43 * r - 85 * g + 128 * b) / 256.0 + 0.5) + 128);
    const int cr = clip(std::floor((128 * r - 107 * g - 21 * b) / 256.0 + 0.5) + 128);
    if (dst[i].x != luma || dst[i].y != cb || dst[i].z != cr || dst[i].w != src[i].w) {
      if (wrong < 4) {
        printf("pixel %d: %d %d %d %d, expected %d %d %d %d\n", i, dst[i].x, dst[i].y, dst[i].z,
               dst[i].w, luma, cb, cr, src[i].w);
      }
      ++wrong;
    }
  }

  printf("%d of %d pixels are wrong\n", wrong, n);
  printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
