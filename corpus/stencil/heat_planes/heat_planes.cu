// Heat on a grid: a block owns a column of the volume and walks up its planes, the plane in shared
// memory, the points above and below in registers.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int BX = 16, BY = 8;

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

// Points on the surface of the volume stay as they are.
__global__ void heat_step(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float plane[BY + 2][BX + 2];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = x < nx && y < ny;
  const int area = nx * ny, at = y * nx + x;
  float below = 0.0f, here = inside ? in[at] : 0.0f, above = inside ? in[area + at] : 0.0f;
  if (inside) out[at] = here;
  for (int z = 1; z < nz - 1; ++z) {
    below = here;
    here = above;
    above = inside ? in[(z + 1) * area + at] : 0.0f;
    __syncthreads();
    plane[ty][tx] = here;
    if (inside && threadIdx.x == 0 && x > 0) plane[ty][0] = in[z * area + at - 1];
    if (inside && threadIdx.x == BX - 1 && x + 1 < nx) plane[ty][tx + 1] = in[z * area + at + 1];
    if (inside && threadIdx.y == 0 && y > 0) plane[0][tx] = in[z * area + at - nx];
    if (inside && threadIdx.y == BY - 1 && y + 1 < ny) plane[ty + 1][tx] = in[z * area + at + nx];
    __syncthreads();
    if (inside) {
      const bool surface = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
      float value = here;
      if (!surface) {
        value = 0.25f * here + 0.125f * (plane[ty][tx - 1] + plane[ty][tx + 1]) +
                0.125f * (plane[ty - 1][tx] + plane[ty + 1][tx]) + 0.125f * (below + above);
      }
      out[z * area + at] = value;
    }
  }
  if (inside) out[(nz - 1) * area + at] = above;
}

int main() {
  const int nx = 37, ny = 21, nz = 9, n = nx * ny * nz;
  std::vector<float> in(n), out(n, -1e9f);
  for (int i = 0; i < n; ++i) in[i] = (float)((i * 37) % 256);
  float *d_in, *d_out;
  check(cudaMalloc(&d_in, n * sizeof(float)));
  check(cudaMalloc(&d_out, n * sizeof(float)));
  check(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_out, out.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  heat_step<<<dim3((nx + BX - 1) / BX, (ny + BY - 1) / BY), dim3(BX, BY)>>>(d_in, d_out, nx, ny, nz);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int i = 0; i < n; ++i) {
    const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    double want = in[i];
    if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1) {
      want = 0.25 * in[i] + 0.125 * in[i - 1] + 0.125 * in[i + 1] + 0.125 * in[i - nx] +
             0.125 * in[i + nx] + 0.125 * in[i - nx * ny] + 0.125 * in[i + nx * ny];
    }
    ok = ok && out[i] == (float)want;  // eighths of small integers are exact in any order
  }
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
